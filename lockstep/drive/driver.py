"""What stands between a model and the software that is driven: the only part that users write.

    class LeaseDriver(Driver):
        outcomes = {"acquire": ("grant", "refuse")}

        def reset(self, constants):
            self.lock = Lock()

        def do(self, action, arguments):
            self.lock.acquire(arguments["c"])

        def observe(self):
            return {"holder": self.lock.holder}

A value is passed in both directions as plain Python: an integer, a boolean or a text as it is, the
member of an enum by its name, a record as a dict by field, a map as a dict by key, a set as a
frozenset, a sequence as a tuple, and what is absent as None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from lockstep.language.model import Model


class _NotDone:
    """The type of `NOT_DONE`."""

    def __repr__(self) -> str:
        return "NOT_DONE"


NOT_DONE: Final = _NotDone()
"""What `Driver.do` returns where the software does not offer the stimulus now: nothing was done."""


class Took:
    """What `Driver.do` returns where it saw which action of the model the software took.

    `parameters` are those of the action that were seen, by name; the others stay open.
    """

    def __init__(self, action: str, /, **parameters: object) -> None:
        self.action = action
        self.parameters = parameters

    def __repr__(self) -> str:
        values = (f"{name}={value!r}" for name, value in self.parameters.items())
        return f"Took({', '.join([repr(self.action), *values])})"


class Driver:
    """Software that is driven; subclasses say how it is reset, what is done, what is observed.

    A stimulus is what the model chooses and the software is given. Each action of the model is the
    stimulus of its own name, unless a class attribute says otherwise. What a method raises ends the
    run as a mistake of the driver, which is no departure of the software.
    """

    outcomes: ClassVar[Mapping[str, Sequence[str]]] = {}
    """By the name of a stimulus, the actions by which the model may answer it: the software decides
    which. The stimulus may have the name of one of them, or another.

    Its arguments are the parameters that all of its outcomes have."""
    decides: ClassVar[Mapping[str, Sequence[str]]] = {}
    """By the name of an action, those of its parameters that the software decides; they are no
    arguments of its stimulus."""
    by_itself: ClassVar[Sequence[str]] = ()
    """Actions that the software takes by itself, unseen, before or after any stimulus."""
    never: ClassVar[Mapping[str, str]] = {}
    """Actions that this driver does not do, each with the reason."""
    models: ClassVar[Sequence[str]] = ()
    """The names of the models that this driver is for; any model where none is named."""
    software: str = ""
    """What is driven, with its version, as it is printed beside the driver's name."""
    model: Model
    """The model that the software is driven along, for a driver that plays a part of it. It is
    there from the first `reset` on."""

    def for_model(self, name: str) -> Driver:
        """The driver for one of `models`, where each has its own; this one is closed then."""
        return self

    def check(self, constants: Mapping[str, object]) -> None:
        """Raise `LockstepError` where the software cannot be driven with these constants.

        It is asked once, before the scope is explored. The default raises nothing.
        """

    def reset(self, constants: Mapping[str, object]) -> None:
        """Put fresh software into the model's initial state; `constants` are those of the scope."""
        raise NotImplementedError

    def do(self, action: str, arguments: Mapping[str, object]) -> object:
        """Give the software a stimulus, with its arguments by name, and wait until it is done.

        Return None, `Took` where the driver saw which outcome it was, or `NOT_DONE`. A stimulus is
        given where the model has an outcome for it in some state that explains what was observed.
        Where the software ignores it in the other ones, return `NOT_DONE` for these.
        """
        raise NotImplementedError

    def observe(self) -> Mapping[str, object]:
        """What can be seen of the software now: values of variables, or of what the model shows.

        A key is the name of one, or names a part of it: `epoch[c1]`, `cached[s1].size`. A dict that
        lacks keys of a map or fields of a record leaves these open, and so does a variable that is
        not there. It is asked after `reset` and after each stimulus.
        """
        return {}

    def close(self) -> None:
        """Stop what `reset` started; called once, at the end, whatever has happened."""
