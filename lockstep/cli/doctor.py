"""`lockstep doctor`: says what is there, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.doctor_request import DoctorRequest
from lockstep.verbs.option import json_option


@dataclass(frozen=True)
class DoctorView:
    """What `doctor` prints."""

    json: bool = json_option()


def doctor(request: DoctorRequest, view: DoctorView) -> int:
    """Say what lockstep needs and can use, what of it is there, and how to get the rest.

    What is absent is needed for some things only; what is missing, for all. Nothing is fetched.

    Exit codes: 0 nothing is missing, 2 something is.
    """
    from lockstep.report.doctor import doctor_json, print_findings
    from lockstep.report.output import Output
    from lockstep.verbs.doctor import doctor as look

    output, result = Output(), look(request)
    if view.json:
        output.json(doctor_json(result))
    else:
        print_findings(output, result)
    return result.exit_code
