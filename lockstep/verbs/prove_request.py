"""What is asked of `prove`: which models, at which widths, and how."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lockstep.specs.tables import Plain

SECONDS = 60.0
"""How long a question may take unless the request says another time."""


@dataclass(frozen=True)
class Widths:
    """The constants and the text that a model is asked about.

    They are those of `proof`, a name in `specs/MODEL.toml`, or of all its proofs; a `scope` takes
    the place of a proof. `constants` are put over its own, and `fault` in place of what it changes.
    """

    proof: str | None = None
    scope: str | None = None
    constants: Mapping[str, Plain] = field(default_factory=dict)
    fault: str | None = None

    @property
    def is_of_the_specification(self) -> bool:
        """Whether nothing is changed of what the specification says."""
        return self.scope is None and self.fault is None and not self.constants


@dataclass(frozen=True)
class Request:
    """What is asked of every model alike; None stands for what its proof says.

    `models` are all that have proofs unless some are named. The induction goes over `k` steps, or
    over any number of names of the constant `any_number`; with `infer` comparisons of numbers are
    tried as helps. What is not proved is looked for in behaviours of up to `depth` steps.
    `max_seconds` bounds each question of a proof, and that search in all. Every question is written
    to the folder `smt`. With `anew`, what was decided in an earlier run is decided again.
    """

    models: tuple[str, ...] = ()
    widths: Widths = field(default_factory=Widths)
    any_number: str | None = None
    k: int | None = None
    depth: int | None = None
    infer: bool = False
    max_seconds: float = SECONDS
    smt: Path | None = None
    anew: bool = False

    @property
    def is_pinned(self) -> bool:
        """Whether the answer can be held against what the specification says is proved."""
        changes = (self.any_number, self.k, self.depth)
        return self.widths.is_of_the_specification and all(change is None for change in changes)

    def again(self, model: str, proof: str, scope: str | None) -> str:
        """The command that asks the same of one model in one proof, or in a scope."""
        parts = ["lockstep prove", model, f"--scope {scope}" if scope else f"--proof {proof}"]
        parts += [
            f"--set {name}={shlex.quote(json.dumps(value))}"
            for name, value in self.widths.constants.items()
        ]
        options = {
            "--fault": self.widths.fault,
            "--any": self.any_number,
            "--k": self.k,
            "--depth": self.depth,
        }
        parts += [f"{option} {value}" for option, value in options.items() if value is not None]
        parts += ["--infer"] * self.infer
        parts += [] if self.max_seconds == SECONDS else [f"--max-seconds {self.max_seconds:g}"]
        return " ".join(parts)
