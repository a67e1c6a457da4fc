"""Noise in whole numbers: what a distribution consists of, and where its random bits come from.

A distribution is a `NamedTuple` that implements `sample`. It draws words of 62 random bits from a source:

| source   | words come from                                       | use                               |
|----------|-------------------------------------------------------|-----------------------------------|
| `Hashed` | the counter hash, so that runs repeat                 | simulations, which protect nobody |
| `Words`  | an array that the operating system's generator filled | devices                           |

The hash is no cipher. On rows that a person did not touch, an update consists of noise alone; whoever sees it
could search for the 64 bits of the key, invert the hash, and subtract all of the noise. A key from the
operating system would not help against this, so devices take every word from there.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import draw, helper, operation
from sottovoce.state import Longs

BITS = 62
"""The random bits of a word, which is an int64."""
SPAN = 1 << BITS


class Hashed(NamedTuple):
    """Words from the stream `key` of the counter hash."""

    key: Any
    at: Longs  # [1], how many words were used


class Words(NamedTuple):
    """Words from an array."""

    words: Longs  # [n], each in [0, SPAN)
    at: Longs  # [1], how many words were used; more than n if there were too few


@operation
def sample(noise, source):
    """A random number of this distribution, an int64."""


@operation
def word(source):
    """The next BITS random bits, an int64 in [0, SPAN)."""


@operation(default=lambda source: False)
def is_short(source):
    """Whether more words were used than the source has: what was drawn last is then worthless."""


@word.rule(Hashed)
def _hashed(source):
    n = source.at[0]
    source.at[0] = n + 1
    return np.int64(draw(source.key, n) >> np.uint64(2))


@word.rule(Words)
def _from_array(source):
    n = source.at[0]
    source.at[0] = n + 1
    # Behind the end anything will do that lets a sampler come to its end.
    return source.words[n] if n < len(source.words) else np.int64(draw(0, n) >> np.uint64(2))


@is_short.rule(Words)
def _is_short(source):
    return source.at[0] > len(source.words)


@helper
def random_below(source, count):
    """A whole number in [0, count), every one with the same chance; count is at most SPAN."""
    most = SPAN - SPAN % count
    found = word(source)
    while found >= most:
        found = word(source)
    return found % count


@helper
def add_noise(noise, integers, key):
    """Add a number of the distribution to each of `integers` [n], an int64 array; `key` keys the hash."""
    source = Hashed(key, np.zeros(1, np.int64))
    for n in range(len(integers)):
        integers[n] += sample(noise, source)
