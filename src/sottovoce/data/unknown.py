"""Items and people that are not in the training set, but in the test set or among its negatives.

This can be right: more than half of the venues among the negatives published with PEPPER were never
visited. It can also mean that one file spells ids differently, which makes every metric wrong. Unknown ids
are therefore counted and reported. They are refused if they are more than half, and one of these holds:

- They look different: other characters, another beginning, or numbers far outside.
- Hardly any id is known: less than a tenth of the test items or people, or a hundredth of the negatives.

Items that a list of items lacks are treated in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Catalog, Division, Interactions, Strings
from sottovoce.data.split import TEST, TRAIN, WEIGHTING
from sottovoce.errors import DataError

_FEW = 10  # ids; fewer may all be unknown by chance
_SHOWN = 3


def notes(data: Interactions) -> tuple[str, ...]:
    """Notes on data that is published in parts: their sizes, and what does not fit together."""
    parts = data.division
    assert parts is not None
    owner = data.owner
    sizes = {part: int(np.count_nonzero(parts.part == part)) for part in (TRAIN, WEIGHTING, TEST)}
    named = {TRAIN: "for training", WEIGHTING: "for validation", TEST: "for testing"}
    rows = ", ".join(f"{size:,} {named[part]}" for part, size in sizes.items() if size)
    return (
        f"{data.name} comes in parts: {rows}.",
        *_unknown(data, parts, owner),
        *(
            said
            for part in (TEST, WEIGHTING)
            if part in parts.negatives
            for said in _negatives(data, owner, part)
        ),
    )


def _unknown(data: Interactions, parts: Division, owner: NDArray[np.int64]) -> Iterator[str]:
    """A note on test items, test people and negatives that are not in the training set."""
    train, test = parts.part == TRAIN, parts.part == TEST
    known, met = np.zeros(data.items, np.bool_), np.zeros(data.people, np.bool_)
    known[data.item[train]] = True
    met[owner[train]] = True
    items, name = data.catalog.ids, data.name
    said = [
        _count(name, "items under test", items, known, np.unique(data.item[test]), 0.1),
        _count(name, "people under test", data.users, met, np.unique(owner[test]), 0.1),
    ]
    for part, drawn in sorted(parts.negatives.items()):
        listed = np.unique(drawn)
        what = f"items among the negatives {'under test' if part == TEST else 'for validation'}"
        said.append(_count(name, what, items, known, listed[listed >= 0], 0.01))
    if any(said):
        yield f"Not in the training set: {'; '.join(filter(None, said))}."


def _negatives(data: Interactions, owner: NDArray[np.int64], part: int) -> Iterator[str]:
    """Notes on rows with fewer negatives, on negatives that the person has, and on repeated ones."""
    parts = data.division
    assert parts is not None
    mine = parts.part == part
    drawn = parts.negatives[part][parts.row[mine]]
    where = "test set" if part == TEST else "validation set"
    short = int(np.count_nonzero((drawn < 0).any(1)))
    if short:
        least = int((drawn >= 0).sum(1).min())
        rows = f"{short:,} of {len(drawn):,} rows of the {where}"
        yield f"{rows} have fewer than {drawn.shape[1]} negatives; the fewest are {least}."
    pairs = owner[mine, None] * data.items + drawn
    own = int((np.isin(pairs, owner * data.items + data.item) & (drawn >= 0)).sum())
    if own:
        same = int((drawn == data.item[mine, None]).sum())
        itself = f", {same:,} of them the test item itself" if same else ""
        every = f"{own:,} of {int((drawn >= 0).sum()):,} negatives of the {where}"
        yield f"{every} are items that the person has{itself}."
    ordered = np.sort(drawn, 1)
    again = int(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).sum())
    if again:
        every = f"{again:,} of {int((drawn >= 0).sum()):,} negatives of the {where}"
        yield f"{every} repeat another one of the same row."


def _count(
    name: str, what: str, ids: Strings, known: NDArray[np.bool_], listed: NDArray[Any], least: float
) -> str:
    """How many of `listed` are unknown, in words. Refused if ids seem to be spelled differently."""
    new = listed[~known[listed]]
    odd = _examples(f"{what} of {name}", "training", len(listed), ids[known], ids[new], least)
    return f"{len(new):,} of {len(listed):,} {what}{odd}" if len(new) else ""


def of_catalog(catalog: Catalog, place: str, items: NDArray[Any]) -> tuple[str, ...]:
    """Notes on items that the list of items in the file `place` lacks."""
    met = np.unique(items).astype(np.str_)
    new = met[~np.isin(met, catalog.ids)]
    odd = _examples(f"items of {catalog.name}", place, len(met), catalog.ids, new, 0.1)
    note = f"{place} does not list {len(new):,} of {len(met):,} items{odd}: they have no title or category."
    return (note,) if len(new) else ()


def _examples(what: str, place: str, count: int, known: Strings, new: Strings, least: float) -> str:
    """How unknown ids differ from known ones, in words; refused if more than half are unknown."""
    why, odd = unlike(known, new)
    if not why and count >= _FEW and count - len(new) < least * count:
        why = "hardly any id is in both"
    theirs, ours = (", ".join(map(repr, some[:_SHOWN].tolist())) for some in (odd, known))
    if why and 2 * len(new) > count:
        raise DataError(
            f"Of {count:,} {what}, {len(new):,} do not occur in {place}, and {why}: "
            f"{theirs} here, {ours} in {place}.",
            "Spell the same id in the same way in all files.",
        )
    return f" ({why}, such as {theirs})" if why else ""


def unlike(known: Strings, new: Strings) -> tuple[str, Strings]:
    """How new ids differ from known ones, with examples; "" if they look alike."""
    if len(known) == 0 or len(new) == 0:
        return "", new
    shapes, start = set(map(_shape, known.tolist())), _beginning(known)
    others = np.array([_shape(i) not in shapes for i in new.tolist()])
    if 2 * np.count_nonzero(others) > len(new):
        return "they are spelled in another way", new[others]
    others = np.array([not i.startswith(start) for i in new.tolist()])
    if 2 * np.count_nonzero(others) > len(new):
        return f"they do not begin with {start!r}", new[others]
    try:
        old, numbers = known.astype(np.int64), new.astype(np.int64)
    except (ValueError, OverflowError):
        return "", new
    low, high = int(old.min()), int(old.max())
    span = high - low + _FEW
    others = (numbers < low - span) | (numbers > high + span)
    if 2 * np.count_nonzero(others) > len(new):
        return "they are numbers far from those", new[others]
    return "", new


def _beginning(ids: Strings) -> str:
    """The common beginning of several ids, without digits at its end."""
    first, last = min(ids.tolist()), max(ids.tolist())
    length = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length].rstrip("0123456789") if len(ids) > 1 else ""


def _shape(text: str) -> frozenset[str]:
    """The kinds of characters in an id: digits, upper case, lower case, and each other sign."""
    return frozenset("9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text)
