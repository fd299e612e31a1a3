"""The notebooks run, and what each cell ends with shows itself."""

import ast
import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.joinpath("docs").rglob("*.ipynb"))


def code_cells(notebook: Path) -> list[str]:
    document = json.loads(notebook.read_text(encoding="utf-8"))
    assert document["nbformat"] == 4
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    return ["".join(cell["source"]) for cell in cells]


def run_cell(text: str, names: dict[str, Any]) -> Any:
    """Run a cell as Jupyter does; the value of its last expression."""
    *body, last = ast.parse(text).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_there_is_one() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_every_cell_shows_something(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in code_cells(notebook):
        html = run_cell(cell, names)._repr_html_()
        shown = fromstring(html.replace("<br>", "<br />").replace("<style scoped>", "<style>"))
        assert isinstance(shown, Element)
        assert "".join(shown.itertext()).strip()
        assert "<script" not in html
    if notebook.name == "fleet.ipynb":
        assert_what_is_planted_is_found(names["table"])


def assert_what_is_planted_is_found(table: Any) -> None:
    (old, new) = table("""
        SELECT side, rule, COUNT(DISTINCT day) AS days, MIN(CAST(day AS STRING)) AS day,
            MIN(api_version) AS oldest, MAX(api_version) AS newest
        FROM departures_by_day GROUP BY side, rule ORDER BY side
    """).itertuples(index=False)
    assert old[:4] == ("broker", "watermark-back", 1, "2026-11-22")
    assert old.newest < 18
    assert new == ("client", "unchanged-partition-listed", 1, "2026-11-23", 18, 18)
    (cut,) = table("SELECT reason, is_loss FROM quarantine").itertuples(index=False)
    assert cut == ("truncated", True)
