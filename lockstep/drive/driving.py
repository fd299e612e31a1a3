"""Software is driven along a model, by cover or by chance, and a departure is shortened."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from lockstep.drive.cover import Cover, Covered, Ended, Graph
from lockstep.drive.departure import Departed
from lockstep.drive.following import Following
from lockstep.errors import LockstepError
from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Action
from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.plain.exploration import Walks
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Instance
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.testing.instances import is_wide
from lockstep.testing.values import integers_near

CONFORMS, DEPARTS = "conforms", "departs"
WORDS = {Verdict.HOLDS: CONFORMS, Verdict.VIOLATED: DEPARTS}
"""What a verdict is called where software is judged; the others have their own names."""


@dataclass(frozen=True)
class Limits:
    """Where a run ends before all is done; None is no bound. Steps of shortening do not count."""

    seconds: float | None = None
    steps: int | None = None


@dataclass(frozen=True)
class Course:
    """Which way the software is driven: along random `walks`, or else all transitions or pairs."""

    walks: Walks | None = None
    in_pairs: bool = False


@dataclass
class Drive:
    """What came of a run.

    `behaviours` is how many random ones were begun, None of a run that covers a scope; `covered` is
    then what was done of its `graph`. `steps` and `resets` leave out those of shortening.
    """

    verdict: Verdict = Verdict.INCONCLUSIVE
    because: str = ""
    departed: Departed | None = None
    graph: Graph | None = None
    covered: Covered = field(default_factory=Covered)
    behaviours: int | None = None
    steps: int = 0
    resets: int = 0
    compared: int = 0
    unobserved: tuple[str, ...] = ()
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def not_done(self) -> Mapping[str, int]:
        """How many transitions were not done for certain, by the reason; none at random."""
        graph, covered = self.graph, self.covered
        if graph is None:
            return {}
        reasons: Counter[str] = Counter()
        for number, moves in enumerate(graph.moves):
            answers: dict[int, list[Instance]] = {}
            for stimulus, edges in moves.items():
                for edge in edges:
                    answers.setdefault(edge, []).append(stimulus)
            for edge, stimuli in answers.items():
                if edge in covered.done:
                    continue
                if edge in covered.possible:
                    reasons["perhaps done: another step explains the same"] += 1
                elif all((number, stimulus) in covered.refused for stimulus in stimuli):
                    reasons["not offered by the software"] += 1
                elif number not in covered.reached:
                    reasons["from states that were not reached"] += 1
                elif any((number, stimulus) in covered.given for stimulus in stimuli):
                    reasons["not chosen by the software"] += 1
                else:
                    reasons["not asked for before the run ended"] += 1
        return dict(sorted(reasons.items()))


def drive(
    following: Following,
    course: Course,
    limits: Limits,
    watch: Callable[[str], None] = lambda _: None,
) -> Drive:
    """Drive software along all transitions of a scope, or along random behaviours.

    Ctrl-C ends it, and what was found stands. `LockstepError` for a mistake of the driver, and for
    a scope that is too large to cover.
    """
    began, result = time.monotonic(), Drive()

    def in_time(note: str) -> None:
        watch(note)
        if limits.seconds is not None and time.monotonic() - began >= limits.seconds:
            raise Ended(f"stopped after {limits.seconds:g} seconds, as bounded")

    def bounded(note: str) -> None:
        in_time(note)
        if limits.steps is not None and following.steps >= limits.steps:
            raise Ended(f"stopped after {limits.steps:,} steps, as bounded")

    try:
        if course.walks is not None:
            drive_randomly(following, course.walks, bounded)
        else:
            result.graph = Graph(following, in_pairs=course.in_pairs, watch=in_time)
            cover = Cover(following, result.graph, bounded)
            result.covered = cover.covered
            cover.run()
    except Departed as departed:
        result.departed = departed
    except Ended as ended:
        result.because = str(ended)
    except KeyboardInterrupt:
        result.interrupted, result.because = True, "interrupted"
    result.steps, result.resets = following.steps, following.resets
    result.behaviours = None if course.walks is None else following.resets
    result.compared, result.unobserved = following.compared, following.unobserved
    if result.departed is not None:
        result.verdict = Verdict.VIOLATED
        trace, graph = result.departed.departure.trace, result.graph
        way = None if graph is None else graph.way_to(trace)
        result.departed = shortened(following, result.departed, way, in_time)
    elif not result.because:
        if not result.steps:
            result.because = "the software did nothing that it was given"
        elif not result.compared:
            result.because = "nothing was observed, so nothing was compared"
        else:
            result.verdict = Verdict.HOLDS
    result.seconds = time.monotonic() - began
    return result


_ATTEMPTS = 64
"""How often the parameters of an action with too many instances are drawn until they enable it."""
_FEW = 256
"""The instances of an action up to which they are listed; where there are more, one is drawn."""
_REMEMBERED = 5_000
"""Of so many states it is remembered which steps are listed there, and of which shape they are."""


def drive_randomly(
    following: Following, walks: Walks, watch: Callable[[str], None] = lambda _: None
) -> None:
    """Drive the software along so many behaviours, each after a reset.

    The less often a state of some shape was chosen, the likelier it is: by even chances what ends
    a session, which is nearly always enabled, would leave few that live. `Departed`, or what
    `watch` raises.
    """
    model, stimuli, chance = following.model, following.stimuli, Random(walks.seed)
    actions = [action for action in model.actions if stimuli.answering(action.name)]
    large = [action for action in actions if is_wide(action.parameters, _FEW)]
    small = [action for action in actions if action not in large]
    shape, chosen = lru_cache(maxsize=_REMEMBERED)(_shape), Counter[object]()

    @lru_cache(maxsize=_REMEMBERED)
    def of_small(state: State) -> Sequence[Sequence[Step]]:
        return [found for one in small if (found := list(stimuli.engine.instances(one, state)))]

    def steps(state: State) -> Iterator[Step]:
        """One step of each action that was found enabled."""
        yield from map(chance.choice, of_small(state))
        near = [*integers_near(state), *_records(state)] if large else []
        for action in large:
            if (step := _drawn(stimuli.engine, action, state, near, chance)) is not None:
                yield step

    for count in range(1, walks.count + 1):
        following.reset()
        refused: set[Instance] = set()
        for _ in range(walks.steps):
            watch(f"{count:,} of {walks.count:,} behaviours")
            found = list(steps(chance.choice(list(following.candidates))))
            found = [one for one in found if (one.action, one.parameters) not in refused]
            if not found:
                break
            shapes = [shape(step.state) for step in found]
            weights = [(1 + chosen[one]) ** -2 for one in shapes]
            ((step, leads_to),) = chance.choices(list(zip(found, shapes, strict=True)), weights)
            chosen[leads_to] += 1
            if following.do(chance.choice(list(stimuli.answered_by(step)))) is None:
                refused.add((step.action, step.parameters))
            else:
                refused.clear()


def _shape(value: Any) -> Any:
    """A value with only the signs of its numbers."""
    if isinstance(value, tuple):
        return tuple(map(_shape, tuple.__iter__(value)))
    return (value > 0) - (value < 0) if type(value) is int else value


def _records(value: Any) -> Iterator[Record]:
    if isinstance(value, Record):
        yield value
    if isinstance(value, tuple):
        for part in tuple.__iter__(value):
            yield from _records(part)


def _drawn(
    engine: PlainEngine, action: Action, state: State, near: Sequence[Any], chance: Random
) -> Step | None:
    """A step of an action with too many instances; None where none was found."""
    for _ in range(_ATTEMPTS):
        arguments = tuple(_value(one.domain, near, chance) for one in action.parameters)
        after = engine.run(action, state, arguments)
        if after is not None:
            return Step(action.name, arguments, after)
    return None


def _value(domain: Domain, near: Sequence[Any], chance: Random) -> Any:
    """A value of a domain; an integer or a record is as often `near` a state as it is anywhere."""
    match domain:
        case RangeDomain(low, high):
            is_near = chance.random() < 0.5
            close = [n for n in near if type(n) is int and low <= n <= high] if is_near else ()
            return chance.choice(close) if close else chance.randint(low, high)
        case OptionDomain(some):
            return None if chance.random() < 0.5 else _value(some, near, chance)
        case RecordDomain(record):
            is_near = chance.random() < 0.5
            held = [one for one in near if type(one) is record] if is_near else ()
            fields = (_value(field, near, chance) for field in record.fields.values())
            return chance.choice(held) if held else record.of(fields)
        case SetDomain(item):
            count = chance.randint(0, min(4, item.size()))
            return frozenset(_value(item, near, chance) for _ in range(count))
        case SequenceDomain(item, capacity):
            count = chance.randint(0, capacity)
            return tuple(_value(item, near, chance) for _ in range(count))
        case MapDomain(key, value):
            return domain.of(_value(value, near, chance) for _ in key)
        case _:
            return chance.choice(tuple(domain))


MOST_ATTEMPTS = 2_000
"""How often the software is reset for it."""


def shortened(
    following: Following,
    departed: Departed,
    shortcut: Sequence[Instance] | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> Departed:
    """The same departure, or another one, after as few stimuli as are found.

    `shortcut` is tried first: other stimuli that may lead to where the last one was given. What
    `watch` raises, an error of the driver and Ctrl-C end it early: the shortest so far counts.
    """
    best, attempts = departed, 0

    def attempt(stimuli: Sequence[Instance]) -> bool:
        nonlocal best, attempts
        attempts += 1
        watch(f"{len(best.departure.stimuli):,} steps")
        found = _departs(following, stimuli)
        if found is None or len(found.departure.stimuli) >= len(best.departure.stimuli):
            return False
        best = found
        return True

    try:
        if shortcut is not None:
            attempt([*shortcut, *departed.departure.stimuli[-1:]])
        size = max(1, len(best.departure.stimuli) // 2)
        while attempts < MOST_ATTEMPTS:
            at, is_shorter = 0, False
            while at < len(best.departure.stimuli) and attempts < MOST_ATTEMPTS:
                stimuli = best.departure.stimuli
                if attempt((*stimuli[:at], *stimuli[at + size :])):
                    is_shorter = True
                else:
                    at += size
            if size == 1 and not is_shorter:
                break
            size = max(1, size // 2)
    except (KeyboardInterrupt, LockstepError, Ended):
        pass  # what was found stands
    return best


def _departs(following: Following, stimuli: Sequence[Instance]) -> Departed | None:
    """How the software departs when it is given these; None where it does not.

    What the model has no outcome for by now is left out.
    """
    try:
        following.reset()
        for stimulus in stimuli:
            if following.offers(stimulus):
                following.do(stimulus)
    except Departed as departed:
        return departed
    return None
