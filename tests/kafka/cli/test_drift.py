"""`drift`: the rows that rest on methods whose text changed between two releases."""

import re
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from lockstep.errors import ExitCode
from tests.cli.conftest import Desk

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("tree_sitter", "tree_sitter_java", "tree_sitter_scala"))),
    reason="tree-sitter is not installed: drift was not tried",
)

ROOT = Path(__file__).parents[3]
GATE = "org.turnstiles.Gate"

BEFORE = {
    "org/turnstiles/Gate.java": """
package org.turnstiles;
/** A gate. */
public class Gate {
    private static final int MOST_COINS = 2;
    Gate(int coins) { this.coins = coins; }
    // Opens.
    boolean coin() { return open("a  b"); }
    boolean push() { return false; }
    boolean push(int times) { return false; }
    int gone() { return 1; }
    static class Arm { void turn() { } }
}
""",
    "turnstiles/Clerk.scala": """
package turnstiles
class Clerk(val name: String) {
  def greet(): String = s"Hello  $name" // politely
}
object Clerk { val Limit = 3 }
""",
    "org/turnstiles/old/Box.java": "package org.turnstiles.old; class Box { void empty() { } }",
    "org/turnstiles/Bell.java": "package org.turnstiles; class Bell { int ring() { return 1; } }",
}
AFTER = {
    "org/turnstiles/Gate.java": """
package org.turnstiles;
public class Gate {
    private static final int MOST_COINS = 2;

    Gate(int coins) {
        this.coins = coins;  // kept
    }

    /* Opens. */
    boolean coin()
    {
        return open("a  b");
    }

    boolean push() { return false; }
    boolean push(int times) { return times > 2; }
    static class Arm { void turn() { turned = true; } }
}
""",
    "org/turnstiles/Clerk.java": """
package org.turnstiles;
class Clerk {
    static final int Limit = 3;
    String greet() { return "Hello  " + name; }
}
""",
    "org/turnstiles/Box.java": "package org.turnstiles; class Box { void empty() { } }",
    "org/turnstiles/Chime.java": "package org.turnstiles; class Chime { int ring() { return 2; } }",
}

KINDS = {
    f"{GATE}#MOST_COINS": "same",
    f"{GATE}#Gate": "same",
    f"{GATE}#coin": "same",
    f"{GATE}#push": "changed",
    f"{GATE}#gone": "gone",
    f"{GATE}#never": "gone",
    f"{GATE}.Arm#turn": "changed",
    "org.turnstiles.Clerk#greet": "rewritten",
    "org.turnstiles.Clerk#Limit": "rewritten",
    "org.turnstiles.Box#empty": "moved",
    "org.turnstiles.Chime#ring": "changed",
}
FORMER = '[former]\n"org.turnstiles.Chime" = "org.turnstiles.Bell"\n'


@pytest.fixture
def drifting(desk: Desk) -> Desk:
    """The workspace with a row on each method, and the source of both releases."""
    for release, files in (("1", BEFORE), ("2", AFTER)):
        folder = desk.root / release
        folder.mkdir()
        with ZipFile(folder / f"gates-{release}-sources.jar", "w") as jar:
            for name, text in files.items():
                jar.writestr(name, text)
    names = "".join(f'  "{name}",\n' for name in KINDS)
    desk.edit(
        "specs/kip_9.toml",
        'source = "Observation."',
        f'source = "Observation."\nrests_on = [\n{names}]',
    )
    desk.edit("specs/kip_9.toml", 'id = "9-2"', f'id = "9-2"\nrests_on = ["{GATE}#push"]')
    (desk.root / "specs" / "kafka").mkdir()
    (desk.root / "specs" / "kafka" / "drift.toml").write_text(FORMER)
    return desk


def reading(of: str, digest: str, stands: str = "", mended: str = "") -> str:
    return (
        f'\n[[reading]]\nof = "{of}"\nrelease = "2"\ndigest = "{digest}"\n'
        f'words = "Read with care."\nstands = [{stands}]\nmended = [{mended}]\n'
    )


def test_what_became_of_each_method(drifting: Desk) -> None:
    ran = drifting.run("drift", "1", "2", "--json")
    assert ran.code == ExitCode.VIOLATED
    results = {one["details"]["name"]: one for one in ran.json["results"]}
    assert {name: one["verdict"] for name, one in results.items()} == KINDS
    moved = results["org.turnstiles.Box#empty"]["details"]
    assert (moved["before"], moved["after"]) == (
        "org.turnstiles.old.Box (Java)",
        "org.turnstiles.Box (Java)",
    )
    assert moved["rows"] == [{"id": "9-D1", "title": "A jammed gate", "standing": "stands"}]
    pushed = results[f"{GATE}#push"]["details"]
    assert [row["id"] for row in pushed["rows"]] == ["9-2", "9-D1"]
    assert "-boolean push(int times) { return false; }" in pushed["change"]
    assert results[f"{GATE}#gone"]["details"]["before"] == f"{GATE} (Java)"
    assert results[f"{GATE}#never"]["details"]["before"] == ""
    assert ran.json["summary"]["rows"] == {"stands": 0, "mended": 0, "read again": 2}


