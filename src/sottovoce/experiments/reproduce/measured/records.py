"""One call of a measuring function: with which settings, what it returned, and on which machine.

Records are lines of JSON: in `measurements.jsonl` of the reproduction's directory, so that one that was
stopped continues, and in `<paper>-measured.jsonl` beside the pages, so that statements can be judged again
without measuring anything.
"""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.errors import RunError
from sottovoce.experiments.runs.directory import RunDirectory


class Record(NamedTuple):
    """What one call of a function returned."""

    measure: str
    """The name of the function."""
    settings: dict[str, Any]
    seed: int
    figures: dict[str, float]
    machine: dict[str, str]
    load: float | None = None
    """How many processes wanted a processor when it began, on average over a minute; None: not known."""

    @property
    def key(self) -> str:
        """Records with the same key are of the same call."""
        return json.dumps([self.measure, self.settings, self.seed], sort_keys=True)


def read(path: Path) -> dict[str, Record]:
    """The records of a file, by their keys; none if there is no such file."""
    found: dict[str, Record] = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines() if path.exists() else (), 1):
        try:
            record = _record(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(
                f"Line {number} of {path} is not a measurement: {error}.",
                "Remove that line, and measure it again.",
            ) from None
        found[record.key] = record
    return found


def write(path: Path, records: Iterable[Record]) -> None:
    """Write a file of records, sorted, entirely or not at all."""
    place = RunDirectory(path.parent)
    place.make()
    ordered = sorted(records, key=lambda record: record.key)
    lines = (json.dumps(record._asdict(), ensure_ascii=False) for record in ordered)
    place.write(path.name, "".join(f"{line}\n" for line in lines))


def _record(line: Mapping[str, Any]) -> Record:
    figures = {str(name): float(value) for name, value in line["figures"].items()}
    if not all(map(math.isfinite, figures.values())):
        raise ValueError("a figure is not finite")
    machine = {str(name): str(value) for name, value in line["machine"].items()}
    load = line.get("load")
    about = str(line["measure"]), dict(line["settings"]), int(line["seed"])
    return Record(*about, figures, machine, None if load is None else float(load))
