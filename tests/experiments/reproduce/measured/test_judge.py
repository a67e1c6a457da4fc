"""Rows and claims of measurements: medians beside the paper, checks over the interval of repetitions."""

import pytest

from sottovoce.experiments.reproduce.measured import judge
from sottovoce.experiments.reproduce.measured.records import Record

ROWS = '[[rows]]\nfigure = "product"\nof = ["small"]\npaper = {{ "small, slow" = 4.0 }}\n{}\n'
CLAIM = '[[claims]]\nclaim = "It is."\nchecks = [{{ figure = "product", {} }}]\n'


def records(*values, name="product"):
    return [Record("toy.product", {}, seed, {name: value}, {}) for seed, value in enumerate(values, 1)]


def test_a_row_has_the_median_the_range_and_the_ratio(build):
    form = build(ROWS.format("factor = 1.5"))
    results = {("small", "slow"): records(9.0, 5.0, 4.5), ("small", "fast"): records(1.0, 1.0, 1.0)}
    slow, fast = judge.rows(form, form.rows[0], results)
    assert (slow["paper"], slow["ours"], slow["low"], slow["high"], slow["ratio"]) == (
        4.0,
        5.0,
        4.5,
        9.0,
        1.25,
    )
    assert slow["holds"] is True
    assert slow["said"] == ["4 ms", "5.00 ms (4.50 to 9.00), 1.25 ×", "at most 1.5 ×"]
    assert (fast["paper"], fast["holds"], fast["said"][1]) == (None, None, "1 ms")


@pytest.mark.parametrize(
    ("limit", "holds"),
    [
        ("factor = 1.2", False),
        ("factor = 1.3", True),
        ("tolerance = 1", True),
        ("tolerance = 0.9", False),
        ("", None),
    ],
)
def test_a_row_is_judged_by_its_factor_or_tolerance(build, limit, holds):
    form = build(ROWS.format(limit))
    (row,) = judge.rows(form, form.rows[0], {("small", "slow"): records(5.0, 5.0)})
    assert row["holds"] is holds


def test_cells_without_the_figure_have_no_row(build):
    form = build('[[rows]]\nfigure = "large only"\n')
    results = {("small", "slow"): records(1.0), ("large", "slow"): records(0.255, name="large only")}
    (row,) = judge.rows(form, form.rows[0], results)
    assert (row["name"], row["said"][1]) == ("large, slow", "25.5 %")


@pytest.mark.parametrize(
    ("check", "slow", "fast", "holds"),
    [
        ('of = "slow", most = 4', (3.0, 3.1, 2.9), (1.0, 1.0, 1.0), True),
        (
            'of = "slow", most = 3',
            (3.0, 3.1, 2.8),
            (1.0, 1.0, 1.0),
            False,
        ),  # the mean is below, not the interval
        ('of = "slow", least = 2, most = 4', (5.0, 5.0), (1.0, 1.0), False),
        ('of = "slow", least = 3', (3.0, 3.0), (1.0, 1.0), True),
        ('of = "slow", least = 3', (3.0,), (1.0,), None),  # a single repetition decides nothing
        ('times = ["slow", "fast"], least = 3', (9.0, 8.0), (2.0, 2.0), False),
        ('times = ["slow", "fast"], least = 3', (9.0, 9.1), (2.0, 2.0), True),
        ('rising = ["fast", "slow"]', (3.0, 4.0, 3.0), (1.0, 2.0, 1.0), True),
        ('rising = ["slow", "fast"]', (3.0, 4.0), (1.0, 2.0), False),
        ('rising = ["fast", "slow"]', (3.0,), (1.0,), None),
    ],
)
def test_a_check_holds_over_the_whole_interval(build, check, slow, fast, holds):
    form = build(CLAIM.format(check))
    results = {("small", "slow"): records(*slow), ("small", "fast"): records(*fast)}
    assert judge.claim(form, form.claims[0], results)["holds"] is holds


def test_evidence_names_cells_figures_and_limits(build):
    form = build(CLAIM.format('times = ["slow", "fast"], least = 3'))
    results = {("small", "slow"): records(9.0, 9.0), ("small", "fast"): records(2.0, 2.0)}
    found = judge.claim(form, form.claims[0], results)
    assert found["evidence"] == "small: product, slow divided by fast: 4.50 ×, wanted at least 3 ×"
    assert judge.claim(form, form.claims[0], {})["evidence"] == "nothing here was measured about it"


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.0375, "ms", "0.0375 ms"),
        (0.9591, "ms", "0.959 ms"),
        (12.34, "s", "12.3 s"),
        (2360.71, "s", "2,361 s"),
        (6.3, "MiB", "6.30 MiB"),
        (1.0, "share", "100 %"),
        (-0.024, "share", "−2.4 %"),
        (21881, "", "21,881"),
        (0.0, "ms", "0 ms"),
    ],
)
def test_numbers_are_said_with_their_unit(value, unit, said):
    assert judge.say(value, unit) == said


def test_spreads_have_the_digits_of_the_mean(build):
    form = build(CLAIM.format('of = "slow", most = 4'))
    results = {("small", "slow"): records(1.0, 1.1, 0.935)}
    assert (
        "slow, small: product: 1.01 ± 0.08 ms, wanted"
        in judge.claim(form, form.claims[0], results)["evidence"]
    )
