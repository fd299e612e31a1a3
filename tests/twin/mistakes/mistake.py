"""A small change of a twin, which one of its claims must refute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mistake:
    """`right`, which stands once in the module, becomes `wrong`."""

    module: str
    right: str
    wrong: str
    constants: Mapping[str, int | str | tuple[str | int, ...]] = field(default_factory=dict)
    """Those of the scope `small` that have to be others for the mistake to matter."""
