"""The sections of a recipe and their keys."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sottovoce import registry

Count = Annotated[int, Field(ge=1)]


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("it must not be blank")
    return text


Text = Annotated[str, AfterValidator(_said)]


class Section(BaseModel):
    """A section with fixed keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Named(BaseModel):
    """The name of a component, and the settings of that component."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: str

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given

    @property
    def label(self) -> str:
        """The name to show."""
        return registry.label(self.name)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings to build the component with."""
        return _given(self)


NONE = Named(name="none")
LINEAR = Named(name="linear")
MF_FEDAVG = Named(name="mf-fedavg")
PLAIN = Named(name="plain")
ALWAYS = Named(name="always")
UNIFORM = Named(name="uniform")
K_OUT = Named(name="k-out")


class Data(BaseModel):
    """The interactions of people with items: a data set known by name, or a file."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: Text | None = None
    """The name of a data set; `sottovoce data list` shows all names."""
    path: Text | None = None
    """A file or folder in place of a name, relative to the recipe."""
    columns: dict[str, str | int] | None = None
    """The columns of a file with `user`, `item`, `rating`, `time` and `title`: names, or numbers from 1."""
    in_memory: bool = False
    """The data was passed in Python, so `name` alone does not lead to it."""

    @property
    def options(self) -> dict[str, Any]:
        """Settings of the source, for example the number of synthetic `users`."""
        return _given(self)


class Division(Named):
    """How the data is divided into training and test."""

    name: str = "local-holdout"
    """If the recipe names no split, data that comes in parts keeps them: `predefined`."""

    @property
    def open(self) -> bool:
        """Whether the recipe leaves the choice of the split to the data."""
        return "name" not in self.model_fields_set


class Arrivals(Section):
    """Items that arrive during the run: each person's latest training items, in equal portions."""

    share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of each person's training items that arrives during the run."""
    every: Count = 10
    """Rounds between portions."""
    until: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The part of the run after which everything has arrived."""
    refresh: bool = True
    """If true, a new item first joins the weighting set (a validation set: items that a person withholds from
    training) and the set's oldest item moves to training. If false, new items are trained on at once, and the
    weighting set stays as it is."""


class Protocol(Named):
    """Who does what when."""

    name: str = "gossip"
    merge: Named | None = None
    """For peers: how a received model is combined with the receiver's own, by default `linear`."""
    aggregate: Named | None = None
    """For a server: how it makes one model of many updates, by default `mf-fedavg`."""
    sum: Named | None = None
    """For a server: where updates are summed, by default `plain`: the server sees each of them."""
    compress: list[Named] = []
    """Steps that make messages smaller, such as `["subsample", { name = "quantize", bits = 8 }]`."""


class Network(Section):
    """The network between nodes; central training has none."""

    peers: Named | None = None
    """For peers: whom a node talks to, by default `uniform`, or `k-out` if there are `links`."""
    links: Named | None = None
    """How long messages take. By default there is no time: everybody sends at once in each round."""
    churn: Named | None = None
    """When nodes are online, by default `always`; it needs `links`."""


class Observe(Section):
    """Who observes what, for measuring what leaks."""

    who: str | Count | Annotated[list[str | int], Field(min_length=1)]
    """`"server"`, a list of people by their ids in the data (and `"server"`), or how many random people."""
    rounds: Annotated[list[Count], Field(min_length=2, max_length=2)]
    """The first and the last round, from 1."""


class Privacy(Section):
    """What may leave a device."""

    disclose: bool | list[Literal["vectors", "statistics"]] = False
    """What may leave devices although by design it stays: people's `"vectors"`, which `fedfast` needs, or one
    person's `"statistics"`, which `consensus` sends without masked groups. `true`: whatever is needed."""
    steps: list[Named] = []
    """What is done to an update before it leaves a device, in order, such as `["clip"]`. Among peers,
    the part of a training that the steps withhold stays with its person."""
    observe: Observe | None = None
    """Record the messages that some observers receive into `observed/` in the run directory."""


class Attack(Named):
    """People who lie to the others; figures are then those of everybody else."""

    name: str = "none"


class Evaluate(Section):
    """When and how quality is measured."""

    every: Count = 10
    """Rounds between evaluations; the last round is always evaluated."""
    ks: Annotated[list[Count], Field(min_length=1)] = [5, 10, 20]
    """Lengths of the lists that ranking metrics look at."""
    metrics: list[str] | None = None
    """What is measured (`sottovoce.metrics.NAMES`); by default the usual metrics of the split."""
    candidates: Literal["sampled", "all"] | None = None
    """What held-out items are ranked among: the split's candidates if it has any, or all items."""
    tune: Annotated[int, Field(ge=0)] = 0
    """Before evaluation, each person fine-tunes a copy of the model this many times on their own data."""
    tune_step: Annotated[float, Field(gt=0, le=1)] = 1.0
    """How far the copy moves towards the result of each fine-tuning: 1 is all the way."""
    best: Literal["none", "noted", "used"] = "none"
    """`noted`: the run notes when each person's model is best on the weighting set (a validation set: items
    that a person withholds from training), which tells when a node has converged. `used`: people are also
    tested with that model. In both cases the curve shows the mean quality on weighting sets, by which
    settings can be chosen."""
    metric: str | None = None
    """The main metric; by default `hr@` the largest K if it is measured, otherwise the first metric."""
    references: list[Named] = []
    """Central recommenders to measure for comparison, such as `["als", "ease"]`."""


class Execution(Section):
    """How long to run, and on what. Threads and checkpoints change no result."""

    rounds: Count = 100
    """How often everybody sends, merges and trains; in central training, how often everybody trains."""
    planned: Count | None = None
    """The number of rounds for which shrinking steps and arriving items are laid out; by default `rounds`. An
    extended run keeps the plan of its first part. The round in which a plan ends is evaluated."""
    least_gain: Annotated[float, Field(gt=0, lt=1)] | None = None
    """End before `rounds` if the last two sweeps improved the quality that people measure on their weighting
    sets by less than this share, and the settings that they choose hardly move any more. By default all
    rounds are run. Only models that measure themselves, such as `als`, can tell."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    """All random numbers depend on it, including those of the split."""
    threads: Annotated[int, Field(ge=0)] = 0
    """0: one for each processor."""
    storage: Literal["float32", "bfloat16"] = "float32"
    """How models are stored. `bfloat16` takes half the memory and rounds at random."""
    keep_models: bool = False
    """Keep the last checkpoint, which holds every node's model."""
    checkpoint: Annotated[float, Field(ge=0)] = 60.0
    """Seconds between checkpoints."""

    @property
    def plan(self) -> int:
        """The number of rounds for which everything is laid out."""
        return self.planned or self.rounds


def _given(section: BaseModel) -> dict[str, Any]:
    """The keys that a section does not declare itself, without those set to nothing."""
    return {key: value for key, value in (section.model_extra or {}).items() if value is not None}
