"""The wheel of this checkout, and a Python that has all but lockstep."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def wheel_in(folder: Path) -> Path:
    """Build the wheel into a folder."""
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    done = subprocess.run(
        [sys.executable, *PIP, *build], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


def python_without_lockstep(folder: Path) -> Path:
    """That of a new environment in a folder, which has the other packages of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "lockstep" not in entry.name and entry.suffix != ".pth":  # which may lead to it
            packages.joinpath(entry.name).symlink_to(entry)
    return folder / "bin" / "python"
