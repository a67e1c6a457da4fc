"""Files are replaced entirely or not at all, and what the system refuses is a sentence."""

import errno

import pytest

from sottovoce import files
from sottovoce.errors import ResourceError, RunError


def test_a_file_is_replaced_when_the_block_ends(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with files.replacing(path) as building:
        building.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert files.held(tmp_path) == ["a.txt"]


def test_an_error_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write() -> None:
        with files.replacing(path) as building:
            building.write_text("ne")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        write()
    assert path.read_text() == "old"
    assert files.held(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("code", "kind", "remedy"),
    [
        (errno.ENOSPC, ResourceError, "Free some space"),
        (errno.EDQUOT, ResourceError, "Free some space"),
        (errno.EACCES, RunError, "Choose another place with --out"),
    ],
)
def test_refusals(tmp_path, code, kind, remedy):
    with (
        pytest.raises(kind, match=rf"a\.txt cannot be written: .*{remedy}"),
        files.writing(tmp_path / "a.txt"),
    ):
        raise OSError(code, "no")


def test_names_that_are_too_long_are_no_error(tmp_path):
    long = tmp_path / ("long" * 100)
    assert files.held(long) == []
    assert not files.is_folder(long)
    assert not files.is_file(long)
