"""A recipe: a TOML file that says everything a run depends on.

    [data]      name of a data set or path of a file, its columns, options of its source
    [split]     name, and the settings of that split; by default that of the files if they are divided
    [arrivals]  share: of the training items, how many come during the run; every (rounds), until, refresh
    [model]     name, and the settings of that model
    [protocol]  name, its settings; merge: how an incoming model is combined with one's own, or
                aggregate: how a server makes one model of many; compress: a chain
    [network]   peers: whom a node talks to; links: how long messages take; churn: who is online
    [privacy]   disclose: whether what is private by design may leave devices, if a protocol needs that
    [evaluate]  every (rounds), ks, metrics, candidates, metric (the one that verdicts and progress
                speak of), references: what a central service would use, measured beside the run
    [run]       rounds, planned, seed, threads, storage, keep_models, checkpoint (seconds)

Where a component is named, a string is short for a table with that name and no settings:
`merge = "linear"` is `merge = { name = "linear" }`. What is left out takes the default that the
component declares. Unknown keys are refused with the nearest valid name. A name that ends in `.py`
is the path of a file of one's own that registers the component; a resolved recipe adds its hash.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from sottovoce import registry
from sottovoce.errors import RecipeError
from sottovoce.experiments import combinations, toml
from sottovoce.experiments.document import beside, refusal, settings, shorten
from sottovoce.experiments.overrides import override
from sottovoce.metrics import NAMES

Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """Fixed keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Named(BaseModel):
    """The name of a component, and the settings of what it names."""

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
        """What the component is built with."""
        return {k: v for k, v in (self.model_extra or {}).items() if v is not None}


class Data(BaseModel):
    """What people did: a data set known by name, or a file."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: str | None = None
    """A data set that is known by name, as `sottovoce data list` shows them."""
    path: str | None = None
    """Or a file or folder, relative to the recipe."""
    columns: dict[str, str | int] | None = None
    """Which columns of a file hold `user`, `item`, `rating`, `time` and `title`: names, or numbers from 1."""
    memory: bool = False
    """The data was handed over in Python, so that `name` alone need not lead to it."""

    @property
    def options(self) -> dict[str, Any]:
        """What the source is asked for, for example the number of synthetic `users`."""
        return {k: v for k, v in (self.model_extra or {}).items() if v is not None}


class Division(Named):
    """What is trained on and what is tested."""

    name: str = "local-holdout"
    """A recipe that names none leaves data that comes in parts divided as it is: `predefined`."""

    @property
    def open(self) -> bool:
        """Whether the data decides."""
        return "name" not in self.model_fields_set


NONE = Named(name="none")
LINEAR = Named(name="linear")
MF_FEDAVG = Named(name="mf-fedavg")
PLAIN = Named(name="plain")
ALWAYS = Named(name="always")
UNIFORM = Named(name="uniform")
K_OUT = Named(name="k-out")


class Protocol(Named):
    """Who does what when."""

    name: str = "gossip"
    merge: Named | None = None
    """How an incoming model is combined with one's own, by default `linear`; where models meet."""
    aggregate: Named | None = None
    """How a server makes one model of many updates, by default `mf-fedavg`; where there is a server."""
    sum: Named | None = None
    """Where updates are summed, by default `plain`: the server sees each of them; where there is a server."""
    compress: list[Named] = []
    """What makes messages smaller, such as `["subsample", { name = "quantize", bits = 8 }]`."""


class Arrivals(Section):
    """What comes while the network learns: the items that everybody met latest, in equal portions."""

    share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Of everybody's training items, how many are not there at the beginning."""
    every: Count = 10
    """Rounds between portions."""
    until: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The part of the run after which everything has come."""
    refresh: bool = True
    """Whether new items first judge models in the weighting set (a validation set: items that a person
    withholds from training), whose oldest items then go over to training; else they are trained on at once,
    and the set stays as it is."""


class Network(Section):
    """The network between nodes; central training has none."""

    peers: Named | None = None
    """Whom a node talks to, where models meet; by default `uniform`, and `k-out` where there are `links`."""
    links: Named | None = None
    """How long messages take. By default there is no time: in each round everybody sends at once."""
    churn: Named | None = None
    """When nodes are online, by default `always`; it needs `links`."""


class Privacy(Section):
    """What may leave a device."""

    disclose: bool = False
    """Whether people's vectors may leave their devices, as `fedfast` needs; other protocols do without."""
    steps: list[Named] = []
    """What is done to an update before it leaves a device, in this order, such as `["clip"]`; where there
    is a server."""


