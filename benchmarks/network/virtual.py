"""Virtual time against synchronous rounds, for the same messages; and what planning costs.

Both advance by as many rounds at a time as are planned together, as a run does where evaluations are
further apart and a round is short; and, with `-singly`, by one round at a time, as a run does that
evaluates after every round, or whose rounds take longer than a quarter of a second. `-threads`, by the
clock and with all threads, is shown without a target: on a shared machine that ratio is another every time.
"""

import statistics
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from benchmarks.gossip import SHAPES
from benchmarks.measure import Result, cpu, load, pairs, wall
from benchmarks.network.crowd import LINKS, crowd, gossip
from sottovoce import kernels
from sottovoce.simulate import planned
from sottovoce.simulate.engine import Simulation

SUFFIXES = ("", "-singly", "-threads")
WARM = 4  # rounds until as many messages arrive as are sent, and as many copies are held as ever


def _per_message(
    ours: Simulation, theirs: Simulation, window: int, clock: Callable[[], float], count: int
) -> tuple[float, float]:
    """Seconds that each of two networks takes for a message, `window` rounds at a time."""
    before = ours.arrived, theirs.arrived
    times = pairs(lambda: ours.advance(window), lambda: theirs.advance(window), clock, count)
    arrived = ours.arrived - before[0], theirs.arrived - before[1]
    return times[0] * (count + 1) / arrived[0], times[1] * (count + 1) / arrived[1]


def _warm(simulation: Simulation) -> Simulation:
    simulation.prepare()
    simulation.advance(WARM)
    return simulation


def results(links: str, shape: str) -> Iterator[Result]:
    """CPU seconds of one thread, several rounds and one at a time, and seconds by the clock with all."""
    data = crowd(*SHAPES[shape])
    rounds = 15 if shape == "100k" else 9
    kinds = (1, cpu, planned.WINDOW, 1.5), (1, cpu, 1, 1.5), (0, wall, planned.WINDOW, None)
    for suffix, (threads, clock, window, target) in zip(SUFFIXES, kinds, strict=True):
        with kernels.set_threads(threads):
            both = _warm(gossip(data, links)), _warm(gossip(data, None))
            ours, theirs = _per_message(*both, window, clock, rounds)
            used = kernels.threads()
        yield Result(
            f"network-virtual-{links}-{shape}{suffix}",
            ours / theirs,
            f"synchronous round, {'CPU' if clock is cpu else 'wall'} seconds per message, threads: {used}",
            target,
            f"{ours * 1e6:.1f} µs a message, synchronous {theirs * 1e6:.1f} µs; "
            f"{both[0].driver.places / data.people:.2f} snapshots held per model, synchronous "
            f"{both[1].driver.places / data.people:.3f}; {load()}",
        )


def planning(simulation: Simulation, count: int) -> tuple[float, float, float]:
    """Median CPU seconds of a window for choosing messages, for scheduling them, and for all the rest."""
    spent = {"send": 0.0, "schedule": 0.0}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            began = cpu()
            result = function(*arguments, **named)
            spent[name] += cpu() - began
            return result

        return call

    times = []
    with (
        patch.object(simulation.driver, "send", timed("send", simulation.driver.send)),
        patch.object(planned, "schedule", timed("schedule", planned.schedule)),
    ):
        for _ in range(count):
            spent |= {"send": 0.0, "schedule": 0.0}
            began = cpu()
            simulation.advance(planned.WINDOW)
            whole = cpu() - began
            times.append((*spent.values(), whole - sum(spent.values())))
    chosen, scheduled, executed = (statistics.median(column) for column in zip(*times, strict=True))
    return chosen, scheduled, executed


def planner(shape: str) -> Result:
    """The worst of synchronous rounds and both kinds of links, on one thread."""
    data = crowd(*SHAPES[shape])
    ratios, told = [], []
    with kernels.set_threads(1):
        for links in (None, *LINKS):
            chosen, scheduled, executed = planning(_warm(gossip(data, links)), 9)
            ratios.append((chosen + scheduled) / executed)
            told.append(
                f"{links or 'synchronous'} {chosen * 1e3:.1f} ms to choose peers, "
                f"{scheduled * 1e3:.1f} to schedule, {executed * 1e3:.1f} to carry out"
            )
    return Result(
        f"network-planner-{shape}",
        max(ratios),
        "carrying the plan out, CPU seconds",
        0.1,
        f"{'; '.join(told)}; {load()}",
    )
