"""Table 6: what a session costs, as the file announces it."""

from sottovoce.experiments.reproduce import reading
from sottovoce.experiments.reproduce.papers.fedncf_table_6 import phases


def test_every_announced_figure_is_measured():
    found = phases(1, items=20, people=4, width=2, head=3)
    assert found.keys() == reading.read("fedncf/table-6").figures.keys()
    assert min(found.values()) > 0
    beside = ("keys", "agreements and shares", "others' shares", "consistency", "unmasking")
    assert found["beside masking"] == sum(found[name] for name in beside) / found["masking"]


def test_vectors_and_groups_are_the_papers():
    """Table 7 confirms the lengths for MovieLens 100K: 40,382 and 83,510 numbers."""
    form = reading.read("fedncf/table-6")
    lengths = {}
    for cell in form.runs():
        chosen = form.settings(cell)
        lengths[cell] = 2 * chosen["items"] * chosen["width"] + chosen["head"] + 1
    assert lengths["MovieLens 100K", "FedGMF"] == 40_382
    assert lengths["MovieLens 100K", "FedNeuMF"] == 83_510
    assert [form.settings(cell)["people"] for cell in form.runs(["FedGMF"])] == [20, 100, 50, 50]
