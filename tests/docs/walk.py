"""Follow a page from top to bottom in a folder, as a reader does: write files, run commands.

Why these lines and no library: Sybil, mktestdocs and pytest-codeblocks run blocks of Python in one
process, and make a test of each block, which several workers would take apart; byexample and cram
compare what commands print, and neither writes a file that the page shows. A page is one walk, so
it is one test.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from hatch_build import WORKSPACE
from tests.docs.forked import Run
from tests.docs.page import Block

ROOT = Path(__file__).parents[2]
PROMPT = "$ "
_COMMANDS = {
    "python": [sys.executable],
    "pytest": [sys.executable, "-m", "pytest"],
}
_AS_INSTALLED = "-W ignore::pytest.PytestAssertRewriteWarning"
"""What pytest says of a plugin in an editable install, it says nowhere else."""
_SECONDS = re.compile(r"\b\d+\.\d+(?= s\b|$)")

_PROGRESS = re.compile(r"^lockstep: [\d,]+ s  .*\n", re.MULTILINE)
"""What a command says of itself on a slow machine, and on no other."""


@dataclass
class Walk:
    """A page that is followed in the folder `page` of `folder`, which is empty at first.

    `lockstep` runs that command. `accepting` writes down what commands print in place of what the
    page says: see `accepted`.
    """

    folder: Path
    lockstep: Run
    accepting: bool = False
    accepted: dict[int, list[str]] = field(default_factory=dict)
    """By the line of a console block's fence, its lines as they would be right."""

    def follow(self, blocks: list[Block]) -> None:
        """Do what the blocks say; `PageError` at the first that is not so."""
        for block in blocks:
            if not block.is_run:
                continue
            if block.language == "console":
                self._console(block)
            elif block.language == "diff":
                self._change(block)
            else:
                self._write(block)

    @cached_property
    def page(self) -> Path:
        """The page's own folder."""
        page = self.folder / "page"
        page.mkdir()
        return page

    @cached_property
    def kafka(self) -> Path:
        """A copy of the Kafka workspace."""
        kafka = self.folder / "kafka"
        kafka.mkdir()
        for name in WORKSPACE:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, kafka / name)
        return kafka

    def _file(self, block: Block, name: str) -> Path:
        file = (self.page / name).resolve()
        if not file.is_relative_to(self.page.resolve()):
            raise block.error(f"{name} is outside of the page's folder")
        return file

    def _existing(self, block: Block, name: str) -> Path:
        file = self._file(block, name)
        if not file.is_file():
            raise block.error(f"no block above this one writes {name}")
        return file

    def _write(self, block: Block) -> None:
        if "append" in block.options:
            file = self._existing(block, block.options["append"])
            before = file.read_text(encoding="utf-8")
            file.write_text(f"{before}\n\n{block.text}", encoding="utf-8")
            return
        file = self._file(block, block.options["file"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, encoding="utf-8")

    def _change(self, block: Block) -> None:
        file = self._existing(block, block.options["file"])
        lines = block.text.splitlines(keepends=True)
        if any(line[0] not in " +-\n" for line in lines):
            raise block.error("each line of a diff begins with a space, + or -")
        old = "".join(line[1:] or "\n" for line in lines if line[0] != "+")
        new = "".join(line[1:] or "\n" for line in lines if line[0] != "-")
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise block.error(f"{file.name} has these lines {text.count(old)} times, not once")
        file.write_text(text.replace(old, new), encoding="utf-8")

    def _console(self, block: Block) -> None:
        lines = block.text.splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
        if not starts or starts[0] != 0:
            raise block.error(f"a console block begins with a command after `{PROMPT}`")
        written: list[str] = []
        for start, end in pairwise([*starts, len(lines)]):
            command = lines[start].removeprefix(PROMPT)
            code, output = self._run(block, command, start + 1)
            wanted = int(block.options.get("exit", "0")) if end == len(lines) else 0
            if code != wanted:
                raise block.error(f"`{command}` exits {code}, not {wanted}:\n{output}", start + 1)
            expected = lines[start + 1 : end]
            if not is_as_expected(output, expected):
                if not self.accepting:
                    said = f"`{command}` does not print this, but:\n{output}"
                    raise block.error(said, start + 1)
                expected = _accepted(output, expected)
            written += [lines[start], *expected]
        self.accepted[block.line] = written

    def _run(self, block: Block, command: str, line: int) -> tuple[int, str]:
        program, *arguments = shlex.split(command)
        if program != "lockstep" and program not in _COMMANDS:
            known = ", ".join(["lockstep", *_COMMANDS])
            raise block.error(f"{program} is not run; what is run is {known}", line)
        workspace = block.options.get("workspace")
        if workspace not in (None, "kafka"):
            raise block.error(f"there is no workspace {workspace} here")
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR")}
        environment["PYTEST_ADDOPTS"] = _AS_INSTALLED
        folder = self.page if workspace is None else self.kafka
        if program == "lockstep":
            code, output = self.lockstep(arguments, folder, environment)
            return code, _PROGRESS.sub("", output)
        finished = subprocess.run(
            [*_COMMANDS[program], *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        return finished.returncode, _PROGRESS.sub("", finished.stdout)


def is_as_expected(output: str, expected: list[str]) -> bool:
    """Whether an output is the expected one.

    `...` stands for anything within a line, and by itself in a line for any number of lines. Blank
    lines at both ends and blanks at the ends of lines do not count.
    """
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else f"{_pattern(line)}\n"
        for line in "\n".join(expected).strip("\n").splitlines()
    )
    text = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def _pattern(line: str) -> str:
    *before, last = line.rstrip().split("...")
    # A number that is left out may be wider on a slow machine, and take of the blanks before it.
    parts = (re.escape(part.rstrip(" ")) + " +" * part.endswith(" ") for part in before)
    return r"[^\n]*".join([*parts, re.escape(last)])


def _accepted(output: str, expected: list[str]) -> list[str]:
    """The lines of an output; an expected line with `...` stays where it fits."""
    patterns = [line for line in expected if "..." in line and line.strip() != "..."]
    lines = []
    for line in output.strip("\n").splitlines():
        fitting = (one for one in patterns if re.fullmatch(_pattern(one), line.rstrip()))
        lines.append(next(fitting, _SECONDS.sub("...", line.rstrip())))
    return lines
