"""On how many instances did a person train? Messages that are averaged by this number say it.

Guessing says the number that most people have.
"""

import numpy as np

from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.state import Longs


def attack(said: Longs, true: Longs, person: Longs) -> Figure:
    """The share of people whose number the observer knows; `said` [P] is 0 if nothing is known."""
    numbers, often = np.unique(true, return_counts=True)
    likely = numbers[often.argmax()] if len(numbers) else 0
    guess = (true == likely).astype(np.float64)
    right = np.where(said > 0, said == true, guess)
    return over_people(right.astype(np.float64), guess, person)
