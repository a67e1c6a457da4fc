"""Which kind of reproduction a file is: one about runs, or one about measurements."""

from pathlib import Path

from sottovoce.experiments.recipe import shipped
from sottovoce.experiments.recipe.document import parsed
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.measured.form import Measurements


def read(name: str | Path) -> Reproduction | Measurements:
    """Read a file, or a shipped reproduction by name; `measure = …` makes it one about measurements."""
    path = shipped.find(name, "reproduction")
    return (Measurements if "measure" in parsed(path) else Reproduction).read(name)
