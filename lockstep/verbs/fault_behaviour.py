"""The behaviour of a kept row of a fault, taken again by plain Python."""

from __future__ import annotations

from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.claims import failing_binding
from lockstep.trace.documents import parameters_json
from lockstep.trace.itf import Origin, constants_of
from lockstep.verbs.fault_answer import FaultAnswer
from lockstep.verbs.replay import Replay


def behaviour_of(root: Path, run: FaultAnswer) -> Replay | None:
    """The steps that a row keeps, with the states that they lead to; None where there are none.

    `LockstepError` where the model does not behave so.
    """
    steps = run.details.steps
    if steps is None or run.violated is None:
        return None
    scope = load_model_spec(root, run.model).scope(run.scope)
    constants = {**scope.constants, **run.constants}
    model = load_model(root, run.model, constants, fault=run.name)
    engine = PlainEngine(model)
    again = f"run `lockstep faults {run.model} --no-cache`"
    state, taken = model.initial, list[Step]()
    for number, step in enumerate(steps, start=1):
        action = model.action(step["action"])
        instances = engine.instances(action, state)
        wanted = (
            one
            for one in instances
            if parameters_json(action.parameters, one.parameters) == step["parameters"]
        )
        reached = next(wanted, None)
        if reached is None:
            raise LockstepError(
                f"{run.model} with the fault {run.name} does not take step {number}, {action.name}",
                cure=again,
            )
        taken.append(reached)
        state = reached.state
    trace = Trace(model.initial, tuple(taken), run.details.loop)
    origin = Origin(
        model=run.model,
        property=run.violated,
        scope=run.scope,
        fault=run.name,
        engine=run.engine,
        constants=constants_of(model),
    )
    parameters = failing_binding(engine, run.violated, trace)
    if parameters is None:
        raise LockstepError(
            f"{run.model} with the fault {run.name} violates nothing so", cure=again
        )
    return Replay(model, origin, trace, Verdict.VIOLATED, "", parameters)
