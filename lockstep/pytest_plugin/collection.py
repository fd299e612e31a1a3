"""Which files of a run stand for claims, and what the last lines of the run say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.source import allow_nesting
from lockstep.pytest_plugin.items import ClaimsFile, ModelFile, SampleFile, WorkspaceFile
from lockstep.pytest_plugin.settings import MARKER, Settings
from lockstep.words import plural


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
        root = settings.workspace.root
        self._settings = settings
        marker = root / "lockstep.toml"
        self.files: dict[Path, type[ClaimsFile]] = {
            marker if marker.is_file() else root / "pyproject.toml": WorkspaceFile
        }
        for model in settings.workspace.models():
            spec = root / "specs" / f"{model}.toml"
            self.files[spec if spec.is_file() else root / "models" / f"{model}.py"] = ModelFile
        self.files |= dict.fromkeys(settings.logs(), SampleFile)
        settings.refuse_unknown_scopes()

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
