"""Push-sum between nodes: one node's part in one sweep of `consensus`, bytes in and bytes out.

    part = PushSum(node, sweep=1, sums=update.sums)  # `update` was the node's part in a masked group
    message = part.push()  # half of the sums, for a peer
    part.receive(theirs)
    node.move(part.sums)  # at the end of the sweep

The kernels are those of a simulation, with one node. A sweep begins with an equal part of a group's sum
(`GroupUpdate.sums`), with the person's own contribution where nothing is masked (`plain_sums`), or with
nothing: whoever comes late, or was left out of a group's sum, takes part in push-sum all the same.

Push-sum trusts everybody who takes part. What is refused is what cannot be a push of this sweep: other
communities, sizes and sweeps, damage, numbers out of range, and a push that was received before. A push does
not name its receiver, so nobody notices if it also reaches a second one. `save` after `push` and before the
message leaves, and after `receive`: then a node that is killed goes on, and neither sends nor counts anything
twice. A push that was saved and never sent is one that was lost.
"""

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sottovoce import files
from sottovoce.errors import MessageError, RunError
from sottovoce.exchange import pushed
from sottovoce.exchange.pushed import Expect, Form, Pushed
from sottovoce.exchange.steps.interface import adds_noise
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.node import drivers
from sottovoce.node.community import Community
from sottovoce.node.file import ABOUT, HISTORY, damaged, member
from sottovoce.protocols.consensus import count_columns, shared
from sottovoce.protocols.contribution import sum_shape
from sottovoce.protocols.push_sum import Numerators, code_type, levels_of, numerators

if TYPE_CHECKING:
    from sottovoce.node.node import Node

FORMAT = 1
"""The version of the file."""


def expected(community: Community, sweep: int) -> Expect:
    """The pushes that a community exchanges in this sweep."""
    protocol = community.consensus
    if protocol is None or shared(protocol):
        raise RunError(
            "The nodes of this community do not push.",
            'Give it consensus="consensus", or settings of it without exact and robust.',
        )
    if not 0 <= sweep < 2**64:
        raise RunError(f"A sweep cannot have the number {sweep}.", "Count sweeps from 0 or 1.")
    row, head = sum_shape(community.model, community.shape)
    counts = count_columns(protocol)
    form = Form(len(community.items), row + counts - 1, counts, head, protocol.bits)
    noisy = bool(adds_noise(sequence(community.steps)))
    most = pushed.MOST_WEIGHT if noisy or not community.people else float(community.people)
    return Expect(form, sweep, community.expect.catalogue, community.expect.settings, most, noisy)


def plain_sums(node: "Node") -> Numerators:
    """The node's own contribution without masks, where everybody agreed to that (`group = 1`)."""
    form = expected(node.community, 0).form
    if form.counts != 1:
        raise RunError(
            "This community sums in masked groups, and a push of this would show one person's contribution.",
            "Take part in a group with group_update, and begin with its sums.",
        )
    sums = numerators(1, form.items, form.row, form.head)
    ids, rows, head = node.statistics()
    sums.rows[ids, 0] += rows
    sums.head[0] += head
    return sums


