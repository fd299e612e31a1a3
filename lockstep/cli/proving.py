"""One model proved as asked on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError
from lockstep.explore.engine import Verdict

if TYPE_CHECKING:
    from lockstep.explore.search import Trace, Violation
    from lockstep.language.model import Model
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.induction import Induction, Proof
    from lockstep.specs.scopes import ModelSpec, ProofScope
    from lockstep.specs.tables import Plain
    from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Request:
    """What is asked of every model; None stands for what its proof says."""

    folder: Path
    constants: Mapping[str, Plain] = field(default_factory=dict)
    scope: str | None = None
    fault: str | None = None
    k: int | None = None
    depth: int | None = None
    infer: bool = False
    max_seconds: float = 60.0
    smt: Path | None = None

    @property
    def is_the_proof_itself(self) -> bool:
        """Whether what is found can be held against what the specification says is proved."""
        changed = (self.scope, self.fault, self.k, self.depth)
        return not self.constants and all(each is None for each in changed)

    def again(self, model: str, proof: str) -> str:
        """The command that asks the same of one model in one proof."""
        import json

        parts = ["lockstep prove", model]
        parts += ["--scope", self.scope] if self.scope else ["--proof", proof]
        parts += [
            f"--set {name}={shlex.quote(json.dumps(value))}"
            for name, value in self.constants.items()
        ]
        parts += [] if self.fault is None else [f"--fault {self.fault}"]
        parts += [] if self.k is None else [f"--k {self.k}"]
        parts += [] if self.depth is None else [f"--depth {self.depth}"]
        parts += ["--infer"] * self.infer
        return " ".join(parts)


@dataclass
class Proved:
    """One model in one proof: what holds always, and what was looked at of the rest.

    `reasons` tell why the specification asks for no proof of some properties.
    """

    model: Model
    proof: str
    induction: Induction
    bounded: BoundedResult | None
    reasons: Mapping[str, str]
    saved: Path | None = None
    written: int = 0
    """How many questions were written as SMT-LIB."""

    @property
    def open(self) -> list[Proof]:
        """What is neither proved nor excused."""
        return [
            each
            for each in self.induction.proofs
            if not each.proved and each.name not in self.reasons
        ]

    @property
    def needless(self) -> list[str]:
        """What is proved although the specification says that it is not."""
        return [
            each.name for each in self.induction.proofs if each.proved and each.name in self.reasons
        ]

    @property
    def violation(self) -> Violation | None:
        """What is broken, if anything is."""
        return None if self.bounded is None else self.bounded.violation

    @property
    def verdict(self) -> Verdict:
        """`holds` if all is proved but what is excused, and nothing of that broken to its depth."""
        if self.violation is not None:
            return Verdict.VIOLATED
        unsure = self.bounded is not None and self.bounded.verdict is not Verdict.HOLDS
        return Verdict.INCONCLUSIVE if self.open or self.needless or unsure else Verdict.HOLDS

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        codes = {
            Verdict.HOLDS: ExitCode.HOLDS,
            Verdict.VIOLATED: ExitCode.VIOLATED,
            Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
        }
        return int(codes[self.verdict])


@dataclass(frozen=True)
class Unproved:
    """A model that could not be asked about: it is not well formed, or something has no term."""

    name: str
    proof: str
    error: LockstepError

    @property
    def exit_code(self) -> int:
        """3 where the solver has no term for something, 2 where the input cannot be used."""
        from lockstep.prove.values import NotProvable

        unsure = isinstance(self.error, NotProvable)
        return int(ExitCode.INCONCLUSIVE if unsure else ExitCode.USAGE)


def proofs_of(spec: ModelSpec, request: Request, wanted: str | None) -> list[ProofScope]:
    """The proofs that are asked for: all of a model, the one named, or one in a scope of it."""
    from lockstep.specs.scopes import DEFAULT_SCOPE, ProofScope

    if request.scope is not None:
        return [ProofScope(request.scope, constants=spec.scope(request.scope).constants)]
    if wanted is None:
        found = list(spec.proofs.values())
        scope = spec.scope(DEFAULT_SCOPE)
        return found or [ProofScope(DEFAULT_SCOPE, constants=scope.constants)]
    if wanted not in spec.proofs:
        known = ", ".join(spec.proofs) or "none"
        raise LockstepError(f"{spec.name} has no proof {wanted!r}", cure=f"its proofs are: {known}")
    return [spec.proofs[wanted]]


def prove_model(
    workspace: Workspace,
    spec: ModelSpec,
    proof: ProofScope,
    request: Request,
    tell: Callable[[str], None],
) -> Proved | Unproved:
    """Prove one model as asked. Errors of this model alone are in the result, not raised."""
    try:
        return _prove(workspace, spec, proof, request, tell)
    except LockstepError as error:
        return Unproved(spec.name, proof.name, error)


def _prove(
    workspace: Workspace,
    spec: ModelSpec,
    proof: ProofScope,
    request: Request,
    tell: Callable[[str], None],
) -> Proved:
    from lockstep.language.model import load_model
    from lockstep.prove.bounded import check_bounded
    from lockstep.prove.induction import prove
    from lockstep.prove.infer import comparisons
    from lockstep.prove.relation import Relation

    constants = {**proof.constants, **request.constants}
    model = load_model(workspace.root, spec.name, constants, fault=request.fault, lemmas=True)
    for name in proof.bounded:
        if name not in {prop.name for prop in model.properties}:
            raise LockstepError(
                f"{spec.name} has no property {name!r}",
                cure=f"mend [proofs.{proof.name}.bounded] in {spec.file}",
            )
    relation = Relation(model)
    induction = prove(
        relation,
        k=request.k or proof.k,
        inferred=comparisons(relation) if request.infer else (),
        max_seconds=request.max_seconds,
        on_progress=tell,
    )
    reasons = proof.bounded if request.is_the_proof_itself else {}
    bounded = None
    if any(not each.proved for each in induction.proofs):
        bounded = check_bounded(
            relation,
            proof.depth if request.depth is None else request.depth,
            max_seconds=request.max_seconds,
            on_depth=lambda depth, _: tell(f"{depth} steps"),
        )
    found = Proved(model, proof.name, induction, bounded, reasons)
    if found.violation is not None:
        found.saved = keep_trace(
            workspace, request, model, found.violation.properties[0], found.violation.trace
        )
    if request.smt is not None:
        found.written = _write(request.smt / f"{spec.name}-{proof.name}", induction)
    return found


def keep_trace(
    workspace: Workspace, request: Request, model: Model, name: str, trace: Trace
) -> Path:
    """Save a behaviour for `lockstep replay`."""
    from lockstep.trace.itf import Origin, constants_of, save, to_json

    origin = Origin(
        model=model.name,
        property=name,
        scope=request.scope,
        fault=request.fault,
        engine="z3",
        error=None,
        constants=constants_of(model),
    )
    parts = [model.name, name, *([request.fault] if request.fault else [])]
    file = request.folder / f"{'-'.join(parts)}.itf.json"
    if request.folder.is_relative_to(workspace.output):
        workspace.make_output()
    save(file, to_json(model, trace, origin))
    return file


def _write(folder: Path, induction: Induction) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for obligation in induction.obligations:
            (folder / f"{obligation.name}.smt2").write_text(obligation.text, "utf-8")
    except OSError as error:
        raise LockstepError(f"{folder} cannot be written: {error.strerror}") from None
    return len(induction.obligations)
