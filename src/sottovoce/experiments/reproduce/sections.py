"""The tables of a reproduction's file."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

FIXED = ConfigDict(extra="forbid", frozen=True, strict=True)


class Strict(BaseModel):
    """A table with fixed keys."""

    model_config = FIXED


class Paper(Strict):
    """Where the claims come from."""

    authors: str
    year: int
    title: str
    shows: str
    """The part of the paper that is reproduced, for example "Figure 3"."""


class Own(Strict):
    """What is shown by results of our own, which no paper has."""

    shows: str
    """The title of the page."""
    about: str
    """What the page is about, in a sentence or two."""


class Reaches(Strict):
    """The first evaluated round in which a metric is at least as good as a value, or as a level."""

    reaches: float | str


class Hours(Strict):
    """The last evaluation within the first `hours`; only in files whose curves go over hours."""

    hours: Annotated[float, Field(ge=0)]


Tail = Literal["cdf 0.1", "cdf 0.01", "cdf 0.001", "worst 10%"]
TAILS: tuple[str, ...] = get_args(Tail)
At = Literal["final", "best", "mean"] | Tail | int | Hours | Reaches
"""Where a metric is read: after the last round, at its best, as the mean over the curve, in the tail
of the people served worst, after a round, after some hours, or as the round or the hour in which it
reaches something."""


class Read(Strict):
    """Which number of a run to read."""

    metric: str | None = None
    """By default the metric of the whole file."""
    at: At = "final"
    only: list[str] = []
    """Labels to which the axes that are left open are restricted."""


class Rows(Read):
    """Figures, a row for each run that `of` stands for."""

    of: list[str] = [""]
    """Labels; by default all runs."""
    per: list[str] | None = None
    """Axes on which rows differ, by default all. Of runs with the same labels on them, the first is shown."""
    paper: dict[str, float] = {}
    """What the paper printed, by labels."""
    tolerance: Annotated[float, Field(ge=0)] | None = None
    """How far our number may be from the paper's, in the unit of the metric."""


class Check(Read):
    """A check of one of these forms, for every combination of the axes that its labels leave open."""

    order: Annotated[list[str], Field(min_length=2)] | None = None
    """Labels, best first: each is better than the next."""
    not_behind: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Labels of two: the first is not worse than the second, by more than chance."""
    of: str | None = None
    """Labels of runs whose figure is at least `least` and at most `most`."""
    times: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Labels of two: the first figure divided by the second is from `least` to `most`."""
    least: float | None = None
    most: float | None = None
    within: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Labels of two that differ by at most `by`."""
    by: Annotated[float, Field(ge=0)] | None = None
    function: str | None = None
    """The name of a function in papers/, such as "hegedus.gap_shrinks"."""

    @property
    def texts(self) -> list[str]:
        """The labels that are compared."""
        alone = [] if self.of is None else [self.of]
        return self.order or self.not_behind or self.within or self.times or alone


class Claim(Strict):
    """A statement. It holds if all its checks hold by more than chance over seeds."""

    claim: str
    source: str | None = None
    """Where the paper makes the statement; without a source it is our own."""
    checks: Annotated[list[Check], Field(min_length=1)]


class Also(Strict):
    """Settings that depend on several axes at once."""

    of: str
    """Labels; the settings are for runs that have all of them."""
    set: dict[str, Any]


class Quick(Strict):
    """The reduced version."""

    only: list[str] = []
    set: dict[str, Any] = {}
    seeds: Annotated[int, Field(ge=1)] = 1
