"""What `review` prints for a reader: each scope as soon as it is compared."""

from __future__ import annotations

from lockstep.report.output import Output
from lockstep.report.page_text import PageText
from lockstep.report.review_page import actions_block, closing
from lockstep.report.review_scope_section import scope_section
from lockstep.verbs.review import ReviewRun, Unreviewed
from lockstep.verbs.review_actions import ActionsReview
from lockstep.verbs.review_plan import ReviewPlan
from lockstep.verbs.review_scope import ScopeReview


class ReviewText:
    """Prints each scope as soon as it is compared, and the rest at the end."""

    def __init__(self, output: Output, plan: ReviewPlan, *, brief: bool) -> None:
        self._text = PageText(output)
        self._plan = plan
        self._brief = brief

    def add(self, result: ScopeReview | Unreviewed) -> None:
        """Print one scope."""
        self._text.show([scope_section(result, brief=self._brief)])

    def actions(self, review: ActionsReview) -> None:
        """Print what becomes of the actions of two versions."""
        self._text.show([actions_block(review, brief=self._brief)])

    def finish(self, run: ReviewRun) -> None:
        """Print what was not compared, and the last line."""
        self._text.show(closing(self._plan, run))
