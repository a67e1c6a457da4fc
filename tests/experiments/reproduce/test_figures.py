"""Which number of a run is meant."""

import math

import pytest
from scipy import stats

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, value
from sottovoce.experiments.reproduce.sections import Hours, Reaches


def test_where_a_metric_is_read(run):
    one = run(3.0, 2.0, 0.9, 1.1)
    assert value(one, "rmse", "final") == 1.1
    assert value(one, "rmse", "best") == 0.9
    assert value(one, "rmse", "mean") == pytest.approx(4.0 / 3)
    assert value(one, "rmse", 1) == 2.0
    assert math.isnan(value(one, "rmse", 7))
    assert value(one, "rmse", "cdf 0.1") == 2.5
    assert value(one, "rmse", "final", "popularity") == 1.0
    assert value(one, "rmse", Reaches(reaches="popularity")) == 2
    assert value(one, "rmse", Reaches(reaches=2.0)) == 1
    assert value(one, "rmse", Reaches(reaches=0.1)) == math.inf


def test_what_diverged_is_not_a_number(run):
    one = run(3.0, None, 0.5, None)
    assert math.isnan(value(one, "rmse", "final"))
    assert value(one, "rmse", "best") == 0.5
    assert math.isnan(value(one, "rmse", "mean"))


def test_hours(over_hours, run):
    form, one = over_hours(), run(3.0, 2.0, 0.9, 1.1, hours=0.5)
    read = lambda at: figures.values(form, [one], "rmse", at, None)[0]  # noqa: E731
    assert figures.places(form, one) == [0, 0.5, 1.0, 1.5]
    assert read(Hours(hours=1.0)) == 0.9
    assert read(Hours(hours=1.4)) == 0.9, "the last evaluation until then"
    assert read(Hours(hours=9.0)) == 1.1
    assert read(Reaches(reaches="means")) == 1.0
    assert read("mean") == pytest.approx(4.0 / 3)
    assert figures.places(form, run(3.0, 2.0)) == [0, 2.0], "what a round stands for without a clock"
    assert figures.say_at(Hours(hours=1.5), form.x) == "after 1.5 hours"
    assert figures.say_at(Reaches(reaches="means"), form.x) == "first hour as good as means"


def test_runs_without_a_clock_have_no_hours(build, run):
    form = build(top='x = "hours"\n')
    assert figures.places(form, run(3.0, 2.0, hours=1.0)) == [0.0, 1.0]
    with pytest.raises(RecipeError, match=r"a run has no clock. Give the run"):
        figures.places(form, run(3.0, 2.0))


def test_churn(run):
    one = run(3.0, churn={"online": 0.2, "session_minutes": None})
    assert value(one, "share online", "final") == 0.2
    assert math.isnan(value(one, "minutes per session", "final"))
    assert math.isnan(value(run(3.0), "share online", "final"))


def test_counts(run):
    one = run(3.0, 2.0)
    assert value(one, "people", "final") == 7
    assert value(one, "Mbit per message", "final") == pytest.approx(0.8)
    assert math.isnan(value(run(3.0, messages=0), "Mbit per message", "final"))


def test_how_many_lists_hold_what_attackers_promote(run):
    attack = {"name": "promote", "people": 1, "item": "3", "owners": 2, "exposure": {"10": 0.25}}
    assert value(run(3.0, attack=attack), "exposure@10", "final") == 0.25
    assert math.isnan(value(run(3.0, attack={"name": "destroy", "people": 1}), "exposure@10", "final"))
    assert math.isnan(value(run(3.0), "exposure@10", "final"))
    assert figures.say(0.25, "exposure@10") == "25.00 %"
    assert figures.smaller_is_better("exposure@10", "final")


def test_what_is_not_measured(run):
    with pytest.raises(RecipeError, match=r"'rms' is not measured by these runs. Did you mean 'rmse'?"):
        value(run(3.0), "rms", "final")
    with pytest.raises(RecipeError, match="'ease' is not measured beside these runs"):
        value(run(3.0), "rmse", "final", "ease")


