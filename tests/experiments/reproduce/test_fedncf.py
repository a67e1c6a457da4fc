"""What is said about federated NCF, on curves that were made up."""

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce import papers
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.runs.run import Run
from tests.small import result

RATES = (0.0, 0.01, 0.02)  # how much better each seed is than the first


@pytest.fixture
def say():
    """What a statement finds, where each run of a shipped reproduction has a curve of HR@10."""

    def look(name, shipped, curves, noise=0.0):
        form = Reproduction.read(f"fedncf/{shipped}")
        results = {}
        for labels, curve in curves.items():
            (run,) = form.stands_for(labels, form.runs())
            # With noise, the runs of two labels differ otherwise under every seed.
            shift = noise * (len(results) % 2)
            seeds = [[value + rate + shift * n * n for value in curve] for n, rate in enumerate(RATES)]
            results[run] = [_run(values) for values in seeds]
        return papers.find(f"fedncf.{name}")(form, results)

    return look


def _run(values):
    events = [{"round": 50 * n, "hr@10": value} for n, value in enumerate(values)]
    final = {"hr@10": values[-1]}
    figures = result(final=final, baselines={"popularity": final}, data={"people": 943})
    protocol = {"name": "federated", "participants": 20}
    return Run(Recipe.parse({"data": {"name": "synthetic"}, "protocol": protocol}), figures, events)


@pytest.mark.parametrize(("last", "holds"), [(0.39, True), (0.48, False), (0.3, False)])
def test_the_drop_with_everybody(say, last, holds):
    curves = {"FedGMF, C = 20": (0.1, 0.6, 0.5), "FedGMF, C = 943": (0.1, last)}
    (found,) = say("everybody_drops", "table-3", curves)
    assert found.holds is holds
    assert f"falls by {100 * (0.6 - last):.1f} points" in found.said


def test_the_start(say):
    (found,) = say("starts_at_a_tenth", "table-4", {"MovieLens 100K, FedAvg": (0.08, 0.5)})
    assert found == ("MovieLens 100K, FedAvg: HR@10 at the start 9.00 % ± 1.00 %", True)
    (found,) = say("starts_at_a_tenth", "table-4", {"MovieLens 100K, FedAvg": (0.2, 0.5)})
    assert found.holds is False


def test_the_lead_of_a_rule_is_that_at_the_end(say):
    curves = {"MovieLens 100K, MF-FedAvg": (0.1, 0.7, 0.59), "MovieLens 100K, FedAvg": (0.1, 0.55)}
    (found,) = say("lead_over_fedavg", "table-4", curves)
    assert found == ("MovieLens 100K: HR@10 at the end: MF-FedAvg is ahead by 4.0 points", True)
    curves["MovieLens 100K, FedAvg"] = (0.1, 0.5)
    assert say("lead_over_fedavg", "table-4", curves)[0].holds is False


def test_not_behind_beyond_the_spread(say):
    curves = {"FedNeuMF, C = 20": (0.1, 0.59), "FedGMF, C = 20": (0.1, 0.6)}
    (found,) = say("neumf_not_behind", "table-3", curves)
    assert found.holds is False
    assert "FedNeuMF is behind FedGMF by 1.0 points" in found.said
    assert say("neumf_not_behind", "table-3", curves, noise=0.01)[0].holds, "within the spread over seeds"
    both = {f"MovieLens 100K, {model}, federated": (0.1, hr) for model, hr in (("NeuMF", 0.61), ("GMF", 0.6))}
    assert say("neumf_not_behind", "table-5", both)[0].holds


def _cost(**data):
    """Curves of NeuMF by data set: central HR, and what federation costs."""
    return {
        f"{name}, NeuMF, {way}": (0.1, central - cost * (way == "federated"))
        for name, (central, cost) in data.items()
        for way in ("central", "federated")
    }


def test_the_cost_of_federation(say):
    data = {
        "MovieLens 100K": (0.69, 0.09),
        "MovieLens 1M": (0.7, 0.2),
        "Last.fm 2K as published": (0.89, 0.26),
        "Foursquare NY": (0.36, 0.03),
    }
    found = say("cost_of_federation", "table-5", _cost(**data))
    assert [each.holds for each in found] == [True, False, False, None]
    assert "the text has 16 points" in found[2].said
    found = say("cost_in_table_5", "table-5", _cost(**data))
    assert [each.holds for each in found] == [True, False, True, None]
    assert "Table 5 has 26 points" in found[2].said


def test_the_harder_the_closer(say):
    data = {"MovieLens 100K": (0.69, 0.08), "Last.fm 2K": (0.5, 0.1), "Foursquare NY": (0.36, 0.03)}
    found = say("harder_is_closer", "table-5", _cost(**data))
    assert [each.holds for each in found] == [True, False]
    assert found[0].said.startswith("Foursquare NY 37.0 % central, 3.0 points lost; Last.fm 2K 51.0 %")


RISING = [0.1 + 0.02 * n for n in range(21)]
FALLING = [*RISING[:11], *(0.3 - 0.01 * n for n in range(1, 11))]


def test_overfitting(say):
    curves = {f"Foursquare NY, {m}, federated": c for m, c in (("NeuMF", FALLING), ("GMF", RISING))}
    found = say("foursquare_overfits", "figure-4", curves)
    assert [each.holds for each in found] == [True, True]
    assert found[0].said.startswith(
        "Foursquare NY: federated NeuMF: best over rounds 500 to 550, then falls by"
    )
    swapped = {f"Foursquare NY, {m}, federated": c for m, c in (("NeuMF", RISING), ("GMF", FALLING))}
    assert [each.holds for each in say("foursquare_overfits", "figure-4", swapped)] == [False, False]


def test_random_selection(say):
    # Five global rounds are 235.75 aggregations: of these, the evaluations at 0, 250 and 500 count.
    often = (0.1, 0.9, 0.9, 0.9, 0.9, 0.62, 0.9, 0.9, 0.9, 0.9, 0.5)
    curves = {"MovieLens 100K, at random": often, "MovieLens 100K, in turn": (0.1, 0.61)}
    (found,) = say("random_within_two", "figure-6", curves)
    assert found.holds
    assert "+1.0, +1.0, +1.0 points by seed" in found.said
    assert say("random_within_two", "figure-6", curves, noise=0.01)[0].holds is False, "every seed counts"
    early = {"MovieLens 100K, at random": (0.1, 0.2, 0.4, 0.6)}
    (found,) = say("first_hundred", "figure-6", early)
    assert (found.said, found.holds) == (
        "MovieLens 100K: the first 100 aggregations bring 60 % of the gain in HR@10",
        True,
    )
    late = {"MovieLens 100K, at random": (0.1, 0.2, 0.3, 0.6)}
    assert say("first_hundred", "figure-6", late)[0].holds is False
