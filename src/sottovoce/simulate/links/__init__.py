"""Links: how fast messages travel. One file per kind; `interface` says what a kind is."""

from sottovoce.simulate.links.interface import clock, speeds

__all__ = ["clock", "speeds"]
