"""What chosen observers saw, written into `observed/` of the run directory.

`about.json` says who observes which rounds. Each file `<round>-<n>.npz` is a record, numbered within its
round, with the arrays that `simulate.observe` describes; `numpy.load` reads it without pickle.
"""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce import files
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.sections import Observe

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.simulate.observe import Observation
    from sottovoce.state import Ints

OBSERVED, ABOUT = "observed", "about.json"
FORMAT = 1
SERVER = "server"


class Recorder:
    """Writes the records of a run, each as a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.round, self.count = folder, -1, 0

    def __call__(self, round: int, records: list[dict[str, Any]]) -> None:
        """Write the records of a round. A round that is done again after a restart replaces its files."""
        for record in records:
            self.count = self.count + 1 if round == self.round else 0
            self.round = round
            content = io.BytesIO()
            np.savez_compressed(content, **record)
            with files.replacing(self.folder / f"{round:06d}-{self.count:03d}.npz") as building:
                building.write_bytes(content.getvalue())


def observation(
    recipe: Recipe, parts: Components, train: "Interactions", place: Path | None
) -> "Observation | None":
    """Who observes a run, as its recipe says; None: nobody."""
    from sottovoce.simulate.observe import Observation

    asked = recipe.privacy.observe
    if asked is None:
        return None
    if place is None:
        raise RecipeError(
            f"{recipe.where}: privacy.observe writes into the run directory, and this run has none.",
            "Name a directory with out=, or leave privacy.observe out.",
        )
    server, nodes = _observers(asked, parts, train, recipe)
    folder = place / OBSERVED
    about = {
        "format": FORMAT,
        "server": server,
        "people": train.users[nodes].tolist(),
        "numbers": nodes.tolist(),
        "rounds": asked.rounds,
    }
    folder.mkdir(parents=True, exist_ok=True)
    with files.replacing(folder / ABOUT) as building:
        building.write_text(json.dumps(about, indent=2) + "\n")
    first, last = asked.rounds
    return Observation(server, nodes, first, last, Recorder(folder))


def _observers(
    asked: Observe, parts: Components, train: "Interactions", recipe: Recipe
) -> "tuple[bool, Ints]":
    """Whether the server observes, and which people, by number."""
    from sottovoce.simulate.observe import random_people

    where = f"{recipe.where}: privacy.observe.who"
    if isinstance(asked.who, int):
        return False, random_people(asked.who, train.people, recipe.run.seed)
    names = [str(name) for name in ([asked.who] if isinstance(asked.who, str) else asked.who)]
    server = SERVER in names
    if server and parts.protocol.topology != SERVER:
        raise RecipeError(
            f"{where} names the server, and the protocol {recipe.protocol.label!r} has none.",
            "Name people by their ids, or how many random people observe.",
        )
    number = {name: n for n, name in enumerate(train.users.tolist())}
    unknown = [name for name in names if name != SERVER and name not in number]
    if unknown:
        raise RecipeError(f"{where} names {unknown[0]!r}, and nobody has that id.", "Name ids of the data.")
    return server, np.array(sorted(number[name] for name in names if name != SERVER), np.int32)
