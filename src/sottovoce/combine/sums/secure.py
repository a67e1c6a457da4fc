"""Masked sums: the server learns the sum of a group and nobody's update (Bonawitz et al. 2017).

Each aggregation is a session of `exchange.secure.two_sums`, which is MF-SecAvg (Algorithm 2, Perifanis and
Efraimidis 2022) with a guarantee for every row. People who have trained make up the group. They exchange
keys and shares, then send masked vectors: first how many people changed each row, and totals such as the
number of instances; then the rows of items with at least k + h − t contributors, and the head times its
weight. Here h people are in the first sum, and t is the threshold: k contributors are left even if everybody
drops out who may. A row that fewer people changed is not sent, and keeps its value. This is why the
threshold matters: in groups of 50 with k = 3, a row needs 19 contributors if a third may drop out, and 7 if a
tenth may. The higher threshold is also the safer one against people who collude with the server.

A simulation adds the integers that masks would hide. Masks cancel, so its sums are those of the protocol bit
by bit, and its bytes are the lengths of the real messages. A person whose upload fails has sent keys and
shares, and is missing from the sum. If fewer than t are heard, or the group is too small for k, there is
no sum, and the model stays as it is.

Every rule that is a weighted sum can be used: numbers are multiplied by the sender's weight before they are
masked. A rule that weighs each row by its change (`change`) cannot, because nobody but the sender sees it.

A masked vector has a number for every announced row, whoever sends it. Messages therefore grow with the
catalogue and not with what a person did; compression before masking would save nothing, and is refused.
Fewer bits do save: `bits = 16` halves messages, where numbers and groups are small enough for it.

A simulated person refuses a group that is too small. The guard against groups that differ from earlier ones
by few people (`exchange.secure.guards`) is not part of a run: it would soon refuse groups that are drawn anew
each time. In virtual time all messages of a participant count as one transfer, without the latency of each.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le, Lt

from sottovoce.combine.sums import _refusals
from sottovoce.combine.sums._integers import (
    AGGREGATIONS,
    FAILED,
    FEWEST,
    ROWS,
    WITHHELD,
    Integers,
    Sums,
    counted,
)
from sottovoce.combine.sums._integers import threshold as threshold_of
from sottovoce.combine.sums.interface import (
    Done,
    Task,
    check_task,
    compiled,
    remarks,
    server_sees,
    tally,
    traffic,
    upload,
)
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import MessageError, RecipeError
from sottovoce.exchange import codec
from sottovoce.plural import count
from sottovoce.privacy.guarantee import finest, summed_at_least
from sottovoce.registry import component
from sottovoce.state import Longs

if TYPE_CHECKING:
    from sottovoce.exchange.secure.contribution import Plan


@component("sum", "secure")
class Secure(NamedTuple):
    """A server learns the sum of a group and nobody's update."""

    bits: Literal[16, 32, 64] = 32
    """The sums are modulo 2 to this power. More bits have room for larger numbers and groups."""
    row_places: Annotated[int, Ge(0), Lt(64)] = 20
    """f, the binary places of a row's numbers."""
    head_places: Annotated[int, Ge(0), Lt(64)] = 12
    """The binary places of the head's, which are multiplied by the number of instances."""
    threshold: Annotated[float, Ge(0.5), Le(1)] = 0.9
    """More than this share of a group must stay to the end, or there is no sum. With a lower share more
    people may drop out, and for that reason rows need more contributors."""
    fewest: Annotated[int, Ge(1)] = 3
    """k: a row is summed only if this many contributors are left after all dropouts that may happen."""
    smallest: Annotated[int, Ge(0)] = 0
    """People refuse a sum that may be of fewer people than this; k people at least in any case."""

    @property
    def least(self) -> int:
        """The smallest threshold, in people."""
        return max(2, self.fewest, self.smallest)


def totals(task: Task) -> int:
    """How many totals are summed beside the counts: weights of rows, and of the head, if they are needed."""
    return int(task.rule.over == "participants") + int(task.head > 0)


def plan(sum: Secure, task: Task) -> "Plan":
    """What the people of a session agree on."""
    from sottovoce.exchange.secure.contribution import Plan

    shape = task.items, task.row, task.head, totals(task)
    return Plan(*shape, sum.fewest, sum.bits, sum.row_places, sum.head_places)


def threshold(sum: Secure, people: int) -> int:
    """t, in a group of so many people."""
    found: int = threshold_of(compiled(sum, None), people)
    return found


@compiled.rule(Secure)
def _compiled(sum: Secure, task: Task) -> Integers:
    most = 2 ** (sum.bits - 1) - 1
    return Integers(
        row_scale=2.0**sum.row_places,
        head_scale=2.0**sum.head_places,
        row_most=most,
        head_most=most,
        weight_most=most,
        model_most=0,
        shared=True,
        share=sum.threshold,
        least=sum.least,
        k=sum.fewest,
    )


