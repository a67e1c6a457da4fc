"""A run ends when more sweeps do not help, by what people measure on their weighting sets."""

import numpy as np
import pytest

from sottovoce.experiments.runs.enough import STEP, Enough
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.models.als import ALS
from sottovoce.models.chosen import CHOSEN, SCORES
from sottovoce.models.mf import MF
from sottovoce.models.statistics import judged
from sottovoce.state import zeros
from tests.models.test_als import K

HEAD = 2 * (K * (K + 1) // 2) + 3 + CHOSEN + 2


def told(tables, slot, quality, settings=(0, 0), sweeps=9):
    """The next model of a slot, which says this."""
    chosen = tables.head[slot, -2 - CHOSEN : -2]
    chosen[:2], chosen[SCORES:] = settings, [quality / 2, quality, 0, 0, 0, 0]
    tables.head[slot, -1] = sweeps
    tables.clock[slot] += 1


def sweeps_until_enough(qualities, settings=None, least=0.01):
    """After how many sweeps a network of one node has had enough; None: never."""
    tables = zeros(1, 5, K + 1, HEAD)
    enough = Enough(ALS(factors=K), tables, least)
    for n, quality in enumerate(qualities):
        told(tables, 0, quality, (0, 0) if settings is None else settings[n])
        enough.note(tables)
        if enough.reached:
            return n + 1
    return None


def test_two_sweeps_without_a_gain_are_enough():
    assert sweeps_until_enough([0.4, 0.5, 0.504]) is None
    assert sweeps_until_enough([0.4, 0.5, 0.504, 0.5049, 0.6]) == 4, (
        "1.0098 times the quality two sweeps before"
    )
    assert sweeps_until_enough([0.4, 0.5, 0.504, 0.5051, 0.508, 0.5], least=0.001) == 6
    assert sweeps_until_enough([0.5, 0.4, 0.3]) == 3, "worse is no gain"


def test_nothing_measured_is_never_enough():
    assert sweeps_until_enough([0.0] * 9) is None
    tables = zeros(1, 5, K + 1, HEAD)
    told(tables, 0, 0.5, sweeps=ALS().patience - 1)
    assert judged(ALS(factors=K), tables.head)[0][0] == 0, "settings have not begun to move"


def test_settings_on_their_way_bring_quality_later():
    flat = [0.5] * 6
    moving = [(0, 0), (0, STEP), (0, 2 * STEP), (-STEP, 2 * STEP), (-STEP, 2 * STEP), (-STEP, 2 * STEP)]
    assert sweeps_until_enough(flat) == 3
    assert sweeps_until_enough(flat, moving) == 5


def test_more_than_half_of_the_nodes_decide_and_those_who_were_away_do_not_count_twice():
    tables = zeros(3, 5, K + 1, HEAD)
    enough = Enough(ALS(factors=K), tables, 0.01)
    for n in range(3):
        for slot in range(3):
            told(tables, slot, 0.5 if slot == 0 else 0.5 + n)
        enough.note(tables)
        enough.note(tables)  # nothing has moved since
    assert not enough.reached
    for _ in range(2):
        told(tables, 1, 2.5)
        enough.note(tables)
    assert enough.reached
    kept = {name: array.copy() for name, array in enough.state().items()}
    other = Enough(ALS(factors=K), tables, 0.01)
    other.restore(kept)
    assert other.reached


def test_a_model_that_does_not_measure_itself_runs_all_rounds(small, tmp_path, capsys):
    assert judged(MF(), np.zeros((1, 0))) is None
    finished = run_recipe(small(run__least_gain=0.5, run__rounds=3), tmp_path / "mf", progress=True)
    assert finished.result["rounds"] == 3
    assert "All rounds are run: the model mf does not measure itself" in capsys.readouterr().err


@pytest.fixture(scope="module")
def als(small):
    """`als` with all data in one place."""

    def build(**changes):
        parts = {
            "model__name": "als",
            "model__factors": K,
            "protocol__name": "central",
            "evaluate__every": 50,
        }
        return small(**parts, **({"run__rounds": 50, "run__keep_models": True} | changes))

    return build


def test_a_run_ends_early_and_is_whole(als, tmp_path, capsys):
    early = run_recipe(als(run__least_gain=0.02), tmp_path / "early", progress=True)
    ended = early.result["rounds"]
    assert 6 <= ended < 50
    assert f"Ends after round {ended} of 50: two more sweeps" in capsys.readouterr().err
    assert [event["round"] for event in early.curve] == [0, ended], "the last round is evaluated"
    assert Run.open(early.directory).result == early.result
    same = run_recipe(als(run__rounds=ended), tmp_path / "same")
    assert early.result["final"] == same.result["final"]


def test_an_extended_run_gets_all_its_rounds(als, tmp_path):
    early = run_recipe(als(run__least_gain=0.02), tmp_path / "early")
    ended = early.result["rounds"]
    longer = early.extend(ended + 3, tmp_path / "longer")
    assert longer.result["rounds"] == ended + 3
    whole = run_recipe(als(run__rounds=ended + 3), tmp_path / "whole")
    assert longer.result["final"] == whole.result["final"]
