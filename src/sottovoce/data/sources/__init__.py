"""Data sources, one file per format. `interface` says what a source is."""

from sottovoce.data.sources.interface import Dataset, Source, called, counted, held_by, known, packed_in

__all__ = ["Dataset", "Source", "called", "counted", "held_by", "known", "packed_in"]
