"""One model proved as asked on the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError, nearest, not_written
from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind
from lockstep.results.exits import INTERRUPTED
from lockstep.results.verdict import Verdict
from lockstep.system.crash import failure_of

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.any_number import Enough
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction, Obligation, Proof
    from lockstep.results.search_result import Violation
    from lockstep.results.trace import Trace
    from lockstep.specs.scopes import ModelSpec, ProofScope
    from lockstep.specs.tables import Plain
    from lockstep.workspace import Workspace

SECONDS = 60.0
"""How long a question may take unless it is said."""

_PROVABLE = (Kind.INVARIANT, Kind.STEP_INVARIANT)


@dataclass(frozen=True)
class Request:
    """What is asked of every model; None stands for what its proof says."""

    folder: Path
    constants: Mapping[str, Plain] = field(default_factory=dict)
    scope: str | None = None
    fault: str | None = None
    any_number: str | None = None
    k: int | None = None
    depth: int | None = None
    infer: bool = False
    max_seconds: float = SECONDS
    smt: Path | None = None

    @property
    def is_the_proof_itself(self) -> bool:
        """Whether what is found can be held against what the specification says is proved."""
        changed = (self.scope, self.fault, self.any_number, self.k, self.depth)
        return not self.constants and all(each is None for each in changed)

    def again(self, model: str, proof: str, scope: str | None) -> str:
        """The command that asks the same of one model in one proof, or in a scope."""
        import json

        parts = ["lockstep prove", model, f"--scope {scope}" if scope else f"--proof {proof}"]
        parts += [
            f"--set {name}={shlex.quote(json.dumps(value))}"
            for name, value in self.constants.items()
        ]
        parts += [] if self.fault is None else [f"--fault {self.fault}"]
        parts += [] if self.any_number is None else [f"--any {self.any_number}"]
        parts += [] if self.k is None else [f"--k {self.k}"]
        parts += [] if self.depth is None else [f"--depth {self.depth}"]
        parts += ["--infer"] * self.infer
        parts += [] if self.max_seconds == SECONDS else [f"--max-seconds {self.max_seconds:g}"]
        return " ".join(parts)


@dataclass(frozen=True)
class Kept:
    """Where a file is, or why there is none."""

    file: Path | None
    why_not: str | None = None


@dataclass
class Proved:
    """One model in one proof: what holds always, and what was looked at of the rest.

    `scope` is set where a scope takes the place of a proof, and `enough` where it is one for any
    number of names: the model is then that with as many. `bounded` is about the properties of
    `searched`, and None if there was no need of it. `reasons` tell why the specification
    asks for no proof of some properties, `silences` why some actions and premises are silent.
    """

    model: Model
    proof: str
    scope: str | None
    induction: Induction
    bounded: BoundedResult | None
    searched: Sequence[str]
    reasons: Mapping[str, str]
    silences: Mapping[str, str]
    again: str
    is_pinned: bool
    """Whether it is a proof of the specification, nothing being changed."""
    enough: Enough | None = None
    infers: bool = False
    saved: Kept | None = None
    """The counterexample, if there is one."""
    smt: Kept | None = None
    """The folder of the questions, if they were to be written."""

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
        """What is proved, without anything inferred, although the specification excuses it."""
        proved = [each.name for each in self.induction.proofs if each.proved and not self.infers]
        return [name for name in proved if name in self.reasons]

    @property
    def silent(self) -> dict[str, str]:
        """Actions that are never enabled and premises that are never true, and which it is."""
        found = self.induction.silence
        return {
            **dict.fromkeys(found.idle, "never enabled"),
            **dict.fromkeys(found.vacuous, "its premise is never true"),
        }

    @property
    def outspoken(self) -> list[str]:
        """What is not silent, although the specification says so; nothing where a proof is open."""
        answered = self.is_pinned and not self.interrupted and not self.open
        return [name for name in self.silences if answered and name not in self.silent]

    @property
    def unasked(self) -> list[str]:
        """Goals, `leads_to` and deadlock: no questions for an induction."""
        asked = {each.name for each in self.induction.proofs}
        names = [prop.name for prop in self.model.properties if prop.name not in asked]
        return [*names, DEADLOCK]

    @property
    def violation(self) -> Violation | None:
        """What is broken, if anything is."""
        return None if self.bounded is None else self.bounded.violation

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.induction.interrupted or (self.bounded is not None and self.bounded.interrupted)

    @property
    def verdict(self) -> Verdict:
        """`holds` if all is proved but what is excused, and nothing of that broken to its depth."""
        if self.violation is not None:
            return Verdict.VIOLATED
        if self.bounded is not None and self.bounded.error is not None:
            return Verdict.ERROR
        return Verdict.INCONCLUSIVE if self.because else Verdict.HOLDS

    @property
    def because(self) -> str:
        """Why the verdict is what it is; empty when it holds."""
        if self.violation is not None:
            return f"{', '.join(self.violation.properties)} violated"
        if self.interrupted:
            return "interrupted"
        if self.bounded is not None and self.bounded.because:
            return self.bounded.because
        if self.open:
            return f"not proved: {', '.join(each.name for each in self.open)}"
        if self.needless:
            return f"proved although excused: {', '.join(self.needless)}"
        if not any(prop.kind in _PROVABLE for prop in self.model.properties):
            return f"nothing is claimed that a proof could show of {self.model.name}"
        if self.outspoken:
            return f"not silent although excused: {', '.join(self.outspoken)}"
        return ", ".join(
            f"{name}: {what}" for name, what in self.silent.items() if name not in self.silences
        )

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        if self.interrupted:
            return INTERRUPTED
        if self.bounded is not None and self.bounded.error is not None:
            return int(ExitCode.USAGE)
        lacks_questions = self.smt is not None and self.smt.file is None
        if self.verdict is Verdict.HOLDS and lacks_questions:
            return int(ExitCode.INCONCLUSIVE)
        return int(ExitCode[self.verdict.name])


@dataclass(frozen=True)
class Unproved:
    """A model that could not be asked about: it is not well formed, or something has no term."""

    name: str
    proof: str
    error: LockstepError

    @property
    def title(self) -> str:
        """The model, and the proof if it is about one alone."""
        return f"{self.name} {self.proof}".rstrip()

    @property
    def exit_code(self) -> int:
        """3 where the solver has no term, 2 for unusable input, 70 for lockstep's mistakes."""
        return int(self.error.exit_code)


