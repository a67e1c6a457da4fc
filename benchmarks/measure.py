"""What benchmarks share: a result, pairs of timings taken in turns, and processes of their own."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.experiments.runs.machine import peak_memory


class Result(NamedTuple):
    """One line of `results.json`; it holds when `ratio` is at most `target`, and `fits` is true."""

    name: str
    ratio: float | None  # None where it was skipped; `detail` then says why
    against: str
    target: float | None
    detail: str
    fits: bool = True  # whether it kept to other limits, such as one on memory, that `detail` names


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


def apart(module: str, *arguments: object) -> Any:
    """What a module, run as a program in a process of its own, prints as JSON in its last line."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    folder = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder)
    return json.loads(done.stdout.splitlines()[-1])


def resident() -> int:
    """Bytes that this process holds now; where the system does not say, the most it ever held."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return peak_memory()
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def load() -> str:
    """The load average, beside a time that other work on the machine can change."""
    return f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


cpu, wall = time.process_time, time.perf_counter
