"""Central references: what people would get from a service that holds all data. One file per method.

`interface` says what a reference is.
"""

from sottovoce.evaluate.references.interface import Reference, Scorer

__all__ = ["Reference", "Scorer"]
