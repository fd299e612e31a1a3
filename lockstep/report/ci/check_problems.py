"""What `check` found wrong, and what it could not check."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lockstep.language.faults import described_faults
from lockstep.report.affected import skipped_gaps
from lockstep.report.ci.exploration import Explored, interrupted, of_error
from lockstep.report.ci.places import beginning, place_of_function, place_of_scope
from lockstep.report.ci.problems import Gap, Level, Problem, Problems, Rule, Unknown
from lockstep.requests.check import CheckRequest
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import RequirementTexts
from lockstep.verbs.check import CheckPlan
from lockstep.verbs.check_result import Checked, CheckRun, Unchecked

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


def check_problems(plan: CheckPlan, run: CheckRun) -> Problems:
    """The problems of a run."""
    texts = RequirementTexts(plan.workspace.root)
    parts = chain.from_iterable(map(parts_of, run.results))
    return Problems.of(
        f"check/{plan.scope}",
        run.exit_code,
        [
            *chain.from_iterable(_of_result(plan, part, texts) for part in parts),
            *_not_read(plan, run),
            *map(interrupted, run.pending),
            *skipped_gaps(run.affected),
        ],
    )


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
            place = beginning(file.file)
            yield Problem(NOT_READ, place, "a file is not read", message, (name,))


def _identity(request: CheckRequest, scope: str) -> tuple[str, ...]:
    """What tells a problem from the same in another scope, or with something in place."""
    changes = (request.fault, request.proposal, request.mutant)
    constants = (f"{name}={value}" for name, value in sorted(request.constants.items()))
    return (f"scope {scope}", *filter(None, changes), *constants)


def _variant(request: CheckRequest) -> str:
    faults = "" if request.fault is None else f" with {described_faults(request.fault)}"
    changes = {"proposal": request.proposal, "mutant": request.mutant}
    others = (f" with the {kind} {name}" for kind, name in changes.items() if name)
    return "".join([faults, *others])
