"""A spike of performance-based merging (Algorithm 2, Belal et al. 2022).

Each side counts as much as it is worth to the receiver: HR@k on the receiver's weighting set, each
item of it among random ones. The sender's table is scored with the receiver's private vector.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.combine import standing, weight
from sottovoce.kernels import WEIGHTING, below, stream
from sottovoce.models import score
from sottovoce.registry import component


@component("merge", "spike-performance", needs="quality")
class Performance(NamedTuple):
    """Weigh both models by how well they serve the receiver."""

    k: int = 20
    candidates: int = 100


@standing.rule("quality")
def _quality(rule, model, tables, slot, people, person, run):
    begin, end = people.weighting_indptr[person], people.weighting_indptr[person + 1]
    items = tables.offset[slot + 1] - tables.offset[slot]
    hits = 0
    for n in range(begin, end):
        key = stream(run, WEIGHTING, people.key[person], n - begin)
        mine = score(model, tables, slot, people, person, people.weighting[n])
        above = 0
        for c in range(rule.candidates):
            above += score(model, tables, slot, people, person, below(key, c, items)) >= mine
        hits += above < rule.k
    return np.float32(hits)


@weight.rule(Performance)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if mine + theirs > 0 else 0.0
