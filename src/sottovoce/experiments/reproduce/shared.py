"""Runs that several reproductions need, each made once.

A run lies in `<out>/../runs/<name>/seed-<n>`, where the name has a hash of everything that decides the
result. References do not depend on how models are trained, so a run of its own measures them once for all
runs with the same data, split and evaluation.
"""

from collections.abc import Sequence
from pathlib import Path

from sottovoce.experiments.recipe.recipe import Recipe

_KEPT = ("data.", "split.", "evaluate.")
_BESIDE = (
    "model.name=popularity",
    "protocol.name=central",
    "privacy.steps=[]",
    "run.rounds=1",
    "evaluate.every=1",
)
ALONE = "evaluate.references=[]"


def place(recipe: Path, changes: Sequence[str], out: Path) -> Path:
    """The directory of a run; below it is one for each seed."""
    wanted = Recipe.read(recipe, [*changes, "run.seed=0"])
    name = "-".join((wanted.protocol.label, wanted.model.label, str(wanted.data.name)))
    return out.absolute().parent / "runs" / f"{name}-{wanted.resolved().hash()[:12]}"


def beside(recipe: Path, changes: Sequence[str]) -> tuple[str, ...] | None:
    """The changes for the run that measures the references of another run; None if it has none."""
    if not Recipe.read(recipe, changes).evaluate.references:
        return None
    return *(change for change in changes if change.startswith(_KEPT)), *_BESIDE
