"""Synthetic phones that come and go like those of Hegedűs et al. (2019).

From the paper (Section 6.3): about 20 % of the nodes are online at any moment, a session takes 81.368 minutes
on average, and hours of the day are in UTC. Figure 2 of the paper has no numbers, so the rest is our choice:

- The share of nodes online depends on the hour: `online · (1 + rhythm · cos(2π (t − 2 h) / 24 h))`. It is
  highest at night in the time zones (UTC + 1 to + 3) of 63 % of the records in `stunner-sample`.
- Session lengths are log-normal with σ = 1.4: half of them are shorter than 31 minutes, a fifth shorter than
  10, and 2.5 % longer than eight hours. (Sessions in the sample have a σ of 1.6.)
- Nodes differ: the share of time P that a node is online has a scaled Beta(1, b) distribution, in which most
  nodes are rarely online and few nearly always.

Share, rhythm and mean session hold exactly in expectation. Let S(s) be the probability that a session is
longer than s, and m the mean session. Nodes must arrive at a rate a with P(t) = ∫ a(t − s) S(s) ds. A wave in
P needs a wave in a that is stronger and earlier, by the absolute value and the argument of
∫ S(s) e^(−iωs) ds / m. A node that is offline arrives at the rate a(t) / (1 − P(t)), drawn by thinning (Lewis
and Shedler 1979). A node that is online when the run begins is in the middle of a session. The length of that
session is drawn with probability proportional to length, which for a log-normal is another log-normal; its
age is uniform within the length, thinned by a(−age).

The paper does not say whether its mean includes sessions that are cut at the ends of a segment. Here the mean
is that of uncut sessions. If sessions that are cut at the ends of 48 hours are included, it is 78.7 minutes.

Comparison with real phones: `dist_online_percent_of_day` of `stunner-sample` gives the percentage of a day
that phones of the authors' larger collection were online, by the authors' definition: 13.3 on average. The
form of P's distribution was chosen with it in view, but no number was fitted. With `online = 0.133` the
generator gives (real values in brackets) a median of 6 (7), an upper quartile of 19 (20), and percentiles 90,
95 and 99 of 37 (32), 50 (42) and 84 (87). It gives too many days below one percent, 30 % (12 %). Sessions of
the larger collection are short: 8.4 minutes on average by `dist_online_to_online_seconds` and
`dist_online_to_offline_seconds`, and 30 in the events of the sample. Neither is the trace or the definition
of the paper, whose mean is used here.
"""

import math
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.errors import RecipeError
from sottovoce.kernels import CHURN, driver, helper, normal, prange, stream, uniform
from sottovoce.registry import component
from sottovoce.simulate.churn.interface import Sessions, sessions

SIGMA = 1.4
TURN = 2 * math.pi / 86400
PEAK = 2 * 3600
CEILING = 0.95
"""The highest probability that a node is online at the best hour; below 1, because every node leaves."""


@component("churn", "phones")
class Phones(NamedTuple):
    """Phones that come and go with the hour of day."""

    online: Annotated[float, Gt(0), Lt(1)] = 0.2
    """The mean share of nodes online over a day."""

    session: Annotated[float, Gt(0)] = 81.368
    """The mean length of a session, in minutes."""

    rhythm: Annotated[float, Ge(0), Lt(1)] = 0.25
    """The amplitude of the daily rhythm: 0.25 means 25 % more nodes than on average at the best hour, and
    25 % fewer at the worst."""


class Shape(NamedTuple):
    """The numbers that the kernels need."""

    seconds: float  # the length of the run
    session: float  # mean, in seconds
    rhythm: float
    swing: float  # the amplitude of the rate at which nodes arrive
    lead: float  # how much earlier that wave is, as an angle
    most: float  # the highest share of time that a node is online
    spread: float  # 1 / b


