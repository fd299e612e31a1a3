"""What `check` found wrong, and what it could not check."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model
from lockstep.language.source import ModelError, Place
from lockstep.report.affected import skipped_gaps
from lockstep.report.ci.behaviour import actions_along, behaviour, false_part, steps_text
from lockstep.report.ci.places import (
    beginning,
    place_of_function,
    place_of_model,
    place_of_scope,
    place_of_state,
)
from lockstep.report.ci.problems import Gap, Level, Problem, Problems, Remark, Rule, Unknown
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property
from lockstep.trace.render import render_binding
from lockstep.verbs.check import CheckPlan
from lockstep.verbs.check_result import Checked, CheckRun, Unchecked
from lockstep.words import plural

NOT_READ = Rule(
    "lockstep/not-read",
    "A file that nothing reads",
    "Claims, faults or scopes in a file that belongs to no model are not checked.",
)
DIFFERS = Rule(
    "lockstep/differs",
    "A scope pins what was not found",
    "What was checked is as claimed, but specs/ pins other counts or declarations.",
)
NO_MEANING = Rule(
    "lockstep/no-meaning",
    "A text without meaning in a reachable state",
    "A write outside its domain, an attribute of None, an index past the end, a division by zero.",
)


def check_problems(plan: CheckPlan, run: CheckRun) -> Problems:
    """The problems of a run."""
    checks = _Checks(plan)
    problems: list[Problem] = []
    gaps: list[Gap] = []
    for result in run.results:
        for one in parts_of(result):
            for item in checks.of(one):
                if isinstance(item, Problem):
                    problems.append(item)
                else:
                    gaps.append(item)
    for file in run.unused:
        if file.is_mistake:
            message = f"{file.file.name} is not read: {file.why}"
            name = file.file.relative_to(plan.workspace.root).as_posix()
            place = beginning(file.file)
            problems.append(Problem(NOT_READ, place, "a file is not read", message, (name,)))
    gaps += [_interrupted(name) for name in run.pending]
    gaps += skipped_gaps(run.affected)
    return Problems(f"check/{plan.scope}", run.exit_code, tuple(problems), tuple(gaps))


def parts_of(result: Checked | Unchecked) -> tuple[Checked | Unchecked, ...]:
    """A result, and those of `--all` that come with it."""
    if isinstance(result, Unchecked):
        return (result,)
    rest = () if result.rest is None else (result.rest,)
    return (result, *result.others, *rest)


def of_error(name: str, error: LockstepError) -> Iterator[Problem | Gap]:
    """Why a model was not checked; what is wrong with its text, each at its place."""
    if isinstance(error, ModelError):
        for one in error.diagnostics:
            rule = Rule(f"lockstep/{one.code}", one.code.replace("-", " "), one.why)
            message = f"{one.what}\nwhy: {one.why}\ncure: {one.cure}"
            yield Problem(rule, one.place, name, message, (name, one.what))
        why = f"{plural(len(error.diagnostics), 'problem')} in its text"
    else:
        why = str(error)
    is_internal = error.exit_code is ExitCode.INTERNAL
    unknown = Unknown.INTERNAL_ERROR if is_internal else Unknown.NOT_CHECKED
    yield Gap(unknown, Level.ERROR, name, f"{name} was not checked: {why}")


def property_rule(texts: RequirementTexts, model: Model, name: str) -> Rule:
    """The rule that a property of a model is."""
    prop = find_property(model, name)
    if prop is None:
        text = "Every state has a step to another, unless the model may stop."
        return Rule(f"lockstep/{model.name}/{name}", f"{model.name}.{name}", text)
    asked = [f"{identity}  {texts[identity]}" for identity in prop.requirements]
    doc = prop.doc or f"{name} of {model.name}"
    first = " ".join(doc.partition("\n\n")[0].split())
    text = "\n".join([doc, *asked])
    title = f"{model.name}.{name}: {first}"
    return Rule(f"lockstep/{model.name}/{name}", title, text, prop.requirements)


def _interrupted(name: str) -> Gap:
    return Gap(Unknown.INTERRUPTED, Level.ERROR, name, f"{name} was not checked: interrupted")


class _Checks:
    """The problems of results of one plan."""

    def __init__(self, plan: CheckPlan) -> None:
        self._plan = plan
        self._texts = RequirementTexts(plan.workspace.root)

    def of(self, result: Checked | Unchecked) -> Iterator[Problem | Gap]:
        if isinstance(result, Unchecked):
            return of_error(result.name, result.error)
        return chain(self._problems(result), self._gaps(result))

    def _problems(self, checked: Checked) -> Iterator[Problem]:
        search, judged = checked.result, checked.judgement
        if search.error is not None:
            yield self._without_meaning(checked)
        elif not judged.expected:
            yield from (self._missed(checked, name) for name in search.missed)
            violations = search.unfulfilled or filter(None, [search.violation])
            for violation in violations:
                for name in violation.properties:
                    yield self._violated(checked, violation, name)
        reasons = [*map(str, judged.differences)]
        if judged.stale:
            reasons.append(f"not silent, though declared so: {', '.join(judged.stale)}")
        if reasons and not judged.expected:
            root, model = self._plan.workspace.root, checked.model.name
            place = place_of_scope(root, model, checked.scope)
            text = f"{model} in scope {checked.scope}: {'; '.join(reasons)}"
            yield Problem(
                DIFFERS, place, f"{model} differs", self._with_cure(checked, text), (model,)
            )

    def _violated(self, checked: Checked, violation: Violation, name: str) -> Problem:
        """A property that is false at the end of a behaviour, or along one that never ends."""
        model, trace = checked.model, violation.trace
        prop = find_property(model, name)
        is_first = name == violation.properties[0]
        text = f"{model.name}.{name} is violated in scope {checked.scope}{self._variant}"
        if is_first and prop is not None and prop.parameters:
            text += f" for {render_binding(prop.parameters, violation.parameters)}"
        text += f", {_after(trace)}"
        part = false_part(model, name, violation.parameters, trace) if is_first else None
        lines = [text, steps_text(model, trace), "" if part is None else part.text]
        message = "\n".join(filter(None, lines))
        return Problem(
            property_rule(self._texts, model, name),
            self._place(model, name),
            f"{model.name}.{name} is violated",
            self._with_cure(checked, message),
            self._identity(checked),
            tuple(filter(None, [part, *actions_along(model, trace)])),
            self._behaviour(checked, trace, part),
        )

    def _missed(self, checked: Checked, name: str) -> Problem:
        model = checked.model
        text = f"{model.name}.{name} is never reached in scope {checked.scope}{self._variant}"
        return Problem(
            property_rule(self._texts, model, name),
            self._place(model, name),
            f"{model.name}.{name} is never reached",
            self._with_cure(checked, text),
            self._identity(checked),
        )

    def _without_meaning(self, checked: Checked) -> Problem:
        model, error = checked.model, checked.result.error
        assert error is not None
        trace = checked.result.error_trace
        text = f"{error.message}\nwhy: {error.why}\ncure: {error.cure}"
        steps: tuple[Remark, ...] = ()
        if trace is not None:
            text = f"{text}\n{_after(trace)}\n{steps_text(model, trace)}".rstrip()
            steps = self._behaviour(checked, trace, None)
        root = model.universe.root
        return Problem(
            NO_MEANING,
            error.place or place_of_model(root, model.name),
            f"{model.name}: no meaning",
            self._with_cure(checked, text),
            (*self._identity(checked), model.name, error.function),
            behaviour=steps,
        )

    def _gaps(self, checked: Checked) -> Iterator[Gap]:
        model, judged, search = checked.model, checked.judgement, checked.result
        name = model.name
        where = f"in scope {checked.scope}"
        if search.interrupted:
            yield _interrupted(name)
        elif checked.verdict is Verdict.INCONCLUSIVE:
            place = place_of_model(model.universe.root, name)
            text = f"{name} is inconclusive {where}: {judged.because}"
            yield Gap(Unknown.INCONCLUSIVE, Level.WARNING, name, text, place)
        for action in judged.idle:
            place_of_action = place_of_function(model.universe, model.action(action).function)
            text = f"{name}.{action} never fired {where}"
            yield Gap(Unknown.IDLE, Level.WARNING, name, text, place_of_action)
        for prop in judged.vacuous:
            text = f"the premise of {name}.{prop} was never true {where}"
            yield Gap(Unknown.VACUOUS, Level.WARNING, name, text, self._place(model, prop))
        if judged.expected:
            text = f"{name} violates {', '.join(search.violated)} {where}, as pinned"
            yield Gap(Unknown.EXPECTED, Level.NOTE, name, text)
        # Where the search ended early that is said already, and what was left out follows from it.
        level = Level.WARNING if checked.verdict is Verdict.HOLDS else Level.NOTE
        for prop in search.undecided(model):
            text = f"{name}.{prop} was not checked {where}"
            yield Gap(Unknown.NOT_CHECKED, level, name, text, self._place(model, prop))

    def _place(self, model: Model, name: str) -> Place:
        prop = find_property(model, name)
        place = None if prop is None else place_of_function(model.universe, prop.function)
        return place or place_of_state(model)

    def _behaviour(self, checked: Checked, trace: Trace, end: Remark | None) -> tuple[Remark, ...]:
        fault = self._plan.request.fault
        return tuple(filter(None, [*behaviour(checked.model, trace, fault), end]))

    def _identity(self, checked: Checked) -> tuple[str, ...]:
        """What tells a problem from the same in another scope, or with something in place."""
        request = self._plan.request
        changes = (request.fault, request.proposal, request.mutant)
        constants = (f"{name}={value}" for name, value in sorted(request.constants.items()))
        return (f"scope {checked.scope}", *filter(None, changes), *constants)

    @property
    def _variant(self) -> str:
        request = self._plan.request
        changes = {
            "fault": request.fault,
            "proposal": request.proposal,
            "mutant": request.mutant,
        }
        return "".join(f" with the {kind} {name}" for kind, name in changes.items() if name)

    def _with_cure(self, checked: Checked, text: str) -> str:
        return f"{text}\nreproduce with: {self._plan.again(checked.model.name)}"


def _after(trace: Trace) -> str:
    """When it happens in a behaviour."""
    if trace.loop is not None:
        return "by a behaviour that goes on for ever"
    return f"after {plural(len(trace.steps), 'step')}" if trace.steps else "in the initial state"
