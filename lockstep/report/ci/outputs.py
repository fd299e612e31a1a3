"""The options of what a run says to the machinery of continuous integration."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from lockstep.requests.option import option
from lockstep.workspace import Workspace

if TYPE_CHECKING:
    from lockstep.pages.blocks import Page
    from lockstep.pages.output import Output
    from lockstep.report.ci.problems import Problems


@dataclass(frozen=True)
class CiOutputs:
    """What is written besides what is printed; by default nothing."""

    apart: ClassVar = {"--json": ("--github",)}

    sarif: Path | None = option(
        "--sarif", metavar="FILE", help="Write what is wrong as SARIF 2.1.0, too."
    )
    summary: Path | None = option(
        "--summary", metavar="FILE", help="Add a summary in Markdown at the end of a file, too."
    )
    github: bool = option(
        "--github", default=False, help="Print what is wrong as annotations of GitHub, too."
    )

    @property
    def is_any(self) -> bool:
        """Whether anything is to be written."""
        return self.github or self.sarif is not None or self.summary is not None

    def write(
        self,
        output: Output,
        workspace: Workspace,
        problems: Problems,
        page: Callable[[], Page],
    ) -> None:
        """Write what was asked for of a run that has ended.

        `LockstepError` where something cannot be written; the rest is written all the same.
        """
        from lockstep.pages.markdown import markdown
        from lockstep.report.ci.github import append_summary, workflow_commands
        from lockstep.report.ci.places import SourceRoot
        from lockstep.report.ci.sarif import sarif
        from lockstep.system.text_files import write_text

        root = SourceRoot.of(workspace)
        if self.github:
            for line in workflow_commands(problems, root):
                output.command(line)
        with ExitStack() as files:
            if self.sarif is not None:
                files.callback(write_text, self.sarif, sarif(problems, root))
            if self.summary is not None:
                files.callback(append_summary, self.summary, markdown(page()))
