"""`sottovoce audit`: attack what observers of a run recorded, and write `audit.json`."""

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sottovoce.combine.sums.interface import participants_decrypt
from sottovoce.errors import RunError
from sottovoce.exchange.steps.interface import hides_items
from sottovoce.experiments.audit import (
    attacks,
    canaries,
    pairs,
    participants,
    private,
    ratings,
    records,
    replay,
    sentences,
    views,
)
from sottovoce.experiments.audit.again import Again, again
from sottovoce.experiments.audit.attacks import Named, Way
from sottovoce.experiments.audit.written import AUDIT, FORMAT
from sottovoce.experiments.recipe import phrases
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.run import Run
from sottovoce.models.bpr import BPR
from sottovoce.models.mf import MF
from sottovoce.registry import build
from sottovoce.state import Longs

if TYPE_CHECKING:
    from sottovoce.data.split import Split


_PRIVATE = "Attacks on vectors, updates and numbers of instances were not made: "


class Audit(NamedTuple):
    """What observers of a run can find out."""

    path: Path
    """`audit.json`, in the run directory."""
    result: dict[str, Any]
    """What `audit.json` holds."""

    @property
    def sentences(self) -> list[str]:
        """A sentence for each attack of each observer."""
        return list(self.result["sentences"])

    @property
    def notes(self) -> list[str]:
        """Which attacks were not made, and why."""
        return list(self.result["notes"])

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def audit(run: str | Path | Run, *, data_dir: str | Path | None = None) -> Audit:
    """Attack what observers of a run recorded, to measure what leaks, and write `audit.json`.

    A run records what observers see if its recipe has `[privacy] observe`. It is given as a `Run` or by its
    directory. The data of the run is loaded again, to know the truth.

    >>> print(*sottovoce.audit("runs/watched").sentences, sep="\\n")
    """
    done = run if isinstance(run, Run) else Run.open(run)
    if done.directory is None:
        raise RunError("This run has no directory.", "Give run(…) one with out=….")
    described = done.figures.data
    seen = records.read(done.directory, described.people, described.items)
    split = _split(done, data_dir)
    entries, notes = _attacked(done, split, seen, data_dir)
    result = {
        "format": FORMAT,
        "method": phrases.method(done.recipe),
        "data": described.name,
        "rounds": [int(seen.round.min()), int(seen.round.max())],
        "messages": len(seen.round),
        "sentences": sentences.headlines(entries),
        "notes": notes,
        "attacks": entries,
    }
    RunDirectory(done.directory).write(AUDIT, json.dumps(result, indent=2, allow_nan=False) + "\n")
    return Audit(done.directory / AUDIT, result)


def _split(run: Run, data_dir: str | Path | None) -> "Split":
    """The data of a run as it was split, which is the truth that attacks are compared with."""
    from sottovoce.experiments.runs.loading import load_data

    data, named = run.data or load_data(run.recipe, data_dir), run.recipe.split
    split: Split = build("split", named.name, named.settings, "split").split(data, run.recipe.run.seed)
    if split.hash != run.figures.split:
        where = run.recipe.data.path or run.recipe.data.name
        raise RunError(
            f"The data changed since the run: {where} is not what its models learnt from.",
            "Put the earlier data back, or run anew.",
        )
    return split


