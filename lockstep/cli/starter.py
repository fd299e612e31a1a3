"""`lockstep init`, `new`, `propose`, `doctor`: a workspace, a model, a change, what is missing."""

from __future__ import annotations

from lockstep.requests.others import DoctorRequest, InitRequest, NewRequest, ProposeRequest


def init(request: InitRequest, json: bool) -> int:
    """Make a workspace with a small protocol that passes all checks.

    A folder with other things in it becomes one as well: nothing that is there is changed.

    Exit codes: 0 the workspace is there, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.starter import initialized_blocks, initialized_json
    from lockstep.report.view import show
    from lockstep.verbs.new import init as initialize

    made = initialize(request)
    show(initialized_blocks(made), lambda: initialized_json(made), json=json)
    return 0


def new(request: NewRequest, json: bool) -> int:
    """Begin a protocol: model, claims, faults, scopes, twin, test.

    All of them pass as they stand.

    Exit codes: 0 the files were written, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.starter import begun_blocks, begun_json
    from lockstep.report.view import show
    from lockstep.verbs.new import new as begin

    begun = begin(request)
    show(begun_blocks(begun), lambda: begun_json(begun), json=json)
    return 0


def propose(request: ProposeRequest, json: bool) -> int:
    """Begin a proposal, which replaces or adds functions of a model.

    Exit codes: 0 the file was written, 2 the input cannot be used.
    """
    from lockstep.report.starter import proposed_blocks, proposed_json
    from lockstep.report.view import show
    from lockstep.verbs.new import propose as begin

    proposed = begin(request)
    show(proposed_blocks(proposed), lambda: proposed_json(proposed), json=json)
    return 0


def doctor(request: DoctorRequest, json: bool) -> int:
    """Say what is missing on this machine, and how to get it.

    What is absent is needed for some things only; what is missing, for all. Nothing is fetched.

    Exit codes: 0 nothing is missing, 2 something is.
    """
    from lockstep.report.starter import doctor_json, found_blocks
    from lockstep.report.view import show
    from lockstep.verbs.doctor import doctor as look

    result = look(request)
    show(found_blocks(result), lambda: doctor_json(result), json=json)
    return result.exit_code
