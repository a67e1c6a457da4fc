"""What the commands `sweep`, `report` and `reproduce` do, as functions."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce.errors import RunError
from sottovoce.experiments.recipe import toml
from sottovoce.experiments.recipe.shipped import find
from sottovoce.experiments.runs import summary as summaries
from sottovoce.experiments.runs import sweep as sweeping
from sottovoce.experiments.runs import watch
from sottovoce.experiments.runs.directory import REPORT, named
from sottovoce.experiments.runs.run import Run

if TYPE_CHECKING:
    import pandas

    from sottovoce.experiments.reproduce.measured.form import Measurements

STOPPED = "Stopped. Finished and interrupted runs are kept, and the same command continues them."


class Sweep(NamedTuple):
    """The outcome of a sweep."""

    directory: Path
    summary: dict[str, Any]
    """What `summary.json` holds: mean and standard deviation over seeds, for each combination of settings."""
    report: Path | None
    """The page that compares all runs; None if they cannot be compared."""
    note: str
    """Why there is no such page."""
    failures: tuple[str, ...]
    """Runs that failed, each with the reason."""

    @property
    def runs(self) -> list[Run]:
        """All complete runs."""
        places = (place for row in self.summary["points"] for place in row["directories"])
        return [Run.open(place) for place in places]

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each combination of settings: means, standard deviations (`hr@20 std`) and baselines."""
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
    """The exported tables and points of figures."""


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

    `grid` gives the values to try, `{"model.factors": [8, 16]}`; `seeds` is a number of seeds (1, 2, …), or
    a list of them. `settings` change the recipe for all runs. The same call again continues a sweep that was
    stopped. Runs have no report of their own; `sottovoce.report` draws one.

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
    progress: bool | None,
) -> Sweep:
    """A sweep from settings as the command line gives them."""
    path = find(recipe)
    place = named(out) if out is not None else Path("runs") / f"sweep-{Path(recipe).name.split('.')[0]}"
    points = sweeping.points(path, changes, axes, seeds, place)
    count = jobs or max(1, sweeping.cores() // 2)
    folder = None if data_dir is None else Path(data_dir)
    try:
        with watch.progress(len(points), progress) as tell:
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

    A run is given as a `Run` or by its directory. The page is `report.html`, in the run's directory if there
    is only one. `export` is a directory for every table as .csv and .tex, and for the points of every figure.
    The page can be shared: it names no person and shows nobody's list, unless `person` asks for one; even
    then it does not name the person.

    >>> sottovoce.report("runs/first", "runs/quiet", out="compare.html").headline
    """
    from sottovoce.experiments.report.export import export as tables
    from sottovoce.experiments.report.export import save
    from sottovoce.experiments.report.report import report as made_of

    if not runs:
        raise RunError("No run was given.", "Give a run, or the directory of one.")
    if isinstance(runs[0], list | tuple):
        raise RunError("A list of runs was given.", "Give them one by one: report(*runs).")
    places = [_directory(run) for run in runs]
    made = made_of(places, None if person is None else str(person))
    default = places[0] / REPORT if len(places) == 1 else Path(REPORT)
    path = save(default if out is None else named(out), made.html)
    files = () if export is None else tuple(tables(made.sections, Path(export)))
    return Page(path, made.verdict.headline, made.verdict.sentence, made.notes, files)


def _directory(run: str | Path | Run) -> Path:
    if not isinstance(run, Run):
        return Path(run)
    if run.directory is None:
        raise RunError("This run has no directory.", "Give run(…) one with out=….")
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
    """Run what a table or figure of a paper needs, and compare the results with the paper's.

    `name` is a shipped reproduction, such as `hegedus/figure-3`, or a file. The result is what
    `sottovoce reproduce --json` prints, with the `directory` of all runs and of `reproduction.html`.
    `quick=True` is a reduced version, which decides nothing about the paper. `only` names labels to run.

    >>> sottovoce.reproduce("hegedus/figure-3", quick=True)["rows"]
    """
    from sottovoce.experiments.reproduce import docs, execute, kept, reading
    from sottovoce.experiments.reproduce.measured.form import Measurements

    form = reading.read(name)
    place = (
        named(out) if out is not None else Path("runs/reproduce") / (form.name + ("-quick" if quick else ""))
    )
    chosen = list(range(1, seeds + 1)) if isinstance(seeds, int) else seeds
    pages = None if page is None else Path(page)
    if isinstance(form, Measurements):
        return _measure(form, place, quick, chosen, only, pages, progress)
    plan = execute.plan(form, place, quick, chosen, only)
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


def _measure(
    form: "Measurements",
    place: Path,
    quick: bool,
    seeds: Sequence[int] | None,
    only: Sequence[str],
    pages: Path | None,
    progress: bool | None,
) -> dict[str, Any]:
    """The same for a table whose cells are measured by a function."""
    from sottovoce.experiments.reproduce import docs, execute
    from sottovoce.experiments.reproduce.measured import execute as measuring
    from sottovoce.experiments.reproduce.measured import records

    plan = measuring.plan(form, quick, seeds, only)
    known = {} if pages is None else records.read(measuring.kept(pages, form))
    try:
        with watch.progress(plan.calls, progress, "measurements") as tell:
            results = measuring.execute(plan, place, known, tell)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    found = measuring.summarise(plan, results)
    execute.write(found, place)
    if pages is not None:
        docs.write(pages, found)
        measuring.keep(pages, plan, results)
    return found | {"directory": str(place)}
