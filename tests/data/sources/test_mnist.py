"""Digits in idx files."""

from pathlib import Path
from typing import Any

import pytest

from sottovoce.data.load import load
from sottovoce.data.sources import mnist
from sottovoce.errors import DataError
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


def idx(shape: tuple[int, ...], content: Any) -> bytes:
    return bytes((0, 0, 8, len(shape))) + b"".join(n.to_bytes(4, "big") for n in shape) + bytes(content)


DIGITS = {
    "train-images-idx3-ubyte": idx((2, 28, 28), [7] * (2 * 784)),
    "train-labels-idx1-ubyte": idx((2,), [3, 9]),
    "t10k-images-idx3-ubyte": idx((1, 28, 28), [1] * 784),
    "t10k-labels-idx1-ubyte": idx((1,), [0]),
}


@pytest.mark.parametrize("form", ["plain", "gz"])
def test_idx(form: str, tmp_path: Path) -> None:
    write(tmp_path / "mnist", DIGITS, form)
    digits = mnist.read(tmp_path)
    assert digits.train.shape == (2, 28, 28)
    assert digits.train_labels.tolist() == [3, 9]
    assert digits.test.sum() == 784
    with pytest.raises(DataError, match="images, not interactions"):
        load("mnist", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("train-images-idx3-ubyte", b"\0\0\x08\x03", "is not an idx file"),
        ("train-images-idx3-ubyte", idx((2, 28, 27), []), "is not an idx file"),
        ("train-images-idx3-ubyte", idx((2, 28, 28), [1]), "1 bytes of content where 1,568"),
        ("train-labels-idx1-ubyte", idx((1,), [1]), "do not belong together"),
        ("train-labels-idx1-ubyte", idx((2,), [1, 10]), "do not belong together"),
    ],
)
def test_broken_idx(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    write(tmp_path / "mnist", DIGITS | {name: content})
    with pytest.raises(DataError, match=said):
        mnist.read(tmp_path)
