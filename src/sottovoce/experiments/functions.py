"""What the commands `sweep`, `report` and `reproduce` do, as functions."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce.errors import RunError
from sottovoce.experiments import summary as summaries
from sottovoce.experiments import sweep as sweeping
from sottovoce.experiments import toml, watch
from sottovoce.experiments.directory import REPORT
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.recipes import find

if TYPE_CHECKING:
    import pandas

STOPPED = "Stopped; what was reached is kept. The same command continues."


class Sweep(NamedTuple):
    """What a sweep came to."""

    directory: Path
    summary: dict[str, Any]
    """What `summary.json` holds: for each combination of settings the mean and deviation over seeds."""
    report: Path | None
    """The page that compares all runs; None where they cannot be compared."""
    note: str
    """Why there is no such page."""
    failures: tuple[str, ...]
    """Runs that did not reach their end, each with the reason."""

    @property
    def runs(self) -> list[Run]:
        """All complete runs."""
        places = (place for row in self.summary["points"] for place in row["directories"])
        return [Run.open(place) for place in places]

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each combination of settings: means, deviations (`hr@20 std`), baselines beside."""
        try:
            import pandas
        except ImportError:
            raise RunError(
                "pandas is not installed.", "Install it with: pip install 'sottovoce[pandas]'."
            ) from None
        return pandas.DataFrame(summaries.rows(self.summary))

    def __repr__(self) -> str:
        runs = sum(row["runs"] for row in self.summary["points"])
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return (
            f"<Sweep of {runs} runs under {len(self.summary['points'])} settings{failed}: {self.directory}>"
        )


class Page(NamedTuple):
    """A report that was written."""

    path: Path
    headline: str
    """The verdict in a few words."""
    sentence: str
    """The verdict with its figures."""
    notes: tuple[str, ...]
    files: tuple[Path, ...]
    """Tables and points of figures, if they were exported."""


def sweep(
    recipe: str | Path,
    grid: Mapping[str, Sequence[Any]] | None = None,
    seeds: int | Sequence[int] = 1,
    *,
    settings: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    data_dir: str | Path | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Run a recipe with every combination of settings and every seed, in parallel processes.

    `grid` gives the values to try, `{"model.factors": [8, 16]}`; `seeds` is how many (1, 2, …), or a
    list. `settings` change the recipe for all. The same call again continues a sweep that was stopped.

    >>> sottovoce.sweep("quickstart", {"model.factors": [8, 16]}, seeds=3).to_pandas()
    """
    axes = [[f"{key}={toml.value(value)}" for value in values] for key, values in (grid or {}).items()]
    chosen = [str(seed) for seed in seeds] if isinstance(seeds, Sequence) else [str(seeds)]
    listed = ",".join(chosen) + "," * isinstance(seeds, Sequence)
    changes = [f"{key}={toml.value(value)}" for key, value in (settings or {}).items()]
    return swept(recipe, changes, axes, sweeping.seeds(listed), jobs, out, data_dir, progress)


def swept(
    recipe: str | Path,
    changes: Sequence[str],
    axes: Iterable[Sequence[str]],
    seeds: Iterable[int],
    jobs: int | None,
    out: str | Path | None,
    data_dir: str | Path | None,
    show: bool | None,
) -> Sweep:
    """A sweep from settings as the command line gives them."""
    path = find(recipe)
    place = Path(out) if out is not None else Path("runs") / f"sweep-{Path(recipe).name.split('.')[0]}"
    points = sweeping.points(path, changes, axes, seeds, place)
    count = jobs or max(1, sweeping.cores() // 2)
    folder = None if data_dir is None else Path(data_dir)
    try:
        with watch.progress(len(points), show) as tell:
            failures = sweeping.execute(points, path, changes, count, folder, tell)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    found = summaries.summarise(points, failures)
    summaries.write(found, place)
    page, note = _compared(place) if any(row["runs"] for row in found["points"]) else (None, "")
    return Sweep(place, found, page, note, tuple(f"{f.point.name}: {f.reason}" for f in failures))


def _compared(place: Path) -> tuple[Path | None, str]:
    """The page that compares all runs of a sweep, or why there is none."""
    try:
        return report(place, out=place / REPORT).path, ""
    except RunError as error:
        return None, str(error)


def report(
    *runs: str | Path | Run,
    out: str | Path | None = None,
    export: str | Path | None = None,
    person: str | int | None = None,
) -> Page:
    """Write a page about a run, about several that are compared, or about all runs of a sweep.

    Runs are given as they are or by their directories. The page is `report.html`, in the run's
    directory if there is only one; `export` is a directory for every table as .csv and .tex, and
    for the points of every figure. The page names nobody and shows nobody's list, so that it can be given
    away; `person` is somebody whose recommendations it shows all the same, without the name.

    >>> sottovoce.report("runs/first", "runs/quiet", out="compare.html").headline
    """
    from sottovoce.experiments import report as reports
    from sottovoce.experiments.report.export import export as tables
    from sottovoce.experiments.report.export import save

    if not runs:
        raise RunError("There is nothing to report on.", "Name a run, or the directory of one.")
    if isinstance(runs[0], list | tuple):
        raise RunError("A list of runs was given.", "Give them one by one: report(*runs).")
    places = [_directory(run) for run in runs]
    made = reports.report(places, None if person is None else str(person))
    default = places[0] / REPORT if len(places) == 1 else Path(REPORT)
    path = save(default if out is None else Path(out), made.html)
    files = () if export is None else tuple(tables(made.sections, Path(export)))
    return Page(path, made.verdict.headline, made.verdict.sentence, made.notes, files)


def _directory(run: str | Path | Run) -> Path:
    if not isinstance(run, Run):
        return Path(run)
    if run.directory is None:
        raise RunError("This run was kept nowhere.", "Give run(…) a directory with out=….")
    return run.directory


def reproduce(
    name: str | Path,
    *,
    quick: bool = False,
    seeds: int | Sequence[int] | None = None,
    jobs: int | None = None,
    only: Sequence[str] = (),
    out: str | Path | None = None,
    page: str | Path | None = None,
    data_dir: str | Path | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Run what a table or figure of a paper needs, and lay it beside what the paper says.

    `name` is shipped, such as `hegedus/figure-3`, or a file. What is returned is what
    `sottovoce reproduce --json` prints, with the `directory` of all runs and of `reproduction.html`.
    A reduced version, `quick=True`, measures and judges nothing. `only` names labels of axes to run.

    >>> sottovoce.reproduce("hegedus/figure-3", quick=True)["rows"]
    """
    from sottovoce.experiments.reproduce import docs, execute, kept
    from sottovoce.experiments.reproduce.form import Reproduction

    form = Reproduction.load(name)
    place = (
        Path(out) if out is not None else Path("runs/reproduce") / (form.name + ("-quick" if quick else ""))
    )
    chosen = list(range(1, seeds + 1)) if isinstance(seeds, int) else seeds
    plan = execute.plan(form, place, quick, chosen, only)
    pages = None if page is None else Path(page)
    if pages is not None:
        kept.restore(pages, plan)
    count = jobs or max(1, sweeping.cores() // 2)
    try:
        with watch.progress(sum(map(len, plan.points.values())), progress) as tell:
            results = execute.execute(plan, count, None if data_dir is None else Path(data_dir), tell)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    found = execute.summarise(plan, results)
    execute.write(found, place)
    if pages is not None:
        docs.write(pages, found)
        kept.keep(pages, plan)
    return found | {"directory": str(place)}
