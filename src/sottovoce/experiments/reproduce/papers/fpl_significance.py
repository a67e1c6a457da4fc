"""Paired tests over people (Section 4.4, Anelli et al. 2020): methods of Table 2, trained once more.

Figures of single people are not kept beside the pages, so methods are trained again for these tests.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from sottovoce.evaluate import significance
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce import reading, shared
from sottovoce.experiments.reproduce.form import Reproduction, settings
from sottovoce.experiments.reproduce.papers import measurement
from sottovoce.experiments.runs.start import run_recipe

TABLE = "fpl/table-2"


@measurement("fpl_significance.paired")
def paired(seed: int, *, data: str, one: str, other: str, metric: str) -> dict[str, float]:
    """By how much `one` is ahead of `other` on a data set, both labels or levels of Table 2; p-values."""
    found = significance.compare(
        _people(data, one, metric, seed), _people(data, other, metric, seed), seed=seed
    )
    return {
        "ahead by": found.difference,
        "from": found.low,
        "to": found.high,
        "p, t-test": found.t_test,
        "p, signed ranks": found.wilcoxon,
    }


@functools.cache
def _people(data: str, method: str, metric: str, seed: int) -> NDArray[np.float64]:
    """The figure of each person."""
    form = reading.read(TABLE)
    assert isinstance(form, Reproduction)
    level = form.levels.get(method)
    first = next(iter(form.axes["method"]))
    changes = settings(form.set) + form.changes((data, first if level else method))
    if level is None:
        changes.append(shared.ALONE)
    else:
        changes = list(shared.beside(form.recipe, changes) or changes)
    run = run_recipe(Recipe.read(form.recipe, [*changes, f"run.seed={seed}"]), None, None, progress=False)
    column = metric if level is None else f"{level} {metric}"
    return run.people()[column].fill_null(np.nan).to_numpy().astype(np.float64)
