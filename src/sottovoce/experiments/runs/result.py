"""`result.json`: the figures of a finished run, typed, and checked when they are read."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, field_serializer

from sottovoce.allowed import refused
from sottovoce.errors import RunError
from sottovoce.experiments.runs.trouble import Collapse, Divergence

Metrics = dict[str, float | None]
"""Figures by the name of a metric, such as "hr@20"; None where models diverged."""


class _Table(BaseModel):
    """Keys that this version does not know are kept as they are."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, allow_inf_nan=False)


class Described(_Table):
    """The data of a run."""

    name: str
    people: int
    items: int
    interactions: int
    source: str = ""
    """Where it was found."""
    notes: list[str] = []
    """What to know about it, for example how repeated rows were treated."""
    terms: str = ""
    """Its terms of use."""


class Seen(_Table):
    """Something that leaves a device; see `sottovoce.disclosure`."""

    what: str
    to: str
    tells: str
    private: bool = False


class Spent(_Table):
    """Differential privacy: what the person who disclosed most has spent; see `sottovoce.privacy`."""

    trust: str
    """`local`, `distributed` or `central`."""
    relation: str
    """Which data sets are neighbours."""
    epsilon: float
    """ε that the person who disclosed most has spent."""
    budget: float
    """The ε that nobody exceeds."""
    delta: float
    noise: float
    """The standard deviation of the noise, divided by the sensitivity."""
    allowed: int
    """How many disclosures the budget allows."""
    disclosures: dict[str, float]
    """How many there were per person: `min`, `median`, `max`."""
    stopped: int
    """How many people have spent their budget."""
    randomness: str
    """Where the noise came from."""


class Attacked(_Table):
    """People who lied to the others, and what they achieved; see `sottovoce.simulate.attackers`."""

    name: str
    people: int
    """How many attacked. All other figures of the result are those of everybody else."""
    item: str | None = None
    """The item that they promoted, if they did."""
    owners: int = 0
    """How many people have it in their training data."""
    exposure: dict[str, float] = {}
    """The share of honest people's lists that hold it, such as `"10"` for lists of ten; of those people who
    do not have it."""


class Result(_Table):
    """The figures of a finished run. Keys with a default are missing in results of earlier versions."""

    final: Metrics
    """After the last round."""
    best: Metrics
    """In the round in which the main metric was best."""
    baselines: dict[str, Metrics]
    """Popularity and random, under the same evaluation."""
    references: dict[str, Metrics] = {}
    """Central recommenders, under the same evaluation."""
    messages: int
    bytes: int
    seconds: float
    """Training alone: no compilation, set-up or evaluation."""
    compiled: int = 0
    """How many kernels were compiled."""
    peak_rss_bytes: int = 0
    nodes: int
    seed: int
    version: str
    metric: str
    """The main metric."""
    best_round: int
    rounds: int
    tails: dict[str, Metrics] = {}
    """Of each metric: how the people who are served worst do."""
    tails_beside: dict[str, dict[str, Metrics]] = {}
    """The same with each baseline and reference, in their names."""
    diverged: Divergence | None = None
    collapsed: Collapse | None = None
    tested: int = 0
    """How many people have held-out items."""
    left_out: dict[str, str] = {}
    """Metrics that were not measured, and why."""
    notes: list[str] = []
    """What to know about the data and the test."""
    by_node: dict[str, dict[str, float]] = {}
    """What nodes did: means, and figures of the nodes with the highest."""
    hours: float | None = None
    """The length of a run in virtual time; None without links."""
    arrived: int | None = None
    """How many messages arrived; None without links."""
    churn: dict[str, Any] = {}
    """Who was online when (`sottovoce.simulate.churn.statistics`)."""
    categories: dict[str, Metrics] = {}
    """The bias disparity of each category of items."""
    categories_beside: dict[str, dict[str, Metrics]] = {}
    """The same with each baseline and reference, in their names."""
    privacy: list[Seen] = []
    """What leaves a device."""
    dp: Spent | None = None
    """Differential privacy, if the run promised it."""
    attack: Attacked | None = None
    """Attackers, if there are any."""
    data: Described
    split: str
    """The hash of the data as it was divided."""
    versions: dict[str, str] = {}
    """Of Python and of the packages that took part."""

    @field_serializer("diverged", "collapsed")
    def _named(self, value: Divergence | Collapse | None) -> dict[str, int] | None:
        return None if value is None else value._asdict()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file; a missing one is a FileNotFoundError, a damaged one a sentence."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise RunError(f"{path} is damaged: {_fault(error)}.", "Run anew.") from None

    def document(self) -> dict[str, Any]:
        """What the file holds."""
        return self.model_dump(exclude_unset=True)

    def dumps(self) -> str:
        """The text of the file."""
        return json.dumps(self.document(), indent=2, ensure_ascii=False) + "\n"


def _fault(error: ValidationError) -> str:
    """What is wrong with a file, in a few words."""
    found = error.errors()
    missing = [_key(one["loc"]) for one in found if one["type"] == "missing"]
    if missing:
        return f"it has no {', '.join(missing)}"
    if not found[0]["loc"]:
        why = "" if found[0]["type"] == "model_type" else f" ({found[0]['msg']})"
        return f"it is not a JSON object{why}"
    place, said = refused(found)
    return f"{_key(place)} {said.removesuffix('.')}"


def _key(place: Sequence[int | str]) -> str:
    return ".".join(map(str, place))
