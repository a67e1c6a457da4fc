"""Noise whose random bits come from the operating system's generator, for devices."""

import secrets
from typing import Any

import numpy as np

from sottovoce.exchange.noise.interface import SPAN, Words, is_short, sample
from sottovoce.kernels import driver
from sottovoce.state import Longs

EACH = 32
"""Words that are fetched for a number. Most need fewer; more are fetched where these do not last."""


@driver
def _fill(noise, source, numbers, begin):
    """Write numbers from `begin` on, as far as the words last; return how far that is."""
    for n in range(begin, len(numbers)):
        mark = source.at[0]
        numbers[n] = sample(noise, source)
        if is_short(source):
            source.at[0] = mark
            return n
    return len(numbers)


def _words(count: int) -> Longs:
    drawn = np.frombuffer(secrets.token_bytes(8 * count), np.uint64) % np.uint64(SPAN)
    return drawn.astype(np.int64)


def drawn_from_system(noise: Any, count: int) -> Longs:
    """This many numbers of a distribution, [count]."""
    numbers, words, done = np.empty(count, np.int64), _words(EACH * count), 0
    while done < count:
        source = Words(words, np.zeros(1, np.int64))
        done = int(_fill(noise, source, numbers, done))
        # The number at which the words ended is drawn from the same ones again, with more behind them:
        # new words would favour numbers that need few.
        words = np.concatenate([words[source.at[0] :], _words(EACH * (count - done))])
    return numbers
