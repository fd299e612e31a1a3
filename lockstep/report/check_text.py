"""What `check` prints for a reader: a row a model, then what is violated, and the sum of it."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.report.affected import print_affected, skipped_text
from lockstep.report.columns import Columns
from lockstep.report.counterexample import Counterexample
from lockstep.report.kept import since_text
from lockstep.report.output import Output
from lockstep.results.verdict import Verdict
from lockstep.verbs.check import CheckPlan
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked
from lockstep.words import indented, plural, shown_path

NUMBERS = (("props", 5), ("states", 10), ("transitions", 12), ("depth", 5), ("seconds", 7))


class CheckText:
    """Prints a row as soon as its result is there, and what is violated below the table."""

    def __init__(self, output: Output, plan: CheckPlan, *, verbose: bool, pytest: bool) -> None:
        self._output = output
        self._plan = plan
        self._verbose = verbose
        self._counterexample = Counterexample(output, plan.workspace.root, pytest=pytest)
        names = max(map(len, plan.models), default=0)
        self._columns = Columns((("model", names), ("verdict", 12)), NUMBERS)
        output.line(f"scope {plan.scope}", "dim")
        print_affected(output, plan.affected)
        if plan.models:
            output.line(self._columns.head, "bold")

    def add(self, result: CheckResult) -> None:
        """Print the row of one result and the remarks on it."""
        line = self._output.line
        if isinstance(result, Unchecked):
            line(self._columns.row((result.name, str(Verdict.ERROR))), "error")
            line(indented(f"not checked: {result.error}", 2))
            return
        search, properties = result.result, len(result.model.properties)
        numbers = (
            str(properties) if result.checked == properties else f"{result.checked}/{properties}",
            *(f"{count:,}" for count in (search.states, search.transitions, search.depth)),
            f"{search.seconds:.2f}",
        )
        verdict = str(result.verdict)
        line(self._columns.row((search.model, verdict), numbers), verdict)
        for text, style in self._remarks(result):
            line(f"  {text}", style)

    def finish(self, run: CheckRun) -> None:
        """Print what is below the table: counterexamples, what was not checked, the last line."""
        line = self._output.line
        checked = [result for result in run.results if isinstance(result, Checked)]
        for result in checked:
            for one in (result, *result.others, result.rest):
                if isinstance(one, Checked):
                    self._counterexample.show(one)
        for file in run.unused:
            style = "violated" if file.is_mistake else "dim"
            line(f"not read  {shown_path(file.file)}: {file.why}", style)
        for result in checked:
            is_rest_open = result.rest is not None and result.rest.exit_code != 0
            if result.exit_code and (result.saved is None or is_rest_open):
                line(f"reproduce with  {self._plan.again(result.model.name)}")
        if run.pending:
            line(f"interrupted; not checked: {', '.join(run.pending)}", "inconclusive")
        verdicts = [result.verdict for result in run.results]
        if len(verdicts) > 1:
            counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
            line(f"{plural(len(verdicts), 'model')}: {', '.join(counts)}", "bold")
        if skipped := skipped_text(run.affected):
            line(skipped, "bold")
        violated = [name for result in checked for name in _violated(result)]
        if violated:
            line(f"violated: {', '.join(violated)}", "violated")

    def _remarks(self, result: Checked) -> Iterator[tuple[str, str | None]]:
        search, judgement = result.result, result.judgement
        if judgement.because and result.verdict is not Verdict.ERROR:
            yield f"because  {judgement.because}", None
        if result.rest is not None:
            yield f"rest     {_rest(result.rest)}", None
        if result.since is not None:
            anew = "; --no-cache explores within the bounds" * self._plan.request.is_bounded
            yield f"{since_text(result.since).removeprefix(', ')}{anew}", "dim"
        if search.remark:
            yield f"remark   {search.remark}", "dim"
        if result.pinned:
            yield f"pinned   {', '.join(result.pinned)}", "dim"
        pins = judgement.pins
        if pins is not None and pins.missing:
            names = ", ".join(pins.missing)
            yield f"not pinned in specs/{search.model}.toml: {names}; --pin writes them", "dim"
        if not self._verbose:
            return
        yield f"{search.states / search.seconds if search.seconds else 0:,.0f} states/s", "dim"
        if pins and not judgement.differences:
            agreed = (f"{name} {pin}" for name, pin in vars(pins).items() if pin is not None)
            yield f"as pinned in specs/{search.model}.toml: {', '.join(agreed)}", "dim"
        if search.sampled:
            sample = f"{plural(search.sampled, 'state')}, {plural(search.sampled_steps, 'step')}"
            yield f"plain Python agrees on a sample of {sample}", "dim"
        width = max((len(name) for name in search.fired), default=0)
        for name, count in search.fired.items():
            yield f"{name:<{width}}  {count:>12,}", None if count else "inconclusive"


def _violated(checked: Checked) -> Iterator[str]:
    """Each property that is violated though nobody expects it, as `model.property`."""
    for one in (checked, *checked.others):
        if one.verdict is not Verdict.VIOLATED or one.judgement.expected:
            continue
        for name in one.result.violated:
            yield f"{checked.model.name}.{name}"


def _rest(rest: CheckResult) -> str:
    """The verdict on the properties that are left where others are violated."""
    if isinstance(rest, Unchecked):
        return f"not checked: {rest.error}"
    because = rest.judgement.because if rest.verdict is not Verdict.ERROR else ""
    return f"{rest.verdict}{f': {because}' if because else ''}"
