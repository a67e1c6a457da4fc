"""Measurements as lines of JSON."""

import json

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.reproduce.measured import records
from sottovoce.experiments.reproduce.measured.records import Record

ONE = Record("toy.product", {"a": 2, "b": 3}, 1, {"product": 6.5}, {"processor": "a fast one"})


def test_records_return_whatever_their_order(tmp_path):
    path = tmp_path / "new" / "m.jsonl"
    other = ONE._replace(seed=2, load=1.5)
    records.write(path, [other, ONE])
    first = path.read_text()
    records.write(path, [ONE, other])
    assert path.read_text() == first
    assert records.read(path) == {ONE.key: ONE, other.key: other}
    assert records.read(tmp_path / "none.jsonl") == {}


def test_a_call_is_known_by_function_settings_and_seed():
    assert ONE.key == ONE._replace(figures={}, machine={}, settings={"b": 3, "a": 2}).key
    for other in (ONE._replace(seed=2), ONE._replace(settings={"a": 2}), ONE._replace(measure="toy.sum")):
        assert other.key != ONE.key


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        json.dumps(ONE._asdict() | {"figures": {"product": float("nan")}}),
        json.dumps(ONE._asdict() | {"figures": {"product": "fast"}}),
        json.dumps({key: value for key, value in ONE._asdict().items() if key != "seed"}),
    ],
)
def test_a_damaged_line_is_named(line, tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text(f"{json.dumps(ONE._asdict())}\n{line}\n")
    with pytest.raises(RunError, match=r"Line 2 of .*m\.jsonl is not a measurement"):
        records.read(path)


def test_lines_from_before_loads_were_noted():
    line = {name: value for name, value in ONE._asdict().items() if name != "load"}
    assert records._record(line) == ONE
