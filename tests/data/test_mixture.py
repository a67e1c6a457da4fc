"""Times of several kinds in one column are refused with their place; one kind is read, however uneven."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sottovoce.data import clock
from sottovoce.data.load import load
from sottovoce.errors import DataError

SECONDS = [1333476450 + 86400 * n for n in range(12)]
DAYS = [20120403 + n for n in range(12)]
SHEET = [41002 + n for n in range(12)]
STEPS = list(range(1, 13))
YEARS = [2005 + n for n in range(12)]
EARLY = "has a time of another kind: in seconds since 1970, as the others, it is in 1970"
OTHERS = "of another kind: .*others are"
GONE = "seems to have no time, although other rows have one"

MIXED = {
    "three kinds": (DAYS + SHEET + STEPS, "line 2 has a time of another kind: it seems to be a calendar"),
    "steps, calendar numbers": (STEPS * 3 + DAYS[:2], "line 38 .*calendar number such as 20120403"),
    "one calendar number": ([*STEPS, 20120403], "line 14 .*calendar number such as 20120403"),
    "an invalid calendar number": ([*DAYS[:9], *STEPS * 2, 20120431], "a calendar number"),
    "calendar numbers, seconds": (SECONDS * 2 + DAYS, "line 26 .*calendar number such as 20120403"),
    "half calendar numbers": (DAYS + SECONDS, "line 14 .*calendar number"),
    "a year among seconds": ([SECONDS[0], SECONDS[1], 2012, SECONDS[2]], f"line 4 {EARLY}: .*'2012'"),
    "days among seconds": (SECONDS * 2 + SHEET, "line 26 .*a day of a spreadsheet"),
    "steps among seconds": (SECONDS + STEPS[:5], f"line 14 {EARLY}.*first of 5 such"),
    "seconds among steps": ([*STEPS, SECONDS[0]], "line 14 .*seconds since 1970, the others are small"),
    "seconds and a zero among steps": ([0, *STEPS, SECONDS[0]], "line 15 .*the others are small"),
    "years among steps": (STEPS + YEARS[:5], "line 14 .*seems to be a year"),
    "steps among years": (STEPS[:5] + YEARS, "line 2 .*most others are each a year"),
    "zeros among years": ([0] * 5 + YEARS, "line 2 .*most others are each a year"),
    "one gap among months": ([201204, 201205, 201206, 7], "line 5 .*most others are each a month"),
    "days among steps": (STEPS * 2 + SHEET, "line 26 .*a day of a spreadsheet"),
    "milliseconds among seconds": ([*SECONDS, 1333476450123], "line 14 .*milliseconds"),
    "digits among milliseconds": (
        [1333476450123 + n for n in range(9)] + [20120403180730],
        "line 11 .*calendar number such as 20120403180730",
    ),
    "twelve digits among milliseconds": (
        [1333476450123 + n for n in range(9)] + [201204031807],
        "line 11 .*calendar number such as 201204031807",
    ),
    "the largest number": ([*SECONDS, 2147483647], f"line 14 {GONE}"),
    "the largest number in milliseconds": (
        [1000 * s for s in SECONDS] + [2147483647000],
        f"line 14 {GONE}",
    ),
    "the smallest number": ([*SECONDS, -2147483648], f"line 14 {GONE}"),
    "the largest number among steps": ([*STEPS, 2147483647], "line 14 .*the others are small"),
    "the year 1": ([*SECONDS, -62135596800], f"line 14 {GONE}"),
    "the year 1900": ([*SECONDS, -2208988800], "line 14 has a time in the year 1900, far from all"),
    "nines": ([*SECONDS, 9999999999], "line 14 has a time in the year 2286, far from all others"),
    "nines in milliseconds": ([1000 * s for s in SECONDS] + [9999999999999], "line 14 .*year 2286"),
    "nines among steps": ([*STEPS, 99999999], f"line 14 {GONE}"),
    "minus one among steps": ([*STEPS, -1, -1], f"line 14 {GONE}.*first of 2"),
    "minus 999 among steps": ([0, *STEPS, -999], f"line 15 {GONE}"),
}


@pytest.mark.parametrize("case", MIXED)
def test_a_mixture_is_refused(case: str, tmp_path: Path) -> None:
    times, said = MIXED[case]
    path = tmp_path / "a.tsv"
    path.write_text("user\titem\ttime\n" + "".join(f"u{n % 5}\ti{n}\t{t}\n" for n, t in enumerate(times)))
    with pytest.raises(DataError, match=said) as caught:
        load(path)
    assert caught.value.remedy


DATES = {
    "the year 9999": (["2012-04-03", "2012-04-04", "9999-12-31"], f"line 4 {GONE}|line 4.*9999"),
    "the year 1": (["2012-04-03", "2012-04-04", "0001-01-01"], f"line 4 {GONE}"),
    "the year 1900": (["2012-04-03", "2012-04-04", "1900-01-01"], "line 4 .*year 1900, far from all others"),
    "1970": (["2012-04-03", "2012-04-04", "1970-01-01"], f"line 4 {GONE}"),
}


@pytest.mark.parametrize("case", DATES)
def test_dates_that_stand_for_missing_ones(case: str, tmp_path: Path) -> None:
    times, said = DATES[case]
    path = tmp_path / "a.csv"
    path.write_text("user,item,time\n" + "".join(f"u,{n},{time}\n" for n, time in enumerate(times)))
    with pytest.raises(DataError, match=said):
        load(path)


def _spread(low: int, high: int, many: int) -> list[int]:
    return np.linspace(low, high, many).astype(np.int64).tolist()


ONE_KIND = {
    "decades": _spread(0, 1_700_000_000, 200),
    "few rows over decades": _spread(40_000_000, 1_700_000_000, 10),
    "before 1970": _spread(-1_500_000_000, 1_500_000_000, 50),
    "steps of a heavy user": list(range(1, 1 << 20)),
    "many steps": [*range(1, 2500), *range(1, 30), 3, 4],
    "seconds from a beginning": _spread(0, 40_000_000, 400),
    "long seconds from a beginning": _spread(0, 900_000_000, 300),
    "thousandths from a beginning": _spread(5, 30_000_000_000, 300),
    "zeros": [0] * 20,
    "minus ones": [-1] * 20,
    "the same": [2147483647] * 5,
    "years": YEARS,
    "a few years": [2011, 2012],
    "months": [201204 + n for n in range(9)],
    "steps around a zero": list(range(-5, 6)),
    "steps with a large one": [7, 60000],
    "days that go on": list(range(1, 60_000)),
    "steps by hundred": list(range(100, 300_000, 100)),
    "powers": [2**n for n in range(30)],
}


@pytest.mark.parametrize("case", ONE_KIND)
def test_one_kind_is_read(case: str) -> None:
    values = ONE_KIND[case]
    found = clock.read(pl.Series(values))
    assert found.wrong is None
    assert np.array_equal(np.argsort(found.seconds, kind="stable"), np.argsort(values, kind="stable"))


@pytest.mark.parametrize("seed", range(12))
def test_random_steps_are_one_kind(seed: int) -> None:
    generator = np.random.default_rng(seed)
    for top in (100, 3000, 100_000, 3_000_000, 60_000_000):
        for values in (
            generator.integers(0, top, 500),
            np.exp(generator.uniform(0, np.log(top), 500)).astype(np.int64),
            np.concatenate([np.arange(n) for n in generator.geometric(20 / min(top, 100_000), 20)]),
        ):
            assert clock.read(pl.Series(values)).wrong is None


def test_years_of_any_number_of_rows_beside_steps() -> None:
    for many in range(1, 40):
        for others in range(1, 40, 3):
            values = [*(2000 + n % 20 for n in range(many)), *range(others)]
            found = clock.read(pl.Series(values))
            assert found.wrong is None or len(found.wrong.rows) == len(values)