class Evaluate(Section):
    """When and how quality is measured."""

    every: Count = 10
    """Rounds between evaluations; the last round is always evaluated."""
    ks: Annotated[list[Count], Field(min_length=1)] = [5, 10, 20]
    """Lengths of the lists that ranking metrics look at."""
    metrics: list[str] | None = None
    """What is measured (`sottovoce.metrics.NAMES`); by default what the split is usually judged by."""
    candidates: Literal["sampled", "all"] | None = None
    """What held-out items are ranked among: the split's candidates where it has any, or all items."""
    tune: Annotated[int, Field(ge=0)] = 0
    """Before they are evaluated, everybody trains a copy of the model so often on the own data."""
    tune_step: Annotated[float, Field(gt=0, le=1)] = 1.0
    """How far such a copy moves towards what each training makes of it."""
    best: Literal["none", "noted", "used"] = "none"
    """Whether it is noted when each person's model is at its best by the weighting set (a validation set:
    items that a person withholds from training), which is what convergence means for a node, and
    whether people are tested with that model. Events then have the mean quality on the weighting set,
    by which settings can be chosen."""
    metric: str | None = None
    """The main metric; by default `hr@` the largest K if it is measured, and else the first that is."""
    references: list[Named] = []
    """What a central service would use, such as `["als", "ease"]`, to be measured beside the run."""


class Execution(Section):
    """How long, and with what of this machine. Results depend on `rounds`, `planned`, `seed`, `storage`."""

    rounds: Count = 100
    """How often everybody sends, merges and trains; in central training, how often everybody trains."""
    planned: Count | None = None
    """The rounds that steps which shrink, and items that arrive, are laid out for; by default `rounds`. A
    run that is extended keeps the plan of its first part. The round at which a plan ends is evaluated."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    """What all random numbers depend on, those of the split too."""
    threads: Annotated[int, Field(ge=0)] = 0
    """0: as many as there are."""
    storage: Literal["float32", "bfloat16"] = "float32"
    """What models are kept in; `bfloat16` takes half the memory, rounded at random."""
    keep_models: bool = False
    """Keep the last checkpoint, which holds every node's model."""
    checkpoint: Annotated[float, Field(ge=0)] = 60.0
    """Seconds between checkpoints."""

    @property
    def plan(self) -> int:
        """The rounds that everything is laid out for."""
        return self.planned or self.rounds


class Components(NamedTuple):
    """What a recipe names, built."""

    split: Any
    model: Any
    protocol: Any
    merge: Any
    """How models become one: a merge rule, or where there is a server, how it aggregates."""
    peers: Any
    chain: Any
    sum: Any
    """Where a server's updates are summed."""
    steps: tuple[Any, ...]
    """What is done to an update before it leaves a device, compression apart."""
    links: Any
    """None: rounds without time."""
    churn: Any
    references: dict[str, Any]


