"""Proofs that were made in an earlier run, and need not be made again.

Kept is only what holds as the specification pins it. A violation has to be found again, for its
behaviour is written for `replay`; what is inconclusive may have been short of time; and whoever
changes constants, widths or the text by a fault asks each question once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from lockstep.results.verdict import Verdict
from lockstep.verbs.decided import Dependencies, Question, texts_of
from lockstep.verbs.failed_result import FailedResult
from lockstep.verbs.prove_result import Proved, provable_names

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.any_number import Enough
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction, Proof
    from lockstep.verbs.prove_request import ProveRequest
    from lockstep.verbs.prove_subject import Subject


def find_proof(subject: Subject, request: ProveRequest, model: Model) -> Proved | None:
    """The same proof as it was made in an earlier run; None if it has to be made."""
    if request.anew or not _is_kept(request):
        return None
    decision = proof_question(subject, request, model).find()
    if decision is None:
        return None
    proved, since = decision
    proved.since = since
    return proved


def keep_proof(proved: Proved, model: Model) -> None:
    """Keep a proof for later runs if it holds; `model` is what it was begun with."""
    subject, request = proved.subject, proved.request
    if not _is_kept(request):
        return
    question = proof_question(subject, request, model)
    # Proofs for any number of names load the text many times: it may have been edited meanwhile.
    if proof_question(subject, request, proved.model).dependencies == question.dependencies:
        proved.not_kept = question.keep(proved)
        if proved.verdict is not Verdict.HOLDS and not proved.interrupted:
            question.keep_failed(_failed(proved))


def _failed(proved: Proved) -> FailedResult:
    violation, saved = proved.violation, proved.counterexample
    return FailedResult(
        verdict=proved.verdict,
        because=proved.because,
        violates=() if violation is None else violation.properties,
        seconds=proved.seconds,
        length=None if violation is None else len(violation.trace.steps),
        trace=None if saved is None or saved.file is None else str(saved.file),
    )


def _is_kept(request: ProveRequest) -> bool:
    return request.is_pinned and request.smt is None


def proof_question(subject: Subject, request: ProveRequest, model: Model) -> Question[Proved]:
    """A proof as far as its result depends on it; `model` is what it is begun with."""
    options = {
        "model": subject.name,
        "proof": asdict(subject.proof),
        "infer": request.infer,
        "max_seconds": request.max_seconds,
    }
    dependencies = Dependencies(texts_of(model), options, ("z3-solver",))
    read = partial(_read, subject, request, model)
    return Question(subject.workspace, "prove", dependencies, _document, read, str(subject))


def _document(proved: Proved) -> dict[str, Any] | None:
    """The document of a proof that holds; None for any other."""
    if proved.verdict is not Verdict.HOLDS:
        return None
    induction, bounded, enough = proved.induction, proved.bounded, proved.enough
    return {
        "k": induction.k,
        "whole_seconds": proved.seconds,
        "seconds": induction.seconds,
        "proofs": [
            {
                "name": proof.name,
                "proved": proof.proved,
                "seconds": proof.seconds,
                "because": proof.because,
            }
            for proof in induction.proofs
        ],
        "inferred": induction.inferred,
        "idle": induction.silence.idle,
        "vacuous": induction.silence.vacuous,
        "bounded": None
        if bounded is None
        else {"depth": bounded.depth, "seconds": bounded.seconds, "searched": proved.searched},
        "enough": None if enough is None else asdict(enough),
    }


def _read(
    subject: Subject, request: ProveRequest, model: Model, document: Mapping[str, Any]
) -> Proved | None:
    """The proof that a document describes; None where it describes none that holds."""
    try:
        induction = _induction(document)
        bounded, searched = _bounded(document.get("bounded"))
        enough = _enough(document.get("enough"))
    except _Misfit:
        return None
    if enough is not None:
        from lockstep.prove.any_number import names_for

        names = names_for(enough.constant, model)
        model = subject.load({enough.constant: names(enough.names)})
    proved = Proved(subject, request, model, induction, bounded, searched, enough)
    whole = document.get("whole_seconds")
    proved.seconds = whole if isinstance(whole, float) else induction.seconds
    if not provable_names(model) <= {proof.name for proof in induction.proofs}:
        return None
    return proved if proved.verdict is Verdict.HOLDS else None


class _Misfit(Exception):
    """A part of a document is not what was written there."""


def _induction(document: Mapping[str, Any]) -> Induction:
    from lockstep.prove.proofs import Induction
    from lockstep.prove.silence import Silence

    match document:
        case {
            "k": int(k),
            "seconds": float(seconds),
            "proofs": [*proofs],
            "inferred": [*inferred],
            "idle": [*idle],
            "vacuous": [*vacuous],
        }:
            return Induction(
                k,
                proofs=[_proof(proof) for proof in proofs],
                inferred=list(_names(inferred)),
                silence=Silence(_names(idle), _names(vacuous)),
                seconds=seconds,
            )
    raise _Misfit


def _proof(document: object) -> Proof:
    from lockstep.prove.proofs import Proof

    match document:
        case {
            "name": str(name),
            "proved": bool(proved),
            "seconds": float(seconds),
            "because": str(because),
        }:
            return Proof(name, proved, seconds, because)
    raise _Misfit


def _bounded(document: object) -> tuple[BoundedResult | None, tuple[str, ...]]:
    from lockstep.prove.bounded import BoundedResult

    match document:
        case None:
            return None, ()
        case {"depth": int(depth), "seconds": float(seconds), "searched": [*searched]}:
            return BoundedResult(Verdict.HOLDS, depth, seconds), _names(searched)
    raise _Misfit


def _enough(document: object) -> Enough | None:
    from lockstep.prove.any_number import Enough

    match document:
        case None:
            return None
        case {
            "constant": str(constant),
            "names": int(names),
            "left_out": dict(left_out),
            "unread": [*unread],
        }:
            _names(left_out.values())
            return Enough(constant, names, left_out, _names(unread))
    raise _Misfit


def _names(document: Collection[object]) -> tuple[str, ...]:
    names = tuple(name for name in document if isinstance(name, str))
    if len(names) != len(document):
        raise _Misfit
    return names
