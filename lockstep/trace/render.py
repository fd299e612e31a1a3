"""Behaviours as they are printed: folded, wrapped, with the place of each action in the text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.language.faults import described_faults
from lockstep.language.model import Model, Parameter, Property
from lockstep.language.notation import Kind, State
from lockstep.language.values import TotalMap
from lockstep.results.search_result import Violation
from lockstep.results.trace import Step, Trace
from lockstep.trace.changes import changes, faulty_steps, touched
from lockstep.trace.conjuncts import Conjunct, false_at_the_end, false_requirement
from lockstep.trace.layout import (
    INDENT,
    WIDTH,
    Group,
    Room,
    Text,
    folded,
    lay_out,
    prefixed,
    show,
    text_of,
)
from lockstep.words import plural


@dataclass(frozen=True)
class Line:
    """A line of a behaviour; `style` says what it is, and None that it is nothing special."""

    text: str
    style: str | None = None

    def __str__(self) -> str:
        return self.text


def render_trace(
    model: Model, shown: Violation | Trace, fault: str | None = None
) -> Iterator[Line]:
    """The lines of a behaviour; `fault` is the one that is in place.

    Of one that violates something the last lines are the part of the first violated property that
    is false there.
    """
    return _renderer(model, shown, fault).lines()


def render_position(
    model: Model, violation: Violation | Trace, number: int, fault: str | None = None
) -> Iterator[Line]:
    """The lines of one step of a behaviour; 0 is the initial state.

    At the end of a violation they say what is false there.
    """
    renderer = _renderer(model, violation, fault)
    return renderer.position(number)


def render_refusal(
    model: Model, trace: Trace, action: str, parameters: Sequence[Any]
) -> Iterator[Line]:
    """Why one more step is not enabled at the end of a behaviour."""
    return _Renderer(model, trace, None, None, ()).refused(action, parameters)


def _renderer(model: Model, shown: Violation | Trace, fault: str | None) -> _Renderer:
    if isinstance(shown, Trace):
        return _Renderer(model, shown, fault, None, ())
    violated = model.find_property(shown.properties[0])
    return _Renderer(model, shown.trace, fault, violated, shown.parameters)


def render_whole_state(state: State, width: int, what: str = "the initial state") -> Iterator[str]:
    """A state with nothing left out, one line a variable; `width` is that of the step numbers."""
    yield f"{0:>{width}}  {what}"
    for name in state.fields:
        yield f"{'':>{width}}    {name} = {show(getattr(state, name))}"


def render_variable(state: State, name: str) -> Iterator[Line]:
    """One variable of a state, with nothing left out."""
    text = prefixed(f"{name} = ", text_of(getattr(state, name)))
    return (Line(line) for line in lay_out([text], Room(0, INDENT)))


def render_step(number: int, instance: str, before: State, after: State) -> Iterator[str]:
    """One step and what it changed, each on one line however long."""
    yield f"{number}  {instance}"
    differences = changes(before, after)
    yield from (f"     {change}" for change in differences)
    if not differences:
        yield "     nothing changes"


def render_instance(name: str, parameters: Sequence[Parameter], values: Sequence[Any]) -> str:
    """An action or a property with its parameters: `serve(c=c1, p=p2)`."""
    return f"{name}({render_binding(parameters, values)})"


def render_taken(model: Model, step: Step) -> str:
    """A step by its action, with its parameters."""
    return render_instance(step.action, model.action(step.action).parameters, step.parameters)


def render_binding(parameters: Sequence[Parameter], values: Sequence[Any]) -> str:
    """Parameters with their values: `c=c1, p=p2`."""
    return ", ".join(
        f"{parameter.name}={show(value)}"
        for parameter, value in zip(parameters, values, strict=True)
    )


class _Renderer:
    """One behaviour and what is said of it."""

    def __init__(
        self,
        model: Model,
        trace: Trace,
        fault: str | None,
        violated: Property | None,
        parameters: Sequence[Any],
    ) -> None:
        self._model = model
        self._trace = trace
        self._fault = fault
        self._violated = violated
        self._parameters = parameters
        self._faulty = faulty_steps(model, fault, trace)
        self._margin = len(str(len(trace.steps))) + 4

    def lines(self) -> Iterator[Line]:
        for number in range(len(self._trace.steps) + 1):
            yield from self._position(number)
        yield from self._end()

    def position(self, number: int) -> Iterator[Line]:
        """One step, or the initial state, and what is false after the last one."""
        yield from self._position(number)
        if number == len(self._trace.steps):
            yield from self._end()

    def refused(self, name: str, parameters: Sequence[Any]) -> Iterator[Line]:
        """Why a step is not enabled after the last one."""
        action = self._model.action(name)
        number = self._number(len(self._trace.steps) + 1)
        instance = render_instance(name, action.parameters, parameters)
        title = f"{number}{instance} is not enabled"
        yield from self._placed(title, action.function, "bold")
        conjunct = false_requirement(self._model.universe, action, self._trace.last, parameters)
        if conjunct is not None:
            yield from self._conjunct(conjunct)

    def _position(self, number: int) -> Iterator[Line]:
        if number == 0:
            yield from self._initial()
            return
        if self._trace.loop == number - 1:
            yield Line("then for ever:", "bold")
        yield from self._heading(number)
        before, after = self._trace.states[number - 1 : number + 1]
        differences = changes(before, after)
        for change in differences:
            yield from self._laid_out(change.shortened, "changed")
        if not differences:
            yield self._note("nothing changes", "dim")

    def _end(self) -> Iterator[Line]:
        loop = self._trace.loop
        if loop == len(self._trace.steps):
            yield Line("then for ever: nothing happens any more", "bold")
        elif loop is not None:
            yield Line(f"and on as after step {loop}", "bold")
        yield from self._false_there()

    def _initial(self) -> Iterator[Line]:
        """The first state, but for what is as a reader expects it, and what does not matter."""
        state = self._trace.initial
        is_first = state == self._model.initial
        what = "the initial state" if is_first else "a state to begin with"
        yield Line(f"{self._number(0)}{what}", "bold")
        # A state that was asked for is shown with all that sets it apart.
        matters = set(state.fields)
        if is_first:
            matters = touched(self._model, self._trace, self._violated, self._parameters)
        plain = [name for name in state.fields if _is_plain(getattr(state, name))]
        idle = [name for name in state.fields if name not in matters and name not in plain]
        for name in state.fields:
            if name not in plain and name not in idle:
                text = prefixed(f"{name} = ", folded(getattr(state, name)))
                yield from self._laid_out([text], None)
        others = "other " if len(plain) + len(idle) < len(state.fields) else ""
        if plain:
            yield self._note(f"{_verb(len(plain), others)} 0, False, None or empty", "dim")
        if idle:
            yield self._note(f"{_verb(len(idle), others)} neither read nor changed here", "dim")

    def _heading(self, number: int) -> Iterator[Line]:
        """A step with its parameters, where its action is written, and what a fault did to it."""
        step = self._trace.steps[number - 1]
        action = self._model.action(step.action)
        texts = [
            prefixed(f"{parameter.name}=", text_of(value))
            for parameter, value in zip(action.parameters, step.parameters, strict=True)
        ]
        title = Group(f"{self._number(number)}{step.action}(", tuple(texts), ")")
        yield from self._placed(title, action.function, "bold")
        if (faulty := self._faulty.get(number)) is not None:
            text = f"<- {faulty.how} by {described_faults(faulty.faults)}"
            yield self._note(text, "violated")

    def _false_there(self) -> Iterator[Line]:
        """The conjunct of the violated property that is false at the end."""
        prop = self._violated
        if prop is None or prop.kind not in (Kind.INVARIANT, Kind.STEP_INVARIANT):
            return
        title = render_instance(prop.name, prop.parameters, self._parameters)
        yield from self._placed(f"{title} is false", prop.function, "violated")
        universe = self._model.universe
        conjunct = false_at_the_end(universe, prop, self._trace, self._parameters)
        if conjunct is not None:
            yield from self._conjunct(conjunct)

    def _conjunct(self, conjunct: Conjunct) -> Iterator[Line]:
        margin = " " * self._margin
        first, *others = textwrap.wrap(
            conjunct.text,
            WIDTH,
            initial_indent=margin,
            subsequent_indent=margin + " " * INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
        place = conjunct.place
        lines = _beside(first, place) if not others else [first, *others, *_beside("", place)]
        yield from (Line(text, "bold") for text in lines)
        for name, value in conjunct.known:
            yield from self._laid_out([prefixed(f"{name} = ", text_of(value))], None)

    def _placed(self, title: Text, function: Callable[..., Any], style: str) -> Iterator[Line]:
        """A title with the file and line of a function at the end of its first line."""
        place = self._model.universe.place_text(function) or ""
        room = Room(0, self._margin + INDENT, taken=len(place) + 2)
        first, *others = lay_out([title], room)
        yield from (Line(text, style) for text in (*_beside(first, place), *others))

    def _laid_out(self, texts: Sequence[Text], style: str | None) -> Iterator[Line]:
        room = Room(self._margin, self._margin + INDENT)
        return (Line(text, style) for text in lay_out(texts, room))

    def _note(self, text: str, style: str) -> Line:
        return Line(" " * self._margin + text, style)

    def _number(self, number: int) -> str:
        return f"{number:>{self._margin - 4}}  "


def _beside(text: str, place: str) -> list[str]:
    """A line with a place at its right end, or below it where both are too long for one line."""
    if len(text) + 2 + len(place) > WIDTH:
        return [text, place.rjust(WIDTH)]
    return [f"{text}{place.rjust(WIDTH - len(text))}" if place else text]


def _verb(count: int, others: str) -> str:
    return f"{plural(count, f'{others}variable')} {'is' if count == 1 else 'are'}"


def _is_plain(value: object) -> bool:
    """Whether a value is 0, False, None or empty, or a record or map of nothing but such values."""
    match value:
        case TotalMap():
            return all(map(_is_plain, value.values()))
        case tuple() if hasattr(value, "fields"):
            return all(map(_is_plain, value))
        case None | bool() | int():
            return not value
        case frozenset() | tuple():
            return len(value) == 0
    return False
