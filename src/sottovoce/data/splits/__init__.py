"""Splits of interactions into training and test sets. One file per split.

A split is a `NamedTuple` of its settings, registered with `@component("split", name)`. Its method
`split(data, seed)` returns a `Split`.
"""
