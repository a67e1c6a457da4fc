"""What training does not know: items and people that only a test set or its negatives name.

A catalogue may be larger than what anybody trains on: more than half of the venues among the negatives
published with PEPPER were visited by nobody. A file whose ids are spelled in another way looks the same
at first sight, and makes every metric wrong. So what is unknown is counted and said, and it is refused
if it is more than half and does not look like what training knows: other characters, another beginning,
numbers far outside; or if hardly any is known, less than a tenth of what is under test or a hundredth
of the negatives. The same holds for items that a file of items does not list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Catalog, Division, Interactions, Strings
from sottovoce.data.split import TEST, TRAIN, WEIGHTING
from sottovoce.errors import DataError

_FEW = 10  # of so few ids none may be known by chance
_SHOWN = 3


def told(data: Interactions) -> tuple[str, ...]:
    """Sentences about interactions that came in parts: how they are divided, and what does not fit."""
    parts = data.division
    assert parts is not None
    owner = data.owner
    sizes = {part: int(np.count_nonzero(parts.part == part)) for part in (TRAIN, WEIGHTING, TEST)}
    named = {TRAIN: "for training", WEIGHTING: "for validation", TEST: "for testing"}
    rows = ", ".join(f"{size:,} {named[part]}" for part, size in sizes.items() if size)
    return (
        f"The files divide {data.name}: {rows}.",
        *_unknown(data, parts, owner),
        *(
            said
            for part in (TEST, WEIGHTING)
            if part in parts.negatives
            for said in _negatives(data, owner, part)
        ),
    )


def _unknown(data: Interactions, parts: Division, owner: NDArray[np.int64]) -> Iterator[str]:
    """What of the test set and of the negatives does not occur in training."""
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
        yield f"Training does not know {'; '.join(filter(None, said))}."


def _negatives(data: Interactions, owner: NDArray[np.int64], part: int) -> Iterator[str]:
    """Lines with fewer negatives than others, negatives that the person has met, and those that repeat."""
    parts = data.division
    assert parts is not None
    mine = parts.part == part
    drawn = parts.negatives[part][parts.row[mine]]
    where = "test set" if part == TEST else "validation set"
    short = int(np.count_nonzero((drawn < 0).any(1)))
    if short:
        least = int((drawn >= 0).sum(1).min())
        rows = f"{short:,} of {len(drawn):,} rows of the {where}"
        yield f"{rows} have fewer than {drawn.shape[1]} negatives, one of them {least}."
    pairs = owner[mine, None] * data.items + drawn
    own = int((np.isin(pairs, owner * data.items + data.item) & (drawn >= 0)).sum())
    if own:
        same = int((drawn == data.item[mine, None]).sum())
        itself = f", {same:,} of them the item of that very row" if same else ""
        every = f"{own:,} of {int((drawn >= 0).sum()):,} negatives of the {where}"
        yield f"{every} are items that the person has{itself}."
    ordered = np.sort(drawn, 1)
    again = int(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).sum())
    if again:
        every = f"{again:,} of {int((drawn >= 0).sum()):,} negatives of the {where}"
        yield f"{every} repeat another of their row."


def _count(
    name: str, what: str, ids: Strings, known: NDArray[np.bool_], listed: NDArray[Any], least: float
) -> str:
    """How many are unknown; refused if they are most and do not look like a larger catalogue."""
    new = listed[~known[listed]]
    odd = _examples(f"{what} of {name}", "training", len(listed), ids[known], ids[new], least)
    return f"{len(new):,} of {len(listed):,} {what}{odd}" if len(new) else ""


def of_catalog(catalog: Catalog, place: str, items: NDArray[Any]) -> tuple[str, ...]:
    """Sentences on items that a file of items, at `place`, does not list."""
    met = np.unique(items).astype(np.str_)
    new = met[~np.isin(met, catalog.ids)]
    odd = _examples(f"items of {catalog.name}", place, len(met), catalog.ids, new, 0.1)
    told = f"{place} does not list {len(new):,} of {len(met):,} items{odd}: nothing is known of them."
    return (told,) if len(new) else ()


def _examples(what: str, place: str, count: int, known: Strings, new: Strings, least: float) -> str:
    """How unknown ids look, if they look unlike known ones; refused if they are most of all."""
    why, odd = unlike(known, new)
    if not why and count >= _FEW and count - len(new) < least * count:
        why = "hardly any is the same"
    theirs, ours = (", ".join(map(repr, some[:_SHOWN].tolist())) for some in (odd, known))
    if why and 2 * len(new) > count:
        raise DataError(
            f"Of {count:,} {what}, {len(new):,} do not occur in {place}, and {why}: "
            f"{theirs} there, {ours} in {place}.",
            "Spell ids alike in all files.",
        )
    return f" ({why}, such as {theirs})" if why else ""


def unlike(known: Strings, new: Strings) -> tuple[str, Strings]:
    """How ids differ in kind from those that are known, and examples; "" if they may be of the same kind."""
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
    """What several ids all begin with, up to the first digit."""
    first, last = min(ids.tolist()), max(ids.tolist())
    length = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length].rstrip("0123456789") if len(ids) > 1 else ""


def _shape(text: str) -> frozenset[str]:
    """The kinds of characters in an id."""
    return frozenset("9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text)
