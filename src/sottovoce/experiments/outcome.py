"""What a run comes to: its figures, its curve, and everybody's recommendations."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.ids import clean, plain
from sottovoce.errors import DataError, RunError
from sottovoce.experiments import advice, phrases
from sottovoce.experiments.directory import PER_USER, RECIPE, RECOMMENDATIONS, REPORT, RunDirectory
from sottovoce.experiments.recipe import Recipe
from sottovoce.metrics import lower_is_better as lower_is_better
from sottovoce.plural import count, listed
from sottovoce.registry import build, nearest

if TYPE_CHECKING:
    import pandas
    import polars

    from sottovoce.data.interactions import Interactions
    from sottovoce.experiments.report.verdict import Verdict

TOP = 100


class Recommendation(NamedTuple):
    """An item that a person might like."""

    rank: int
    item: str
    title: str
    score: float
    held_out: bool
    """Whether the person has had it, and the split kept that from the model: a hit."""


class Consumed(NamedTuple):
    """An item of a person's history, with its rating."""

    item: str
    title: str
    value: float


class Divergence(NamedTuple):
    """How many people's models are no longer finite, of how many, and from which evaluated round on."""

    people: int
    of: int
    round: int

    @property
    def most(self) -> bool:
        """Whether that is at least half of all people: then it is the run that diverged."""
        return 2 * self.people >= self.of

    def __str__(self) -> str:
        share = f"{100 * self.people / self.of:.1f} %"
        some = f"{self.people:,} of {self.of:,} people ({share})"
        whose = f"all {self.of:,} people" if self.people == self.of else some
        return f"Models are not finite from round {self.round:,} on: in the end those of {whose}."


class Collapse(NamedTuple):
    """How many people's models give all they recommend the same score, of how many that were trained."""

    people: int
    of: int

    @property
    def most(self) -> bool:
        """Whether at least half of the models do not tell items apart."""
        return 2 * self.people >= self.of

    def __str__(self) -> str:
        whose = f"all {self.of:,}" if self.people == self.of else f"{self.people:,} of {self.of:,}"
        return f"The models of {whose} people score everything alike."


def collapse(
    items: NDArray[np.int32], scores: NDArray[np.float32], trained: NDArray[np.bool_]
) -> Collapse | None:
    """What everybody's recommendations say about it.

    Who has fewer than two does not count, nor who never trained and may not have begun to tell items apart.
    """
    last = np.count_nonzero(items >= 0, axis=1) - 1
    several = (last >= 1) & trained
    alike = scores[several, 0] == scores[several, last[several]]
    return Collapse(int(alike.sum()), int(several.sum())) if alike.any() else None


def divergence(curve: Sequence[Mapping[str, Any]], people: int) -> Divergence | None:
    """What the end of a curve says about it."""
    last = curve[-1].get("diverged", 0) if curve else 0
    since = None
    for event in reversed(curve):
        if not event.get("diverged"):
            break
        since = event["round"]
    return None if since is None else Divergence(last, people, since)


_TEXT = {PER_USER: ("user",), RECOMMENDATIONS: ("user", "item", "title")}
"""Columns that hold text; all others hold numbers."""


def missing(event: Mapping[str, Any]) -> str:
    """Why an evaluation has no value: models diverged, or nobody was online who could be judged."""
    if event.get("diverged"):
        return "diverged"
    return "unknown: nobody was online" if "online" in event else "—"


