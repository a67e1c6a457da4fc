"""What a file about measurements says, and how it is refused."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce import reading
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.measured.form import Measurements
from tests.experiments.reproduce.measured.conftest import FORM

CLAIM = '[[claims]]\nclaim = "x"\nchecks = [{{ figure = "product", {} }}]\n'


def test_settings_of_a_cell_come_from_the_file_its_labels_and_the_reduced_version(build):
    form = build()
    assert form.runs() == [("small", "slow"), ("small", "fast"), ("large", "slow"), ("large", "fast")]
    assert form.settings(("large", "fast")) == {"shift": 0.5, "a": 20, "b": 1}
    assert form.settings(("large", "fast"), quick=True) == {"shift": 0.25, "a": 20, "b": 1}


def test_the_kind_of_a_file_is_read_from_it(table):
    assert isinstance(reading.read(table()), Measurements)
    assert isinstance(reading.read("hegedus/figure-3"), Reproduction)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[[rows]]\nfigure = "prodct"\n', r"'prodct' is not one of its figures. Did you mean 'product'"),
        ('[[rows]]\nfigure = "product"\nonly = ["smal"]\n', "no axis has a label 'smal'"),
        ('[[rows]]\nfigure = "product"\ntolerance = 1\nfactor = 2\n', "both a tolerance and a factor"),
        ('[[rows]]\nfigure = "product"\nof = ["small"]\npaper = { large = 1 }\n', "no row is about it"),
        ('[[rows]]\nfigure = "product"\nfactor = 0\n', "factor = 0 cannot be used"),
        (CLAIM.format('of = "small"'), "a check has of"),
        (CLAIM.format("least = 1"), "a check has limits"),
        (CLAIM.format('of = "small", times = ["slow", "fast"], least = 1'), "a check has of and times"),
        (CLAIM.format('rising = ["fast", "slow"], most = 1'), "a check has rising and limits"),
        (CLAIM.format('rising = ["fast", "small"]'), "do not name labels of the same axes"),
        (CLAIM.format('rising = ["fast", "fastest"]'), "no axis has a label 'fastest'"),
    ],
)
def test_mistakes_are_told_with_the_remedy(build, more, said):
    with pytest.raises(RecipeError, match=said):
        build(more)


def test_units_are_known_ones(build):
    with pytest.raises(RecipeError, match=r"figures.product = 'miles' cannot be used"):
        build(text=FORM.replace('"ms"', '"miles"'))
