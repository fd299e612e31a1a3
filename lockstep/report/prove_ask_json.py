"""What `prove --find`, `--from` and `--equal` print with `--json`."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.report.json import document
from lockstep.report.prove import trace_json
from lockstep.report.prove_ask_text import effects
from lockstep.verbs.ask import Compared, Searched


def search_json(searched: Searched) -> dict[str, object]:
    """The document of a search for a behaviour."""
    request, result, trace = searched.request, searched.result, searched.trace
    return _document(
        {
            "model": searched.subject.name,
            "proof": searched.subject.proof.name,
            "fault": request.widths.fault,
            "predicate": request.goal,
            "start": request.start,
            "verdict": str(searched.verdict),
            "seconds": round(result.seconds, 3),
            "because": searched.because,
            "exit_code": searched.exit_code,
            "covered": result.covered,
            "properties": list(searched.violated),
            "trace": None if trace is None else trace_json(searched.model, trace, searched.written),
        }
    )


def comparison_json(compared: Compared) -> dict[str, object]:
    """The document of a comparison of two actions."""
    request = compared.request
    return _document(
        {
            "model": compared.subject.name,
            "proof": compared.subject.proof.name,
            "fault": request.widths.fault,
            "actions": list(request.actions),
            "verdict": str(compared.verdict),
            "exit_code": compared.exit_code,
            "differ": effects(compared),
        }
    )


def _document(row: Mapping[str, object]) -> dict[str, object]:
    return document(
        [row],
        {"verdict": row["verdict"], "exit_code": row["exit_code"]},
    )
