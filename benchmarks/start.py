"""How soon the program answers: `import sottovoce` and `sottovoce --help`, in new processes."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.measure import Result, load


def _seconds(*command: str) -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def benchmarks(prefix: str) -> Iterator[Result]:
    """Both, in seconds; the plain interpreter's own start is part of them."""
    plain = _seconds("-c", "pass")
    for name, command in {
        "start-import": ("-c", "import sottovoce"),
        "start-help": ("-m", "sottovoce", "--help"),
    }.items():
        took = _seconds(*command)
        yield Result(
            name, took / 0.5, "half a second", 1.0, f"{took:.2f} s; Python alone {plain:.2f} s; {load()}"
        )
