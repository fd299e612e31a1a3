"""`lockstep replay`: takes a saved behaviour again, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.verbs.option import json_option, option
from lockstep.verbs.replay_request import ReplayRequest

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
    json: bool = json_option()

    def __post_init__(self) -> None:
        printed = [flag for flag in ("html", "svg", "mermaid") if getattr(self, flag) == STANDARD]
        if len(printed) > 1 or (printed and self.json):
            flags = " and ".join(f"--{flag}" for flag in (*printed, *["json"] * self.json))
            raise LockstepError(f"{flags} would be printed in one", cure="write one to a file")


def replay(request: ReplayRequest, view: ReplayView) -> int:
    """Take a saved counterexample again, step by step.

    Plain Python takes each step, and what it changes is shown.

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used.
    """
    from lockstep.report.output import Output
    from lockstep.report.replay_json import replay_json
    from lockstep.report.replay_pictures import pictures_of
    from lockstep.report.replay_text import print_replay
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
    else:
        print_replay(output, result, request.pytest, [picture.file for picture in pictures])
    return int(result.exit_code)
