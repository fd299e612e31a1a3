"""What TLC found, put together from its messages."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from lockstep.errors import LockstepError
from lockstep.twin.tla_parser import TlaSyntaxError, TlaValue, parse_state
from lockstep.twin.tool_messages import Code, Severity, ToolMessage

TlcVerdict: TypeAlias = Literal["holds", "violated", "deadlock", "error"]

INITIAL_LABEL = "Initial predicate"
"""The label of a trace's first state, which no action leads to; TLC's own."""


class TraceStep(NamedTuple):
    """A state of a trace, and the name of the action that led to it."""

    action: str
    state: dict[str, TlaValue]
    """Values by variable. In the last state of an error trace, TLC writes a variable that the
    action left without a value as the model value `null`."""


@dataclass(frozen=True)
class TlcProgress:
    """Where a search is: the counts so far are those of TlcRun, `queued` states wait."""

    depth: int
    generated: int
    distinct: int
    queued: int
    seconds: float
    """Since TLC was started."""


class TlcCounts(msgspec.Struct, kw_only=True):
    """What TLC counted in a run. Counts are TLC's own, and 0 where it stopped before counting."""

    initial: int = 0
    """Distinct initial states."""
    initial_generated: int = 0
    """Initial states as TLC generated them: one that `Init` yields twice is counted twice."""
    generated: int = 0
    """States generated: the initial ones, and one for every transition."""
    distinct: int = 0
    """Distinct states. TLC stops where it has found more than the model has."""
    depth: int = 0
    """States on the longest of the shortest paths, one more than the steps; not exact where
    `workers` is more than 1."""
    workers: int = 1
    seconds: float = 0.0
    """Time of the whole process, the start of the Java runtime included."""
    transitions: int = 0
    """States generated but for the initial ones."""

    def __post_init__(self) -> None:
        # A successor that a constraint keeps out of the model is among them, though no dump has it.
        self.transitions = self.generated - self.initial_generated

    @property
    def steps(self) -> int:
        """Steps on the longest of the shortest paths: one fewer than `depth`, which counts states.

        0 also where TLC stopped before counting.
        """
        return max(0, self.depth - 1)


class TlcRun(TlcCounts, kw_only=True):
    """What one run of TLC found."""

    verdict: TlcVerdict = "holds"
    """`error`: the module or its configuration cannot be checked, an expression has no value, or
    an `Assert` or `ASSUME` failed."""
    violated: str | None = None
    """The invariant or property violated; None too where TLC does not name it (liveness)."""
    message: str = ""
    """TLC's own words on what is wrong; empty if everything holds."""
    trace: tuple[TraceStep, ...] = ()
    """From an initial state to the violation, deadlock or error; empty if there is none.

    A shortest one with one worker only, as for `depth`.
    """
    loops_to: int | None = None
    """In a liveness violation, the index in `trace` of the state that comes after the last one:
    its own where the behaviour stutters for ever. None in any other verdict."""
    warnings: tuple[str, ...] = ()


_NUMBER = re.compile(r"\d[\d,]*")
_PROGRESS = re.compile(
    r"Progress\(([\d,]+)\) at .*?: ([\d,]+) states generated.*?"
    r", ([\d,]+) distinct states found.*?, ([\d,]+) states left"
)
# `3: <Inc line 7, col 14 to line 7, col 48 of module V>`, `1: <Initial predicate>`, `5: Stuttering`
_TRACE_HEAD = re.compile(
    r"(?P<number>\d+): <?(?P<action>.*?)"
    r"(?: line \d+, col \d+ to line \d+, col \d+ of module \w+)?>?"
)
_NAMED = re.compile(r"(?:Invariant|[Pp]roperty) (.+?) (?:is|was) violated")
_PARSER_CHATTER = ("Parsing file ", "Semantic processing of module ")

_OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError"

_VIOLATIONS = frozenset(
    {
        Code.INVARIANT_VIOLATED,
        Code.ACTION_PROPERTY_VIOLATED,
        Code.TEMPORAL_PROPERTY_VIOLATED,
    }
)
# Headings of a trace, which are marked as errors but say nothing of their own.
_HEADINGS = frozenset({Code.BEHAVIOUR_FOLLOWS, Code.COUNTEREXAMPLE_FOLLOWS})


