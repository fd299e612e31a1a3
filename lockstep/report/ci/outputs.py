"""The options of what a run says to the machinery of continuous integration."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lockstep.requests.option import option
from lockstep.workspace import Workspace

if TYPE_CHECKING:
    from lockstep.report.view import RunT, View


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

    def write(self, workspace: Workspace, view: View[Any, RunT], run: RunT) -> int:
        """Write what was asked for of a run that has ended; what the process ends with.

        `LockstepError` where something cannot be written; the rest is written all the same.
        """
        if not (self.github or self.sarif or self.summary):
            return run.exit_code
        from lockstep.pages.markdown import markdown
        from lockstep.pages.output import Output
        from lockstep.report.ci.github import append_summary, workflow_commands
        from lockstep.report.ci.places import SourceRoot
        from lockstep.report.ci.sarif import sarif
        from lockstep.system.text_files import write_text

        root, problems = SourceRoot.of(workspace), view.problems(run)
        if self.github:
            output = Output()
            for line in workflow_commands(problems, root):
                output.command(line)
        with ExitStack() as files:
            if self.sarif is not None:
                files.callback(write_text, self.sarif, sarif(problems, root))
            if self.summary is not None:
                files.callback(append_summary, self.summary, markdown(view.page(run, problems)))
        return run.exit_code
