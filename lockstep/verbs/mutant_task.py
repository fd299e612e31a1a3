"""The task of one mutant, and its row."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import msgspec

from lockstep.answers.answer import Answer, decode, encode
from lockstep.campaign.place import Share
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import load_model
from lockstep.mutants.fate import Fate
from lockstep.mutants.judge import Judge, Judged
from lockstep.mutants.mutant import Mutant, mutants_of
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.verdict import INTERRUPTED, verdict_without
from lockstep.specs.scopes import load_model_spec
from lockstep.system.crash import failure_of
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace


class MutantDetails(msgspec.Struct, kw_only=True):
    """What only the row of a mutant has: its name, and what was changed where."""

    name: str
    kind: str
    file: str
    line: int
    before: str
    after: str


class MutantAnswer(Answer, kw_only=True):
    """The answer about one mutant with what only such an answer has."""

    details: MutantDetails

    @property
    def name(self) -> str:
        """The mutant's name."""
        return self.details.name

    @property
    def fate(self) -> Fate:
        """What becomes of it."""
        return Fate(self.verdict)

    @property
    def is_open(self) -> bool:
        """Whether it survives, or nobody knows."""
        return self.fate in (Fate.SURVIVES, Fate.INCONCLUSIVE)


_CODES = {Fate.SURVIVES: ExitCode.VIOLATED, Fate.INCONCLUSIVE: ExitCode.INCONCLUSIVE}


def row_of(task: Task, judged: Judged, seconds: float) -> Answer:
    """The row of a mutant that was judged."""
    mutant, sentence, result = judged.mutant, judged.sentence, judged.result
    details = MutantDetails(
        name=mutant.name,
        kind=mutant.kind,
        file=mutant.file.as_posix(),
        line=mutant.line,
        before=mutant.before,
        after=mutant.after,
    )
    values = {
        "verdict": str(sentence.fate),
        "violated": sentence.by,
        "length": sentence.steps,
        "because": sentence.because,
        "seconds": round(seconds, 6),
        "exit_code": int(_CODES.get(sentence.fate, ExitCode.HOLDS)),
        "details": msgspec.to_builtins(details),
    }
    if result is None:
        return answer_to(task, **values)
    if result.interrupted:
        values["exit_code"] = INTERRUPTED
    return answer_to(task, result, **values)


def judge_mutant(
    workspace: Path, task: bytes, share: Share, *, watch: Watch = Unwatched()
) -> bytes:
    """Judge a mutant; the encoded outcome. What is wrong with it is in its row."""
    asked = decode(task, Task)
    try:
        return encode(Outcome(_row(workspace, asked, share, watch)))
    except Exception as error:
        failure = failure_of(error, Workspace(workspace, workspace.name))
        verdict = str(verdict_without(failure))
        code = int(failure.exit_code)
        row = answer_to(asked, verdict=verdict, error=str(failure), exit_code=code)
        return encode(Outcome(row))


def _row(workspace: Path, task: Task, share: Share, watch: Watch) -> Answer:
    began = time.perf_counter()
    bounds = Bounds(task.max_states, task.max_seconds, memory=share.memory)
    made = _judge(
        workspace, task.model, task.scope, task.text, task.engine, bounds, _Watched(watch)
    )
    if isinstance(made, LockstepError):
        raise made
    judge, mutants = made
    assert task.mutant is not None
    with watch.search(task.name, None):
        judged = judge.judge(mutants[task.mutant])
    return row_of(task, judged, time.perf_counter() - began)


@dataclass(frozen=True)
class _Watched:
    """Who looks on, which makes no difference to what is judged."""

    watch: Watch = field(compare=False)


@lru_cache(maxsize=1)
def _judge(
    workspace: Path,
    model: str,
    scope: str,
    text: str,
    engine: str,
    bounds: Bounds,
    watched: _Watched,
) -> tuple[Judge, dict[str, Mutant]] | LockstepError:
    """Who judges the mutants of a model; `text` stands for all that is read for it.

    Why nobody can is remembered as well: the model is explored no second time for that.
    """
    spec = load_model_spec(workspace, model)
    pins = spec.scope(scope).pins
    loaded = load_model(workspace, model, spec.scope(scope).constants)
    with watched.watch.search(f"{model} {scope}, without a change", pins.states) as on_progress:
        request = Exploration(
            engine, bounds, deadlock_allowed=spec.deadlock_allowed, on_progress=on_progress
        )
        try:
            judge = Judge(loaded, request, spec.environment)
        except LockstepError as error:
            return error
    return judge, {mutant.name: mutant for mutant in mutants_of(loaded)}
