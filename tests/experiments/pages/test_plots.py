"""Pictures: every value is where it belongs, and can be read without seeing it."""

import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from sottovoce.experiments.pages.axes import Axis, limits, step, tick
from sottovoce.experiments.pages.plots import Series, cumulative, curves, distribution


def parsed(drawn):
    root = ElementTree.fromstring(drawn)
    return root, {
        g.get("data-name"): json.loads(g.get("data-points")) for g in root.iter("g") if g.get("data-points")
    }


def test_a_curve_with_a_band_and_levels():
    one = Series("ours", [0, 10, 20], [0.1, 0.6, 0.8], [0.1, 0.5, 0.7], [0.1, 0.65, 0.9])
    root, points = parsed(curves("c", "HR@20", [one], {"popularity": 0.5, "random": 0.2}, percent=True))
    assert set(points) == {"ours", "popularity", "random"}
    assert [p[2] for p in points["ours"]] == ["0", "10", "20"]
    assert points["ours"][1][3] == "60.0 % (50.0 to 65.0)"
    heights = [p[1] for p in points["ours"]]
    assert heights == sorted(heights, reverse=True), "more is further up"
    assert heights[2] < points["popularity"][0][1] < heights[0]
    assert "ours 80.0 %; popularity 50.0 %; random 20.0 %" in root.find("desc").text
    assert [g.get("data-name") for g in root.iter("g") if "key" in g.get("class", "")] == list(points)
    assert len([p for p in root.iter("path") if p.get("class") == "band"]) == 1


def test_the_same_figures_give_the_same_bytes():
    one = Series("a", [0, 1], [1.0, 2.0])
    assert curves("c", "RMSE", [one]) == curves("c", "RMSE", [one])


def test_what_is_not_finite_is_left_out():
    _, points = parsed(curves("c", "RMSE", [Series("a", [0, 1, 2], [math.nan, 2.0, math.inf])]))
    assert [p[2] for p in points["a"]] == ["1"]
    root, points = parsed(curves("c", "RMSE", [Series("a", [0], [math.nan])], {"popularity": math.nan}))
    assert points == {}
    assert "nan" not in ElementTree.tostring(root, encoding="unicode")


def test_a_series_without_points_keeps_the_colours_of_the_others():
    first = curves("c", "y", [Series("a", [0, 1], [1, 2]), Series("b", [0, 1], [1, 3])])
    second = curves("c", "y", [Series("a", [], []), Series("b", [0, 1], [1, 3])])
    color = re.compile(r'class="series (c\d)"[^>]*data-name="b"')
    assert color.search(first)[1] == color.search(second)[1] == "c1"


def test_twenty_curves_can_be_told_apart():
    many = [Series(f"m{n}", [0, 1], [n, n + 1]) for n in range(20)]
    root, _ = parsed(curves("c", "y", many))
    looks, gray = set(), set()
    for group in (g for g in root.iter("g") if g.get("class", "").startswith("series")):
        line, dots = list(group)
        shape = dots.get("d").count("a"), dots.get("d").count("L")
        looks.add((group.get("color"), line.get("stroke-dasharray"), shape))
        gray.add((line.get("stroke-dasharray"), shape))
    assert len(looks) == 20
    assert len(gray) == 8, "also without colours, up to eight"


def test_the_untrained_start_does_not_stretch_the_picture():
    _, points = parsed(curves("c", "RMSE", [Series("a", [0, 10, 20], [90.0, 1.0, 0.9])]))
    assert points["a"][0][1] < 0 < points["a"][1][1]


def test_chance_far_from_all_else_is_told_and_not_drawn():
    one = Series("a", [0, 10, 20], [4.0, 1.1, 1.0])
    root, points = parsed(curves("c", "RMSE", [one], {"popularity": 1.2, "random": 1.7}))
    assert set(points) == {"a", "popularity"}
    assert "random: 1.7, off the picture" in [text.text for text in root.iter("text")]
    assert "random 1.7" in root.find("desc").text
    _, points = parsed(curves("c", "RMSE", [one], {"popularity": 9.0, "random": 9.1}))
    assert set(points) == {"a", "popularity", "random"}, "popularity always is"


def test_one_evaluation_can_be_drawn():
    root, points = parsed(curves("c", "RMSE", [Series("a", [0], [1.0])], {"popularity": 1.0}))
    assert "RMSE over rounds" in root.find("desc").text
    assert all(math.isfinite(v) for p in points.values() for v in p[0][:2])


def test_distributions():
    groups = {"ours": np.array([0.0, 0.5, 0.5, 1.0, np.nan]), "popularity": np.ones(5)}
    root, points = parsed(distribution("d", "HR@5", groups, percent=True))
    assert [p[2:] for p in points["ours"]] == [
        ["0.0 %", "25.0 %"],
        ["50.0 %", "75.0 %"],
        ["100.0 %", "100.0 %"],
    ]
    assert "at most 50.0 % with ours" in root.find("desc").text


def test_a_distribution_of_many_values_is_thinned():
    values = np.random.default_rng(1).normal(size=5000)
    (one,) = cumulative({"a": values})
    assert len(one.x) == 200
    for x, share in zip(one.x, one.mean, strict=True):
        assert share == pytest.approx((values <= x).mean())


@pytest.mark.parametrize("span", [1e-6, 0.3, 1, 7, 30, 943, 1e10])
def test_ticks_are_round_and_about_as_many_as_asked_for(span):
    ticks = Axis(0.0, span, 0, 1, "number", step(span)).ticks()
    assert 4 <= len(ticks) <= 8
    assert all(float(tick(t, "number").replace(",", "")) == pytest.approx(t) for t in ticks)


def test_ticks_in_bytes():
    assert [tick(v, "bytes") for v in (0, 500, 2.5e6, 12.5e9)] == ["0", "500 bytes", "2.5 MB", "12.5 GB"]


def test_limits_of_shares():
    assert limits([[0.2, 0.9]], {}, percent=True)[0] == 0.0
    low, high = limits([[0.8, 0.999]], {}, percent=True)
    assert 0.7 < low < 0.8
    assert high == 1.0


def test_text_is_escaped():
    drawn = curves("c", "<y>", [Series("<b>&\"'", [0], [1.0])], x="<x>")
    assert "<b>" not in drawn
    assert parsed(drawn)[1]["<b>&\"'"]
