"""The answer: one struct for what comes of a question, whichever verb answers it.

It is a row of a table of results, a file of the cache, and what a report shows.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Self, TypeVar

import msgspec

from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.strict_json import NotJson, decode_document


class Answer(msgspec.Struct, kw_only=True):
    """What came of one question: of a model in one scope or proof, possibly changed.

    `verdict` is a `Verdict`, of a mutant its `Fate`, and empty where there is none; `because` says
    why it is not `holds`. `violated` is the property that the counterexample breaks, `violates` are
    all that are broken, `length` is the number of steps of the counterexample and `trace` its file.
    The counts are those of the search, 0 where there was none; `levels` are the states that 0, 1, 2
    and so on steps lead to. `error` says why there is no verdict. `judged` is how many properties,
    faults or mutants it is of, of a twin what was compared. `details` are what only one kind of
    question has. `task` is the digest of what was asked and `key` one of all that the answer
    depends on. It was kept at the time `since`, in UTC.
    """

    kind: str
    model: str
    scope: str
    fault: str | None = None
    proposal: str | None = None
    constants: dict[str, Any] = {}
    seed: int | None = None
    engine: str = ""
    verdict: str = ""
    violated: str | None = None
    violates: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    depth: int = 0
    levels: tuple[int, ...] = ()
    seconds: float = 0.0
    length: int | None = None
    trace: str | None = None
    because: str = ""
    error: str = ""
    exit_code: int = 0
    out_of_memory: bool = False
    judged: str = ""
    details: Any = msgspec.field(default_factory=dict)
    key: str = ""
    task: str = ""
    since: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """The same answer as this class has it, which may give a type to its details."""
        return msgspec.convert(answer, cls, from_attributes=True)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the work on it."""
        return self.exit_code == INTERRUPTED

    @property
    def moment(self) -> datetime:
        """When it was kept; ValueError where `since` is no moment with its time zone."""
        moment = datetime.fromisoformat(self.since)
        if moment.tzinfo is None:
            raise ValueError(f"{self.since} has no time zone")
        return moment


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
