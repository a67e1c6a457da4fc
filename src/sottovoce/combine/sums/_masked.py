"""What a server sees of an aggregation with masked sums: every message masked for real, and both sums.

The state machines of `exchange.secure` are run from end to end. Their keys follow from the run's seed, so
that a run repeats; on a device they come from the operating system.

The record has a line for every person whose masked vectors arrive. Its rows are all items: everybody sends a
masked number about each. This number, with a sign, is the first one of the item's row, and the others are 0.
The head is the masked one as the server would read it without knowing of masks: with a sign, divided by 2^f.
Nothing tells how many instances there were, so `size` is 0. Arrays beside those of `simulate.observe`:

| array           | shape                | what it holds                                                  |
|-----------------|----------------------|----------------------------------------------------------------|
| `masked_counts` | [n, items + totals]  | each person's masked vector of counts and totals, as it came   |
| `masked_rows`   | [n, m · w + h]       | each person's masked vector of announced rows and of the head  |
| `sum_counts`    | [items]              | how many people changed each item's row                        |
| `sum_totals`    | [totals]             | sums of weights                                                |
| `sum_items`     | [m]                  | the items whose rows were announced                            |
| `sum_rows`      | [m, w]               | the sums of their rows                                         |
| `sum_head`      | [h]                  | the sum of the heads                                           |

Without enough people there are no sums, nobody sends rows, and all these but the first are empty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.contribution import Aggregated, Contribution, Plan
from sottovoce.exchange.secure.envelope import Kind, opened
from sottovoce.exchange.secure.group import group
from sottovoce.exchange.secure.messages import MASKED
from sottovoce.exchange.secure.primitives import Identity, digest, repeatable
from sottovoce.exchange.secure.server import Send
from sottovoce.exchange.secure.two_sums import TwoSumsClient, TwoSumsServer

Arrays = dict[str, Any]
FIRST_VECTOR = 2
"""The stage of a session at which somebody who is not heard drops out: after keys and shares."""


def masked(
    plan: Plan, rule: Any, threshold: int, least: int, records: list[Arrays], participants: int, run: int
) -> list[Arrays]:
    """The record of an aggregation of so many participants, those who are heard having sent `records`."""
    if participants < 2 or threshold < least or not records:
        return []
    lines = _joined(records)
    which = run, int(lines["observer"][0]), int(lines["clock"][0])
    seed = digest(b"sottovoce observed sum", *(n.to_bytes(8, "little", signed=True) for n in which))
    session = Session(plan, contributions(plan, rule, lines), participants, threshold, seed)
    session.run()
    return [_record(plan, lines, session, participants)]


def contributions(plan: Plan, rule: Any, lines: Arrays) -> list[Contribution]:
    """What each line of a record adds to the sums, as a person's device has it before it is masked."""
    found = []
    for n, instances in enumerate(lines["size"].tolist()):
        at = slice(lines["offset"][n], lines["offset"][n + 1])
        found.append(weighted(plan, rule, lines["ids"][at], lines["rows"][at], lines["head"][n], instances))
    return found


def weighted(
    plan: Plan, rule: Any, ids: NDArray[Any], rows: NDArray[Any], head: NDArray[Any], instances: int
) -> Contribution:
    """What one update adds to the sums, with the weights of an aggregation rule."""
    weight, heads = float(row_weight(rule, instances)), float(head_weight(rule, instances))
    order = np.argsort(ids) if weight > 0 else np.empty(0, np.int64)
    weights = [weight] * (rule.over == "participants") + [heads] * (plan.head > 0)
    parts = weight * rows[order].astype(np.float64), heads * head.astype(np.float64)
    return Contribution(ids[order].astype(np.int64), *parts, np.array(weights))


