"""What a change was expected to break, compared with what it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep.errors import LockstepError, nearest_of
from lockstep.language.faults import fault_marks
from lockstep.language.model import DEADLOCK, load_model
from lockstep.requests.review_plan import ReviewPlan, ReviewTask
from lockstep.requests.version import named_version
from lockstep.results.verdict import Verdict
from lockstep.specs.expected import EXPECTED_FILE, Expected, Subject, read_expected
from lockstep.specs.kip import load_kips
from lockstep.specs.scopes import load_model_spec
from lockstep.system.text_files import is_file
from lockstep.verbs.review.evidence import Change, Evidence, PropertyChange, RequirementChange
from lockstep.verbs.review.scope import ScopeReview
from lockstep.words import shown_path
from lockstep.workspace import Workspace

_MAY_BE_EXPECTED = (Change.BROKEN, Change.SILENCED, Change.LOST)


@dataclass(frozen=True)
class Expectations:
    """The entries that are about what is compared, and those of which nothing is."""

    entries: tuple[Expected, ...] = ()
    unexamined: tuple[Expected, ...] = ()

    def judged(self, result: ScopeReview) -> ScopeReview:
        """A scope with what of it was expected."""
        entries = [one for one in self.entries if _is_about(one, result)]
        expected = {
            prop.name: covering
            for prop in result.properties
            if prop.change in _MAY_BE_EXPECTED
            and (covering := tuple(one for one in entries if _covers(one, prop, result)))
        }
        adds = result.behaviours.adds.verdict is Verdict.VIOLATED
        behaviours = tuple(one for one in entries if adds and one.subject is Subject.BEHAVIOURS)
        return replace(result, expected=expected, expected_behaviours=behaviours)

    def without_expected(self, evidence: Evidence) -> Evidence:
        """What HEAD lost beside, without what was expected of it."""
        lost: list[RequirementChange | str] = [*evidence.requirements, *evidence.faults]
        expected = [
            (change, entry)
            for change in lost
            for entry in (*self.entries, *self.unexamined)  # it may be all that is lost of a model
            if _loses(entry, change)
        ]
        changes = [change for change, _ in expected]
        return replace(
            evidence,
            requirements=tuple(one for one in evidence.requirements if one not in changes),
            faults=tuple(one for one in evidence.faults if one not in changes),
            expected=tuple(expected),
        )

    def left_out(self, evidence: Evidence) -> tuple[Expected, ...]:
        """The entries of which nothing was compared."""
        met = [entry for _, entry in evidence.expected]
        return tuple(one for one in self.unexamined if one not in met)

    def unmet(self, results: Sequence[object], evidence: Evidence) -> tuple[Expected, ...]:
        """The entries of which nothing happened, where that can be decided."""
        met = [entry for _, entry in evidence.expected]
        is_open = []
        for result in results:
            if not isinstance(result, ScopeReview):
                return ()  # what it would have shown is not known
            met += [entry for entries in result.expected.values() for entry in entries]
            met += result.expected_behaviours
            is_open += [one for one in self.entries if _is_open(one, result)]
        if evidence.unread:
            is_open += [one for one in self.entries if one.subject is Subject.REQUIREMENT]
        return tuple(one for one in self.entries if one not in met and one not in is_open)


def expectations_of(plan: ReviewPlan) -> Expectations:
    """What is expected of a review; `LockstepError` where that names what is not there.

    Of two revisions it is what HEAD says, unless a file is named.
    """
    workspace = plan.workspace if plan.revisions is None else plan.revisions[1]
    file = plan.request.expected or workspace.root / EXPECTED_FILE
    if plan.request.expected is None:
        is_of_model = file.stem in workspace.models()  # whose scopes are in a file of that name
        if is_of_model or not is_file(file):
            return Expectations()
    workspaces = plan.revisions or (plan.workspace,)
    entries = tuple(
        _checked(entry, workspaces) for entry in read_expected(file, _shown(plan, file))
    )
    about = tuple(one for one in entries if any(_is_about(one, task) for task in plan.tasks))
    left_out = (
        one
        for one in entries
        if one not in about
        and (
            any(_is_about(replace(one, scope=None), task) for task in plan.tasks)
            or (plan.revisions is not None and one.model is not None)
        )
    )
    return Expectations(about, tuple(left_out))


def _shown(plan: ReviewPlan, file: Path) -> str:
    """A file as messages name it: with its revision where git has it from there."""
    if plan.request.expected is None and plan.revisions is not None:
        return f"{plan.request.versions[0].partition('..')[2]}:{EXPECTED_FILE}"
    return shown_path(file)


def _is_about(entry: Expected, compared: ReviewTask | ScopeReview) -> bool:
    """Whether an entry is about two versions in a scope."""
    versions = compared.versions
    if entry.scope not in (None, compared.scope):
        return False
    if entry.model is not None:
        return versions.head.revision is not None and versions.head.model == entry.model
    return (entry.base, entry.head) == (str(versions.base), str(versions.head))


def _covers(entry: Expected, prop: PropertyChange, result: ScopeReview) -> bool:
    """Whether an entry is about a property of a scope that it is about."""
    requirements = [
        requirement
        for model in (result.pair.one, result.pair.other)
        for own in model.properties
        if own.name == prop.name
        for requirement in own.requirements
    ]
    return entry.covers(prop.name, requirements)


def _is_open(entry: Expected, result: ScopeReview) -> bool:
    """Whether it cannot be decided that nothing happened of what an entry expects in a scope."""
    if not _is_about(entry, result):
        return False
    if entry.subject is Subject.BEHAVIOURS:
        return result.behaviours.adds.verdict is Verdict.INCONCLUSIVE
    return bool(result.unjudged) or any(
        prop.change is Change.OPEN and _covers(entry, prop, result) for prop in result.properties
    )


def _loses(entry: Expected, change: RequirementChange | str) -> bool:
    """Whether an entry expects that a requirement loses its answer, or a line of a fault."""
    if isinstance(change, RequirementChange):
        return entry.subject is Subject.REQUIREMENT and entry.name == change.id
    is_of_line = entry.subject in (Subject.FAULT, Subject.PROPERTY)
    return is_of_line and change.startswith(f"{entry.model}.{entry.name}: ")


def _checked(entry: Expected, workspaces: Sequence[Workspace]) -> Expected:
    """An entry that names what is there, its versions as a review names them."""
    if entry.model is None:
        try:
            base, head = (
                named_version(workspaces[-1], text or "") for text in (entry.base, entry.head)
            )
        except LockstepError as error:
            raise entry.error(error.message, error.cure) from None
        if entry.subject is Subject.FAULT:
            raise entry.error(
                "whether faults are caught is compared of revisions alone",
                'write `model = "..."` in place of base and head',
            )
        entry = replace(entry, base=str(base), head=str(head))
        models = {base.model, head.model}
    else:
        models = {entry.model}
    places = [(one, name) for one in workspaces for name in models if name in one.models()]
    if not places:
        names = sorted({name for one in workspaces for name in one.models()})
        raise entry.error(
            f"there is no model {entry.model!r}",
            nearest_of(str(entry.model), names, "the models are", "in models/"),
        )
    if entry.scope is not None:
        _refuse(entry, "scope", entry.scope, places)
    if entry.subject is not Subject.BEHAVIOURS:
        _refuse(entry, str(entry.subject), entry.name, places)
    return entry


def _refuse(entry: Expected, what: str, name: str, places: Sequence[tuple[Workspace, str]]) -> None:
    """Refuse a name that no version has; not where a version cannot be read: the review says so."""
    try:
        names = sorted(set[str]().union(*(_NAMES[what](*place) for place in places)))
    except LockstepError:
        return
    if name not in names:
        raise entry.error(f"there is no {what} {name!r}", nearest_of(name, names, "there are"))


def _properties(workspace: Workspace, model: str) -> Iterable[str]:
    return (DEADLOCK, *(prop.name for prop in load_model(workspace.root, model).properties))


def _requirements(workspace: Workspace, model: str) -> Iterable[str]:
    return (row.id for kip in load_kips(workspace.root) for row in kip.requirements)


_NAMES: Mapping[str, Callable[[Workspace, str], Iterable[str]]] = {
    "scope": lambda workspace, model: load_model_spec(workspace.root, model).scopes,
    Subject.PROPERTY: _properties,
    Subject.REQUIREMENT: _requirements,
    Subject.FAULT: lambda workspace, model: fault_marks(workspace.root, model),
}
"""The names of something that a model has in a workspace."""
