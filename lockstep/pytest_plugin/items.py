"""The files that stand for claims, and their items: each puts one question to a verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.language.source import allow_nesting
from lockstep.pytest_plugin.answers import (
    Asked,
    ItemResult,
    answer_requirements,
    catch_every_claim,
    check_scope,
    compare_twin,
    follow_log,
    prove_widths,
    read_every_file,
    run_fault,
)
from lockstep.pytest_plugin.settings import MARKER, Kind, Settings
from lockstep.results.verdict import INTERRUPTED
from lockstep.specs.kip import load_kips
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, load_model_spec
from lockstep.system.java import find_java
from lockstep.verbs.twin import USUAL_SCOPES
from lockstep.words import plural
from lockstep.workspace import Workspace


class Refused(Exception):
    """What an item asked does not hold, or was not decided; the text is for the reader."""


class Claim(pytest.Item):
    """One question, and the verb that answers it."""

    def __init__(
        self, *, ask: Callable[[], ItemResult], needs_java: bool = False, **given: Any
    ) -> None:
        super().__init__(**given)
        self._ask = ask
        self._needs_java = needs_java
        self.add_marker(MARKER)

    def runtest(self) -> None:
        """Ask. Skipped only where Java is needed and not there; Ctrl-C ends the run of pytest."""
        if self._needs_java:
            try:
                find_java()
            except LockstepError as error:
                pytest.skip(f"not compared: {error.message}")
        try:
            answer = self._ask()
        except LockstepError as error:
            raise Refused(str(error)) from None
        if answer.exit_code == INTERRUPTED:
            raise KeyboardInterrupt
        self.user_properties += [(name, str(value)) for name, value in answer.numbers.items()]
        if answer.exit_code != 0:
            raise Refused(answer.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the command prints, and no traceback of lockstep's own code."""
        if isinstance(excinfo.value, Refused):
            return str(excinfo.value).strip("\n")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The file that declares it, and the headline of its failure."""
        return self.path, None, f"{self.path.stem} {self.name}"


class ClaimsFile(pytest.File):
    """A file of a workspace that stands for some claims."""

    settings: Settings

    def collect(self) -> Iterator[Claim]:
        """The items of the file; a file that cannot be read is an error of the run."""
        try:
            yield from self._claims()
        except LockstepError as error:
            raise self.CollectError(str(error)) from None

    def _claims(self) -> Iterator[Claim]:
        raise NotImplementedError

    def _claim(
        self, name: str, ask: Callable[[], ItemResult], *, needs_java: bool = False
    ) -> Claim:
        claim: Claim = Claim.from_parent(self, name=name, ask=ask, needs_java=needs_java)
        return claim


class ModelFile(ClaimsFile):
    """`specs/MODEL.toml`, or the file of a model that has none."""

    def _claims(self) -> Iterator[Claim]:
        settings = self.settings
        asked = Asked(settings.workspace, self.path.stem, settings.threads)
        spec = load_model_spec(settings.workspace.root, asked.model)
        if Kind.CHECK in settings.kinds:
            for scope in settings.scopes_of(tuple(spec.scopes) or (DEFAULT_SCOPE,)):
                yield self._claim(f"check[{scope}]", _of(check_scope, asked, scope))
        if Kind.FAULTS in settings.kinds:
            for fault in fault_marks(settings.workspace.root, asked.model):
                yield self._claim(f"fault[{fault}]", _of(run_fault, asked, fault))
            yield self._claim("every_claim_is_caught", lambda: catch_every_claim(asked))
        if Kind.PROVE in settings.kinds:
            for proof in spec.proofs:
                yield self._claim(f"proof[{proof}]", _of(prove_widths, asked, proof))
        if Kind.TWIN in settings.kinds:
            for scope in _scopes_of_twin(spec):
                ask = _of(compare_twin, asked, scope)
                yield self._claim(f"twin[{scope}]", ask, needs_java=True)


class WorkspaceFile(ClaimsFile):
    """The file that makes a folder a workspace."""

    def _claims(self) -> Iterator[Claim]:
        workspace = self.settings.workspace
        yield self._claim("every_file_is_read", lambda: read_every_file(workspace))
        if Kind.MATRIX in self.settings.kinds and load_kips(workspace.root):
            yield self._claim("requirements", lambda: answer_requirements(workspace))


class SampleFile(ClaimsFile):
    """A recorded log."""

    def _claims(self) -> Iterator[Claim]:
        yield self._claim("conforms", lambda: follow_log(self.settings.workspace, self.path))


def _of(
    ask: Callable[[Asked, str], ItemResult], asked: Asked, name: str
) -> Callable[[], ItemResult]:
    """The question about one thing of a model."""
    return lambda: ask(asked, name)


def _scopes_of_twin(spec: ModelSpec) -> list[str]:
    if spec.twin is None:
        return []
    return [scope for scope in USUAL_SCOPES if scope in spec.scopes]


def take_part(config: pytest.Config) -> None:
    """Collect claims in this run; `pytest.UsageError` where no workspace is found."""
    try:
        settings = Settings.of(config)
        collection = Collection(settings)
    except LockstepError as error:
        raise pytest.UsageError(f"lockstep: {error}") from None
    config.pluginmanager.register(collection, "lockstep_collection")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        # Nobody named a path, and `testpaths` are those of tests: the workspace comes with them.
        config.args += [str(file) for file in collection.files if str(file) not in config.args]
    allow_nesting()


class Collection:
    """Makes collectors of the files that stand for claims.

    `files` are the one that makes the workspace one, one a model, and recorded logs.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.files: dict[Path, type[ClaimsFile]] = {}
        if not settings.workspace.shipped:
            self._add_claims(settings.workspace)
        self.files |= dict.fromkeys(settings.logs(), SampleFile)
        settings.refuse_unknown_scopes()

    def _add_claims(self, workspace: Workspace) -> None:
        root = workspace.root
        marker = root / "lockstep.toml"
        self.files[marker if marker.is_file() else root / "pyproject.toml"] = WorkspaceFile
        for model in workspace.models():
            spec = root / "specs" / f"{model}.toml"
            self.files[spec if spec.is_file() else root / "models" / f"{model}.py"] = ModelFile

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """The collector of a file that stands for claims."""
        kind = self.files.get(file_path)
        if kind is None:
            return None
        collector: ClaimsFile = kind.from_parent(parent, path=file_path)
        collector.settings = self._settings
        return collector

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was not decided for want of a tool: a line of its own, however quiet the run."""
        reasons: dict[str, int] = {}
        for report in terminalreporter.stats.get("skipped", []):
            if MARKER in getattr(report, "keywords", {}) and isinstance(report.longrepr, tuple):
                reason = report.longrepr[2].removeprefix("Skipped: ")
                reasons[reason] = reasons.get(reason, 0) + 1
        for reason, count in reasons.items():
            terminalreporter.write_line(f"lockstep: {plural(count, 'twin')} {reason}", yellow=True)
