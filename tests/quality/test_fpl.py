"""FPL (Anelli et al. 2020): one person at a time, each with many triples, ranks MovieLens 100K."""

from pathlib import Path

import numpy as np
import pytest

from tests.quality.trained import Trained, trained


def precision(found: Trained) -> float:
    """The mean of P@10 over people, with all films as candidates that a person has not trained on."""
    train, test, values = found.split.train, found.split.test, []
    for person in range(test.people):
        held = test.item[test.indptr[person] : test.indptr[person + 1]]
        rows, factors = found.rows[person], found.user.shape[1]
        scores = rows[:, :factors] @ found.user[person] + rows[:, factors]
        scores[train.item[train.indptr[person] : train.indptr[person + 1]]] = -np.inf
        if len(held):
            values.append(np.isin(np.argsort(-scores)[:10], held).mean())
    return float(np.mean(values))


def test_one_epoch_beats_popularity_at_any_disclosure(data_dir: Path, tmp_path: Path) -> None:
    """One epoch of sFPL+. P@10 was 0.154 and 0.155 with π = 1 and 0.3, that of popularity is 0.104."""
    for probability in (1.0, 0.3):
        steps = [{"name": "positive-feedback", "probability": probability}]
        settings = {"data.name": "ml-100k", "run.rounds": 1, "privacy.steps": steps, "model.step": 0.02}
        found = trained("fpl/sfpl-plus", tmp_path / str(probability), data_dir, settings)
        assert found.run.metrics["precision@10"] == pytest.approx(precision(found), abs=0.002)

        assert found.run.metrics["precision@10"] > 0.13
