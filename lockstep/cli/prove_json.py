"""What `prove --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.cli.proving import Proved, Request, Unproved
from lockstep.explore.engine import Verdict

FORMAT = 1


def prove_json(
    request: Request, results: Sequence[Proved | Unproved], exit_code: int
) -> dict[str, Any]:
    """The document: docs/reference/json.md tells what each key means."""
    return {
        "format": FORMAT,
        "command": "prove",
        "results": [_result(request, found) for found in results],
        "exit_code": exit_code,
    }


def _result(request: Request, found: Proved | Unproved) -> dict[str, Any]:
    if isinstance(found, Unproved):
        return {
            "model": found.name,
            "proof": found.proof,
            "verdict": str(Verdict.INCONCLUSIVE),
            "error": str(found.error),
        }
    bounded = found.bounded
    return {
        "model": found.model.name,
        "proof": found.proof,
        "verdict": str(found.verdict),
        "k": found.induction.k,
        "seconds": round(found.induction.seconds, 3),
        "properties": [
            {
                "name": each.name,
                "proved": each.proved,
                "seconds": round(each.seconds, 3),
                "because": each.because,
                "excused": found.reasons.get(each.name),
            }
            for each in found.induction.proofs
        ],
        "inferred": found.induction.inferred,
        "bounded": None
        if bounded is None
        else {
            "verdict": str(bounded.verdict),
            "depth": bounded.depth,
            "seconds": round(bounded.seconds, 3),
            "because": bounded.because,
        },
        "violated": list(found.violation.properties) if found.violation else [],
        "saved": None if found.saved is None else str(found.saved),
        "reproduce": request.again(found.model.name, found.proof),
    }
