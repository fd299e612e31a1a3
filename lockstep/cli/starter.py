"""`lockstep init`, `new`, `propose`, `doctor`: a workspace, a model, a change, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.requests.others import DoctorRequest, InitRequest, NewRequest, ProposeRequest

if TYPE_CHECKING:
    from lockstep.verbs.new import Begun


def init(request: InitRequest, json: bool) -> int:
    """Make a workspace with a small protocol that passes all checks.

    A folder with other things in it becomes one as well: nothing that is there is changed.

    Exit codes: 0 the workspace is there, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.verbs.new import init as begin

    return _shown(begin(request), json)


def new(request: NewRequest, json: bool) -> int:
    """Begin a protocol: model, claims, faults, scopes, twin, test.

    All of them pass as they stand.

    Exit codes: 0 the files were written, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.verbs.new import new as begin

    return _shown(begin(request), json)


def propose(request: ProposeRequest, json: bool) -> int:
    """Begin a proposal, which replaces or adds functions of a model.

    Exit codes: 0 the file was written, 2 the input cannot be used.
    """
    from lockstep.verbs.new import propose as begin

    return _shown(begin(request), json)


def _shown(begun: Begun, json: bool) -> int:
    from lockstep.report.starter import begun_blocks
    from lockstep.report.view import show_answer
    from lockstep.verbs.new import begun_answer

    return show_answer(begun_blocks(begun), begun_answer(begun), json=json)


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
