"""What `docs/how-to/ci.md` gives to a team: a workflow, which is run step by step, and a hook."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.page import blocks_of
from tests.docs.workflow import Step, evaluated, steps_of

ROOT = Path(__file__).parents[2]
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"
WORKFLOW = ".github/workflows/lockstep.yml"
LETTERS = ("models/letters.py", "invariants/letters.py", "specs/letters.toml")
MODEL = "models/turnstile.py"
LEMMA = """
from lockstep import lemma
from models.turnstile import Arm, Gate


@lemma
def open_gates_are_paid_for(s, g: Gate):
    \"\"\"Whoever is about to enter has paid.\"\"\"
    return s.arm[g] != Arm.OPEN or s.entries[g] < s.coins[g]
"""


@dataclass(frozen=True)
class Ran:
    """How a step ended, and what it printed."""

    step: Step
    code: int
    out: str


@dataclass(frozen=True)
class Repository:
    """A git repository with the turnstile, a proof included, and all of it committed."""

    root: Path

    @property
    def summary(self) -> Path:
        return self.root.parent / "summary.md"

    def git(self, *arguments: str) -> None:
        names = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(["git", *names, *arguments], cwd=self.root, check=True, capture_output=True)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        (self.root / name).write_text(text.replace(old, new), encoding="utf-8")

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command as a runner does, with the `lockstep` and the Python of these tests."""
        ours = ("PYTEST_", "FORCE_COLOR", "COLUMNS")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return subprocess.run(
            command,
            cwd=self.root,
            env={
                **inherited,
                "PATH": f"{self.commands}{os.pathsep}{os.environ['PATH']}",
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.root),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.root.parent / "output"),
                "GITHUB_ENV": str(self.root.parent / "env"),
                "PIP_NO_INDEX": "1",
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    @property
    def commands(self) -> Path:
        """A folder with `lockstep` and `python`, whatever the environment is called."""
        folder = self.root.parent / "bin"
        if not folder.is_dir():
            folder.mkdir()
            for name, arguments in (("lockstep", "-m lockstep "), ("python", "")):
                program = folder / name
                program.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments}"$@"\n')
                program.chmod(0o755)
        return folder


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    shutil.copytree(TURNSTILE, tmp_path / "turnstile")
    one = Repository(tmp_path / "turnstile")
    for name in LETTERS:
        (one.root / name).unlink()
    with one.root.joinpath("specs/turnstile.toml").open("a", encoding="utf-8") as file:
        file.write("\n[proofs.real]\nconstants = { MAX_COINS = 1000000 }\n")
    one.root.joinpath("invariants/lemmas").mkdir()
    one.root.joinpath("invariants/lemmas/turnstile.py").write_text(LEMMA, encoding="utf-8")
    one.git("init", "--quiet")
    one.git("add", "--all")
    one.git("commit", "--quiet", "--message", "A turnstile")
    return one


@pytest.fixture(scope="module")
def workflow() -> str:
    (block,) = (
        block
        for block in blocks_of(ROOT / "docs" / "how-to" / "ci.md")
        if block.options.get("file") == WORKFLOW
    )
    return block.text


def follow(workflow: str, repository: Repository, event: str) -> list[Ran]:
    """Run the steps that run something: after one that fails, those `if: !cancelled()` alone."""
    changed = "--changed HEAD^1" if event == "pull_request" else ""
    values = {
        "github.event_name == 'pull_request' && '--changed HEAD^1' || ''": changed,
        "vars.LOCKSTEP": "lockstep",  # it is installed here, so that pip asks no index
    }
    ran: list[Ran] = []
    for step in steps_of(workflow):
        assert step.condition in (None, "${{ !cancelled() }}")
        failed = any(one.code for one in ran)
        if step.run is None or (failed and step.condition is None):
            continue
        script = repository.root.parent / "step.sh"
        script.write_text(evaluated(step.run, values), encoding="utf-8")
        # As `shell: bash` runs it.
        ended = repository.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)])
        ran.append(Ran(step, ended.returncode, ended.stdout))
    return ran


def test_the_workflow_runs_what_a_workspace_has(workflow: str, repository: Repository) -> None:
    ran = follow(workflow, repository, "push")
    assert [(one.step.name, one.code) for one in ran] == [
        ("Install", 0),
        ("Check", 0),
        ("Faults", 0),
        ("Requirements", 0),
        ("Proofs", 0),
        ("Twins", 0),
    ], "\n".join(one.out for one in ran)
    assert "turnstile holds" in ran[1].out
    assert "turnstile" in repository.summary.read_text(encoding="utf-8")
    sarif = {path.name for path in repository.root.glob("*.sarif")}
    assert sarif == {"check.sarif", "faults.sarif", "prove.sarif", "twin.sarif"}


