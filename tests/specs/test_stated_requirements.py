"""A property that states a requirement which is in no file is refused, with its line."""

import re
import shutil
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.specs.matrix import check_stated_requirements
from lockstep.specs.scopes import load_model_spec

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
CLAIMS = "invariants/turnstile.py"
SPEC = "specs/turnstile.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(TURNSTILE, tmp_path / "desk", ignore=shutil.ignore_patterns(".lockstep"))
    return tmp_path / "desk"


def edit(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text("utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new), "utf-8")


def check_stated(root: Path) -> None:
    check_stated_requirements(load_model(root, "turnstile"), load_model_spec(root, "turnstile"))


def test_an_id_with_a_row_is_fine(root: Path) -> None:
    check_stated(root)


def test_an_id_without_a_row_is_refused_with_its_line(root: Path) -> None:
    edit(root, CLAIMS, '@step_invariant("9-2")', '@step_invariant(\n    "9-2",\n    "9-20",\n)')
    reported = (
        r"invariants/turnstile.py:16: opens_only_for_a_coin states 9-20, "
        r"which has no row in .*specs/kip_9.toml\n  cure: did you mean 9-2\?"
    )
    with pytest.raises(LockstepError) as refused:
        check_stated(root)
    assert re.search(reported, str(refused.value))


def test_a_deviation_is_no_requirement(root: Path) -> None:
    edit(root, CLAIMS, '"9-3"', '"9-D1"')
    with pytest.raises(LockstepError, match="somebody_gets_in states 9-D1"):
        check_stated(root)


def test_a_file_that_the_specification_does_not_name_has_no_rows_of_the_model(root: Path) -> None:
    edit(root, SPEC, 'requirements = ["kip_9"]', "")
    reported = "states 9-1, and specs/turnstile.toml names no file of requirements"
    with pytest.raises(LockstepError, match=reported) as refused:
        check_stated(root)
    assert refused.value.cure is not None
    assert refused.value.cure.endswith("its file in `requirements` of specs/turnstile.toml")