def test_a_text_of_blanks_is_no_formatting(drifting: Desk) -> None:
    jar = next((drifting.root / "2").iterdir())
    jar.unlink()
    with ZipFile(jar, "w") as archive:
        for name, text in BEFORE.items():
            archive.writestr(name, text.replace("a  b", "a b").replace("Hello  ", "Hello "))
    ran = drifting.run("drift", "1", "2", "--json")
    verdicts = {one["details"]["name"]: one["verdict"] for one in ran.json["results"]}
    assert verdicts[f"{GATE}#coin"] == "changed"
    assert verdicts["org.turnstiles.Clerk#greet"] == "changed"
    assert verdicts["org.turnstiles.Clerk#Limit"] == "same"


def test_the_change_stands_beside_the_rows(drifting: Desk) -> None:
    ran = drifting.run("drift", "1", "2")
    lines = ran.out.splitlines()
    at = lines.index(f"{GATE}#push: changed")
    assert lines[at + 1].split() == ["read", "again", "9-2", "Entering"]
    assert "    +boolean push(int times) { return times > 2; }" in lines[at:]
    brief = drifting.run("drift", "1", "2", "--brief")
    assert "times" not in brief.out
    assert brief.out.splitlines()[-1] == (
        "1 to 2: 11 methods: 3 same, 1 moved, 3 changed, 2 rewritten, 2 gone; 2 rows: 2 read again"
    )


def test_what_was_read_is_not_read_again(drifting: Desk) -> None:
    ran = drifting.run("drift", "1", "2", "--json")
    file = drifting.root / "specs" / "kafka" / "drift.toml"
    text = FORMER
    for one in ran.json["results"]:
        if one["verdict"] not in ("same", "moved"):
            details = one["details"]
            stands = ", ".join(f'"{row["id"]}"' for row in details["rows"] if row["id"] != "9-D1")
            text += reading(details["name"], details["digest"], stands, '"9-D1"')
    file.write_text(text)
    ran = drifting.run("drift", "1", "2")
    assert ran.code == ExitCode.HOLDS, ran.out
    assert "Read with care." in ran.out
    assert ran.out.splitlines()[-1].endswith("2 rows: 1 stands, 1 mended")
    file.write_text(re.sub(r'digest = "[0-9a-f]+"', 'digest = "0"', text, count=1))
    assert drifting.run("drift", "1", "2").code == ExitCode.VIOLATED


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (reading(f"{GATE}#pushed", "0"), f"no row rests on {GATE}#pushed"),
        (reading(f"{GATE}#coin", "0", '"9-2"'), f"9-2 does not rest on {GATE}#coin"),
        (reading(f"{GATE}#coin", "0") * 2, f"{GATE}#coin was read as it is here twice"),
        ('[former]\n"a.B" = 1\n', "is not the name of a class"),
    ],
)
def test_a_reading_that_is_of_nothing(drifting: Desk, text: str, problem: str) -> None:
    (drifting.root / "specs" / "kafka" / "drift.toml").write_text(text)
    ran = drifting.run("drift", "1", "2")
    assert ran.code == ExitCode.USAGE
    assert problem in ran.err
    assert "specs/kafka/drift.toml:" in ran.err


def test_releases_that_cannot_be_had(drifting: Desk) -> None:
    ran = drifting.run("drift", "1", "0.8.0")
    assert (ran.code, ran.out) == (ExitCode.USAGE, "")
    assert "the source of Kafka 0.8.0 is not known here" in ran.err
    (drifting.root / "3").mkdir()
    assert "3 has no source jars" in drifting.run("drift", "1", "3").err
    (drifting.root / "3" / "gates-3-sources.jar").write_bytes(b"no jar")
    assert "is no jar of source" in drifting.run("drift", "1", "3").err
    (drifting.root / "3" / "gates-3-sources.jar").write_bytes(damaged_jar())
    ran = drifting.run("drift", "1", "3")
    assert (ran.code, ran.err.count("is no jar of source")) == (ExitCode.USAGE, 1)


def damaged_jar() -> bytes:
    """A jar whose list of files is whole, but not what is packed in one of them."""
    jar = BytesIO()
    with ZipFile(jar, "w", ZIP_DEFLATED) as archive:
        archive.writestr("Gate.java", "class Gate {}\n" * 50)
    content = bytearray(jar.getvalue())
    begin = content.index(b"Gate.java") + len(b"Gate.java")
    content[begin : begin + 8] = b"\xff" * 8
    return bytes(content)


def test_a_workspace_that_rests_on_nothing(desk: Desk) -> None:
    ran = desk.run("drift", "1", "2")
    assert ran.code == ExitCode.USAGE
    assert "no row rests on code" in ran.err


def test_a_row_names_a_method(drifting: Desk) -> None:
    drifting.edit("specs/kip_9.toml", f'"{GATE}#push"]', '"Gate.push"]')
    ran = drifting.run("drift", "1", "2")
    assert ran.code == ExitCode.USAGE
    assert "rests_on: is 'Gate.push'" in ran.err


@pytest.mark.verify
def test_releases_of_kafka_are_answered_row_by_row(desk: Desk) -> None:
    """What docs/drift.md shows is what is printed, and no row is left to be read again."""
    text = (ROOT / "docs" / "drift.md").read_text(encoding="utf-8")
    shown = re.findall(r"\$ lockstep drift (\S+) (\S+) --brief\n(.*?)```", text, re.DOTALL)
    assert len(shown) >= 2
    for before, after, output in shown:
        ran = desk.run("drift", before, after, "--brief", "--workspace", str(ROOT))
        assert (ran.code, ran.out) == (ExitCode.HOLDS, output)
        assert "from both releases" not in ran.out or after != shown[-1][1]
