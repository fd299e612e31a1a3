"""`lockstep replay`: takes a saved behaviour again, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.requests import ReplayRequest

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.language.notation import State

STANDARD = Path("-")


@dataclass(frozen=True)
class ReplayView:
    """What `replay` prints, and the pictures that it writes; `-` is standard output."""

    html: Path | None = option(
        "--html", metavar="FILE", help="Write a page to walk through it, which needs no network."
    )
    svg: Path | None = option(
        "--svg", metavar="FILE", help="Write a sequence diagram as SVG; - prints it alone."
    )
    mermaid: Path | None = option(
        "--mermaid", metavar="FILE", help="Write it as Mermaid; - prints it alone."
    )
    step: bool = option(
        "--step",
        default=False,
        help="Go through it forward and back, by commands from standard input; ? lists them.",
    )
    json: bool = json_option()

    def __post_init__(self) -> None:
        printed = [flag for flag in ("html", "svg", "mermaid") if getattr(self, flag) == STANDARD]
        if len(printed) > 1 or (printed and self.json):
            flags = " and ".join(f"--{flag}" for flag in (*printed, *["json"] * self.json))
            raise LockstepError(f"{flags} would be printed in one", cure="write one to a file")


def replay(request: ReplayRequest, view: ReplayView) -> int:
    """Take a saved counterexample again, step by step.

    Plain Python takes each step, and what it changes is shown. With --on another version of the
    model takes the steps: does a change stop this?

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used. With --on: 1
    something is violated there, 0 the version does not go so, or violates nothing, 3 the recording
    does not say what the version would do.
    """
    pictures = ("--html", "--svg", "--mermaid")
    apart = {"--step": ("--json", "--pytest", *pictures), "--on": pictures}
    refuse_pairs(apart, given_flags(request, view))
    return _again(request, view) if request.on is None else _on(request, view)


def _again(request: ReplayRequest, view: ReplayView) -> int:
    """Take it on the model that it was recorded of."""
    from lockstep.report.output import Output
    from lockstep.report.replay import print_replay, replay_json, shown_behaviour, shown_origin
    from lockstep.report.replay_pictures import pictures_of
    from lockstep.report.replay_step import Walked, walk
    from lockstep.system.text_files import write_text
    from lockstep.verbs.replay import replay as run

    output, result = Output(), run(request)
    pictures = pictures_of(result, {"html": view.html, "svg": view.svg, "mermaid": view.mermaid})
    for picture in pictures:
        if picture.file != STANDARD:
            write_text(picture.file, picture.text)
    printed = [picture for picture in pictures if picture.file == STANDARD]
    if printed:
        output.line(printed[0].text.rstrip())
    elif view.json:
        output.json(replay_json(request.file, result))
    elif view.step:
        output.line(shown_origin(result.origin))
        output.line(f"{result.verdict}  {result.because}", str(result.verdict))
        shown, read = shown_behaviour(result), _reader(request, result.model)
        walk(output, Walked(result.model, shown, result.origin.fault, read))
    else:
        print_replay(output, result, request.pytest, [picture.file for picture in pictures])
    return int(result.exit_code)


def _on(request: ReplayRequest, view: ReplayView) -> int:
    """Take it on another version."""
    from lockstep.report.output import Output
    from lockstep.report.replay import print_replay_on, replay_on_json, shown_title
    from lockstep.report.replay_step import Walked, walk
    from lockstep.verbs.replay_on import replay_on

    output = Output()
    with replay_on(request) as result:
        if view.json:
            output.json(replay_on_json(request.file, result))
        elif view.step:
            output.line(shown_title(result))
            output.line(f"{result.verdict}  {result.because}", str(result.verdict))
            shown, refusal = result.violation or result.trace, result.refusal
            refused = None if refusal is None else (refusal.action, refusal.parameters)
            read = _reader(request, result.model)
            walk(output, Walked(result.model, shown, result.version.fault, read, refused))
        else:
            print_replay_on(output, result)
        return int(result.exit_code)


def _reader(request: ReplayRequest, model: Model) -> Callable[[str], Callable[[State], bool]]:
    """What reads a predicate over the states of a model."""
    from lockstep.verbs.predicate import predicate_of
    from lockstep.workspace import find_workspace

    return partial(predicate_of, request.workspace or find_workspace(), model)
