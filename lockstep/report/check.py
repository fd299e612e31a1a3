"""How a check is shown: a row a model, each counterexample, what was not checked, and the sum."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from lockstep.errors import LockstepError
from lockstep.language.faults import described_faults
from lockstep.language.source import Place
from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.report.ci.exploration import Explored, interrupted, of_error
from lockstep.report.ci.problems import (
    Gap,
    Level,
    Problem,
    Problems,
    Rule,
    Unknown,
    place_of_function,
    place_of_scope,
)
from lockstep.report.counterexample import (
    affected_blocks,
    affected_json,
    counterexample,
    since_text,
    skipped_gaps,
    skipped_text,
)
from lockstep.report.view import View, counted, pending
from lockstep.requests.check import CheckRequest
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import RequirementTexts
from lockstep.verbs.check import CheckPlan
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked, check_answer
from lockstep.words import plural, shown_path

NOT_READ = Rule(
    "lockstep/not-read",
    "A file that nothing reads",
    "Claims, faults or scopes in a file that belongs to no model are not checked.",
)
DIFFERS = Rule(
    "lockstep/differs",
    "A scope pins what was not found",
    "What was checked is as claimed, but specs/ pins other counts or declarations.",
)

_NUMBERS = ("props", "states", "transitions", "depth", "seconds")


class CheckView(View[CheckResult, CheckRun]):
    """The check of a plan; with `pytest`, each counterexample as a test as well."""

    def __init__(self, plan: CheckPlan, *, verbose: bool = False, pytest: bool = False) -> None:
        self._plan = plan
        self._verbose = verbose
        self._pytest = pytest
        self.title = f"lockstep check, scope {plan.scope}"
        self._table = models_table(plan.models)

    def opening(self) -> Iterator[Block]:
        yield Paragraph(f"scope {self._plan.scope}", "dim")
        yield from self._faults()
        yield from affected_blocks(self._plan.affected)
        if self._plan.models:
            yield self._table

    def _faults(self) -> Iterator[Block]:
        """What each fault that is in place does, and where it comes from.

        Nothing of one that cannot be read: the result says what is wrong with it.
        """
        try:
            marks = [one for version in self._plan.versions for one in version.faults.items()]
        except LockstepError:
            return
        for name, (mark, says) in marks:
            text = textwrap.fill(" ".join(f"{name}: {says}".split()), 72, subsequent_indent="  ")
            yield Paragraph(text, label="fault")
            if mark.source:
                yield Paragraph(mark.source, label="source")

    def result(self, result: CheckResult) -> Iterator[Block]:
        row = result_row(
            result,
            is_dated=len(self._plan.models) == 1,
            is_bounded=self._plan.request.is_bounded,
            verbose=self._verbose,
        )
        yield self._table.of(row)

    def closing(self, run: CheckRun) -> Iterator[Block]:
        checked = [result for result in run.results if isinstance(result, Checked)]
        kept = [result.since for result in checked if result.since is not None]
        if kept and len(self._plan.models) > 1:
            rows = plural(len(kept), "row")
            yield Paragraph(f"{rows}{since_text(min(kept))}; --no-cache explores again", "dim")
        texts = RequirementTexts(self._plan.workspace.root)
        for part in chain.from_iterable(map(parts_of, run.results)):
            if isinstance(part, Checked):
                yield from counterexample(part, texts, pytest=self._pytest)
        for file in run.unused:
            style = "violated" if file.is_mistake else "dim"
            yield Paragraph(f"{shown_path(file.file)}: {file.why}", style, "not read")
        for result in checked:
            is_rest_open = result.rest is not None and result.rest.exit_code != 0
            if result.exit_code and (result.saved is None or is_rest_open):
                yield Paragraph(self._plan.again(result.model.name), label="reproduce with")
        yield from pending("not checked", run.pending)
        if len(run.results) > 1:
            yield Paragraph(self.summary(run), "bold")
        if skipped := skipped_text(run.affected):
            yield Paragraph(skipped, "bold")
        violated = [name for result in checked for name in _violated(result)]
        if violated:
            yield Paragraph(f"violated: {', '.join(violated)}", "violated")

    def summary(self, run: CheckRun) -> str:
        return counted("model", (result.verdict for result in run.results), none="none checked")

    def document(self, run: CheckRun) -> Mapping[str, object]:
        request, pytest = self._plan.request, self._pytest
        rows = [check_answer(result, request, pytest=pytest) for result in run.results]
        return json_document(
            rows,
            {
                "models": len(rows),
                **verdicts(rows),
                "states": sum(row.states for row in rows),
                "transitions": sum(row.transitions for row in rows),
                "seconds": round(sum(row.seconds for row in rows), 3),
                "not_checked": list(run.pending),
                "not_read": [
                    {"file": shown_path(file.file), "why": file.why, "mistake": file.is_mistake}
                    for file in run.unused
                ],
                "skipped": 0 if run.affected is None else len(run.affected.skipped),
                "exit_code": run.exit_code,
            },
            changed=affected_json(run.affected),
        )

    def problems(self, run: CheckRun) -> Problems:
        plan = self._plan
        texts = RequirementTexts(plan.workspace.root)
        parts = chain.from_iterable(map(parts_of, run.results))
        found = [
            *chain.from_iterable(_of_result(plan, part, texts) for part in parts),
            *_not_read(plan, run),
            *map(interrupted, run.pending),
            *skipped_gaps(run.affected),
        ]
        return Problems.of(f"check/{plan.scope}", run.exit_code, found)


def models_table(models: Iterable[str]) -> Table:
    """The columns of checked models, as wide as their names."""
    names = max(map(len, models), default=0)
    columns = ("model", "verdict", *_NUMBERS)
    return Table(columns, numbers=_NUMBERS, widths=(names, 12, 5, 10, 12, 5, 7))


def result_row(
    result: CheckResult,
    *,
    is_dated: bool = True,
    is_bounded: bool = False,
    verbose: bool = False,
) -> Row:
    """The row of a model.

    `is_dated` says since when it is kept, `is_bounded` that the search might have ended early.
    """
    verdict = str(result.verdict)
    if isinstance(result, Unchecked):
        error = Paragraph(f"not checked: {result.error}")
        return Row((result.name, verdict), verdict, remarks=(error,))
    search = result.result
    cells = (
        search.model,
        verdict,
        result.judged,
        *(f"{count:,}" for count in (search.states, search.transitions, search.depth)),
        f"{search.seconds:.2f}",
    )
    because = "" if result.verdict is Verdict.ERROR else result.judgement.because
    details = _details(result) if verbose else ()
    return Row(cells, verdict, because, (*_remarks(result, is_dated, is_bounded), *details))


def _remarks(result: Checked, is_dated: bool, is_bounded: bool) -> Iterator[Paragraph]:
    search, pins = result.result, result.judgement.pins
    undecided = len(result.model.properties) - result.checked
    if undecided and result.verdict is Verdict.VIOLATED and result.rest is None:
        text = f"{undecided} not decided, for the violation ended the search; --all goes on"
        yield Paragraph(text, "dim", "props")
    if result.rest is not None:
        yield Paragraph(_rest(result.rest), label="rest")
    if is_dated and result.since is not None:
        bounded = "; --no-cache explores within the bounds" * is_bounded
        yield Paragraph(f"{since_text(result.since).removeprefix(', ')}{bounded}", "dim")
    if search.remark:
        yield Paragraph(search.remark, "dim", "remark")
    if result.pinned:
        yield Paragraph(", ".join(result.pinned), "dim", "pinned")
    if pins is not None and pins.missing:
        names = f"{', '.join(pins.missing)}; --pin writes them"
        yield Paragraph(f"not pinned in specs/{search.model}.toml: {names}", "dim")


def _details(result: Checked) -> Iterator[Paragraph]:
    """What is printed of a search with `--verbose` alone."""
    search, pins = result.result, result.judgement.pins
    rate = search.states / search.seconds if search.seconds else 0
    yield Paragraph(f"{rate:,.0f} states/s", "dim")
    if pins and not result.judgement.differences:
        agreed = (f"{name} {pin}" for name, pin in vars(pins).items() if pin is not None)
        yield Paragraph(f"as pinned in specs/{search.model}.toml: {', '.join(agreed)}", "dim")
    if search.sampled:
        sample = f"{plural(search.sampled, 'state')}, {plural(search.sampled_steps, 'step')}"
        yield Paragraph(f"plain Python agrees on a sample of {sample}", "dim")
    width = max((len(name) for name in search.fired), default=0)
    for name, count in search.fired.items():
        yield Paragraph(f"{name:<{width}}  {count:>12,}", None if count else "inconclusive")


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


def parts_of(result: Checked | Unchecked) -> tuple[Checked | Unchecked, ...]:
    """A result, and those of `--all` that come with it."""
    if isinstance(result, Unchecked):
        return (result,)
    rest = () if result.rest is None else (result.rest,)
    return (result, *result.others, *rest)


def _of_result(
    plan: CheckPlan, result: Checked | Unchecked, texts: RequirementTexts
) -> Iterator[Problem | Gap]:
    if isinstance(result, Unchecked):
        return of_error(result.name, result.error)
    request, scope = plan.request, result.scope
    explored = Explored(
        result.model,
        f"in scope {scope}{_variant(request)}",
        _identity(request, scope),
        plan.again(result.model.name),
        texts,
        request.fault,
    )
    return chain(_problems(explored, result), _gaps(explored, result))


def _problems(explored: Explored, checked: Checked) -> Iterator[Problem]:
    search, judged = checked.result, checked.judgement
    if search.error is not None:
        yield explored.without_meaning(search.error, search.error_trace)
    if judged.expected:
        return
    yield from map(explored.missed, search.missed)
    for violation in search.unfulfilled or filter(None, [search.violation]):
        yield from explored.violated(violation)
    reasons = [*map(str, judged.differences)]
    if judged.stale:
        reasons.append(f"not silent, though declared so: {', '.join(judged.stale)}")
    if reasons:
        name = checked.model.name
        place = place_of_scope(checked.model.universe.root, name, checked.scope)
        text = f"{name} {explored.where}: {'; '.join(reasons)}\nreproduce with: {explored.again}"
        yield Problem(DIFFERS, place, f"{name} differs", text, (name, *explored.identity))


def _gaps(explored: Explored, checked: Checked) -> Iterator[Gap]:
    model, judged, search = checked.model, checked.judgement, checked.result
    name, universe = model.name, model.universe
    if search.interrupted:
        yield interrupted(name)
    elif checked.verdict is Verdict.INCONCLUSIVE:
        yield explored.inconclusive(judged.because)
    for action in judged.idle:
        place = place_of_function(universe, model.action(action).function)
        yield explored.gap(Unknown.IDLE, f"{name}.{action} never fired", place)
    for prop in judged.vacuous:
        text = f"the premise of {name}.{prop} was never true"
        yield explored.gap(Unknown.VACUOUS, text, explored.place(prop))
    if judged.expected:
        text = f"{name} violates {', '.join(search.violated)} {explored.where}, as pinned"
        yield Gap(Unknown.EXPECTED, Level.NOTE, name, text)
    # Where the search ended early that is said already, and what was left out follows from it.
    level = Level.WARNING if checked.verdict is Verdict.HOLDS else Level.NOTE
    for prop in search.undecided(model):
        text = f"{name}.{prop} was not checked {explored.where}"
        yield Gap(Unknown.NOT_CHECKED, level, name, text, explored.place(prop))


def _not_read(plan: CheckPlan, run: CheckRun) -> Iterator[Problem]:
    for file in run.unused:
        if file.is_mistake:
            message = f"{file.file.name} is not read: {file.why}"
            name = file.file.relative_to(plan.workspace.root).as_posix()
            place = Place.beginning(file.file)
            yield Problem(NOT_READ, place, "a file is not read", message, (name,))


def _identity(request: CheckRequest, scope: str) -> tuple[str, ...]:
    """What distinguishes a problem from the same in another scope, or with something in place."""
    changes = (request.fault, request.proposal, request.mutant)
    constants = (f"{name}={value}" for name, value in sorted(request.constants.items()))
    return (f"scope {scope}", *filter(None, changes), *constants)


def _variant(request: CheckRequest) -> str:
    faults = "" if request.fault is None else f" with {described_faults(request.fault)}"
    changes = {"proposal": request.proposal, "mutant": request.mutant}
    others = (f" with the {kind} {name}" for kind, name in changes.items() if name)
    return "".join([faults, *others])
