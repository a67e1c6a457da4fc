"""How interactions are split for training and testing. One file per split.

A split is a `NamedTuple` of its settings, registered with `@component("split", name)`, with a
method `split(data, seed)` that returns a `Split`.
"""