def proofs_of(spec: ModelSpec, request: Request, wanted: str | None) -> list[ProofScope]:
    """The proofs that are asked for: all of a model, the one named, or one in a scope of it.

    A model that has none is asked about in its scope `default`.
    """
    from lockstep.specs.scopes import DEFAULT_SCOPE, ProofScope

    if wanted is not None:
        if wanted in spec.proofs:
            return [spec.proofs[wanted]]
        known = ", ".join(spec.proofs) or "none"
        raise LockstepError(
            f"{spec.name} has no proof {wanted!r}",
            cure=nearest(wanted, spec.proofs, f"its proofs are: {known}"),
        )
    if request.scope is None and spec.proofs:
        return list(spec.proofs.values())
    scope = spec.scope(request.scope or DEFAULT_SCOPE)
    return [
        ProofScope(scope.name, constants=scope.constants, idle=scope.idle, vacuous=scope.vacuous)
    ]


def scope_of(spec: ModelSpec, request: Request, proof: ProofScope) -> str | None:
    """The scope that stands in for a proof; None where the proof is one of the specification."""
    return None if request.scope is None and proof.name in spec.proofs else proof.name


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
    except Exception as error:
        return Unproved(spec.name, proof.name, failure_of(error, workspace))


def constants_for(
    workspace: Workspace, name: str, proof: ProofScope, request: Request
) -> dict[str, object]:
    """A model's constants: the fault's own, under the proof's, under those that are asked for."""
    from lockstep.language.model import fault_mark

    mark = fault_mark(workspace.root, name, request.fault)
    own = {} if mark is None else mark.constants
    return {**own, **proof.constants, **request.constants}


def refuse_unknown_names(
    workspace: Workspace, spec: ModelSpec, proof: ProofScope, request: Request
) -> None:
    """Refuse a fault or a constant that the model does not have, once for all of its proofs."""
    from lockstep.language.model import load_model
    from lockstep.prove.any_number import names_for

    if request.constants or request.fault or request.any_number:
        constants = constants_for(workspace, spec.name, proof, request)
        model = load_model(workspace.root, spec.name, constants, fault=request.fault)
        if request.any_number is not None:
            names_for(request.any_number, model)


def _refuse_mistakes(spec: ModelSpec, proof: ProofScope, request: Request) -> None:
    """Refuse what does not go together in a proof."""
    mend = f"mend k in [proofs.{proof.name}] of {spec.file}"
    if proof.k < 1:
        raise LockstepError(f"an induction takes one step or more, not {proof.k}", cure=mend)
    if request.any_number is None and proof.any_number is None:
        return
    if (request.k or proof.k) > 1:
        raise LockstepError(
            "a proof for any number of names takes one step at a time",
            cure="leave out --k" if request.k else mend,
        )
    if request.infer:
        raise LockstepError(
            "--infer does not go with a proof for any number of names",
            cure="infer with the names listed, and write down what helps as a @lemma",
        )


