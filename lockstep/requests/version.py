"""One version of a model: as it is in a workspace, or with a fault, a proposal, other constants."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from lockstep.campaign.task import shown_constant
from lockstep.errors import LockstepError, unknown
from lockstep.language.faults import (
    Marks,
    fault_constants,
    fault_marks,
    fault_names,
    fault_scope_name,
    marks_in_place,
)
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.proposals import proposal_names
from lockstep.requests.option import choose, given_flags, read_constants
from lockstep.requests.search import VersionOptions
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, load_model_spec
from lockstep.specs.tables import Plain
from lockstep.system.git import git
from lockstep.system.scratch import scratch_folder
from lockstep.system.text_files import read_text, write_text
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Version:
    """A model as it is in one workspace; `revision` is where git has that workspace from.

    The constants take the place of those of each scope, and of those of the fault.
    """

    workspace: Workspace
    model: str
    fault: str | None = None
    proposal: str | None = None
    constants: Mapping[str, Plain] = field(default_factory=dict)
    revision: str | None = None

    def __str__(self) -> str:
        name = ".".join(filter(None, (self.model, self.fault, self.proposal)))
        if self.constants:
            values = (f"{key}={shown_constant(value)}" for key, value in self.constants.items())
            name = f"{name}@{','.join(values)}"
        return name if self.revision is None else f"{self.revision}:{name}"

    @property
    def title(self) -> str:
        """The name without a revision, as names of files have it."""
        return re.sub(r"[^\w.=-]+", "_", str(replace(self, revision=None)))

    def over(self, constants: Mapping[str, object]) -> dict[str, object]:
        """Those of a scope, below the fault's, below those of this version."""
        return {**constants, **self.fault_constants, **self.constants}

    @property
    def changes(self) -> dict[str, Any]:
        """What is changed of the model, as requests, answers and recordings have it."""
        constants = dict(self.constants)
        return {"fault": self.fault, "proposal": self.proposal, "constants": constants}

    @cached_property
    def faults(self) -> Marks:
        """The faults that are in place; `LockstepError` where there is no such."""
        return marks_in_place(self.workspace.root, self.model, self.fault)

    @property
    def fault_constants(self) -> Mapping[str, object]:
        """The constants that the fault sets; none without one."""
        return fault_constants(self.faults)

    @cached_property
    def spec(self) -> ModelSpec:
        """What `specs/` has of the model; `LockstepError` where that is damaged."""
        return load_model_spec(self.workspace.root, self.model)

    @property
    def usual_scope(self) -> str:
        """The scope where none is asked for: that of the faults that are put in place."""
        if self.fault is None:
            return DEFAULT_SCOPE
        return self.spec.fault_scope(fault_scope_name(self.faults)).name

    def at(self, scope: str) -> Model:
        """The model in a scope; `LockstepError` for one that is not there, and as of `load`."""
        return self.load(self.over(self.spec.scope(scope).constants))

    def load(self, constants: Mapping[str, object], claim: str | None = None) -> Model:
        """The model with these constants and no others; `LockstepError` as of `load_model`.

        It has its lemmas, too, where nothing else in it is of the name `claim`.
        """
        load = partial(
            load_model,
            self.workspace.root,
            self.model,
            constants,
            fault=self.fault,
            proposal=self.proposal,
        )
        model = load()
        if claim in (None, DEADLOCK) or model.find_property(claim) is not None:
            return model
        return load(lemmas=True)


def version_of(workspace: Workspace, model: str, request: VersionOptions) -> Version:
    """A model as a request changes it."""
    return Version(workspace, model, request.fault, request.proposal, request.constants)


def refuse_several(models: Sequence[str], request: Any) -> None:
    """`LockstepError` where a request changes the text of one model, and is about several."""
    for flag in given_flags(request):
        if flag in ("--fault", "--proposal", "--mutant") and len(models) != 1:
            raise LockstepError(f"{flag} is about one model", cure="name the model before it")


