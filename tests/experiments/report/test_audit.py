"""The section about an audit names every observer and every attack."""

from sottovoce.experiments.audit.advice import FIGURES
from sottovoce.experiments.audit.sentences import WHO
from sottovoce.experiments.report.audit import _NAMES, _OBSERVERS
from sottovoce.experiments.reproduce import leaks


def test_every_observer_has_a_name():
    assert WHO.keys() - _OBSERVERS.keys() == {"steps"}, "canaries have no observer"
    assert leaks.WHO.keys() == _OBSERVERS.keys()


def test_every_attack_with_a_figure_has_a_name():
    assert _NAMES.keys() == FIGURES.keys()
