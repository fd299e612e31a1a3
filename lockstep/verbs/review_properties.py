"""What becomes of each property from BASE to HEAD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind
from lockstep.verbs.check_result import Checked, Unchecked


class Standing(StrEnum):
    """What is known of a property of one version in one scope."""

    HOLDS = "holds"
    VIOLATED = "violated"
    SILENT = "silent"
    """Its premise is never true: it says nothing there."""
    UNKNOWN = "unknown"
    """It was not checked to the end."""


class Change(StrEnum):
    """What becomes of a property; the first four are for somebody to look at."""

    BROKEN = "broken"
    """HEAD violates it, and BASE does not, or has no such property."""
    SILENCED = "silenced"
    """BASE says something by it, and HEAD does not."""
    LOST = "lost"
    """Only BASE has it."""
    OPEN = "open"
    """HEAD was not looked at to the end, or cannot be."""
    MENDED = "mended"
    GAINED = "gained"
    """Only HEAD has it, and it holds there."""
    STILL_VIOLATED = "still violated"
    SAME = "same"


@dataclass(frozen=True)
class PropertyChange:
    """One property of BASE, HEAD or both; None where a version does not have it.

    `checked` is the search that violates it: that of HEAD, or that of BASE where HEAD mends it.
    Where the wording `is_reworded`, HEAD is judged by the words of BASE, and its own say otherwise.
    """

    name: str
    base: Standing | None
    head: Standing | None
    checked: Checked | None = None
    is_reworded: bool = False

    @property
    def change(self) -> Change:
        """What becomes of it."""
        match self.base, self.head:
            case _, None:
                return Change.LOST
            case Standing.VIOLATED, Standing.VIOLATED:
                return Change.STILL_VIOLATED
            case _, Standing.VIOLATED:
                return Change.BROKEN
            case _, Standing.UNKNOWN:
                return Change.OPEN
            case Standing.HOLDS, Standing.SILENT:
                return Change.SILENCED
            case Standing.VIOLATED, _:
                return Change.MENDED
            case None, _:
                return Change.GAINED
        return Change.SAME


def property_changes(
    base: Checked, head: Checked, judged: Checked | None
) -> tuple[PropertyChange, ...]:
    """Each property of two versions, in the order of BASE, then those that only HEAD has.

    `judged` is HEAD with the claims of BASE, where these are others: what BASE claims is judged in
    its own words, so that no claim is weakened unseen.
    """
    before, own = _Standings(base), _Standings(head)
    after = own if judged is None else _Standings(judged)
    changes = []
    for name in dict.fromkeys([*before.names, *own.names, *after.violated]):
        is_shared = name in before.names and name in own.names
        version = after if is_shared or name == DEADLOCK else own
        checked = version.violated.get(name, before.violated.get(name))
        is_reworded = version is not own and version.of(name) is not own.of(name)
        changes.append(
            PropertyChange(name, before.of(name), version.of(name), checked, is_reworded)
        )
    return tuple(changes)


class _Standings:
    """What a check that went on past what is violated says of each property."""

    def __init__(self, first: Checked) -> None:
        searches = list(_searches(first))
        self._last = searches[-1]
        self._is_open = isinstance(first.rest, Unchecked)
        self.violated: dict[str, Checked] = {}
        """The first search that violates a property."""
        for search in searches:
            for name in search.result.violated:
                self.violated.setdefault(name, search)
        own = [prop.name for prop in first.model.properties]
        self.names = [*own, *(name for name in self.violated if name not in own)]

    def of(self, name: str) -> Standing | None:
        """What is known of a property; None where the version does not have it."""
        if name not in self.names:
            return None
        if name in self.violated:
            return Standing.VIOLATED
        result, model = self._last.result, self._last.model
        if self._is_open or not result.is_finished or name in result.undecided(model):
            return Standing.UNKNOWN
        is_goal = model.property(name).kind is Kind.SOMETIMES
        return Standing.HOLDS if is_goal or name in result.applied else Standing.SILENT


def _searches(first: Checked) -> Iterator[Checked]:
    """The searches of a check that went on past what is violated."""
    yield first
    yield from first.others
    if isinstance(first.rest, Checked):
        yield first.rest
