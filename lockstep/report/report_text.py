"""What `report` prints: what is broken, what was not checked, and where the page is."""

from __future__ import annotations

from pathlib import Path

from lockstep.report.output import Output
from lockstep.report.page_text import PageText
from lockstep.report.report_page import broken_section, open_section, summary
from lockstep.verbs.report_result import Report
from lockstep.words import shown_path


def print_report(output: Output, report: Report, file: Path) -> None:
    """Print the sum of a report; `file` is the page that was written."""
    text = PageText(output)
    text.show(broken_section(report))
    text.show(open_section(report))
    for line in report.history.damaged:
        output.line(f"{shown_path(report.history.file)}:{line} is damaged: it is passed over")
    output.line(f"{report.verdict}  {summary(report)}", str(report.verdict))
    output.line(f"written to {shown_path(file)}")
