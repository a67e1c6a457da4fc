"""What is told of the machine that measured."""

import platform
from importlib.metadata import version

from sottovoce.experiments.runs import machine


def test_a_computer_is_its_processor_system_and_versions():
    found = machine.computer()
    assert found["processor"]
    assert found["python"] == platform.python_version()
    assert found["cryptography"] == version("cryptography")
    assert not any("\n" in text or "/" in text for text in found.values()), "no paths"


def test_libraries_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(machine, "find_spec", lambda name: None)
    assert machine.computer().keys() == {"processor", "system", "python"}
