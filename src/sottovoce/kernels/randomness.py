"""Random numbers as a hash of (run, purpose, person, step, draw), the same for any number of threads."""

import math

import numpy as np
from numba.extending import overload

from sottovoce.kernels.components import LEAN, helper

INIT, TRAIN, PEERS, GRAPH, SPLIT, NEGATIVES, SYNTHETIC, RANDOM, WEIGHTING, BOOTSTRAP = range(1, 11)
PHASE, LOSS, LINKS, CHURN, COMPRESSION, PARTICIPANTS, ROUNDING, STORAGE, SHUFFLE, CLUSTERS = range(11, 21)
LIKENESS, ARRIVAL, OBSERVERS, NOISE, HELD, ATTACK, LOTS, DISCLOSURE = range(21, 29)

_GOLDEN, _MIX1, _MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK, _UNIT = 0xFFFFFFFFFFFFFFFF, 1.0 / (1 << 53)


def _mix(state: int, value: int) -> int:
    """One step of SplitMix64's finaliser over `state` and `value`."""
    z = (int(state) + (int(value) + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * _MIX1) & _MASK
    z = ((z ^ (z >> 27)) * _MIX2) & _MASK
    return z ^ (z >> 31)


@overload(_mix, jit_options=LEAN)
def _mix_compiled(state, value):
    golden, mix1, mix2 = np.uint64(_GOLDEN), np.uint64(_MIX1), np.uint64(_MIX2)
    s27, s30, s31, one = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(1)

    def mix(state, value):
        z = np.uint64(state) + (np.uint64(value) + one) * golden
        z = (z ^ (z >> s30)) * mix1
        z = (z ^ (z >> s27)) * mix2
        return z ^ (z >> s31)

    return mix


@helper
def stream(run, purpose, person, step):
    """The key of the random numbers that `person` uses for `purpose` at `step` of run `run`."""
    return _mix(_mix(_mix(_mix(0, run), purpose), person), step)


@helper
def draw(key, index):
    """64 random bits: number `index` of the stream `key`."""
    return _mix(key, index)


def uniform(key: int, index: int) -> float:
    """A number in [0, 1)."""
    return (_mix(key, index) >> 11) * _UNIT


@overload(uniform, jit_options=LEAN)
def _uniform_compiled(key, index):
    return lambda key, index: np.float64(np.int64(_mix(key, index) >> np.uint64(11))) * _UNIT


@helper
def below(key, index, count):
    """A whole number in [0, count)."""
    return int(uniform(key, index) * count)


@helper
def normal(key, index):
    """A standard normal number (Box and Muller 1958), from draws 2·index and 2·index + 1."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(key, 2 * index)))
    return radius * math.cos(2.0 * math.pi * uniform(key, 2 * index + 1))
