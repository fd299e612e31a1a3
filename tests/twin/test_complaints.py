"""What TLC says is asked of TLC itself, so that its words here are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.twin.tlc import TlcOptions, run_tlc
from lockstep.twin.tool_messages import TwinUnusable, unusable

SOUND = """\
---- MODULE Broken ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
====
"""
CONFIG = "INIT Init\nNEXT Next\n"


def _complaint(folder: Path, text: str, config: str = CONFIG) -> TwinUnusable:
    module, configuration = folder / "Broken.tla", folder / "Broken.cfg"
    module.write_text(text)
    configuration.write_text(config)
    run = run_tlc(module, configuration, TlcOptions(workers=1))
    assert run.verdict == "error"
    return unusable(run.message, module, configuration)


@pytest.mark.parametrize(
    ("old", "new", "place", "reported", "shown"),
    [
        ("x = 0", "x = missing", "Broken.tla:4:13", "Unknown operator: `missing'", "missing"),
        ("x = 0", "x = = 0", "Broken.tla:4:", "Was expecting", "Init == x = = 0"),
        ("x + 1", 'x + "one"', "Broken.tla:5:", "Attempted to apply the operator", "Next =="),
    ],
)
def test_the_line_meant_is_shown(
    tmp_path: Path, old: str, new: str, place: str, reported: str, shown: str
) -> None:
    text = str(_complaint(tmp_path, SOUND.replace(old, new)))
    assert place in text
    assert reported in text
    assert shown in text
    assert "^" in text


def test_the_line_of_the_configuration_is_shown(tmp_path: Path) -> None:
    text = str(_complaint(tmp_path, SOUND, "INIT Init\nNEXTT Next\n"))
    assert "Broken.cfg:2:1" in text
    assert "NEXTT Next" in text


def test_what_has_no_line_names_the_module(tmp_path: Path) -> None:
    text = str(_complaint(tmp_path, SOUND, CONFIG + "INVARIANT Absent\n"))
    assert "TLC cannot check" in text
    assert "Broken.tla" in text
    assert "Absent" in text


def test_the_behaviour_that_leads_there_is_reported() -> None:
    module = Path("Absent.tla")
    text = str(unusable("It has no value", module, module, ["1  push", "   x: 0 -> 1"]))
    assert text.splitlines()[1:5] == [
        "  It has no value",
        "  the steps that lead there:",
        "    1  push",
        "       x: 0 -> 1",
    ]


def test_silence_is_reported_as_such() -> None:
    module = Path("Absent.tla")
    assert "does not say why" in str(unusable("", module, module))
