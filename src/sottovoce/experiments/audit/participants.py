"""What participants of a federation know of each other: the server's model, round after round.

Two models of the server differ by the sum of all that was aggregated between them. A participant knows who
took part in between (in some systems; here always, which is the worst case), and what it sent itself.

| view                  | who                                 | what it knows                                |
|-----------------------|-------------------------------------|----------------------------------------------|
| `participant`         | one participant                     | differences of the models that it received   |
| `participants`        | all observing participants together | differences of models that any of them got   |
| `decrypting`          | one participant who decrypts sums   | the sum of the aggregation before its own    |
| `decrypting together` | all of them who observe             | the sums that any of them decrypted          |
| `sums`                | a server under masks                | how many changed each row, and sums of rows  |
| `group`               | a member of a masked group of peers | the same of its group                        |

If a single aggregation lies between two models, the observers subtract their own updates: a row that moved
exactly along these was changed by nobody else. Of what is left they assume that one other person contributed,
which is exact if only one other person took part. The rest is ascribed to everyone who took part.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.evaluate.audit.changes import Changes
from sottovoce.experiments.audit.records import Records, Sum
from sottovoce.experiments.audit.views import View
from sottovoce.state import Bools, Doubles, Floats, Longs

ROWS = 2**19
"""Changed rows that are looked at in all; if there are more, some people are attacked, evenly chosen."""
LITTLE = np.finfo(np.float32).tiny
"""The change of a row that is known to have changed, when nothing more is known."""
PARALLEL = 1e-4
"""How far two rows may point apart, as 1 − cos², and still count as parallel."""


class Step(NamedTuple):
    """What one group of observers saw of an aggregation, or between two of the server's models."""

    key: int  # the observer, or 0 for all of them
    time: int  # the observed round in which the later model arrived
    rows: Floats  # [items, w], by how much each row changed
    head: Floats  # [h]
    others: Longs  # who else took part in between


def views(seen: Records, sent: Records | None, rule: Any, items: int, held: Longs) -> list[View]:
    """What participants know; `sent` is who took part and what they sent, `held` [people] how many items
    people have."""
    models = seen.among(~seen.update & (seen.sender < 0) & (seen.observer >= 0))
    if sent is None or not len(models.round):
        return []
    observers, found = np.unique(models.observer), []
    rounds, heads = np.unique(seen.round), models.head.shape[1]
    alone = [step for who in observers for step in _steps(models, sent, rule, int(who), rounds, items)]
    found.append(ascribed("participant", alone, heads, held[observers], len(rounds)))
    if len(observers) > 1:
        together = _steps(models, sent, rule, None, rounds, items)
        found.append(ascribed("participants", together, heads, held[observers], len(rounds)))
    return [view for view in found if len(view.person)]


def of_sums(sums: list[Sum], items: int, held: Longs) -> View:
    """What a server, or a member of a group, knows that sees sums alone: how many people changed each row,
    and sums of rows.

    Of a row that is not summed because too few people changed it, it knows that somebody did. Members of
    different groups do not talk to each other.
    """
    name = "sums" if sums[0].observer < 0 else "group"
    rounds, steps = np.unique([one.round for one in sums]), []
    for one in sums:
        rows = np.zeros((items, one.rows.shape[1]), np.float32)
        rows[one.counts > 0] = LITTLE
        rows[one.items] = one.rows
        time = int(np.searchsorted(rounds, one.round))
        steps.append(Step(max(0, one.observer), time, rows, one.head, one.senders))
    return ascribed(name, steps, len(sums[0].head), held, len(rounds))


def decrypted(sums: list[Sum], sent: Records, rule: Any, items: int, held: Longs) -> list[View]:
    """What participants know who decrypt the sum of the aggregation before theirs, however few people changed
    a row. They subtract what they sent themselves, which leaves the rest exactly."""
    if not sums:
        return []
    rounds, observers = np.unique([one.round for one in sums]), np.unique([one.observer for one in sums])
    found: list[View] = []
    for name, groups in (("decrypting", [[who] for who in observers]), ("decrypting together", [observers])):
        steps: list[Step] = []
        for us in groups:
            first: dict[int, Sum] = {}  # without a new sum, the same one is decrypted again
            for one in sums:
                if one.observer in us:
                    first.setdefault(one.clock, one)
            steps += [_others_part(one, sent, rule, items, us, rounds) for one in first.values()]
        if name == "decrypting" or len(observers) > 1:
            found.append(ascribed(name, steps, len(sums[0].head), held, len(rounds)))
    return [view for view in found if len(view.person)]


