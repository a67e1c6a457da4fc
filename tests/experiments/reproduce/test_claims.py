"""Claims hold only beyond what may be chance over seeds."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce import claims, papers
from sottovoce.experiments.reproduce.papers import Finding

CLAIM = '[[claims]]\nclaim = "It is."\nsource = "Section 1"\nchecks = [{{ {} }}]\n'


@pytest.fixture
def decide(build, run):
    """Judges a check of runs in `small`; `fast` and `slow` are the last RMSE of each seed."""

    def judge(check, fast, slow, curve=(2.0,)):
        form = build(CLAIM.format(check))
        results = {
            ("small", "fast"): [run(*curve, value) for value in fast],
            ("small", "slow"): [run(*curve, value) for value in slow],
        }
        return claims.judge(form, form.claims[0], results)

    return judge


ORDER = 'order = ["fast", "slow"]'


@pytest.mark.parametrize(
    ("fast", "slow", "holds"),
    [
        ([0.80, 0.82, 0.81], [0.90, 0.93, 0.91], True),
        ([0.90, 0.93, 0.91], [0.80, 0.82, 0.81], False),
        ([0.80, 0.82, 0.81], [0.81, 0.81, 0.85], False),  # ahead on average, which may be chance
        ([0.80, 0.90, 1.00], [0.81, 0.91, 1.01], True),  # the same seed is compared with the same
        ([0.8] * 3, [0.825, 0.845, 0.865], False),  # beyond two deviations, and with three seeds chance
        ([0.8] * 9, [0.80, 0.82, 0.84] * 3, True),  # within two deviations, and with nine seeds not
        ([0.8], [0.9], None),  # a single seed decides nothing
        ([0.9], [0.8], None),
        ([0.8, 0.8], [0.8, 0.8], False),
        ([0.8, 0.8], [0.9, None], False),
    ],
)
def test_order(decide, fast, slow, holds):
    found = decide(ORDER, fast, slow)
    assert found["holds"] is holds
    assert "fast 0.8" in found["evidence"] or "fast 0.9" in found["evidence"]


def test_order_says_why(decide):
    assert ", which may be chance)" in decide(ORDER, [0.8, 0.82], [0.81, 0.9])["evidence"]
    assert "(behind by 0.1000, and a single seed decides nothing)" in decide(ORDER, [0.9], [0.8])["evidence"]
    assert "(ahead by 0.1000, and a single seed decides nothing)" in decide(ORDER, [0.8], [0.9])["evidence"]
    assert "(no difference)" in decide(ORDER, [0.8, 0.8], [0.8, 0.8])["evidence"]
    found = decide('order = ["slow", "fast", "means"]', [0.9, 0.9], [0.8, 0.8])
    assert found["holds"]
    assert found["evidence"] == (
        "small: RMSE, at the end: slow 0.8000, fast 0.9000, means 1.0000 (ahead by 0.1000; ahead by 0.1000)"
    )


def test_reaching_something(decide):
    check = 'order = ["fast", "slow"], at = { reaches = "means" }'
    found = decide(check, [0.9, 0.9], [1.9, 1.9])
    assert found["holds"]
    assert "fast 1, slow never (ahead by at least 1 rounds)" in found["evidence"]
    assert (
        "slow never with 1 of 2 seeds, else 1 (ahead by at least"
        in decide(check, [0.9, 0.9], [1.9, 0.9])["evidence"]
    )
    neither = decide(check, [1.9, 1.9], [1.9, 1.9])
    assert neither["holds"] is None
    assert "neither reached it" in neither["evidence"]
    near = 'within = ["fast", "slow"], by = 5, at = { reaches = "means" }'
    assert decide(near, [0.9, 0.9], [0.9, 0.9])["holds"]
    assert decide(near, [0.9, 0.9], [1.9, 0.9])["holds"] is False, "how far apart is not known"


def test_reaching_something_in_hours(over_hours, run):
    form = over_hours(CLAIM.format('order = ["fast", "slow"], at = { reaches = "means" }'))
    results = {
        ("small", "fast"): [run(2.0, 1.5, 0.9, hours=0.5) for _ in (1, 2)],
        ("small", "slow"): [run(2.0, 1.5, 1.2, hours=2.0) for _ in (1, 2)],
    }
    found = claims.judge(form, form.claims[0], results)
    assert found["holds"]
    assert (
        "first hour as good as means: fast 1, slow never (ahead by at least 5 hours)" in (found["evidence"])
    )


def test_what_is_open_does_not_decide(decide):
    order = 'order = ["fast", "slow"]'
    reach = f'{order}, at = {{ reaches = "means" }} }}, {{ {order}'
    assert decide(reach, [1.8, 1.8], [1.9, 1.9])["holds"] is True
    assert decide(reach, [1.9, 1.9], [1.8, 1.8])["holds"] is False


def test_within(decide):
    check = 'within = ["fast", "slow"], by = 0.05'
    assert decide(check, [0.80, 0.81], [0.83, 0.84])["holds"]
    apart = decide(check, [0.80, 0.81], [0.83, 0.87])
    assert not apart["holds"], "the spread counts"
    told = "(apart by 0.0450 ± 0.0212, at the far end of the interval 0.2356, allowed 0.0500)"
    assert told in apart["evidence"]
    assert not decide(check, [0.80, 0.81], [0.90, 0.91])["holds"]
    assert decide('within = ["fast", "slow"], metric = "bytes", by = 0', [0.8, 0.8], [0.9, 0.9])["holds"]
    single = decide(check, [0.8], [0.8])
    assert single["holds"] is None
    assert "allowed 0.0500, and a single seed decides nothing)" in single["evidence"]


def test_what_no_run_is_about_is_not_judged(decide):
    found = decide('order = ["small", "large"]', [0.8], [0.9])
    assert found["holds"] is None
    assert found["evidence"] == "none of these runs is about it"


def test_a_function_of_ones_own(decide, monkeypatch):
    monkeypatch.setattr(papers, "_statements", {})

    @papers.statement("somebody.counts")
    def counts(form, results):
        return [Finding(f"{len(results)} runs", len(results) == 2)]

    found = decide('function = "somebody.counts"', [0.8], [0.9])
    assert (found["holds"], found["evidence"]) == (True, "2 runs")
    with pytest.raises(RecipeError, match=r"No function 'somebody.count' .* Did you mean 'somebody.counts'?"):
        decide('function = "somebody.count"', [0.8], [0.9])


@pytest.mark.parametrize(
    ("fast", "slow", "holds"),
    [
        ([0.80, 0.82, 0.81], [0.90, 0.93, 0.91], True),
        ([0.90, 0.93, 0.91], [0.80, 0.82, 0.81], False),
        ([0.81, 0.81, 0.85], [0.80, 0.82, 0.81], True),  # behind on average, which may be chance
        ([0.8, 0.8], [0.8, 0.8], True),
        ([0.9], [0.8], None),
        ([0.8], [0.9], None),
    ],
)
def test_not_behind(decide, fast, slow, holds):
    assert decide('not_behind = ["fast", "slow"]', fast, slow)["holds"] is holds


@pytest.mark.parametrize(
    ("limits", "fast", "slow", "holds"),
    [
        ("least = 0.99", [0.80, 0.90], [0.80, 0.90], True),  # each seed is divided by its own
        ("least = 0.99", [0.78, 0.78], [0.80, 0.80], False),
        ("least = 0.99", [0.79, 0.81], [0.80, 0.80], False),  # 1 on average, and the interval reaches below
        ("most = 0.99", [0.78, 0.78], [0.80, 0.80], True),
        ("least = 0.9, most = 0.95", [0.78, 0.78], [0.80, 0.80], False),
        ("least = 0.5", [0.8], [0.8], None),
    ],
)
def test_a_ratio_has_limits(decide, limits, fast, slow, holds):
    assert decide(f'times = ["fast", "slow"], {limits}', fast, slow)["holds"] is holds


def test_limits_say_why(decide):
    found = decide('times = ["fast", "slow"], least = 0.95', [0.78, 0.78], [0.8, 0.8])
    assert found["evidence"] == (
        "small: RMSE, at the end: fast 0.7800, slow 0.8000 "
        "(97.50 % of it, the interval is 97.50 % to 97.50 %, asked is at least 95.00 %)"
    )
    found = decide('times = ["fast", "slow"], least = 0.99', [0.79, 0.81], [0.8, 0.8])
    assert found["evidence"].endswith("asked is at least 99.00 %, which may be chance)")
    # 1 MB sent by 7 people
    found = decide('of = "fast", most = 150000, metric = "bytes per person"', [0.8, 0.8], [0.8, 0.8])
    assert found["holds"] is True
    assert (
        "bytes per person: fast 143 kB (the interval is 143 kB to 143 kB, asked is at most 150 kB)"
        in (found["evidence"])
    )
    assert not decide('of = "fast", most = 1e5, metric = "bytes per person"', [0.8, 0.8], [0.8])["holds"]


def test_runs_with_fewer_seeds_are_compared_under_those(decide):
    found = decide(ORDER, [0.80, 0.82, 0.81, 5.0], [0.90, 0.93, 0.91])
    assert found["holds"] is True
    assert "fast 0.8100 ± 0.0100" in found["evidence"], "under the seeds that both have"
    assert "(ahead by 0.1033" in found["evidence"]
    assert decide(ORDER, [0.80, 0.82], [0.90])["evidence"].endswith("a single seed decides nothing)")


def test_a_level_has_people_served_worst(build, run):
    form = build(CLAIM.format('times = ["fast", "means"], least = 0.9, at = "cdf 0.1"'))
    tails = {"tails_beside": {"popularity": {"rmse": {"cdf 0.1": 2.0}}}}
    results = {("small", "fast"): [run(2.0, 1.0, **tails) for _ in range(2)]}
    said = claims.judge(form, form.claims[0], results)["evidence"]
    assert "fast 2.5000, means 2.0000 (125.00 % of it" in said
