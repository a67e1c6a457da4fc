"""MNIST handwritten digits (LeCun, Cortes & Burges): images and labels in idx files.

An idx file is big-endian: two zero bytes, the type (8: bytes), the number of dimensions, each dimension, and
the bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, table
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component

_HOMES = ("http://yann.lecun.com/exdb/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/")
_FILES = {
    "t10k-images-idx3-ubyte": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    "train-labels-idx1-ubyte": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "train-images-idx3-ubyte": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
}


def _from(url: str) -> find.Fetch:
    def fill(folder: Path) -> None:
        for name, checksum in _FILES.items():
            find.home(f"{url}{name}.gz", checksum, 20_000_000).fill(folder)

    return find.Fetch(f"download from {url}", fill)


SET = Dataset(
    "mnist",
    ("train-images-idx3-ubyte",),
    "Commonly stated licence CC BY-SA 3.0; cite LeCun, Cortes & Burges.",
    _HOMES[0],
    ways=tuple(_from(url) for url in _HOMES),
)


class Digits(NamedTuple):
    """Images [count, 28, 28] of bytes, in which 0 is the background, and their labels [count], 0 to 9."""

    train: NDArray[np.uint8]
    train_labels: NDArray[np.uint8]
    test: NDArray[np.uint8]
    test_labels: NDArray[np.uint8]
    source: str


@component("source", "mnist", dataset=SET)
class MNIST(NamedTuple):
    """60,000 images of handwritten digits and 10,000 to test with; no interactions."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> NoReturn:
        """Always refused, because there are no people in it."""
        raise DataError(
            "mnist holds images, not interactions.", "Read it with sottovoce.data.sources.mnist.read()."
        )


def read(data_dir: Path | None = None) -> Digits:
    """The images and labels, downloaded if they are missing."""
    path, where = SET.obtain(data_dir)
    arrays = []
    for kind in ("train", "t10k"):
        for content, shape in (("images-idx3", (28, 28)), ("labels-idx1", ())):
            name = f"{kind}-{content}-ubyte"
            place = find.beside(path, name)
            if place is None:
                raise DataError(
                    f"{path.parent} holds no {name}.", "Put this file into the folder, plain or gzipped."
                )
            arrays.append(read_idx(place, shape))
    for images, labels in (arrays[:2], arrays[2:]):
        if len(images) != len(labels) or labels.max(initial=0) > 9:
            raise DataError(
                f"{path.parent}: images and labels do not belong together.", "Download them again."
            )
    return Digits(arrays[0], arrays[1], arrays[2], arrays[3], where)


def facts(data_dir: Path | None = None) -> dict[str, int | str]:
    """The numbers of images and classes."""
    digits = read(data_dir)
    counts = {"images": len(digits.train), "test_images": len(digits.test)}
    return {**counts, "classes": len(np.unique(digits.train_labels)), "source": digits.source}


def read_idx(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """The array in an idx file of bytes, whose entries must have this shape."""
    raw = table.read_bytes(path)
    begin = 4 + 4 * (1 + len(shape))
    sizes = tuple(np.frombuffer(raw[4:begin], ">u4").tolist()) if len(raw) >= begin else ()
    if raw[:4] != bytes((0, 0, 8, 1 + len(shape))) or sizes[1:] != shape:
        raise DataError(
            f"{path} is not an idx file of bytes with entries of shape {shape}.", "Download it again."
        )
    if len(raw) - begin != int(np.prod(sizes)):
        raise DataError(
            f"{path} has {len(raw) - begin:,} bytes of content where {int(np.prod(sizes)):,} were announced.",
            "Download it again.",
        )
    return np.frombuffer(raw, np.uint8, offset=begin).reshape(sizes)
