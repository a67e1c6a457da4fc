"""A node on one device: how soon it is there, and what one message of MovieLens 100K's size costs it."""

import json
import os
import statistics
import time
from collections.abc import Iterator

from benchmarks.measure import Result, apart, load

ITEMS, OWN = 1682, 106  # as many items, and as many of one person, as MovieLens 100K has on average
MESSAGE, START = 0.3e-3, 1.0  # seconds that are allowed


def _measure() -> dict[str, float]:
    """Run in a new process, whose kernels are in the cache."""
    began = time.perf_counter()
    from sottovoce import Community, Node

    items = [str(n) for n in range(ITEMS)]
    community = Community(items, model={"name": "ials", "factors": 16})
    mine, peer = (Node(community, items[n :: ITEMS // OWN][:OWN]) for n in (0, 3))
    there = time.perf_counter() - began
    mine.absorb(peer.emit())
    times = []
    for _ in range(200):
        letter = peer.emit()
        before = time.process_time()
        mine.absorb(letter)
        times.append(time.process_time() - before)
    return {"start": there, "message": statistics.median(times), "bytes": len(letter)}


def benchmarks(prefix: str) -> Iterator[Result]:
    """Both, each in a process of its own; the first one may compile."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # bytecode is kept, as it is on people's machines
    apart("benchmarks.node")
    found = [apart("benchmarks.node") for _ in range(3)]
    message, there = (min(one[key] for one in found) for key in ("message", "start"))
    yield Result(
        "node-message",
        message / MESSAGE,
        f"{MESSAGE * 1e3:g} ms to check, merge and train",
        1.0,
        f"{message * 1e6:.0f} µs of CPU for {found[0]['bytes'] / 1e3:.0f} kB; {load()}",
    )
    yield Result(
        "node-start", there / START, "a second", 1.0, f"{there:.2f} s to import and make two; {load()}"
    )


if __name__ == "__main__":
    print(json.dumps(_measure()))
