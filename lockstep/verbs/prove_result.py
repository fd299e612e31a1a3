"""What comes of `prove`: one result a proof, and what each proof is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError, unknown
from lockstep.language.faults import fault_constants, marks_in_place
from lockstep.language.model import DEADLOCK, load_model
from lockstep.language.notation import MARK, Kind
from lockstep.requests.run import Failure, Judged
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.verdict import Verdict, exit_code_of, worst
from lockstep.specs.scopes import DEFAULT_SCOPE, ProofScope, load_model_spec
from lockstep.trace.itf import NOTHING_SAVED, Saved

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.any_number import Enough
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction, Proof
    from lockstep.requests.prove import ProveRequest
    from lockstep.results.search_result import Violation
    from lockstep.specs.scopes import ModelSpec
    from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Subject:
    """One model at the widths of a proof, or of the `scope` that takes the place of one."""

    workspace: Workspace
    spec: ModelSpec
    proof: ProofScope
    scope: str | None
    request: ProveRequest

    def __str__(self) -> str:
        return f"{self.name} {self.proof.name}"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.spec.name

    def load(self, changes: Mapping[str, object] | None = None, *, lemmas: bool = True) -> Model:
        """The model: the fault's constants, under the proof's, under those that are asked for.

        `changes` are constants over all these. LockstepError as of `load_model`.
        """
        root, fault = self.workspace.root, self.request.fault
        constants = {
            **fault_constants(marks_in_place(root, self.name, fault)),
            **self.proof.constants,
            **self.request.constants,
            **(changes or {}),
        }
        return load_model(root, self.name, constants, fault=fault, lemmas=lemmas)


def load_subjects(
    workspace: Workspace, name: str, request: ProveRequest, *, with_proofs_only: bool = False
) -> list[Subject]:
    """What is asked about of a model: all its proofs, the one named, or one in a scope of it.

    A model that has none is asked about in its scope `default`, or not at all. LockstepError for a
    damaged specification, and for a proof or scope that it does not have.
    """
    spec = load_model_spec(workspace.root, name)
    if with_proofs_only and not spec.proofs:
        return []
    return [
        Subject(
            workspace,
            spec,
            proof,
            scope=None if request.scope is None and proof.name in spec.proofs else proof.name,
            request=request,
        )
        for proof in _proofs(spec, request)
    ]


def load_subject(workspace: Workspace, name: str, request: ProveRequest) -> Subject:
    """The one proof or scope that a question is about; LockstepError where there are several."""
    subject, *others = load_subjects(workspace, name, request)
    if others:
        proofs = ", ".join(subject.spec.proofs)
        raise LockstepError(f"{name} has several proofs", cure=f"name one by --proof: {proofs}")
    return subject


def _proofs(spec: ModelSpec, request: ProveRequest) -> list[ProofScope]:
    if request.proof is not None:
        if request.proof in spec.proofs:
            return [spec.proofs[request.proof]]
        problem = f"{spec.name} has no proof {request.proof!r}"
        raise unknown(problem, request.proof, spec.proofs, "its proofs are")
    if request.scope is None and spec.proofs:
        return list(spec.proofs.values())
    scope = spec.scope(request.scope or DEFAULT_SCOPE)
    return [
        ProofScope(scope.name, constants=scope.constants, idle=scope.idle, vacuous=scope.vacuous)
    ]


_PROVABLE = (Kind.INVARIANT, Kind.STEP_INVARIANT)


@dataclass
class Proved(Judged, ShownInNotebooks):
    """One model in one proof: what holds always, and what was looked for of the rest.

    `enough` is set where it is a proof for any number of names: the model is then that with as
    many. `bounded` is about the properties of `searched`, and None if there was no need of it.
    """

    subject: Subject
    model: Model
    induction: Induction
    bounded: BoundedResult | None = None
    searched: tuple[str, ...] = ()
    enough: Enough | None = None
    counterexample: Saved = NOTHING_SAVED
    """The file of the behaviour that violates something, if there is one."""
    questions: Saved | None = None
    """The folder of the questions, if they were to be written."""
    since: datetime | None = None
    """When it was decided, where that was in an earlier run."""
    not_kept: str | None = None
    """Why a later run has to decide it again, where the decision could not be written."""
    seconds: float = 0.0
    """How long all of it took: the induction, and the search for what it leaves open."""

    @property
    def again(self) -> str:
        """The command that asks the same again."""
        subject = self.subject
        return subject.request.again(subject.name, subject.proof.name, subject.scope)

    @property
    def excuses(self) -> Mapping[str, str]:
        """For each property of which the specification asks for no proof, its reason."""
        return self.subject.proof.bounded if self.subject.request.is_pinned else {}

    @property
    def excused_silences(self) -> Mapping[str, str]:
        """For each action and premise that may be silent, the reason in the specification."""
        return {**self.subject.proof.idle, **self.subject.proof.vacuous}

    @property
    def open_proofs(self) -> list[Proof]:
        """What is neither proved nor excused."""
        return [
            proof
            for proof in self.induction.proofs
            if not proof.proved and proof.name not in self.excuses
        ]

    @property
    def needless(self) -> list[str]:
        """What is proved, without anything inferred, although the specification excuses it."""
        if self.subject.request.infer:
            return []
        proved = [proof.name for proof in self.induction.proofs if proof.proved]
        return [name for name in proved if name in self.excuses]

    @property
    def silent(self) -> dict[str, str]:
        """Actions that are never enabled and premises that are never true, and which it is."""
        silence = self.induction.silence
        return {
            **dict.fromkeys(silence.idle, "never enabled"),
            **dict.fromkeys(silence.vacuous, "its premise is never true"),
        }

    @property
    def outspoken(self) -> list[str]:
        """What is not silent, although the specification says so; nothing where a proof is open."""
        if not self.subject.request.is_pinned or self.interrupted or self.open_proofs:
            return []
        return [name for name in self.excused_silences if name not in self.silent]

    @property
    def unasked(self) -> list[str]:
        """Goals, `leads_to` and deadlock: no questions for an induction."""
        proofs = {proof.name for proof in self.induction.proofs}
        return [*(prop.name for prop in self.model.properties if prop.name not in proofs), DEADLOCK]

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
        if self.open_proofs:
            return f"not proved: {', '.join(proof.name for proof in self.open_proofs)}"
        if self.needless:
            return f"proved although excused: {', '.join(self.needless)}"
        if not provable_names(self.model):
            return f"nothing is claimed that a proof could show of {self.model.name}"
        if self.outspoken:
            return f"not silent although excused: {', '.join(self.outspoken)}"
        return ", ".join(
            f"{name}: {what}"
            for name, what in self.silent.items()
            if name not in self.excused_silences
        )

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        lacks_questions = self.questions is not None and self.questions.file is None
        code = exit_code_of(self.verdict, interrupted=self.interrupted)
        return worst([code, *[int(ExitCode.INCONCLUSIVE)] * lacks_questions])


@dataclass(frozen=True)
class Unproved(Failure, ShownInNotebooks):
    """A model that could not be asked about: it is not well formed, or something has no term."""

    name: str
    proof: str
    error: LockstepError

    def __str__(self) -> str:
        """The model, and the proof if it is about one alone."""
        return f"{self.name} {self.proof}".rstrip()


def provable_names(model: Model) -> set[str]:
    """The properties that an induction is about: invariants of states and of steps."""
    return {prop.name for prop in model.properties if prop.kind in _PROVABLE}


def is_lemma(model: Model, name: str) -> bool:
    """Whether a property states no requirement and only helps to prove others."""
    prop = model.find_property(name)
    return prop is not None and getattr(prop.function, MARK).lemma
