"""What audits of runs found: who sees what, beside guessing.

A row or a check of a reproduction with `audit = true` can read these as metrics: "server: items" is the share
of a person's items that the server finds, by the best of its ways. "server: items, otherwise" is what is
found without knowing the person: by guessing, or by taking people for others, whichever finds more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sottovoce.experiments.audit import written
from sottovoce.experiments.audit.advice import SLACK, otherwise
from sottovoce.experiments.audit.sentences import best
from sottovoce.experiments.runs.run import Run

WHAT = {
    "items": ("items", "recall"),
    "item of two": ("membership", "auc"),
    "row of two": ("announced", "auc"),
    "no item": ("not-items", "recall"),
    "similar people": ("communities", "neighbours"),
    "ratings": ("ratings", "right"),
    "instances": ("instances", "right"),
    "vector": ("vector", "likeness"),
    "rows": ("rows", "likeness"),
    "head": ("head", "likeness"),
    "alone in a sum": ("last-one", "exposed"),
}
"""What an observer finds, as an attack and its figure."""
WHO = {
    "server": "the server",
    "masked": "the server, from masked rows",
    "sums": "the server, from sums",
    "group": "a member of a group, from its sum",
    "key": "the server with a participant's key",
    "participant": "one participant",
    "participants": "all observing participants",
    "decrypting": "one participant, from sums that it decrypts",
    "decrypting together": "all observing participants, from sums that they decrypt",
    "neighbour": "one neighbour",
    "colluders": "all observing neighbours",
    "both sides": "neighbours on both sides",
}
OTHERWISE = ", otherwise"
EPSILON = "ε by canaries"
NAMES = [f"{who}: {what}{end}" for who in WHO for what in WHAT for end in ("", OTHERWISE)] + [EPSILON]


class Leak(NamedTuple):
    """What an observer finds in one run."""

    value: float
    low: float
    otherwise: float
    """What is found without knowing the person."""

    @property
    def personal(self) -> bool:
        """Whether more is found than otherwise, by more than chance."""
        return self.low > self.otherwise + SLACK


def leak(run: Run, who: str, what: str) -> Leak | None:
    """What an observer found in a run; None if nobody looked, or there was nothing to look at."""
    attack, figure = WHAT[what]
    entry = best(_entries(run)).get((who, attack))
    if entry is None or entry[figure]["value"] is None:
        return None
    told = entry[figure]
    return Leak(told["value"], told["low"], otherwise(told))


def value(run: Run, metric: str) -> float:
    """A figure of `NAMES`; NaN if the run has none."""
    if metric == EPSILON:
        found = next((entry for entry in _entries(run) if entry["attack"] == "canaries"), None)
        return math.nan if found is None else float(found["epsilon"])
    who, _, what = metric.removesuffix(OTHERWISE).partition(": ")
    one = leak(run, who, what)
    return math.nan if one is None else one.otherwise if metric.endswith(OTHERWISE) else one.value


def tables(results: Mapping[tuple[str, ...], Sequence[Run]]) -> list[dict[str, Any]]:
    """For every observer a table: a line for each combination of labels, a cell for all that is found."""
    made = []
    for who, name in WHO.items():
        lines = {labels: _line(runs, who) for labels, runs in results.items()}
        columns = [what for what in WHAT if any(line.get(what) for line in lines.values())]
        rows = [
            {"name": ", ".join(labels), "cells": [line.get(what) for what in columns]}
            for labels, line in lines.items()
            if any(line.values())
        ]
        if rows:
            made.append({"who": name, "columns": columns, "rows": rows})
    return made


def _line(runs: Sequence[Run], who: str) -> dict[str, list[float] | None]:
    """The mean over seeds of what was found, and of what is found otherwise."""
    found: dict[str, list[float] | None] = {}
    for what in WHAT:
        every = [one for run in runs if (one := leak(run, who, what)) is not None]
        pairs = ((one.value, one.otherwise) for one in every)
        means = [sum(column) / len(every) for column in zip(*pairs, strict=True)]
        found[what] = [round(mean, 4) for mean in means] or None
    return found


def _entries(run: Run) -> list[dict[str, Any]]:
    found = None if run.directory is None else written.read(run.directory)
    return [] if found is None else list(found["attacks"])
