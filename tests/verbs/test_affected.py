"""Whatever is edited, a model of which any text has changed is never skipped."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lockstep.answers.store import texts_of
from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.specs.scopes import load_model_spec
from lockstep.verbs.check import CheckRequest, plan_check
from lockstep.workspace import Workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
PART = "models/parts/rooms.py"


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models in git, one of which has a part of its own and some of its claims are lemmas."""
    root = tmp_path_factory.mktemp("affected") / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    model = root / "models/turnstile.py"
    text = model.read_text(encoding="utf-8")
    begin, end = text.index("def has_room"), text.index("@action")
    part = text[begin:end].replace("MAX_COINS", "2")
    moved = text[:begin] + text[end:]
    moved = moved.replace("\n\nGATES", "\nfrom models.parts.rooms import has_room\n\nGATES")
    model.write_text(moved, encoding="utf-8")
    (root / PART).parent.mkdir()
    (root / PART).write_text(part, encoding="utf-8")
    (root / "invariants/lemmas").mkdir()
    (root / "invariants/lemmas/letters.py").write_text(
        "from lockstep import lemma\n\n\n@lemma\ndef is_so(s):\n    return s.hand == s.hand\n",
        encoding="utf-8",
    )
    (root / ".gitignore").write_text("ignored_*\n.lockstep/\n", encoding="utf-8")
    git(root, "init", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "-m", "turnstiles")
    git(root, "tag", "first")
    return root


def digest(root: Path, name: str) -> object:
    """All that is read for a model; equal to nothing else where it cannot be loaded."""
    try:
        spec = load_model_spec(root, name)
        texts = texts_of(load_model(root, name, spec.scope("default").constants))
    except LockstepError:
        return object()
    files = [root / "specs" / f"{one}.toml" for one in (name, *spec.requirements)]
    return texts, [file.read_bytes() if file.exists() else None for file in files]


def _append(path: Path) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write("\n# a word more\n")


def _import_another(path: Path) -> None:
    path.write_text(f"import models.letters\n{path.read_text('utf-8')}", encoding="utf-8")


def _move_into_a_folder(path: Path) -> None:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    path.rename(folder / "inner.py")


def _lengthen_a_name(path: Path) -> None:
    path.rename(path.with_name(f"ignored_{path.name}"))


EDITS: list[Callable[[Path], None]] = [
    _append,
    _import_another,
    _move_into_a_folder,
    _lengthen_a_name,
    Path.unlink,
    Path.touch,
]
FILES = [
    *sorted(file.relative_to(TURNSTILE).as_posix() for file in TURNSTILE.rglob("*.py")),
    *(f"specs/{name}.toml" for name in ("turnstile", "letters", "kip_9")),
    PART,
    "invariants/lemmas/letters.py",
    "invariants/lemmas/turnstile.py",
    "lockstep.toml",
]
KNOWN = [(), (("add", "-A"),), (("add", "-A"), ("commit", "--allow-empty", "-m", "an edit"))]
"""What git knows of the edits: nothing, that they are staged, or that they are committed."""


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(st.sampled_from(FILES), st.sampled_from(EDITS)), min_size=1, max_size=2
    ),
    commands=st.sampled_from(KNOWN),
)
def test_a_model_that_changed_is_never_skipped(
    committed: Path,
    edits: list[tuple[str, Callable[[Path], None]]],
    commands: tuple[tuple[str, ...], ...],
) -> None:
    before = {name: digest(committed, name) for name in ("letters", "turnstile")}
    try:
        for file, edit in edits:
            if (path := committed / file).exists() or edit is _append:
                edit(path)
        for command in commands:
            git(committed, *command)
        workspace = Workspace(committed, "turnstile")
        if not workspace.models():
            return
        plan = plan_check(CheckRequest(workspace=workspace, changed="first"))
        assert plan.affected is not None
        assert {*plan.models, *plan.affected.skipped} == set(workspace.models())
        changed = {name for name, was in before.items() if was != digest(committed, name)}
        assert changed.isdisjoint(plan.affected.skipped)
        if not any(edit is not Path.touch for _, edit in edits):
            assert plan.models == ()
    finally:
        git(committed, "checkout", "-q", "-f", "-B", "main", "first")
        git(committed, "clean", "-fdxq")