def refuse_unknown_scope(versions: Iterable[Version], scope: str) -> None:
    """`LockstepError` where no version has a scope.

    Where what is known of one cannot be read, its own result says so.
    """
    try:
        specs = [version.spec for version in versions]
    except LockstepError:
        return
    names = dict.fromkeys(name for spec in specs for name in spec.scopes or (DEFAULT_SCOPE,))
    if scope not in names:
        if len(specs) == 1:
            specs[0].scope(scope)
        raise unknown(f"no model has a scope {scope!r}", scope, names, "there are", "in specs/")


_PARTS = ("models", "invariants", "specs", "tla", "lockstep.toml", "pyproject.toml")
"""What a model and its twin need of their workspace."""

_NAME_ONE = "name a revision of this repository, as in main"


def commit_of(workspace: Workspace, revision: str) -> str:
    """The commit that a revision names, as git writes it in full.

    `LockstepError` where the workspace is in no git repository, or that has no such revision.
    """
    prefix_of(workspace)  # says what is wrong where there is no repository
    try:
        if revision.startswith("-"):
            raise LockstepError("an option is no revision")
        name = git(
            workspace.root,
            "rev-parse",
            "--verify",
            "--quiet",
            f"{revision}^{{commit}}",
            cure=_NAME_ONE,
        )
    except LockstepError:
        raise LockstepError(
            f"git has no revision {revision!r}", cure=_cure(workspace.root)
        ) from None
    return name.decode().strip()


def prefix_of(workspace: Workspace) -> str:
    """The path of the workspace in its repository, `""` or with a `/` at its end."""
    cure = "put the workspace under git, or name no revision"
    prefix = git(workspace.root, "rev-parse", "--show-prefix", cure=cure)
    return os.fsdecode(prefix.removesuffix(b"\n"))


def top_of(workspace: Workspace) -> Path:
    """The folder of the repository that a workspace is in."""
    top = git(workspace.root, "rev-parse", "--show-toplevel", cure=_NAME_ONE)
    return Path(os.fsdecode(top.removesuffix(b"\n")))


@contextmanager
def workspace_at(workspace: Workspace, revision: str) -> Iterator[Workspace]:
    """The workspace as git has it in a revision, in a folder that is gone afterwards.

    `LockstepError` as of `commit_of`, and where the workspace is not in that revision.
    """
    tree = f"{commit_of(workspace, revision)}:{prefix_of(workspace)}"
    root = top_of(workspace)  # in a folder below it, git looks for the same folder in the tree
    names = git(root, "ls-tree", "--name-only", "-z", tree, cure=_NAME_ONE).decode().split("\0")
    parts = [name for name in names if name in _PARTS]
    with scratch_folder("lockstep-revision-") as folder:
        if parts:
            archive = git(root, "archive", "--format=tar", tree, *parts, cure=_NAME_ONE)
            try:
                with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                    files.extractall(folder, filter="data")
            except tarfile.TarError as error:
                raise LockstepError(
                    f"the workspace of {revision} cannot be read: {error}",
                    cure="a link in it must not lead out of the workspace",
                ) from None
        yield Workspace(folder, workspace.name)


def _cure(root: Path) -> str:
    """What to do about a revision that is not there."""
    try:
        is_shallow = git(root, "rev-parse", "--is-shallow-repository", cure="").strip() == b"true"
    except LockstepError:
        is_shallow = False
    if is_shallow:
        return "this clone is shallow: fetch the revision, or all of them (git fetch --unshallow)"
    return _NAME_ONE


@dataclass(frozen=True)
class VersionPair:
    """Two versions of what ought to be the same protocol, BASE and HEAD.

    `judged` is HEAD with the claims of BASE, where the two do not claim the same.
    """

    base: Version
    head: Version
    judged: Version | None = None

    def __str__(self) -> str:
        return f"{self.base} -> {self.head}"

    def shown(self, text: str) -> str:
        """A text in which files of revisions are named as git names them: `main:models/x.py`."""
        for version in filter(None, (self.base, self.head, self.judged)):
            if version.revision is not None:
                text = text.replace(f"{version.workspace.root}/", f"{version.revision}:")
        return text


