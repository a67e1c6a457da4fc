"""How fast ratings are read, on one core: MovieLens 1M from its archive, ten million rows between `::`."""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Result, load

TIMED = """
import sys, time
import numpy, polars
from sottovoce.data.load import load
wall, cpu = time.perf_counter(), time.process_time()
data = load(sys.argv[1], data_dir=sys.argv[2])
print(time.process_time() - cpu, time.perf_counter() - wall, len(data))
"""


def rows(count: int, people: int, items: int, top: int) -> bytes:
    """Made-up ratings in the layout of MovieLens, grouped by person as there."""
    import polars as pl

    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "user": np.sort(rng.integers(1, people + 1, count)),
            "item": (items * rng.random(count) ** 3).astype(np.int64) + 1,
            "rating": rng.integers(1, top + 1, count),
            "time": rng.integers(789_652_009, 1_231_131_736, count),
        }
    )
    return frame.write_csv(include_header=False).encode().replace(b",", b"::")


def _seconds(name: str, folder: Path) -> tuple[float, float, int]:
    """CPU and wall seconds to load a data set with a single thread, and how many rows it has."""
    done = subprocess.run(
        [sys.executable, "-c", TIMED, name, str(folder)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"POLARS_MAX_THREADS": "1"},
    )
    cpu, wall, count = done.stdout.split()
    return float(cpu), float(wall), int(count)


def benchmarks(prefix: str) -> Iterator[Result]:
    """Both, in seconds."""
    for name, dataset, shape, limit in (
        ("data-ml-1m-zip", "ml-1m", (1_000_209, 6040, 3706, 5), 2.0),
        ("data-10-million", "ml-10m", (10_000_000, 69_878, 10_677, 5), 15.0),
    ):
        if not name.startswith(prefix):
            continue
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / dataset
            folder.mkdir()
            if dataset == "ml-1m":
                with zipfile.ZipFile(folder / "ml-1m.zip", "w", zipfile.ZIP_DEFLATED) as packed:
                    packed.writestr("ml-1m/ratings.dat", rows(*shape))
            else:
                (folder / "ratings.dat").write_bytes(rows(*shape))
            took, wall, count = min(_seconds(dataset, Path(made)) for _ in range(3))
        yield Result(
            name,
            took / limit,
            f"{limit:g} CPU seconds in one thread",
            1.0,
            f"{took:.2f} s for {count:,} rows, {wall:.2f} s by the clock; {load()}",
        )
