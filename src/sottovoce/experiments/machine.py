"""What this machine has, and what this process used of it."""

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from sottovoce.errors import ResourceError

_GROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory"))
_LIMITS = (  # of both versions of control groups
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def available_memory() -> int:
    """Bytes that this process can still take, within the limits of a container if there are any."""
    system = (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else sys.maxsize
    )
    meminfo = _fields(Path("/proc/meminfo"))
    if "MemAvailable" in meminfo:
        system = meminfo["MemAvailable"] * 1024
    for group in _GROUPS:
        for limit, used, cached in _LIMITS:
            most, now = _number(group / limit), _number(group / used)
            if most is not None and now is not None:
                # Files that were read or written stay in memory until it is needed, and count as used.
                system = min(system, max(most - now + _fields(group / "memory.stat").get(cached, 0), 0))
    return system


def require_memory(expected: int) -> None:
    """Refuse a run that would not fit."""
    there = available_memory()
    if expected > there:
        raise ResourceError(
            f"This run needs about {size(expected)} of memory, and {size(there)} are free.",
            "Use fewer people or items, or a smaller model (for example --set model.factors=8).",
        )


def peak_memory() -> int:
    """The most bytes this process ever held, 0 where the system does not say."""
    high = _fields(Path("/proc/self/status")).get("VmHWM")
    if high is not None:
        return high * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def versions() -> dict[str, str]:
    """What took part in the computation."""
    found = {name: version(name) for name in ("numpy", "numba", "polars")}
    return (
        {"python": platform.python_version()}
        | found
        | {"system": f"{platform.system()} {platform.machine()}"}
    )


def size(count: float) -> str:
    """Bytes for people: `1.2 GB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.2g} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def duration(seconds: float) -> str:
    """Seconds for people: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _fields(path: Path) -> dict[str, int]:
    """The lines `Name:   123 kB` or `name 123` of a file of the system's."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.replace(":", " ").split()[:2] for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