class Session:
    """A session of two sums, all of whose messages a server sees.

    The first people of the group offer these parts; those behind them drop out before their first vector.
    """

    def __init__(
        self, plan: Plan, parts: list[Contribution], participants: int, threshold: int, seed: bytes
    ) -> None:
        names = [Identity(digest(seed, n.to_bytes(4, "little"))) for n in range(participants)]
        everybody = group([one.public for one in names], seed[:16], threshold, sums=2)
        self.place = [everybody.number(one.public) for one in names]
        """The number in the group of each participant."""
        self.plan, self.server = plan, TwoSumsServer(plan, everybody)
        self.clients = {
            place: TwoSumsClient(plan, everybody, one, (), repeatable(seed + one.public))
            for place, one in zip(self.place, names, strict=True)
        }
        self.parts = dict(zip(self.place, parts, strict=False))
        self.vectors: list[dict[int, NDArray[Any]]] = []
        """The masked vectors of each sum, by the number of their sender."""
        self.result: Aggregated | None = None
        self.messages, self.lost, self.bytes = 0, 0, 0

    def run(self) -> None:
        """Exchange messages until there is a result, or no more to be had."""
        letters, stage = {place: client.start() for place, client in self.clients.items()}, 0
        while letters:
            events = []
            self._note(letters)
            for place, letter in letters.items():
                if stage == FIRST_VECTOR and place not in self.parts:
                    self.lost += 1
                else:
                    events += self.server.receive(letter)
            events = events or self.server.timeout()
            self.result = next((event for event in events if isinstance(event, Aggregated)), None)
            sent = [event for event in events if isinstance(event, Send)]
            self._count([event.data for event in sent])
            letters, stage = {event.to: self._answer(event) for event in sent}, stage + 1

    def _answer(self, letter: Send) -> bytes:
        client = self.clients[letter.to]
        answer = client.receive(letter.data)
        if client.state is State.READY and not client.session.number:
            plan = self.plan
            empty = np.zeros(0, np.int64), np.zeros((0, plan.width)), np.zeros(plan.head)
            lost = Contribution(*empty, np.zeros(plan.totals))
            return client.offer(self.parts.get(letter.to, lost))
        return answer

    def _count(self, letters: list[bytes]) -> None:
        self.messages += len(letters)
        self.bytes += sum(map(len, letters))

    def _note(self, letters: dict[int, bytes]) -> None:
        """Keep masked vectors, and count all messages."""
        self._count(list(letters.values()))
        found = {}
        for place, letter in letters.items():
            message = opened(letter)
            if message.kind is Kind.MASKED and place in self.parts:
                form = f"<u{self.server.plan.bits // 8}"
                found[place] = np.frombuffer(message.body, form, offset=MASKED.size)
        self.vectors += [found] if found else []


def _record(plan: Plan, lines: Arrays, session: Session, participants: int) -> Arrays:
    senders, found = session.place[: len(lines["sender"])], session.result
    first = np.array([session.vectors[0][place] for place in senders])
    count, _, head = plan.forms(participants)
    heads = np.zeros((len(senders), plan.head))
    if found is not None:
        second = np.array([session.vectors[1][place] for place in senders])
        heads = head.decode(second[:, len(found.items) * plan.width :])
    rows = np.zeros((len(senders) * plan.items, plan.width), np.float32)
    if plan.width:
        rows[:, 0] = count.integers(first[:, : plan.items]).ravel()
    seen = {
        "size": np.zeros(len(senders), np.int32),
        "offset": np.arange(len(senders) + 1, dtype=np.int64) * plan.items,
        "ids": np.tile(np.arange(plan.items, dtype=np.int32), len(senders)),
        "rows": rows,
        "age": np.zeros(len(rows), np.int32),
        "head": heads.astype(np.float32),
        "masked_counts": first,
    }
    names = "masked_rows", "sum_counts", "sum_totals", "sum_items", "sum_rows", "sum_head"
    if found is None:
        return lines | seen | {name: np.empty(0) for name in names}
    sums = second, found.counts, found.totals, found.items, found.rows, found.head
    return lines | seen | dict(zip(names, sums, strict=True))


def _joined(records: list[Arrays]) -> Arrays:
    """The lines of all records of one aggregation."""
    names = [name for name in records[0] if name != "offset"]
    lines = {name: np.concatenate([record[name] for record in records]) for name in names}
    lengths = np.concatenate([np.diff(record["offset"]) for record in records])
    return lines | {"offset": np.concatenate([[0], np.cumsum(lengths)])}
