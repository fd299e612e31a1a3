"""What a run found wrong, each at a place of the text, and what it could not check.

`sarif` and `github` show it. Nothing here says that something holds: what is in neither list was
checked, or was not asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from lockstep.errors import ExitCode
from lockstep.language.source import Place


class Level(StrEnum):
    """How much it matters, in the words of SARIF."""

    ERROR = "error"
    """Something is wrong, or a mistake kept it from being checked."""
    WARNING = "warning"
    """Something is not known."""
    NOTE = "note"
    """Something was left out on purpose."""


@dataclass(frozen=True)
class Rule:
    """What a problem breaks, under an id that stays.

    `title` is a line, `text` as much as there is to say, and `tags` the requirements it states.
    """

    id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remark:
    """A text about a place."""

    place: Place
    text: str


@dataclass(frozen=True)
class Problem:
    """Something wrong: what it breaks, where, and the behaviour that shows it.

    `subject` is what it is about, such as `turnstile.entries_are_paid`. `identity` is what tells it
    from other problems of its rule and stays when lines move. `related` are other places to look
    at, and `behaviour` the steps that lead to it, the initial state first.
    """

    rule: Rule
    place: Place
    subject: str
    message: str
    identity: tuple[str, ...]
    related: tuple[Remark, ...] = ()
    behaviour: tuple[Remark, ...] = ()


class Unknown(StrEnum):
    """Why a run says nothing of something."""

    NOT_CHECKED = "not-checked"
    """It could not be explored, or one property was left out."""
    INTERNAL_ERROR = "internal-error"
    INTERRUPTED = "interrupted"
    INCONCLUSIVE = "inconclusive"
    NOT_PROVED = "not-proved"
    IDLE = "idle"
    """An action never fired."""
    VACUOUS = "vacuous"
    """The premise of a property was never true."""
    EXPECTED = "as-pinned"
    """A violation that the scope pins, so that nothing is wrong."""
    SKIPPED = "skipped"
    """Nothing that it is made of has changed."""


@dataclass(frozen=True)
class Gap:
    """Something of which the run says nothing, and why."""

    unknown: Unknown
    level: Level
    subject: str
    message: str
    place: Place | None = None


@dataclass(frozen=True)
class Problems:
    """All of one run.

    `category` tells this kind of run from others whose problems are kept beside it, such as
    `check/default`.
    """

    category: str
    exit_code: int
    problems: tuple[Problem, ...]
    gaps: tuple[Gap, ...]

    @classmethod
    def of(cls, category: str, exit_code: int, found: Iterable[Problem | Gap]) -> Problems:
        """Those of a run that found problems and gaps, in any order."""
        every = list(found)
        problems = tuple(one for one in every if isinstance(one, Problem))
        gaps = tuple(one for one in every if isinstance(one, Gap))
        return cls(category, exit_code, problems, gaps)

    @property
    def is_whole(self) -> bool:
        """Whether everything was checked that was to be."""
        ends = (ExitCode.HOLDS, ExitCode.VIOLATED, ExitCode.DIFFERS)
        return self.exit_code in ends and all(gap.level is Level.NOTE for gap in self.gaps)

    @property
    def rules(self) -> Iterator[Rule]:
        """Each rule that a problem breaks, once."""
        yield from {problem.rule.id: problem.rule for problem in self.problems}.values()