@check_task.rule(Secure)
def _check_task(sum: Secure, task: Task) -> None:
    from sottovoce.exchange.secure.fixed_point import fixed_point
    from sottovoce.exchange.secure.group import LARGEST

    _refusals.refuse(task, "secure", "a masked vector has a number for every row that may be sent")
    if task.rule.over == "contributors" and not _refusals.alike(task.rule):
        raise RecipeError(
            "Secure sums count who changed a row, and this aggregation weighs them.",
            'Choose another rule, such as protocol.aggregate = "mf-fedavg".',
        )
    if not task.group:
        return
    if task.group > LARGEST:
        raise RecipeError(
            f"An aggregation may have {task.group:,} participants, and secure sums {LARGEST:,}: everybody "
            "agrees on keys with everybody else.",
            "Set protocol.participants, for example to 50.",
        )
    if threshold(sum, task.group) < sum.least or task.group < 2:
        raise RecipeError(
            f"A group of {count(task.group, 'person')} is too small for secure sums: "
            f"{count(threshold(sum, task.group), 'person')} may be left in the end, and {sum.least} are "
            "wanted.",
            "Let more people take part (protocol.participants), raise protocol.sum.threshold, or lower "
            "protocol.sum.fewest.",
        )
    try:
        for places in (0, sum.row_places, sum.head_places):
            fixed_point(sum.bits, places, task.group)
    except MessageError as error:
        raise RecipeError(f"protocol.sum: {error.problem}", error.remedy) from None


@summed_at_least.rule(Secure)
def _summed_at_least(sum: Secure, group: int) -> int:
    # The threshold shrinks with the group that is really there, and nobody goes below `least`.
    return min(sum.least, threshold(sum, group))


@finest.rule(Secure)
def _finest(sum: Secure) -> int:
    return min(sum.row_places, sum.head_places)


@traffic.rule(Secure)
def _traffic(sum: Secure, sums: Sums, task: Task, done: Done) -> tuple[int, int, int]:
    """Whole models down, then the messages of each session."""
    from sottovoce.exchange.secure.sizes import exchanged

    people, heard = done.participants, done.heard
    least = np.minimum(people, (sum.threshold * people).astype(np.int64) + 1)  # as in `threshold`
    begun = (least >= sum.least) & (people >= 2)  # nobody takes part in a group that is too small
    found = exchanged(plan(sum, task), people, heard, done.rows, least)
    messages, lost, sent = (int(each[begun].sum()) for each in found)
    down = done.asked * codec.size(task.items, task.row, task.head, False)
    arrived = int(people.sum()) + done.dropped + messages - lost
    return done.asked + messages, arrived, down + sent


@upload.rule(Secure)
def _upload(sum: Secure, task: Task) -> float:
    """All that one participant of a full group sends and receives after the model, with every row in it."""
    from sottovoce.exchange.secure.sizes import exchanged

    found = exchanged(plan(sum, task), task.group, task.group, task.items, 0)
    model = codec.size(task.items, task.row, task.head, False)
    return float(found.bytes) / max(task.group, 1) / model


@server_sees.rule(Secure)
def _server_sees(
    sum: Secure, task: Task, records: list[dict[str, Any]], participants: int, run: int
) -> list[dict[str, Any]]:
    from sottovoce.combine.sums._masked import masked

    return masked(
        plan(sum, task), task.rule, threshold(sum, participants), sum.least, records, participants, run
    )


tally.rule(Secure)(counted)


@remarks.rule(Secure)
def _remarks(sum: Secure, tally: Longs) -> Sequence[str]:
    found = []
    if tally[FAILED]:
        found.append(
            f"{tally[FAILED]:,} of {count(int(tally[AGGREGATIONS]), 'aggregation')} had no sum, because "
            "too few people took part or stayed to the end; the model stayed as it was."
        )
    changed = int(tally[ROWS] + tally[WITHHELD])
    if changed:
        share = 100 * tally[WITHHELD] / changed
        found.append(
            f"Of the rows that somebody changed in an aggregation, {share:.1f} % were not sent, because too "
            f"few people changed them. A row that was sent has at least "
            f"{count(int(tally[FEWEST]), 'contributor')}."
        )
    return found


@discloses.rule(Secure)
def _discloses(component: Secure) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            f"how many people of a group changed each row, the sums of their changes for rows that enough "
            f"of them changed ({component.fewest} even after all dropouts), and of their instances",
            "the server",
            "The group as a whole. A single update is masked, and looks like noise. Counts tell what nobody "
            "in the group has, and what everybody has.",
        ),
        Disclosure(
            "keys, and encrypted shares of secrets that remove masks",
            "the others of a group",
            "Nothing, unless as many as the threshold collude with the server; against a server that lies, "
            "fewer suffice (exchange.secure.group).",
        ),
    )
