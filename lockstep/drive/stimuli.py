"""What the software can be given, as a driver declares it, and which actions may answer that."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.drive.driver import Took
from lockstep.drive.guarded import Guarded
from lockstep.drive.values import canonical
from lockstep.errors import LockstepError, nearest_of, unknown
from lockstep.language.model import Action, Model, Parameter
from lockstep.language.notation import State
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Instance
from lockstep.results.trace import Step
from lockstep.testing.instances import is_wide
from lockstep.trace.render import render_instance


@dataclass(frozen=True)
class Stimulus:
    """What the software can be given: its arguments, and the actions that may answer it."""

    name: str
    parameters: tuple[Parameter, ...]
    outcomes: tuple[Action, ...]


class Stimuli:
    """All that can be done with a model by a driver; `LockstepError` where it names what is not."""

    def __init__(self, model: Model, guarded: Guarded) -> None:
        driver = guarded.driver
        self.engine = PlainEngine(model)
        self._driver = guarded
        self._actions = {action.name: action for action in model.actions}
        for name in ("outcomes", "decides", "never"):
            if not isinstance(value := getattr(driver, name), Mapping):
                raise guarded.mistake(f"{name} of {guarded.name} is {value!r}", "make it a dict")
        outcomes = {name: tuple(of) for name, of in driver.outcomes.items()}
        named = [action for of in outcomes.values() for action in of]
        for name in (*named, *driver.decides, *driver.by_itself, *driver.never):
            self._action(name)
        for name, decided in driver.decides.items():
            known = [parameter.name for parameter in self._actions[name].parameters]
            for one in decided:
                if one not in known:
                    cure = nearest_of(one, known, "it has")
                    raise guarded.mistake(f"{name} has no parameter {one!r}", cure)
        for name in sorted(driver.never.keys() & set(driver.by_itself)):
            raise guarded.mistake(
                f"{guarded.name} never does {name}, and does it by itself",
                "leave it out of `never` or of `by_itself`",
            )
        self._decides = driver.decides
        apart = {*named, *driver.by_itself, *driver.never}
        alone = {name: (name,) for name in self._actions if name not in apart | outcomes.keys()}
        left_out = set(driver.never)
        self.by_itself = tuple(self._actions[name] for name in driver.by_itself)
        self.never = dict(driver.never)
        self.of = {
            name: self._stimulus(name, [self._actions[one] for one in of if one not in left_out])
            for name, of in {**alone, **outcomes}.items()
        }
        self._answering = {
            action: [one for one in self.of.values() if self._actions[action] in one.outcomes]
            for action in self._actions
        }

    def find(self, name: str) -> Stimulus:
        """The stimulus of a name; `LockstepError` where there is none."""
        if name not in self.of:
            raise unknown(f"there is no stimulus {name!r}", name, self.of, "the stimuli are")
        return self.of[name]

    def given(self, name: str, arguments: Mapping[str, object]) -> Instance:
        """A stimulus with arguments as a driver takes them; `LockstepError` for wrong ones."""
        stimulus = self.find(name)
        names = [parameter.name for parameter in stimulus.parameters]
        if sorted(names) != sorted(arguments):
            raise LockstepError(
                f"{name} is given {', '.join(arguments) or 'nothing'}",
                cure=f"its arguments are: {', '.join(names) or 'none'}",
            )
        try:
            return name, tuple(
                canonical(one.domain, arguments[one.name], one.name) for one in stimulus.parameters
            )
        except NotInDomain as error:
            raise LockstepError(f"{name} cannot be given {error}") from None

    def is_open(self, name: str) -> bool:
        """Whether the software decides too many values of an outcome to try them all."""
        known = self.find(name)
        given = {one.name for one in known.parameters}
        return any(
            is_wide(tuple(one for one in action.parameters if one.name not in given))
            for action in known.outcomes
        )

    def shown(self, stimulus: Instance) -> str:
        """A stimulus with its arguments."""
        name, arguments = stimulus
        return render_instance(name, self.of[name].parameters, arguments)

    def answering(self, action: str) -> Sequence[Stimulus]:
        """The stimuli that an action may answer."""
        return self._answering[action]

    def answered_by(self, step: Step) -> Iterator[Instance]:
        """The stimuli that a step may answer."""
        action = self._actions[step.action]
        by_name = dict(zip((one.name for one in action.parameters), step.parameters, strict=True))
        for stimulus in self._answering[step.action]:
            yield stimulus.name, tuple(by_name[one.name] for one in stimulus.parameters)

    def steps(self, state: State, stimulus: Instance, took: Took | None) -> Iterator[Step]:
        """The steps that may answer a stimulus in a state, of which `took` was seen."""
        for action, bindings in self.bindings(stimulus, took):
            for arguments in bindings:
                after = self.engine.run(action, state, arguments)
                if after is not None:
                    yield Step(action.name, arguments, after)

    def bindings(
        self, stimulus: Instance, took: Took | None
    ) -> Iterator[tuple[Action, Iterator[tuple[Any, ...]]]]:
        """The outcomes that may answer a stimulus, each with what its parameters may be."""
        name, arguments = stimulus
        known = self.of[name]
        fixed = dict(zip((one.name for one in known.parameters), arguments, strict=True))
        for action in known.outcomes:
            if took is not None and took.action != action.name:
                continue
            seen = {} if took is None else self._seen(action, took)
            if any(fixed.get(one, seen[one]) != seen[one] for one in seen):
                continue
            yield action, self._combinations(action, {**seen, **fixed})

    def unseen(self, state: State) -> Iterator[Step]:
        """The steps that the software may take by itself."""
        for action in self.by_itself:
            yield from self.engine.instances(action, state)

    def check(self, stimulus: Instance, took: Took) -> None:
        """`LockstepError` where `took` is no outcome of a stimulus."""
        names = [action.name for action in self.of[stimulus[0]].outcomes]
        if took.action not in names:
            cure = nearest_of(took.action, names, "its outcomes are")
            raise self._driver.mistake(f"{took!r} is no outcome of {stimulus[0]}", cure)
        known = {one.name: one.domain for one in self._actions[took.action].parameters}
        for name, value in took.parameters.items():
            if name not in known:
                text = f"{took!r}: {took.action} has no parameter {name!r}"
                raise self._driver.mistake(text, nearest_of(name, known, "it has"))
            try:
                canonical(known[name], value, name)
            except NotInDomain:
                pass  # no outcome has it: the software departs
            except LockstepError as error:
                raise self._driver.mistake(f"{took!r}: {error.message}", error.cure) from None

    def _seen(self, action: Action, took: Took) -> dict[str, object]:
        """The parameters that were seen; a value outside its domain equals none inside."""
        seen: dict[str, object] = {}
        for one in action.parameters:
            if one.name in took.parameters:
                try:
                    seen[one.name] = canonical(one.domain, took.parameters[one.name], one.name)
                except NotInDomain:
                    seen[one.name] = _OUTSIDE
        return seen

    def _combinations(
        self, action: Action, fixed: Mapping[str, object]
    ) -> Iterator[tuple[Any, ...]]:
        if _OUTSIDE in fixed.values():
            return iter(())
        free = tuple(one for one in action.parameters if one.name not in fixed)
        if is_wide(free):
            raise self._driver.mistake(
                f"the software decides {', '.join(one.name for one in free)} of {action.name}: "
                "too many values to try",
                f"return Took({action.name!r}, {free[0].name}=VALUE)",
            )
        return itertools.product(
            *((fixed[one.name],) if one.name in fixed else one.domain for one in action.parameters)
        )

    def _stimulus(self, name: str, outcomes: list[Action]) -> Stimulus:
        """Its parameters are those that all outcomes have and the software does not decide."""
        parameters = [
            one
            for one in (outcomes[0].parameters if outcomes else ())
            if all(
                one.name in (other.name for other in action.parameters)
                and one.name not in self._decides.get(action.name, ())
                for action in outcomes
            )
        ]
        return Stimulus(name, tuple(parameters), tuple(outcomes))

    def _action(self, name: str) -> Action:
        if name not in self._actions:
            raise self._driver.mistake(
                f"{self._driver.name} names an action {name!r}, which the model does not have",
                nearest_of(name, self._actions, "its actions are"),
            )
        return self._actions[name]


_OUTSIDE = object()
"""Stands for a value that its domain does not have."""
