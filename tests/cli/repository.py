"""A desk in git."""

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

MODEL = "models/turnstile.py"
CLAIMS = "invariants/turnstile.py"
FAULTS = "models/faults/turnstile.py"


def git(desk: "Desk", *arguments: str) -> None:
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=desk.root, check=True, capture_output=True)
