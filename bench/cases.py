"""What is measured: a model in a scope, and the counts that every tool must find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.language.notation import Kind
from lockstep.specs.scopes import ModelSpec, load_model_spec

MODELS = ("fetch_session", "fetch_response")
"""The models that the peers have too."""


@dataclass(frozen=True)
class Case:
    """One model in one scope of the workspace at `root`.

    `depth` is the number of steps to the farthest state; `constants` are all of the model's.
    """

    root: Path
    spec: ModelSpec
    scope: str
    constants: Mapping[str, object]
    states: int
    transitions: int
    depth: int

    @property
    def model(self) -> str:
        """The model's name."""
        return self.spec.name

    @property
    def numbers(self) -> dict[str, int]:
        """The constants as the peers take them: of a tuple, how many items it has.

        The peers number names from 0 and session ids from 1; `LockstepError` where a constant
        cannot be compared so.
        """
        numbers: dict[str, int] = {}
        for name, value in self.constants.items():
            if isinstance(value, tuple):
                is_counted = all(isinstance(item, str) for item in value)
                if not is_counted and value != tuple(range(1, len(value) + 1)):
                    raise LockstepError(f"{name} = {value!r} is not 1, 2, 3 and so on")
                numbers[name] = len(value)
            elif isinstance(value, int):
                numbers[name] = int(value)
            else:
                raise LockstepError(f"{name} = {value!r} is no number")
        return numbers


def liveness(root: Path, model: str) -> list[str]:
    """The properties of a model that no row checks, for they come after the search."""
    return [prop.name for prop in load_model(root, model).of_kind(Kind.LEADS_TO)]


def check_command(root: Path, model: str, *options: str | Path) -> list[str]:
    """`lockstep check` as it is measured: the whole search each time, and no liveness after it."""
    left_out = [part for name in liveness(root, model) for part in ("--except", name)]
    command = ["-m", "lockstep", "check", model, *map(str, options), *left_out]
    return [*command, "--no-cache", "--json"]


def load_case(root: Path, model: str, scope: str) -> Case:
    """A model in a scope whose counts are pinned; `LockstepError` when they are not."""
    spec = load_model_spec(root, model)
    chosen = spec.scope(scope)
    pins = chosen.pins
    if pins.states is None or pins.transitions is None or pins.depth is None:
        raise LockstepError(
            f"scope {scope} of {model} does not pin its counts",
            cure=f"pin states, transitions and depth in specs/{model}.toml",
        )
    constants = load_model(root, model, chosen.constants).constants
    return Case(root, spec, scope, constants, pins.states, pins.transitions, pins.depth)
