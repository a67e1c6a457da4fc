"""What all nodes of a community share, and what the random numbers of one node come from."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.interface import judges
from sottovoce.combine.none import Replace
from sottovoce.combine.sums.interface import Task, check_task
from sottovoce.combine.sums.plain import Plain
from sottovoce.combine.sums.secure import Secure
from sottovoce.data import ids
from sottovoce.data.interactions import Catalog
from sottovoce.errors import DataError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import chain
from sottovoce.exchange.message import Expect
from sottovoce.exchange.steps.interface import on_device
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.models.interface import Context, resolve, shape, uses_place
from sottovoce.models.start import start
from sottovoce.models.statistics import solved_from_sums
from sottovoce.privacy.guarantee import Guarantee, calibrated
from sottovoce.protocols import guarantees, hidden
from sottovoce.protocols.consensus import SMALLEST, Consensus
from sottovoce.protocols.contribution import check_rule
from sottovoce.protocols.execute import Learning
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.hosted import InTurn
from sottovoce.registry import Choice, chosen
from sottovoce.state import People, Tables, whole


class Key(NamedTuple):
    """What a node's random numbers come from, and the number it goes by among others."""

    run: int
    person: int
    name: int

    @classmethod
    def of(cls, secret: bytes) -> "Key":
        """The key of a device, from at least 16 secret bytes; its name tells nothing about them."""
        if not isinstance(secret, bytes):
            raise RunError(f"A secret key is bytes, and this is {type(secret).__name__}.", "Give bytes.")
        if len(secret) < 16:
            raise RunError(f"A secret key of {len(secret)} bytes can be guessed.", "Give at least 16 bytes.")
        parts = (hashlib.sha256(label + secret).digest() for label in (b"run", b"person", b"name"))
        return cls(*(int.from_bytes(part[:8], "little") >> 1 for part in parts))

    @classmethod
    def simulated(cls, seed: int, person: int) -> "Key":
        """The key of person number `person` in a simulation with this seed."""
        return cls(seed, person, person)


