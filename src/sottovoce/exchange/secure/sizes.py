"""How many bytes a round of two sums exchanges, without exchanging any.

The figures are the lengths of the messages of `messages`, whose form depends on numbers of people and of
rows alone. All arguments may be arrays, with a place for each round.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure.contribution import Encoding, Numbers
from sottovoce.exchange.secure.envelope import size
from sottovoce.exchange.secure.messages import (
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
Sent = list[tuple[Numbers, Numbers]]
"""How many messages, and the bytes of each."""


class Exchanged(NamedTuple):
    """What rounds take, in both directions."""

    messages: NDArray[np.int64]
    lost: NDArray[np.int64]  # those of them that did not arrive
    bytes: NDArray[np.int64]


def exchanged(
    plan: Encoding[Any],
    people: Numbers,
    heard: Numbers,
    rows: Numbers,
    threshold: Numbers,
    second: Numbers | None = None,
    tells: bool = False,
) -> Exchanged:
    """Rounds of groups of so many `people`, in which the first masked vectors of `heard` of them arrive.

    The others have sent keys and shares, and their first masked vectors are lost. `rows` are announced. The
    second vectors of `second` people arrive, by default of all who are heard. A round with fewer vectors
    than the threshold ends there. Sums go to everybody who stays if whoever adds `tells` them.
    """
    people, heard, rows = (np.asarray(each, np.int64) for each in (people, heard, rows))
    stay = heard if second is None else np.asarray(second, np.int64)
    goes_on = heard >= threshold
    ends = [
        _before(plan, people),
        _between(plan, people, heard, rows),
        _after(plan, heard, stay, rows, tells),
    ]
    when = True, goes_on, goes_on & (stay >= threshold)
    sent = [
        [np.where(there, each, 0) for each in _total(part)] for part, there in zip(ends, when, strict=True)
    ]
    lost = people - heard + np.where(goes_on, heard - stay, 0)
    messages, length = np.sum(sent, axis=0)
    return Exchanged(messages, lost, length)


def _total(sent: Sent) -> tuple[Numbers, Numbers]:
    return sum(count for count, _ in sent), sum(count * each for count, each in sent)


def _listed(count: Numbers, entry: np.dtype[Any]) -> Numbers:
    """The length of a list."""
    return 2 + count * entry.itemsize


def _vector(plan: Encoding[Any], length: Numbers) -> Numbers:
    """The length of a message with a masked vector."""
    return size(MASKED.size + length * plan.bits // 8, signed=True)


def _before(plan: Encoding[Any], people: Numbers) -> Sent:
    """Keys and shares go both ways, then everybody sends the first vector."""
    return [
        (people, size(keys_size(SUMS), signed=True)),
        (people, size(_listed(people, roster_entry(SUMS)), signed=False)),
        (people, size(_listed(people, shares_entry(SUMS)), signed=True)),
        (people, size(_listed(people - 1, inbox_entry(SUMS)), signed=False)),
        (people, _vector(plan, plan.first_length)),
    ]


def _between(plan: Encoding[Any], people: Numbers, heard: Numbers, rows: Numbers) -> Sent:
    """The first sum is unmasked, rows are announced, and the second vector is sent."""
    return [
        *_unmasking(heard, people),
        (heard, size(plan.announcement_size(rows), signed=False)),
        (heard, _vector(plan, plan.second_length(rows))),
    ]


def _after(plan: Encoding[Any], heard: Numbers, stay: Numbers, rows: Numbers, tells: bool) -> Sent:
    """The second sum is unmasked, and told to everybody."""
    sums = plan.second_length(rows) * plan.bits // 8
    return [*_unmasking(stay, heard), (stay * tells, size(sums, signed=False))]


def _unmasking(heard: Numbers, partners: Numbers) -> Sent:
    """Survivors, signatures, confirmations and shares; `partners` are those whose masks are in the sum."""
    return [
        (heard, size(1 + _listed(heard, WHO), signed=False)),
        (heard, size(1 + KEY, signed=True)),
        (heard, size(1 + _listed(heard, CONFIRMATION), signed=False)),
        (heard, size(1 + _listed(partners, UNMASKING), signed=True)),
    ]
