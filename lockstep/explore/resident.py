"""How much memory this process has."""

from __future__ import annotations

import os
import resource


def resident_bytes() -> int:
    """The bytes of memory that this process holds now; where that is not told, the most so far."""
    try:
        with open("/proc/self/statm", encoding="ascii") as fields:
            return int(fields.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
