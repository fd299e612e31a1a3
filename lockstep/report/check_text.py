"""What `check` prints for a reader: a row a model, and below it whatever has to be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK
from lockstep.report.output import Output, shown_path
from lockstep.report.trace_text import print_trace
from lockstep.results.verdict import Verdict
from lockstep.specs.kip import Requirement, load_kips
from lockstep.trace.claims import find_property
from lockstep.trace.lasso import render_fairness
from lockstep.trace.pytest_export import to_pytest
from lockstep.trace.render import render_binding, render_trace, render_violation
from lockstep.verbs.check import Checked, Omitted, Request, Unchecked
from lockstep.words import indented, plural

COLUMNS = ("properties", "states", "transitions", "depth", "seconds")
WIDTHS = (10, 11, 12, 5, 7)


class TextReport:
    """Prints each result as soon as it is there, and the sum of them at the end."""

    def __init__(
        self,
        output: Output,
        root: Path,
        names: Sequence[str],
        request: Request,
        *,
        verbose: bool,
        pytest: bool,
    ) -> None:
        """`root` is the workspace's, `names` are the models to come."""
        self._output = output
        self._request = request
        self._root = root
        self._requirements: Mapping[str, Requirement] | None = None
        self._verbose = verbose
        self._pytest = pytest
        self._name_width = max(len(name) for name in ("model", *names))
        self._scope_width = max(len("scope"), len(request.scope))
        head = self._row("model", "scope", "verdict", COLUMNS)
        output.line(head, "bold")

    def add(self, found: Checked | Unchecked) -> None:
        """Print one result."""
        line = self._output.line
        if isinstance(found, Unchecked):
            line(self._row(found.name, self._request.scope, Verdict.ERROR, ()), "error")
            line(indented(f"not checked: {found.error}", 2))
            return
        result = found.result
        properties = len(found.model.properties)
        numbers = (
            str(properties) if found.checked == properties else f"{found.checked} of {properties}",
            *(f"{count:,}" for count in (result.states, result.transitions, result.depth)),
            f"{result.seconds:.2f}",
        )
        row = self._row(result.model, self._request.scope, found.verdict, numbers)
        line(row, str(found.verdict))
        if found.judgement.because and found.verdict is not Verdict.ERROR:
            line(f"  because  {found.judgement.because}")
        if result.remark:
            line(f"  remark   {result.remark}", "dim")
        pins = found.judgement.pins
        if pins is not None and pins.missing:
            line(f"  not pinned in specs/{result.model}.toml: {', '.join(pins.missing)}", "dim")
        if self._verbose:
            rate = result.states / result.seconds if result.seconds else 0
            line(f"  {rate:,.0f} states/s", "dim")
            if pins and not found.judgement.differences:
                told = (f"{name} {pin}" for name, pin in vars(pins).items() if pin is not None)
                line(f"  as pinned in specs/{result.model}.toml: {', '.join(told)}", "dim")
            self._sampled(found)
            self._fired(found)
        if result.missed:
            for name in result.missed:
                self._property(found, name, "never reached")
        if found.trace is not None:
            self._counterexample(found)

    def finish(self, results: Sequence[Checked | Unchecked], omitted: Omitted) -> None:
        """Print the last lines, with what was not checked."""
        for file in omitted.unused:
            style = "violated" if file.is_mistake else "dim"
            self._output.line(f"not read  {shown_path(file.file)}: {file.why}", style)
        verdicts = [
            found.verdict if isinstance(found, Checked) else Verdict.ERROR for found in results
        ]
        told = [
            f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict if verdict in verdicts
        ]
        if len(results) > 1:
            self._output.line(f"{plural(len(results), 'model')}: {', '.join(told)}", "bold")
        if omitted.models:
            names = ", ".join(omitted.models)
            self._output.line(f"interrupted; not checked: {names}", "inconclusive")
        for found in results:
            if isinstance(found, Checked) and found.exit_code and found.saved is None:
                self._output.line(f"reproduce with  {self._request.again(found.model.name)}")

    def _row(self, name: str, scope: str, verdict: str, numbers: Sequence[str]) -> str:
        cells = (number.rjust(width) for number, width in zip(numbers, WIDTHS, strict=False))
        start = f"{name:<{self._name_width}}  {scope:<{self._scope_width}}  {verdict:<12}"
        return "  ".join((start, *cells)).rstrip()

    def _sampled(self, found: Checked) -> None:
        """How much of what machine code said plain Python was asked about."""
        result = found.result
        if result.sampled:
            states, steps = plural(result.sampled, "state"), plural(result.sampled_steps, "step")
            self._output.line(f"  plain Python agrees on a sample of {states}, {steps}", "dim")

    def _fired(self, found: Checked) -> None:
        width = max(len(name) for name in found.result.fired)
        for name, count in found.result.fired.items():
            self._output.line(f"  {name:<{width}}  {count:>12,}", None if count else "inconclusive")

    def _counterexample(self, found: Checked) -> None:
        line, result, trace = self._output.line, found.result, found.trace
        assert trace is not None
        if result.error is not None:
            line()
            line(indented(str(result.error), 2), "error")
            line("  the text has no meaning in the last state of this behaviour", "dim")
        elif result.violation is not None:
            self._property(found, result.violation.properties[0])
            for name in result.violation.properties[1:]:
                line(f"    {name} is violated there too")
            for other in result.unfulfilled[1:]:
                line(f"    {other.properties[0]} is violated too, by another behaviour")
        line()
        fault, violation = self._request.fault, result.violation
        if violation is None:
            print_trace(self._output, render_trace(found.model, trace, fault), 4)
        else:
            print_trace(self._output, render_violation(found.model, violation, fault), 4)
        line()
        self._fairness(found)
        for text in self._closing(found):
            line(f"  {text}")
        self._test(found)
        line()

    def _fairness(self, found: Checked) -> None:
        """How a behaviour that goes on for ever keeps every promise of fairness."""
        violation = found.result.violation
        if violation is None or violation.trace.loop is None:
            return
        for text in render_fairness(found.model, violation.properties[0], violation.trace):
            self._output.line(f"    {text}")
        self._output.line()

    def _property(self, found: Checked, name: str, what: str = "violated") -> None:
        line = self._output.line
        line()
        line(f"  {what}  {found.model.name}.{name}", "violated")
        prop = find_property(found.model, name)
        if name == DEADLOCK:
            line("    No step leads from the last state to another, and the model may not stop.")
        if prop is None:
            return
        if prop.doc:
            line(indented(prop.doc, 4))
        for identity in prop.requirements:
            line(f"    {identity}  {self._requirement(identity)}")
        violation = found.result.violation
        if violation is not None and prop.parameters:
            line(f"    fails for {render_binding(prop.parameters, violation.parameters)}")

    def _requirement(self, identity: str) -> str:
        """The text of a requirement; the files of `specs/` are read when the first is asked for."""
        if self._requirements is None:
            try:
                kips = load_kips(self._root)
            except LockstepError as error:
                return f"cannot be shown: {error.message}"
            self._requirements = {row.id: row for kip in kips for row in kip.requirements}
        found = self._requirements.get(identity)
        return "is in no file of specs/" if found is None else found.text

    def _closing(self, found: Checked) -> Iterator[str]:
        if found.saved is not None:
            file = shown_path(found.saved)
            yield f"saved to {file}"
            yield f"reproduce with  lockstep replay {file}"
        else:
            yield f"not saved: {found.not_saved}"

    def _test(self, found: Checked) -> None:
        origin, trace = found.origin, found.trace
        if origin is None or trace is None or origin.property is None:
            return
        if self._pytest:
            self._output.line("  as a test:\n")
            self._output.line(to_pytest(found.model, trace, origin).rstrip())
        else:
            self._output.line("  as a test       the same command with --pytest")