class PushSum:
    """One node's part in the pushes of one sweep."""

    def __init__(self, node: "Node", sweep: int, sums: Numerators | None = None) -> None:
        """A part that begins with `sums`, which are copied, or with nothing."""
        self._node, self._expect = node, expected(node.community, sweep)
        self.sums = numerators(1, self._form.items, self._form.row, self._form.head)
        """What the node has: numerators, and the weight at the end of the head. `Node.move` takes them."""
        self.pushed = 0
        """How often it has pushed."""
        self._seen: set[tuple[int, int]] = set()
        if sums is not None:
            if [each.shape for each in sums] != [each.shape for each in self.sums]:
                raise RunError(
                    "These sums have another shape than those that this community pushes.",
                    "Begin with those of a GroupUpdate, or with plain_sums.",
                )
            for mine, given in zip(self.sums, sums, strict=True):
                mine[...] = given

    @property
    def _form(self) -> Form:
        return self._expect.form

    @property
    def sweep(self) -> int:
        """The number of the sweep."""
        return self._expect.sweep

    @property
    def weight(self) -> float:
        """How many people's contributions the sums stand for."""
        return float(self.sums.head[0, -1])

    @property
    def largest(self) -> int:
        """The length in bytes of the longest push that it accepts."""
        return pushed.largest(self._form)

    def push(self) -> bytes:
        """Take half of the sums away, as a message for a peer. Who has nothing sends nothing: no bytes."""
        if not self.weight > 0:
            return b""
        room, form, before = self._room(), self._form, [each.copy() for each in self.sums]
        drivers.push(*self.sums, form.counts, levels_of(form.bits), *room)
        codes, given, scales, half = room
        ids = np.flatnonzero(given[:, 0, -1])
        alone = given[ids, 0, 0] == 0
        scale = scales[ids, 0][~alone] if form.bits < 32 else np.empty(0, np.float32)
        message = Pushed(
            ids=ids.astype(np.int32),
            alone=alone,
            counts=given[ids, 0],
            scale=scale,
            codes=codes[ids, 0][~alone],
            head=half[0],
            form=form,
            sweep=self.sweep,
            sender=self._node.key.name,
            number=self.pushed,
            catalogue=self._expect.catalogue,
            settings=self._expect.settings,
        )
        try:
            data = pushed.encode(message)
        except MessageError:  # numbers that no receiver would accept: nothing was taken away
            for mine, earlier in zip(self.sums, before, strict=True):
                mine[...] = earlier
            raise
        self.pushed += 1
        return data

    def receive(self, data: bytes) -> None:
        """Add a peer's push. Bytes that are no push of this sweep are refused, and change nothing."""
        message = pushed.decode(data, self._expect)
        which = message.sender, message.number
        if message.sender == self._node.key.name:
            raise MessageError("The push comes from this node itself.")
        if which in self._seen:
            raise MessageError("The push was received before: it would count twice.")
        room, form = self._room(), self._form
        codes, given, scales, half = room
        given[message.ids, 0], half[0] = message.counts, message.head
        whole = message.ids[~message.alone]
        codes[whole, 0] = message.codes
        if form.bits < 32:
            scales[whole, 0] = message.scale
        drivers.add_push(*self.sums, form.counts, levels_of(form.bits), *room)
        self._seen.add(which)

    def _room(self) -> tuple[np.ndarray, ...]:
        """Room for a push: codes, counts and scales item by item, and the head."""
        items, _, counts, head, bits = self._form
        return (
            np.zeros((items, 1, self._form.numbers), code_type(bits)),
            np.zeros((items, 1, counts), np.float32),
            np.zeros((items, 1), np.float32),
            np.zeros((1, head), np.float32),
        )

    def save(self, path: str | Path) -> None:
        """Write what the node has of the sums into one file; it is for this device only."""
        about = {
            "format": FORMAT,
            "catalogue": self._expect.catalogue.hex(),
            "settings": self._expect.settings.hex(),
            "name": self._node.key.name,
            "sweep": self.sweep,
            "pushed": self.pushed,
        }
        content, seen = io.BytesIO(), np.array(sorted(self._seen), np.uint64).reshape(-1, 2)
        told = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(content, about=told, rows=self.sums.rows, head=self.sums.head, seen=seen)
        with files.replacing(Path(path)) as building:
            building.touch(0o600)  # the sums of a group are for its members
            building.write_bytes(content.getvalue())

    @classmethod
    def load(cls, path: str | Path, node: "Node") -> "PushSum":
        """The part that `save` wrote, of the same node."""
        path, community = Path(path), node.community
        try:
            with zipfile.ZipFile(path) as archive:
                about = json.loads(member(archive, "about", ABOUT).tobytes())
                found, owner = int(about["format"]), int(about["name"])
                hashes = about["catalogue"], about["settings"]
                part = cls(node, int(about["sweep"])) if found == FORMAT else None
                if part is not None:
                    part.pushed = int(about["pushed"])
                    limits = part.sums.rows.nbytes, part.sums.head.nbytes, HISTORY
                    names = "rows", "head", "seen"
                    rows, head, seen = (member(archive, *each) for each in zip(names, limits, strict=True))
        except (OSError, ValueError, KeyError, TypeError, EOFError, OverflowError) as error:
            raise damaged(path, error) from None
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, SyntaxError) as error:
            raise damaged(path, error) from None
        if part is None:
            raise RunError(f"{path} is in version {found} of the format, and {FORMAT} is understood.")
        if hashes != (community.expect.catalogue.hex(), community.expect.settings.hex()):
            raise RunError(f"{path} belongs to another community.")
        if owner != node.key.name:
            raise RunError(f"{path} belongs to another node.")
        fits = (rows.shape, head.shape) == (part.sums.rows.shape, part.sums.head.shape)
        kinds = [str(each.dtype) for each in (rows, head, seen)] == ["float32", "float32", "uint64"]
        if not (fits and kinds and seen.shape == (len(seen), 2) and 0 <= part.pushed < 2**64):
            raise RunError(f"{path} is damaged: its sums do not fit the community's model.")
        if not (np.isfinite(rows).all() and np.isfinite(head).all()):
            raise RunError(f"{path} is damaged: its sums are not finite.")
        part.sums.rows[...], part.sums.head[...] = rows, head
        part._seen = {(int(sender), int(number)) for sender, number in seen.tolist()}
        return part
