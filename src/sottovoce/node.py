"""One person on one device: the kernels of the simulator with a population of one.

    community = Community(items, model="ials", merge="linear")
    node = Node(community, {"item 7": 5.0, "item 9": 3.0})
    node.absorb(message)  # merge what a peer sent, then train on one's own data
    message = node.emit()  # what a peer may see: the table, never the history or the vector
    node.recommend(10)

A `Community` is what all its nodes must share, so that their models can be merged; messages carry a hash of
it, and those of another community are refused. A `Node` adds what is private: the history, the person's
vector, and a secret key that all of its random numbers come from, so that nobody can recompute which items
were sampled beside one's own. How messages travel is the caller's business.
"""

import contextlib
import hashlib
import io
import json
import secrets
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.data import ids
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.evaluate.recommend import select
from sottovoce.exchange import codec
from sottovoce.exchange.compression import chain
from sottovoce.exchange.message import CODES, UPDATE, Expect, Message, emit, received
from sottovoce.exchange.pack import to_codes
from sottovoce.exchange.steps import protect, sequence
from sottovoce.exchange.update import local_update
from sottovoce.kernels import ROUNDING, driver, stream
from sottovoce.models import Context, resolve, score_all, shape, uses_place
from sottovoce.protocols import NOBODY, absorb, start
from sottovoce.registry import Choice, chosen
from sottovoce.state import People, Tables, gathered, people, whole

FORMAT = 1
"""The version of the file that `Node.save` writes."""
HELD = "rows", "age", "head", "clock", "user", "steps", "item", "value", "counters"


class Key(NamedTuple):
    """What a node's random numbers come from, and the number it goes by among others."""

    run: int
    person: int
    name: int

    @classmethod
    def of(cls, secret: bytes) -> "Key":
        """The key of a device, from at least 16 secret bytes; its name tells nothing about them."""
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
        merge: Choice = "linear",
        *,
        compress: Sequence[Choice] = (),
        steps: Sequence[Choice] = (),
        seed: int = 1,
        trainings: int = 180,
        sharing: float = 1.0,
        scale: tuple[float, float] = (0.0, 1.0),
        start: str = "common",
    ) -> None:
        """Describe a community by its items, in an order that is the same everywhere.

        Components are given by name, with settings (`{"name": "mf", "factors": 8}`), or as they are.
        `seed` is public: the common start follows from it. `trainings` is how often a person is expected to
        train, `sharing` how many people train one table (1 under gossip), and `scale` the range of
        ratings: models adapt what they leave open to these. `steps` are what is done to updates.
        """
        self.items = tuple(ids.clean(str(item)) for item in items)
        self.number = {item: n for n, item in enumerate(self.items)}
        if len(self.number) < len(self.items) or not self.items:
            raise DataError("A catalogue needs items, each with an id of its own.", "Name each item once.")
        context = Context(len(self.items), *scale, calls=trainings, sharing=sharing)
        self.model = resolve(chosen("model", model), context)
        if uses_place(self.model):
            raise RunError("This model needs to know where people are, which a node does not tell it yet.")
        self.merge = chosen("merge", merge)
        if getattr(self.merge, "needs", "") == "quality":
            raise RunError(
                "This merge rule judges models by a weighting set, which a node does not have yet.",
                'Choose another, such as "linear".',
            )
        self.chain = chain(chosen("compression", one) for one in compress)
        if self.chain.delta and start != "common":
            raise RunError(
                "Messages cannot be differences to a common start where every node starts on its own.",
                "Leave 'delta' out, or set start=\"common\".",
            )
        self.steps = tuple(chosen("step", one) for one in steps)
        self.seed, self.start, self.shape = seed, start, shape(self.model)
        described = f"{type(self.model).__module__}.{self.model!r} {seed} {start}"
        hashes = _hash("\n".join(self.items)), _hash(described)
        self.expect = Expect(len(self.items), self.shape.row, self.shape.head, *hashes)

    def started(self, person: People) -> Tables:
        """A model before any training, and the person's vector with it."""
        tables = whole(1, len(self.items), self.shape.row, self.shape.head)
        start(self.model, tables, person, self.seed, self.start == "common")
        return tables


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:8]


class Recommended(NamedTuple):
    """An item that a node recommends."""

    item: str
    score: float


@driver
def _absorb(rule, model, tables, incoming, origin, people, run):
    absorb(rule, model, tables, incoming, 0, origin, 0, people, run)


