"""A task and its row: one exploration of many, as data that goes to another process and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.strict_json import NotJson, decode_document


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is explored, in which scope and within which bounds.

    `walks` random behaviours of up to `steps` steps, drawn by `seed`, are taken in place of a
    search; those `by_hypothesis` in plain Python. `save` is the folder for a counterexample. The
    bounds are those of `Bounds`. `text` is a digest of all files that the row depends on; where it
    is empty, it depends on the workspace.
    """

    kind: str
    model: str
    scope: str
    fault: str | None = None
    mutant: str | None = None
    proposal: str | None = None
    text: str = ""
    constants: Mapping[str, Any] = {}
    engine: str = "auto"
    only: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    liveness: bool = False
    symmetry: bool = False
    walks: int | None = None
    by_hypothesis: bool = False
    steps: int | None = None
    seed: int | None = None
    max_states: int | None = None
    max_seconds: float | None = None
    memory: int | None = None
    spill: str | None = None
    save: str | None = None

    @property
    def digest(self) -> str:
        """A number in hexadecimal that is another one when something else is asked."""
        return hashlib.sha256(encode(self)).hexdigest()

    @property
    def name(self) -> str:
        """The task in a few words, for a message."""
        values = [f"{name}={shown_constant(value)}" for name, value in self.constants.items()]
        if self.seed is not None:
            values.append(f"seed {self.seed}")
        changes = {"fault": self.fault, "mutant": self.mutant, "proposal": self.proposal}
        texts = [f"{kind} {name}" for kind, name in changes.items() if name is not None]
        return " ".join([self.model, self.scope, *texts, *values])


class Row(msgspec.Struct, kw_only=True):
    """The result of one task: a row of the table of results, whatever the task was.

    `violated` is the property that is, `length` the number of steps of the counterexample and
    `trace` its file. `error` says why there is no verdict. `details` are what only one kind of task
    has. `task` is the digest of what was asked and `key` one of all that the row depends on. It was
    kept at the time `since`, in UTC.
    """

    kind: str
    model: str
    scope: str
    fault: str | None = None
    proposal: str | None = None
    constants: dict[str, Any] = {}
    seed: int | None = None
    engine: str
    verdict: str
    violated: str | None = None
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    length: int | None = None
    trace: str | None = None
    because: str = ""
    error: str = ""
    exit_code: int = 0
    out_of_memory: bool = False
    details: dict[str, Any] = {}
    key: str = ""
    task: str = ""
    since: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the task."""
        return self.exit_code == INTERRUPTED

    @classmethod
    def of(cls, task: Task, /, **values: Any) -> Row:
        """The row of a task; `values` are the other columns."""
        return cls(
            kind=task.kind,
            model=task.model,
            scope=task.scope,
            fault=task.fault,
            proposal=task.proposal,
            constants=dict(task.constants),
            seed=task.seed,
            **{"engine": task.engine, **values},
        )

    @classmethod
    def of_result(cls, task: Task, result: SearchResult, /, **values: Any) -> Row:
        """The row of a task that searched; `values` are other columns, and take precedence."""
        counts = {
            "engine": result.engine,
            "states": result.states,
            "transitions": result.transitions,
            "depth": result.depth,
            "seconds": round(result.seconds, 6),
            "out_of_memory": result.out_of_memory,
        }
        return cls.of(task, **{**counts, **values})


class Outcome(msgspec.Struct):
    """The row of a task, and the text of its counterexample under the name of its file."""

    row: Row
    trace_name: str | None = None
    trace_text: str = ""


Document = TypeVar("Document", bound=msgspec.Struct)


class NotRead(ValueError):
    """A text is not the document that it should be."""


def encode(document: msgspec.Struct) -> bytes:
    """A task, a row or an outcome as one line of JSON."""
    return json.dumps(msgspec.to_builtins(document)).encode("ascii")


def decode(text: bytes, kind: type[Document]) -> Document:
    """The document that `encode` made the text of; `NotRead` for any other text."""
    try:
        # Not msgspec's own reader: a constant may be an integer of more than 64 bits.
        return msgspec.convert(decode_document(text.decode("utf-8")), kind)
    except (UnicodeDecodeError, NotJson, msgspec.ValidationError) as error:
        raise NotRead(str(error)) from None


def shown_constant(value: object) -> str:
    """A constant's value as the command line takes it."""
    return value if isinstance(value, str) else json.dumps(value)
