"""A check as a page: a row a model, each counterexample, what is not known, and the sum."""

from __future__ import annotations

from lockstep.report.ci.check_problems import parts_of
from lockstep.report.ci.problems import Problems
from lockstep.report.ci.problems_page import problems_page
from lockstep.report.page import Block, Lines, Page, Paragraph, Row, Section, Table
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property
from lockstep.trace.render import Line, render_trace, render_violation
from lockstep.verbs.check import CheckPlan
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked
from lockstep.words import plural

HEADERS = ("model", "verdict", "properties", "states", "transitions", "depth", "seconds")


def check_page(plan: CheckPlan, run: CheckRun, problems: Problems) -> Page:
    """The whole page of a check that has ended; `problems` are those of the same run."""
    texts = RequirementTexts(plan.workspace.root)
    parts = (part for result in run.results for part in parts_of(result))
    sections = (_section(plan, part, texts) for part in parts)
    return problems_page(
        f"lockstep check, scope {plan.scope}",
        _summary(run),
        Table(HEADERS, tuple(map(_row, run.results))),
        problems,
        tuple(filter(None, sections)),
    )


def _row(result: CheckResult) -> Row:
    if isinstance(result, Unchecked):
        first = result.error.message.partition("\n")[0]
        return Row((result.name, str(result.verdict), *("",) * 5), note=first)
    search, known = result.result, f"{result.checked} of {len(result.model.properties)}"
    cells = (
        search.model,
        str(result.verdict),
        known,
        *(f"{count:,}" for count in (search.states, search.transitions, search.depth)),
        f"{search.seconds:.2f}",
    )
    return Row(cells, note=result.judgement.because)


def _section(plan: CheckPlan, part: CheckResult, texts: RequirementTexts) -> Section | None:
    """What is wrong with a result; None where nothing is, or what the scope pins."""
    if isinstance(part, Unchecked):
        lines = tuple(map(Line, str(part.error).splitlines()))
        return Section(text=f"{part.name} was not checked", blocks=(Lines(lines),))
    if part.judgement.expected or (part.trace is None and not part.result.missed):
        return None
    return _counterexample(plan, part, texts)


def _counterexample(plan: CheckPlan, checked: Checked, texts: RequirementTexts) -> Section:
    model, search = checked.model, checked.result
    names = search.violated
    blocks: list[Block] = [_claim(checked, name, texts) for name in names]
    if search.error is not None:
        blocks.append(Lines(tuple(map(Line, str(search.error).splitlines()))))
    if (trace := checked.trace) is not None:
        fault = plan.request.fault
        lines = (
            render_trace(model, trace, fault)
            if search.violation is None
            else render_violation(model, search.violation, fault)
        )
        steps = plural(len(trace.steps), "step")
        blocks.append(Lines(tuple(lines), caption=f"The behaviour, {steps}"))
    blocks.append(Paragraph(plan.again(model.name), label="reproduce with"))
    claims = ", ".join(f"{model.name}.{name}" for name in names)
    what = "has no meaning in a reachable state" if search.error else "violated"
    return Section(text=f"{claims or model.name} {what}", blocks=tuple(blocks))


def _claim(checked: Checked, name: str, texts: RequirementTexts) -> Paragraph:
    prop = find_property(checked.model, name)
    if prop is None:
        return Paragraph("No step leads from the last state to another.", label=name)
    asked = [f"{identity}  {texts[identity]}" for identity in prop.requirements]
    return Paragraph("\n".join([prop.doc, *asked]), label=name)


def _summary(run: CheckRun) -> str:
    verdicts = [result.verdict for result in run.results]
    counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
    return f"{plural(len(verdicts), 'model')}: {', '.join(counts) or 'none checked'}"
