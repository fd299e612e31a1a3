"""One mutant as a row of data: what became of it, which another process may have found out."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from lockstep.campaign.task import Row, Task
from lockstep.errors import ExitCode
from lockstep.mutants.fate import Fate
from lockstep.mutants.judge import Judged
from lockstep.results.exits import INTERRUPTED


class MutantDetails(msgspec.Struct, kw_only=True):
    """What only the row of a mutant has: its name, and what was changed where."""

    name: str
    kind: str
    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True)
class MutantRow:
    """The row of one mutant with what only such a row has."""

    row: Row
    details: MutantDetails

    @classmethod
    def of(cls, row: Row) -> MutantRow:
        """The row of a task that judged a mutant."""
        return cls(row, msgspec.convert(row.details, MutantDetails))

    @property
    def name(self) -> str:
        """The mutant's name."""
        return self.details.name

    @property
    def fate(self) -> Fate:
        """What becomes of it."""
        return Fate(self.row.verdict)

    @property
    def is_open(self) -> bool:
        """Whether nothing tells the mutant from the model, or nobody knows."""
        return self.fate in (Fate.SURVIVES, Fate.INCONCLUSIVE)


_CODES = {Fate.SURVIVES: ExitCode.VIOLATED, Fate.INCONCLUSIVE: ExitCode.INCONCLUSIVE}


def row_of(task: Task, judged: Judged, seconds: float) -> Row:
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
        return Row.of(task, **values)
    if result.interrupted:
        values["exit_code"] = INTERRUPTED
    return Row.of_result(task, result, **values)
