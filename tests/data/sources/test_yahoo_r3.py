"""Yahoo R3: ratings that people chose to give, and of random songs."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


def test_yahoo(tmp_path: Path) -> None:
    name = "ydata-ymusic-rating-study-v1_0"
    write(tmp_path / name, {f"{name}-train.txt": "1\t14\t5\n1\t35\t1\n", f"{name}-test.txt": "1\t49\t2\n"})
    chosen = load("yahoo-r3", data_dir=tmp_path)
    assert facts(chosen) == [("1", "14", 5.0, 0), ("1", "35", 1.0, 0)]
    assert chosen.scale == (1.0, 5.0)
    assert facts(load(tmp_path / name, part="random")) == [("1", "49", 2.0, 0)]
    (tmp_path / name / f"{name}-test.txt").unlink()
    with pytest.raises(DataError, match=r"no .*-test\.txt"):
        load("yahoo-r3", data_dir=tmp_path, part="random")
