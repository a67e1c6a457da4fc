"""What makes a message smaller. One file per way; a recipe names them as a chain, in any order.

    compress = [{ name = "subsample", share = 0.1 }, { name = "quantize", bits = 8 }, "delta"]

A link of the chain is a `NamedTuple` registered with `@component("compression", name)`. It says what
it does in the terms of `Chain`, whose order is fixed: choose rows, subtract what the receiver
knows, round. `exchange.pack` carries all of it out.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sottovoce.disclosure import NOTHING, Disclosure, discloses
from sottovoce.kernels import helper, operation


class Whole(NamedTuple):
    """Nothing is done to a message: whole models travel."""

    share: float = 1.0
    bits: int = 32
    delta: bool = False


class Chain(NamedTuple):
    """All that is done to a message."""

    share: float = 1.0  # of the rows that is sent
    bits: int = 32  # for each number of a row
    delta: bool = False  # whether the difference to the common start is what is sent


@discloses.rule(Chain)
def _discloses(component: Chain) -> tuple[Disclosure, ...]:
    share, bits = 100 * component.share, component.bits
    sentences = []
    if share < 100:
        sentences.append(
            f"A message holds at most {share:g} % of the rows; what one leaves out may be in the next. Among "
            "peers one's own items come first, so the choice of rows tells what was rated."
        )
    if bits < 32:
        sentences.append(f"Numbers are rounded to {bits} bits, which hides little.")
    if component.delta:
        sentences.append("Rows are sent as differences to the common start, from which they follow.")
    return (Disclosure(NOTHING, "nobody", " ".join(sentences)),)


@operation
def link(compression: Any, chain: Chain) -> Chain:
    """The chain with this link added. Python only."""


def chain(compressions: Iterable[Any]) -> Chain | Whole:
    """The chain that these links make."""
    made = Chain()
    for compression in compressions:
        made = link(compression, made)
    return Whole() if made == Chain() else made


@helper
def rows(chain: Chain | Whole, items: int) -> int:
    """How many rows a message holds."""
    return items if chain.share >= 1 else max(1, int(chain.share * items))
