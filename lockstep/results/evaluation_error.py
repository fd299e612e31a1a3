"""What may go wrong inside a model while it runs."""

from __future__ import annotations

from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.source import Diagnostic, Place


class EvaluationError(LockstepError):
    """The model's text has no meaning in a reachable state.

    A write or a record outside its domain, an attribute of None, an index past the end, a
    division by zero. `function` is the action or invariant, `place` where in it (None when
    unknown), `reason` says what went wrong, `why` and `cure` what to make of it. Its text shows
    the source line, as that of a model that is not well formed does.
    """

    def __init__(
        self, function: str, place: Place | None, reason: str, why: str, cure: str
    ) -> None:
        super().__init__(f"{function}: {reason}", cure=cure)
        self.function = function
        self.place = place
        self.reason = reason
        self.why = why

    @property
    def file(self) -> Path | None:
        """The file that it arose in."""
        return None if self.place is None else self.place.file

    @property
    def line(self) -> int | None:
        """The line that it arose in."""
        return None if self.place is None else self.place.line

    def __str__(self) -> str:
        if self.place is None:
            return super().__str__()
        shown = Diagnostic("no-meaning", self.place, self.message, self.why, self.cure or "")
        return shown.render()

    def seen_from(self, folder: Path) -> str:
        """The error in one line, its file relative to `folder` where it lies below that."""
        if self.file is None:
            return self.message
        file = self.file.relative_to(folder) if self.file.is_relative_to(folder) else self.file
        return f"{file}:{self.line}: {self.message}"
