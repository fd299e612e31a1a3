"""`drive`: software in step with a model, by a driver in Python, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.drive.departure import Departure, Reason
from lockstep.drive.driven import to_pytest
from lockstep.drive.driving import WORDS, Course, Drive, Limits
from lockstep.drive.driving import drive as run
from lockstep.drive.following import Following
from lockstep.drive.guarded import (
    DriverError,
    Guarded,
    closing,
    load_driver,
    made,
    ready_made,
)
from lockstep.language.model import Model
from lockstep.plain.exploration import Walks
from lockstep.requests.option import choose
from lockstep.requests.others import DriveRequest
from lockstep.requests.run import Judged, Watch, judged_answer
from lockstep.requests.version import Version, version_of
from lockstep.results.verdict import Verdict
from lockstep.trace.documents import conjunct_json, parameters_json, steps_json
from lockstep.trace.itf import NOTHING_SAVED, Origin, Saved, save_as, traces_folder
from lockstep.trace.layout import show
from lockstep.words import path_below
from lockstep.workspace import find_workspace

__all__ = ["DriveRequest", "Driven", "drive"]


@dataclass(frozen=True)
class Driven(Judged):
    """What came of driving software along a model in one scope.

    Of a departure `saved` is the behaviour of the model up to it, and `test` a test to paste.
    """

    version: Version
    scope: str
    driver: str
    model: Model
    run: Drive
    following: Following
    seed: int | None
    software: str
    saved: Saved = NOTHING_SAVED
    test: str | None = None

    @property
    def verdict(self) -> Verdict:
        """`holds` is shown as `conforms`, `violated` as `departs`."""
        return self.run.verdict

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.run.interrupted


class ReasonDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Why one outcome in one state does not explain a departure."""

    action: str | None
    """Null where the state itself was observed otherwise, as after a reset."""
    parameters: dict[str, Any]
    requires: dict[str, object] | None
    """The part of the guard that is false, `{text, file, line, values}`; null where the action is
    enabled, or that is not sure."""
    place: str | None
    """What was observed otherwise: a variable or a part of it. Null where nothing was compared."""
    value: str | None
    """The value that the model has there."""
    observed: str | None
    possible: bool
    """Whether the model can have the observed value at all."""


class DepartureDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What no behaviour of the model explains."""

    stimuli: list[dict[str, Any]]
    """All that was done since the reset, the last one included: `{stimulus, arguments}`."""
    steps: list[Any]
    """A behaviour of the model that explains all but the last."""
    candidates: int
    """How many states explained all but the last."""
    reasons: list[ReasonDetails]
    """Of up to three of these."""


class DriveDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What only the answer of `drive` has."""

    driver: str
    software: str
    """What was driven, with its version; empty where the driver does not say."""
    chosen: int | None
    """The transitions of the scope that answer a stimulus, or the pairs; null for random
    behaviours."""
    done: int | None
    """Of these, how many the software has taken for certain."""
    not_done: dict[str, int]
    """The others, by the reason."""
    never: dict[str, str]
    """The actions that the driver does not do, each with its reason."""
    steps: int
    resets: int
    behaviours: int | None
    """The random behaviours that were begun; null where transitions are covered."""
    unobserved: tuple[str, ...]
    """What the driver never observed."""
    departure: DepartureDetails | None
    pytest: str | None
    """Of a departure a test to paste."""


def drive(request: DriveRequest, *, watch: Watch = Watch()) -> Driven:
    """Drive software in step with a model.

    `LockstepError` for a name that is not there, a mistake of the driver, and a scope that is too
    large to cover.
    """
    workspace = request.workspace or find_workspace()
    (name,) = choose([request.model], workspace)
    version = version_of(workspace, name, request)
    scope = request.scope or version.usual_scope
    model = version.at(scope)
    file = Path.cwd() / request.driver
    known = ready_made(request.driver)
    kind = known or load_driver(str(file), workspace.root)
    driver = Guarded(made(kind), request.call_seconds)
    walks = None
    if request.random is not None:
        walks = Walks(request.random, request.length, request.seed)
    course = Course(walks, request.pairs)
    driven: Driven | None = None
    try:
        with closing(driver), watch.steps(f"{version} {scope}: drive") as note:
            following = Following(model, driver)
            limits = Limits(request.max_seconds, request.max_steps)
            result = run(following, course, limits, note)
            seed = None if walks is None else walks.seed
            of = driver.driver.software
            driven = Driven(version, scope, request.driver, model, result, following, seed, of)
    except DriverError as error:
        if driven is None or driven.run.departed is None:
            raise
        driven.run.because = error.message  # a departure stands, though the driver does not close
    departed = driven.run.departed
    if departed is None:
        return driven
    place = request.driver if known is not None else path_below(file, workspace.root)
    return _saved(driven, request, departed.departure, place)


def _saved(driven: Driven, request: DriveRequest, departure: Departure, driver: str) -> Driven:
    """The same, with the behaviour of a departure in a file, and its test."""
    version, model = driven.version, driven.model
    origin = Origin.of(
        model,
        scope=driven.scope,
        fault=version.fault,
        proposal=version.proposal,
        engine="drive",
        goal=f"a departure of {request.driver}",
    )
    folder = request.save or traces_folder(version.workspace)
    file = folder / f"{version.title}-departs-{driven.scope}.itf.json"
    test = to_pytest(
        driven.following.stimuli,
        departure.stimuli,
        model.name,
        driver,
        scope=driven.scope,
        **version.changes,
    )
    saved = save_as(file, version.workspace, model, departure.trace, origin)
    return replace(driven, saved=saved, test=test)


def drive_answer(driven: Driven) -> Answer:
    """The answer, as JSON has it."""
    version, result = driven.version, driven.run
    departure = None if result.departed is None else result.departed.departure
    is_covered = result.graph is not None
    return judged_answer(
        "drive",
        driven,
        model=version.model,
        scope=driven.scope,
        **version.changes,
        seed=driven.seed,
        engine="drive",
        verdict=WORDS.get(result.verdict, str(result.verdict)),
        seconds=result.seconds,
        length=None if departure is None else len(departure.stimuli),
        trace=driven.saved.place,
        because=result.because,
        details=DriveDetails(
            driver=driven.driver,
            software=driven.software,
            chosen=result.graph.chosen if result.graph is not None else None,
            done=len(result.covered.done) if is_covered else None,
            not_done=dict(result.not_done),
            never=driven.following.stimuli.never,
            steps=result.steps,
            resets=result.resets,
            behaviours=result.behaviours,
            unobserved=result.unobserved,
            departure=None if departure is None else _departure(driven, departure),
            pytest=driven.test,
        ),
    )


def _departure(driven: Driven, departure: Departure) -> DepartureDetails:
    stimuli = driven.following.stimuli.of
    return DepartureDetails(
        stimuli=[
            {"stimulus": name, "arguments": parameters_json(stimuli[name].parameters, arguments)}
            for name, arguments in departure.stimuli
        ],
        steps=steps_json(driven.model, departure.trace),
        candidates=departure.candidates,
        reasons=[_reason(driven.model, reason) for reason in departure.reasons],
    )


def _reason(model: Model, reason: Reason) -> ReasonDetails:
    name, arguments = reason.step or (None, ())
    seen, value = reason.unlike or (None, None)
    return ReasonDetails(
        action=name,
        parameters={}
        if name is None
        else parameters_json(model.action(name).parameters, arguments),
        requires=conjunct_json(model, reason.conjunct),
        place=None if seen is None else seen.place,
        value=None if seen is None else show(value),
        observed=None if seen is None else show(seen.value),
        possible=seen is None or seen.is_possible,
    )