def _attacked(
    run: Run, split: "Split", seen: records.Records, data_dir: str | Path | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """The figures of all attacks that can be made, and notes on the others."""
    train, parts = split.train, run.recipe.components()
    truth = attacks.Truth(train.indptr, train.item.astype(np.int64), train.items)
    per_item = getattr(parts.model, "epochs", 1) * (1 + getattr(parts.model, "negatives", 0))
    notes: list[str] = []
    rounds = int(seen.round.min()), int(seen.round.max())
    known = again(run.recipe, parts, split, rounds, data_dir)
    if isinstance(known, str):
        notes.append(f"{_PRIVATE}{known}, so the observed rounds cannot be run again.")
    sent = known.sent if isinstance(known, Again) else None
    place, items = run.directory, train.items
    masked = records.sums(place, items) if place is not None else []
    opened: list[records.Sum] = []
    if participants_decrypt(parts.sum):
        masked, opened = [], masked
    held = np.diff(train.indptr)
    found = views.views(seen, items)
    if masked:
        found.append(participants.of_sums(masked, items, held))
    if sent is not None and participants_decrypt(parts.sum):
        # All participants hold the same secret key, so one of them can give it to the server.
        found.append(views.of_updates("key", sent, items))
        found += participants.decrypted(opened, sent, parts.merge, items, held)
    found += participants.views(seen, sent, parts.merge, items, held)
    entries: list[dict[str, Any]] = []
    of_server = seen.among(seen.update & (seen.observer < 0))
    versions = functools.partial(replay.models, run.recipe, parts, split, of_server)
    model = known.network.model if isinstance(known, Again) else parts.model
    withheld = any(map(hides_items, parts.steps))
    for view in found:
        ways, excluded = attacks.ways(view, truth, withheld), attacks.unchanged(view, truth)
        count = attacks.mean_count(view, truth) if withheld else attacks.count(view, per_item)
        if isinstance(model, BPR) and view.updates:
            view = pairs.fewer(view, truth)
            count = attacks.count(view, per_item)
            ways, excluded = pairs.ways(view, truth), pairs.fell(view, truth)
            if view.name == "server":
                ways |= pairs.withheld(view, truth, model, of_server.clock, versions)
        entries += _of_items(view, truth, ways, excluded, count)
        if isinstance(known, Again):
            entries += private.entries(view, truth, known)
        if view.name not in attacks.SUMS:
            read = sent if view.name == "key" and sent is not None else seen
            rated = ratings.attack(view, parts.model, train, _before(view, run, split, read))
            if isinstance(rated, str):
                notes += [rated] if rated not in notes else []
            else:
                entries += rated
    vectors = records.masked(place, items) if place is not None else None
    if vectors is not None:
        entries.append(attacks.announced_rows(vectors, truth))
        if isinstance(known, Again):
            entries += private.entries(views.of_updates("masked", vectors, items), truth, known)
    for few in (attacks.sums(seen, masked), attacks.decrypted(opened, sent)):
        entries += [few] if few is not None else []
    of_groups = [one for one in masked if one.observer >= 0]
    if isinstance(known, Again):
        entries += private.singled(of_groups, truth, known)
    if isinstance(known, Again) and (parts.steps or known.network.promise is not None):
        entries.append(canaries.attack(known.network, parts.sum, rounds[1]))
    if run.recipe.arrivals.share:
        notes.append("Items that arrived during the run count as a person's from the first round on.")
    if not found:
        notes.append(_nothing(seen))
    return entries, notes


def _of_items(
    view: views.View, truth: attacks.Truth, ways: dict[str, Way], excluded: Named, count: Longs
) -> list[dict[str, Any]]:
    """Which items people have, by some ways, and who resembles whom, by the best of them; which items people
    do not have."""
    found = attacks.items(view, truth, ways, count)
    best = max(found, key=sentences.success)["way"]
    return [
        *found,
        attacks.members(view, truth, ways[best], best),
        attacks.not_items(view, truth, excluded),
        *attacks.resemblance(view, truth, ways[best], best, count),
    ]


def _before(view: views.View, run: Run, split: "Split", seen: records.Records) -> Any:
    """[R, w]: the rows before each change of a view; None if they are not known."""
    parts = run.recipe.components()
    if not view.updates or not isinstance(parts.model, MF):
        return view.before
    of_server = seen.among(seen.update & (seen.observer < 0))
    versions = replay.models(run.recipe, parts, split, of_server)
    if versions is None:
        return None
    return replay.before(versions, of_server.clock[view.changes.message], view.changes.item)


def _nothing(seen: records.Records) -> str:
    if (seen.sender < 0).all():
        return (
            "Observers received one model of the server at most, so there is nothing to subtract. Observe "
            'more rounds, more participants, or the server: privacy.observe.who = ["server", …].'
        )
    return (
        "No observer received two models of the same sender, so there is nothing to subtract. Observe more "
        'people or more rounds, or give nodes fixed peers (network.peers = { name = "k-out", k = 5 }).'
    )