class Recipe(BaseModel):
    """Everything a run depends on."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    data: Data
    split: Division = Division()
    arrivals: Arrivals = Arrivals()
    model: Named = Named(name="ials")
    protocol: Protocol = Protocol()
    network: Network = Network()
    privacy: Privacy = Privacy()
    evaluate: Evaluate = Evaluate()
    run: Execution = Execution()

    _where: str = PrivateAttr("the recipe")

    @classmethod
    def load(cls, path: str | Path, changes: Iterable[str] = ()) -> Self:
        """Read a file and apply changes such as `model.factors=16`.

        A relative path in the file, of data or of a component, is relative to the file, one in
        `changes` to the current directory.
        """
        path = Path(path)
        try:
            document = tomllib.loads(path.read_text("utf-8"))
        except OSError as error:
            raise RecipeError(
                f"{path} cannot be read: {error.strerror}.", "Give the path of a recipe."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RecipeError(f"{path} is not TOML: {error}.", "Correct that place.") from None
        if "paper" in document:
            raise RecipeError(
                f"{path} is a reproduction of many runs, and no recipe for one.",
                f"Run it with: sottovoce reproduce {path}.",
            )
        return cls.parse(override(beside(path.parent, document), changes), str(path))

    @classmethod
    def parse(cls, document: Mapping[str, Any], where: str = "the recipe") -> Self:
        """Check a recipe given as nested tables; `where` names its place in error messages."""
        try:
            recipe = cls.model_validate(dict(document))
        except ValidationError as error:
            raise refusal(cls, error, where) from None
        recipe._where = where
        for name in recipe.evaluate.metrics or ():
            if name not in NAMES:
                raise RecipeError(
                    f"{where}: evaluate.metrics has {name!r}, which is no metric.",
                    registry.nearest(name, list(NAMES)),
                )
        if recipe.arrivals.share and recipe.arrivals.refresh and recipe.evaluate.best != "none":
            raise RecipeError(
                f"{where}: evaluate.best compares models by weighting sets (validation sets), and [arrivals] "
                "changes those.",
                "Leave evaluate.best out, or set arrivals.refresh = false.",
            )
        if (recipe.data.name is None) == (recipe.data.path is None):
            problem = "neither a name nor a path" if recipe.data.name is None else "both a name and a path"
            raise RecipeError(
                f"{where}: [data] has {problem}.",
                'Write name = "ml-100k" for a known data set or path = "ratings.csv" for a file.',
            )
        return recipe

    def components(self) -> Components:
        """Build everything the recipe names, each setting checked."""
        from sottovoce.protocols.interface import aggregates

        protocol = self._build("protocol", self.protocol, "protocol")
        own, network = self.protocol, self.network
        used = self._used(protocol)
        links = network.links if "links" in used else None
        self._refuse_unused(used)
        if "aggregate" in used:
            merge = self._build("aggregate", own.aggregate or MF_FEDAVG, "protocol.aggregate")
        elif (brought := aggregates(protocol)) is not None:
            merge = brought
        else:
            merge = self._build("merge", (own.merge or LINEAR) if "merge" in used else NONE, "protocol.merge")
        made = Components(
            split=self._build("split", self.split, "split"),
            model=self._build("model", self.model, "model"),
            protocol=protocol,
            merge=merge,
            peers=self._build("peers", self._peers(), "network.peers"),
            chain=self._chain(protocol, "merge" in used),
            sum=self._build("sum", own.sum or PLAIN, "protocol.sum"),
            steps=tuple(self._build("step", step, "privacy.steps") for step in self.privacy.steps),
            links=self._build("links", links, "network.links") if links else None,
            churn=self._build("churn", network.churn or ALWAYS, "network.churn"),
            references=self._references(),
        )
        if "merge" in used:
            combinations.check(made.merge, made.peers, made.chain, self._where)
        if not self.privacy.disclose:
            combinations.check_privacy(self.protocol.label, made, self._where)
        return made

    def _peers(self) -> Named:
        return self.network.peers or (UNIFORM if self.network.links is None else K_OUT)

    def _used(self, protocol: Any) -> set[str]:
        """What of a protocol's surroundings plays a part with it."""
        from sottovoce.protocols.interface import aggregates

        around = {"compress", "steps", "links", "churn"}
        if protocol.topology == "peers":
            return around | {"merge", "peers"}
        if protocol.topology == "central":
            return set()
        return around | {"sum"} | ({"aggregate"} if aggregates(protocol) is None else set())

    def _refuse_unused(self, used: set[str]) -> None:
        for key in ("merge", "aggregate", "sum", "compress"):
            if getattr(self.protocol, key) and key not in used:
                raise RecipeError(
                    f"{self._where}: protocol.{key} has no meaning with the protocol {self.protocol.name!r}.",
                    "Leave it out, or choose another protocol: 'gossip' merges what peers send, "
                    "'federated' aggregates on a server.",
                )
        if self.privacy.steps and "steps" not in used:
            raise RecipeError(
                f"{self._where}: privacy.steps has no meaning with the protocol {self.protocol.name!r}: "
                "steps change what leaves a device, and there everything does.",
                "Leave it out, or choose the protocol 'gossip' or 'federated'.",
            )
        if self.network.churn and not self.network.links:
            raise RecipeError(
                f"{self._where}: network.churn needs time, and without links there is none.",
                'Add links = "uniform" to [network].',
            )

    def _chain(self, protocol: Any, merges: bool) -> Any:
        from sottovoce.exchange.compression.interface import chain

        made = chain(self._build("compression", c, "protocol.compress") for c in self.protocol.compress)
        if made.delta and (not merges or protocol.start != "common"):
            told = (
                "nodes that each start on their own have no common start to send differences to"
                if merges
                else "a federated client sends differences to the last broadcast anyway"
            )
            raise RecipeError(
                f"{self._where}: protocol.compress names 'delta', but {told}.",
                "Leave 'delta' out, or set start = \"common\" with the protocol 'gossip'.",
            )
        return made

    def _references(self) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for named in self.evaluate.references:
            if named.name in built:
                raise RecipeError(
                    f"{self._where}: evaluate.references names {named.name!r} twice.", "Name each once."
                )
            built[named.name] = self._build("reference", named, "evaluate.references")
        return built

    def _build(self, kind: str, named: Named, key: str) -> Any:
        try:
            return registry.build(kind, named.name, named.settings, f"{self._where}: {key}")
        except RecipeError as error:
            if error.problem.startswith(self._where):
                raise
            raise RecipeError(f"{self._where}: {key}: {error.problem}", error.remedy) from None

    def resolved(self, metric: str | None = None) -> Self:
        """The recipe with every default written out, except what depends on the data.

        `metric` is the main metric if the recipe leaves it open. Settings that a component leaves
        open until it sees the data (None, NaN) stay out.
        """
        built = self.components()
        document = self.document()
        document["split"] = settings(self.split.name, built.split)
        document["model"] = settings(self.model.name, built.model)
        document["protocol"] = settings(self.protocol.name, built.protocol)
        document["network"] = {}
        used = self._used(built.protocol)
        if "merge" in used:
            document["protocol"]["merge"] = settings((self.protocol.merge or LINEAR).name, built.merge)
            document["network"]["peers"] = settings(self._peers().name, built.peers)
        if "aggregate" in used:
            aggregate = (self.protocol.aggregate or MF_FEDAVG).name
            document["protocol"]["aggregate"] = settings(aggregate, built.merge)
        if self.protocol.sum:
            document["protocol"]["sum"] = settings(self.protocol.sum.name, built.sum)
        if self.protocol.compress:
            document["protocol"]["compress"] = [
                settings(c.name, self._build("compression", c, "protocol.compress"))
                for c in self.protocol.compress
            ]
        if self.privacy.steps:
            named = zip(self.privacy.steps, built.steps, strict=True)
            document["privacy"]["steps"] = [settings(step.name, made) for step, made in named]
        if self.network.links is not None and built.links is not None:
            document["network"]["links"] = settings(self.network.links.name, built.links)
            churn = settings((self.network.churn or ALWAYS).name, built.churn)
            if "path" in churn:
                churn["path"] = str(Path(churn["path"]).expanduser().resolve())
            document["network"]["churn"] = churn
        document["evaluate"].setdefault("metric", metric)
        document["evaluate"]["references"] = [settings(n, r) for n, r in built.references.items()]
        if self.data.path is not None:
            document["data"]["path"] = str(Path(self.data.path).resolve())
        if "start_from" in document["model"]:
            document["model"]["start_from"] = [str(Path(p).resolve()) for p in built.model.start_from]
        if self.data.name is not None:
            document["data"]["name"] = registry.pinned(self.data.name)
        return type(self).parse(document, self._where)

    def divided(self) -> Self:
        """The recipe with the split that the files of its data define."""
        return self.model_copy(update={"split": self.split.model_copy(update={"name": "predefined"})})

    def document(self) -> dict[str, Any]:
        """The recipe as nested tables, without what was left open."""
        document = self.model_dump(exclude_none=True)
        if not self.data.memory:
            del document["data"]["memory"]
        document["privacy"] = {key: value for key, value in document["privacy"].items() if value}
        if not self.arrivals.share:
            del document["arrivals"]
        return document

    def dumps(self) -> str:
        """The recipe as TOML, which `load` reads back as the same recipe."""
        document = {section: shorten(table) for section, table in self.document().items() if table}
        return toml.dumps(document)

    def __eq__(self, other: object) -> bool:
        """Where a recipe was read from makes no difference."""
        return isinstance(other, Recipe) and self.document() == other.document()

    def __hash__(self) -> int:
        return int(self.hash()[:15], 16)

    def hash(self) -> str:
        """A hash of everything that decides the result."""
        document = self.document()
        document["run"] = {k: document["run"][k] for k in ("rounds", "seed", "storage")}
        if self.run.plan != self.run.rounds:
            document["run"]["planned"] = self.run.planned
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
