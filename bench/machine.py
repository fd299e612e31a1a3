"""The machine and the versions that a measurement was made with."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from lockstep.twin.tlc import TLC

_TOOLS = {
    "g++": ("g++", "--version"),
    "gcc": ("gcc", "--version"),
    "rustc": ("rustc", "--version"),
    "java": ("java", "-version"),
    "spin": ("spin", "-V"),
}


@dataclass(frozen=True)
class Machine:
    """What was measured on.

    `cores` are those that this process may use; `load` is the one-minute load average before
    anything was run: on an idle machine it is near 0.
    """

    date: str
    processor: str
    cores: int
    memory_gibibytes: float
    system: str
    load: float
    versions: dict[str, str]


def this_machine(root: Path) -> Machine:
    """What this machine is, now."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        date=datetime.date.today().isoformat(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        memory_gibibytes=round(memory / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
        load=round(os.getloadavg()[0], 1),
        versions={
            "lockstep": metadata.version("lockstep"),
            "python": platform.python_version(),
            "TLC": f"2.18 ({TLC.name} {TLC.version})",
            "stateright": _stateright(root),
            **{name: _version(*command) for name, command in _TOOLS.items()},
        },
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    named = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return named.group(1) if named else platform.processor()


def _stateright(root: Path) -> str:
    manifest = (root / "bench" / "peers" / "stateright" / "Cargo.toml").read_text("utf-8")
    named = re.search(r'^stateright = "=([^"]+)"', manifest, re.MULTILINE)
    return named.group(1) if named else "unknown"


def _version(*command: str) -> str:
    """The first line that a tool says of itself."""
    if shutil.which(command[0]) is None:
        return "not installed"
    answer = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"
