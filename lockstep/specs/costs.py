"""Named scenarios of `specs/MODEL.toml`: from where to where, and what is counted on the way.

    [costs.new_leader]
    purpose = "How a refused client reaches the new leader."
    from = "client_is_refused"
    to = "new_leader_is_asked"
    without = ["elect", "lose"]

    [costs.new_leader.counts]
    requests = ["send", "retry_at_once"]
    bytes = "bytes_sent"

`from` and `to` are `sometimes` properties. What is counted is a list of actions, each worth 1, or a
`measure`, which says of each step what it is worth.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from lockstep.errors import unknown
from lockstep.language.notation import Kind
from lockstep.specs.tables import Content, Keys, Table, Texts, placed

if TYPE_CHECKING:
    from lockstep.language.model import Model

Counted: TypeAlias = "tuple[str, ...] | str"
"""Actions that are worth 1 each, or the name of a measure."""

_NAME = re.compile(r"\w[\w-]*")
_LETTERS = "use letters, digits and _"
_CURE = 'write a list of actions, ["send"], or the name of a measure, "bytes_sent"'


@dataclass(frozen=True)
class Scenario:
    """What is counted of each behaviour, from one point to a goal.

    Counting begins whenever `begin` becomes true, or in the initial state where it is None, and
    ends in the first state in which `goal` is true. Behaviours that take one of the actions
    `without` on that way are left out. `counts` says what is counted, by the name of the count.
    """

    name: str
    purpose: str
    begin: str | None
    goal: str
    without: tuple[str, ...]
    counts: Mapping[str, Counted]


class _Scenario(Keys, frozen=True):
    to: str
    counts: Content
    purpose: str = ""
    begin: str | None = msgspec.field(name="from", default=None)
    without: Texts = ()


def read_scenarios(tables: Mapping[str, Table]) -> dict[str, Scenario]:
    """The scenarios in the tables of `[costs]`, each by its name."""
    return {name: _scenario(table, name) for name, table in tables.items()}


def _scenario(table: Table, name: str) -> Scenario:
    if not _NAME.fullmatch(name):
        raise table.error(None, "is no name of a scenario", _LETTERS)
    read, counts = table.read(_Scenario), table.table("counts")
    if not read.counts:
        raise counts.error(None, "counts nothing", 'write what is counted: messages = ["send"]')
    counted = {key: _counted(counts, key) for key in read.counts}
    return Scenario(name, read.purpose, read.begin, read.to, read.without, counted)


def _counted(counts: Table, key: str) -> Counted:
    if not _NAME.fullmatch(key):
        raise counts.error(key, "is no name of a count", _LETTERS)
    value = counts.plain(key)
    if isinstance(value, str):
        return value
    if not isinstance(value, tuple) or not value:
        raise counts.error(key, f"is {value!r}, not what is counted", _CURE)
    names = tuple(name for name in value if isinstance(name, str))
    if names != value:
        raise counts.error(key, "has something that is no name", _CURE)
    return names


def check_scenarios(model: Model, scenarios: Mapping[str, Scenario], file: Path | None) -> None:
    """Refuse a name in a scenario that the model does not have, with its line in the file."""
    if file is None:
        return
    goals = {prop.name for prop in model.of_kind(Kind.SOMETIMES)}
    actions = {action.name for action in model.actions}
    measures = {measure.name for measure in model.measures}

    def must_be_in(names: Collection[str], name: str, key: str, what: str) -> None:
        if name not in names:
            problem = f"{placed(file, key, name)}: {model.name} has no {what} {name!r}"
            raise unknown(problem, name, sorted(names), "there are")

    for scenario in scenarios.values():
        where = f"costs.{scenario.name}"
        for key, goal in (("from", scenario.begin), ("to", scenario.goal)):
            if goal is not None:
                must_be_in(goals, goal, f"{where}.{key}", "`sometimes`")
        for name in scenario.without:
            must_be_in(actions, name, f"{where}.without", "action")
        for key, counted in scenario.counts.items():
            if isinstance(counted, str):
                must_be_in(measures, counted, f"{where}.counts.{key}", "measure")
            else:
                for name in counted:
                    must_be_in(actions, name, f"{where}.counts.{key}", "action")
