"""The house has floors: a file imports from its own and from those below, and in no circle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "lockstep" / "starter" / "templates"
"""Files of workspaces, which stand above the house."""

FLOORS = (
    ("words", "errors", "notation_types"),
    ("system",),
    ("language",),
    ("results",),
    ("plain",),
    ("specs",),
    ("workspace", "starter"),
    ("machine",),
    ("explore", "prove", "conform", "spark", "mutants"),
    ("trace",),
    ("diagram",),
    ("twin", "review", "costs", "walk"),
    ("testing", "campaign"),
    ("verbs",),
    ("report",),
    ("serve",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
"""What is below comes first. `lockstep` itself is the notation, which stands on `language`."""


def imports() -> Iterator[tuple[str, str]]:
    """Each module of lockstep with each that it imports, wherever in its text."""
    for file in ROOT.joinpath("lockstep").rglob("*.py"):
        if TEMPLATES in file.parents:
            continue
        importer = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lockstep."):
                folder = ROOT.joinpath(*str(node.module).split("."))
                for alias in node.names:
                    part = f".{alias.name}" if folder.joinpath(f"{alias.name}.py").exists() else ""
                    yield importer, f"{node.module}{part}"


def test_only_results_for_notebooks_name_a_module_in_a_text() -> None:
    """What shows a result in a notebook is above it, and is loaded when it is asked for."""
    named = {
        file.relative_to(ROOT).as_posix()
        for file in ROOT.joinpath("lockstep").rglob("*.py")
        if "import_module(" in file.read_text(encoding="utf-8")
    }
    assert named == {"lockstep/results/notebook.py"}


def floor_of(module: str) -> int:
    name = module.split(".")[1]
    return next(number for number, floor in enumerate(FLOORS) if name in floor)


def test_there_is_no_circle() -> None:
    parts = networkx.strongly_connected_components(networkx.DiGraph(imports()))
    assert [sorted(part) for part in parts if len(part) > 1] == []


def test_no_import_runs_upwards() -> None:
    upwards = {
        (importer, imported)
        for importer, imported in imports()
        if importer != "lockstep.__init__" and floor_of(importer) < floor_of(imported)
    }
    assert upwards == set()
