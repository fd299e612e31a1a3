"""The answer: one struct for what comes of a question, whichever verb answers it.

It is a row of a table of results, a file of the cache, and what a report shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar

import msgspec

from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.strict_json import NotJson, decode_document

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""When something was; as JSON it is ISO 8601 in UTC, with a `Z`."""


def now() -> datetime:
    """This second, in UTC."""
    return datetime.now(UTC).replace(microsecond=0)


class Answer(msgspec.Struct, kw_only=True):
    """What came of one question: of a model in one scope or proof, possibly changed."""

    kind: str
    """What was asked: a verb, of `faults` and `mutants` `fault` and `mutant`, and `find` or `equal`
    of `prove --find` and `--equal`. In a report `faults` and `mutants` are all of a model."""
    model: str = ""
    """Empty where it is about none."""
    scope: str = ""
    """The scope, the proof, or the file of requirements; empty where each of several has its own,
    and where there is none."""
    fault: str | None = None
    """The fault put in place; `A+B` of two."""
    proposal: str | None = None
    constants: dict[str, Any] = {}
    """The constants that are not as in the scope."""
    seed: int | None = None
    """The seed of random walks."""
    engine: str = ""
    verdict: str = ""
    """A verdict, of a mutant its fate, of a requirement how it is answered, of a thing that
    `doctor` looks for whether it is there; empty where there is none."""
    violated: str | None = None
    """The property that the counterexample breaks."""
    violates: tuple[str, ...] = ()
    """All properties that are broken."""
    states: int = 0
    """Distinct states; 0 where nothing was explored."""
    transitions: int = 0
    """Enabled action instances, self-loops and repetitions included."""
    depth: int = 0
    """Steps to the farthest state."""
    levels: tuple[int, ...] = ()
    """How many states 0, 1, 2 and so many steps lead to."""
    seconds: float = 0.0
    length: int | None = None
    """The number of steps of the counterexample."""
    trace: str | None = None
    """The file of the counterexample."""
    because: str = ""
    """Why the verdict is not `holds`; empty where it is."""
    error: str = ""
    """What went wrong, where there is no result or it could not be written."""
    exit_code: int = 0
    """What this answer alone would end the process with."""
    out_of_memory: bool = False
    """Whether a bound on memory, or the lack of it, ended the search."""
    judged: str = ""
    """Of how many properties, faults or mutants it is; of a twin what was compared."""
    details: Any = msgspec.field(default_factory=dict)
    """What only one kind of question has; an empty object where there is no result."""
    key: str = ""
    """A digest of all that a kept answer depends on."""
    task: str = ""
    """The digest of what was asked, in a table of results."""
    since: Moment | None = None
    """When it was kept, as in `2026-11-25T14:00:00Z`; null where it is not kept."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """The same answer as this class has it, which may give a type to its details."""
        return msgspec.convert(answer, cls, from_attributes=True)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the work on it."""
        return self.exit_code == INTERRUPTED


def earliest(answers: Iterable[Answer]) -> datetime | None:
    """When the first of some answers was kept; None where none is."""
    return min((one.since for one in answers if one.since is not None), default=None)


def counts_of(result: SearchResult) -> dict[str, Any]:
    """The fields of an answer that a search counted."""
    return {
        "engine": result.engine,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "levels": tuple(result.levels),
        "seconds": result.seconds,
        "violates": result.violated,
        "out_of_memory": result.out_of_memory,
    }


Document = TypeVar("Document", bound=msgspec.Struct)


class NotRead(ValueError):
    """A text is not the document that it should be."""


def encode(document: msgspec.Struct) -> bytes:
    """A task, an answer or an outcome as one line of JSON."""
    return json.dumps(msgspec.to_builtins(document)).encode("ascii")


def decode(text: bytes, kind: type[Document]) -> Document:
    """The document that `encode` made the text of; `NotRead` for any other text."""
    try:
        # Not msgspec's own reader: a constant may be an integer of more than 64 bits.
        return msgspec.convert(decode_document(text.decode("utf-8")), kind)
    except (UnicodeDecodeError, NotJson, msgspec.ValidationError) as error:
        raise NotRead(str(error)) from None
