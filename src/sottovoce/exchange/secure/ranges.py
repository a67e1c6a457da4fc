"""The ranges of numbers in sums of groups (`row_steps`): of clients, and of compiled sums without masks."""

import numpy as np

from sottovoce.kernels import helper

PLACES = 20
"""Binary places of the head's numbers, and of a person's largest number."""
COUNT_PLACES = 10
"""Binary places of the last number of a row, which has 32 bits."""
ROOM = 4.0
"""How many times the mean of people's largest numbers a number may have."""
LARGEST = 2.0**42
"""The largest number of a head or of a row, times 2^PLACES: a million people cannot overflow 63 bits."""
MOST_LEVELS = 2**52
"""The largest L: a number has no more digits, and products of L stay exact."""


@helper
def bound(peak, senders):
    """B, from the sum of the largest numbers of so many people, times 2^PLACES."""
    return max(ROOM * peak / 2.0**PLACES / senders, 2.0**-PLACES)


@helper
def levels_of(most, counts):
    """L of rows with these contributors; `most` is 2^(bits − 1) − 1."""
    return np.minimum(most // np.maximum(counts, 1), MOST_LEVELS)


@helper
def largest_count(people):
    """The largest last number of a row in a group of so many people: 32 bits hold the sum."""
    return ((2**31 - 1) // people) / 2.0**COUNT_PLACES


@helper
def enough(senders, spare, fewest):
    """Whether enough of those who contribute are left if `spare` of them drop out."""
    return senders - spare >= max(fewest, 2)
