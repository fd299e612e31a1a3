"""A task: one exploration of many, as data that goes to another process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from lockstep.answers.answer import Answer, counts_of, encode
from lockstep.results.search_result import SearchResult


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is explored, in which scope and within which bounds.

    `walks` random behaviours of up to `steps` steps, drawn by `seed`, are taken in place of a
    search; those `by_hypothesis` in plain Python. `elsewhere` are the scopes in which a mutant is
    judged, in turn, that is not exercised in `scope`. `save` is the folder for a counterexample.
    The bounds are those of `Bounds`. `text` is a digest of all files that the row depends on; where
    it is empty, it depends on the workspace.
    """

    kind: str
    model: str
    scope: str
    elsewhere: tuple[str, ...] = ()
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


def answer_to(task: Task, result: SearchResult | None = None, /, **values: Any) -> Answer:
    """The answer to a task that may have searched; `values` are fields, and take precedence."""
    counts: dict[str, Any] = {"engine": task.engine, "because": values.get("error", "")}
    if result is not None:
        counts = {**counts_of(result), "seconds": round(result.seconds, 6)}
    return Answer(
        kind=task.kind,
        model=task.model,
        scope=task.scope,
        fault=task.fault,
        proposal=task.proposal,
        constants=dict(task.constants),
        seed=task.seed,
        **{**counts, **values},
    )


class Outcome(msgspec.Struct):
    """The answer to a task, and the text of its counterexample under the name of its file."""

    row: Answer
    trace_name: str | None = None
    trace_text: str = ""


def shown_constant(value: object) -> str:
    """A constant's value as the command line takes it."""
    return value if isinstance(value, str) else json.dumps(value)