class Run:
    """A finished run, in memory or opened from its directory."""

    def __init__(
        self,
        recipe: Recipe,
        result: dict[str, Any],
        curve: list[dict[str, Any]],
        *,
        directory: Path | None = None,
        frames: "dict[str, polars.DataFrame] | None" = None,
        train: "Interactions | None" = None,
    ) -> None:
        self.recipe = recipe
        self.result = result
        """What `result.json` holds."""
        self.curve = curve
        """One entry per evaluation: round, messages, bytes, seconds and the metrics."""
        self.directory = directory
        self.data: Interactions | None = None
        """What was learnt from and tested on, if the run was made in this process."""
        self._frames = frames or {}
        self._train = train

    @classmethod
    def open(cls, directory: str | Path) -> "Run":
        """The run that a directory holds."""
        place = RunDirectory(Path(directory))
        result = place.result()
        return cls(Recipe.load(place.path / RECIPE), result, place.curve(result), directory=place.path)

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics after the last round."""
        return dict(self.result["final"])

    @property
    def baselines(self) -> dict[str, dict[str, float]]:
        """The metrics of `popularity` and `random` under the same evaluation."""
        return dict(self.result["baselines"])

    @property
    def references(self) -> dict[str, dict[str, float]]:
        """The metrics of the central references that the recipe asks for, under the same evaluation."""
        return dict(self.result.get("references", {}))

    @property
    def diverged(self) -> Divergence | None:
        """Whose models are not finite at the end; None if all are, as they should be."""
        told = self.result.get("diverged")
        return None if told is None else Divergence(**told)

    @property
    def collapsed(self) -> Collapse | None:
        """Whose models score everything alike at the end; None if nobody's do."""
        told = self.result.get("collapsed")
        return None if told is None else Collapse(**told)

    @property
    def failed(self) -> bool:
        """Whether models diverged, or most tell no items apart: nobody should use what was learnt."""
        return self.diverged is not None or (self.collapsed is not None and self.collapsed.most)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the data and the test, such as who is not tested."""
        return tuple(self.result.get("notes", ()))

    @property
    def verdict(self) -> "Verdict":
        """How it did against popularity, in the words of the report."""
        from sottovoce.experiments.report.methods import of
        from sottovoce.experiments.report.verdict import verdict

        return verdict(of([self]))

    @property
    def report(self) -> Path | None:
        """The HTML report, if the run has a directory."""
        return None if self.directory is None else self.directory / REPORT

    def recommend(self, user: str | int, n: int = 10) -> list[Recommendation]:
        """The first `n` (at most 100) of what the model does not know a person to have had, best first."""
        import polars as pl

        if not 1 <= n <= TOP:
            raise RunError(
                f"A run keeps the first {TOP} recommendations, and {n} were asked for.", "Ask for fewer."
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
                    f"The model of {named!r} has no finite scores: the run diverged.",
                    advice.diverged(self.recipe),
                )
            return []
        if chosen.is_empty():
            known = users.unique(maintain_order=True).to_list()
            raise DataError(f"Nobody is called {named!r} in this run.", _nearest_user(named, known))
        return [Recommendation(*row) for row in chosen.select(Recommendation._fields).iter_rows()]

    def history(self, user: str | int, n: int = 10, data_dir: str | Path | None = None) -> list[Consumed]:
        """The `n` items that a person rated highest, latest first, of those the model learnt from.

        A run that was opened from its directory loads its data again for this.
        """
        if self._train is None:
            from sottovoce.experiments.run import load_data

            data, named = load_data(self.recipe, data_dir), self.recipe.split
            split = build("split", named.name, named.settings, "split").split(data, self.recipe.run.seed)
            if split.hash != self.result.get("split", split.hash):
                where = self.recipe.data.path or self.recipe.data.name
                raise RunError(
                    f"The data changed since the run: {where} is not what its models learnt from.",
                    "Put back what was there, or run anew.",
                )
            self._train = split.train
        train = self._train
        person = train.person(str(user))
        begin, end = train.indptr[person], train.indptr[person + 1]
        newest_first = np.arange(begin, end)[::-1]
        order = newest_first[np.argsort(-train.value[newest_first], kind="stable")][:n]
        catalog = train.catalog
        return [
            Consumed(str(catalog.ids[item]), catalog.title(int(item)), float(value))
            for item, value in zip(train.item[order], train.value[order], strict=True)
        ]

    def extend(
        self,
        rounds: int,
        out: str | Path | None = None,
        *,
        data_dir: str | Path | None = None,
        progress: bool | None = None,
    ) -> "Run":
        """Go on until there are `rounds` in all, in a directory of its own: `<directory>-<rounds>`, or `out`.

        This run stays as it is. It must have kept its models (`keep_models=True`). Steps that shrink and
        items that arrive stay as they were planned for the first part, so that the result is that of
        `settings={"run.rounds": …, "run.planned": …}` from the start, to the last bit.
        """
        from sottovoce.experiments.extend import extend

        if self.directory is None:
            raise RunError(
                "This run was kept nowhere, so nothing can go on from it.",
                "Run it with out=… and keep_models=True.",
            )
        return extend(self.directory, rounds, out, data=self.data, data_dir=data_dir, show=progress)

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
            if (fault := self._fault(name, frame)) is not None:
                raise RunError(f"{self.directory / name} is damaged: {fault}.", "Run anew.")
            self._frames[name] = frame
        return self._frames[name]

    def _fault(self, name: str, frame: "polars.DataFrame") -> str | None:
        """Why a table is not the one that this run wrote; None if it may be."""
        import polars as pl

        # Tails are known of every metric that single people have.
        own = Recommendation._fields if name == RECOMMENDATIONS else tuple(self.result.get("tails", ()))
        lacking = [column for column in ("user", *own) if column not in frame.columns]
        if lacking:
            return f"it has no column {lacking[0]!r}"
        for column, kind in frame.schema.items():
            if column not in _TEXT[name] and not (kind.is_numeric() or kind == pl.Boolean):
                return f"its column {column!r} does not hold numbers"
        people = self.result["data"]["people"]
        if name == PER_USER and len(frame) != people:
            return f"the run has {count(people, 'person')}, and it has {count(len(frame), 'row')}"
        return None

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{name} {value:.4f}" for name, value in self.metrics.items() if value is not None
        )
        return f"<Run of {phrases.method(self.recipe)}: {figures}>"

    def _repr_html_(self) -> str:
        """The figures beside baselines and references, for notebooks."""
        from sottovoce.experiments.markup import table

        rows = {phrases.method(self.recipe): self.metrics}
        rows |= self.baselines | self.references
        shown = [
            [name, *("—" if figures.get(m) is None else f"{figures[m]:.4f}" for m in self.metrics)]
            for name, figures in rows.items()
        ]
        data = self.result["data"]
        caption = f"{data['name']}, {self.result['rounds']:,} rounds, seed {self.recipe.run.seed}"
        return str(table(["", *self.metrics], shown, caption))


def per_user_frame(users: Iterable[str], per_user: dict[str, NDArray[np.float64]]) -> "polars.DataFrame":
    """A row per person; nothing where a person has no held-out items."""
    import polars as pl

    frame = pl.DataFrame({"user": list(map(str, users)), **per_user})
    return frame.with_columns(pl.col(list(per_user)).fill_nan(None))


def recommendations_frame(
    data: "Interactions", items: NDArray[np.int32], scores: NDArray[np.float32]
) -> "polars.DataFrame":
    """A row per person and rank. Text is kept once per distinct value, so a million people fit.

    What a person has had is not recommended unless it was held out.
    """
    import polars as pl

    there = items >= 0
    person, place = np.nonzero(there)
    item = items[there]
    had = np.repeat(np.arange(data.people), np.diff(data.indptr)) * data.items + data.item
    titles = [data.catalog.title(n) for n in range(len(data.catalog))]
    return pl.DataFrame(
        [
            _labels("user", person, list(map(str, data.users))),
            pl.Series("rank", (place + 1).astype(np.int16)),
            _labels("item", item, list(map(str, data.catalog.ids))),
            _labels("title", item, titles),
            pl.Series("score", scores[there].astype(np.float32)),
            pl.Series("held_out", np.isin(person * data.items + item, had)),
        ]
    )


def _labels(name: str, codes: NDArray[Any], texts: list[str]) -> "polars.Series":
    import polars as pl

    return pl.Series(name, texts, dtype=pl.Enum(list(dict.fromkeys(texts)))).gather(codes)


def _nearest_user(user: str, known: list[str]) -> str:
    close = len(known) <= 10_000 and len(user) > 2
    return nearest(user, known) if close else f"People are called {listed(known, most=5)}."
