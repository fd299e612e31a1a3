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
from lockstep.requests.run import judged_answer
from lockstep.results.verdict import Verdict
from lockstep.trace.documents import claim_json, error_json, steps_json
from lockstep.trace.itf import Saved, save_trace
from lockstep.verbs.prove_result import Proved, Unproved, is_lemma, provable_names

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.proofs import Obligation
    from lockstep.requests.prove import ProveRequest
    from lockstep.results.search_result import Violation
    from lockstep.results.trace import Trace
    from lockstep.verbs.prove_result import Subject


class PropertyDetails(msgspec.Struct, kw_only=True):
    """What is known of one property."""

    name: str
    """Last is `the text always has a meaning`."""
    lemma: bool
    """Whether it states no requirement, and only helps to prove others."""
    proved: bool
    seconds: float
    """Time of the last questions about it alone."""
    because: str
    """Why it is not proved, or empty."""
    excused: str | None
    """Why no proof is asked for, as `specs/` says."""
    searched: bool
    """Whether `bounded` is about it."""


class BoundedDetails(msgspec.Struct, kw_only=True):
    """The search for a violation."""

    verdict: Verdict
    depth: int
    """Up to how many steps it went; nothing is known of the last one unless it `holds`."""
    covered: int | None
    """Up to how many steps nothing is broken; null if nothing is known."""
    seconds: float
    because: str
    """Why it ended early, or empty."""


class EnoughDetails(msgspec.Struct, kw_only=True):
    """Why a proof with a few names of a constant is one for any number of them."""

    constant: str
    names: int
    """With how many names it was made at most."""
    left_out: dict[str, str]
    """Properties for which that is not so, and why."""
    unread: tuple[str, ...]
    """Variables that nothing which is proved reads, and that are not asked about."""


class ProveDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a proof has."""

    k: int
    """Over how many steps the induction went."""
    properties: tuple[PropertyDetails, ...]
    """Each invariant of states and steps, and that the text has a meaning."""
    inferred: tuple[str, ...]
    """What `--infer` added, of which some proof makes use."""
    idle: tuple[str, ...]
    """Actions that are never enabled in all states in which holds what is proved: makes it
    `inconclusive` unless `specs/` has a reason."""
    vacuous: tuple[str, ...]
    """Invariants whose premise is never true there: the same."""
    induction_seconds: float
    """Time of the induction alone."""
    bounded: BoundedDetails | None
    """The search for a violation; null where all is proved."""
    searched: tuple[str, ...]
    """The properties that it is about."""
    enough: EnoughDetails | None
    """Of a proof for any number of names, else null."""
    unasked: tuple[str, ...]
    """Goals, `leads_to` and `deadlock`: a proof says nothing of them."""
    needless: tuple[str, ...]
    """What is excused in `specs/`, and proved: makes it `inconclusive`."""
    interrupted: bool
    """Whether Ctrl-C ended it."""
    from_scope: str | None
    """The scope that took the place of a proof."""
    requirements: tuple[str, ...]
    """The requirements that the property `violated` states."""
    parameters: dict[str, Any]
    """The parameters for which that property fails."""
    steps: list[dict[str, Any]] | None
    """The counterexample, or the way to where the text has no meaning: the `action` and the
    `parameters` of each step."""
    not_saved: str | None
    """Why there is no file of the counterexample."""
    error: dict[str, Any] | None
    """Where the text has no meaning, as under [`check`](#check)."""
    smt: dict[str, Any] | None
    """With `--smt`: how many `questions`, the `folder` they were written to, or null and
    `not_written`, why: a proof then ends with exit code 3."""
    reproduce: str
    """The command that asks the same again."""


def find_proof(subject: Subject, model: Model) -> Proved | None:
    """The same proof as it was made in an earlier run; None if it has to be made."""
    if subject.request.anew or not _is_kept(subject.request):
        return None
    answer = proof_question(subject, model).find()
    return None if answer is None else kept_proof(subject, model, answer)


def keep_proof(proved: Proved, model: Model) -> None:
    """Keep a proof for later runs; `model` is what it was begun with."""
    subject, request = proved.subject, proved.subject.request
    if not _is_kept(request) or proved.interrupted:
        return
    question = proof_question(subject, model)
    # Proofs for any number of names load the text many times: it may have been edited meanwhile.
    if proof_question(subject, proved.model).dependencies == question.dependencies:
        proved.not_kept = question.keep(proof_answer(proved, request))


def _is_kept(request: ProveRequest) -> bool:
    return request.is_pinned and request.smt is None


def proof_question(subject: Subject, model: Model) -> Question:
    """A proof as far as its result depends on it; `model` is what it is begun with."""
    request = subject.request
    options = {
        "model": subject.name,
        "proof": asdict(subject.proof),
        "infer": request.infer,
        "max_seconds": request.max_seconds,
    }
    dependencies = Dependencies(texts_of(model), options, ("z3-solver",))
    return Question(subject.workspace, "prove", subject.name, subject.proof.name, dependencies)


def proof_answer(result: Proved | Unproved, request: ProveRequest) -> Answer:
    """The answer of a proof that was asked for."""
    asked: dict[str, Any] = {
        "fault": request.fault,
        "constants": dict(request.constants),
        "engine": "z3",
    }
    if isinstance(result, Unproved):
        return judged_answer("prove", result, model=result.name, scope=result.proof, **asked)
    proofs, saved, trace = result.induction.proofs, result.counterexample, _trace(result)
    violates = () if result.violation is None else result.violation.properties
    return judged_answer(
        "prove",
        result,
        model=result.subject.name,
        scope=result.subject.proof.name,
        because=result.because,
        violated=next(iter(violates), None),
        violates=violates,
        seconds=result.seconds,
        length=None if trace is None else len(trace.steps),
        trace=saved.place,
        judged=f"{sum(proof.proved for proof in proofs)}/{len(proofs)}",
        since=result.since,
        details=_details(result),
        **asked,
    )


def _trace(proved: Proved) -> Trace | None:
    """The behaviour that violates something, or that ends where the text has no meaning."""
    if proved.violation is not None:
        return proved.violation.trace
    return None if proved.bounded is None else proved.bounded.meaningless


def _details(proved: Proved) -> ProveDetails:
    from lockstep.prove.proofs import MEANING

    model, induction, bounded = proved.model, proved.induction, proved.bounded
    saved, trace = proved.counterexample, _trace(proved)
    error = None if bounded is None else bounded.error
    searched = () if bounded is None else (*proved.searched, MEANING)
    properties = [
        {
            **vars(proof),
            "lemma": is_lemma(model, proof.name),
            "excused": proved.excuses.get(proof.name),
            "searched": proof.name in searched,
        }
        for proof in induction.proofs
    ]
    values = {
        **vars(induction),
        **vars(induction.silence),
        "properties": properties,
        "induction_seconds": induction.seconds,
        "bounded": bounded,
        "searched": proved.searched,
        "enough": proved.enough,
        "unasked": proved.unasked,
        "needless": proved.needless,
        "interrupted": proved.interrupted,
        "from_scope": proved.subject.scope,
        **claim_json(model, proved.violation),
        "steps": None if trace is None else steps_json(model, trace),
        "not_saved": saved.why_not,
        "error": None if error is None else error_json(model, error),
        "smt": _questions(proved),
        "reproduce": proved.again,
    }
    return msgspec.convert(values, ProveDetails, from_attributes=True)


def _questions(proved: Proved) -> dict[str, object] | None:
    questions = proved.questions
    if questions is None:
        return None
    return {
        "questions": len(proved.induction.obligations),
        "folder": questions.place,
        "not_written": questions.why_not,
    }


def kept_proof(subject: Subject, model: Model, answer: Answer) -> Proved | None:
    """The proof that an answer describes; None where it describes none that holds."""
    if answer.verdict != Verdict.HOLDS:
        return None
    try:
        proved = _proved(subject, model, answer.details)
    except msgspec.ValidationError:
        return None
    proved.seconds, proved.since = answer.seconds, answer.since
    is_whole = provable_names(proved.model) <= {proof.name for proof in proved.induction.proofs}
    return proved if is_whole and proved.verdict is Verdict.HOLDS else None


def _proved(subject: Subject, model: Model, details: dict[str, Any]) -> Proved:
    from lockstep.prove.any_number import Enough, names_for
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction, Proof
    from lockstep.prove.unrolling import Silence

    kept = msgspec.convert(details, ProveDetails)
    bounded = msgspec.convert(details["bounded"], BoundedResult | None)
    enough = msgspec.convert(details["enough"], Enough | None)
    if enough is not None:
        names = names_for(enough.constant, model)
        model = subject.load({enough.constant: names(enough.names)})
    induction = Induction(
        kept.k,
        proofs=[Proof(one.name, one.proved, one.seconds, one.because) for one in kept.properties],
        inferred=list(kept.inferred),
        silence=Silence(kept.idle, kept.vacuous),
        seconds=kept.induction_seconds,
    )
    return Proved(subject, model, induction, bounded, kept.searched, enough)


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
    from lockstep.trace.itf import Origin, binding_of

    violation = reason.violation
    name = None if violation is None else violation.properties[0]
    prop = None if name is None else model.find_property(name)
    origin = Origin.of(
        model,
        name,
        scope=subject.scope,
        fault=subject.request.fault,
        engine="z3",
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
