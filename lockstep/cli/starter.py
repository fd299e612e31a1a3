"""`lockstep init`, `new`, `propose`, `doctor`: a workspace, a model, a change, what is missing."""

from __future__ import annotations

from lockstep.verbs.requests import DoctorRequest, InitRequest, NewRequest, ProposeRequest


def init(request: InitRequest, json: bool) -> int:
    """Make a workspace with a small protocol, in which every check passes.

    A folder with other things in it becomes one as well: nothing that is there is changed.

    Exit codes: 0 the workspace is there, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.output import Output
    from lockstep.report.starter import initialized_json, print_initialized
    from lockstep.verbs.init import init as initialize

    output, made = Output(), initialize(request)
    output.json(initialized_json(made)) if json else print_initialized(output, made)
    return 0


def new(request: NewRequest, json: bool) -> int:
    """Begin a protocol: a model, its claims, faults, scopes, twin and test, all of which pass.

    Exit codes: 0 the files were written, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.output import Output
    from lockstep.report.starter import begun_json, print_begun
    from lockstep.verbs.new import new as begin

    output, begun = Output(), begin(request)
    output.json(begun_json(begun)) if json else print_begun(output, begun)
    return 0


def propose(request: ProposeRequest, json: bool) -> int:
    """Begin a proposal: a file that replaces functions of a model, or adds some.

    Exit codes: 0 the file was written, 2 the input cannot be used.
    """
    from lockstep.report.json import document
    from lockstep.report.output import Output
    from lockstep.verbs.propose import propose as begin
    from lockstep.words import shown_path

    output, proposed = Output(), begin(request)
    if json:
        row = {"model": proposed.model, "name": proposed.name, "file": str(proposed.file)}
        output.json(document([row], {"exit_code": 0}))
    else:
        output.line(f"wrote {shown_path(proposed.file)}")
        version = f"{proposed.model}.{proposed.name}"
        output.line(f"see what it changes with  lockstep review {proposed.model} {version}")
    return 0


def doctor(request: DoctorRequest, json: bool) -> int:
    """Say what lockstep needs and can use, what of it is there, and how to get the rest.

    What is absent is needed for some things only; what is missing, for all. Nothing is fetched.

    Exit codes: 0 nothing is missing, 2 something is.
    """
    from lockstep.report.doctor import doctor_json, print_findings
    from lockstep.report.output import Output
    from lockstep.verbs.doctor import doctor as look

    output, result = Output(), look(request)
    output.json(doctor_json(result)) if json else print_findings(output, result)
    return result.exit_code
