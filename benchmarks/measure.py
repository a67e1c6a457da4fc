"""What benchmarks share: a result, and pairs of timings taken in turns."""

import os
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Result(NamedTuple):
    """One line of `results.json`; it holds when `ratio` is at most `target`."""

    name: str
    ratio: float
    against: str
    target: float | None
    detail: str


def pairs(
    ours: Callable[[], object], theirs: Callable[[], object], clock: Callable[[], float], count: int = 9
) -> tuple[float, float]:
    """Median times of two functions, called in turns so that a busy machine disturbs both alike."""
    times: tuple[list[float], list[float]] = [], []
    ours(), theirs()
    for _ in range(count):
        for function, kept in zip((ours, theirs), times, strict=True):
            began = clock()
            function()
            kept.append(clock() - began)
    return statistics.median(times[0]), statistics.median(times[1])


def load() -> str:
    """The load average, beside a time that other work on the machine can change."""
    return f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


cpu, wall = time.process_time, time.perf_counter
