"""`lockstep report`: all that is kept of a workspace, as one page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.requests import ReportRequest


@dataclass(frozen=True)
class ReportView:
    """The file that `report` writes, and what it prints."""

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
    json: bool = json_option()

    def __post_init__(self) -> None:
        refuse_pairs(
            {"--json": ("--markdown", "--out"), "--markdown": ("--out",)}, given_flags(self)
        )


def report(request: ReportRequest, view: ReportView) -> int:
    """Show what is kept of a workspace as one page: verdicts, faults, proofs, twins, requirements.

    It checks nothing by itself: `check`, `check --faults`, `prove` and `twin` keep their results
    for the texts as they stand. What has no result is shown as not checked.

    Exit codes: 0 all was checked and holds, 1 something is violated, 2 the input cannot be used,
    3 something was not checked, or is not conclusive, 4 other counts than pinned.
    """
    from lockstep.report.output import Output
    from lockstep.report.page_html import html
    from lockstep.report.page_markdown import markdown
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.report_page import print_report, report_json, report_page
    from lockstep.report.source_links import SourceLinks
    from lockstep.system.text_files import write_text
    from lockstep.verbs.report import report as gather

    output, result = Output(), gather(request, watch=TerminalWatch())
    if view.json:
        output.json(report_json(result))
        return result.exit_code
    links = SourceLinks(view.source_url, result.revision)
    page = report_page(result, links, brief=view.markdown)
    if view.markdown:
        output.line(markdown(page).rstrip())
        return result.exit_code
    file = view.out or result.workspace.output / "report.html"
    write_text(file, html(page))
    print_report(output, result, file)
    return result.exit_code
