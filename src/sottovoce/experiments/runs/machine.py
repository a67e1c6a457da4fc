"""The memory of this machine, and what this process used of it; sizes and durations for people."""

import os
import platform
import re
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sottovoce.data.available import available_memory as available_memory
from sottovoce.data.available import fields
from sottovoce.errors import ResourceError


def require_memory(expected: int) -> None:
    """Refuse a run that does not fit into memory."""
    there = available_memory()
    if expected > there:
        raise ResourceError(
            f"This run needs about {size(expected)} of memory, and {size(there)} are free.",
            "Use fewer people or items, or a smaller model (for example --set model.factors=8).",
        )


def peak_memory() -> int:
    """The most bytes this process ever held, 0 where the system does not say."""
    high = fields(Path("/proc/self/status")).get("VmHWM")
    if high is not None:
        return high * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def versions() -> dict[str, str]:
    """The versions of Python, packages and system that computed a run."""
    found = {name: version(name) for name in ("numpy", "numba", "polars")}
    return (
        {"python": platform.python_version()}
        | found
        | {"system": f"{platform.system()} {platform.machine()}"}
    )


def computer() -> dict[str, str]:
    """The processor, and the versions of system, Python and libraries, for measurements of time."""
    libraries = ("numpy", "cryptography", "gmpy2", "tenseal")
    found = {name: version(name) for name in libraries if find_spec(name) is not None}
    system = f"{platform.system()} {platform.machine()}"
    return {"processor": _processor(), "system": system, "python": platform.python_version()} | found


def load() -> float | None:
    """How many processes want a processor, on average over the last minute; None if nobody knows."""
    try:
        return round(os.getloadavg()[0], 2)
    except (OSError, AttributeError):  # some systems do not tell
        return None


def _processor() -> str:
    """The processor's name, with its clock if the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found: dict[str, str] = dict(re.findall(r"^(model name|cpu MHz)\s*: (.*)$", text, re.MULTILINE))
    clock = f" at {float(found['cpu MHz']) / 1000:.1f} GHz" if "cpu MHz" in found else ""
    return found.get("model name", platform.machine()).strip() + clock


def size(count: float) -> str:
    """A number of bytes, for people: `1.2 GB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.2g} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def duration(seconds: float) -> str:
    """A number of seconds, for people: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
