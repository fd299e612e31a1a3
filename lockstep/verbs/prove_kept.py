"""Proofs that were made in an earlier run, and need not be made again.

Only what holds as the specification pins it is taken from there. A violation has to be found again,
for its behaviour is written for `replay`; what is inconclusive may have been short of time; and a
run that changes constants, widths or the text by a fault asks each question once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.errors import not_written
from lockstep.results.verdict import Verdict
from lockstep.trace.saving import Saved, save_trace
from lockstep.verbs.prove_result import Proved, provable_names

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.proofs import Obligation
    from lockstep.requests.prove import ProveRequest
    from lockstep.results.search_result import Violation
    from lockstep.results.trace import Trace
    from lockstep.verbs.prove_result import Subject


class KeptProof(msgspec.Struct, frozen=True):
    """What is kept of a `Proof`: all but the states that show what is not proved."""

    name: str
    proved: bool
    seconds: float
    because: str


class KeptSilence(msgspec.Struct, frozen=True):
    """What is kept of a `Silence`."""

    idle: tuple[str, ...]
    vacuous: tuple[str, ...]


class KeptInduction(msgspec.Struct, frozen=True):
    """What is kept of an `Induction`: all but the terms that were asked about."""

    k: int
    proofs: tuple[KeptProof, ...]
    inferred: list[str]
    silence: KeptSilence
    seconds: float


def find_proof(subject: Subject, request: ProveRequest, model: Model) -> Proved | None:
    """The same proof as it was made in an earlier run; None if it has to be made."""
    if request.anew or not _is_kept(request):
        return None
    answer = proof_question(subject, request, model).find()
    return None if answer is None else kept_proof(subject, request, model, answer)


def keep_proof(proved: Proved, model: Model) -> None:
    """Keep a proof for later runs; `model` is what it was begun with."""
    subject, request = proved.subject, proved.request
    if not _is_kept(request) or proved.interrupted:
        return
    question = proof_question(subject, request, model)
    # Proofs for any number of names load the text many times: it may have been edited meanwhile.
    if proof_question(subject, request, proved.model).dependencies == question.dependencies:
        proved.not_kept = question.keep(_answer(proved))


def _is_kept(request: ProveRequest) -> bool:
    return request.is_pinned and request.smt is None


def proof_question(subject: Subject, request: ProveRequest, model: Model) -> Question:
    """A proof as far as its result depends on it; `model` is what it is begun with."""
    options = {
        "model": subject.name,
        "proof": asdict(subject.proof),
        "infer": request.infer,
        "max_seconds": request.max_seconds,
    }
    dependencies = Dependencies(texts_of(model), options, ("z3-solver",))
    return Question(subject.workspace, "prove", subject.name, subject.proof.name, dependencies)


def _answer(proved: Proved) -> Answer:
    violation, saved = proved.violation, proved.counterexample
    violates = () if violation is None else violation.properties
    answer = Answer(
        kind="prove",
        model=proved.subject.name,
        scope=proved.subject.proof.name,
        verdict=str(proved.verdict),
        because=proved.because,
        violated=next(iter(violates), None),
        violates=violates,
        seconds=proved.seconds,
        length=None if violation is None else len(violation.trace.steps),
        trace=None if saved is None or saved.file is None else str(saved.file),
    )
    if proved.verdict is Verdict.HOLDS:
        induction = msgspec.convert(proved.induction, KeptInduction, from_attributes=True)
        document = {
            "induction": induction,
            "bounded": proved.bounded,
            "searched": proved.searched,
            "enough": proved.enough,
        }
        answer.details = msgspec.to_builtins(document)
    return answer


def kept_proof(
    subject: Subject, request: ProveRequest, model: Model, answer: Answer
) -> Proved | None:
    """The proof that an answer describes; None where it describes none that holds."""
    if answer.verdict != Verdict.HOLDS:
        return None
    try:
        proved = _proved(subject, request, model, answer.details)
    except (KeyError, msgspec.ValidationError):
        return None
    proved.seconds, proved.since = answer.seconds, answer.moment
    is_whole = provable_names(proved.model) <= {proof.name for proof in proved.induction.proofs}
    return proved if is_whole and proved.verdict is Verdict.HOLDS else None


def _proved(
    subject: Subject, request: ProveRequest, model: Model, details: dict[str, Any]
) -> Proved:
    from lockstep.prove.any_number import Enough, names_for
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction, Proof
    from lockstep.prove.unrolling import Silence

    kept = msgspec.convert(details["induction"], KeptInduction)
    bounded = msgspec.convert(details["bounded"], BoundedResult | None)
    searched = msgspec.convert(details["searched"], tuple[str, ...])
    enough = msgspec.convert(details["enough"], Enough | None)
    if enough is not None:
        names = names_for(enough.constant, model)
        model = subject.load({enough.constant: names(enough.names)})
    induction = Induction(
        kept.k,
        proofs=[Proof(**msgspec.structs.asdict(proof)) for proof in kept.proofs],
        inferred=kept.inferred,
        silence=Silence(kept.silence.idle, kept.silence.vacuous),
        seconds=kept.seconds,
    )
    return Proved(subject, request, model, induction, bounded, searched, enough)


@dataclass(frozen=True)
class Reason:
    """Why a behaviour is kept: for what it violates, or for the goal that it reaches.

    It begins in a state of which `start` is true, or in the first one.
    """

    violation: Violation | None = None
    goal: str | None = None
    start: str | None = None


def keep_trace(subject: Subject, model: Model, trace: Trace, reason: Reason) -> Saved:
    """Save a behaviour for `lockstep replay`."""
    from lockstep.trace.claims import find_property
    from lockstep.trace.itf import Origin, binding_of, constants_of

    violation = reason.violation
    name = None if violation is None else violation.properties[0]
    prop = None if name is None else find_property(model, name)
    fault = subject.widths.fault
    origin = Origin(
        model=model.name,
        property=name,
        scope=subject.scope,
        fault=fault,
        engine="z3",
        error=None,
        constants=constants_of(model),
        goal=reason.goal,
        start=reason.start,
        binding=binding_of(prop, violation.parameters) if prop and violation else {},
    )
    return save_trace(subject.workspace, model, trace, origin)


def write_questions(folder: Path, obligations: Sequence[Obligation]) -> Saved:
    """Write each question to a file of its own; those of an earlier proof are gone then."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.smt2"):
            old.unlink()
        for number, obligation in enumerate(obligations, start=1):
            name = re.sub(r"[^A-Za-z0-9_]+", "-", obligation.name).strip("-")
            (folder / f"{number:03}-{name}.smt2").write_text(obligation.text, "utf-8")
    except OSError as error:
        return Saved(None, not_written(folder, error))
    return Saved(folder)
