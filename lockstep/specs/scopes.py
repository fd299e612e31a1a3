"""`specs/MODEL.toml`: the scopes in which a model is checked, and what each is known to give.

    [scopes.small]
    purpose = "As default, with one partition."
    like = "default"
    constants = { PARTITIONS = ["p1"] }
    verdict = "holds"
    states = 9292

    [scopes.small.idle]
    "Partitions do not fail here; they do in scope default." = ["fail_partition"]

    [environment]
    "Clients ask when they like." = ["propose"]

    [costs.entry]
    to = "somebody_gets_in"
    counts = { coins = ["coin"] }

    [mutants]
    "Nothing reads the order in which they wait." = ["model.action: guard dropped: require(...)"]

    [diagram]
    lanes = ["CLIENTS", "broker"]

A scope that is `like` another has its constants and its reasons for silence, but for its own. What
a scope is known to give is always its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from lockstep.errors import LockstepError, nearest_of, unknown
from lockstep.specs.costs import Scenario, read_scenarios
from lockstep.specs.diagrams import DiagramSpec, read_diagram
from lockstep.specs.tables import NOTHING, Content, Count, Keys, Plain, Table, Texts, read_toml
from lockstep.system.text_files import is_file

DEFAULT_SCOPE = "default"
"""The scope of `lockstep check`; `small` and `large` are the other names that are usual."""

FAULT_SCOPE = "small"
"""Where a fault runs unless it names a scope; in the default scope where there is none such."""


@dataclass(frozen=True)
class Pins:
    """What a scope is known to give; None is not pinned.

    `depth` is the number of steps to the farthest state. Where the verdict is `violated`,
    `violates` names every property that is.
    """

    verdict: str | None = None
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    violates: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return any(pin is not None for pin in vars(self).values())

    @property
    def missing(self) -> list[str]:
        """The names of what is not pinned."""
        wanted = {name: pin for name, pin in vars(self).items() if name != "violates"}
        return [name for name, pin in wanted.items() if pin is None]


@dataclass(frozen=True)
class Scope:
    """The bounds in which a model is explored.

    `constants` replace the model's own values; `idle` gives, for each action that cannot fire here,
    the reason, and `vacuous` the same for properties whose premise never holds. All three include
    those of the scope that this one is `like`. `unexercised` are those of the latter that are
    vacuous in every other scope, too: no reason makes up for that. `compare` says how the twin is
    compared with the model: by the labelled graph or by its counts alone.
    """

    name: str
    purpose: str = ""
    constants: Mapping[str, Plain] = field(default_factory=dict)
    pins: Pins = Pins()
    compare: str = "counts"
    idle: Mapping[str, str] = field(default_factory=dict)
    vacuous: Mapping[str, str] = field(default_factory=dict)
    unexercised: frozenset[str] = frozenset()
    like: str | None = None


@dataclass(frozen=True)
class ProofScope:
    """The widths at which a model is proved, by induction over `k` steps.

    `any_number` is the constant whose names may be any number, if one is. `bounded` gives, for each
    property that is not proved there, the reason: it is then only looked for in behaviours of up to
    `depth` steps. `idle`, `vacuous` and `like` are as in a scope.
    """

    name: str
    purpose: str = ""
    constants: Mapping[str, Plain] = field(default_factory=dict)
    k: int = 1
    depth: int = 8
    any_number: str | None = None
    bounded: Mapping[str, str] = field(default_factory=dict)
    idle: Mapping[str, str] = field(default_factory=dict)
    vacuous: Mapping[str, str] = field(default_factory=dict)
    like: str | None = None


@dataclass(frozen=True)
class ModelSpec:
    """What is known of one model: its requirement files, its twin and its scopes.

    `refines` names the abstract module that the twin refines.

    `file` is None when there is none: the model is then explored as it stands, nothing pinned.
    `environment` gives, for each action that is the environment's, the reason why nothing is
    claimed of when it is enabled, and `mutants` the same for mutants that nothing kills. `diagram`
    says how behaviours are drawn, None where that is inferred.
    """

    file: Path | None
    name: str
    requirements: tuple[str, ...] = ()
    twin: str | None = None
    refines: str | None = None
    deadlock_allowed: bool = False
    deadlock_reason: str | None = None
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    proofs: Mapping[str, ProofScope] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    mutants: Mapping[str, str] = field(default_factory=dict)
    costs: Mapping[str, Scenario] = field(default_factory=dict)
    diagram: DiagramSpec | None = None

    def scope(self, name: str) -> Scope:
        """The scope of that name; `LockstepError` naming those there are."""
        if name in self.scopes:
            return self.scopes[name]
        if name == DEFAULT_SCOPE and not self.scopes:
            return Scope(DEFAULT_SCOPE)
        if self.file is None:
            raise LockstepError(
                f"{self.name} has no scope {name!r}: there is no specs/{self.name}.toml",
                cure=f"write one with a table [scopes.{name}]",
            )
        problem = f"{self.name} has no scope {name!r} in {self.file}"
        raise unknown(problem, name, self.scopes, "its scopes are")

    @property
    def usual_scope(self) -> Scope:
        """The scope `default`, else the first one."""
        first = next(iter(self.scopes.values()), Scope(DEFAULT_SCOPE))
        return self.scopes.get(DEFAULT_SCOPE, first)

    def fault_scope(self, name: str | None = None) -> Scope:
        """The scope that a fault names, or that of faults that name none."""
        usual = FAULT_SCOPE if FAULT_SCOPE in self.scopes else DEFAULT_SCOPE
        return self.scope(name or usual)


B = TypeVar("B", "Scope", "ProofScope")


class _Document(Keys, frozen=True):
    model: Content
    scopes: Content = NOTHING
    proofs: Content = NOTHING
    environment: Content = NOTHING
    mutants: Content = NOTHING
    costs: Content = NOTHING
    diagram: Content | None = None


class _Head(Keys, frozen=True):
    name: str
    requirements: Texts = ()
    twin: str | None = None
    refines: str | None = None
    deadlock: Literal["forbidden", "allowed"] = "forbidden"
    deadlock_reason: str | None = None


class _Bounds(Keys, frozen=True, kw_only=True):
    purpose: str = ""
    like: str | None = None
    constants: Content = NOTHING
    idle: Content = NOTHING
    vacuous: Content = NOTHING


class _Scope(_Bounds, frozen=True, kw_only=True):
    verdict: Literal["holds", "violated"] | None = None
    states: Count | None = None
    transitions: Count | None = None
    depth: Count | None = None
    violates: Texts | None = None
    compare: Literal["graph", "counts"] = "counts"


class _Proof(_Bounds, frozen=True, kw_only=True):
    k: Count = 1
    depth: Count = 8
    any_number: str | None = None
    bounded: Content = NOTHING


def load_model_spec(root: Path, model: str) -> ModelSpec:
    """Read `specs/MODEL.toml` of the workspace at `root`.

    `LockstepError` naming file and key for anything that is not as it must be.
    """
    file = root / "specs" / f"{model}.toml"
    if not is_file(file):
        return ModelSpec(None, model)
    document = read_toml(file)
    whole, table = document.read(_Document), document.table("model")
    head = table.read(_Head)
    if head.name != model:
        cure = f"the file's name says {model!r}: make them agree"
        raise table.error("name", f"is {head.name!r}", cure)
    for reference in head.requirements:
        if not (root / "specs" / f"{reference}.toml").is_file():
            raise table.error("requirements", f"there is no specs/{reference}.toml")
    if head.refines is not None and head.twin is None:
        raise table.error("refines", "is there, but no twin", "name the twin that refines it")
    if head.deadlock != "allowed" and head.deadlock_reason is not None:
        raise table.error(
            "deadlock_reason",
            "is there, but deadlock is forbidden",
            'a reason goes with `deadlock = "allowed"` only',
        )
    return ModelSpec(
        file,
        head.name,
        head.requirements,
        head.twin,
        head.refines,
        head.deadlock == "allowed",
        head.deadlock_reason,
        _exercised(_resolved(document.named("scopes"), _scope)),
        _resolved(document.named("proofs"), _proof),
        read_reasons(document.table("environment")),
        read_reasons(document.table("mutants")),
        read_scenarios(document.named("costs")),
        None if whole.diagram is None else read_diagram(document.table("diagram")),
    )


def _exercised(scopes: Mapping[str, Scope]) -> dict[str, Scope]:
    """The scopes, with what none of them exercises."""
    vacuous = [frozenset(scope.vacuous) for scope in scopes.values()]
    everywhere = frozenset.intersection(*vacuous) if vacuous else frozenset[str]()
    return {name: replace(scope, unexercised=everywhere) for name, scope in scopes.items()}


def _resolved(
    tables: Mapping[str, Table], read: Callable[[Table, str, B | None], B]
) -> dict[str, B]:
    """The scopes or the proofs in tables of one kind, each by its name.

    One that is `like` another has its constants and reasons, but for its own. `LockstepError` where
    one is like one that there is not, or like itself by way of others.
    """
    resolved: dict[str, B] = {}

    def resolve(name: str, users: tuple[str, ...] = ()) -> B:
        if name in resolved:
            return resolved[name]
        table, users = tables[name], (*users, name)
        like: object = table.content.get("like")
        if not isinstance(like, str):
            base = None  # what is no name is refused where the table is read
        elif (like := like.strip()) not in tables:
            cure = nearest_of(like, tables, "name one of")
            raise table.error("like", f"there is no {like!r} beside it", cure)
        elif like in users:
            circle = " is like ".join([*users[users.index(like) :], like])
            raise table.error(
                "like", f"goes round in a circle: {circle}", "give one its own bounds"
            )
        else:
            base = resolve(like, users)
        resolved[name] = read(table, name, base)
        return resolved[name]

    return {name: resolve(name) for name in tables}


def _scope(table: Table, name: str, base: Scope | None) -> Scope:
    read = table.read(_Scope)
    if (read.verdict == "violated") != (read.violates is not None):
        raise table.error(
            "violates",
            "is there, but the verdict is not violated" if read.violates else "is missing",
            'an array of properties goes with `verdict = "violated"`, and only with it',
        )
    pins = Pins(read.verdict, read.states, read.transitions, read.depth, read.violates)
    bounds = _bounds(table, base or Scope(name))
    return Scope(name, read.purpose, pins=pins, compare=read.compare, like=read.like, **bounds)


def _proof(table: Table, name: str, base: ProofScope | None) -> ProofScope:
    read = msgspec.structs.asdict(table.read(_Proof))
    reasons = {"bounded": read_reasons(table.table("bounded"))}
    return ProofScope(name, **{**read, **reasons, **_bounds(table, base or ProofScope(name))})


def _bounds(table: Table, base: Scope | ProofScope) -> dict[str, Any]:
    """What a scope has of its own and from the one that it is like."""
    constants = table.table("constants")
    return {
        "constants": {**base.constants, **{key: constants.plain(key) for key in constants.content}},
        "idle": {**base.idle, **read_reasons(table.table("idle"))},
        "vacuous": {**base.vacuous, **read_reasons(table.table("vacuous"))},
    }


def read_reasons(table: Table) -> dict[str, str]:
    """The reason by name, from a table that gives names by their reason: `"Why." = ["a", "b"]`."""
    reasons: dict[str, str] = {}
    for key in table.content:
        reason = key.strip()
        names = table.texts(key, 'write the reason first: "Why it is so." = ["name", "other"]')
        if not reason or not names:
            raise table.error(key, "is a reason without " + ("names" if reason else "words"))
        for name in names:
            if name in reasons:
                raise table.error(key, f"{name} has a reason already: {reasons[name]!r}")
            reasons[name] = reason
    return reasons
