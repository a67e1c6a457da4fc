"""How long compiling takes: the last time is shown beforehand, the new one afterwards."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

from sottovoce.experiments.runs import interrupt
from sottovoce.experiments.runs.machine import duration
from sottovoce.experiments.runs.progress import Progress
from sottovoce.kernel_cache import user_cache
from sottovoce.plural import count


@contextlib.contextmanager
def announced(tell: Progress, doing: str) -> Iterator[None]:
    """Show a step that may have to compile kernels."""
    from sottovoce.kernels import compilations

    known = _known()
    last = f"took {duration(known[doing])} last time" if doing in known else "takes a while the first time"
    before, began = compilations(), time.perf_counter()
    with interrupt.heeded(), tell.doing(f"{doing} (compiling new kernels {last})"):
        yield
    compiled = compilations() - before
    if compiled:
        took = time.perf_counter() - began
        tell.say(f"Compiled {count(compiled, 'kernel')} in {duration(took)}, for later runs too.")
        _keep(known | {doing: round(took, 1)})


def _path() -> Path:
    return user_cache() / "compiling.json"


def _known() -> dict[str, float]:
    try:
        found = json.loads(_path().read_text("utf-8"))
        return {str(doing): float(seconds) for doing, seconds in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep(seconds: dict[str, float]) -> None:
    path = _path()
    building = path.with_name(f".{path.name}.tmp")
    with contextlib.suppress(OSError):  # it is only shown to the reader
        building.write_text(json.dumps(seconds), "utf-8")
        building.replace(path)
