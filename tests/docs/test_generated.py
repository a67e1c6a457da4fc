"""The pages that are written from the source are what is written from the source."""

import enum
from typing import Annotated, Literal, NamedTuple

import pytest
from annotated_types import Ge, Gt, Lt

from docs.generate import PLACE, pages, source


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_is_up_to_date(name: str) -> None:
    assert (PLACE / name).read_text("utf-8") == pages()[name], "make docs writes it anew"


class Example(NamedTuple):
    """For example."""

    count: Annotated[int, Ge(1)]
    """How
    many."""
    share: Annotated[float, Gt(0), Lt(1)] = 0.5
    mode: Literal["a", "b"] | None = None
    """a | b"""


def test_settings_in_words() -> None:
    assert source.settings(Example).splitlines() == [
        "| setting | value | default | meaning |",
        "| --- | --- | --- | --- |",
        "| `count` | whole number, from 1 | needed | How many. |",
        "| `share` | number, above 0 below 1 | `0.5` |  |",
        '| `mode` | `"a"` or `"b"` | — | a \\| b |',
    ]
    assert source.settings(enum.Enum) == "No settings."


def test_examples_are_code() -> None:
    def function() -> None:
        """Do it.

        >>> function()
        1

        And so on.
        """

    assert source.text(function) == "Do it.\n\n```pycon\n>>> function()\n1\n```\n\nAnd so on."


def test_every_component_is_told_of() -> None:
    from sottovoce import registry

    told = pages()["components.md"] + pages()["data-sets.md"]
    for kind in registry.PACKAGES:
        for name in source.shipped(kind):
            assert f"# `{name}`\n" in told, name
    assert {"mf", "ials"} <= set(source.shipped("model"))
