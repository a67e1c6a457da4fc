"""Masked rows tell nothing of anybody. The same attack finds people's items once masks are left out."""

import numpy as np
import pytest

from sottovoce import testing
from sottovoce.combine.sums import _masked
from sottovoce.errors import RunError
from sottovoce.exchange.secure.messages import Announcement
from sottovoce.experiments.audit import records
from sottovoce.experiments.audit.advice import personal
from sottovoce.experiments.audit.audit import audit
from sottovoce.experiments.runs.observed import OBSERVED
from sottovoce.experiments.runs.start import run_recipe

MASKED = {
    "protocol__name": "federated",
    "protocol__participants": 20,
    "protocol__sum": {"name": "secure", "fewest": 2, "threshold": 0.9},
    "privacy__observe": {"who": "server", "rounds": [1, 2]},
    "run__rounds": 2,
    "evaluate__every": 2,
}


@pytest.fixture(scope="module")
def masked(small, tmp_path_factory):
    place = tmp_path_factory.mktemp("masked") / "run"
    with testing.uncompiled():
        run_recipe(small(**MASKED), place)
    return place


@pytest.fixture(scope="module")
def bare(small, tmp_path_factory):
    """The same run, whose people send the integers that masks should hide."""
    place, write = tmp_path_factory.mktemp("bare") / "run", _masked._record

    def without_masks(plan, lines, session, participants):
        found = session.result
        totals = found.totals.astype(np.uint64)
        announced = Announcement(found.items, found.contributors, totals, found.counts)
        for place, part in session.parts.items():
            session.vectors[1][place] = plan.second_vector(part, announced, participants)
        return write(plan, lines, session, participants)

    with testing.uncompiled(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(_masked, "_record", without_masks)
        run_recipe(small(**MASKED), place)
    return place


def figures(place):
    """What is found in masked rows: which of two rows is of the person's item, and likeness."""
    with testing.uncompiled():
        found = {e["attack"]: e for e in audit(place).result["attacks"] if e["observer"] == "masked"}
    return found["announced"]["auc"], found["rows"]["likeness"]


def test_masked_rows_tell_nothing(masked):
    told, likeness = figures(masked)
    assert not personal(told)
    assert told["low"] < 0.5 < told["high"]
    assert abs(likeness["value"]) < 0.1


def test_without_masks_the_same_attack_tells_rows_apart(bare):
    told, likeness = figures(bare)
    assert personal(told)
    assert told["low"] > 0.7
    assert likeness["value"] > 0.5


def test_damaged_vectors_are_refused(masked, tmp_path):
    with np.load(next((masked / OBSERVED).glob("*.npz"))) as record:
        arrays = dict(record)
    folder = tmp_path / OBSERVED
    folder.mkdir()
    np.savez(folder / "000001-000.npz", **arrays | {"masked_rows": arrays["masked_rows"][:, 1:]})
    with pytest.raises(RunError, match="do not fit"):
        records.masked(tmp_path, len(arrays["sum_counts"]))


def test_without_masked_vectors_there_is_nothing_to_read(tmp_path):
    assert records.masked(tmp_path, 5) is None
