"""Tests that requirements cite: whether they are there, and judge what Apache Kafka wrote."""

from __future__ import annotations

import ast
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.text_files import is_file, read_text

KAFKA_OUTPUT = "kafka_output"
"""The fixture that hands a test files which Apache Kafka wrote."""


class CitedTests:
    """Looks up test functions below a workspace, reading each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, dict[str, set[str]] | None] = {}

    @property
    def are_there(self) -> bool:
        """Whether the workspace came with its tests."""
        return (self._root / "tests").is_dir()

    def problem(self, name: str) -> str | None:
        """Why there is no test `FILE::FUNCTION`; None when there is."""
        file, _, function = name.partition("::")
        functions = self._functions(file)
        if functions is None:
            return f"there is no file {file}"
        return None if function in functions else f"{file} has no function {function}"

    def judges_kafka(self, name: str) -> bool:
        """Whether a test takes what Kafka wrote, by itself or through fixtures of its file."""
        file, _, function = name.partition("::")
        functions = self._functions(file) or {}
        taken, pending = set[str](), [function]
        while pending:
            new = functions.get(pending.pop(), set()) - taken
            taken |= new
            pending.extend(new)
        return KAFKA_OUTPUT in taken

    def _functions(self, file: str) -> dict[str, set[str]] | None:
        if file not in self._files:
            self._files[file] = _parameters_in(self._root / file)
        return self._files[file]


def _parameters_in(file: Path) -> dict[str, set[str]] | None:
    """Each function of a file with its parameters; None where there is no file."""
    if not is_file(file):
        return None
    try:
        tree = ast.parse(read_text(file), filename=str(file))
    except SyntaxError as error:
        raise LockstepError(f"{file}:{error.lineno}: this is not Python: {error.msg}") from None
    return {
        node.name: {argument.arg for argument in node.args.args}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