@sessions.rule(Phones)
def _sessions(churn: Phones, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    shape = _shape(churn, seconds)
    first, count, none = np.zeros(nodes + 1, np.int64), np.empty(nodes, np.int64), np.empty(0)
    _draw(first, none, none, count, shape, run, batch=nodes)
    np.cumsum(count, out=first[1:])
    since, until = np.empty(first[-1]), np.empty(first[-1])
    _draw(first, since, until, count, shape, run, batch=nodes)
    return Sessions(first, since, until)


def _shape(churn: Phones, seconds: float) -> Shape:
    """The derived numbers. Impossible settings are refused."""
    most = CEILING / (1 + churn.rhythm)
    if churn.online >= most:
        raise RecipeError(
            f"churn.online = {churn.online:g} is too much for a rhythm of {churn.rhythm:g}.",
            f"Set it below {most:.3f}, lower churn.rhythm, or use the churn 'always'.",
        )
    session = churn.session * 60
    z = np.linspace(-8, 8, 40001)
    weight = np.exp(-z * z / 2)
    wave = np.exp(-1j * TURN * session * np.exp(SIGMA * z - SIGMA**2 / 2))
    memory = (1 - weight @ wave / weight.sum()) / (1j * TURN * session)
    if churn.rhythm > abs(memory):
        raise RecipeError(
            f"churn.rhythm = {churn.rhythm:g} is too strong for sessions of {churn.session:g} minutes.",
            f"Set it to at most {math.floor(abs(memory) * 1000) / 1000:g}, or shorten churn.session.",
        )
    swing, lead = churn.rhythm / abs(memory), -np.angle(memory)
    spread = 1 / (most / churn.online - 1)
    return Shape(float(seconds), session, churn.rhythm, float(swing), float(lead), most, spread)


@driver
def _draw(first, since, until, count, shape, run):
    for node in prange(len(count)):
        count[node] = _live(first[node], first[node + 1], since, until, shape, run, node)


@helper
def _live(low, high, since, until, shape, run, node):
    """Store a node's sessions at the positions [low, high), as far as they fit, and return their number."""
    key, lengths = stream(run, CHURN, node, 0), stream(run, CHURN, node, 1)
    share = shape.most * (1.0 - (1.0 - uniform(key, 0)) ** shape.spread)
    count, index = 0, 2
    time = 0.0
    if uniform(key, 1) < share * _day(shape, 0.0):
        time = _rest(shape, stream(run, CHURN, node, 2))
        count += _store(low, high, since, until, 0.0, min(time, shape.seconds))
    top = (1.0 + shape.swing) / (1.0 - share * (1.0 + shape.rhythm))
    while time < shape.seconds:
        time -= math.log(1.0 - uniform(key, index)) * shape.session / (share * top)
        rate = _coming(shape, time) / (1.0 - share * _day(shape, time))
        if time < shape.seconds and uniform(key, index + 1) * top < rate:
            length = shape.session * math.exp(SIGMA * normal(lengths, count) - SIGMA * SIGMA / 2)
            end = min(time + length, shape.seconds)
            count += _store(low + count, high, since, until, time, end)
            time += length
        index += 2
    return count


@helper
def _rest(shape, key):
    """The remaining seconds of a session that is under way when the run begins."""
    tried = 0
    while True:
        length = shape.session * math.exp(SIGMA * normal(key, 2 * tried) + SIGMA * SIGMA / 2)
        age = length * uniform(key, 4 * tried + 2)
        if uniform(key, 4 * tried + 3) * (1.0 + shape.swing) < _coming(shape, -age):
            return length - age
        tried += 1


@helper
def _day(shape, time):
    """The share of nodes online at this time of day, relative to the mean."""
    return 1.0 + shape.rhythm * math.cos(TURN * (time - PEAK))


@helper
def _coming(shape, time):
    """The rate at which nodes arrive at this time of day, relative to the mean."""
    return 1.0 + shape.swing * math.cos(TURN * (time - PEAK) + shape.lead)


@helper
def _store(at, high, since, until, begin, end):
    if at < high:
        since[at], until[at] = begin, end
    return 1
