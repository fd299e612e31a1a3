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

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.errors import LockstepError, nearest
from lockstep.specs.bounds import ScopeBounds, read_bounds, read_reasons
from lockstep.specs.costs import Scenario, read_scenarios
from lockstep.specs.diagrams import DiagramSpec, read_diagram
from lockstep.specs.tables import Plain, Table, read_toml
from lockstep.system.text_files import is_file

DEFAULT_SCOPE = "default"
"""The scope of `lockstep check`; `small` and `large` are the other names that are usual."""


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
    those of the scope that this one is `like`. `compare` says how the twin is held against the
    model: by the labelled graph or by its counts alone.
    """

    name: str
    purpose: str = ""
    constants: Mapping[str, Plain] = field(default_factory=dict)
    pins: Pins = Pins()
    compare: str = "counts"
    idle: Mapping[str, str] = field(default_factory=dict)
    vacuous: Mapping[str, str] = field(default_factory=dict)
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
        names = ", ".join(self.scopes) or "none"
        raise LockstepError(
            f"{self.name} has no scope {name!r} in {self.file}",
            cure=nearest(name, self.scopes, f"its scopes are: {names}"),
        )


def load_model_spec(root: Path, model: str) -> ModelSpec:
    """Read `specs/MODEL.toml` of the workspace at `root`.

    `LockstepError` naming file and key for anything that is not as it must be.
    """
    file = root / "specs" / f"{model}.toml"
    if not is_file(file):
        return ModelSpec(None, model)
    document = read_toml(file)
    head = document.table("model")
    scopes = _tables(document.optional_table("scopes"))
    proofs = _tables(document.optional_table("proofs"))
    environment = read_reasons(document.optional_table("environment"))
    mutants = read_reasons(document.optional_table("mutants"))
    costs = read_scenarios(_tables(document.optional_table("costs")))
    diagram = read_diagram(document.table("diagram")) if "diagram" in document else None
    document.finish()
    name = head.text("name")
    if name != model:
        raise head.error("name", f"is {name!r}", f"the file's name says {model!r}: make them agree")
    requirements = head.texts("requirements")
    for reference in requirements:
        if not (root / "specs" / f"{reference}.toml").is_file():
            raise head.error("requirements", f"there is no specs/{reference}.toml")
    twin, refines = head.optional_text("twin"), head.optional_text("refines")
    if refines is not None and twin is None:
        raise head.error("refines", "is there, but no twin", "name the twin that refines it")
    deadlock = head.choice("deadlock", ("forbidden", "allowed"), "forbidden")
    reason = head.optional_text("deadlock_reason")
    if deadlock != "allowed" and reason is not None:
        raise head.error(
            "deadlock_reason",
            "is there, but deadlock is forbidden",
            'a reason goes with `deadlock = "allowed"` only',
        )
    head.finish()
    return ModelSpec(
        file,
        name,
        requirements,
        twin,
        refines,
        deadlock == "allowed",
        reason,
        {key: _scope(scopes[key], key, bounds) for key, bounds in read_bounds(scopes).items()},
        {key: _proof(proofs[key], key, bounds) for key, bounds in read_bounds(proofs).items()},
        environment,
        mutants,
        costs,
        diagram,
    )


def _tables(table: Table) -> dict[str, Table]:
    return {key: table.table(key) for key in table.names()}


def _scope(table: Table, name: str, bounds: ScopeBounds) -> Scope:
    verdict = None
    if "verdict" in table:
        verdict = table.choice("verdict", ("holds", "violated"), "holds")
    violates = table.texts("violates") if "violates" in table else None
    if (verdict == "violated") != (violates is not None):
        raise table.error(
            "violates",
            "is there, but the verdict is not violated" if violates else "is missing",
            'an array of properties goes with `verdict = "violated"`, and only with it',
        )
    scope = Scope(
        name=name,
        purpose=table.optional_text("purpose") or "",
        constants=bounds.constants,
        pins=Pins(
            verdict,
            table.optional_count("states"),
            table.optional_count("transitions"),
            table.optional_count("depth"),
            violates,
        ),
        compare=table.choice("compare", ("graph", "counts"), "counts"),
        idle=bounds.idle,
        vacuous=bounds.vacuous,
        like=bounds.like,
    )
    table.finish()
    return scope


def _proof(table: Table, name: str, bounds: ScopeBounds) -> ProofScope:
    default = ProofScope(name)
    k, depth = table.optional_count("k"), table.optional_count("depth")
    proof = ProofScope(
        name=name,
        purpose=table.optional_text("purpose") or "",
        constants=bounds.constants,
        k=default.k if k is None else k,
        depth=default.depth if depth is None else depth,
        any_number=table.optional_text("any_number"),
        bounded=read_reasons(table.optional_table("bounded")),
        idle=bounds.idle,
        vacuous=bounds.vacuous,
        like=bounds.like,
    )
    table.finish()
    return proof
