"""Recognize the parts of divided data (train, test, validation) by the names of their files."""

from __future__ import annotations

import re
from pathlib import Path

from sottovoce import files
from sottovoce.data import archive, find

SPELLED = {
    "train": ("train", "training", "base"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing"),
}
"""What files of each part are called."""
_WORDS = "|".join(word for words in SPELLED.values() for word in words)
RATINGS = re.compile(rf"\.({_WORDS})\.(rating|negative)s?(\.gz)?$")
"""How the names of NCF's files end."""
_WORD = re.compile(rf"(?<![a-z0-9])({_WORDS})(?![a-z0-9])", re.IGNORECASE)


def beside(path: Path) -> dict[str, Path]:
    """The files of all parts, if this is the file of one, and training and test sets exist; else empty.

    Names differ in one word: `train.csv` and `test.csv`, `ratings_train.tsv` and `ratings_test.tsv`.
    """
    name = path.name.removesuffix(".gz")
    for word in _WORD.finditer(name):
        held = {}
        for part, spelled in SPELLED.items():
            # Files of one part are found under their own name first, in capitals or not.
            written = [*([word[1]] if word[1].lower() in spelled else []), *_cased(spelled, word[1])]
            found = find.beside(path, *(name[: word.start()] + w + name[word.end() :] for w in written))
            if found is not None:
                held[part] = found
        if "train" in held and "test" in held:
            return held
    return {}


def _cased(words: tuple[str, ...], like: str) -> list[str]:
    """The words, in capitals if `like` is, or with a first capital."""
    if like.isupper():
        return [word.upper() for word in words]
    return [word.capitalize() if like[0].isupper() else word for word in words]


def common(path: Path) -> str:
    """What the names of all parts have in common; the name of the folder if that is nothing."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    return _WORD.sub("", stem).strip("._- ") or path.absolute().parent.name or "data"


def unused(path: Path) -> list[Path]:
    """Files beside this one that seem to be other parts, or negatives of parts, in another form.

    They are in the same folder, of this machine or of an archive. A folder that we may not list has none.
    """
    if not _WORD.search(path.name):
        return []
    place, stem = archive.inside(path), _WORD.sub("", path.name.partition(".")[0])
    others = [path.with_name(name) for name in files.held(path.parent)]
    if place is not None:
        others = [one for name in archive.names(place[0]) if (one := place[0] / name).parent == path.parent]
    others = [one for one in others if one != path and _WORD.sub("", one.name).startswith(stem)]
    return [one for one in others if _WORD.search(one.name) and archive.exists(one)]
