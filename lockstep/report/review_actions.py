"""What becomes of each action, as a review shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.review.action_change import Strength
from lockstep.review.action_example import Example
from lockstep.trace.changes import changes
from lockstep.trace.layout import WIDTH, Group, Room, Text, lay_out, prefixed, show, text_of
from lockstep.trace.render import Line
from lockstep.verbs.review.actions import ActionsReview, DecidedAction
from lockstep.words import indented, place_text

_STYLES = {
    Strength.ADDED: "changed",
    Strength.REMOVED: "changed",
    Strength.CHANGED: "changed",
    Strength.WEAKENED: "violated",
    Strength.STRENGTHENED: "changed",
    Strength.UNDECIDED: "inconclusive",
}
"""The actions that are named one by one."""

_MORE_TIME = "--action-seconds S gives the solver S seconds"

_NAMES = ("BASE", "HEAD")


def actions_lines(review: ActionsReview, *, brief: bool) -> Iterator[Line]:
    """The lines of two versions; a `brief` text has no examples."""
    if review.error is not None:
        yield Line(f"{review.versions}, actions: not compared", "error")
        yield Line(indented(str(review.error), 2))
        return
    decided = review.actions
    strengths = [one.change.strength for one in decided]
    counts = [f"{strengths.count(one)} {one}" for one in Strength if one in strengths]
    yield Line(f"{review.versions}, actions: {', '.join(counts)}", "bold")
    for strength in _STYLES:
        for one in decided:
            if one.change.strength is strength:
                yield from _changed(one, review.widths[0], brief=brief)
    yield from _compared(review)


def _compared(review: ActionsReview) -> Iterator[Line]:
    """At which constants the actions were compared, and what was proved to be the same."""
    for one in review.actions:
        if one.change.strength is Strength.SAME and one.change.because:
            yield Line(indented(f"{'same':<12}  {one.change.name}, but {one.change.because}", 2))
    first, *others = review.widths
    proved = [
        one.change
        for one in review.actions
        if one.change.strength is Strength.SAME and not one.change.is_same_text
    ]
    for is_idle, text in ((False, "in other words"), (True, f"in that {first} never enables them")):
        if names := [change.name for change in proved if change.is_idle is is_idle]:
            yield from _wrapped(f"{'same':<12}  {text}: {', '.join(names)}")
    text = f"compared at {first}, in all states within the types, reachable or not"
    if others and proved:
        text += f"; what is the same in other words at {', '.join(others)}"
    yield from _wrapped(text)
    pair = review.actions[0].pair
    for name, model in zip(_NAMES, (pair.one, pair.other), strict=True):
        if hidden := pair.hidden(model):
            yield from _wrapped(f"only {name} has {', '.join(hidden)}: with any value")
    for text in review.omitted:
        yield Line(indented(f"not compared at {text}", 2), "dim")
    yield Line(f"  decided in {review.seconds:.2f} s", "dim")


def _wrapped(text: str) -> Iterator[Line]:
    for line in textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 6):
        yield Line(line, "dim")


def _changed(decided: DecidedAction, first: str, *, brief: bool) -> Iterator[Line]:
    """One action: what becomes of it, where the texts part, and examples."""
    change = decided.change
    names = ", ".join(parameter.name for parameter in change.action.parameters)
    title = f"  {f'{change.strength}':<12}  {change.name}({names})"
    if change.is_internal:
        title += ", which changes hidden variables alone"
    if change.examples and change.in_order not in (change.strength, None):
        title += f"; {change.in_order} where the invariants of BASE hold"
    yield Line(title, _STYLES[change.strength])
    if decided.at != first:
        yield Line(f"    at the constants of {decided.at}; the same at {first}")
    is_in_both = change.base is not None and change.head is not None
    places = " -> ".join(dict.fromkeys(filter(None, decided.places)))
    yield Line(f"    {'the texts part at ' * is_in_both}{places}", "dim")
    if change.because:
        more = f"; {_MORE_TIME}" if change.is_late else ""
        yield Line(indented(f"{change.because}{more}", 4), "inconclusive")
    if brief:
        return
    is_shown_in_order = any(example.is_in_order for example in change.examples)
    for example in change.examples:
        if is_shown_in_order and example.is_in_order is False:
            one, other = _NAMES[example.number], _NAMES[1 - example.number]
            text = f"{one} takes another step that {other} does not, where BASE breaks an invariant"
            yield Line(f"    {text}", "dim")
        else:
            yield from _example(decided, example)


def _example(decided: DecidedAction, example: Example) -> Iterator[Line]:
    """A state, and what both versions do there."""
    pair = decided.pair
    models = (pair.one, pair.other)
    texts: tuple[Text, ...] = ()
    if example.step is not None:
        parameters = models[example.number].action(example.step.action).parameters
        values = zip(parameters, example.step.parameters, strict=True)
        texts = tuple(prefixed(f"{one.name}=", text_of(value)) for one, value in values)
    is_first = example.states == (pair.one.initial, pair.other.initial)
    for line in lay_out([Group(f"{decided.change.name}(", texts, ")")], Room(4, 12)):
        yield Line(line, "bold")
    where = "in the initial state" if is_first else "where all is as at first, but for"
    yield Line(f"      {where}", "dim")
    for number, model in enumerate(models):
        names = None if number == 0 else frozenset(pair.hidden(model))
        yield from _differences(model.initial, example.states[number], names)
    if not is_first:
        yield Line(f"      {_ORDERS[example.is_in_order]}", "dim")
    for number, name in enumerate(_NAMES):
        yield from _does(name, models[number], example, number)


_ORDERS = {
    True: "the invariants of BASE hold there; whether it is reachable is not said",
    False: "an invariant of BASE is false wherever they differ so",
    None: "whether that can be where the invariants of BASE hold is not known",
}
"""What is said of a state, by whether it is in order."""


def _differences(first: State, state: State, names: frozenset[str] | None) -> Iterator[Line]:
    """What sets a state apart from the initial one, of all variables or of some."""
    for change in changes(first, state):
        if names is None or change.place.split("[")[0].split(".")[0] in names:
            text: Text = str(change)
            if change.old is not None:
                text = prefixed(f"{change.place} = ", change.new)
            for line in lay_out([text], Room(8, 12)):
                yield Line(line)


def _does(name: str, model: Model, example: Example, number: int) -> Iterator[Line]:
    """What one version does in the state of an example."""
    if example.step is None:
        text = f"has no meaning: {example.failure}" if number == example.number else "takes no step"
        yield Line(f"      {name} {text}")
        return
    if number == example.number:
        yield from _step(name, example.states[number], example.step.state)
    elif example.failure:
        yield Line(f"      {name} has no meaning there: {example.failure}")
    elif example.reason is not None and example.reason.after is not None:
        yield from _step(name, example.states[number], example.reason.after)
    elif example.reason is not None and example.reason.conjunct is not None:
        conjunct = example.reason.conjunct
        place = place_text(conjunct.file, conjunct.line, model.universe.root)
        yield Line(f"      {name} does not: {place} requires {conjunct.text}")
        for bound, value in conjunct.known:
            yield Line(f"        {bound} = {show(value)}", "dim")
    else:
        yield Line(f"      {name} does not take it")


def _step(name: str, before: State, after: State) -> Iterator[Line]:
    differences = changes(before, after)
    if not differences:
        yield Line(f"      {name} changes nothing")
        return
    yield Line(f"      {name} takes it:")
    for change in differences:
        for line in lay_out(change.shortened, Room(8, 12)):
            yield Line(line, "changed")
