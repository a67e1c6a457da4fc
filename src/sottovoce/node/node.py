"""A node: train, emit, absorb, send updates, recommend."""

import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.interface import judges
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import emit, received
from sottovoce.exchange.steps.interface import hides_items
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.models.instances import room
from sottovoce.models.interface import uses_place
from sottovoce.models.statistics import solve_vectors
from sottovoce.node import drivers, file, remembered, updates
from sottovoce.node.bounds import LARGEST, bounded, check_codes
from sottovoce.node.community import Community, Key
from sottovoce.node.history import History, interactions, joined, new_person, without
from sottovoce.node.recommended import Recommended, best
from sottovoce.node.rounds import Rounds
from sottovoce.node.senders import Senders
from sottovoce.node.unharmed import LEARNT, TRIALS, absurd, unharmed, untouched
from sottovoce.protocols.consensus import count_columns
from sottovoce.protocols.contribution import sum_shape
from sottovoce.protocols.disclose import own_models
from sottovoce.protocols.group_sums import complete
from sottovoce.protocols.interface import NOBODY
from sottovoce.state import Tables, gathered, new_receivers, slots_of, whole, zeros

if TYPE_CHECKING:
    from sottovoce.exchange.secure.contribution import Contribution, Plan
    from sottovoce.exchange.secure.draw import Lottery
    from sottovoce.exchange.secure.group import Group
    from sottovoce.exchange.secure.guards import Guard
    from sottovoce.exchange.secure.primitives import Identity
    from sottovoce.node.drawn import Draw
    from sottovoce.node.group import GroupUpdate
    from sottovoce.node.secure import SecureUpdate
    from sottovoce.protocols.push_sum import Numerators