def _prove(
    workspace: Workspace,
    spec: ModelSpec,
    proof: ProofScope,
    request: Request,
    tell: Callable[[str], None],
) -> Proved:
    from lockstep.language.model import load_model
    from lockstep.prove.any_number import names_for, prove_for_any
    from lockstep.prove.induction import prove
    from lockstep.prove.infer import comparisons
    from lockstep.prove.relation import Relation

    _refuse_mistakes(spec, proof, request)
    constants = constants_for(workspace, spec.name, proof, request)

    def load(changed: Mapping[str, object]) -> Model:
        return load_model(workspace.root, spec.name, changed, fault=request.fault, lemmas=True)

    model, enough = load(constants), None
    for name in proof.bounded:
        if name not in {prop.name for prop in model.properties}:
            raise LockstepError(
                f"{spec.name} has no property {name!r}",
                cure=f"mend [proofs.{proof.name}.bounded] in {spec.file}",
            )
    if (constant := request.any_number or proof.any_number) is not None:
        names = names_for(constant, model)
        induction, enough = prove_for_any(
            lambda these: load({**constants, constant: these}),
            constant,
            names,
            max_seconds=request.max_seconds,
            on_progress=tell,
        )
        model = load({**constants, constant: names(enough.names)})
    else:
        relation = Relation(model)
        induction = prove(
            relation,
            k=request.k or proof.k,
            inferred=comparisons(relation) if request.infer else (),
            max_seconds=request.max_seconds,
            on_progress=tell,
        )
    bounded, searched = None, model
    if not induction.interrupted:
        depth = proof.depth if request.depth is None else request.depth
        asked = [
            each for each in induction.proofs if not enough or each.name not in enough.left_out
        ]
        bounded, searched = _search(model, asked, depth, request, tell)
    scope = scope_of(spec, request, proof)
    found = Proved(
        model,
        proof.name,
        scope,
        induction,
        bounded,
        [prop.name for prop in searched.properties],
        proof.bounded if request.is_the_proof_itself else {},
        {**proof.idle, **proof.vacuous},
        request.again(spec.name, proof.name, scope),
        is_pinned=request.is_the_proof_itself,
        enough=enough,
        infers=request.infer,
    )
    if found.violation is not None:
        found.saved = keep_trace(
            workspace, request, model, scope, found.violation.trace, broken=found.violation
        )
    if request.smt is not None:
        found.smt = _write(request.smt / f"{spec.name}-{proof.name}", induction.obligations)
    return found


def _search(
    model: Model,
    proofs: Sequence[Proof],
    depth: int,
    request: Request,
    tell: Callable[[str], None],
) -> tuple[BoundedResult | None, Model]:
    """Look for what breaks a property that is not proved; the model whose properties these were.

    A lemma is looked at last: what breaks one may break what it is a help for, a step later.
    """
    from lockstep.prove.bounded import check_bounded
    from lockstep.prove.relation import Relation

    lemmas = {prop.name for prop in model.properties if is_lemma(model, prop.name)}
    stated = replace(
        model, properties=tuple(prop for prop in model.properties if prop.name not in lemmas)
    )
    missing = {each.name for each in proofs if not each.proved}
    bounded, searched = None, stated
    for asked, is_wanted in ((stated, bool(missing - lemmas)), (model, bool(missing & lemmas))):
        if is_wanted and (bounded is None or bounded.verdict is Verdict.HOLDS):
            searched = asked
            bounded = check_bounded(
                Relation(asked),
                depth,
                max_seconds=request.max_seconds,
                on_depth=lambda steps, _: tell(f"{steps} steps"),
            )
    return bounded, searched


def is_lemma(model: Model, name: str) -> bool:
    """Whether a property states no requirement and only helps to prove others."""
    from lockstep.language.notation import MARK

    return any(
        prop.name == name and getattr(prop.function, MARK).lemma for prop in model.properties
    )


def keep_trace(
    workspace: Workspace,
    request: Request,
    model: Model,
    scope: str | None,
    trace: Trace,
    *,
    broken: Violation | None = None,
    goal: str | None = None,
    start: str | None = None,
) -> Kept:
    """Save a behaviour for `lockstep replay`: to where a property is broken, or to a goal."""
    from lockstep.trace.claims import find_property
    from lockstep.trace.itf import Origin, binding_of, constants_of, save, to_json

    name = None if broken is None else broken.properties[0]
    prop = None if name is None else find_property(model, name)
    origin = Origin(
        model=model.name,
        property=name,
        scope=scope,
        fault=request.fault,
        engine="z3",
        error=None,
        constants=constants_of(model),
        goal=goal,
        start=start,
        binding=binding_of(prop, broken.parameters) if prop is not None and broken else {},
    )
    parts = [model.name, name or "found", *([request.fault] if request.fault else [])]
    file = request.folder / f"{'-'.join(parts)}.itf.json"
    try:
        if request.folder.is_relative_to(workspace.output):
            workspace.make_output()
        save(file, to_json(model, trace, origin))
    except OSError as error:
        return Kept(None, not_written(workspace.output, error))
    except LockstepError as error:
        return Kept(None, error.message)
    return Kept(file)


def _write(folder: Path, obligations: list[Obligation]) -> Kept:
    """Write each question to a file of its own; those of an earlier proof are gone then."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.smt2"):
            old.unlink()
        for number, obligation in enumerate(obligations, start=1):
            name = re.sub(r"[^A-Za-z0-9_]+", "-", obligation.name).strip("-")
            (folder / f"{number:03}-{name}.smt2").write_text(obligation.text, "utf-8")
    except OSError as error:
        return Kept(None, not_written(folder, error))
    return Kept(folder)
