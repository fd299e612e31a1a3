"""What requirements ask, by their ids."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model
from lockstep.specs.kip import load_kips
from lockstep.trace.claims import find_property


class RequirementTexts:
    """The texts of `specs/kip_N.toml`, which are read when the first is asked for."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __getitem__(self, identity: str) -> str:
        """What a requirement asks, or why that cannot be shown."""
        if isinstance(self._texts, str):
            return self._texts
        return self._texts.get(identity, "is in no file of specs/")

    def of(self, model: Model, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What a property says in its author's words, and each requirement that it states."""
        prop = find_property(model, name)
        if name == DEADLOCK:
            return "No step leads from the last state to another, and the model may not stop.", ()
        if prop is None:
            return "", ()
        return prop.doc, tuple((identity, self[identity]) for identity in prop.requirements)

    @cached_property
    def _texts(self) -> dict[str, str] | str:
        try:
            kips = load_kips(self._root)
        except LockstepError as error:
            return f"cannot be shown: {error.message}"
        return {row.id: row.text for kip in kips for row in kip.requirements}
