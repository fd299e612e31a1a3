"""The house has floors: a file imports from its own and from those below, and in no circle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

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
    ("explore", "prove", "spark", "mutants"),
    ("trace",),
    ("diagram",),
    ("twin", "review", "costs", "walk"),
    ("testing", "answers"),
    ("drive",),
    ("campaign",),
    ("requests",),
    ("verbs",),
    ("pages",),
    ("report",),
    ("serve",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
"""What is below comes first. `lockstep` itself is the notation, which stands on `language`."""

FLOORS_OF_KAFKA = (
    ("rules", "jars", "drift"),
    ("findings", "workspaces", "small_model"),
    ("totals",),
    ("files",),
    ("quorum",),
    ("sessions",),
    ("drive",),
    ("simulated",),
    ("columns",),
    ("fleet",),
    ("verbs",),
    ("report",),
    ("cli",),
)
"""Those of `lockstep_kafka`, which stands on all of `lockstep`."""

ENGINES = ("plain", "machine", "prove", "twin", "spark")
ENGINES_OF_ENGINES = {
    "machine": {"plain"},
    "prove": {"plain"},
    "twin": {"plain"},
    "spark": {"plain", "machine"},
}
"""The engines that another may import, and no others.

Plain Python is the oracle: what another engine finds is replayed there, and its searches share
their bounds and their progress. Spark runs the loops of machine code in other processes.
"""

PACKAGES = {"lockstep": FLOORS, "lockstep_kafka": FLOORS_OF_KAFKA}


def imports(package: str, of: str) -> Iterator[tuple[str, str]]:
    """Each module of a package with each that it imports of another, wherever in its text."""
    for file in ROOT.joinpath(package).rglob("*.py"):
        if TEMPLATES in file.parents:
            continue
        importer = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == of:
                        yield importer, alias.name
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == of:
                folder = ROOT.joinpath(*str(node.module).split("."))
                for alias in node.names:
                    part = f".{alias.name}" if folder.joinpath(f"{alias.name}.py").exists() else ""
                    yield importer, f"{node.module}{part}"


def test_only_results_for_notebooks_name_a_module_in_a_text() -> None:
    """What shows a result in a notebook is above it, and is loaded when it is asked for.

    Doctor loads packages of others, to see whether they are there.
    """
    named = {
        file.relative_to(ROOT).as_posix()
        for file in ROOT.joinpath("lockstep").rglob("*.py")
        if "import_module(" in file.read_text(encoding="utf-8")
    }
    assert named == {"lockstep/results/notebook.py", "lockstep/verbs/doctor.py"}


def floor_of(module: str) -> int:
    package, name = module.split(".")[:2]
    return next(number for number, floor in enumerate(PACKAGES[package]) if name in floor)


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_no_circle(package: str) -> None:
    parts = networkx.strongly_connected_components(networkx.DiGraph(imports(package, package)))
    assert [sorted(part) for part in parts if len(part) > 1] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_runs_upwards(package: str) -> None:
    upwards = {
        (importer, imported)
        for importer, imported in imports(package, package)
        if "__init__" not in importer
        and imported != package
        and floor_of(importer) < floor_of(imported)
    }
    assert upwards == set()


def test_no_engine_imports_another() -> None:
    found: dict[str, set[str]] = {}
    for importer, imported in imports("lockstep", "lockstep"):
        one, other = (f"{module}.".split(".")[1] for module in (importer, imported))
        if one in ENGINES and other in ENGINES and one != other:
            found.setdefault(one, set()).add(other)
    assert found == ENGINES_OF_ENGINES


def test_the_engine_knows_nothing_of_kafka() -> None:
    """The other way there is an import: what is counted here can be found."""
    assert set(imports("lockstep", "lockstep_kafka")) == set()
    assert set(imports("lockstep_kafka", "lockstep"))
