"""A tiny run, observed and audited from end to end."""

import json
import shutil

import numpy as np
import pytest

import sottovoce
from sottovoce.errors import RunError
from sottovoce.experiments.audit.advice import advice, personal
from sottovoce.experiments.audit.audit import audit
from sottovoce.experiments.audit.written import AUDIT, read
from sottovoce.experiments.report.report import report
from sottovoce.experiments.runs.observed import ABOUT, OBSERVED
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe


@pytest.fixture(scope="module")
def federated(small, tmp_path_factory):
    place = tmp_path_factory.mktemp("federated") / "run"
    watch = {"who": ["server", "3"], "rounds": [1, 4]}
    run_recipe(small(privacy__observe=watch, protocol__name="federated", protocol__participants=0), place)
    return place


@pytest.fixture(scope="module")
def gossip(small, tmp_path_factory):
    place = tmp_path_factory.mktemp("gossip") / "run"
    peers = {"name": "k-out", "k": 3}
    run_recipe(small(privacy__observe={"who": 40, "rounds": [1, 6]}, network__peers=peers), place)
    return place


@pytest.fixture
def copy(federated, tmp_path):
    """The federated run, not audited yet."""
    return shutil.copytree(federated, tmp_path / "copy", ignore=shutil.ignore_patterns(AUDIT))


def entries(result, attack, observer):
    return {e["way"]: e for e in result["attacks"] if (e["attack"], e["observer"]) == (attack, observer)}


def test_a_server_of_mf_knows_items_and_ratings(federated):
    found = audit(federated)
    result = found.result
    assert json.loads(found.path.read_text()) == result == read(federated)
    items = entries(result, "items", "server")["changed"]
    assert items["precision"]["value"] == items["recall"]["value"] == 1
    assert items["recall"]["guessing"] < 0.5
    assert [point["rounds"] for point in items["over_rounds"]] == [1, 2, 4]
    rated = entries(result, "ratings", "server")["biases"]
    assert rated["right"]["value"] > 0.99
    assert rated["error"]["value"] < 0.05 < rated["error"]["guessing"]
    alike = entries(result, "communities", "server")["found items"]
    assert alike["neighbours"]["value"] > 0.9 > 3 * alike["neighbours"]["guessing"]
    (last,) = entries(result, "last-one", "server").values()
    assert last["smallest"] >= 1
    assert any("The server finds 100 % of a person's items" in sentence for sentence in found.sentences)
    assert repr(found).splitlines() == found.sentences


def test_neighbours_know_more_than_a_guess(gossip):
    result = audit(gossip).result
    observers = {entry["observer"] for entry in result["attacks"]}
    assert observers == {"neighbour", "colluders", "both sides"}
    for observer in observers:
        best = max(
            e["recall"]["low"] - e["recall"]["guessing"] for e in entries(result, "items", observer).values()
        )
        assert best > 0, observer
    around = entries(result, "items", "both sides")["age"]
    assert around["precision"]["value"] > 0.99, "ages tell what a training added"


def test_the_function_takes_a_run(federated):
    assert sottovoce.audit(Run.open(federated)).path == federated / AUDIT


def test_a_report_shows_the_audit(copy):
    page = report([copy]).html
    assert "Who can see what" in page
    assert "sottovoce audit RUN_DIR" in page
    audit(copy)
    html = report([copy]).html
    assert "sottovoce audit RUN_DIR" not in html
    assert "The server can tell what single people did." in html
    assert "✓ 100 %" in html
    assert "The server finds 100 % of a person" in html
    (copy / AUDIT).write_text("{")
    with pytest.raises(RunError, match=r"audit.json is damaged.*sottovoce audit"):
        report([copy])
    (copy / AUDIT).write_text('{"format": 1, "sentences": 3}')
    with pytest.raises(RunError, match="is damaged"):
        report([copy])


def test_a_run_that_nobody_observed(finished):
    with pytest.raises(RunError, match=r"has no records of observers.*privacy.observe"):
        audit(finished)


