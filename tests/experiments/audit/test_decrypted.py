"""A run with encrypted sums, observed by participants: from records to the report."""

from sottovoce import testing
from sottovoce.experiments.audit import records
from sottovoce.experiments.audit.advice import personal
from sottovoce.experiments.audit.audit import audit
from sottovoce.experiments.report.report import report
from sottovoce.experiments.runs.start import run_recipe


def test_what_participants_decrypt_is_attacked_and_reported(small, tmp_path):
    people = ["1", "2", "3"]
    changes = {
        "protocol__name": "federated",
        "protocol__participants": 2,
        "protocol__selection": "in-turn",
        "protocol__sum": "homomorphic",
        "privacy__observe": {"who": people, "rounds": [1, 2]},
        "run__rounds": 2,
        "evaluate__every": 2,
    }
    with testing.uncompiled():
        run = run_recipe(small(**changes), tmp_path / "run")
        result = audit(run).result
    seen = records.sums(run.directory, run.figures.data.items)
    assert {one.observer for one in seen} == {run.data.users.tolist().index(who) for who in people}
    assert all(one.instances > 0 for one in seen)
    found = {
        (one["observer"], one["way"]): one["recall"] for one in result["attacks"] if one["attack"] == "items"
    }
    opened = {one["way"]: one for one in result["attacks"] if one["attack"] == "ratings"}["biases"]
    assert opened["observer"] == "key"
    assert opened["right"]["value"] > 0.99, "as a server knows them that sees every update"
    assert {observer for observer, _ in found} >= {"decrypting", "decrypting together", "key"}
    assert any(personal(one) for (who, _), one in found.items() if who == "decrypting together")
    page = report([tmp_path / "run"]).html
    assert "from sums that it decrypts" in page
    assert "a decrypted sum" in page
