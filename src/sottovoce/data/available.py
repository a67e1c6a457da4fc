"""How much memory is free on this machine, for this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_GROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory"))
_LIMITS = (  # versions 2 and 1 of control groups
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def available_memory() -> int:
    """Bytes that this process can still use. The limits of a container are respected."""
    system = (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else sys.maxsize
    )
    meminfo = fields(Path("/proc/meminfo"))
    if "MemAvailable" in meminfo:
        system = meminfo["MemAvailable"] * 1024
    for group in _GROUPS:
        for limit, used, cached in _LIMITS:
            most, now = _number(group / limit), _number(group / used)
            if most is not None and now is not None:
                # Cached files count as used, but are dropped when memory is needed.
                system = min(system, max(most - now + fields(group / "memory.stat").get(cached, 0), 0))
    return system


def fields(path: Path) -> dict[str, int]:
    """The numbers in a system file with lines such as `Name:   123 kB` or `name 123`."""
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
