"""Liveness after a search that found nothing wrong: each `leads_to`, over the whole graph."""

from __future__ import annotations

import time
from collections.abc import Callable

from lockstep.explore.engine import EvaluationError, Verdict
from lockstep.explore.graph import StateGraph, build_graph
from lockstep.explore.liveness import find_unfulfilled, pledged
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import (
    Progress,
    SearchResult,
    Violation,
    count_of,
    report_error,
    report_unfulfilled,
)
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind

USUAL_STATES = 20_000
"""Up to how many states liveness is checked unasked: plain Python takes half a minute."""

MOST_STATES = 1_000_000
"""Up to how many it is checked at all: the whole graph is held in memory."""


def check_liveness(
    model: Model,
    result: SearchResult,
    *,
    insist: bool = False,
    unasked: bool = True,
    max_seconds: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> None:
    """Add to the result of a search what each `leads_to` of the model comes to.

    The graph is found again by plain Python, if the search found everything and nothing wrong, and
    no more than `USUAL_STATES`. With `insist` it may be `MOST_STATES`, and not to know is
    inconclusive; otherwise the result says in its remark what is unchecked. `unasked` is whether to
    check without being told to. `max_seconds` bounds the whole search, what it has taken included.
    """
    properties = model.of_kind(Kind.LEADS_TO)
    if not properties:
        return
    result.unchecked = tuple(prop.name for prop in properties)
    if result.verdict is not Verdict.HOLDS:
        return
    most = MOST_STATES if insist else USUAL_STATES
    if not (unasked or insist):
        _leave(result, insist, f"{result.engine} searches states and steps only")
        return
    if result.states > most:
        _leave(result, insist, f"{count_of(result.states, 'state')}, more than {most:,}")
        return
    started = time.perf_counter()
    left = None if max_seconds is None else max(0.0, max_seconds - result.seconds)
    try:
        graph, searched = build_graph(
            model, max_states=most, max_seconds=left, on_progress=on_progress
        )
        if searched.interrupted:
            raise KeyboardInterrupt
        if graph is None:
            _leave(result, True, searched.because)
        else:
            _decide(model, graph, properties, result)
    except KeyboardInterrupt:
        result.interrupted = True
        _leave(result, True, "interrupted")
    except MemoryError:
        _leave(result, insist, "the memory is full")
    result.seconds += time.perf_counter() - started


def _decide(
    model: Model, graph: StateGraph, properties: tuple[Property, ...], result: SearchResult
) -> None:
    found: list[Violation] = []
    for prop in properties:
        try:
            says = pledged(model, graph, prop)
        except EvaluationError as error:
            report_error(result, error, graph.trace(graph.way_to(_where(model, graph, prop))))
            return
        if any(any(pledge.premise) for pledge in says.values()):
            result.applied.add(prop.name)
        unfulfilled = find_unfulfilled(graph, prop, says)
        if unfulfilled is not None:
            found.append(Violation((prop.name,), unfulfilled.parameters, unfulfilled.trace))
    result.unchecked = ()
    if found:
        report_unfulfilled(result, tuple(found))


def _where(model: Model, graph: StateGraph, prop: Property) -> int:
    """The first state in which a property has no value."""
    engine = PlainEngine(model)
    for number, state in enumerate(graph.states):
        try:
            for _ in engine.pledges(prop, state):
                pass
        except EvaluationError:
            return number
    raise AssertionError(f"{prop.name} has a value in every state")


def _leave(result: SearchResult, asked: bool, why: str) -> None:
    """Say what is not known, and make the result inconclusive where it was asked for."""
    told = f"liveness not checked ({why}): {', '.join(result.unchecked)}"
    if asked:
        result.verdict = Verdict.INCONCLUSIVE
        result.because = told
    else:
        result.remark = "; ".join(filter(None, (result.remark, f"{told}; --liveness insists")))