@driver
def _local_update(model, tables, steps, updates, people, run, round):
    local_update(model, tables, 0, updates, 0, people, 0, run)
    protect(steps, updates, 0, people, 0, run, round)


@driver
def _to_codes(updates, bits, key, scale):
    begin, end = updates.offset[0], updates.offset[1]
    to_codes(updates.rows[begin:end], updates.head[0], bits, key, scale)


@driver
def _best(model, tables, people, scores, items, best):
    score_all(model, tables, 0, people, 0, scores)
    for item in people.item:
        scores[item] = np.nan
    select(scores, items, best)


class Node:
    """One person on one device."""

    def __init__(
        self,
        community: Community,
        history: Mapping[str, float] | Sequence[str] = (),
        key: bytes | Key | None = None,
    ) -> None:
        """A node with a person's history: items, or items with their ratings, the latest last.

        Without a `key` one is drawn; `save` keeps it.
        """
        self.community = community
        self.key = key if isinstance(key, Key) else Key.of(secrets.token_bytes(32) if key is None else key)
        self._item, self._value = self._known(history)
        self._people = self._furnished()
        self._tables = community.started(self._people)
        self._tables.size[0] = len(self._item)
        delta = community.chain.delta
        self._reference = community.started(self._people) if delta else whole(0, 0, self._width, 0)
        self.sent = self.received = 0

    @property
    def _width(self) -> int:
        return int(self.community.shape.row)

    def _known(self, history: Mapping[str, float] | Sequence[str]) -> tuple[Any, Any]:
        """The numbers of items, and their ratings."""
        number = self.community.number
        named = [ids.clean(str(item)) for item in history]
        for item in named:
            if item not in number:
                raise DataError(f"{item!r} is not in the community's catalogue.", "Leave it out.")
        value = [float(v) for v in history.values()] if isinstance(history, Mapping) else [1.0] * len(named)
        if not np.isfinite(value).all():
            raise DataError("A rating is not a finite number.", "Correct it.")
        return np.array([number[item] for item in named], np.int32), np.array(value, np.float32)

    def _furnished(self) -> People:
        bounds, host = np.array([0, len(self._item)]), np.zeros(1, np.int32)
        made = people(self.community.shape.user, bounds, self._item, self._value, host, 1)
        return made._replace(key=np.array([self.key.person]), relayed=np.zeros(1, np.bool_))

    def learn(self, history: Mapping[str, float] | Sequence[str]) -> None:
        """Add what the person met since; the next training learns from it."""
        item, value = self._known(history)
        again = np.isin(self._item, item)
        self._item = np.concatenate([self._item[~again], item])
        self._value = np.concatenate([self._value[~again], value])
        before = self._people
        self._people = self._furnished()._replace(user=before.user, steps=before.steps, spent=before.spent)
        self._tables.size[0] = len(self._item)

    def _meet(self, incoming: Tables, origin: int, relay: bool = False) -> None:
        self._people.relayed[0] = relay
        parts = self.community.merge, self.community.model, self._tables, incoming, origin
        with self._unharmed():
            _absorb(*parts, self._people, self.key.run)

    @contextlib.contextmanager
    def _unharmed(self) -> Iterator[None]:
        """If this block fails, or leaves what is not finite, everything is put back as it was.

        Numbers can be valid and yet do harm.
        """
        held = self._state()
        before = {name: array.copy() for name, array in held.items()}
        try:
            yield
            if not all(np.isfinite(held[name]).all() for name in ("rows", "head", "user")):
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
        """Train once on one's own data."""
        self._meet(self._tables, NOBODY)

    def emit(self, relay: bool = False) -> bytes:
        """A message for a peer. `relay` asks receivers to pass it on as it is, neither merged nor trained."""
        number, self.sent = self.sent, self.sent + 1
        parts = self.community.chain, self._people, self._reference, self.key.run, number
        message = emit(self._tables, 0, *parts)
        return codec.encode(message._replace(relay=relay, **self._stamp(number)))

    def _stamp(self, number: int) -> dict[str, Any]:
        expect = self.community.expect
        stamp = {"sender": self.key.name, "number": number}
        return stamp | {"catalogue": expect.catalogue, "settings": expect.settings}

    def absorb(self, data: bytes) -> None:
        """Merge a peer's message into the own model, then train; or take it over, if its sender asks so.

        What is no message of this community is refused, and changes nothing.
        """
        message = codec.decode(data, self.community.expect)
        if message.delta != self.community.chain.delta:
            raise MessageError("The message is compressed in another way than this community's.")
        self._meet(received(message, self._reference), 1, message.relay)
        self.received += 1

    def local_update(self, data: bytes) -> bytes:
        """Train on a server's model, which is not kept, and return what that changed, as an update."""
        community = self.community
        message = codec.decode(data, community.expect)
        if message.gathered and len(message.rows):
            raise MessageError("A server's model must have a row for every item.", "Send it whole.")
        items, head = len(community.items), community.shape.head
        updates = gathered([items, 0], self._width, head, items)
        steps = sequence([*community.steps, community.chain._replace(bits=32)])  # `_told` rounds
        run, version = self.key.run, message.clock
        parts = community.model, received(message), steps, updates, self._people, run, version
        with self._unharmed():
            _local_update(*parts)
            return codec.encode(self._told(updates, version))

    def _told(self, updates: Tables, version: int) -> Message:
        """An update as a message: rows in the order of items, as codes if the chain says so."""
        bits, count = self.community.chain.bits, int(updates.offset[1])
        scale = np.zeros((2, (self._width + 1) * (bits < 32)), np.float32)
        if bits < 32 and count:
            _to_codes(updates, bits, stream(self.key.run, ROUNDING, self.key.person, version), scale)
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

    def recommend(self, n: int = 10) -> list[Recommended]:
        """The best items that are not in the history, best first."""
        if n < 1:
            raise RunError(f"{n} recommendations were asked for.", "Ask for at least one.")
        catalogue = self.community.items
        items, best = np.full(min(n, len(catalogue)), -1, np.int32), np.full(min(n, len(catalogue)), np.nan)
        best = best.astype(np.float32)
        scores = np.empty(len(catalogue), np.float32)
        _best(self.community.model, self._tables, self._people, scores, items, best)
        found = zip(items.tolist(), best.tolist(), strict=True)
        return [Recommended(catalogue[item], score) for item, score in found if item >= 0]

    def save(self, path: str | Path) -> None:
        """Write everything into one file, the history and the secret key too: it is for this device only."""
        expect = self.community.expect
        about = {
            "format": FORMAT,
            "catalogue": expect.catalogue.hex(),
            "settings": expect.settings.hex(),
            "key": list(self.key),
        }
        content = io.BytesIO()
        named: dict[str, Any] = self._state()
        np.savez(content, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **named)
        with files.replacing(Path(path)) as building:
            building.write_bytes(content.getvalue())

    def _state(self) -> dict[str, NDArray[Any]]:
        tables, person = self._tables, self._people
        counters = np.array([self.sent, self.received])
        own = tables.rows, tables.age, tables.head, tables.clock, person.user, person.steps
        return dict(zip(HELD, (*own, self._item, self._value, counters), strict=True))

    @classmethod
    def load(cls, path: str | Path, community: Community) -> "Node":
        """The node that `save` wrote, in the same community."""
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(file["about"].tobytes())
                held = {name: file[name] for name in HELD}
            found = int(about["format"])
            key = Key(*map(int, about["key"]))
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
            raise RunError(f"{path} cannot be read: {told}.", "Give a file that Node.save wrote.") from None
        if found != FORMAT:
            raise RunError(f"{path} is in version {found} of the format, and {FORMAT} is understood.")
        expect = community.expect
        if about.get("catalogue") != expect.catalogue.hex():
            raise RunError(f"{path} belongs to a community with another catalogue.")
        if about.get("settings") != expect.settings.hex():
            raise RunError(f"{path} belongs to a community with another model or other settings.")
        items = held["item"]
        if items.ndim != 1 or (len(items) and not 0 <= items.min() <= items.max() < len(community.items)):
            raise RunError(f"{path} is damaged: its history is not in the catalogue.")
        history = dict(zip((community.items[n] for n in items), held["value"].tolist(), strict=False))
        node = cls(community, history, key)
        live = node._state()
        for name, values in held.items():
            fits = values.shape == live[name].shape and values.dtype == live[name].dtype
            if not fits or (values.dtype.kind == "f" and not np.isfinite(values).all()):
                raise RunError(f"{path} is damaged: {name} does not fit the community's model.")
            live[name][...] = values
        node.sent, node.received = (int(n) for n in held["counters"])
        return node
