"""What an exploration of a model showed to be wrong, whichever verb explored it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.faults import described_faults
from lockstep.language.model import Model
from lockstep.language.source import ModelError, Place
from lockstep.report.ci.problems import (
    Gap,
    Level,
    Problem,
    Remark,
    Rule,
    Unknown,
    place_of_function,
    place_of_model,
    place_of_state,
)
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Trace
from lockstep.trace.changes import changes, faulty_steps
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.conjuncts import false_at_the_end
from lockstep.trace.layout import flat, show
from lockstep.trace.render import render_binding, render_taken
from lockstep.words import plural

NO_MEANING = Rule(
    "lockstep/no-meaning",
    "A text without meaning in a reachable state",
    "A write outside its domain, an attribute of None, an index past the end, a division by zero.",
)


@dataclass(frozen=True)
class Explored:
    """A model that was explored, and how that is reported.

    `where` is in which bounds, in words, such as `in scope small with the fault late_answer`.
    `identity` keeps its problems apart from the same in other bounds. `again` is the command that
    explores it again.
    """

    model: Model
    where: str
    identity: tuple[str, ...]
    again: str
    requirements: RequirementTexts
    fault: str | None = None

    def violated(self, violation: Violation) -> Iterator[Problem]:
        """Each property that is false at the end of a behaviour, or along one without end."""
        for name in violation.properties:
            yield self._violated(violation, name)

    def missed(self, name: str) -> Problem:
        """A goal that no state satisfies."""
        subject = f"{self.model.name}.{name} is never reached"
        message = self._with_cure(f"{subject} {self.where}")
        return Problem(self._rule(name), self.place(name), subject, message, self.identity)

    def without_meaning(self, error: EvaluationError, trace: Trace | None) -> Problem:
        """A text that has no meaning where a behaviour ends."""
        model = self.model
        text = f"{error.message}\nwhy: {error.why}\ncure: {error.cure}"
        if trace is not None:
            text = f"{text}\n{after(trace)}\n{steps_text(model, trace)}".rstrip()
        return Problem(
            NO_MEANING,
            error.place or place_of_model(model.universe.root, model.name),
            f"{model.name}: no meaning",
            self._with_cure(text),
            (*self.identity, model.name, error.function),
            behaviour=() if trace is None else tuple(behaviour(model, trace, self.fault)),
        )

    def place(self, name: str) -> Place:
        """Where a property is; that of the state for a deadlock."""
        prop = self.model.find_property(name)
        place = None if prop is None else place_of_function(self.model.universe, prop.function)
        return place or place_of_state(self.model)

    def gap(self, unknown: Unknown, text: str, place: Place | None = None) -> Gap:
        """Something that is not known of the model, at its file unless a place is given."""
        own = place_of_model(self.model.universe.root, self.model.name)
        name = self.model.name
        return Gap(unknown, Level.WARNING, name, f"{text} {self.where}", place or own)

    def inconclusive(self, because: str) -> Gap:
        """That nothing is known of the model as a whole, and why."""
        gap = self.gap(Unknown.INCONCLUSIVE, f"{self.model.name} is inconclusive")
        return replace(gap, message=f"{gap.message}: {because}")

    def _violated(self, violation: Violation, name: str) -> Problem:
        model, trace = self.model, violation.trace
        prop = model.find_property(name)
        subject = f"{model.name}.{name} is violated"
        text, part = f"{subject} {self.where}", None
        if name == violation.properties[0] and prop is not None:
            part = false_part(model, name, violation.parameters, trace)
            if prop.parameters:
                text += f" for {render_binding(prop.parameters, violation.parameters)}"
        lines = [f"{text}, {after(trace)}", steps_text(model, trace)]
        if part is not None:
            lines.append(part.text)
        return Problem(
            self._rule(name),
            self.place(name),
            subject,
            self._with_cure("\n".join(filter(None, lines))),
            self.identity,
            tuple(filter(None, [part, *actions_along(model, trace)])),
            tuple(filter(None, [*behaviour(model, trace, self.fault), part])),
        )

    def _rule(self, name: str) -> Rule:
        """The rule that a property of the model is."""
        model = self.model.name
        identity, whole = f"lockstep/{model}/{name}", f"{model}.{name}"
        prop = self.model.find_property(name)
        if prop is None:
            text = "Every state has a step to another, unless the model may stop."
            return Rule(identity, whole, text)
        asked = [f"{one}  {self.requirements[one]}" for one in prop.requirements]
        doc = prop.doc or whole
        title = " ".join(doc.partition("\n\n")[0].split())
        return Rule(identity, f"{whole}: {title}", "\n".join([doc, *asked]), prop.requirements)

    def _with_cure(self, text: str) -> str:
        return f"{text}\nreproduce with: {self.again}"


def after(trace: Trace) -> str:
    """When it happens in a behaviour."""
    if trace.loop is not None:
        return "by a behaviour that goes on for ever"
    return f"after {plural(len(trace.steps), 'step')}" if trace.steps else "in the initial state"


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
    unknown, level = Unknown.NOT_CHECKED, Level.ERROR
    if error.exit_code is ExitCode.INTERNAL:
        unknown = Unknown.INTERNAL_ERROR
    elif error.exit_code is ExitCode.INCONCLUSIVE:
        unknown, level = Unknown.INCONCLUSIVE, Level.WARNING
    yield Gap(unknown, level, name, f"{name} was not checked: {why}")


def interrupted(name: str) -> Gap:
    """That Ctrl-C came before something was checked."""
    return Gap(Unknown.INTERRUPTED, Level.ERROR, name, f"{name} was not checked: interrupted")


def behaviour(model: Model, trace: Trace, fault: str | None) -> Iterator[Remark]:
    """The initial state and each step; `fault` is the one that is in place."""
    state = trace.initial
    values = "; ".join(f"{name} = {show(getattr(state, name))}" for name in state.fields)
    yield Remark(place_of_state(model), f"0  the initial state: {values}")
    faulty = faulty_steps(model, fault, trace)
    before = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        action = model.action(step.action)
        texts = ["".join(map(flat, change.shortened)) for change in changes(before, step.state)]
        title = render_taken(model, step)
        by = f", by {described_faults(fault or '')}" if number in faulty else ""
        for_ever = "then for ever: " if trace.loop == number - 1 else ""
        place = place_of_function(model.universe, action.function)
        text = f"{number}  {for_ever}{title}{by}: {'; '.join(texts) or 'nothing changes'}"
        yield Remark(place or place_of_model(model.universe.root, model.name), text)
        before = step.state


def steps_text(model: Model, trace: Trace) -> str:
    """The steps alone, a line each."""
    lines = []
    for number, step in enumerate(trace.steps, start=1):
        for_ever = "then for ever: " if trace.loop == number - 1 else ""
        lines.append(f"{number}  {for_ever}{render_taken(model, step)}")
    return "\n".join(lines)


def actions_along(model: Model, trace: Trace) -> Iterator[Remark]:
    """Each action that a behaviour takes, once, and in which steps."""
    for action in model.actions:
        numbers = [
            str(number)
            for number, step in enumerate(trace.steps, start=1)
            if step.action == action.name
        ]
        place = place_of_function(model.universe, action.function)
        if numbers and place is not None:
            steps = "step" if len(numbers) == 1 else "steps"
            yield Remark(place, f"{action.name}, taken in {steps} {', '.join(numbers)}")


def false_part(model: Model, name: str, parameters: Sequence[Any], trace: Trace) -> Remark | None:
    """The part of a property that is false at the end, with the values it has there."""
    prop = model.find_property(name)
    if prop is None:
        return None
    conjunct = false_at_the_end(model.universe, prop, trace, parameters)
    if conjunct is None:
        return None
    known = "; ".join(conjunct.equations)
    place = Place(conjunct.file, conjunct.line, 0, conjunct.line, 0)
    return Remark(place, f"{conjunct.text} is false" + (f" where {known}" if known else ""))
