"""Software in step with a model in a test: `driven`, and the test that a departure makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lockstep.drive.driver import Driver
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded, closing, load_driver, made, ready_made
from lockstep.drive.stimuli import Stimuli
from lockstep.drive.values import plain
from lockstep.language.faults import fault_constants, marks_in_place
from lockstep.language.model import load_model
from lockstep.language.notation import State
from lockstep.plain.space import Instance
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec
from lockstep.trace.behaviour import quoted
from lockstep.trace.layout import Group, Room, lay_out
from lockstep.workspace import find_workspace

_BODY = Room(begin=8, parts=12)


class Driven:
    """Software that was reset, and the states of the model that explain what was observed."""

    def __init__(self, following: Following) -> None:
        self._following = following

    @property
    def states(self) -> Collection[State]:
        """The states of the model that explain what was observed so far."""
        return self._following.candidates.keys()

    def reset(self) -> None:
        """Begin with fresh software; `Departed` where it is not in the initial state."""
        self._following.reset()

    def do(self, stimulus: str, /, **arguments: object) -> bool:
        """Give the software a stimulus; whether it offered that.

        `Departed`, an `AssertionError` whose text says why, where nothing in the model explains
        what was observed. `LockstepError` for an unknown stimulus or a wrong argument.
        """
        return self._following.do(self._following.stimuli.given(stimulus, arguments)) is not None


@contextmanager
def driven(
    model: str,
    driver: Driver | str,
    *,
    scope: str = DEFAULT_SCOPE,
    constants: Mapping[str, object] | None = None,
    fault: str | None = None,
    proposal: str | None = None,
    workspace: Path | None = None,
) -> Iterator[Driven]:
    """Drive software in a test, step by step; it is closed at the end.

    `driver` is one, or the file of one relative to the workspace, `FILE.py[:NAME]`, or the name of
    one that is installed. `constants` take the place of those of the scope; `workspace` is a folder
    of it, by default the current one.
    """
    root = find_workspace(workspace).root
    if isinstance(driver, str):
        driver = made(ready_made(driver) or load_driver(driver, root))
    values = {
        **load_model_spec(root, model).scope(scope).constants,
        **fault_constants(marks_in_place(root, model, fault)),
        **(constants or {}),
    }
    loaded = load_model(root, model, values, fault=fault, proposal=proposal)
    guarded = Guarded(driver)
    with closing(guarded):
        following = Following(loaded, guarded)
        following.reset()
        yield Driven(following)


def to_pytest(
    stimuli: Stimuli, given: Sequence[Instance], model: str, driver: str, **options: object
) -> str:
    """A test to paste into the workspace, which fails as long as the software departs.

    `options` are those of `driven`; what is None or empty is left out.
    """
    named = tuple(f"{name}={_literal(value)}" for name, value in options.items() if value)
    head = Group("with driven(", (quoted(model), quoted(driver), *named), ") as software:")
    lines = [
        "from lockstep.drive import driven",
        "",
        "",
        f"def test_the_software_is_in_step_with_{model}():",
        *lay_out([head], Room(begin=4, parts=8)),
    ]
    for name, values in given:
        pairs = zip(stimuli.of[name].parameters, values, strict=True)
        arguments = (f"{one.name}={_literal(plain(value))}" for one, value in pairs)
        lines += lay_out([Group("software.do(", (quoted(name), *arguments), ")")], _BODY)
    if not given:
        lines.append("        assert software.states")
    return "\n".join(lines) + "\n"


def _literal(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)
