"""Duplicates, implicit feedback and minimum counts, against plain Python."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.filters import Filters
from sottovoce.data.interactions import Catalog, build
from sottovoce.data.load import load
from sottovoce.errors import DataError, RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.loading import load_data
from tests.data.facts import facts

Row = tuple[str, str, float, int]


def reference(rows: list[Row], filters: Filters) -> list[Row]:
    if filters.duplicates != "keep":
        groups: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            groups.setdefault(row[:2], []).append(row)
        chosen = []
        for row in rows:
            same = groups[row[:2]]
            if filters.duplicates == "sum" and row is same[0]:
                chosen.append((*row[:2], sum(r[2] for r in same), row[3]))
            elif row is same[0 if filters.duplicates == "first" else -1] and filters.duplicates != "sum":
                chosen.append(row)
        rows = chosen
    if filters.implicit is not False:
        low = -np.inf if filters.implicit is True else filters.implicit
        rows = [(*row[:2], 1.0, row[3]) for row in rows if row[2] >= low]
    while True:
        people, items = [r[0] for r in rows], [r[1] for r in rows]
        visitors = {
            item: len({who for who, what in zip(people, items, strict=True) if what == item})
            for item in items
        }
        kept = [
            r
            for r in rows
            if people.count(r[0]) >= filters.min_user
            and items.count(r[1]) >= filters.min_item
            and visitors[r[1]] >= filters.min_visitors
        ]
        if filters.filter == "once" or kept == rows:
            return kept
        rows = kept


histories = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 5), st.integers(0, 3)),
    min_size=1,
    max_size=40,
)
choices = st.builds(
    Filters,
    min_user=st.integers(0, 4),
    min_item=st.integers(0, 3),
    min_visitors=st.integers(0, 3),
    filter=st.sampled_from(["once", "stable"]),
    implicit=st.sampled_from([False, True, 0.0, 3.0]),
    duplicates=st.sampled_from(["keep", "first", "last", "sum"]),
    cluster=st.just("all"),  # see test_crowds.py
    top_items=st.just(0),
)


@given(histories, choices)
def test_as_plain_python(rows: list[tuple[int, int, int, int]], filters: Filters) -> None:
    catalog = Catalog(
        "x",
        np.arange(9).astype(str),
        [f"title {n}" for n in range(9)],
        [(f"kind {n}",) for n in range(9)],
        np.arange(18, dtype=np.float32).reshape(9, 2),
    )
    data = build("x", *zip(*rows, strict=True), catalog=catalog, scale=(1, 5), source="here")
    expected = reference(facts(data), filters)
    if not expected:
        with pytest.raises(DataError, match="Nothing of x is left"):
            filters.apply(data)
        return
    kept = filters.apply(data)
    assert facts(kept) == expected
    changed = len({row[:2] for row in facts(data)}) < len(data)
    if filters._replace(duplicates="last") == Filters() and filters.implicit is False:
        assert (kept is data) == (not changed)
        return
    assert np.diff(kept.indptr).min() > 0
    assert set(kept.item.tolist()) == set(range(kept.items))
    assert kept.value.max() <= kept.scale[1]
    assert kept.catalog.titles == [f"title {i}" for i in kept.catalog.ids]
    assert kept.catalog.categories == [(f"kind {i}",) for i in kept.catalog.ids]
    assert kept.catalog.coordinates is not None
    assert kept.catalog.coordinates[:, 0].tolist() == [2.0 * int(i) for i in kept.catalog.ids]
    assert kept.source.startswith("here; " if kept.source != data.source else "here")


CSV = "user,item,rating,time\na,x,5,1\na,x,2,3\na,y,4,2\nb,x,4,1\nc,z,1,1\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(CSV)
    return tmp_path / "own.csv"


def test_from_load_and_from_recipes(own: Path) -> None:
    settings = {"min_user": 2, "implicit": 4, "duplicates": "first"}
    data = load(own, **settings)
    assert facts(data) == [("a", "x", 1.0, 1), ("a", "y", 1.0, 2)]
    for words in ("of duplicates the first kept", "ratings from 4 up", "until stable", "2 of 5 interactions"):
        assert words in data.source
    recipe = Recipe.parse({"data": {"path": str(own), **settings}})
    again = load_data(recipe)
    assert facts(again) == facts(data)
    assert again.source == data.source
    assert facts(load(load(own, duplicates="keep"), **settings)) == facts(data)


def test_settings_are_checked(own: Path) -> None:
    for settings, said in (
        ({"min_user": -1}, r"data\.min_user = -1 cannot be used"),
        ({"filter": "twice"}, r"data\.filter = 'twice' cannot be used"),
        ({"duplicates": "mean"}, r"data\.duplicates"),
        ({"implicit": "yes?"}, r"data\.implicit"),
        ({"min_users": 3}, r"data\.min_users is not a setting .* 'min_user'"),
    ):
        with pytest.raises(RecipeError, match=said):
            load(own, **settings)
