"""What leaves a device: every protocol says it, every report shows it, what is private needs agreement."""

import json
import shutil

import pytest

from sottovoce import registry
from sottovoce.disclosure import NOTHING, discloses
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.privacy import disclosed
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report.report import report
from sottovoce.experiments.runs.start import run, run_recipe

FEDFAST = {"protocol__name": "fedfast", "protocol__participants": 12, "protocol__clusters": 3}


@pytest.fixture(scope="module")
def fast(tmp_path_factory, small):
    place = tmp_path_factory.mktemp("fast") / "run"
    run_recipe(small(**FEDFAST, privacy__disclose=True), place)
    return place


def seen(recipe):
    return [one.what for one in disclosed(recipe.components(), tuned=recipe.evaluate.tune > 0)]


def test_every_protocol_says_what_leaves():
    for name in registry.names("protocol"):
        for one in discloses(registry.build("protocol", name, {}, "here")):
            assert one.what
            assert one.to
            assert one.tells.endswith(".")


def test_only_fedfast_needs_what_is_private():
    private = {
        name
        for name in registry.names("protocol")
        if any(one.private for one in discloses(registry.build("protocol", name, {}, "here")))
    }
    assert private == {"fedfast"}


def test_vectors_leave_only_by_agreement(small):
    with pytest.raises(RecipeError) as refused:
        small(**FEDFAST).components()
    assert str(refused.value).startswith("small.toml: with the protocol 'fedfast', the person's own vector")
    assert 'disclose = ["vectors"]' in refused.value.remedy
    assert small(**FEDFAST, privacy__disclose=True).components().protocol.clusters == 3


def solved(model="als", privacy=(), **protocol):
    tables = {"data": {"name": "synthetic"}, "model": {"name": model}, "privacy": dict(privacy)}
    return Recipe.parse(tables | {"protocol": {"name": "federated"} | protocol}, "solved.toml").components()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "one person's statistics"),
        ({"model": "rating-als"}, "one person's statistics"),
        ({"name": "consensus", "group": 1}, "half of one person's contribution"),
        ({"name": "consensus", "group": 2}, "in the sum of a group of two"),
    ],
)
def test_single_contributions_to_solved_models_leave_only_by_agreement(settings, told):
    with pytest.raises(RecipeError, match=told) as refused:
        solved(**settings)
    assert 'disclose = ["statistics"]' in refused.value.remedy
    seen = disclosed(solved(**settings, privacy={"disclose": ["statistics"]}))
    assert [one.name for one in seen if one.private] == ["statistics"]
    assert not any("sampled negatives" in one.tells for one in seen)


def test_sums_and_noise_hide_single_contributions():
    noise = {"name": "gaussian", "length": 1.0, "epsilon": 8.0, "delta": 1e-5, "disclosures": 2}
    for parts in (solved(sum="secure"), solved(privacy={"steps": [noise]})):
        assert not any(one.private for one in disclosed(parts))


def test_so_it_is_from_python():
    with pytest.raises(RecipeError, match="disclose"):
        run("synthetic", protocol="fedfast")


def test_what_is_combined_adds_its_own(small):
    gossip = small()
    assert len(seen(gossip)) == 1
    personal = small(protocol__merge="performance", network__peers="personalized")
    assert seen(personal) == [
        *seen(gossip),
        NOTHING,
        "whom a node chose to talk to",
        "addresses of other nodes",
    ]
    useful = small(protocol__name="federated", protocol__participants=5, protocol__selection="useful")
    assert len(seen(useful)) == 3
    squeezed = small(protocol__compress=["subsample", {"name": "quantize", "bits": 8}])
    told = disclosed(squeezed.components())[-1].tells
    assert "10 % of the rows" in told
    assert "8 bits" in told


def test_how_updates_are_summed_decides_what_a_server_sees(small):
    federated = {"protocol__name": "federated", "protocol__participants": 10}
    told = {}
    for sum in ("plain", "secure", "homomorphic"):
        parts = small(**federated, protocol__sum=sum).components()
        told[sum] = {one.what: one.to for one in disclosed(parts)}
    single = "how training changed items' rows and the head, and the number of instances it was on"
    assert [sum for sum, what in told.items() if single in what] == ["plain"]
    assert told["homomorphic"]["encrypted updates"] == "the server"
    assert any(what.startswith("how many people of a group changed each row") for what in told["secure"])


@pytest.mark.parametrize("sum", ["secure", "homomorphic"])
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"protocol__participants": 10, "protocol__selection": "useful"},
            "'useful' needs the length",
        ),
        ({"protocol__aggregate": "change"}, "weighs each row by how it changed"),
        ({"protocol__compress": ["subsample"]}, "protocol.compress would save nothing"),
        ({"protocol__compress": [{"name": "quantize", "bits": 8}]}, "protocol.compress would save nothing"),
        ({"protocol__participants": 1}, "A group of 1 person is too small"),
        (FEDFAST | {"privacy__disclose": True}, "sends people's own vectors"),
    ],
)
def test_what_a_hidden_sum_cannot_do_is_refused_with_the_place(small, sum, changes, problem):
    with pytest.raises(RecipeError) as refused:
        small(**{"protocol__name": "federated", "protocol__sum": sum} | changes).components()
    assert str(refused.value).startswith("small.toml: ")
    assert problem in refused.value.problem
    assert refused.value.remedy


def test_reptile_lets_leave_what_fedavg_does(small):
    fedavg, reptile = (
        small(protocol__name="federated", protocol__aggregate=rule, evaluate__tune=tune)
        for rule, tune in (("fedavg", 0), ("reptile", 1))
    )
    assert seen(reptile) == [*seen(fedavg), NOTHING]


def test_a_protocol_that_does_not_say_it_is_shown_to_be_unknown(small):
    class Mute(tuple):
        __slots__ = ()

    parts = small().components()._replace(protocol=Mute())
    assert disclosed(parts)[0].what == "unknown"


def test_the_report_shows_it(fast, finished):
    told = json.loads((fast / "result.json").read_text())["privacy"]
    assert [one["private"] for one in told] == [False, True, True, False]
    page = (fast / "report.html").read_text("utf-8")
    assert "What leaves a device" in page
    assert "private by design" in page
    other = (finished / "report.html").read_text("utf-8")
    assert "stay on their devices" in other
    assert "private by design" not in other


def test_methods_are_compared(fast, finished):
    sections = {section.title: section for section in report([fast, finished]).sections}
    tables = [part for part in sections["What leaves a device"].parts if hasattr(part, "rows")]
    assert [table.identity for table in tables] == ["privacy-1", "privacy-2"]
    assert [len(table.rows) for table in tables] == [4, 1]
    assert "server" in sections["Network"].parts[0].rows[0][1].text


def test_runs_of_earlier_versions_have_no_such_section(finished, tmp_path):
    copy = shutil.copytree(finished, tmp_path / "copy")
    result = json.loads((copy / "result.json").read_text())
    del result["privacy"]
    (copy / "result.json").write_text(json.dumps(result))
    assert "What leaves a device" not in report([copy]).html


def test_agreement_changes_neither_the_method_nor_its_name(fast):
    assert report([fast]).sections
    assert "disclose" not in " ".join(report([fast]).verdict)
