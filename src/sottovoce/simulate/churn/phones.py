"""Made-up phones that come and go like those of Hegedűs et al. (2019), from a seed.

From the paper (Section 6.3): about 20 % of the nodes are online at any moment, and a session takes 81.368
minutes on average; hours of the day are those of UTC. Figure 2 is a picture without numbers, so the rest
is our choice:

- The share of nodes online follows the day, `online · (1 + rhythm · cos(2π (t − 2 h) / 24 h))`: it is
  highest at night in the time zones (UTC + 1 to + 3) of 63 % of the records in `stunner-sample`.
- Lengths of sessions are log-normal with σ = 1.4: half of them are shorter than 31 minutes, a fifth
  shorter than 10, and 2.5 % last longer than eight hours. (Those in the sample have a σ of 1.6.)
- Nodes differ: the share of time P that a node is online comes from a scaled Beta(1, b) distribution, in
  which most are rarely there and few nearly always.

Share, rhythm and mean session hold exactly in expectation. With S(s) the probability that a session exceeds
s, and m the mean session, nodes must come at a rate a with P(t) = ∫ a(t − s) S(s) ds. A wave in P thus needs
one in a that is stronger and earlier, by absolute value and argument of ∫ S(s) e^(−iωs) ds / m. A node that
is away comes at the rate a(t) / (1 − P(t)), drawn by thinning (Lewis and Shedler 1979). A node that is online
when the run begins is in the middle of a session: its length is drawn in proportion to length, which for
a log-normal is another log-normal, and its age uniformly from that, thinned by a(−age).

The paper does not say whether its mean counts sessions that the ends of a segment cut as they are. Here it
is that of uncut ones; counted like that, those of 48 hours have 78.7 minutes.

Beside real phones: `dist_online_percent_of_day` of `stunner-sample` tells what percentage of a day phones of
the authors' larger collection were online by their definition, 13.3 on average. The form of P's distribution
was chosen with a look at it, no number was fitted. With `online = 0.133` the generator gives (real ones in
brackets) 6 (7) for the median, 19 (20) for the upper quartile, 37 (32), 50 (42) and 84 (87) for the
percentiles 90, 95 and 99; but days of less than one percent are too many, 30 % (12 %). Sessions there are
short, 8.4 minutes on average by `dist_online_to_online_seconds` and `dist_online_to_offline_seconds`, and 30
in the sample's own events: neither is the trace or the definition of the paper, whose mean is kept.
"""

import math
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
"""How likely a node is there at the best hour that is online more than any other: it also has to go."""


@component("churn", "phones")
class Phones(NamedTuple):
    """Phones that come and go with the hour of day."""

    online: Annotated[float, Gt(0), Lt(1)] = 0.2
    """The share of nodes online, on average over a day."""

    session: Annotated[float, Gt(0)] = 81.368
    """Minutes that a session takes, on average."""

    rhythm: Annotated[float, Ge(0), Lt(1)] = 0.25
    """How much more than on average are online at the best hour, and less at the worst, as a share."""


class Shape(NamedTuple):
    """What the kernels need to know."""

    seconds: float  # of the run
    session: float  # mean, in seconds
    rhythm: float
    swing: float  # the same for the rate at which nodes come
    lead: float  # by how much that is earlier, as an angle
    most: float  # the highest share of time that a node is online
    spread: float  # 1 / b


@sessions.rule(Phones)
def _sessions(churn, nodes, seconds, run, data_dir):
    shape = _shape(churn, seconds)
    first, count, none = np.zeros(nodes + 1, np.int64), np.empty(nodes, np.int64), np.empty(0)
    _draw(first, none, none, count, shape, run, batch=nodes)
    np.cumsum(count, out=first[1:])
    since, until = np.empty(first[-1]), np.empty(first[-1])
    _draw(first, since, until, count, shape, run, batch=nodes)
    return Sessions(first, since, until)


def _shape(churn: Phones, seconds: float) -> Shape:
    """The derived quantities, or a sentence that says why there are none."""
    most = CEILING / (1 + churn.rhythm)
    if churn.online >= most:
        raise RecipeError(
            f"churn.online = {churn.online:g} is too much for a rhythm of {churn.rhythm:g}.",
            f"It must be below {most:.3f}; weaken churn.rhythm, or use the churn 'always'.",
        )
    session = churn.session * 60
    z = np.linspace(-8, 8, 40001)
    weight = np.exp(-z * z / 2)
    wave = np.exp(-1j * TURN * session * np.exp(SIGMA * z - SIGMA**2 / 2))
    memory = (1 - weight @ wave / weight.sum()) / (1j * TURN * session)
    if churn.rhythm > abs(memory):
        raise RecipeError(
            f"churn.rhythm = {churn.rhythm:g} is too strong for sessions of {churn.session:g} minutes.",
            f"They outlast the day's changes: it can be at most {math.floor(abs(memory) * 1000) / 1000:g}.",
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
    """Store a node's sessions in [low, high), as far as they fit, and return how many there are."""
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
    """How long a session still lasts that is under way when the run begins."""
    tried = 0
    while True:
        length = shape.session * math.exp(SIGMA * normal(key, 2 * tried) + SIGMA * SIGMA / 2)
        age = length * uniform(key, 4 * tried + 2)
        if uniform(key, 4 * tried + 3) * (1.0 + shape.swing) < _coming(shape, -age):
            return length - age
        tried += 1


@helper
def _day(shape, time):
    """The share online at that time of day, relative to the mean."""
    return 1.0 + shape.rhythm * math.cos(TURN * (time - PEAK))


@helper
def _coming(shape, time):
    """The rate at which nodes come at that time of day, relative to the mean."""
    return 1.0 + shape.swing * math.cos(TURN * (time - PEAK) + shape.lead)


@helper
def _store(at, high, since, until, begin, end):
    if at < high:
        since[at], until[at] = begin, end
    return 1
