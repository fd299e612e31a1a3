"""What `prove --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lockstep.language.model import Model
from lockstep.prove.proofs import MEANING
from lockstep.report.json import VERSION, error_json, parameters_json, steps_json
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict, verdict_without
from lockstep.trace.claims import find_property
from lockstep.verbs.prove import Kept, Proved, Request, Unproved, is_lemma


def prove_json(
    request: Request, results: Sequence[Proved | Unproved], left: Sequence[str], exit_code: int
) -> dict[str, object]:
    """The document; `left` are the proofs that Ctrl-C kept from being tried."""
    rows = [
        _proved(request, found) if isinstance(found, Proved) else _not(request, found)
        for found in results
    ]
    proved = [found for found in results if isinstance(found, Proved)]
    proofs = [each for found in proved for each in found.induction.proofs]
    return {
        "version": VERSION,
        "results": rows,
        "summary": {
            "proofs": len(rows),
            **{str(v): sum(row["verdict"] == v for row in rows) for v in Verdict},
            "properties": len(proofs),
            "proved": sum(each.proved for each in proofs),
            "seconds": round(sum(found.induction.seconds for found in proved), 3),
            "not_asked": list(left),
            "exit_code": exit_code,
        },
    }


def one_result(row: Mapping[str, object]) -> dict[str, object]:
    """The document of a question about one model."""
    return {
        "version": VERSION,
        "results": [row],
        "summary": {"verdict": row["verdict"], "exit_code": row["exit_code"]},
    }


def trace_json(model: Model, trace: Trace, kept: Kept | None) -> dict[str, object]:
    """A behaviour, and where it was saved."""
    return {
        "steps": steps_json(model, trace),
        "loop": None,
        "file": None if kept is None or kept.file is None else str(kept.file),
        "not_saved": None if kept is None else kept.why_not,
    }


def _proved(request: Request, found: Proved) -> dict[str, object]:
    induction, bounded = found.induction, found.bounded
    error = None if bounded is None else bounded.error
    return {
        "model": found.model.name,
        "proof": found.proof,
        "scope": found.scope,
        "fault": request.fault,
        "k": induction.k,
        "any": None
        if found.enough is None
        else {
            "constant": found.enough.constant,
            "names": found.enough.names,
            "unread": list(found.enough.unread),
        },
        "verdict": str(found.verdict),
        "seconds": round(induction.seconds, 3),
        "because": found.because,
        "exit_code": found.exit_code,
        "properties": [
            {
                "name": each.name,
                "lemma": is_lemma(found.model, each.name),
                "proved": each.proved,
                "seconds": round(each.seconds, 3),
                "because": each.because,
                "excused": found.reasons.get(each.name),
                "searched": bounded is not None and each.name in (*found.searched, MEANING),
            }
            for each in induction.proofs
        ],
        "inferred": induction.inferred,
        "unasked": found.unasked,
        "needless": found.needless,
        "idle": list(induction.silence.idle),
        "vacuous": list(induction.silence.vacuous),
        "bounded": None
        if bounded is None
        else {"covered": bounded.covered, "seconds": round(bounded.seconds, 3)},
        "interrupted": found.interrupted,
        "violation": _violation(found),
        "error": None if error is None else error_json(found.model, error),
        "trace": _trace(found),
        "smt": None
        if found.smt is None
        else {
            "questions": len(induction.obligations),
            "folder": None if found.smt.file is None else str(found.smt.file),
            "not_written": found.smt.why_not,
        },
        "reproduce": found.again,
    }


def _violation(found: Proved) -> dict[str, object] | None:
    violation = found.violation
    if violation is None:
        return None
    name = violation.properties[0]
    prop = find_property(found.model, name)
    return {
        "property": name,
        "properties": list(violation.properties),
        "requirements": list(prop.requirements) if prop else [],
        "parameters": parameters_json(prop.parameters, violation.parameters) if prop else {},
    }


def _trace(found: Proved) -> dict[str, object] | None:
    if found.violation is not None:
        return trace_json(found.model, found.violation.trace, found.saved)
    if found.bounded is not None and found.bounded.meaningless is not None:
        return trace_json(found.model, found.bounded.meaningless, None)
    return None


def _not(request: Request, found: Unproved) -> dict[str, object]:
    """A model that could not be asked about, in the same fields as far as they have a meaning."""
    return {
        "model": found.name,
        "proof": found.proof,
        "scope": request.scope,
        "fault": request.fault,
        "verdict": str(verdict_without(found.error)),
        "seconds": 0.0,
        "because": str(found.error),
        "exit_code": found.exit_code,
    }
