"""Software is driven along a model, by cover or by chance, and a departure is shortened."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lockstep.drive.cover import Cover, Covered, Ended, Graph
from lockstep.drive.departure import Departed
from lockstep.drive.following import Following
from lockstep.drive.randomly import drive_randomly
from lockstep.errors import LockstepError
from lockstep.plain.exploration import Walks
from lockstep.plain.space import Instance
from lockstep.results.verdict import Verdict

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
