"""The run directory: the files that a run writes, and from which it continues.

recipe.toml              the recipe, fully resolved
split.json               hashes of the data as it is divided
events.jsonl             the curve: a line per evaluation
per_user.parquet         every person's metrics after the last round
recommendations.parquet  the top 100 of every person
result.json              the figures; it is written last, so a run that has it is complete
report.html              the report; runs of a sweep or a reproduction have none
checkpoint-<round>/      only while running, or with run.keep_models
observed/                what observers saw, if privacy.observe names some
"""

import contextlib
import errno
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sottovoce import files
from sottovoce.errors import RunError, SottovoceError
from sottovoce.experiments.recipe.document import flat
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.result import Result

if TYPE_CHECKING:
    import polars

RECIPE, RESULT, EVENTS = "recipe.toml", "result.json", "events.jsonl"
PER_USER, RECOMMENDATIONS, REPORT = "per_user.parquet", "recommendations.parquet", "report.html"
SPLIT = "split.json"
_HARMLESS = ("run.threads", "run.keep_models", "run.checkpoint")
"""Settings that do not change the result, and may differ between a run and its continuation."""
_FILES = (RECIPE, RESULT, EVENTS, PER_USER, RECOMMENDATIONS, REPORT)


class RunDirectory:
    """A directory that belongs to one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity: dict[str, Any] = {}

    @property
    def complete(self) -> bool:
        """Whether the run reached its end."""
        return RESULT in files.held(self.path)

    @property
    def begun(self) -> bool:
        """Whether the directory holds files of a run."""
        return checkpoint.exists(self.path) or not set(_FILES).isdisjoint(files.held(self.path))

    @property
    def busy(self) -> bool:
        """Whether a process is running here."""
        if not files.is_folder(self.path):
            return False
        try:
            with _locked(self.path):
                return False
        except RunError:
            return True

    @contextlib.contextmanager
    def claim(self, resume: bool) -> Iterator[None]:
        """Lock the directory for this run while the block lasts; refuse one that another run uses.

        A run that fails before its first evaluation leaves no files.
        """
        if self.begun and not resume:
            held = "the results of another run" if self.complete else "a run that was not finished"
            way = "choose another directory with --out, or delete it"
            raise RunError(
                f"{self.path} holds {held}.",
                f"{way[0].upper()}{way[1:]}." if self.complete else f"Continue it with --resume, {way}.",
            )
        new, made = not self.begun, not files.is_folder(self.path)
        self.make()
        with _locked(self.path):
            if not files.may_write(self.path):  # said now, not after minutes of work
                raise _unusable(self.path, os.strerror(errno.EACCES))
            try:
                yield
            except SottovoceError:
                if new and not self.events():
                    self._clear(made)
                raise

    def make(self) -> None:
        """Make the directory, if it is not there."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno in files.FULL:
                raise files.refusal(self.path, error) from None
            raise _unusable(self.path, self._broken_link() or error.strerror) from None

    def _broken_link(self) -> str:
        """What the system calls "File exists", although nothing is there."""
        try:
            return "it is a broken link" if self.path.is_symlink() and not self.path.exists() else ""
        except OSError:
            return ""

    def _clear(self, made: bool) -> None:
        with contextlib.suppress(OSError):  # the directory may hold files of somebody else
            for name in (RECIPE, SPLIT, EVENTS):
                (self.path / name).unlink(missing_ok=True)
            if made:
                self.path.rmdir()

    def begin(
        self, recipe: Recipe, split: str, version: str, churn: str = ""
    ) -> checkpoint.Checkpoint | None:
        """Write the recipe, or check that the run here was begun with the same one.

        `split` is the hash of the data as it is divided, `churn` the hash of when nodes are online, if they
        come and go. Returns the checkpoint to continue from, if there is one; later events are removed.
        """
        self.identity = {"recipe": recipe.hash(), "split": split, "version": version}
        if churn:
            self.identity["churn"] = churn
        if files.exists(self.path / RECIPE):
            self._same(recipe)
        else:
            self.write(RECIPE, recipe.dumps())
        if self.split not in (None, split):
            raise RunError(
                f"The data changed since the run in {self.path} began{_data_of(recipe)}.",
                "Put the earlier data back, or start anew in another directory with --out.",
            )
        if self.complete:
            return None
        found = checkpoint.newest(self.path)
        if found is not None and found.identity != self.identity:
            raise RunError(self._difference(found.identity), "Start anew in another directory with --out.")
        self._truncate(-1 if found is None else found.round)
        return found

    @property
    def split(self) -> str | None:
        """The hash of the data as it was divided when the run began, if that is known."""
        try:
            return str(json.loads((self.path / SPLIT).read_text("utf-8"))["sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _same(self, recipe: Recipe) -> None:
        begun = Recipe.read(self.path / RECIPE)
        if begun.hash() == recipe.hash():
            return
        before, now = flat(begun.document()), flat(recipe.document())
        changed = sorted(
            k for k in before.keys() | now.keys() if before.get(k) != now.get(k) and k not in _HARMLESS
        )
        listed = ", ".join(
            f"{k} ({before.get(k, 'unset')} before, {now.get(k, 'unset')} now)" for k in changed
        )
        more = changed == ["run.rounds"] and self.complete and now["run.rounds"] > before["run.rounds"]
        remedy = "Resume with the recipe.toml in it, or start anew in another directory with --out."
        if more:
            wanted = shlex.join(["sottovoce", "extend", str(self.path), "--rounds", str(now["run.rounds"])])
            remedy = f"To continue from its models: {wanted}."
        raise RunError(f"{self.path} was begun with another recipe: {listed}.", remedy)

    def _difference(self, other: Mapping[str, Any]) -> str:
        if other.get("version") != self.identity["version"]:
            theirs, ours = other.get("version"), self.identity["version"]
            return f"The checkpoint in {self.path} was written by version {theirs}, and this is {ours}."
        kinds = {"recipe": "recipe", "split": "data", "churn": "churn (when nodes are online)"}
        changed = (name for key, name in kinds.items() if other.get(key) != self.identity.get(key))
        what = next(changed, "run")
        return f"The {what} changed since the checkpoint in {self.path} was written."

    def record(self, event: Mapping[str, Any]) -> None:
        """Append an event to the curve, entirely or not at all."""
        path = self.path / EVENTS
        line = (json.dumps(event) + "\n").encode()
        with files.writing(path), path.open("ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                if file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def events(self) -> list[dict[str, Any]]:
        """The curve, up to the first line that cannot be read, such as one cut off when the process died."""
        path = self.path / EVENTS
        try:
            text = path.read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise unreadable(path, error) from None
        events: list[dict[str, Any]] = []
        for line in text.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                break
            if not isinstance(event, dict) or not isinstance(event.get("round"), int):
                break
            events.append(event)
        return events

    def curve(self, rounds: int) -> list[dict[str, Any]]:
        """The curve of a complete run with this many `rounds`; an error if a part of it is missing."""
        events = self.events()
        whole = [event["round"] for event in events if len(event) > 1]
        reached = whole[-1] if whole else "none"
        if reached != rounds or len(whole) < len(events):
            raise RunError(
                f"{self.path / EVENTS} is damaged: the run has {rounds} rounds, "
                f"and the last one that can be read is {reached}.",
                "Run anew.",
            )
        return events

    def _truncate(self, round: int) -> None:
        kept = [event for event in self.events() if event["round"] <= round]
        self.write(EVENTS, "".join(json.dumps(event) + "\n" for event in kept))

    def save(self, round: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace the checkpoint."""
        checkpoint.save(self.path, round, self.identity, arrays)

    def forget(self) -> None:
        """Remove the checkpoint."""
        checkpoint.remove(self.path)

    def write(self, name: str, text: str) -> None:
        """Write a file entirely or not at all."""
        with files.replacing(self.path / name) as building:
            building.write_text(text, "utf-8")

    def write_frame(self, name: str, frame: "polars.DataFrame") -> None:
        """Write a table entirely or not at all."""
        from polars.exceptions import PolarsError

        with files.replacing(self.path / name) as building, building.open("wb") as file:
            try:
                frame.write_parquet(file)
            except PolarsError as error:
                # Polars wraps the error of the system in a text of its own.
                said = re.search(r"os error (\d+)", str(error))
                code = int(said[1]) if said else errno.EIO
                raise OSError(code, os.strerror(code) if said else str(error)) from None

    def result(self) -> Result:
        """The figures of a complete run."""
        try:
            return Result.read(self.path / RESULT)
        except (FileNotFoundError, NotADirectoryError):
            if self.begun:
                raise RunError(
                    f"The run in {self.path} is not complete.", "Continue it with --resume."
                ) from None
            raise RunError(
                f"{self.path} is not a run directory.", "Give a directory that a run wrote."
            ) from None
        except OSError as error:
            raise unreadable(self.path / RESULT, error) from None


def named(out: str | Path) -> Path:
    """The place that `out=` names. An empty text would be the current directory, which nobody means."""
    if not str(out).strip():
        raise RunError("out is empty.", "Name a directory, or leave out= out.")
    return Path(out)


def _unusable(path: Path, reason: str | None) -> RunError:
    """The error if no run can be written to a directory."""
    return RunError(f"{path} cannot be used: {reason}.", "Choose another directory with --out.")


def unreadable(path: Path, error: Exception) -> RunError:
    """The error if a file of a run exists but cannot be read."""
    reason = getattr(error, "strerror", None) or error
    return RunError(f"{path} cannot be read: {reason}.", "Check its permissions, or run anew.")


def unused(path: Path) -> Path:
    """`path`, or `path-2`, `path-3` … if it holds a run."""
    candidate, number = path, 1
    while RunDirectory(candidate).begun:
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes out; the system releases the lock of a process that dies."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise _unusable(path, error.strerror) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                f"Another process is running in {path}.", "Wait for it, or use another --out."
            ) from None
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(handle)


def _data_of(recipe: Recipe) -> str:
    """The file or data set of a recipe, for a sentence."""
    return f": {recipe.data.path or recipe.data.name}"
