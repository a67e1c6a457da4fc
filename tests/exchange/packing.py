"""Messages as the simulator has them, and a crowd to take them from."""

from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.exchange.pack import pack
from sottovoce.state import Tables
from tests.networks import ratings


def packed(simulation: Any, slot: int, number: int) -> Tables:
    """The message as the simulator has it, by plain Python."""
    pool, s = simulation.pool(1), simulation
    pack(s.chain, s.tables, slot, s.people, s.driver.reference, pool, 0, s.seed, number)
    return pool


def crowd(people: int = 7, items: int = 200, rated: int = 30) -> Interactions:
    """People with equally many random items each."""
    rng = np.random.default_rng(2)
    board = np.zeros((people, items))
    for row in board:
        row[rng.choice(items, rated, replace=False)] = rng.integers(1, 6, rated)
    return ratings(board.tolist())
