"""A lower bound on ε from canaries: does a mechanism keep the promise of differential privacy?

A mechanism is (ε, δ)-differentially private if no observer can tell well whether one contribution, the
canary, was there. Whoever tells it with a true positive rate t and a false positive rate f proves that

    ε ≥ log((t − δ) / f)   and   ε ≥ log((1 − f − δ) / (1 − t)).

The bound is empirical: it never exceeds the true ε, except by bad luck in one audit of twenty, and a better
attack may raise it. If it exceeds the ε that a mechanism claims, the mechanism is broken.

`from_trials` repeats the mechanism with and without a canary. Rates are replaced by the ends of their
Clopper–Pearson intervals (as Jagielski, Ullman and Oprea 2020 do). The threshold is chosen on one half of the
trials and judged on the other one, so that the choice costs no confidence.

`one_run` inserts many canaries into one run, each with probability 1/2 (Steinke, Nasr and Jagielski 2023).
Several runs that share no canary are one run of this kind, because each canary is in one of them alone.
The observer names those with the highest scores as present and those with the lowest as absent, r in all. If
the mechanism is (ε, δ)-private, v right guesses are at most as likely as

    p = P(X ≥ v) + 2 m δ max_i P(v − i ≤ X < v) / i,   X ~ Binomial(r, e^ε / (1 + e^ε)),

with m canaries. The bound is the largest ε for which p is at most 5 %. Several r are tried, and share the
5 %.
"""

import math
from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.binomial import at_least, chances, highest_share, lowest_share
from sottovoce.state import Bools, Doubles

MISTAKES = 0.05
"""In how many audits a bound may be too high."""
THRESHOLDS = 100
GUESSED = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Which shares of the canaries are guessed in an audit of one run."""
LARGEST = 50.0


class Bound(NamedTuple):
    """A lower bound on ε, with 95 % confidence."""

    epsilon: float
    """0 if nothing was proved."""
    found: float
    """The share of present canaries that the observer names, or the share of guesses that are right."""
    mistaken: float
    """The share of absent canaries that the observer names, or of guesses that are wrong."""
    trials: int
    """How many canaries were present or absent where the rates were measured."""


def from_trials(present: Doubles, absent: Doubles, delta: float) -> Bound:
    """The bound by scores of trials with a canary, `present` [n], and without, `absent` [m].

    A high score says that the canary is there. Trials are independent of each other.
    """
    (choose, judge), (choose_out, judge_out) = _halves(present), _halves(absent)
    every = np.unique(np.concatenate([choose, choose_out]))
    if len(every) < 2:
        return Bound(0.0, 0.0, 0.0, len(judge) + len(judge_out))
    middle = (every[1:] + every[:-1]) / 2
    some = middle[np.linspace(0, len(middle) - 1, min(THRESHOLDS, len(middle))).astype(np.int64)]
    # The extreme thresholds prove most if there is hardly any noise.
    best = max(some.tolist(), key=lambda at: _proved(choose, choose_out, at, delta))
    epsilon = _proved(judge, judge_out, best, delta)
    rates = float((judge > best).mean()), float((judge_out > best).mean())
    return Bound(max(0.0, epsilon), *rates, len(judge) + len(judge_out))


def one_run(scores: Doubles, present: Bools, delta: float) -> Bound:
    """The bound by the `scores` [m] of canaries of which those where `present` [m] is true were inserted."""
    order, count = np.argsort(-scores, kind="stable"), len(scores)
    best = Bound(0.0, 0.5, 0.5, 0)
    for part in GUESSED:
        half = int(count * part) // 2
        if not half:
            continue
        right = int(present[order[:half]].sum() + (~present[order[-half:]]).sum())
        proved = smallest_epsilon(count, 2 * half, right, delta, MISTAKES / len(GUESSED))
        if proved >= best.epsilon:
            best = Bound(proved, right / (2 * half), 1 - right / (2 * half), 2 * half)
    return best


def smallest_epsilon(canaries: int, guesses: int, right: int, delta: float, mistakes: float) -> float:
    """The largest ε that so many right guesses exclude; 0 if they exclude none."""
    if chance_of(canaries, guesses, right, 0.0, delta) > mistakes:
        return 0.0
    low, high = 0.0, LARGEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        excluded = chance_of(canaries, guesses, right, middle, delta) <= mistakes
        low, high = (middle, high) if excluded else (low, middle)
    return low


def chance_of(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """How likely so many right guesses are at most if the mechanism is (ε, δ)-private."""
    share = 1 / (1 + math.exp(-epsilon))
    found = at_least(right, guesses, share)
    if delta > 0 and right > 0:
        below = np.cumsum(chances(guesses, share)[right - 1 :: -1])
        found += 2 * canaries * delta * float((below / np.arange(1, right + 1)).max())
    return min(1.0, found)


def _halves(scores: Doubles) -> tuple[Doubles, Doubles]:
    return scores[::2], scores[1::2]


def _proved(present: Doubles, absent: Doubles, threshold: float, delta: float) -> float:
    """The larger of both bounds at a threshold; both rates are off with a chance of MISTAKES at most.

    Each bound needs two ends, and there are two bounds, so each end has a quarter of the mistakes.
    """
    hits, alarms, each = int((present > threshold).sum()), int((absent > threshold).sum()), MISTAKES / 4
    one = _log_ratio(lowest_share(hits, len(present), each) - delta, highest_share(alarms, len(absent), each))
    quiet, missed = len(absent) - alarms, len(present) - hits
    other = _log_ratio(
        lowest_share(quiet, len(absent), each) - delta, highest_share(missed, len(present), each)
    )
    return max(one, other)


def _log_ratio(most: float, least: float) -> float:
    return math.log(most / least) if most > 0 else -math.inf
