"""A checkpoint is complete or absent, whatever fails while it is written."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from sottovoce.errors import ResourceError, RunError
from sottovoce.experiments.runs import checkpoint

IDENTITY = {"recipe": "a", "split": "b", "version": "c"}


def state(round):
    return {"rows": np.full((3, 2), round, np.float32), "counters": np.array([round, 7])}


def test_round_trip(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    found = checkpoint.newest(tmp_path)
    assert (found.round, found.identity) == (4, IDENTITY)
    for name, array in state(4).items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)


def test_the_predecessor_goes(tmp_path):
    for round in (2, 4, 10):
        checkpoint.save(tmp_path, round, IDENTITY, state(round))
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint-000000010"]


def test_the_same_round_again(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    checkpoint.save(tmp_path, 4, IDENTITY, state(5))
    assert checkpoint.newest(tmp_path).arrays["rows"][0, 0] == 5


def test_nothing_there(tmp_path):
    assert checkpoint.newest(tmp_path) is None
    assert not checkpoint.exists(tmp_path)


class Died(BaseException):
    """Like SIGKILL: nothing in the code handles it."""


@pytest.mark.parametrize("step", range(12))
@pytest.mark.parametrize("after", [4, 6])
def test_death_at_every_step_leaves_one_of_the_two(tmp_path, monkeypatch, step, after):
    """A checkpoint of a later round, or once more of the same."""
    for _ in range(2):
        checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    left = iter(range(step))

    def dying(original):
        def call(*arguments, **options):
            if next(left, None) is None:
                raise Died
            return original(*arguments, **options)

        return call

    monkeypatch.setattr(os, "fsync", dying(os.fsync))
    monkeypatch.setattr(np, "save", dying(np.save))
    monkeypatch.setattr(Path, "rename", dying(Path.rename))
    monkeypatch.setattr(shutil, "rmtree", dying(shutil.rmtree))
    try:
        checkpoint.save(tmp_path, after, IDENTITY, state(6))
    except Died:
        pass
    else:
        assert step > 6
    monkeypatch.undo()
    found = checkpoint.newest(tmp_path)
    assert found.round in (4, after)
    assert set(found.arrays["rows"].ravel()) in ({4.0}, {6.0})
    checkpoint.save(tmp_path, 8, IDENTITY, state(8))
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint-000000008"]


def test_a_full_disk_is_a_sentence_and_keeps_the_old_one(tmp_path, monkeypatch):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(ResourceError, match="No space left on device"):
        checkpoint.save(tmp_path, 6, IDENTITY, state(6))
    assert checkpoint.newest(tmp_path).round == 4


def test_damage_is_a_sentence(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    (tmp_path / "checkpoint-000000004" / "0.npy").write_bytes(b"junk")
    with pytest.raises(RunError, match="is damaged"):
        checkpoint.newest(tmp_path)


def test_pickled_objects_are_not_loaded(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    np.save(tmp_path / "checkpoint-000000004" / "0.npy", np.array([{}], object))
    with pytest.raises(RunError, match="is damaged"):
        checkpoint.newest(tmp_path)


def test_another_format_is_refused(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, state(4))
    manifest = tmp_path / "checkpoint-000000004" / "checkpoint.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 99}))
    with pytest.raises(RunError, match="has format 99"):
        checkpoint.newest(tmp_path)


def test_arrays_stay_on_the_disk_until_they_are_used(tmp_path):
    checkpoint.save(tmp_path, 4, IDENTITY, {**state(4), "none": np.empty((0, 3))})
    found = checkpoint.newest(tmp_path).arrays
    assert all(isinstance(array, np.memmap) for array in found.values())
    assert found["none"].shape == (0, 3)
