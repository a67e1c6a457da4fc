"""A node: train, emit, absorb, send updates, recommend."""

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.interface import judges
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import CODES, LARGEST_WEIGHT, UPDATE, Message, emit, received
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import ROUNDING, stream
from sottovoce.models.interface import uses_place
from sottovoce.models.statistics import solve_vectors
from sottovoce.node import drivers, file
from sottovoce.node.community import Community, Key
from sottovoce.node.history import History, interactions, joined, new_person, without
from sottovoce.node.remembered import guards_of, packed
from sottovoce.protocols.contribution import sum_shape
from sottovoce.protocols.disclose import own_models
from sottovoce.protocols.group_sums import complete
from sottovoce.protocols.interface import NOBODY
from sottovoce.state import Tables, gathered, new_receivers, slots_of, whole, zeros

if TYPE_CHECKING:
    from sottovoce.exchange.secure.contribution import Contribution, Plan
    from sottovoce.exchange.secure.group import Group
    from sottovoce.exchange.secure.guards import Guard
    from sottovoce.exchange.secure.primitives import Identity
    from sottovoce.node.group import GroupUpdate
    from sottovoce.node.secure import SecureUpdate
    from sottovoce.protocols.push_sum import Numerators

CANDIDATES = 100
"""Items that each weighting item is ranked among."""


class Recommended(NamedTuple):
    """An item that a node recommends."""

    item: str
    score: float


PUBLIC = {"rows", "head"}
"""The arrays of a node that others see in its messages."""


def _diverged(name: str, array: NDArray[Any]) -> bool:
    """Whether an array of a node holds what is not finite, or weights that no message may have."""
    if array.dtype.kind != "f":
        return False
    if name == "optimizer":  # sums of squares, not weights
        return not np.isfinite(array).all()
    return not max(array.max(initial=0.0), -array.min(initial=0.0)) <= LARGEST_WEIGHT


