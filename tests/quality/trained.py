"""A recipe of a paper, run for a few rounds on real data, and its quality computed once more in NumPy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sottovoce.data.split import Split
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.loading import load_data
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe


class Trained(NamedTuple):
    """A finished run with its models, and the split it was trained and tested on."""

    run: Run
    split: Split
    rows: Any  # [people, items, w], each person's model; a server's is the same for all
    user: Any  # [people, p]
    head: Any  # [people, h]


def trained(name: str, place: Path, data_dir: Path, settings: dict[str, Any]) -> Trained:
    """Run a recipe on one thread, with these settings and seed 1."""
    fixed = {"run.seed": 1, "run.threads": 1, "run.keep_models": True}
    done = run_recipe(name, place / "run", data_dir, settings=fixed | settings)
    split = done.recipe.components().split.split(load_data(done.recipe, data_dir), 1)
    held = checkpoint.newest(place / "run")
    assert held is not None
    people, items = split.train.people, split.train.items
    rows = held.arrays["rows"].reshape(-1, items, held.arrays["rows"].shape[1])
    wide = (people, *rows.shape[1:])
    head = np.broadcast_to(held.arrays["head"], (people, held.arrays["head"].shape[1]))
    return Trained(done, split, np.broadcast_to(rows, wide), np.array(held.arrays["user"]), head)


def hit_ratio(split: Split, k: int, score: Callable[[int], Any]) -> float:
    """The mean over people of HR@k, where `score` gives a person's scores of all items.

    An item that is tied with a candidate stands behind it.
    """
    found = []
    for person in range(split.test.people):
        scores, hits = score(person), []
        for n in range(split.test.indptr[person], split.test.indptr[person + 1]):
            rivals = split.candidates[n][split.candidates[n] >= 0]
            hits.append((scores[rivals] >= scores[split.test.item[n]]).sum() < k)
        found += [np.mean(hits)] if hits else []
    return float(np.mean(found))
