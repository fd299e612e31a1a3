"""Every diagnostic as its reader sees it: `diagnostics/CODE.model` gives `diagnostics/CODE.err`.

Where a code has several cases, `CODE__CASE.model` are the others. A `.model` file is the text of
`models/case.py`, or of several files, each after a line with its name; a line `# set NAME = VALUE`
gives a constant the value that a scope would give it, and `# fault NAME` puts a fault in place. It
has no `.py` ending because it is wrong on purpose: linters would complain. After a change to a
message, `LOCKSTEP_ACCEPT=1 pytest tests/language/test_diagnostics.py` writes the `.err` files
again; read what changed.
"""

import ast
import os
import re
from pathlib import Path

import pytest

import lockstep.language
from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.language.source import ModelError
from lockstep.plain.exploration import Exploration

FOLDER = Path(__file__).parent / "diagnostics"
MISTAKES = Path(__file__).parent / "mistakes"
CASES = sorted(path.stem for path in FOLDER.glob("*.model"))


def code_of(case: str) -> str:
    """The code that a case is about: `unpacking__items` is one more case of `unpacking`."""
    return case.partition("__")[0].replace("_", "-")


def refused(root: Path, text: str) -> ModelError:
    """What is said of a case where loading it, or an exploration of it, is refused."""
    write_files(text, root)
    lines = re.findall(r"^# set (\w+) = (.*)$", text, flags=re.MULTILINE)
    constants = {name: ast.literal_eval(value) for name, value in lines}
    fault = re.search(r"^# fault (\w+)$", text, flags=re.MULTILINE)
    with pytest.raises(ModelError) as raised:
        explore(
            load_model(root, "case", constants, fault=fault and fault[1]), Exploration("python")
        )
    return raised.value


def hold(text: str, expected: Path) -> None:
    """Compare a text with a file, or write that file again."""
    if os.environ.get("LOCKSTEP_ACCEPT"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def codes() -> set[str]:
    """The codes of all diagnostics, read from the text of the package."""
    names = set()
    for path in Path(lockstep.language.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            code = {"refuse": 1, "Diagnostic": 0}.get(name)
            if code is not None and isinstance(argument := node.args[code], ast.Constant):
                names.add(str(argument.value))
    return names


def write_files(text: str, root: Path) -> None:
    """Write the files of a case below `root`; a file's first line is the one with its name."""
    (root / "models").mkdir()
    (root / "invariants").mkdir()
    (root / "models" / "faults").mkdir()
    parts = re.split(r"^(?=# (?:models|invariants)/[\w/]+\.py$)", text, flags=re.MULTILINE)
    for part in filter(None, parts):
        named = re.match(r"# (\S+\.py)\n", part)
        (root / (named[1] if named else "models/case.py")).write_text(part, encoding="utf-8")


def test_every_code_has_a_case() -> None:
    assert codes() == {code_of(case) for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_diagnostic(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # so that places are shown relative to the workspace
    error = refused(tmp_path, (FOLDER / f"{case}.model").read_text(encoding="utf-8"))
    hold(f"{error}\n", FOLDER / f"{case}.err")
    assert {problem.code for problem in error.diagnostics} == {code_of(case)}


def test_all_mistakes_are_reported_in_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in its file's order, whatever it is about; what only follows from another is not."""
    monkeypatch.chdir(tmp_path)
    error = refused(tmp_path, (MISTAKES / "many.model").read_text(encoding="utf-8"))
    hold(f"{error}\n", MISTAKES / "many.err")
    places = [(one.place.file.parent.name, one.place.line) for one in error.diagnostics]
    assert places == sorted(places, key=lambda place: (place[0] != "models", place[1]))
    assert len({problem.code for problem in error.diagnostics}) >= 8


def test_a_file_that_is_no_python_hides_none_of_another(tmp_path: Path) -> None:
    text = "x = = 1\n# invariants/case.py\nfrom models.case import x\ny = )\n"
    problems = refused(tmp_path, text).diagnostics
    assert [(one.code, one.place.file.parent.name) for one in problems] == [
        ("syntax", "models"),
        ("syntax", "invariants"),
    ]
