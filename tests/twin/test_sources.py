from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.twin.tlc import require_constants


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "MCGates.tla").write_text(
        "---- MODULE MCGates ----\nEXTENDS Gates\nCONSTANT MaxCoins\n====\n"
    )
    (tmp_path / "Gates.tla").write_text(
        "---- MODULE Gates ----\n"
        "EXTENDS Naturals, Coins,\n  MCGates\n"
        "CONSTANTS Gates  \\* and CanJam, some day\n"
        "(* MaxAge\n   MaxSize *)\n"
        "====\n"
    )
    (tmp_path / "Coins.tla").write_text("---- MODULE Coins ----\nCONSTANT Mint\n====\n")
    return tmp_path / "MCGates.tla"


def test_constants_of_every_module_are_found(module: Path) -> None:
    require_constants(["MAX_COINS", "GATES", "MINT"], module)


@pytest.mark.parametrize("name", ["CAN_JAM", "MAX_AGE", "MAX_SIZE", "MAX_COIN"])
def test_a_constant_that_is_nowhere_is_named(module: Path, name: str) -> None:
    with pytest.raises(LockstepError, match=rf"has no \w+ \({name} in the model\)"):
        require_constants([name], module)