def test_over_seeds():
    assert Figure.of([1.0, 2.0, 3.0]) == (2.0, 1.0, 1 / math.sqrt(3), 2)
    assert Figure.of([2.0]) == (2.0, None, None, 0)
    assert Figure.of([2.0, math.inf]) == (math.inf, None, None, 0)
    assert math.isnan(Figure.of([2.0, math.nan]).mean)
    assert figures.say_over(Figure(0.5, 0.01), "hr@5") == "50.00 % ± 1.00 %"
    assert figures.say_over(Figure(0.5, 0.0012), "rmse") == "0.5000 ± 0.0012"
    assert figures.say(math.inf, "rmse", Reaches(reaches=1.0)) == "never"
    assert figures.say(1234.0, "people") == "1,234"
    assert figures.say(1234.5, "models received") == "1,234"
    assert figures.say(0.2345, "seconds per node") == "0.234"


ONE, OTHER = [0.3, 0.1, 0.4, 0.1, 0.5], [0.9, 0.2, 0.6]


def test_the_interval_over_seeds_is_students():
    figure = Figure.of(ONE)
    low, high = stats.ttest_1samp(ONE, 0).confidence_interval(0.95)
    assert (figure.mean - figure.margin, figure.mean + figure.margin) == pytest.approx((low, high))
    assert low > 0
    assert figure.clear is True
    assert (-figure).clear is False
    assert Figure.of([0.3, -0.1, 0.4]).clear is False
    assert figure.within(float(high) + 1e-9) is True
    assert figure.within(float(high) - 1e-9) is False
    assert figure.within(figure.margin + 1e-9, around=figure.mean) is True


def test_a_difference_of_two_without_a_common_split_is_welchs():
    apart = Figure.of(OTHER).minus(Figure.of(ONE))
    low, high = stats.ttest_ind(OTHER, ONE, equal_var=False).confidence_interval(0.95)
    assert (apart.mean - apart.margin, apart.mean + apart.margin) == pytest.approx((low, high))
    same = Figure.of([2.0, 2.0]).minus(Figure.of([1.0, 1.0]))
    assert (same.mean, same.margin, same.clear) == (1.0, 0.0, True)


def test_more_seeds_sharpen_a_verdict():
    """With a spread of the same size, a lead that may be chance under three seeds is clear under ten."""
    assert Figure.of([0.5, 1.0, 1.5]).clear is False
    assert Figure.of([0.5, 1.0, 1.5, 0.5, 1.5, 0.5, 1.5, 0.5, 1.5, 1.0]).clear is True


def test_a_single_seed_decides_nothing():
    assert Figure.of([1.0]).clear is Figure.of([-1.0]).clear is Figure.of([0.0]).within(1.0) is None
    assert Figure.of([1.0, 1.1]).minus(Figure.of([0.5])).clear is None
    assert Figure.of([1.0, math.nan]).clear is Figure.of([math.nan]).within(1.0) is False


def test_what_is_open_together_with_others():
    assert figures.every([True, True]) is True
    assert figures.every([True, None]) is None
    assert figures.every([None, False]) is False
    assert [figures.opposite(holds) for holds in (True, False, None)] == [False, True, None]


def test_the_shift_of_one_category(run):
    shift = "bias-disparity@10"
    one = run(
        3.0,
        categories={shift: {"Food": -0.25}},
        categories_beside={"popularity": {shift: {"Food": None}}, "random": {shift: {"Food": 0.5}}},
    )
    assert value(one, f"{shift}: Food", "final") == -0.25
    assert value(one, f"{shift}: Food", "final", "random") == 0.5
    assert math.isnan(value(one, f"{shift}: Food", "final", "popularity"))
    assert figures.say(-0.25, f"{shift}: Food") == "−0.2500"
    assert figures.say_read(f"{shift}: Food", "final") == "Bias disparity@10: Food, at the end"
    with pytest.raises(RecipeError, match=r"no bias-disparity@10 of 'Foo'. Did you mean 'Food'?"):
        value(one, f"{shift}: Foo", "final")
    with pytest.raises(RecipeError, match=r"Measure 'bias-disparity@10' on data with categories"):
        value(run(3.0), f"{shift}: Food", "final")
