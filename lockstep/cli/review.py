"""`lockstep review`: what a change changes, property by property and behaviour by behaviour."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import json_option, option
from lockstep.verbs.review_request import ReviewRequest


@dataclass(frozen=True)
class ReviewView:
    """What `review` prints."""

    brief: bool = option(
        "--brief", default=False, help="Name what changes, and print no behaviour."
    )
    json: bool = json_option()


def review(request: ReviewRequest, view: ReviewView) -> int:
    """Compare two versions of a model: BASE, and HEAD with a change.

    A version is MODEL, MODEL.FAULT with a fault in place, or MODEL@NAME=VALUE with a constant
    changed; REV..REV compares all models of two git revisions. Hidden steps, and variables that
    only one of them has, are no difference.

    Exit codes: 0 HEAD breaks nothing and shows nothing new, 1 it does, 2 the input cannot be used,
    3 not conclusive, 130 interrupted.
    """
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.review_json import review_json
    from lockstep.report.review_text import ReviewText
    from lockstep.verbs.review import plan_review, run_review

    output = Output()
    with plan_review(request) as plan:
        if view.json:
            run = run_review(plan, watch=TerminalWatch())
            output.json(review_json(plan, run))
        else:
            text = ReviewText(output, plan, brief=view.brief)
            run = run_review(
                plan, on_result=text.add, on_actions=text.actions, watch=TerminalWatch()
            )
            text.finish(run)
    return run.exit_code
