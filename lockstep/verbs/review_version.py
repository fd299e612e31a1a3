"""The versions that `review` compares: a model of a workspace, as it is or with a change."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep.errors import LockstepError, nearest
from lockstep.language.faults import fault_marks, fault_names
from lockstep.language.proposals import proposal_names
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.scratch import scratch_folder
from lockstep.system.text_files import read_text, write_text
from lockstep.verbs.models import choose, read_constants
from lockstep.verbs.revision import workspace_at
from lockstep.verbs.version import Version
from lockstep.workspace import Workspace


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
            raise LockstepError(
                f"{model} has no fault and no proposal {one!r}",
                cure=nearest(one, names, f"there are: {', '.join(names) or 'none'}"),
            )
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
