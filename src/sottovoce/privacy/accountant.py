"""How much ε many disclosures of one person add up to, by dp-accounting (the extra `dp`).

A disclosure is a vector with Gaussian noise on every number. Its `noise` is the standard deviation σ, divided
by the sensitivity: the furthest that one person's data can move the vector (Euclidean distance). Disclosures
of the same person are composed by Rényi differential privacy (Mironov 2017). The discrete Gaussian satisfies
the same bound as the continuous one (Canonne, Kamath and Steinke 2020), so these figures hold for both.

Nothing is gained from who happens to be selected. Amplification by sampling needs a sample that stays secret
from whoever sees the output. A server that asks people knows whom it asked, and a peer knows who sent it a
message.
"""

import functools
import importlib
import math
from typing import Any

from sottovoce.errors import RecipeError

MOST = 2**31 - 1
"""The largest number of disclosures that is counted."""
WHOLE = (*range(2, 64), 128, 256, 512, 1024)
"""Whole orders of Rényi divergence."""
PRECISION = 1e-4
"""By which share more noise is used than necessary, at most."""


def _needed(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise RecipeError(
            "Differential privacy needs dp-accounting, which is not installed.",
            "Install it with: pip install 'sottovoce[dp]'.",
        ) from None


@functools.lru_cache(maxsize=4096)
def epsilon(noise: float, disclosures: int, delta: float, whole_orders: bool = False) -> float:
    """ε of this many disclosures of one person, at δ = `delta`; 0 disclosures cost nothing.

    `noise` is the standard deviation of the noise in each, divided by the sensitivity. With `whole_orders`
    only whole orders of Rényi divergence are used, as some bounds require; ε is then a little larger.
    """
    if not 0 < delta < 1:
        raise RecipeError(
            f"delta = {delta:g} is no probability between 0 and 1.", "Write, for example, 1e-5."
        )
    if disclosures == 0:
        return 0.0
    if noise <= 0:
        return math.inf
    event = _needed("dp_accounting").GaussianDpEvent(noise)
    orders = WHOLE if whole_orders else None
    accountant = _needed("dp_accounting.rdp").RdpAccountant(orders=orders)
    return float(accountant.compose(event, disclosures).get_epsilon(delta))


@functools.lru_cache(maxsize=256)
def allowed(noise: float, budget: float, delta: float, whole_orders: bool = False) -> int:
    """How many disclosures with this noise a person can make before ε exceeds the budget."""
    low, high = 0, 1
    while high < MOST and epsilon(noise, high, delta, whole_orders) <= budget:
        low, high = high, min(2 * high, MOST)
    if high == MOST and epsilon(noise, MOST, delta, whole_orders) <= budget:
        return MOST
    while high - low > 1:
        middle = (low + high) // 2
        if epsilon(noise, middle, delta, whole_orders) <= budget:
            low = middle
        else:
            high = middle
    return low


@functools.lru_cache(maxsize=256)
def noise_for(budget: float, disclosures: int, delta: float, whole_orders: bool = False) -> float:
    """The least noise, a little rounded up, with which so many disclosures stay within the budget."""
    low, high = 0.0, 1.0
    while epsilon(high, disclosures, delta, whole_orders) > budget:
        low, high = high, 2 * high
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        if epsilon(middle, disclosures, delta, whole_orders) <= budget:
            high = middle
        else:
            low = middle
    return high
