"""The run directory: who may use it, what it refuses, and events that survive a cut."""

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.runs.directory import EVENTS, RESULT, RunDirectory, unused


@pytest.fixture
def begun(tmp_path, small):
    """A directory in which a run with four events and a checkpoint after round 6 was cut off."""
    place = RunDirectory(tmp_path / "run")
    with place.claim(resume=False):
        place.begin(small().resolved("hr@5"), "split", "1.0")
        for round in (0, 3, 6, 7):
            place.record({"round": round, "hr@5": 0.5})
        place.save(6, {})
    return place


def test_a_run_that_was_not_finished(begun):
    with (
        pytest.raises(RunError, match=r"not finished\. Continue it with --resume"),
        begun.claim(resume=False),
    ):
        pass


def test_results_of_another_run(begun):
    begun.write(RESULT, "{}")
    with pytest.raises(RunError, match=r"results of another run\. Choose another"), begun.claim(resume=False):
        pass


def test_other_files_do_not_matter(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with RunDirectory(tmp_path).claim(resume=False):
        pass
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="cannot be used"), RunDirectory(tmp_path / "run").claim(resume=False):
        pass


def test_what_is_refused_before_it_learns_leaves_nothing_behind(tmp_path, small):
    def refused(place, events=0):
        try:
            with place.claim(resume=True):
                place.begin(small().resolved("hr@5"), "split", "1.0")
                for round in range(events):
                    place.record({"round": round, "hr@5": 0.5})
                raise RunError("This does not work.", "Do something else.")
        except RunError:
            return

    place = RunDirectory(tmp_path / "run")
    refused(place)
    assert not place.path.exists()
    place.path.mkdir()
    (place.path / "notes.txt").write_text("mine")
    refused(place)
    assert [path.name for path in place.path.iterdir()] == ["notes.txt"]
    refused(place, events=1)
    assert place.begun, "it has begun to learn"
    refused(place)
    assert place.begun, "and somebody else had begun"


def test_only_one_process_at_a_time(tmp_path):
    first, second = RunDirectory(tmp_path), RunDirectory(tmp_path)
    with (
        first.claim(resume=True),
        pytest.raises(RunError, match="Another process"),
        second.claim(resume=True),
    ):
        pass
    with second.claim(resume=True):
        pass


def test_resume_forgets_events_after_the_checkpoint(begun, small):
    found = begun.begin(small().resolved("hr@5"), "split", "1.0")
    assert found.round == 6
    assert [event["round"] for event in begun.events()] == [0, 3, 6]


def test_a_line_cut_in_the_middle(begun, small):
    path = begun.path / EVENTS
    path.write_text(path.read_text()[:-9])
    assert [event["round"] for event in begun.events()] == [0, 3, 6]
    begun.begin(small().resolved("hr@5"), "split", "1.0")
    begun.record({"round": 7, "hr@5": 0.5})
    assert [event["round"] for event in begun.events()] == [0, 3, 6, 7]


def test_another_recipe_is_refused_by_key(begun, small):
    with pytest.raises(RunError, match=r"another recipe: model\.factors \(3 before, 5 now\)\."):
        begun.begin(small(model__factors=5).resolved("hr@5"), "split", "1.0")


def test_threads_may_change(begun, small):
    assert begun.begin(small(run__threads=1).resolved("hr@5"), "split", "1.0").round == 6


@pytest.mark.parametrize(
    ("split", "version", "says"),
    [("other", "1.0", "The data changed"), ("split", "2.0", "was written by version 1.0")],
)
def test_other_data_or_version_is_refused(begun, small, split, version, says):
    with pytest.raises(RunError, match=says):
        begun.begin(small().resolved("hr@5"), split, version)


def test_result_of_no_run(tmp_path, begun):
    with pytest.raises(RunError, match="not a run directory"):
        RunDirectory(tmp_path / "nowhere").result()
    with pytest.raises(RunError, match="not complete"):
        begun.result()
    begun.write(RESULT, "{")
    with pytest.raises(RunError, match="damaged"):
        begun.result()


def test_unused(begun, tmp_path):
    assert unused(tmp_path / "fresh") == tmp_path / "fresh"
    assert unused(begun.path) == tmp_path / "run-2"
