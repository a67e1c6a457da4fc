"""How many bytes a round of two sums exchanges, without exchanging any.

The figures are the lengths of the messages of `messages`, whose form depends on numbers of people and of
rows alone. All arguments may be arrays, with a place for each round.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure.contribution import Plan
from sottovoce.exchange.secure.envelope import size
from sottovoce.exchange.secure.messages import (
    ANNOUNCEMENT,
    CONFIRMATION,
    MASKED,
    UNMASKING,
    WHO,
    inbox_entry,
    keys_size,
    roster_entry,
    shares_entry,
)
from sottovoce.exchange.secure.primitives import KEY

SUMS = 2
Numbers = Any
"""Whole numbers, or arrays of them."""
Sent = list[tuple[Numbers, Numbers]]
"""How many messages, and the bytes of each."""


class Exchanged(NamedTuple):
    """What rounds take, in both directions."""

    messages: NDArray[np.int64]
    lost: NDArray[np.int64]  # those of them that did not arrive
    bytes: NDArray[np.int64]


def exchanged(plan: Plan, people: Numbers, heard: Numbers, rows: Numbers, threshold: Numbers) -> Exchanged:
    """Rounds of groups of so many `people`, in which the masked vectors of `heard` of them arrive.

    The others have sent keys and shares, and their first masked vectors are lost. `rows` are announced. A
    round with fewer vectors than the threshold ends there.
    """
    people, heard, rows = (np.asarray(each, np.int64) for each in (people, heard, rows))
    ends = heard < threshold
    before, after = _total(_before(plan, people)), _total(_after(plan, people, heard, rows))
    return Exchanged(
        before[0] + np.where(ends, 0, after[0]),
        people - heard,
        before[1] + np.where(ends, 0, after[1]),
    )


def _total(sent: Sent) -> tuple[Numbers, Numbers]:
    return sum(count for count, _ in sent), sum(count * each for count, each in sent)


def _listed(count: Numbers, entry: np.dtype[Any]) -> Numbers:
    """The length of a list."""
    return 2 + count * entry.itemsize


def _vector(plan: Plan, length: Numbers) -> Numbers:
    """The length of a message with a masked vector."""
    return size(MASKED.size + length * plan.bits // 8, signed=True)


def _before(plan: Plan, people: Numbers) -> Sent:
    """Keys and shares go both ways, then everybody sends the first vector."""
    return [
        (people, size(keys_size(SUMS), signed=True)),
        (people, size(_listed(people, roster_entry(SUMS)), signed=False)),
        (people, size(_listed(people, shares_entry(SUMS)), signed=True)),
        (people, size(_listed(people - 1, inbox_entry(SUMS)), signed=False)),
        (people, _vector(plan, plan.first_length)),
    ]


def _after(plan: Plan, people: Numbers, heard: Numbers, rows: Numbers) -> Sent:
    """The first sum is unmasked, rows are announced, the second vector is sent, and its sum is unmasked."""
    announcement = ANNOUNCEMENT.size + 8 * (rows + plan.totals)
    return [
        *_unmasking(heard, people),
        (heard, size(announcement, signed=False)),
        (heard, _vector(plan, plan.second_length(rows))),
        *_unmasking(heard, heard),
    ]


def _unmasking(heard: Numbers, partners: Numbers) -> Sent:
    """Survivors, signatures, confirmations and shares; `partners` are those whose masks are in the sum."""
    return [
        (heard, size(1 + _listed(heard, WHO), signed=False)),
        (heard, size(1 + KEY, signed=True)),
        (heard, size(1 + _listed(heard, CONFIRMATION), signed=False)),
        (heard, size(1 + _listed(partners, UNMASKING), signed=True)),
    ]