def _others_part(one: Sum, sent: Records, rule: Any, items: int, us: Any, rounds: Longs) -> Step:
    """A sum without what its observers `us` sent; the head is the mean over all instances of the others."""
    from sottovoce.combine.aggregate.interface import head_weight, row_weight

    own = sent.among((sent.clock == one.clock) & np.isin(sent.sender, us))
    share, heads = (
        np.array([weight(rule, size) for size in own.size.tolist()], np.float64)
        for weight in (row_weight, head_weight)
    )
    rows, counts = np.zeros((items, one.rows.shape[1])), one.counts - np.bincount(own.ids, minlength=items)
    rows[one.items] = one.rows
    np.subtract.at(rows, own.ids, share[own.message, None] * own.rows)
    rows[counts > 0] += LITTLE  # somebody changed it, though changes may cancel
    rows[counts == 0] = 0
    head = (one.head - heads @ own.head) / max(1.0, one.instances - heads.sum())
    key = int(us[0]) if len(us) == 1 else 0
    others, time = np.setdiff1d(one.senders, us), int(np.searchsorted(rounds, one.round))
    return Step(key, time, rows.astype(np.float32), head.astype(np.float32), others)


def _steps(
    models: Records, sent: Records, rule: Any, who: int | None, rounds: Longs, items: int
) -> list[Step]:
    """The differences of consecutive models that `who` received, or all observers (None)."""
    mine = models if who is None else models.among(models.observer == who)
    key, us = (0, np.unique(models.observer)) if who is None else (who, np.array([who]))
    clocks, first = np.unique(mine.clock, return_index=True)
    steps = []
    for n in range(len(clocks) - 1):
        a, b = (mine.message == first[n + m] for m in (0, 1))
        if a.sum() != items or b.sum() != items:  # a model that arrived in part
            continue
        moved = np.empty((items, models.rows.shape[1]), np.float32)
        moved[mine.ids[b]] = mine.rows[b]
        moved[mine.ids[a]] -= mine.rows[a]
        head = mine.head[first[n + 1]] - mine.head[first[n]]
        between = (sent.clock >= clocks[n]) & (sent.clock < clocks[n + 1])
        others = np.setdiff1d(sent.sender[between], us)
        if clocks[n + 1] == clocks[n] + 1:
            own = sent.among(between & np.isin(sent.sender, us))
            moved = _less(moved, own, rule, len(others), items)
        time = int(np.searchsorted(rounds, mine.round[first[n + 1]]))
        steps.append(Step(key, time, moved, head, others))
    return steps


def _less(moved: Floats, own: Records, rule: Any, others: int, items: int) -> Floats:
    """What others added, if the server's rows `moved` [items, w] and this is what the observers sent."""
    from sottovoce.combine.aggregate.interface import divisor, row_weight, stride

    if not len(own.round):
        return moved
    weight = np.array([row_weight(rule, size) for size in own.size.tolist()], np.float64)
    share = weight[own.message]
    columns = [np.bincount(own.ids, share * column, items) for column in own.rows.T]
    known = np.stack(columns, axis=1).astype(np.float64)
    contributed = np.bincount(own.ids, share, items)
    typical = weight.mean()
    by = divisor(rule, contributed + typical, weight.sum() + others * typical)
    rest = moved.astype(np.float64) * np.broadcast_to(by, items)[:, None] / stride(rule) - known
    rest[_parallel(moved.astype(np.float64), known)] = 0
    rest[~moved.any(axis=1)] = 0
    return np.asarray(rest, np.float32)


def _parallel(one: Doubles, other: Doubles) -> Bools:
    """[n]: whether rows point the same way."""
    product = (one * other).sum(axis=1)
    lengths = (one**2).sum(axis=1) * (other**2).sum(axis=1)
    return np.asarray((product > 0) & (lengths - product**2 <= PARALLEL * lengths))


def ascribed(name: str, steps: list[Step], heads: int, held: Longs, rounds: int) -> View:
    """All that is ascribed to people who took part, a target for each observer and person."""
    people = int(max((step.others.max(initial=0) for step in steps), default=0)) + 1
    pairs = [step.key * people + step.others for step in steps]
    every = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    changed = [np.flatnonzero(step.rows.any(axis=1)) for step in steps]
    total = sum(len(pair) * len(rows) for pair, rows in zip(pairs, changed, strict=True))
    if total > ROWS:
        every = every[np.linspace(0, len(every) - 1, max(1, len(every) * ROWS // total)).astype(np.int64)]
    columns: list[list[Any]] = [[], [], [], [], [], []]
    head = np.zeros((len(every), heads), np.float32)
    for number, (step, pair, rows) in enumerate(zip(steps, pairs, changed, strict=True)):
        target = np.flatnonzero(np.isin(every, pair))
        count = len(target) * len(rows)
        head[target] += step.head
        parts = (
            np.repeat(target, len(rows)),
            np.full(count, step.time),
            np.repeat(number * len(every) + target, len(rows)),
            np.tile(rows, len(target)),
            np.tile(step.rows[rows], (len(target), 1)),
            np.ones(count, np.int64),
        )
        for column, part in zip(columns, parts, strict=True):
            column.append(part)
    if not sum(map(len, columns[0])):
        every, none = every[:0], np.empty(0, np.int64)
        nothing = Changes(none, none, none, none, np.empty((0, 1), np.float32), none)
        return View(name, every, every, nothing, False, rounds)
    changes = Changes._make(np.concatenate(column) for column in columns)
    size = np.full(len(every), max(1, round(float(held.mean()))))
    return View(name, every % people, size, changes, False, rounds, head=head)
