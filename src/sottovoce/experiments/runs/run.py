"""A finished run: its figures, its curve, and everybody's recommendations."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sottovoce import files
from sottovoce.data.ids import clean, plain
from sottovoce.errors import DataError, RunError
from sottovoce.experiments.recipe import phrases
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import advice
from sottovoce.experiments.runs.directory import PER_USER, RECIPE, RECOMMENDATIONS, REPORT, RunDirectory
from sottovoce.experiments.runs.result import Result
from sottovoce.experiments.runs.tables import TOP, Consumed, Recommendation, fault
from sottovoce.experiments.runs.trouble import Collapse, Divergence
from sottovoce.plural import listed
from sottovoce.registry import build, nearest

if TYPE_CHECKING:
    import pandas
    import polars

    from sottovoce.data.interactions import Interactions
    from sottovoce.experiments.report.verdict import Verdict


class Run:
    """A finished run, in memory or opened from its directory."""

    def __init__(
        self,
        recipe: Recipe,
        figures: Result,
        curve: list[dict[str, Any]],
        *,
        directory: Path | None = None,
        frames: "dict[str, polars.DataFrame] | None" = None,
        train: "Interactions | None" = None,
    ) -> None:
        self.recipe = recipe
        self.figures = figures
        """The figures of `result.json`, typed."""
        self.curve = curve
        """One entry per evaluation: round, messages, bytes, seconds and the metrics."""
        self.directory = directory
        self.data: Interactions | None = None
        """The data of the run, if it was made in this process."""
        self._frames = frames or {}
        self._train = train

    @classmethod
    def open(cls, directory: str | Path) -> "Run":
        """The run that a directory holds."""
        place = RunDirectory(Path(directory))
        figures = place.result()
        curve = place.curve(figures.rounds)
        return cls(Recipe.read(place.path / RECIPE), figures, curve, directory=place.path)

    @functools.cached_property
    def result(self) -> dict[str, Any]:
        """What `result.json` holds, as plain Python."""
        return self.figures.document()

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics after the last round; None where models diverged."""
        return dict(self.figures.final)

    @property
    def baselines(self) -> dict[str, dict[str, float | None]]:
        """The metrics of `popularity` and `random` under the same evaluation."""
        return dict(self.figures.baselines)

    @property
    def references(self) -> dict[str, dict[str, float | None]]:
        """The metrics of the central recommenders that the recipe names, under the same evaluation."""
        return dict(self.figures.references)

    @property
    def diverged(self) -> Divergence | None:
        """How many people's models are not finite at the end; None if all are finite, as they should be."""
        return self.figures.diverged

    @property
    def collapsed(self) -> Collapse | None:
        """How many people's models give every item the same score at the end; None if none do."""
        return self.figures.collapsed

    @property
    def failed(self) -> bool:
        """Whether models diverged, or most give every item the same score; such models are of no use."""
        return self.diverged is not None or (self.collapsed is not None and self.collapsed.most)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the data and the test, such as who is not tested."""
        return tuple(self.figures.notes)

    @property
    def verdict(self) -> "Verdict":
        """How the run compares with popularity, in the words of the report."""
        from sottovoce.experiments.report.methods import of
        from sottovoce.experiments.report.verdict import verdict

        return verdict(of([self]))

    @property
    def report(self) -> Path | None:
        """The HTML report; None if there is none, as after a sweep or without a directory."""
        path = None if self.directory is None else self.directory / REPORT
        return path if path is not None and files.exists(path) else None

    def recommend(self, user: str | int, n: int = 10) -> list[Recommendation]:
        """The `n` best items for a person (at most 100), without training and weighting items."""
        import polars as pl

        if not 1 <= n <= TOP:
            raise RunError(
                f"A run keeps {TOP} recommendations of each person, and n is {n}.",
                f"Choose n from 1 to {TOP}.",
            )
        frame = self._frame(RECOMMENDATIONS)
        users = frame["user"].cast(pl.String)
        named = clean(str(user))
        if not self.people()["user"].eq(named).any():
            named = plain(named)
        chosen = frame.filter(users == named).head(n)
        if chosen.is_empty() and self.people()["user"].eq(named).any():
            if self.diverged:
                raise RunError(
                    f"The model of {named!r} has no finite scores, because it diverged.",
                    advice.diverged(self.recipe),
                )
            return []
        if chosen.is_empty():
            known = users.unique(maintain_order=True).to_list()
            raise DataError(f"Nobody is called {named!r} in this run.", _nearest_user(named, known))
        return [Recommendation(*row) for row in chosen.select(Recommendation._fields).iter_rows()]

    def history(self, user: str | int, n: int = 10, data_dir: str | Path | None = None) -> list[Consumed]:
        """The `n` items that a person rated highest, of those that the model learnt from; the latest first.

        A run that was opened from its directory loads its data again for this.
        """
        train = self._trained_on(data_dir)
        person = train.person(str(user))
        begin, end = train.indptr[person], train.indptr[person + 1]
        newest_first = np.arange(begin, end)[::-1]
        order = newest_first[np.argsort(-train.value[newest_first], kind="stable")][:n]
        catalog = train.catalog
        return [
            Consumed(str(catalog.ids[item]), catalog.title(int(item)), float(value))
            for item, value in zip(train.item[order], train.value[order], strict=True)
        ]

    def _trained_on(self, data_dir: str | Path | None) -> "Interactions":
        """The training part of the data, loaded again if need be."""
        if self._train is None:
            from sottovoce.experiments.runs.loading import load_data

            data, named = load_data(self.recipe, data_dir), self.recipe.split
            split = build("split", named.name, named.settings, "split").split(data, self.recipe.run.seed)
            if split.hash != self.figures.split:
                where = self.recipe.data.path or self.recipe.data.name
                raise RunError(
                    f"The data changed since the run: {where} is not what its models learnt from.",
                    "Put the earlier data back, or run anew.",
                )
            self._train = split.train
        return self._train

    def extend(
        self,
        rounds: int,
        out: str | Path | None = None,
        *,
        data_dir: str | Path | None = None,
        progress: bool | None = None,
    ) -> "Run":
        """Continue to `rounds` in all, in a new directory: `<directory>-<rounds>`, or `out`.

        This run stays as it is. It must have kept its models (`keep_models=True`). Shrinking steps and
        arriving items keep the plan of the first part, so the result equals that of
        `settings={"run.rounds": …, "run.planned": …}` from the start, to the last bit.
        """
        from sottovoce.experiments.runs.extend import extend

        if self.directory is None:
            raise RunError(
                "This run has no directory, so there are no models to continue from.",
                "Run it with out=… and keep_models=True.",
            )
        return extend(self.directory, rounds, out, data=self.data, data_dir=data_dir, progress=progress)

    def to_pandas(
        self, table: Literal["people", "curve", "recommendations"] = "people"
    ) -> "pandas.DataFrame":
        """Every person's metrics, the curve, or all recommendations, as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise RunError(
                "pandas is not installed.", "Install it with: pip install 'sottovoce[pandas]'."
            ) from None
        if table == "curve":
            return pandas.DataFrame(self.curve)
        files = {"people": PER_USER, "recommendations": RECOMMENDATIONS}
        if table not in files:
            raise RunError(f"A run has no table {table!r}.", nearest(table, [*files, "curve"]))
        return pandas.DataFrame({c.name: c.to_list() for c in self._frame(files[table])})

    def recommendations(self) -> "polars.DataFrame":
        """Everybody's recommendations: a row per person and rank."""
        return self._frame(RECOMMENDATIONS)

    def people(self) -> "polars.DataFrame":
        """Everybody's metrics after the last round, and what each node did: a row per person."""
        return self._frame(PER_USER)

    def _frame(self, name: str) -> "polars.DataFrame":
        import polars as pl

        if name not in self._frames:
            assert self.directory is not None
            try:
                # Polars takes a path with brackets for a pattern, and wants one that is UTF-8.
                with (self.directory / name).open("rb") as file:
                    frame = pl.read_parquet(file)
            except (OSError, pl.exceptions.PolarsError) as error:
                raise RunError(f"{self.directory / name} cannot be read: {error}.", "Run anew.") from None
            problem = fault(name, frame, self.figures)
            if problem is not None:
                raise RunError(f"{self.directory / name} is damaged: {problem}.", "Run anew.")
            self._frames[name] = frame
        return self._frames[name]

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{name} {value:.4f}" for name, value in self.metrics.items() if value is not None
        )
        return f"<Run of {phrases.method(self.recipe)}: {figures}>"

    def _repr_html_(self) -> str:
        """The figures beside baselines and references, for notebooks."""
        from sottovoce.experiments.pages.markup import table

        rows = {phrases.method(self.recipe): self.metrics}
        rows |= self.baselines | self.references
        shown = [
            [name, *("—" if figures.get(m) is None else f"{figures[m]:.4f}" for m in self.metrics)]
            for name, figures in rows.items()
        ]
        figures = self.figures
        caption = f"{figures.data.name}, {figures.rounds:,} rounds, seed {figures.seed}"
        return str(table(["", *self.metrics], shown, caption))


def _nearest_user(user: str, known: list[str]) -> str:
    close = len(known) <= 10_000 and len(user) > 2
    return nearest(user, known) if close else f"People are called {listed(known, most=5)}."
