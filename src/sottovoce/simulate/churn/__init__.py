"""Churn: when nodes are online. One file per kind; `interface` says what a kind is."""

from sottovoce.simulate.churn.interface import Sessions, sessions
from sottovoce.simulate.churn.packing import dealt, draws, packed
from sottovoce.simulate.churn.summary import statistics

__all__ = ["Sessions", "dealt", "draws", "packed", "sessions", "statistics"]