CANDIDATES = 100
"""Items that each weighting item is ranked among."""


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
        self._personal = False  # whether the table shows what one person's training changed
        self.senders = Senders(self.key.name)
        """What remembers which messages this node has taken."""
        self.rounds = Rounds()
        """What remembers in which masked rounds this node took part."""
        self.guards: tuple[Guard, ...] = remembered.guards_of(community)
        """What remembers whom this node was summed with, for each of the two sums of a masked round."""

    @property
    def _width(self) -> int:
        return int(self.community.shape.row)

    def _new_person(self) -> Any:
        return new_person(self.community, self.key, self._train, self._weighting, self.candidates)

    def _weigh(self) -> None:
        """The model notes how much data it is trained by, unless that must stay private."""
        community = self.community
        private = community.promise or community.in_groups or community.solved
        private = private or any(map(hides_items, community.steps))
        self._tables.size[0] = 0 if private else len(self._train)

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

    @property
    def sweep(self) -> int:
        """How often the model was trained, or solved from sums."""
        return int(self._tables.clock[0])

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
        try:
            self._learn_from(incoming, origin, relay)
        except MessageError:
            if origin == NOBODY or self.community.promise is not None or not self._is_broken():
                raise
            with self._unharmed():
                self._begin_anew()
                self._learn_from(incoming, origin, relay)
        if not relay:
            self._personal = True
        elif len(incoming.age) == len(self._tables.age):
            self._personal = False

    def _learn_from(self, incoming: Tables, origin: int, relay: bool = False) -> None:
        community = self.community
        self._receivers.relayed[0] = relay
        models = self._tables, self._private, incoming, origin
        with self._unharmed() as broken:
            parts = *community.learning(), *models, self._people, self._receivers, self.key.run
            before, after = drivers.meet(*parts)
            if not community.solved and absurd(before, after, community.scale):
                broken |= LEARNT

    def _is_broken(self) -> bool:
        """Whether this node's model diverges without anybody's help."""
        with untouched(self._state()):
            try:
                for _ in range(TRIALS):
                    self._learn_from(self._tables, NOBODY)
            except MessageError:
                return True
        return False

    def _begin_anew(self) -> None:
        """Forget what was learnt, but not what was disclosed."""
        person, state = self._new_person(), self._state()
        fresh = self.community.started(person)
        learnt = {name: getattr(fresh, name) for name in ("rows", "age", "head", "clock")}
        learnt |= {name: np.zeros_like(state[name]) for name in LEARNT} | {"user": person.user}
        for name, array in learnt.items():
            state[name][...] = array

    def _unharmed(self, quiet: bool = False) -> AbstractContextManager[set[str]]:
        """Everything is put back as it was if this block fails, or leaves numbers that have diverged."""
        counters = self.sent, self.received

        def put_back() -> None:
            self.sent, self.received = counters

        return unharmed(self._state(), put_back, self.community.promise is not None, quiet)

    def _refuse_alone(self) -> None:
        if self.community.in_sums_alone:
            raise RunError(
                "This node has a share of the noise, which hides it in masked sums alone.",
                "Take part in them with secure_update, or give the community the step 'gaussian'.",
            )

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
        """A message for a peer. `relay` asks receivers to pass it on as it is, neither merged nor trained.

        Where only sums of groups may leave a device, a model that was trained here alone is not sent.
        """
        self._refuse_alone()
        if self.community.in_groups and self._personal:
            raise RunError(
                "This model was trained here alone and would show what its person has; this community lets "
                "only sums of groups leave a device.",
                "Send a model that came from the group, before train or absorb changes it.",
            )
        if self.community.steps and self.community.chain.share < 1:
            raise RunError(
                "'subsample' sends one's own items first, and so undoes what steps withhold.",
                "Leave 'subsample' out of the community's compressions; updates to a server may have both.",
            )
        number, self.sent = self.sent, self.sent + 1
        parts = self.community.chain, self._people, self._reference, self.key.run, number
        message = emit(self._tables, 0, *parts)
        return codec.encode(message._replace(relay=relay, **self.community.stamp(self.key.name, number)))

    def absorb(self, data: bytes) -> None:
        """Merge a peer's message into the node's model, then train.

        If its sender asks for that, the message replaces the model instead, and nobody trains. A model that
        is solved from sums is replaced by one of a later sweep, and stays otherwise. Bytes that are no
        message of this community are refused, and change nothing.
        """
        community = self.community
        message = codec.decode(data, community.expect, largest=LARGEST)
        self.senders.check(message.sender, message.number)
        if message.delta != community.chain.delta:
            raise MessageError(
                "The message is compressed in another way than this community's.",
                "All nodes of a community need 'delta', or none.",
            )
        if message.gathered and (judges(community.merge) or community.solved):
            raise MessageError(
                "The message holds some rows only, and this community takes whole models.", "Send it whole."
            )
        incoming = received(bounded(community, message, self._tables), self._reference)
        if message.bits < 32:
            check_codes(incoming)
        if not community.solved:
            self._meet(incoming, 1, message.relay)
        elif message.clock > self._tables.clock[0]:
            with self._unharmed():
                self._meet(incoming, 1, relay=True)  # it is taken as it is: there is nothing to train
                self._solve()
        self.senders.note(message.sender, message.number)
        self.received += 1

    def local_update(self, data: bytes) -> bytes:
        """Train on a server's model, which is not kept, and return what that changed, as an update."""
        if self.community.in_groups:
            raise RunError(
                "This community sums updates under masks, and local_update would show this one.",
                "Take part in masked sums with secure_update, or group_update.",
            )
        if self.community.tells_statistics:
            raise RunError(
                "One person's statistics tell the server which items the person has, and their vector.",
                'Sum them under masks (sum="secure"), or, where everybody agrees, give the community '
                'disclose=["statistics"].',
            )
        self.refuse_spent()
        with self._unharmed():
            found, version = updates.trained(self.community, self.key, self._people, data)
            number, self.sent = self.sent, self.sent + 1
            return codec.encode(updates.update_message(self.community, self.key, found, version, number))

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

        self.refuse_spent()
        with self._unharmed(quiet=True):
            found, _ = updates.trained(self.community, self.key, self._people, data)
            count, rule = int(found.offset[1]), self.community.aggregate
            ids, rows = found.ids[:count], found.rows[:count]
            return weighted(plan, rule, ids, rows, found.head[0], int(found.size[0]))

    def group_update(
        self, group: "Group", identity: "Identity", guards: "Sequence[Guard] | None" = None
    ) -> "GroupUpdate":
        """Take part in the sum of a `group` of `consensus`, with what this node adds to the next model.

        `guards` are those of `secure_update`.
        """
        from sottovoce.node.group import GroupUpdate

        return GroupUpdate(self, group, identity, self.guards if guards is None else guards)

    def draw(self, lottery: "Lottery", identity: "Identity") -> "Draw":
        """Take part in a draw of the group of a masked round. `Draw.group` is what to take part in then.

        After many draws in which it came to no sum, this node refuses: the server may be throwing them away.
        """
        from sottovoce.node.drawn import Draw

        return Draw(self, lottery, identity)

    def statistics(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """What this node contributes to sums among peers, without masks: items, rows and head."""
        community, items = self.community, len(self.community.items)
        self.refuse_spent()
        row, head = sum_shape(community.model, community.shape)
        found = gathered([room(community.model, items), 0], self._width, community.shape.head, items)
        rows, whole_head = np.zeros((items, row), np.float32), np.zeros(head, np.float32)
        steps = sequence(community.steps_on_device())
        parts = community.model, community.aggregate, self._tables, steps, found
        with self._unharmed(quiet=True):
            drivers.contribute(*parts, self._people, self.key.run, rows, whole_head)
        count = int(found.offset[1])
        return found.ids[:count], rows[:count], whole_head

    def move(self, sums: "Numerators") -> None:
        """Move the model by sums over people: `GroupUpdate.sums`, or `PushSum.sums` after pushes."""
        community, rows = self.community, sums.rows.copy()
        if community.consensus is None or count_columns(community.consensus) == 2:
            complete(rows, batch=len(community.items))
        with self._unharmed():
            drivers.move_by(community.model, community.aggregate, self._tables, rows, sums.head, self.key.run)

    def refuse_spent(self) -> None:
        """Refuse to disclose more than the budget of differential privacy allows."""
        if self.budget_left == 0:
            raise RunError(
                f"This person's budget is spent: {self._people.disclosed[0]} updates were disclosed.",
                "The node can still learn from models that it receives.",
            )

    def recommend(self, n: int = 10, here: str | None = None, seconds: int = 0) -> list[Recommended]:
        """The best items that are not in the history, best first.

        A model that looks at where people are takes the last item of the history for the place, unless
        `here` names another one, left `seconds` ago.
        """
        return best(self.community, self._own(), self._people, n, here, seconds)

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
            "counters": np.array([self.sent, self.received, self._personal], np.int64),
        }

    def save(self, path: str | Path) -> None:
        """Write everything into one file, the history and the secret key too: it is for this device only."""
        parts = {"train": self._train, "weighting": self._weighting}
        arrays = self._state() | remembered.packed(self)
        file.write(Path(path), self.community, self.key, self.candidates, parts, arrays)

    @classmethod
    def load(cls, path: str | Path, community: Community) -> "Node":
        """The node that `save` wrote, in the same community."""
        saved = file.read(Path(path), community)
        node = cls(community, key=saved.key, candidates=saved.candidates)
        node._train, node._weighting = saved.parts["train"], saved.parts["weighting"]
        node._people = node._new_person()
        node._weigh()
        file.put_back(Path(path), saved.arrays, node._state(), node)
        node.sent, node.received, personal = saved.arrays["counters"].tolist()
        node._personal = bool(personal)
        return node
