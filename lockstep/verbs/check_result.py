"""What comes of `check`: one result a model, and what was not checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lockstep.errors import ExitCode, LockstepError
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.verdict import INTERRUPTED, Verdict, worst
from lockstep.verbs.run import Failure, Run

if TYPE_CHECKING:
    from lockstep.language.inventory import Unused
    from lockstep.language.model import Model
    from lockstep.results.search_result import SearchResult
    from lockstep.results.trace import Trace
    from lockstep.specs.judgement import Judgement
    from lockstep.trace.itf import Origin
    from lockstep.verbs.affected import Affected


@dataclass
class Checked(ShownInNotebooks):
    """One model in one scope, explored and judged."""

    model: Model
    scope: str
    result: SearchResult
    judgement: Judgement
    trace: Trace | None = None
    """The shortest behaviour to the violation or to where the text has no meaning."""
    origin: Origin | None = None
    saved: Path | None = None
    """The file of the trace."""
    not_saved: str | None = None
    """Why the trace could not be saved."""
    since: datetime | None = None
    """When it was explored, where that was in an earlier run."""
    pinned: tuple[str, ...] = ()
    """What was written into specs/MODEL.toml, one text a value."""
    others: tuple[Checked, ...] = ()
    """The other violations, where the check went on past the first: one result a search."""
    rest: CheckResult | None = None
    """The result of the properties that none of these violates.

    None where the check did not go on, nothing is violated, or no property is left.
    """

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model in this scope."""
        return self.judgement.verdict

    @property
    def checked(self) -> int:
        """Of how many properties it is known whether they hold as far as the search went."""
        return len(self.model.properties) - len(self.result.undecided(self.model))

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        codes = [int(self.judgement.exit_code), *(other.exit_code for other in self.others)]
        if self.rest is not None:
            codes.append(self.rest.exit_code)
        return worst([*codes, *[INTERRUPTED] * self.result.interrupted])


@dataclass(frozen=True)
class Unchecked(ShownInNotebooks, Failure):
    """A model that could not be explored: it is not well formed, or has no such scope."""

    name: str
    scope: str
    error: LockstepError


CheckResult: TypeAlias = "Checked | Unchecked"


@dataclass(frozen=True)
class CheckRun(Run[str, CheckResult], ShownInNotebooks):
    """All results; `pending` are models that the run did not come to, `unused` files not read."""

    unused: tuple[Unused, ...] = ()
    affected: Affected | None = None
    """Which models a change can affect, where that was asked; the others were skipped."""

    @property
    def exit_code(self) -> int:
        """The worst of all: never 0 where something was to be checked and was not."""
        is_mistaken = any(file.is_mistake for file in self.unused)
        unread = ExitCode.USAGE if is_mistaken else ExitCode.HOLDS
        return worst([super().exit_code, unread])
