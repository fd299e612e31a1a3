"""Puts the Kafka workspace into the wheel as data, below `lockstep/kafka/`.

An editable install gets none of it: there the workspace is the checkout itself, and a copy in
site-packages would go stale without a word.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WORKSPACE = ("models", "specs", "invariants", "tla", "lockstep.toml")


class WorkspaceAsData(BuildHookInterface[Any]):
    """Adds `WORKSPACE` to a standard wheel; refuses to build one that would lack a part of it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before each wheel; `version` is "standard" or "editable"."""
        if version == "editable":
            return
        root = Path(self.root)
        missing = [name for name in WORKSPACE if not (root / name).exists()]
        if missing:
            raise FileNotFoundError(f"the wheel needs {', '.join(missing)} in {root}")
        build_data["force_include"].update({name: f"lockstep/kafka/{name}" for name in WORKSPACE})
