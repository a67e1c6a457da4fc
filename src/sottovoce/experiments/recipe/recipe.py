"""A recipe: a TOML file that says everything a run depends on.

    [data]      the name of a data set or the path of a file, its columns, options of its source
    [split]     name, and the settings of that split; by default the files' own, if they come in parts
    [arrivals]  share: how many of the training items arrive during the run; every (rounds), until, refresh
    [model]     name, and the settings of that model
    [protocol]  name, and its settings; merge: how a received model is combined with the receiver's own, or
                aggregate: how a server makes one model of many; compress: a chain
    [network]   peers: whom a node talks to; links: how long messages take; churn: who is online
    [privacy]   disclose: whether private vectors may leave devices, if a protocol needs that; steps: what
                is done to an update before it leaves a device
    [attack]    name, and the settings of that attack: who lies to the others, and how
    [evaluate]  every (rounds), ks, metrics, candidates, metric (the main one, used in verdicts and
                progress), references: central recommenders to measure for comparison
    [run]       rounds, planned, seed, threads, storage, keep_models, checkpoint (seconds)

Where a component is named, a string is short for a table with that name and no settings:
`merge = "linear"` is `merge = { name = "linear" }`. Settings that are left out take the default that the
component declares. Unknown keys are refused, with the nearest valid name. A name that ends in `.py`
is the path of a file of your own that registers the component; a resolved recipe adds its hash.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe import building, combinations, resolving, shipped, toml
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.document import beside, parsed, shorten
from sottovoce.experiments.recipe.overrides import override
from sottovoce.experiments.recipe.refusal import refusal
from sottovoce.experiments.recipe.sections import (
    Arrivals,
    Attack,
    Data,
    Division,
    Evaluate,
    Execution,
    Named,
    Network,
    Privacy,
    Protocol,
)


class Recipe(BaseModel):
    """Everything that a run depends on."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    data: Data
    split: Division = Division()
    arrivals: Arrivals = Arrivals()
    model: Named = Named(name="ials")
    protocol: Protocol = Protocol()
    network: Network = Network()
    privacy: Privacy = Privacy()
    attack: Attack = Attack()
    evaluate: Evaluate = Evaluate()
    run: Execution = Execution()

    _where: str = PrivateAttr("the recipe")

    @classmethod
    def read(cls, path: str | Path, changes: Iterable[str] = ()) -> Self:
        """Read a file and apply changes such as `model.factors=16`.

        A relative path in the file, of data or of a component, is relative to the file; one in
        `changes` is relative to the current directory.
        """
        path = Path(path)
        document = parsed(path)
        if shipped.kind_of(document) == "reproduction":
            raise RecipeError(
                f"{path} is a reproduction of many runs, not a recipe for one.",
                f"Run it with: sottovoce reproduce {path}.",
            )
        return cls.parse(override(beside(path.parent, document), changes), str(path))

    @classmethod
    def parse(cls, document: Mapping[str, Any], where: str = "the recipe") -> Self:
        """Check a recipe given as nested tables; `where` names it in error messages."""
        try:
            recipe = cls.model_validate(dict(document))
        except ValidationError as error:
            raise refusal(cls, error, where, "recipe") from None
        recipe._where = where
        combinations.check_keys(recipe)
        return recipe

    @property
    def where(self) -> str:
        """What error messages call this recipe."""
        return self._where

    def components(self) -> Components:
        """Build everything that the recipe names, with every setting checked."""
        return building.components(self)

    def resolved(self, metric: str | None = None) -> Self:
        """The recipe with every default written out, except those that depend on the data.

        `metric` is the main metric if the recipe names none.
        """
        return type(self).parse(resolving.resolved(self, metric), self._where)

    def divided(self) -> Self:
        """The recipe with the split that the files of its data define."""
        return self.model_copy(update={"split": self.split.model_copy(update={"name": "predefined"})})

    def document(self) -> dict[str, Any]:
        """The recipe as nested tables, without keys that were left open."""
        document = self.model_dump(exclude_none=True)
        if not self.data.in_memory:
            del document["data"]["in_memory"]
        document["privacy"] = {key: value for key, value in document["privacy"].items() if value}
        if not self.arrivals.share:
            del document["arrivals"]
        if self.attack.name == "none":
            del document["attack"]
        return document

    def dumps(self) -> str:
        """The recipe as TOML; `read` gives the same recipe back."""
        document = {section: shorten(table) for section, table in self.document().items() if table}
        return toml.dumps(document)

    def __eq__(self, other: object) -> bool:
        """Two recipes are equal if they say the same, wherever they were read from."""
        return isinstance(other, Recipe) and self.document() == other.document()

    def __hash__(self) -> int:
        return int(self.hash()[:15], 16)

    def hash(self) -> str:
        """A hash of everything that decides the result."""
        document = self.document()
        document["run"] = {k: document["run"][k] for k in ("rounds", "seed", "storage")}
        if self.run.least_gain is not None:
            document["run"]["least_gain"] = self.run.least_gain
        if self.run.plan != self.run.rounds:
            document["run"]["planned"] = self.run.planned
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
