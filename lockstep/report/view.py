"""How the run of any verb is shown: as text while it goes on, as a page, as JSON, to CI.

A verb says what blocks there are: before its results, of each, and at the end. Everything else is
the same for all verbs, and here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode
from lockstep.pages.blocks import Block, Page, Paragraph, Row, Section, Table, joined
from lockstep.pages.markdown import markdown as as_markdown
from lockstep.pages.output import Kept, Output, PageText, document
from lockstep.pages.progress import TerminalWatch
from lockstep.requests.run import Run
from lockstep.results.verdict import INTERRUPTED, Verdict, verdict_of
from lockstep.words import plural

if TYPE_CHECKING:
    from lockstep.report.ci.problems import Problems


ResultT = TypeVar("ResultT")
RunT = TypeVar("RunT", bound=Run[Any, Any])


class View(Generic[ResultT, RunT]):
    """What there is to show of a run; each verb has its own.

    `title` is the command. `opening` is known before the work begins, `result` when one result is
    there, and `closing` when all are. `document` is the JSON that docs/reference/json.md describes.
    """

    title: str
    nothing: ClassVar = "nothing checked"
    """The verdict where there is no result, and nothing wrong."""

    def opening(self) -> Iterable[Block]:
        """What stands above the results."""
        return ()

    def result(self, result: ResultT) -> Iterable[Block]:
        """One result."""
        raise NotImplementedError

    def closing(self, run: RunT) -> Iterable[Block]:
        """What stands below the results."""
        return ()

    def summary(self, run: RunT) -> str:
        """The run in one line."""
        raise NotImplementedError

    def document(self, run: RunT) -> Mapping[str, object]:
        """The run as JSON."""
        raise NotImplementedError

    def problems(self, run: RunT) -> Problems:
        """What is wrong, each at its place, for the outputs of CI."""
        raise NotImplementedError

    def blocks(self, run: RunT) -> tuple[Block, ...]:
        """All of a run that has ended."""
        results = (block for result in run.results for block in self.result(result))
        return joined([*self.opening(), *results, *self.closing(run)])

    def shown(self, result: ResultT) -> tuple[Block, ...]:
        """One result by itself."""
        return joined([*self.opening(), *self.result(result)])

    def page(self, run: RunT, problems: Problems | None = None) -> Page:
        """The page of a run that has ended, with what `problems` say is not known."""
        is_whole = run.exit_code != INTERRUPTED
        verdict = str(verdict_of(run.exit_code)) if is_whole else "interrupted"
        if run.exit_code == ExitCode.HOLDS and not run.results:
            verdict = self.nothing
        gaps = () if problems is None else tuple(_gaps(problems))
        return Page(self.title, verdict, self.summary(run), (*self.blocks(run), *gaps))


def present(
    view: View[ResultT, RunT], work: Callable[..., RunT], *, json: bool, markdown: bool = False
) -> RunT:
    """Do the work of a verb and show it.

    `work` takes `watch`, and `on_result` for each result as it comes. With `json` the document is
    all that is printed, with `markdown` the page.
    """
    output = Output()
    if json or markdown:
        run = work(watch=TerminalWatch())
        if json:
            output.json(view.document(run))
        else:
            print_page(view.page(run))
        return run
    text = PageText(output)
    text.show(view.opening())
    run = work(on_result=lambda result: text.show(view.result(result)), watch=TerminalWatch())
    text.show(view.closing(run))
    return run


def print_page(page: Page) -> None:
    """Print a page as Markdown."""
    Output().line(as_markdown(page).rstrip())


def show(blocks: Iterable[Block], shown: Callable[[], Mapping[str, object]], *, json: bool) -> None:
    """Show what is there as a whole; with `json` its document is all that is printed."""
    output = Output()
    if json:
        output.json(shown())
    else:
        PageText(output).show(blocks)


def show_answer(blocks: Iterable[Block], answer: Answer, *, json: bool) -> int:
    """Show one answer; its exit code."""
    summary = {"verdict": answer.verdict, "exit_code": answer.exit_code}
    show(blocks, lambda: document([answer], summary), json=json)
    return answer.exit_code


def text_of(blocks: Iterable[Block]) -> str:
    """Blocks as they are printed where there is no terminal."""
    lines = Kept()
    PageText(lines).show(blocks)
    return "".join(f"{text}\n" for text, _ in lines.lines)


def counted(what: str, verdicts: Iterable[str], *, none: str) -> str:
    """How many there are of what, and how many have each verdict: `2 models: 1 holds, 1 error`."""
    every = [str(verdict) for verdict in verdicts]
    counts = [f"{every.count(str(one))} {one}" for one in Verdict if str(one) in every]
    return f"{plural(len(every), what)}: {', '.join(counts) or none}"


def _gaps(problems: Problems) -> Iterator[Block]:
    rows = tuple(Row((str(gap.unknown), gap.message)) for gap in problems.gaps)
    if rows:
        yield Section(text="What this does not say", blocks=(Table(("kind", "what"), rows),))


def pending(what: str, tasks: Iterable[object]) -> Iterator[Paragraph]:
    """A line on the tasks that a run did not reach; nothing where it reached all."""
    names = ", ".join(map(str, tasks))
    if names:
        yield Paragraph(f"interrupted; {what}: {names}", "inconclusive")