def test_records_of_another_version(copy):
    about = copy / OBSERVED / ABOUT
    about.write_text(about.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(RunError, match="have the format 2, and this version reads 1"):
        audit(copy)
    about.write_text("[]")
    with pytest.raises(RunError, match="missing or damaged"):
        audit(copy)


def damaged(path, **changes):
    arrays = dict(np.load(path, allow_pickle=False))
    arrays |= {name: change(arrays[name]) for name, change in changes.items()}
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ids": lambda a: a + 10_000}, "ids holds a number beyond"),
        ({"ids": lambda a: a - 10_000}, "ids holds a number beyond"),
        ({"sender": lambda a: a + 10_000}, "sender holds a number beyond"),
        ({"rows": lambda a: a * np.nan}, "not finite"),
        ({"rows": lambda a: a[:-1]}, "do not fit together"),
        ({"offset": lambda a: a[::-1]}, "do not fit together"),
        ({"clock": lambda a: a.astype(float)}, "another shape or type"),
        ({"rows": lambda a: a[:, 0]}, "another shape or type"),
    ],
)
def test_damaged_records(copy, changes, said):
    path = copy / OBSERVED / "000001-000.npz"
    damaged(path, **changes)
    with pytest.raises(RunError, match=rf"000001-000.npz is damaged: .*{said}"):
        audit(copy)


def test_records_that_cannot_be_read(copy):
    path = copy / OBSERVED / "000002-000.npz"
    whole = path.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(RunError, match=r"000002-000.npz is damaged: it cannot be read"):
            audit(copy)
    np.savez(path, observer=np.zeros(1))
    with pytest.raises(RunError, match="an array is missing"):
        audit(copy)
    for path in (copy / OBSERVED).glob("*.npz"):
        path.unlink()
    with pytest.raises(RunError, match="holds no messages"):
        audit(copy)


def test_data_that_changed(copy):
    recipe = copy / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("seed = 1", "seed = 2"))
    with pytest.raises(RunError, match="The data changed since the run"):
        audit(copy)


def test_a_participant_alone_sees_everybody_together(copy):
    """Only the server's models, as participants received them."""
    for path in (copy / OBSERVED).glob("*.npz"):
        arrays = np.load(path, allow_pickle=False)
        if arrays["update"].all():
            path.unlink()
    result = audit(copy).result
    assert {entry["observer"] for entry in result["attacks"]} == {"participant"}
    for entry in entries(result, "items", "participant").values():
        assert not personal(entry["recall"]), entry["way"]


def test_what_else_a_server_knows(federated):
    result = audit(federated).result
    likeness = {what: entries(result, what, "server") for what in ("vector", "rows")}
    assert likeness["rows"]["changes"]["likeness"]["value"] == pytest.approx(1, abs=1e-4)
    vector = likeness["vector"]["direction"]["likeness"]
    assert vector["value"] > 0.9
    assert vector["value"] > vector["guessing"]
    assert entries(result, "instances", "server")["sent number"]["right"]["value"] == 1
    excluded = entries(result, "not-items", "server")["unchanged"]
    assert excluded["precision"]["value"] == excluded["recall"]["value"] == 1


def test_a_neighbour_looks_for_ratings(gossip):
    result = audit(gossip).result
    for observer in ("neighbour", "both sides"):
        rated = entries(result, "ratings", observer)["biases"]
        assert 0 < rated["right"]["value"] <= 1
        assert rated["right"]["people"] > 10


def test_clipping_alone_promises_nothing(small, tmp_path):
    parts = {"protocol__name": "federated", "privacy__steps": [{"name": "clip", "length": 0.1}]}
    watch = {"who": "server", "rounds": [1, 1]}
    run_recipe(small(privacy__observe=watch, run__rounds=1, **parts), tmp_path / "run")
    found = audit(tmp_path / "run")
    (proved,) = entries(found.result, "canaries", "steps").values()
    assert proved["claimed"] is None
    assert proved["epsilon"] > 4
    assert any("the steps promise no ε" in sentence for sentence in found.sentences)


