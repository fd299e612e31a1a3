"""The set of states of a model that explain all that was observed of the software so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from lockstep.drive.departure import MOST_SHOWN, Departed, Departure, Reason
from lockstep.drive.driver import NOT_DONE, Took
from lockstep.drive.guarded import Guarded
from lockstep.drive.stimuli import Stimuli
from lockstep.drive.values import Seen, plain, seen_in, variable_of
from lockstep.errors import LockstepError
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.space import Instance
from lockstep.results.trace import Step, Trace
from lockstep.review.pair import shown_names, shown_value
from lockstep.trace.conjuncts import false_requirement

_Way: TypeAlias = "tuple[_Way, Step] | None"
"""The last step to a state, and the way to before it."""
_Observed: TypeAlias = Mapping[str, object]
"""What a driver saw, by the name of a variable or of its part."""
Edge: TypeAlias = tuple[State, str, Step]
"""The state that a step begins in, by which action it was entered, and the step."""

_REMEMBERED = 20_000
"""Of so many states it is remembered what they show."""
MOST_CANDIDATES = 100_000
"""More states than this that explain what was observed are too many to follow."""


class Following:
    """One driver in step with one model; `reset` comes first.

    `observed` are the names of what was observed at any time, and `compared` how many values were.
    """

    def __init__(self, model: Model, driver: Guarded) -> None:
        models = driver.driver.models
        models = (models,) if isinstance(models, str) else models
        if models and model.name not in models:
            raise LockstepError(
                f"{driver.name} drives {' and '.join(models)}, and not {model.name}",
                cure="name that model, or another driver",
            )
        driver.for_model(model.name)
        lower(model)  # refuses what is outside the notation, and says what is shown
        self.model = model
        self.stimuli = Stimuli(model, driver)
        self.observed: set[str] = set()
        self.compared = self.steps = self.resets = 0
        self.candidates: dict[State, _Way] = {}
        self.given: list[Instance] = []
        self._driver = driver
        driver.driver.model = model
        self._domains = dict(model.variables) | {
            one.name: model.lowered.shown[one].value.domain for one in model.shown
        }
        self._plain = lru_cache(maxsize=_REMEMBERED)(self._shown)
        self._constants = {name: plain(value) for name, value in model.constants.items()}
        driver.check(self._constants)

    @property
    def unobserved(self) -> tuple[str, ...]:
        """What was never observed of what the model shows."""
        return tuple(name for name in shown_names(self.model) if name not in self.observed)

    def reset(self) -> None:
        """Begin with fresh software; `Departed` where it is not in the initial state."""
        self.given.clear()
        self.resets += 1
        self._driver.reset(self._constants)
        seen = self._observe()
        initial = self.model.initial
        self.candidates = {}
        explained = self._explaining(self._closed({initial: None}), seen)
        if not explained:
            reason = Reason(None, None, self._unlike(initial, seen))
            departure = Departure((), Trace(initial, ()), None, (reason,), 1)
            raise Departed(self.model, departure, "")
        self.candidates = explained

    def offers(self, stimulus: Instance) -> bool:
        """Whether the model has an outcome for a stimulus in a state that explains all so far.

        Where the software decides among too many values to try, it may have one.
        """
        if self.stimuli.is_open(stimulus[0]):
            return True
        states = self._closed(self.candidates)
        return any(any(self.stimuli.steps(state, stimulus, None)) for state in states)

    def do(self, stimulus: Instance) -> Sequence[Edge] | None:
        """Give the software a stimulus; the steps that explain what it did.

        None where the software does not offer it. `Departed` where nothing explains it.
        """
        name, arguments = stimulus
        parameters = self.stimuli.find(name).parameters
        given = {one.name: plain(value) for one, value in zip(parameters, arguments, strict=True)}
        before = self._closed(self.candidates)
        answer = self._driver.do(name, given)
        took = answer if isinstance(answer, Took) else None
        if took is not None:
            self.stimuli.check(stimulus, took)
        seen = self._observe()
        if answer is NOT_DONE:
            edges: list[Edge] | None = None
            reached = before
        else:
            self.steps += 1
            self.given.append(stimulus)
            edges, reached = [], {}
            for state, way in before.items():
                for step in self.stimuli.steps(state, stimulus, took):
                    edges.append((state, entered_by(way), step))
                    reached.setdefault(step.state, (way, step))
        explained = self._explaining(self._closed(reached), seen)
        if not explained:
            departure = self._departure(before, stimulus, took, seen, is_idle=edges is None)
            raise Departed(self.model, departure, self.stimuli.shown(stimulus))
        self.candidates = explained
        if edges is None:
            return None
        return [
            edge
            for edge in edges
            if not explained.keys().isdisjoint(self._closed({edge[2].state: None}))
        ]

    def trace(self) -> Trace:
        """A behaviour that explains what was observed since the reset."""
        return self._behaviour(min(self.candidates.values(), key=_length))

    def _behaviour(self, way: _Way) -> Trace:
        steps: list[Step] = []
        while way is not None:
            way, step = way
            steps.append(step)
        return Trace(self.model.initial, tuple(reversed(steps)))

    def _closed(self, states: Mapping[State, _Way]) -> dict[State, _Way]:
        """These states, and all that the software may come to by itself."""
        closed = dict(states)
        waiting = list(closed) if self.stimuli.by_itself else []
        while waiting:
            state = waiting.pop()
            for step in self.stimuli.unseen(state):
                if step.state not in closed:
                    closed[step.state] = closed[state], step
                    waiting.append(step.state)
            if len(closed) > MOST_CANDIDATES:
                raise LockstepError(
                    f"more than {MOST_CANDIDATES:,} states explain what was observed",
                    cure="observe more of the software",
                )
        return closed

    def _explaining(self, states: Mapping[State, _Way], seen: _Observed) -> dict[State, _Way]:
        return {state: way for state, way in states.items() if self._unlike(state, seen) is None}

    def _unlike(self, state: State, seen: _Observed) -> tuple[Seen, Any] | None:
        """The first part of a state that is not as it was observed, and its value there."""
        whole = self._plain(state)
        for place, value in seen.items():
            if place in whole and whole[place] == value:
                continue  # as nearly always: nothing has to be read
            for one in self._read(place, value):
                part = one.part(shown_value(self.model, one.variable, state))
                if not one.is_possible or part != one.value:
                    return one, part
        return None

    def _shown(self, state: State) -> Mapping[str, object]:
        """What a state shows, as a driver would observe it."""
        names = shown_names(self.model)
        return {name: plain(shown_value(self.model, name, state)) for name in names}

    def _read(self, place: str, value: object) -> tuple[Seen, ...]:
        """What a driver observed at a place, part by part."""
        try:
            return tuple(seen_in(self._domains, place, value))
        except LockstepError as error:
            raise self._driver.mistake(error.message, error.cure, "observe") from None

    def _observe(self) -> _Observed:
        observed = self._driver.observe()
        saying = [place for place, value in observed.items() if _says(value)]
        self.observed |= set(map(variable_of, saying))
        self.compared += len(saying)
        return observed

    def _departure(
        self,
        before: Mapping[State, _Way],
        stimulus: Instance,
        took: Took | None,
        seen: _Observed,
        *,
        is_idle: bool,
    ) -> Departure:
        reasons = []
        for state in list(before)[:MOST_SHOWN]:
            if is_idle:
                reasons.append(Reason(None, None, self._unlike(state, seen)))
            else:
                reasons += self._reasons(state, stimulus, took, seen)
        given = self.given if is_idle else self.given[:-1]
        return Departure((*given, stimulus), self.trace(), took, tuple(reasons), len(before))

    def _reasons(
        self, state: State, stimulus: Instance, took: Took | None, seen: _Observed
    ) -> Iterator[Reason]:
        universe = self.model.universe
        for action, bindings in self.stimuli.bindings(stimulus, took):
            refused = None
            is_enabled = False
            for arguments in bindings:
                after = self.stimuli.engine.run(action, state, arguments)
                if after is not None:
                    is_enabled = True
                    instance = action.name, arguments
                    yield Reason(instance, None, self._unlike(after, seen))
                elif refused is None:
                    refused = action.name, arguments
            if not is_enabled and refused is not None:
                conjunct = false_requirement(universe, action, state, refused[1])
                yield Reason(refused, conjunct, None)


def entered_by(way: _Way) -> str:
    """The action by which a state was entered; empty of the initial one."""
    return "" if way is None else way[1].action


def _says(value: object) -> bool:
    """Whether anything is compared with an observed value: an empty dict leaves all open."""
    return not isinstance(value, Mapping) or any(map(_says, value.values()))


def _length(way: _Way) -> int:
    length = 0
    while way is not None:
        way, length = way[0], length + 1
    return length