class Node:
    """One person on one device."""

    def __init__(
        self,
        community: Community,
        history: History = (),
        key: bytes | Key | None = None,
        *,
        weighting: History = (),
        candidates: int | None = None,
    ) -> None:
        """A node with a person's history: items, or items with ratings and times (`Met`), the latest last.

        Without a `key` one is drawn; `save` keeps it. The items in `weighting` are not trained on: the
        merge rule `performance` judges models by how well they rank them among `candidates` random items (by
        default 100, or as many as there are).
        """
        candidates = min(CANDIDATES, len(community.items)) if candidates is None else candidates
        if not 0 <= candidates <= len(community.items):
            raise DataError(
                f"{candidates} candidates cannot be drawn from {len(community.items)} items.",
                "Give a number from 0 to the size of the catalogue.",
            )
        self.community, self.candidates = community, candidates
        self.key = key if isinstance(key, Key) else Key.of(secrets.token_bytes(32) if key is None else key)
        self._weighting = interactions(community, weighting)
        self._train = without(interactions(community, history), self._weighting.item)
        self._people = self._new_person()
        self._receivers = new_receivers(1, relayed=np.zeros(1, np.bool_))
        self._tables = community.started(self._people)
        self._weigh()
        row, head, items = self._width, community.shape.head, len(community.items)
        self._private = zeros(int(bool(community.steps)), items, row, head)
        delta = community.chain.delta
        self._reference = community.started(self._people) if delta else whole(0, 0, row, 0)
        self.sent = self.received = 0
        self.guards: tuple[Guard, ...] = guards_of(community)
        """What remembers whom this node was summed with, for each of the two sums of a masked round."""

    @property
    def _width(self) -> int:
        return int(self.community.shape.row)

    def _new_person(self) -> Any:
        return new_person(self.community, self.key, self._train, self._weighting, self.candidates)

    def _weigh(self) -> None:
        """The model notes how much data it is trained by, unless that must stay private."""
        self._tables.size[0] = 0 if self.community.promise else len(self._train)

    @property
    def budget_left(self) -> int | None:
        """How many more disclosures the budget of differential privacy allows; None without one."""
        promise = self.community.promise
        return None if promise is None else max(0, promise.disclosures - int(self._people.disclosed[0]))

    @property
    def epsilon(self) -> float | None:
        """ε of all that this node has disclosed so far, at the δ of its step; None without such a step."""
        promise = self.community.promise
        return None if promise is None else promise.spent(int(self._people.disclosed[0]))

    def learn(self, history: History) -> None:
        """Add what the person met since; the next training learns from it.

        If the model is solved from sums, the person's vector is solved anew for the next recommendations.
        An item that was met before counts with its new rating, except where a model looks at every visit.
        """
        met, train = interactions(self.community, history), self._train
        known = train if uses_place(self.community.model) else without(train, met.item)
        self._train = joined(self.community, known, met)
        self._weighting = without(self._weighting, met.item)
        before = self._people
        self._people = self._new_person()._replace(
            user=before.user, steps=before.steps, optimizer=before.optimizer, disclosed=before.disclosed
        )
        self._weigh()

    def _meet(self, incoming: Tables, origin: int, relay: bool = False) -> None:
        self._refuse_alone()
        self._receivers.relayed[0] = relay
        models = self._tables, self._private, incoming, origin
        with self._unharmed():
            drivers.meet(*self.community.learning(), *models, self._people, self._receivers, self.key.run)

    def _refuse_alone(self) -> None:
        if self.community.in_sums_alone:
            raise RunError(
                "This node has a share of the noise, which hides it in masked sums alone.",
                "Take part in them with secure_update, or give the community the step 'gaussian'.",
            )

    @contextlib.contextmanager
    def _unharmed(self, quiet: bool = False) -> Iterator[None]:
        """If this block fails, or leaves numbers that have diverged, everything is put back as it was.

        Numbers can be valid and yet do harm. Where a step promises differential privacy, or the node must
        answer whatever its data are (`quiet`), what is private is put back alone, and nobody learns of it.
        """
        held = self._state()
        before = {name: array.copy() for name, array in held.items()}
        try:
            yield
            broken = {name for name, array in held.items() if _diverged(name, array)}
            if quiet or (self.community.promise is not None and broken.isdisjoint(PUBLIC)):
                # A refusal would tell others what the person has: the answer stays, with its noise.
                for name in broken:
                    held[name][...] = before[name]
            elif broken:
                raise MessageError(
                    "What was received makes this node's model diverge, and was not learnt from.",
                    "The sender's numbers may be too large.",
                )
        except BaseException:
            for name, array in before.items():
                held[name][...] = array
            self.sent, self.received = before["counters"].tolist()
            raise

    def train(self) -> None:
        """Train once on one's own data; of a model that is solved from sums, solve the person's vector."""
        if self.community.solved:
            self._solve()
        else:
            self._meet(self._tables, NOBODY)

    def _solve(self) -> None:
        """Solve the person's vector for the newest table and history, if the model is solved from sums."""
        parts = self.community.model, self._tables, self._people, slots_of(self._people)
        solve_vectors(*parts, self.key.run)

    def emit(self, relay: bool = False) -> bytes:
        """A message for a peer. `relay` asks receivers to pass it on as it is, neither merged nor trained."""
        self._refuse_alone()
        if self.community.steps and self.community.chain.share < 1:
            raise RunError(
                "'subsample' sends one's own items first, and so undoes what steps withhold.",
                "Leave 'subsample' out of the community's compressions; updates to a server may have both.",
            )
        number, self.sent = self.sent, self.sent + 1
        parts = self.community.chain, self._people, self._reference, self.key.run, number
        message = emit(self._tables, 0, *parts)
        return codec.encode(message._replace(relay=relay, **self._stamp(number)))

    def _stamp(self, number: int) -> dict[str, Any]:
        expect = self.community.expect
        stamp = {"sender": self.key.name, "number": number}
        return stamp | {"catalogue": expect.catalogue, "settings": expect.settings}

    def absorb(self, data: bytes) -> None:
        """Merge a peer's message into the node's model, then train.

        If its sender asks for that, the message replaces the model instead, and nobody trains. A model that
        is solved from sums is replaced by one of a later sweep, and stays otherwise. Bytes that are no
        message of this community are refused, and change nothing.
        """
        message = codec.decode(data, self.community.expect)
        if message.delta != self.community.chain.delta:
            raise MessageError("The message is compressed in another way than this community's.")
        if message.gathered and (judges(self.community.merge) or self.community.solved):
            raise MessageError(
                "The message holds some rows only, and this community takes whole models.", "Send it whole."
            )
        incoming = received(message, self._reference)
        if not self.community.solved:
            self._meet(incoming, 1, message.relay)
        elif message.clock > self._tables.clock[0]:
            with self._unharmed():
                self._meet(incoming, 1, relay=True)  # it is taken as it is: there is nothing to train
                self._solve()
        self.received += 1

    def local_update(self, data: bytes) -> bytes:
        """Train on a server's model, which is not kept, and return what that changed, as an update."""
        if self.community.masked or self.community.consensus:
            raise RunError(
                "This community sums updates under masks, and local_update would show this one.",
                "Take part in masked sums with secure_update, or group_update.",
            )
        with self._unharmed():
            return codec.encode(self._update_message(*self._trained(data)))

    def secure_update(
        self, data: bytes, group: "Group", identity: "Identity", guards: "Sequence[Guard] | None" = None
    ) -> "SecureUpdate":
        """Take part in a masked sum with what training a server's model changes, as a participant of `group`.

        Training happens when the group has agreed on keys. `guards` remember whom this node was summed with,
        and refuse groups that would tell it apart; by default they are the node's own.
        """
        from sottovoce.node.secure import SecureUpdate

        return SecureUpdate(self, data, group, identity, self.guards if guards is None else guards)

    def contribution(self, data: bytes, plan: "Plan") -> "Contribution":
        """Train on a server's model, and return what that adds to masked sums, without masks.

        Training may diverge on a hostile model. The contribution then holds numbers that are too large or not
        finite, which `Plan.fitted` makes fit: a node that stayed silent would show which items it has.
        """
        from sottovoce.combine.sums._masked import weighted

        with self._unharmed(quiet=True):
            updates, _ = self._trained(data)
            count, rule = int(updates.offset[1]), self.community.aggregate
            ids, rows = updates.ids[:count], updates.rows[:count]
            return weighted(plan, rule, ids, rows, updates.head[0], int(updates.size[0]))

    def group_update(
        self, group: "Group", identity: "Identity", guards: "Sequence[Guard] | None" = None
    ) -> "GroupUpdate":
        """Take part in the sum of a `group` of `consensus`, with what this node adds to the next model.

        `guards` are those of `secure_update`.
        """
        from sottovoce.node.group import GroupUpdate

        return GroupUpdate(self, group, identity, self.guards if guards is None else guards)

    def statistics(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What this node contributes to sums among peers, without masks: items, rows and head."""
        community, items = self.community, len(self.community.items)
        self._refuse_spent()
        row, head = sum_shape(community.model, community.shape)
        updates = gathered([items, 0], self._width, community.shape.head, items)
        rows, whole_head = np.zeros((items, row), np.float32), np.zeros(head, np.float32)
        steps = sequence(community.steps_on_device())
        parts = community.model, community.aggregate, self._tables, steps, updates
        with self._unharmed(quiet=True):
            drivers.contribute(*parts, self._people, self.key.run, rows, whole_head)
        count = int(updates.offset[1])
        return updates.ids[:count], rows[:count], whole_head

    def move(self, sums: "Numerators") -> None:
        """Move the model by sums over people, of which this node has a part: `GroupUpdate.sums`."""
        community, rows = self.community, sums.rows.copy()
        complete(rows, batch=len(community.items))
        with self._unharmed():
            drivers.move_by(community.model, community.aggregate, self._tables, rows, sums.head, self.key.run)

    def _refuse_spent(self) -> None:
        if self.budget_left == 0:
            raise RunError(
                f"This person's budget is spent: {self._people.disclosed[0]} updates were disclosed.",
                "The node can still learn from models that it receives.",
            )

    def _trained(self, data: bytes) -> tuple[Tables, int]:
        """What training on a server's model changed, once the steps have seen it, and the model's version."""
        community = self.community
        message = codec.decode(data, community.expect)
        if message.gathered and len(message.rows):
            raise MessageError("A server's model must have a row for every item.", "Send it whole.")
        items, head = len(community.items), community.shape.head
        updates = gathered([items, 0], self._width, head, items)
        self._refuse_spent()
        # `_update_message` rounds
        steps = sequence([*community.steps_on_device(), community.chain._replace(bits=32)])
        run, version = self.key.run, message.clock
        drivers.change(community.model, received(message), steps, updates, self._people, run, version)
        return updates, version

    def _update_message(self, updates: Tables, version: int) -> Message:
        """An update as a message: rows in the order of items, as codes if the chain says so."""
        bits, count = self.community.chain.bits, int(updates.offset[1])
        scale = np.zeros((2, (self._width + 1) * (bits < 32)), np.float32)
        if bits < 32:
            drivers.encode(updates, bits, stream(self.key.run, ROUNDING, self.key.person, version), scale)
        order = np.argsort(updates.ids[:count])
        rows, head = (a.astype(CODES[bits]) for a in (updates.rows[:count][order], updates.head[0]))
        number, self.sent = self.sent, self.sent + 1
        return Message(
            rows=rows,
            age=np.empty(0, np.int32),
            ids=updates.ids[:count][order],
            head=head,
            clock=version,
            size=int(updates.size[0]),
            scale=scale,
            kind=UPDATE,
            **self._stamp(number),
        )

    def recommend(self, n: int = 10, here: str | None = None, seconds: int = 0) -> list[Recommended]:
        """The best items that are not in the history, best first.

        A model that looks at where people are takes the last item of the history for the place, unless
        `here` names another one, left `seconds` ago.
        """
        if n < 1:
            raise RunError(f"{n} recommendations were asked for.", "Ask for at least one.")
        catalogue, people = self.community.items, self._people
        if here is not None:
            if here not in self.community.number:
                raise DataError(f"{here!r} is not in the community's catalogue.", "Name an item that is.")
            people = people._replace(
                here=np.array([self.community.number[here]], np.int32), away=np.array([seconds], np.int32)
            )
        items = np.full(min(n, len(catalogue)), -1, np.int32)
        best, scores = np.full(len(items), np.nan, np.float32), np.empty(len(catalogue), np.float32)
        drivers.find_best(self.community.model, self._own(), people, scores, items, best)
        found = zip(items.tolist(), best.tolist(), strict=True)
        return [Recommended(catalogue[item], score) for item, score in found if item >= 0]

    def _own(self) -> Tables:
        """What the person scores with: the table, and what is kept private of it."""
        self._solve()
        if not self._private.slots:
            return self._tables
        return own_models(self._tables, self._people, self._private, slots_of(self._people))[0]

    def _state(self) -> dict[str, NDArray[Any]]:
        """All that training changes, and the counters."""
        tables, person, private = self._tables, self._people, self._private
        return {
            "rows": tables.rows,
            "age": tables.age,
            "head": tables.head,
            "clock": tables.clock,
            "user": person.user,
            "steps": person.steps,
            "optimizer": person.optimizer,
            "disclosed": person.disclosed,
            "private rows": private.rows,
            "private age": private.age,
            "private head": private.head,
            "counters": np.array([self.sent, self.received]),
        }

    def save(self, path: str | Path) -> None:
        """Write everything into one file, the history and the secret key too: it is for this device only."""
        parts = {"train": self._train, "weighting": self._weighting}
        arrays = self._state() | packed(self.guards)
        file.write(Path(path), self.community, self.key, self.candidates, parts, arrays)

    @classmethod
    def load(cls, path: str | Path, community: Community) -> "Node":
        """The node that `save` wrote, in the same community."""
        saved = file.read(Path(path), community)
        node = cls(community, key=saved.key, candidates=saved.candidates)
        node._train, node._weighting = saved.parts["train"], saved.parts["weighting"]
        node._people = node._new_person()
        node._weigh()
        file.put_back(Path(path), saved.arrays, node._state(), node.guards)
        node.sent, node.received = (int(n) for n in saved.arrays["counters"])
        return node
