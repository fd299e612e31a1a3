"""What a review will do: which versions are compared in which scopes, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.answers.store import texts_of
from lockstep.errors import LockstepError, unknown
from lockstep.language.model import load_model
from lockstep.requests.option import given_flags
from lockstep.requests.review import MOST_STATES, ReviewRequest
from lockstep.requests.version import Version, VersionPair, named_version, with_claims, workspace_at
from lockstep.specs.scopes import DEFAULT_SCOPE
from lockstep.system.text_files import read_text
from lockstep.trace.itf import traces_folder
from lockstep.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class ReviewTask:
    """Two versions and a scope that both have."""

    versions: VersionPair
    scope: str

    def __str__(self) -> str:
        return f"{self.versions} {self.scope}"


@dataclass
class ReviewPlan:
    """What is compared; `unchanged` are models that two revisions have alike.

    `omitted` are models or scopes that are not compared, each with the reason. `revisions` are the
    workspaces of BASE and HEAD where those are of git.
    """

    workspace: Workspace
    request: ReviewRequest
    tasks: list[ReviewTask] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)
    revisions: tuple[Workspace, Workspace] | None = None

    def shown(self, text: str) -> str:
        """A text in which files of revisions are named as git names them."""
        return next((task.versions.shown(text) for task in self.tasks), text)

    def folder(self, version: Version) -> Path:
        """Where behaviours of a version are written; those of a revision apart from others."""
        folder = self.request.save or traces_folder(self.workspace)
        return folder if version.revision is None else folder / version.revision

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that are compared."""
        return tuple(dict.fromkeys(task.versions.head.model for task in self.tasks))


@contextmanager
def plan_review(request: ReviewRequest) -> Iterator[ReviewPlan]:
    """What a request asks for; `LockstepError` where it cannot be met.

    Files of revisions are there as long as the block runs.
    """
    plan = ReviewPlan(request.workspace or find_workspace(), request)
    first, *others = request.versions or ("",)
    with ExitStack() as folders:
        are_revisions = ".." in first
        pairs = _revisions(plan, first, others, folders) if are_revisions else [_named(plan)]
        for pair in pairs:
            plan.tasks += _tasks(pair, plan)
        if not plan.tasks and (plan.omitted or not plan.unchanged):
            raise LockstepError(
                f"nothing is compared: {'; '.join(plan.omitted)}",
                cure="name a scope that both versions have",
            )
        yield plan


def _named(plan: ReviewPlan) -> VersionPair:
    """Two versions of the workspace."""
    for flag in given_flags(plan.request):
        if flag in ("--twins", "--proofs"):
            raise LockstepError(
                f"{flag} is for two revisions: faults and proposals have none of their own",
                cure="name two revisions, as in main..my-branch, or leave it out",
            )
    if len(plan.request.versions) != 2:
        raise LockstepError(
            "a review is of two versions",
            cure="name BASE and HEAD, each MODEL or MODEL.NAME, or two revisions REV..REV",
        )
    base, head = (named_version(plan.workspace, text) for text in plan.request.versions)
    return VersionPair(base, head)


def _revisions(
    plan: ReviewPlan, text: str, models: list[str], folders: ExitStack
) -> list[VersionPair]:
    """The models that two revisions do not have alike, of all or of those that are named."""
    base, _, head = text.partition("..")
    if not base or not head or head.startswith("."):
        raise LockstepError(f"{text!r} is not two revisions", cure="write REV..REV")
    before = folders.enter_context(workspace_at(plan.workspace, base))
    after = folders.enter_context(workspace_at(plan.workspace, head))
    judged = folders.enter_context(with_claims(after, before))
    plan.revisions = before, after
    names = dict.fromkeys([*before.models(), *after.models()])
    for name in models:
        if name not in names:
            problem = f"neither {base} nor {head} has a model {name!r}"
            raise unknown(problem, name, names, "the models are", "in models/")
    pairs = []
    for model in models or names:
        if model not in before.models() or model not in after.models():
            only = head if model in after.models() else base
            plan.omitted.append(f"{model}: only {only} has it")
        elif _text(before, model) == _text(after, model):
            plan.unchanged.append(model)
        else:
            pairs.append(
                VersionPair(
                    Version(before, model, revision=base),
                    Version(after, model, revision=head),
                    None if judged is None else Version(judged, model, revision=head),
                )
            )
    return pairs


def _text(workspace: Workspace, model: str) -> object:
    """All that is read for a model; equal to nothing else where it cannot be loaded."""
    try:
        texts = texts_of(load_model(workspace.root, model))
        return texts, read_text(workspace.root / "specs" / f"{model}.toml")
    except (LockstepError, OSError):
        return object()


def _tasks(pair: VersionPair, plan: ReviewPlan) -> Iterator[ReviewTask]:
    """A task for each scope that both versions have, but for very large ones."""
    base, head = pair.base.spec, pair.head.spec
    of_base, of_head = (list(spec.scopes) or [DEFAULT_SCOPE] for spec in (base, head))
    for scope in dict.fromkeys([*of_base, *of_head]):
        if plan.request.scope not in (None, scope):
            continue
        if scope not in of_base or scope not in of_head:
            only = pair.base if scope in of_base else pair.head
            plan.omitted.append(f"{pair} {scope}: only {only} has this scope")
            continue
        states = max(spec.scope(scope).pins.states or 0 for spec in (base, head))
        if plan.request.scope is None and states > MOST_STATES:
            plan.omitted.append(f"{pair} {scope}: {states:,} states; --scope {scope} compares it")
        else:
            yield ReviewTask(pair, scope)
