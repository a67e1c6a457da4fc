"""From a file to measurements, and to their summary.

Cells are measured one after the other in this process, because two at a time would slow each other down.
Each is added to `measurements.jsonl` at once, and a measurement that is there is not made again.
"""

import inspect
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce import __version__
from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce import figures, papers
from sottovoce.experiments.reproduce.labels import Labels
from sottovoce.experiments.reproduce.measured import judge, records
from sottovoce.experiments.reproduce.measured.form import Measurements
from sottovoce.experiments.reproduce.measured.records import Record
from sottovoce.experiments.runs import machine
from sottovoce.experiments.runs.sweep import Tell

FILE = "measurements.jsonl"

Results = Mapping[Labels, Sequence[Record]]
"""The records of each cell, in the order of seeds."""


class Plan(NamedTuple):
    """The cells of a table, in full or reduced."""

    form: Measurements
    quick: bool
    seeds: list[int]
    cells: dict[Labels, dict[str, Any]]
    """The settings of each cell."""

    @property
    def calls(self) -> int:
        """How many measurements there are."""
        return len(self.cells) * len(self.seeds)


def plan(form: Measurements, quick: bool, seeds: Sequence[int] | None, only: Sequence[str] = ()) -> Plan:
    """Every cell; refuses settings that the function does not take."""
    chosen = list(seeds or range(1, 1 + (form.quick.seeds if quick else form.seeds)))
    cells = {cell: form.settings(cell, quick) for cell in form.chosen(only, quick)}
    signature = inspect.signature(papers.find_measure(form.measure))
    for cell, settings in cells.items():
        try:
            signature.bind(1, **settings)
        except TypeError as error:
            raise RecipeError(
                f"{form.where}: {form.measure} cannot measure {', '.join(cell)}: {error}.",
                f"Its settings are {', '.join(list(signature.parameters)[1:])}.",
            ) from None
    return Plan(form, quick, chosen, cells)


def execute(plan: Plan, out: Path, known: Mapping[str, Record], tell: Tell) -> Results:
    """Measure what is neither in `known` nor in the directory."""
    form, path = plan.form, out / FILE
    function, computer = papers.find_measure(form.measure), machine.computer()
    every = dict(known) | records.read(path)
    there = {key: record for key, record in every.items() if record.measure == form.measure}
    results: dict[Labels, list[Record]] = {cell: [] for cell in plan.cells}
    tell(0, "", ())
    # Seed by seed, so that a busy minute does not fall on all repetitions of one cell.
    for done, (seed, cell) in enumerate(itertools.product(plan.seeds, plan.cells), 1):
        empty = Record(form.measure, plan.cells[cell], seed, {}, computer)
        record = there.get(empty.key)
        if record is None:
            load, returned = machine.load(), function(seed, **plan.cells[cell])
            record = empty._replace(figures=_checked(form, returned), load=load)
            there[record.key] = record
            records.write(path, there.values())
        results[cell].append(record)
        tell(done, "", ())
    return results


def _checked(form: Measurements, returned: Mapping[str, float]) -> dict[str, float]:
    """What a function returned; all of it is announced in the file."""
    for name, value in returned.items():
        if name not in form.figures or not math.isfinite(value):
            raise RecipeError(
                f"{form.measure} returns {name} = {value}, but {form.where} has no such figure, or it is "
                "not finite.",
                f"Figures are {', '.join(form.figures)}.",
            )
    return {name: float(value) for name, value in returned.items()}


def summarise(plan: Plan, results: Results) -> dict[str, Any]:
    """What `reproduction.json` holds; a reduced version decides nothing: every `holds` is null."""
    form = plan.form
    found: dict[str, Any] = {
        "experiment": form.name,
        "quick": plan.quick,
        "seeds": plan.seeds,
        "confidence": figures.CONFIDENCE,
        **form.extent(results),
        "paper": form.paper and form.paper.model_dump(),
        **({"own": form.own.model_dump()} if form.own else {}),
        "rows": [row for rows in form.rows for row in judge.rows(form, rows, results)],
        "claims": [judge.claim(form, claim, results) for claim in form.claims],
        "tuned": form.tuned,
        "notes": form.notes,
        "machines": _machines(results),
        "load": _load(results),
        "panels": [],
        "people": [],
        "data": [],
        "version": __version__,
    }
    if plan.quick:
        findings = (finding for claim in found["claims"] for finding in claim["findings"])
        for judged in itertools.chain(found["rows"], found["claims"], findings):
            judged["holds"] = None
    return found


def _machines(results: Results) -> list[dict[str, str]]:
    """The machines that measured, each once."""
    every = (record.machine for cell in results.values() for record in cell)
    return [json.loads(text) for text in dict.fromkeys(json.dumps(one, sort_keys=True) for one in every)]


def _load(results: Results) -> list[float] | None:
    """The lowest and the highest load of the machine while it measured; None if some are not known."""
    every = [record.load for cell in results.values() for record in cell]
    known = [load for load in every if load is not None]
    return [min(known), max(known)] if known and len(known) == len(every) else None


def kept(folder: Path, form: Measurements) -> Path:
    """The file beside the pages that keeps the measurements of a paper."""
    return folder / f"{form.name.split('/')[0]}-measured.jsonl"


def keep(folder: Path, plan: Plan, results: Results) -> None:
    """Put records beside the pages; they replace older ones of the same call."""
    path = kept(folder, plan.form)
    new = {record.key: record for cell in results.values() for record in cell}
    records.write(path, (records.read(path) | new).values())
