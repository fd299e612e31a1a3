"""A violation as it is printed: the property, its behaviour, and how to see both again."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from lockstep.report.output import Output
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.report.trace_text import print_trace
from lockstep.results.trace import Trace
from lockstep.trace.claims import find_property
from lockstep.trace.lasso import render_fairness
from lockstep.trace.pytest_export import to_pytest
from lockstep.trace.render import render_binding, render_trace, render_violation
from lockstep.verbs.check_result import Checked
from lockstep.words import indented, shown_path
from lockstep.workspace import option_for


class Counterexample:
    """Prints violations; the files of `specs/` are read when the first requirement is named."""

    def __init__(self, output: Output, root: Path, *, pytest: bool) -> None:
        self._output = output
        self._pytest = pytest
        self._requirements = RequirementTexts(root)

    def show(self, checked: Checked) -> None:
        """Print what is violated, if anything is."""
        for name in checked.result.missed:
            self._property(checked, name, "never reached")
        if checked.trace is not None:
            self._behaviour(checked, checked.trace)

    def _behaviour(self, checked: Checked, trace: Trace) -> None:
        line, result = self._output.line, checked.result
        if result.error is not None:
            line()
            line(indented(str(result.error), 2), "error")
            line("  the text has no meaning in the last state of this behaviour", "dim")
        elif result.violation is not None:
            self._property(checked, result.violation.properties[0])
            for name in result.violation.properties[1:]:
                line(f"    {name} is violated there too")
            for other in result.unfulfilled[1:]:
                line(f"    {other.properties[0]} is violated too, by another behaviour")
        line()
        fault = None if checked.origin is None else checked.origin.fault
        if result.violation is None:
            print_trace(self._output, render_trace(checked.model, trace, fault), 4)
        else:
            print_trace(self._output, render_violation(checked.model, result.violation, fault), 4)
        line()
        if result.violation is not None and result.violation.trace.loop is not None:
            violation = result.violation
            for text in render_fairness(checked.model, violation.properties[0], violation.trace):
                line(f"    {text}")
            line()
        for text in self._closing(checked):
            line(f"  {text}")
        if self._pytest and checked.origin is not None and checked.origin.property is not None:
            line("  as a test:\n")
            line(to_pytest(checked.model, trace, checked.origin).rstrip())
        line()

    def _property(self, checked: Checked, name: str, what: str = "violated") -> None:
        line = self._output.line
        line()
        line(f"  {what}  {checked.model.name}.{name}", "violated")
        says, requirements = self._requirements.of(checked.model, name)
        if says:
            line(indented(says, 4))
        for identity, asks in requirements:
            text = f"{identity}  {asks}"
            indent = " " * (6 + len(identity))
            for part in textwrap.wrap(text, 80, initial_indent="    ", subsequent_indent=indent):
                line(part)
        violation, prop = checked.result.violation, find_property(checked.model, name)
        if violation is not None and prop is not None and prop.parameters:
            line(f"    fails for {render_binding(prop.parameters, violation.parameters)}")

    def _closing(self, checked: Checked) -> Iterator[str]:
        if checked.saved is not None:
            file = shown_path(checked.saved)
            yield f"saved to {file}"
            root = checked.model.universe.root
            yield f"reproduce with  lockstep replay {file}{option_for(root)}"
        else:
            yield f"not saved: {checked.not_saved}"
        if not self._pytest and checked.origin is not None and checked.origin.property is not None:
            yield "as a test       the same command with --pytest"
