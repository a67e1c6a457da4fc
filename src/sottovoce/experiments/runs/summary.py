"""The summary of a sweep: mean and standard deviation over seeds, with baselines and references."""

import csv
import io
import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.sweep import Failure, Point, settings_of

JSON, CSV = "summary.json", "summary.csv"


def summarise(points: Sequence[Point], failures: Iterable[Failure]) -> dict[str, Any]:
    """A row for each combination of settings, over the seeds that are complete.

    `std` is the standard deviation of a sample, and null for a single run. If a run diverged and has no
    figure, mean and std are null as well; `diverged` are the seeds of such runs.
    """
    groups: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        groups.setdefault(point.settings, []).append(point)
    found = [_row(group) for group in groups.values()]
    return {
        "metric": next((row["metric"] for row in found if row["runs"]), None),
        "points": found,
        "failures": [
            {"settings": settings_of(f.point), "seed": f.point.seed, "reason": f.reason} for f in failures
        ],
    }


def _row(group: list[Point]) -> dict[str, Any]:
    complete = [point for point in group if point.place.complete]
    runs = [Run.open(point.place.path) for point in complete]
    names = runs[0].references if runs else {}
    return {
        "settings": settings_of(group[0]),
        "runs": len(runs),
        "seeds": [point.seed for point in complete],
        "diverged": [point.seed for point, run in zip(complete, runs, strict=True) if run.failed],
        "metric": runs[0].figures.metric if runs else None,
        **_over(run.metrics for run in runs),
        "baselines": {
            name: _over(run.baselines[name] for run in runs) for name in (runs[0].baselines if runs else {})
        },
        "references": {name: _over(run.references[name] for run in runs) for name in names},
        "seconds": statistics.fmean(run.figures.seconds for run in runs) if runs else None,
        "bytes": statistics.fmean(run.figures.bytes for run in runs) if runs else None,
        "directories": [str(point.place.path) for point in complete],
    }


def _over(metrics: Iterable[Mapping[str, float | None]]) -> dict[str, dict[str, float | None]]:
    """Mean and standard deviation of each metric over runs."""
    columns: dict[str, list[float | None]] = {}
    for one in metrics:
        for name, value in one.items():
            columns.setdefault(name, []).append(value)
    mean, std = {}, {}
    for name, values in columns.items():
        known = [value for value in values if value is not None]
        whole = len(known) == len(values)
        mean[name] = statistics.fmean(known) if whole else None
        std[name] = statistics.stdev(known) if whole and len(known) > 1 else None
    return {"mean": mean, "std": std}


def write(summary: dict[str, Any], out: Path) -> None:
    """Write `summary.json` and `summary.csv`, each entirely or not at all."""
    from sottovoce.experiments.runs.directory import RunDirectory

    place = RunDirectory(out)
    place.write(JSON, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    place.write(CSV, _csv(summary))


def rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """A row of single values for each combination of settings."""
    table = []
    for row in summary["points"]:
        flat = {**row["settings"], "runs": row["runs"]}
        if any(other["diverged"] for other in summary["points"]):
            flat["diverged"] = len(row["diverged"])
        for metric, mean in row["mean"].items():
            flat |= {metric: mean, f"{metric} std": row["std"][metric]}
        for kind in ("baselines", "references"):
            for name, over in row[kind].items():
                flat |= {f"{name} {metric}": mean for metric, mean in over["mean"].items()}
        table.append(flat | {"seconds": row["seconds"], "bytes": row["bytes"]})
    return table


def _csv(summary: dict[str, Any]) -> str:
    table, text = rows(summary), io.StringIO()
    columns = list(dict.fromkeys(column for flat in table for column in flat))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()
