"""What a message and a node cost in networks of 1,000 to 70,000 nodes, with the same 1,000 items.

`python -m benchmarks.network.growth NODES` measures one size; a plot of all goes to build/.
"""

import json
import statistics
import sys
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, apart, cpu, load, resident
from benchmarks.network.crowd import crowd, gossip
from sottovoce import kernels
from sottovoce.data.interactions import Interactions
from sottovoce.experiments.pages.plots import Series, curves
from sottovoce.experiments.runs.machine import peak_memory
from sottovoce.simulate.engine import Simulation
from sottovoce.simulate.planned import WINDOW
from sottovoce.state import Tables

NODES, ITEMS, EACH = (1_000, 3_000, 10_000, 30_000, 70_000), 1_000, 50
KINDS = {"synchronous": None, "virtual time": "uniform"}
BUILD = Path(__file__).parents[2] / "build"


def _window(simulation: Simulation) -> float:
    """CPU seconds per message."""
    before, began = simulation.arrived, cpu()
    simulation.advance(WINDOW)
    return (cpu() - began) / (simulation.arrived - before)


def _copy(tables: Tables, count: int) -> float:
    """CPU seconds to copy a model, all of them in turn."""
    rows, age = np.empty_like(tables.rows), np.empty_like(tables.age)
    times = []
    for _ in range(count + 1):
        began = cpu()
        np.copyto(rows, tables.rows)
        np.copyto(age, tables.age)
        times.append(cpu() - began)
    return statistics.median(times[1:]) / tables.slots


def _measure(data: Interactions, links: str | None) -> tuple[float, int, float]:
    """CPU seconds per message, peak memory, and CPU seconds to copy a model."""
    count = max(3, 10_000 // data.people)
    simulation = gossip(data, links)
    simulation.advance(4)
    seconds, peak = statistics.median(_window(simulation) for _ in range(count)), peak_memory()
    return seconds, peak, _copy(simulation.tables, count) if links else 0.0


def measure(nodes: int) -> dict[str, float]:
    """CPU seconds per message and bytes per node of each kind; CPU seconds to copy a model."""
    found = {}
    with kernels.set_threads(1):
        small = crowd(100, ITEMS, EACH)
        for links in KINDS.values():
            gossip(small, links).advance(4)
        before = resident()
        data = crowd(nodes, ITEMS, EACH)
        for kind, links in KINDS.items():  # the second needs more memory, so peaks are those of each
            found[kind], peak, found["copy of a model"] = _measure(data, links)
            found[f"{kind}, bytes"] = (peak - before) / nodes
    return found


def _draw(found: dict[int, dict[str, float]]) -> list[Path]:
    """Two pictures over the number of nodes."""
    sizes = [float(nodes) for nodes in found]
    timed = [*KINDS, "copy of a model"]
    seconds = [Series(kind, sizes, [1e6 * one[kind] for one in found.values()]) for kind in timed]
    kept = [Series(kind, sizes, [one[f"{kind}, bytes"] / 1e3 for one in found.values()]) for kind in KINDS]
    model = {"a model's arrays": ITEMS * 28 / 1e3}
    pictures = {
        "seconds": curves("seconds", "CPU µs per message", seconds, x="nodes"),
        "bytes": curves("bytes", "kB per node", kept, model, x="nodes"),
    }
    BUILD.mkdir(exist_ok=True)
    head = '<svg xmlns="http://www.w3.org/2000/svg" style="background:#fff" '
    paths = []
    for name, picture in pictures.items():
        paths.append(BUILD / f"network-growth-{name}.svg")
        paths[-1].write_text(picture.replace("<svg ", head, 1) + "\n")
    return paths


def result() -> Result:
    """The largest network against the smallest."""
    found = {nodes: apart(__name__, nodes) for nodes in NODES}
    first, last = found[NODES[0]], found[NODES[-1]]
    ratios = {name: last[name] / first[name] for name in first}
    told = "; ".join(
        f"{name} " + ", ".join(f"{1e6 * one[name]:.1f}" for one in found.values())
        for name in (*KINDS, "copy of a model")
    )
    kept = ", ".join(f"{one['virtual time, bytes'] / 1e3:.0f}" for one in found.values())
    pictures = " and ".join(f"build/{path.name}" for path in _draw(found))
    return Result(
        "network-growth",
        max(ratios[kind] for kind in KINDS),
        f"a message among {NODES[0]:,} nodes, CPU seconds among {NODES[-1]:,}",
        1.5,
        f"{', '.join(f'{nodes:,}' for nodes in NODES)} nodes × {ITEMS:,} items, µs per message: {told}; "
        f"kB per node in virtual time {kept}; copy alone {ratios['copy of a model']:.2f}×; "
        f"{pictures}; {load()}",
    )


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
