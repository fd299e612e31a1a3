"""What `prove --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from lockstep.language.model import Model
from lockstep.prove.proofs import MEANING
from lockstep.report.json import document, verdicts
from lockstep.results.trace import Trace
from lockstep.trace.claims import find_property
from lockstep.trace.documents import error_json, parameters_json, steps_json
from lockstep.trace.saving import Saved
from lockstep.verbs.prove import ProveRun
from lockstep.verbs.prove_request import ProveRequest
from lockstep.verbs.prove_result import Proved, Unproved, is_lemma


def prove_json(request: ProveRequest, run: ProveRun) -> dict[str, object]:
    """The document of a run."""
    rows = [
        _proved_json(result) if isinstance(result, Proved) else _unproved_json(request, result)
        for result in run.results
    ]
    proved = [result for result in run.results if isinstance(result, Proved)]
    proofs = [proof for result in proved for proof in result.induction.proofs]
    return document(
        rows,
        {
            "proofs": len(rows),
            **verdicts(rows),
            "properties": len(proofs),
            "proved": sum(proof.proved for proof in proofs),
            "seconds": round(sum(one.seconds for one in proved), 3),
            "not_asked": [str(task) for task in run.pending],
            "exit_code": run.exit_code,
        },
    )


def trace_json(model: Model, trace: Trace, written: Saved | None) -> dict[str, object]:
    """A behaviour, and where it was saved."""
    return {
        "steps": steps_json(model, trace),
        "loop": None,
        "file": None if written is None or written.file is None else str(written.file),
        "not_saved": None if written is None else written.why_not,
    }


def _proved_json(proved: Proved) -> dict[str, object]:
    induction, bounded, enough = proved.induction, proved.bounded, proved.enough
    error = None if bounded is None else bounded.error
    return {
        "model": proved.model.name,
        "proof": proved.subject.proof.name,
        "scope": proved.subject.scope,
        "fault": proved.subject.widths.fault,
        "k": induction.k,
        "any": None
        if enough is None
        else {"constant": enough.constant, "names": enough.names, "unread": list(enough.unread)},
        "verdict": str(proved.verdict),
        "seconds": round(proved.seconds, 3),
        "because": proved.because,
        "exit_code": proved.exit_code,
        "properties": [
            {
                "name": proof.name,
                "lemma": is_lemma(proved.model, proof.name),
                "proved": proof.proved,
                "seconds": round(proof.seconds, 3),
                "because": proof.because,
                "excused": proved.excuses.get(proof.name),
                "searched": bounded is not None and proof.name in (*proved.searched, MEANING),
            }
            for proof in induction.proofs
        ],
        "inferred": induction.inferred,
        "unasked": proved.unasked,
        "needless": proved.needless,
        "idle": list(induction.silence.idle),
        "vacuous": list(induction.silence.vacuous),
        "bounded": None
        if bounded is None
        else {"covered": bounded.covered, "seconds": round(bounded.seconds, 3)},
        "interrupted": proved.interrupted,
        "violation": _violation_json(proved),
        "error": None if error is None else error_json(proved.model, error),
        "trace": _trace_json(proved),
        "smt": _questions_json(proved),
        "reproduce": proved.again,
        "kept_since": None if proved.since is None else proved.since.isoformat(),
    }


def _violation_json(proved: Proved) -> dict[str, object] | None:
    violation = proved.violation
    if violation is None:
        return None
    name = violation.properties[0]
    prop = find_property(proved.model, name)
    return {
        "property": name,
        "properties": list(violation.properties),
        "requirements": list(prop.requirements) if prop else [],
        "parameters": parameters_json(prop.parameters, violation.parameters) if prop else {},
    }


def _trace_json(proved: Proved) -> dict[str, object] | None:
    if proved.violation is not None:
        return trace_json(proved.model, proved.violation.trace, proved.counterexample)
    if proved.bounded is not None and proved.bounded.meaningless is not None:
        return trace_json(proved.model, proved.bounded.meaningless, None)
    return None


def _questions_json(proved: Proved) -> dict[str, object] | None:
    questions = proved.questions
    if questions is None:
        return None
    return {
        "questions": len(proved.induction.obligations),
        "folder": None if questions.file is None else str(questions.file),
        "not_written": questions.why_not,
    }


def _unproved_json(request: ProveRequest, unproved: Unproved) -> dict[str, object]:
    """A model that could not be asked about, in the same fields as far as they have a meaning."""
    return {
        "model": unproved.name,
        "proof": unproved.proof,
        "scope": request.widths.scope,
        "fault": request.widths.fault,
        "verdict": str(unproved.verdict),
        "seconds": 0.0,
        "because": str(unproved.error),
        "exit_code": unproved.exit_code,
    }