@pytest.mark.parametrize(
    ("observer", "recipe"),
    [
        (
            "participant",
            {"protocol__sum": {"name": "central", "length": 0.1, "disclosures": 1, "delta": 1e-3}},
        ),
        (
            "sums",
            {
                "protocol__sum": {"name": "secure", "smallest": 10},
                "privacy__steps": [
                    {"name": "skellam", "length": 0.1, "disclosures": 1, "delta": 1e-3, "survivors": 10}
                ],
            },
        ),
    ],
    ids=["central", "distributed"],
)
def test_noise_in_sums_keeps_its_promise(small, tmp_path, observer, recipe):
    """Everybody in a sum is a canary, and the observer sees the noisy sum alone."""
    about = {"protocol__name": "federated", "protocol__aggregate": "simple", "run__rounds": 1}
    watch = {"who": ["server", "3"], "rounds": [1, 1]}
    run_recipe(small(privacy__observe=watch, **about, **recipe), tmp_path / "run")
    found = audit(tmp_path / "run")
    (proved,) = entries(found.result, "canaries", observer).values()
    assert proved["way"] == "one run"
    assert 0 < proved["epsilon"] <= proved["claimed"] == 8
    (told,) = (sentence for sentence in found.sentences if sentence.startswith("Canaries"))
    assert "8, which the promise allows" in told
    assert not any("anaries" in note for note in found.notes)


@pytest.fixture(scope="module")
def consensus(small, tmp_path_factory):
    """A run of sums among peers, by its settings."""

    def made(steps=(), **protocol):
        place = tmp_path_factory.mktemp("consensus") / "run"
        about = {f"protocol__{name}": value for name, value in protocol.items()}
        watch = {"who": 30, "rounds": [1, 1]}
        recipe = small(
            model__name="als",
            protocol__name="consensus",
            privacy__observe=watch,
            privacy__disclose=True,
            privacy__steps=list(steps),
            run__rounds=1,
            **about,
        )
        run_recipe(recipe, place)
        return audit(place)

    return made


def test_a_first_push_without_masks_tells_everything(consensus):
    found = consensus(group=1)
    for observer in ("neighbour", "colluders"):
        items = entries(found.result, "items", observer)["changed"]
        assert items["precision"]["value"] == items["recall"]["value"] == 1
        assert items["recall"]["guessing"] < 0.5
        vector = entries(found.result, "vector", observer)["head"]["likeness"]
        assert vector["value"] == pytest.approx(1, abs=1e-3)


def test_members_of_groups_look_for_single_people(consensus):
    """Alone in rows without withholding; with it, nobody is."""
    bare, held = consensus(group=6, fewest=1, spare=0), consensus(group=6, fewest=3, spare=0)
    open_sums, closed = (entries(one.result, "singled", "group")["alone"] for one in (bare, held))
    assert open_sums["people"]["value"] > 0.5 > open_sums["people"]["guessing"]
    assert open_sums["precision"]["value"] > 0.9
    assert closed["people"]["value"] == 0
    (last,) = entries(held.result, "last-one", "group").values()
    assert last["smallest"] >= 3
    assert any("finds the vectors of" in sentence for sentence in bare.sentences)
    assert any("can be told from the sum of their group" in told for told in advice(bare.result["attacks"]))


def test_noise_hides_what_a_first_push_would_tell(consensus):
    """Of several figures one is beyond its 95 % interval by chance, so twice the width is asked for."""
    step = {"name": "gaussian", "length": 0.1, "epsilon": 1.0, "delta": 1e-3, "disclosures": 1}
    found = consensus([step], group=1)
    items, vectors = (entries(found.result, attack, "neighbour").values() for attack in ("items", "vector"))
    figures = [entry["recall"] for entry in items] + [entry["likeness"] for entry in vectors]
    assert len(figures) > 2
    for figure in figures:
        assert not 2 * figure["low"] - figure["value"] > figure["guessing"], figure


def test_nobody_observed_and_the_report_says_how_to(finished):
    page = report([finished]).html
    assert "privacy.observe={ who = 60" in page.replace("&#x27;", "'")
