"""The steps of a workflow of GitHub, as a page shows it: no more of YAML than such a file uses."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass(frozen=True)
class Step:
    """One step: what it runs, or the action that it uses; `condition` is what `if:` says."""

    name: str
    run: str | None
    uses: str | None
    condition: str | None


def steps_of(workflow: str) -> list[Step]:
    """The steps of a workflow that has one job."""
    head, _, steps = workflow.partition("    steps:\n")
    assert head.count("runs-on:") == 1
    parts = re.split(r"^      - ", steps, flags=re.MULTILINE)[1:]
    return [_step(textwrap.dedent(f"        {part}")) for part in parts]


def _step(text: str) -> Step:
    keys = {
        match[1]: _value(match[2], match[3])
        for match in re.finditer(r"^([a-z-]+):(.*)\n((?:[ ]+.*\n|\n)*)", text, re.MULTILINE)
    }
    run, uses = keys.get("run"), keys.get("uses")
    assert (run is None) != (uses is None), text
    return Step(keys.get("name", uses or ""), run, uses, keys.get("if"))


def _value(line: str, block: str) -> str:
    return textwrap.dedent(block) if line.strip() == "|" else line.strip()


def evaluated(text: str, values: Mapping[str, str]) -> str:
    """A text with the values of its expressions; `KeyError` for one that has none."""
    return _EXPRESSION.sub(lambda match: values[match[1]], text)
