"""Random models drive their own plain execution, and that of models with one small change."""

import dataclasses
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from lockstep.drive.departure import Departure
from lockstep.drive.driver import NOT_DONE, Driver
from lockstep.drive.driving import Course, Drive, Limits, drive
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded
from lockstep.drive.values import canonical, plain
from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.language.totality import refuse_endless
from lockstep.mutants.mutant import mutants_of
from lockstep.plain.exploration import Bounds, Exploration, Walks
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Instance
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict
from tests.random_models.random_models import RandomModel, random_models

SMALL = Exploration("python", Bounds(max_states=60))


class Execution(Driver):
    """Software that is a model itself, seen as a whole."""

    def __init__(self, model: Model) -> None:
        self.model, self.engine = model, PlainEngine(model)

    def reset(self, constants: Mapping[str, object]) -> None:
        self.state = self.model.initial

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        after = self.after(self.state, action, arguments)
        if after is None:
            return NOT_DONE
        self.state = after
        return None

    def after(self, state: State, name: str, arguments: Mapping[str, Any]) -> State | None:
        action = self.model.action(name)
        values = (canonical(one.domain, arguments[one.name], "") for one in action.parameters)
        try:
            return self.engine.run(action, state, tuple(values))
        except EvaluationError:
            return None

    def observe(self) -> Mapping[str, object]:
        return shown(self.state)


def shown(state: State) -> dict[str, object]:
    return {name: plain(getattr(state, name)) for name in state.fields}


def driven(model: Model, software: Execution, course: Course) -> Drive:
    return drive(Following(model, Guarded(software)), course, Limits(steps=20_000))


def small(text: RandomModel, folder: str) -> Model:
    model = text.accepted(Path(folder))
    found = explore(dataclasses.replace(model, properties=()), SMALL)
    assume(found.verdict is Verdict.HOLDS and found.states > 1 and found.transitions <= 300)
    return model


@settings(max_examples=10)
@given(random_models(), st.booleans())
def test_the_plain_execution_of_a_model_conforms_and_all_is_done(
    text: RandomModel, in_pairs: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = small(text, folder)
        result = driven(model, Execution(model), Course(in_pairs=in_pairs))
        assert result.verdict is Verdict.HOLDS, result
        assert result.graph is not None
        assert len(result.covered.done) == result.graph.chosen > 0
        assert not result.not_done
        assert not result.unobserved
        at_random = driven(model, Execution(model), Course(Walks(3, 10)))
        assert at_random.verdict is Verdict.HOLDS, at_random


@settings(max_examples=10)
@given(random_models(), st.randoms(use_true_random=False))
def test_a_change_departs_or_does_the_same_wherever_the_model_goes(
    text: RandomModel, chance: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = small(text, folder)
        mutants = mutants_of(model)
        assume(mutants)
        for mutant in chance.sample(mutants, min(4, len(mutants))):
            universe = model.universe
            try:
                changed = load_model(
                    universe.root, model.name, universe.constants, change=mutant.change
                )
                refuse_endless(changed, lower(changed))
            except LockstepError:
                continue
            software = Execution(changed)
            result = driven(model, software, Course())
            event(str(result.verdict))
            assert (result.departed is None) == does_nothing_else(model, software), mutant.name
            if result.departed is not None:
                departure = result.departed.departure
                assert departure.candidates == len(departure.reasons) == 1
                assert parts_there(model, software, departure), mutant.name


def given_to(software: Execution, stimulus: Instance) -> tuple[str, dict[str, object]]:
    """A stimulus as a driver takes it."""
    name, arguments = stimulus
    names = (one.name for one in software.model.action(name).parameters)
    return name, dict(zip(names, map(plain, arguments), strict=True))


def does_nothing_else(model: Model, software: Execution) -> bool:
    """Whether all that the software does of the model's steps leads where they lead."""
    engine = PlainEngine(model)
    pairs, seen = [(model.initial, software.model.initial)], {model.initial}
    for state, own in pairs:
        for step in engine.successors(state):
            stimulus = given_to(software, (step.action, step.parameters))
            after = software.after(own, *stimulus)
            if after is not None and shown(after) != shown(step.state):
                return False
            if after is not None and step.state not in seen:
                seen.add(step.state)
                pairs.append((step.state, after))
    return True


def parts_there(model: Model, software: Execution, departure: Departure) -> bool:
    """Whether the last stimulus leads the software where the model does not go, and no other."""
    software.reset({})
    for stimulus in departure.stimuli:
        before = software.state
        software.do(*given_to(software, stimulus))
    name, arguments = departure.stimuli[-1]
    last = departure.trace.last
    after = PlainEngine(model).run(model.action(name), last, arguments)
    assert after is not None
    return shown(before) == shown(last) and shown(after) != shown(software.state)
