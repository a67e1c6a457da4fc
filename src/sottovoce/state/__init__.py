"""The two axes of state: tables, which are models of items, and people, who train on them.

Gossip has a table for every person, central training one for all, clusters something between,
and a federated client a table of just the rows it touches. Every operation takes a slot (which
table) and a person as two separate arguments.
"""

from sottovoce.state.people import People, people, remember, set_location
from sottovoce.state.scratch import opened_at, scratch_for, take_ages, take_rows
from sottovoce.state.storage import OLDEST, is_bfloat16, limited, opened, rounding, roundings
from sottovoce.state.tables import (
    LAYOUTS,
    STORAGES,
    Bools,
    Doubles,
    Floats,
    Ints,
    Longs,
    Storage,
    Tables,
    flat,
    gathered,
    hold,
    is_gathered,
    is_indexed,
    locate,
    table_type,
    whole,
    width,
)

__all__ = [
    "LAYOUTS",
    "OLDEST",
    "STORAGES",
    "Bools",
    "Doubles",
    "Floats",
    "Ints",
    "Longs",
    "People",
    "Storage",
    "Tables",
    "flat",
    "gathered",
    "hold",
    "is_bfloat16",
    "is_gathered",
    "is_indexed",
    "limited",
    "locate",
    "opened",
    "opened_at",
    "people",
    "remember",
    "rounding",
    "roundings",
    "scratch_for",
    "set_location",
    "table_type",
    "take_ages",
    "take_rows",
    "whole",
    "width",
]
