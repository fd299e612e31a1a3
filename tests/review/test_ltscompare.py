"""Inclusion beside `ltscompare` of mCRL2, which knows nothing of lockstep.

A step is labelled by what the state after it shows, or is hidden (`tau`) where that stays the same:
the weak traces of such a graph are what it shows.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from lockstep.review.inclusion import find_parting
from lockstep.review.observed import ObservedSpace
from tests.review.test_inclusion import LIMITS, observed, spaces

TOOL = shutil.which("ltscompare")
ANSWER = re.compile(r"is (not )?included in")


def aut(one: ObservedSpace) -> str:
    """A graph in the Aldebaran format."""
    views, space = one.views.tolist(), one.space
    lines = []
    for state, view in enumerate(views):
        for edge in space.steps(state):
            target = int(space.targets[edge])
            label = "tau" if views[target] == view else f"view{views[target]}"
            lines.append(f'({state},"{label}",{target})')
    return "\n".join([f"des (0,{len(lines)},{len(views)})", *lines]) + "\n"


def is_included(one: ObservedSpace, other: ObservedSpace) -> bool:
    """What `ltscompare` says."""
    assert TOOL is not None
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("one.aut", "other.aut")]
        for file, space in zip(files, (one, other), strict=True):
            file.write_text(aut(space), encoding="utf-8")
        command = [TOOL, "--preorder=weak-trace", *map(str, files)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = ANSWER.search(ran.stdout + ran.stderr)
    assert answer is not None, ran.stdout + ran.stderr
    return answer[1] is None


def test_a_graph_is_written_with_hidden_steps() -> None:
    assert aut(observed([[1], [2, 0], []], [0, 0, 1])) == (
        'des (0,3,3)\n(0,"tau",1)\n(1,"view1",2)\n(1,"tau",0)\n'
    )


@pytest.mark.verify
@pytest.mark.skipif(TOOL is None, reason="ltscompare of mCRL2 is optional and not installed here")
@settings(max_examples=200)
@given(spaces(), spaces())
def test_ltscompare_agrees(one: ObservedSpace, other: ObservedSpace) -> None:
    if one.views[0] == other.views[0]:
        assert is_included(one, other) == (find_parting(one, other, LIMITS) is None)
