"""Items that people hold back from training for a while, where the split gives them no weighting set.

Each item is held back with a chance of `share`, drawn by a hash of the person and the item. So a person holds
back the same items in every sweep, on a device as in a simulation, also after meeting new ones. Drawing anew
would not do: a vector that was trained on an item knows it for some sweeps.
"""

import numpy as np

from sottovoce.kernels import HELD, below, helper, stream, uniform

FEWEST = 3
"""A person with fewer interactions judges nothing."""
RIVALS = 100
"""How many random items each of them is ranked among, less those that the person has."""


@helper
def _rivals(wanted, own, items, key):
    """[len(wanted), RIVALS]: random items for each `wanted` one; -1 in place of a person's `own`."""
    known = np.zeros(items, np.bool_)
    for item in own:
        known[item] = True
    drawn = np.empty((len(wanted), RIVALS), np.int32)
    for n in range(len(wanted)):
        for c in range(RIVALS):
            item = below(key, n * RIVALS + c, items)
            drawn[n, c] = -1 if known[item] else item
    return drawn


@helper
def judges_itself(people, person):
    """Whether a person judges by items that the model trains on too, for want of a weighting set."""
    few = people.indptr[person + 1] - people.indptr[person] < FEWEST
    return not few and people.weighting_indptr[person] == people.weighting_indptr[person + 1]


@helper
def parted(share, items, people, person, run):
    """A person's items to train on, items to judge settings by, and what these are ranked among [n, C].

    Who has a weighting set judges by it. Who has none holds back a `share` of the own items.
    """
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    if share == 0 or not judges_itself(people, person):
        begin, end = people.weighting_indptr[person], people.weighting_indptr[person + 1]
        return own, people.weighting_item[begin:end], people.weighting_candidates[begin:end]
    key, trained, back = stream(run, HELD, people.key[person], 0), 0, len(own)
    ordered = np.empty(len(own), np.int32)
    for n in range(len(own)):
        if uniform(key, own[n]) < share:
            back -= 1
            ordered[back] = own[n]  # so that the latest comes first, if `judge` takes some alone
        else:
            ordered[trained] = own[n]
            trained += 1
    key = stream(run, HELD, people.key[person], 1)
    return ordered[:back], ordered[back:], _rivals(ordered[back:], own, items, key)