class Community:
    """What all nodes of a community share: the catalogue, the model, how models become one."""

    def __init__(
        self,
        items: Sequence[str],
        model: Choice = "ials",
        merge: Choice | None = None,
        *,
        compress: Sequence[Choice] = (),
        steps: Sequence[Choice] = (),
        sum: Choice = "plain",
        aggregate: Choice = "mf-fedavg",
        consensus: Choice | None = None,
        disclose: Sequence[str] = (),
        seed: int = 1,
        trainings: int = 180,
        sharing: float = 1.0,
        people: int = 0,
        scale: tuple[float, float] = (0.0, 1.0),
        start: str = "common",
        coordinates: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        """Describe a community by its items, in an order that is the same everywhere.

        Components are given by name, with settings (`{"name": "mf", "factors": 8}`), or as they are.
        `merge` is `linear` by default. Models that are solved from sums (`als`, `rating-als`) are not merged:
        a node takes the newer one. They need `people`, about how many there are in the community.
        `seed` is public: the common start follows from it. `trainings` is how often a person is expected to
        train, `sharing` how many people train one table (1 under gossip), and `scale` the range of
        ratings: models adapt what they leave open to these. `steps` decide what leaves a device of what a
        training changed. With `sum="secure"` updates go into masked sums alone (`Node.secure_update`), which
        a server averages as `aggregate` says. With `consensus="consensus"`, or settings of that protocol,
        nodes sum without a server: in masked groups (`Node.group_update`), then by pushes
        (`sottovoce.node.push`). Single contributions to models that are solved from sums tell what a person
        has: its setting `group = 1`, which leaves masks out, and `Node.local_update` of such models need
        `disclose=["statistics"]`. `coordinates` are the latitude and longitude of items, in degrees.
        """
        if start not in ("common", "independent"):
            raise RunError(f"start={start!r} is neither 'common' nor 'independent'.", "Choose one of them.")
        if trainings < 1 or not sharing > 0:
            raise RunError(
                f"trainings={trainings} and sharing={sharing} must both be positive.", "Give larger numbers."
            )
        self.items = tuple(ids.clean(str(item)) for item in items)
        self.number = {item: n for n, item in enumerate(self.items)}
        if len(self.number) < len(self.items) or not self.items:
            raise DataError("A catalogue needs items, each with an id of its own.", "Name each item once.")
        context = Context(len(self.items), *scale, calls=trainings, sharing=sharing, people=people)
        self.model = resolve(chosen("model", model), context)
        self.solved = solved_from_sums(self.model)
        """Whether the model is solved from sums over people."""
        if merge is None:  # a rule without settings is an empty tuple, which is false
            merge = "none" if self.solved else "linear"
        self.merge = chosen("merge", merge)
        self.chain = chain(chosen("compression", one) for one in compress)
        if self.solved:
            self._check_solved()
        if judges(self.merge) and self.chain.share < 1:
            raise RunError(
                "This merge rule judges whole models, and 'subsample' sends only some rows.",
                "Leave 'subsample' out.",
            )
        if self.chain.delta and start != "common":
            raise RunError(
                "Messages cannot be differences to a common start where every node starts on its own.",
                "Leave 'delta' out, or set start=\"common\".",
            )
        given = [chosen("step", one) for one in steps]
        self.steps = tuple(calibrated(one) for one in given)
        self.sum, self.aggregate = chosen("sum", sum), chosen("aggregate", aggregate)
        self.people, self.disclose = people, tuple(disclose)
        self.consensus = self._consensus(consensus, disclose)
        if self.in_groups and self.chain.share < 1:
            raise RunError(
                "'subsample' sends one's own items first, and only sums of groups may leave a device here.",
                "Leave it out.",
            )
        self.seed, self.start, self.scale, self.shape = seed, start, scale, shape(self.model)
        self.trainings = trainings
        self.catalog = Catalog("community", np.array(self.items), coordinates=self._points(coordinates))
        self.promise = self._promise()
        self._check_steps()
        described = f"{type(self.model).__module__}.{self.model!r} {seed} {start}"
        # As they were given: what follows from them is computed, and may differ in a last digit elsewhere.
        stepped = " ".join(f"{type(one).__module__}.{one!r}" for one in given)
        self.steps_hash = _hash(stepped)
        if self.in_groups:
            described += f" {self.aggregate!r} {self.consensus or self.sum!r} {self.chain!r} {stepped}"
        hashes = _hash("\n".join(self.items)), _hash(described)
        self.expect = Expect(len(self.items), self.shape.row, self.shape.head, *hashes)

    def _check_solved(self) -> None:
        """Refuse what a model that is solved from sums cannot have."""
        if self.model.people < 1:
            raise RunError(
                "This model's regularization depends on how many people there are.",
                "Give people=, about how many the community has, such as people=1000.",
            )
        if not isinstance(self.merge, Replace):
            raise RunError(
                "This model is solved from sums over many people: a node takes a newer one, and merges none.",
                'Leave merge out, or set merge="none".',
            )
        if self.chain.share < 1:
            raise RunError("This model is taken whole, and 'subsample' sends some rows.", "Leave it out.")

    @property
    def masked(self) -> bool:
        """Whether updates are summed under masks."""
        return not isinstance(self.sum, Plain)

    @property
    def tells_statistics(self) -> bool:
        """Whether an update would show one person's statistics, without noise and without consent."""
        return self.solved and self.promise is None and "statistics" not in self.disclose

    @property
    def in_groups(self) -> bool:
        """Whether only sums of groups leave a device, with a server or without: never one person's update."""
        return self.masked or self.consensus is not None

    def _consensus(self, choice: Choice | None, disclose: Sequence[str]) -> Consensus | None:
        protocol = None if choice is None else chosen("protocol", choice)
        if isinstance(protocol, Consensus) and not protocol.group:
            protocol = protocol._replace(group=SMALLEST)
        plain = isinstance(protocol, Consensus) and protocol.group <= 2  # of two, each knows the other's
        if protocol is not None and (
            not isinstance(protocol, Consensus) or (plain and "statistics" not in disclose)
        ):
            raise RunError(
                "Nodes sum without a server in masked groups.",
                'Set consensus="consensus", or settings of it with group = 3 or more. Where everybody agrees '
                'that single contributions are seen, give disclose=["statistics"].',
            )
        if protocol is not None and self.masked:
            raise RunError(
                "Updates are summed by a server (sum) or in groups (consensus), not by both.",
                "Leave one out.",
            )
        return protocol

    @property
    def in_sums_alone(self) -> bool:
        """Whether a node has a share of the noise, which hides it in sums alone."""
        return self.promise is not None and self.promise.trust == "distributed"

    @property
    def task(self) -> Task:
        """What a server sums; how many people there are is not known."""
        row, head, _ = self.shape
        return Task(self.aggregate, self.chain, len(self.items), row, head, 0, 0, 0, False)

    def _promise(self) -> Guarantee | None:
        """Refuse what does not go together; the guarantee of the steps."""
        if not isinstance(self.sum, Plain | Secure):
            raise RunError(
                "A node sends updates as they are, or into masked sums.", 'Set sum="plain" or sum="secure".'
            )
        promise = None
        if self.consensus is not None:
            promise = guarantees.check(self.consensus, self.aggregate, None, self.steps)
        if self.masked:
            check_task(self.sum, self.task)
            promise = guarantees.check(Federated(), self.aggregate, None, self.steps, self.sum)
        if promise is not None and promise.trust == "distributed":
            return promise
        return guarantees.check(Gossip(), self.merge, None, self.steps)

    def _check_steps(self) -> None:
        """Refuse what would undo a step, and sums without a divisor among peers."""
        if self.consensus is not None:
            check_rule(self.model, self.aggregate)
        sequence(self.steps)  # refuses steps that are for simulations alone
        if self.in_groups:
            hidden.check(self.steps, self.model, self.consensus or Federated(), self.aggregate)
        else:
            hidden.check(self.steps, self.model, Gossip(), self.merge)

    def _points(self, coordinates: Sequence[tuple[float, float]] | None) -> NDArray[np.float32] | None:
        if coordinates is None:
            if uses_place(self.model):
                raise DataError(
                    "This model looks at where items are, and the community gives no coordinates.",
                    "Give coordinates=, the latitude and longitude of every item.",
                )
            return None
        points = np.array(coordinates, np.float32).reshape(-1, 2)
        if len(points) != len(self.items):
            raise DataError(
                f"There are {len(points)} coordinates for {len(self.items)} items.", "Give one for each."
            )
        return points

    def learning(self) -> Learning:
        """How a node learns from what it receives, for one use: noise is drawn anew for each."""
        return Learning(self.merge, self.model, sequence(self.steps_on_device()), InTurn())

    def steps_on_device(self) -> list[Any]:
        """The steps for one use, with random numbers from the operating system where they must be secret."""
        count = len(self.items) * self.shape.row + self.shape.head
        return [on_device(step, count) for step in self.steps]

    def stamp(self, sender: int, number: int) -> dict[str, Any]:
        """What a message says about where it comes from."""
        stamp = {"sender": sender, "number": number}
        return stamp | {"catalogue": self.expect.catalogue, "settings": self.expect.settings}

    @property
    def largest_message(self) -> int:
        """The length in bytes of the longest message that a node of this community accepts."""
        return codec.largest(self.expect)

    def started(self, person: People) -> Tables:
        """A model before any training, and the person's vector with it."""
        tables = whole(1, len(self.items), self.shape.row, self.shape.head)
        alike = self.start == "common"
        start(self.model, tables, person, self.seed, alike, alike)
        return tables


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:8]