class Findings:
    """Takes TLC's messages one by one; `finish` then says what they amount to."""

    def __init__(self, on_progress: Callable[[TlcProgress], None] | None = None) -> None:
        self.progress: TlcProgress | None = None
        self.finished = False
        self.out_of_memory = False
        self._on_progress = on_progress
        self._started_at = time.monotonic()
        self._started = False
        self._parsing = False
        self._parser_said: list[str] = []
        self._java_said: list[str] = []
        self._verdict: TlcVerdict | None = None
        self._run = TlcRun()
        """What is found so far, but for what is a list until the end."""
        self._complaints: list[str] = []
        self._trace: list[TraceStep] = []
        self._warnings: list[str] = []

    def take(self, message: ToolMessage) -> None:
        """Takes the next message. Raises LockstepError if a state in it cannot be read."""
        code, text = message.code, message.text
        if code is None:
            self._take_loose_line(text)
        elif code in (Code.INVARIANT_VIOLATED_INITIALLY, Code.PROPERTY_VIOLATED_INITIALLY):
            said, _, state = text.partition("\n")
            self._decide("violated", said.rstrip(":"))
            self._add_state(INITIAL_LABEL, state)
        elif code in _VIOLATIONS:
            self._decide("violated", text)
        elif code == Code.DEADLOCK:
            self._decide("deadlock", text)
        elif code == Code.SUCCESS:
            self._verdict = self._verdict or "holds"
        elif code in (Code.STATE, Code.STUTTERING, Code.BACK_TO_STATE):
            self._take_trace(code, text)
        elif code in (Code.PARSER_STARTED, Code.PARSER_FINISHED):
            self._parsing = code == Code.PARSER_STARTED
        elif code in (Code.VERSION, Code.FINISHED):
            self._started, self.finished = True, code == Code.FINISHED
        elif code == Code.PARSING_FAILED:
            self._decide("error", "\n".join([text, *self._parser_said]))
        elif message.severity == Severity.WARNING:
            self._warnings.append(text)
        elif message.severity in (Severity.ERROR, Severity.BUG_IN_TLC) and code not in _HEADINGS:
            self._decide("error", text)
        else:
            self._take_count(code, text)

    def _take_loose_line(self, text: str) -> None:
        if text.startswith(_OUT_OF_MEMORY):
            self.out_of_memory = True
        elif self._parsing and text and not text.startswith(_PARSER_CHATTER):
            self._parser_said.append(text)
        elif not self._started:
            self._java_said.append(text)

    def _decide(self, verdict: TlcVerdict, text: str) -> None:
        # What comes first is the finding; what follows explains it.
        if self._verdict is None:
            self._verdict = verdict
            named = _NAMED.search(text) if verdict == "violated" else None
            self._run.violated = named.group(1) if named else None
        self._complaints.append(text)

    def _take_count(self, code: int, text: str) -> None:
        if code == Code.PROGRESS:
            self._take_progress(text)
            return
        numbers = [int(number.replace(",", "")) for number in _NUMBER.findall(text)]
        if code == Code.INITIAL_STATES:
            self._run.initial = self._run.initial_generated = numbers[0]
        elif code == Code.INITIAL_STATES_REPEATED:
            self._run.initial_generated, self._run.initial = numbers[:2]
        elif code == Code.STATISTICS:
            self._run.generated, self._run.distinct = numbers[:2]
        elif code == Code.SEARCH_DEPTH:
            self._run.depth = numbers[0]

    def _take_progress(self, text: str) -> None:
        match = _PROGRESS.search(text)
        if match is None:
            return
        depth, generated, distinct, queued = (
            int(number.replace(",", "")) for number in match.groups()
        )
        self.progress = TlcProgress(
            depth, generated, distinct, queued, time.monotonic() - self._started_at
        )
        # TLC does not give the depth by itself after every kind of failure.
        self._run.depth = depth
        if self._on_progress is not None:
            self._on_progress(self.progress)

    def _take_trace(self, code: int, text: str) -> None:
        first, _, state = text.partition("\n")
        head = _TRACE_HEAD.fullmatch(first.strip())
        if head is None:
            raise LockstepError(
                f"TLC's trace has a state headed {first!r}, which is not understood.",
                cure="this is a fault of lockstep; please report it with the module",
            )
        number = int(head.group("number"))
        if code == Code.STUTTERING:
            self._run.loops_to = len(self._trace) - 1
        elif code == Code.BACK_TO_STATE:
            self._run.loops_to = number - 1
        elif number == len(self._trace) + 1:
            self._add_state(head.group("action"), state)

    def _add_state(self, action: str, text: str) -> None:
        try:
            self._trace.append(TraceStep(action, parse_state(text.strip())))
        except TlaSyntaxError as error:
            raise LockstepError(
                f"State {len(self._trace) + 1} of TLC's trace cannot be read. {error.message}",
                cure="a variable's value must be one that TLC writes out in full",
            ) from error

    def finish(self, exit_code: int, stderr: str, workers: int) -> TlcRun:
        """What TLC found, once it has ended with `exit_code`.

        Raises LockstepError if it ended without a finding.
        """
        if self._verdict is None or (self._verdict == "holds") != (exit_code == 0):
            said = [*self._java_said, *stderr.splitlines()]
            said = [line for line in said if line and not line.startswith("Picked up ")]
            what = "ended without a finding" if self._started else "did not start"
            raise LockstepError(
                f"TLC {what} (exit code {exit_code}). " + "\n  ".join(said[:12]),
                cure="look at the Java options and the heap given, and at the memory and the disk "
                "that are left",
            )
        return msgspec.structs.replace(
            self._run,
            verdict=self._verdict,
            message="\n".join(self._complaints),
            workers=workers,
            seconds=time.monotonic() - self._started_at,
            trace=tuple(self._trace),
            warnings=tuple(self._warnings),
        )
