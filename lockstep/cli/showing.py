"""The verbs that show: `drive`, `replay` a behaviour, `explore` a model, `review`, `report` all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

from lockstep.errors import LockstepError
from lockstep.requests.option import option
from lockstep.requests.others import (
    DriveRequest,
    ExploreRequest,
    MatrixRequest,
    ReplayRequest,
    ReportRequest,
)
from lockstep.requests.review import ReviewRequest

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.language.notation import State
    from lockstep.verbs.replay_result import Replay

STANDARD = Path("-")
"""Standard output, in place of a file."""

_PICTURES = ("--html", "--svg", "--mermaid")


def drive(request: DriveRequest, json: bool) -> int:
    """Drive software in step with a model, by a driver in Python.

    Every transition that can be chosen is taken, or random behaviours are. What the software shows
    must be what the model may do. A departure is shortened, and saved for `replay`.

    Exit codes: 0 it conforms, 1 it departs, 2 the input cannot be used, 3 not conclusive,
    130 interrupted.
    """
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.drive import drive_blocks
    from lockstep.report.view import show_answer
    from lockstep.verbs.drive import drive as run
    from lockstep.verbs.drive import drive_answer

    result = run(request, watch=TerminalWatch())
    return show_answer(drive_blocks(result), drive_answer(result), json=json)


@dataclass(frozen=True)
class ExploreView:
    """How the page is served."""

    port: int = option(
        "--port",
        default=0,
        least=0,
        most=65_535,
        metavar="N",
        help="The port to serve on; 0 takes one that is free.",
    )
    opens: bool = option("--open", default=False, help="Open the page in a browser.")


def explore(request: ExploreRequest, view: ExploreView, json: bool) -> int:
    """Walk a model by hand, on a page that this machine serves.

    The page shows what can be done in a state and what holds there; it takes steps and takes them
    back. It is served to this machine alone, until Ctrl-C.

    Exit codes: 2 the input cannot be used, 130 interrupted, as by Ctrl-C.
    """
    from lockstep.pages.blocks import Paragraph
    from lockstep.report.view import show_answer
    from lockstep.serve.explorer import Explorer
    from lockstep.serve.server import ExploreServer
    from lockstep.verbs.explore import explore as load
    from lockstep.verbs.explore import explore_answer

    explored = load(request)
    with ExploreServer(Explorer(explored), view.port) as server:
        answer = explore_answer(explored, server.url)
        show_answer([Paragraph(server.url)], answer, json=json)
        if view.opens:
            # A browser of the terminal ends when its reader does: the page is served meanwhile.
            Thread(target=_open, args=(server.url,), daemon=True).start()
        server.serve_forever()
    return 0


def _open(url: str) -> None:
    import webbrowser

    from lockstep.system.crash import tell

    if not webbrowser.open(url):
        tell("lockstep: there is no browser to open the page in")


@dataclass(frozen=True)
class ReportView:
    """The file that `report` writes, and what it prints."""

    apart: ClassVar = {"--json": ("--markdown", "--out"), "--markdown": ("--out",)}

    out: Path | None = option(
        "--out", metavar="FILE", help="The page. Default: .lockstep/report.html."
    )
    source_url: str | None = option(
        "--source-url",
        metavar="PATTERN",
        help="The address of a line, to make links: https://HOST/blob/{rev}/{path}#L{line}.",
    )
    markdown: bool = option(
        "--markdown",
        default=False,
        help="Print the page as Markdown without details, and write none.",
    )


def report(request: ReportRequest, view: ReportView, json: bool) -> int:
    """Show what is kept of a workspace as one page.

    It has verdicts, faults, proofs, twins and requirements.

    It checks nothing by itself: `check`, `faults`, `prove` and `twin` keep their results for the
    texts as they stand. What has no result is shown as not checked.

    Exit codes: 0 all was checked and holds, 1 something is violated, 2 the input cannot be used,
    3 something was not checked, or is not conclusive, 4 other counts than pinned.
    """
    from lockstep.pages.html import html
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.report_page import report_blocks, report_json, report_page
    from lockstep.report.source_links import SourceLinks
    from lockstep.report.view import print_page, show
    from lockstep.system.text_files import write_text
    from lockstep.verbs.report import report as gather

    result = gather(request, watch=TerminalWatch())
    if json:
        show((), lambda: report_json(result), json=True)
        return result.exit_code
    links = SourceLinks(view.source_url, result.revision)
    page = report_page(result, links, brief=view.markdown)
    if view.markdown:
        print_page(page)
        return result.exit_code
    file = view.out or result.workspace.output / "report.html"
    write_text(file, html(page))
    show(report_blocks(result, file), lambda: {}, json=False)
    return result.exit_code


@dataclass(frozen=True)
class MatrixOptions:
    """What `matrix` prints."""

    apart: ClassVar = {"--json": ("--markdown",)}

    markdown: bool = option(
        "--markdown", default=False, help="Print Markdown, as for a pull request."
    )


def matrix(request: MatrixRequest, view: MatrixOptions, json: bool) -> int:
    """Print each requirement, how it is answered, and by what.

    Exit codes: 0 every reference leads somewhere, 1 not so, 2 the input cannot be used.
    """
    from lockstep.report.matrix import matrix_json, matrix_page
    from lockstep.report.view import print_page, show
    from lockstep.verbs.matrix import matrix as run

    result = run(request)
    page = matrix_page(result)
    if view.markdown:
        print_page(page)
    else:
        show(page.blocks, lambda: matrix_json(result), json=json)
    return result.exit_code


@dataclass(frozen=True)
class ReviewOptions(MatrixOptions):
    """What `review` prints, and the file that it writes."""

    brief: bool = option(
        "--brief", default=False, help="Name what changes, and print no behaviour."
    )
    html: Path | None = option(
        "--html", metavar="FILE", help="Write a page too, which needs no network."
    )


def review(request: ReviewRequest, view: ReviewOptions, json: bool) -> int:
    """Compare two versions of a model: BASE, and HEAD with a change.

    A version is MODEL, MODEL.FAULT with a fault in place, or MODEL@NAME=VALUE with a constant
    changed; REV..REV compares all models of two git revisions. Hidden steps, and variables that
    only one of them has, are no difference.

    Exit codes: 0 HEAD breaks nothing and shows nothing new, but for what is expected, 1 it does,
    2 the input cannot be used, 3 not conclusive, or what is expected does not happen, 130
    interrupted.
    """
    from lockstep.pages.html import html
    from lockstep.report.review import ReviewView
    from lockstep.report.view import present
    from lockstep.requests.review_plan import plan_review
    from lockstep.system.text_files import write_text
    from lockstep.verbs.review.run import run_review

    with plan_review(request) as plan:
        shown, work = ReviewView(plan, brief=view.brief), partial(run_review, plan)
        run = present(shown, work, json=json, markdown=view.markdown)
        if view.html is not None:
            write_text(view.html, html(shown.page(run)))
    return run.exit_code


@dataclass(frozen=True)
class ReplayView:
    """What `replay` prints, and the pictures that it writes; `-` is standard output."""

    apart: ClassVar = {"--step": ("--json", "--pytest", *_PICTURES), "--on": _PICTURES}

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


def replay(request: ReplayRequest, view: ReplayView, json: bool) -> int:
    """Replay a saved counterexample, step by step.

    Plain Python takes each step, and what it changes is shown. With --on another version of the
    model takes the steps: does the change prevent this?

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used. With --on: 1
    something is violated there, 0 the version does not go so, or violates nothing, 3 the recording
    does not say what the version would do.
    """
    for file in (view.html, view.svg, view.mermaid, request.pytest):
        if file is not None and file != STANDARD and file.resolve() == request.file.resolve():
            raise LockstepError(
                f"{file} is the counterexample, and would be written over", cure="name another file"
            )
    printed = [flag for flag in _PICTURES if getattr(view, flag[2:]) == STANDARD]
    printed += ["--json"] * (json and bool(printed))
    if len(printed) > 1:
        raise LockstepError(
            f"{' and '.join(printed)} would be printed in one", cure="write one to a file"
        )
    from lockstep.verbs.replay import replay_on

    with replay_on(request) as result:
        return _shown(request, view, result, json)


def _shown(request: ReplayRequest, view: ReplayView, result: Replay, json: bool) -> int:
    from lockstep.pages.blocks import Paragraph
    from lockstep.pages.output import Output, PageText
    from lockstep.report.replay import pictures_of, replay_blocks, shown_title, verdict_line
    from lockstep.report.replay_step import walk
    from lockstep.report.view import show_answer
    from lockstep.system.text_files import write_text
    from lockstep.verbs.replay_result import replay_answer

    output = Output()
    pictures = pictures_of(result, {"html": view.html, "svg": view.svg, "mermaid": view.mermaid})
    for picture in pictures:
        if picture.file != STANDARD:
            write_text(picture.file, picture.text)
    printed = [picture for picture in pictures if picture.file == STANDARD]
    if printed:
        output.line(printed[0].text.rstrip())
    elif view.step:
        PageText(output).show([Paragraph(shown_title(result)), verdict_line(result)])
        walk(output, result, _reader(request, result.model))
    else:
        blocks = replay_blocks(result, request.pytest, [picture.file for picture in pictures])
        show_answer(blocks, replay_answer(request.file, result), json=json)
    return result.exit_code


def _reader(request: ReplayRequest, model: Model) -> Callable[[str], Callable[[State], bool]]:
    """What reads a predicate over the states of a model."""
    from lockstep.verbs.explore import predicate_of
    from lockstep.workspace import find_workspace

    return partial(predicate_of, request.workspace or find_workspace(), model)