def test_it_goes_on_after_a_failure_and_the_artifact_is_a_counterexample(
    workflow: str, repository: Repository
) -> None:
    entry = "    new.entries[g] = s.entries[g] + 1\n"
    repository.edit(MODEL, entry, f"{entry}    new.coins[g] = 0\n")
    repository.git("commit", "--quiet", "--all", "--message", "Give the coin back")
    ran = {one.step.name: one for one in follow(workflow, repository, "pull_request")}
    assert len(ran) == 6
    assert (ran["Install"].code, ran["Check"].code) == (0, 1)
    assert "::error file=invariants/turnstile.py" in ran["Check"].out
    kept = _paths(workflow, "actions/upload-artifact")
    traces = [file for path in kept for file in repository.root.glob(f"{path}/*.itf.json")]
    assert traces
    replayed = repository.run(["lockstep", "replay", str(traces[0])])
    assert replayed.returncode == 1, replayed.stdout


@pytest.mark.daily(2)
def test_what_is_restored_from_the_cache_is_not_decided_again(
    workflow: str, repository: Repository
) -> None:
    follow(workflow, repository, "push")
    written = {path for path in _paths(workflow, "actions/cache") if not path.startswith("~")}
    for path in repository.root.joinpath(".lockstep").iterdir():
        name = f".lockstep/{path.name}"
        if name not in written and path.is_dir():
            shutil.rmtree(path)
    outputs = {one.step.name: one.out for one in follow(workflow, repository, "push")}
    for name in ("Check", "Faults", "Proofs", "Twins"):
        assert "kept since" in outputs[name], outputs[name]


def test_a_pull_request_is_checked_in_what_it_can_affect(
    workflow: str, repository: Repository
) -> None:
    repository.root.joinpath("notes.txt").write_text("Gates are green.", encoding="utf-8")
    repository.git("add", "notes.txt")
    repository.git("commit", "--quiet", "--message", "Notes")
    ran = {one.step.name: one for one in follow(workflow, repository, "pull_request")}
    for name in ("Check", "Faults"):
        assert ran[name].code == 0
        assert "skipped, nothing that it is made of changed since HEAD^1" in ran[name].out


def _paths(workflow: str, action: str) -> list[str]:
    """The paths that the action is given."""
    _, _, rest = workflow.partition(f"uses: {action}@")
    match = re.search(r"^( +)path: \|\n((?:\1  .*\n)+)", rest, re.MULTILINE)
    assert match is not None
    return match[2].split()


def _hook() -> dict[str, str]:
    """The one hook of `.pre-commit-hooks.yaml`, key by key."""
    text = ROOT.joinpath(".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return dict(re.findall(r"^[- ] ([a-z_]+): (.*)$", text, re.MULTILINE))


def test_the_hook_checks_what_is_staged(repository: Repository) -> None:
    hook = _hook()
    assert (hook["pass_filenames"], hook["language"]) == ("false", "python")
    entry = hook["entry"].split()
    skipped = repository.run(entry)
    assert (skipped.returncode, "skipped" in skipped.stdout) == (0, True)
    entries = "    new.entries[g] = s.entries[g] + 1\n"
    repository.edit(MODEL, entries, f"{entries}    new.coins[g] = 0\n")
    repository.git("add", MODEL)
    assert re.search(hook["files"], MODEL)
    refused = repository.run([*entry, "--scope", "small"])
    assert refused.returncode == 1
    assert "violated: turnstile." in refused.stdout


def test_the_hook_is_for_files_of_a_workspace() -> None:
    files = _hook()["files"]
    for name in ("specs/a.toml", "invariants/lemmas/a.py", "protocols/models/faults/a.py"):
        assert re.search(files, name)
    for name in ("README.md", "tests/test_models.py", "mymodels/a.py", "specs/notes.md"):
        assert not re.search(files, name)


def test_the_container_is_given_all_that_the_wheel_is_made_of(tmp_path: Path) -> None:
    text = ROOT.joinpath("Containerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *names, target = line.split()
        for name in names:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, tmp_path / target)
            else:
                shutil.copy(source, tmp_path / target)
    made = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    assert list(tmp_path.glob("dist/lockstep-*.whl"))


def test_the_container_pins_what_the_lock_pins(tmp_path: Path) -> None:
    text = ROOT.joinpath("Containerfile").read_text(encoding="utf-8")
    match = re.search(r"^RUN (sed .*) > /wheels/constraints.txt$", text, re.MULTILINE)
    assert match is not None
    pins = subprocess.run(
        ["sh", "-c", match[1]], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [re.split("[>=<]", name)[0] for name in project["dependencies"]]
    pinned = {pin.partition("==")[0] for pin in pins}
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    assert pinned.issuperset([*wanted, "pytest", "pytest-xdist"])
