import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.interactions import Catalog, build
from sottovoce.errors import DataError

numbers = st.integers(-30, 30).map(str)
words = st.text("abA-", min_size=1, max_size=3).filter(lambda text: text != "-")


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[str, str, float, int]]:
    ids = draw(st.sampled_from([numbers, words]))
    row = st.tuples(ids, ids, st.sampled_from([1.0, 2.5, 5.0]), st.integers(0, 4))
    return draw(st.lists(row, min_size=1, max_size=40))


def in_order(ids: set[str]) -> list[str]:
    plain = all(i.lstrip("-").isdecimal() and str(int(i)) == i for i in ids)
    return sorted(ids, key=int) if plain else sorted(ids)


@given(rows())
def test_build_keeps_every_row_in_order_of_person_and_time(rows: list[tuple[str, str, float, int]]) -> None:
    data = build("mine", *zip(*rows, strict=True))
    assert data.users.tolist() == in_order({r[0] for r in rows})
    assert data.catalog.ids.tolist() == in_order({r[1] for r in rows})
    for person, user in enumerate(data.users):
        expected = sorted((r for r in rows if r[0] == user), key=lambda r: r[3])
        part = slice(data.indptr[person], data.indptr[person + 1])
        assert data.catalog.ids[data.item[part]].tolist() == [r[1] for r in expected]
        assert data.value[part].tolist() == [r[2] for r in expected]
        assert data.time[part].tolist() == [r[3] for r in expected]
    assert (data.people, data.items, len(data)) == (len(data.users), len(data.catalog), len(rows))


@given(rows(), st.data())
def test_take_keeps_people_and_order(rows: list[tuple[str, str, float, int]], source: st.DataObject) -> None:
    data = build("mine", *zip(*rows, strict=True))
    mask = np.array(source.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    part = data.take(mask)
    who = np.repeat(np.arange(data.people), np.diff(data.indptr))
    assert np.array_equal(np.repeat(np.arange(data.people), np.diff(part.indptr)), who[mask])
    assert np.array_equal(part.item, data.item[mask])
    assert part.catalog is data.catalog


def test_types_are_those_that_kernels_expect() -> None:
    data = build("mine", [1, 2], [3, 4], [5, 1])
    assert [a.dtype for a in (data.indptr, data.item, data.value, data.time)] == [
        np.int64,
        np.int32,
        np.float32,
        np.int64,
    ]
    assert data.density == 0.5


def test_a_catalogue_gives_the_order_of_items() -> None:
    catalog = Catalog("films", np.array(["z", "a", "m"]), ["Zed", "", "Em"])
    data = build("films", ["u", "u"], ["a", "z"], catalog=catalog)
    assert data.item.tolist() == [1, 0]
    assert [catalog.title(n) for n in range(3)] == ["Zed", "a", "Em"]
    assert catalog.key(2) == "films:m"
    with pytest.raises(DataError, match="'q'"):
        build("films", ["u"], ["q"], catalog=catalog)


@pytest.mark.parametrize(
    ("values", "scale"),
    [(None, (0, 1)), ([1, 1], (0, 1)), ([2, 4], (2, 4)), ([0, 0], (0, 1)), ([-3, -3], (-3, 1))],
)
def test_scale_without_being_told(values: list[float] | None, scale: tuple[float, float]) -> None:
    assert build("mine", ["a", "b"], ["x", "y"], values).scale == scale


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 6.0])
def test_a_bad_value_is_named(value: float) -> None:
    with pytest.raises(DataError, match="Row 2 of mine"):
        build("mine", ["a", "b"], ["x", "y"], [1, value], scale=(1, 5))


def test_nothing_and_unequal_columns_are_refused() -> None:
    with pytest.raises(DataError, match="no interactions"):
        build("mine", [], [])
    with pytest.raises(DataError, match="2, 1, 2 and 2 rows"):
        build("mine", ["a", "b"], ["x"])


def test_person_by_id_or_with_the_nearest_ids() -> None:
    data = build("mine", ["anna", "bert", "carla"], ["x", "y", "z"])
    assert data.person("bert") == 1
    with pytest.raises(DataError, match=r"no person 'karla'.*'carla'"):
        data.person("karla")
    assert build("mine", [7, 42], ["x", "y"]).person(42) == 1


def test_data_says_in_two_lines_what_it_is() -> None:
    day = 86_400
    data = build(
        "mi\x1bne", ["a", "a", "b"], ["x", "y", "x"], [1.0, 5.0, 3.0], [0, day, 400 * day], source="a\nfile"
    )
    assert repr(data).splitlines() == [
        "mi ne: 2 people, 2 items, 3 interactions, density 75 %, ratings 1 to 5, 1970-01-01 to 1971-02-05",
        "from a file",
    ]
    assert repr(data.catalog) == "<Catalog mi ne: 2 items; known: ids>"
    plain = build("mine", ["a", "b"], ["x", "y"])
    one = build("mine", ["a"], ["x"])
    assert repr(one).startswith("mine: 1 person, 1 item, 1 interaction, density 100 %")
    assert repr(plain) == "mine: 2 people, 2 items, 2 interactions, density 50 %, no ratings\nfrom memory"
