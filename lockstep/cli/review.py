"""`lockstep review`: what a change changes, property by property and behaviour by behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.review_request import ReviewRequest


@dataclass(frozen=True)
class ReviewView:
    """What `review` prints, and the file that it writes."""

    brief: bool = option(
        "--brief", default=False, help="Name what changes, and print no behaviour."
    )
    markdown: bool = option(
        "--markdown", default=False, help="Print Markdown, as for a pull request."
    )
    html: Path | None = option(
        "--html", metavar="FILE", help="Write a page too, which needs no network."
    )
    json: bool = json_option()

    def __post_init__(self) -> None:
        refuse_pairs({"--json": ("--markdown",)}, given_flags(self))


def review(request: ReviewRequest, view: ReviewView) -> int:
    """Compare two versions of a model: BASE, and HEAD with a change.

    A version is MODEL, MODEL.FAULT with a fault in place, or MODEL@NAME=VALUE with a constant
    changed; REV..REV compares all models of two git revisions. Hidden steps, and variables that
    only one of them has, are no difference.

    Exit codes: 0 HEAD breaks nothing and shows nothing new, but for what is expected, 1 it does,
    2 the input cannot be used, 3 not conclusive, or what is expected does not happen, 130
    interrupted.
    """
    from lockstep.report.output import Output
    from lockstep.report.page_html import html
    from lockstep.report.page_markdown import markdown
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.review_json import review_json
    from lockstep.report.review_page import ReviewText, review_page
    from lockstep.system.text_files import write_text
    from lockstep.verbs.review import plan_review, run_review

    output, watch = Output(), TerminalWatch()
    with plan_review(request) as plan:
        if view.json:
            run = run_review(plan, watch=watch)
            output.json(review_json(plan, run))
        elif view.markdown:
            run = run_review(plan, watch=watch)
            output.line(markdown(review_page(plan, run, brief=view.brief)).rstrip())
        else:
            text = ReviewText(output, plan, brief=view.brief)
            run = run_review(plan, on_result=text.add, on_actions=text.actions, watch=watch)
            text.finish(run)
        if view.html is not None:
            write_text(view.html, html(review_page(plan, run, brief=view.brief)))
    return run.exit_code