_NEXT_CONSTANT = re.compile(r",(?=\s*\w+\s*=)")
"""Between two constants; a comma within a list is none."""


def named_version(workspace: Workspace, text: str) -> Version:
    """The version that a text names: `MODEL`, or `MODEL.NAME` of a fault or a proposal.

    Several faults are `MODEL.A+B`. Constants come after it: `@NAME=VALUE,...`.

    `LockstepError` where there is none.
    """
    text, _, values = text.partition("@")
    constants = read_constants(_NEXT_CONSTANT.split(values) if values else ())
    name, _, variant = text.partition(".")
    (model,) = choose([name], workspace)
    if not variant:
        return Version(workspace, model, constants=constants)
    if variant in (proposals := proposal_names(workspace.root, model)):
        return Version(workspace, model, proposal=variant, constants=constants)
    names = [*fault_marks(workspace.root, model), *proposals]
    for one in fault_names(variant):
        if one not in names:
            problem = f"{model} has no fault and no proposal {one!r}"
            place = "in models/faults and models/proposals"
            raise unknown(problem, one, names, "there are", place)
    return Version(workspace, model, fault=variant, constants=constants)


@contextmanager
def version_at(workspace: Workspace, text: str) -> Iterator[Version]:
    """The version that a text names, which may begin with a git revision: `REV:MODEL.NAME`.

    Files of a revision are there as long as the block runs. `LockstepError` where there is none.
    """
    name, _, _ = text.partition("@")
    revision, colon, _ = name.partition(":")
    if not colon:
        yield named_version(workspace, text)
        return
    with workspace_at(workspace, revision) as earlier:
        version = named_version(earlier, text.removeprefix(f"{revision}:"))
        yield replace(version, revision=revision)


@contextmanager
def with_claims(models: Workspace, claims: Workspace) -> Iterator[Workspace | None]:
    """The models and scopes of one workspace with the claims of another; None if those are its own.

    The claims are the properties, the requirements that they state, and whether a model may stop.
    What the scopes declare of single properties or actions is left out.
    """
    if _claims(models) == _claims(claims):
        yield None
        return
    with scratch_folder("lockstep-review-") as folder:
        for name in ("models", "lockstep.toml", "pyproject.toml"):
            _copy(models.root / name, folder / name)
        _copy(claims.root / "invariants", folder / "invariants")
        (folder / "specs").mkdir()
        for file in sorted(claims.root.glob("specs/kip_*.toml")):
            _copy(file, folder / "specs" / file.name)
        for model in models.models():
            text = _bare_spec(*(load_model_spec(one.root, model) for one in (models, claims)))
            write_text(folder / "specs" / f"{model}.toml", text)
        yield Workspace(folder, models.name)


def _claims(workspace: Workspace) -> object:
    """What a workspace claims of its models."""
    allowed = {
        name: load_model_spec(workspace.root, name).deadlock_allowed for name in workspace.models()
    }
    return _texts(workspace.root / "invariants"), allowed


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.exists():
        shutil.copyfile(source, target)


def _bare_spec(scopes: ModelSpec, claims: ModelSpec) -> str:
    """A file of scopes with their constants alone."""
    lines = ["[model]", f"name = {json.dumps(scopes.name)}"]
    lines.append(f"requirements = {json.dumps(claims.requirements)}")
    if claims.deadlock_allowed:
        lines += ['deadlock = "allowed"', f"deadlock_reason = {json.dumps(claims.deadlock_reason)}"]
    for name, scope in scopes.scopes.items():
        lines += [f"[scopes.{name}]", f"purpose = {json.dumps(scope.purpose)}"]
        lines += ["[scopes." + f"{name}.constants]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in scope.constants.items()]
    return "\n".join(lines) + "\n"


def _texts(folder: Path) -> dict[str, str]:
    """The files of a folder, each by its path there."""
    files = sorted(folder.rglob("*.py"))
    return {file.relative_to(folder).as_posix(): read_text(file) for file in files}
