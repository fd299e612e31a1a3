"""What nobody would give on purpose is refused in one line, and never crashes."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import COMMAND, without_progress

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

DIGITS = "9" * 5_000
NESTED = "[" * 5_000


def shell(command: str, **changed: str | None) -> "subprocess.CompletedProcess[str]":
    """What a shell says of a command line in which `lockstep` is the command."""
    environment = {**os.environ, **{name: value for name, value in changed.items() if value}}
    for name, value in changed.items():
        if value is None:
            environment.pop(name, None)
    ran = subprocess.run(
        ["/bin/sh", "-c", command.replace("lockstep", " ".join(COMMAND))],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    ran.stderr = without_progress(ran.stderr)
    return ran


FULL = "lockstep: the output cannot be written: No space left on device\n"
CLOSED = "lockstep: the output cannot be written: standard output is closed\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["1", None])
@pytest.mark.parametrize("verb", ["--help", "--version", "check --help", "check --json"])
def test_a_full_device(desk: "Desk", verb: str, unbuffered: str | None) -> None:
    ran = shell(f"lockstep {verb} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (ran.returncode, ran.stderr) == (2, FULL)


@pytest.mark.parametrize("verb", ["--help", "--version", "check turnstile"])
def test_a_closed_output(desk: "Desk", verb: str) -> None:
    ran = shell(f"lockstep {verb} >&-")
    assert (ran.returncode, ran.stderr) == (2, CLOSED)


def test_a_closed_error_output_or_input_changes_no_verdict(desk: "Desk") -> None:
    for closed in ("2>&-", "<&-", "2>/dev/full"):
        ran = shell(f"lockstep check turnstile {closed}")
        assert (ran.returncode, ran.stderr) == (0, "")
        ran = shell(f"lockstep check absent {closed}")
        assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.parametrize("unbuffered", ["1", None])
def test_help_that_nobody_reads(desk: "Desk", unbuffered: str | None) -> None:
    command = "exec 3>&1; { lockstep --help; echo $? >&3; } | true"
    ran = shell(command, PYTHONUNBUFFERED=unbuffered)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


@pytest.mark.parametrize(
    "verb", ["check turnstile --engine compiled", "twin turnstile", "check turnstile --simulate 1"]
)
def test_a_cache_of_nobody(desk: "Desk", verb: str) -> None:
    ran = shell(f"lockstep {verb}", LOCKSTEP_CACHE="~nobodyhere/x")
    assert ran.returncode == 2
    assert "there is no cache folder: LOCKSTEP_CACHE is ~nobodyhere/x" in ran.stdout + ran.stderr


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "1e400", "1e10", "soon", ""])
@pytest.mark.parametrize("verb", ["check", "prove", "twin"])
def test_a_bound_on_time_that_is_none(desk: "Desk", verb: str, text: str) -> None:
    ran = desk.run(verb, "turnstile", f"--max-seconds={text}")
    assert ran.code == 2
    assert "Invalid value for '--max-seconds'" in ran.err


@pytest.mark.parametrize(
    "given",
    [
        "--memory=1e400",
        f"--memory={DIGITS}",
        f"--memory={DIGITS}GiB",
        "--threads=1000000000",
        f"--threads={DIGITS}",
        "--steps=99999999999999999999",
        f"--seed={DIGITS}",
        f"--max-states={DIGITS}",
        f"--set=MAX_COINS={DIGITS}",
        f"--set=MAX_COINS={NESTED}",
        f"--set=MAX_COINS=0x{'f' * 5_000}",
        "--set=MAX_COINS=1e400",
        f"--scope={'a' * 2_000}",
        f"--fault={'a' * 2_000}",
        "--fault=a\0b",
    ],
    ids=range(15),
)
def test_an_option_that_cannot_be_meant(desk: "Desk", given: str) -> None:
    ran = desk.run("check", "turnstile", "--engine", "compiled", given)
    assert ran.code == 2
    assert "internal error" not in ran.out + ran.err


@pytest.mark.parametrize("name", ["a" * 2_000, "a\0b", "../turnstile", ""], ids=range(4))
def test_a_model_that_cannot_be_one(desk: "Desk", name: str) -> None:
    ran = desk.run("check", name)
    assert ran.code == 2
    assert "lockstep: there is no model " in ran.err


@pytest.mark.parametrize(
    "content", [f"x = {DIGITS}", f"x = {NESTED}", "x = \xff", "x"], ids=range(4)
)
@pytest.mark.parametrize("file", ["lockstep.toml", "specs/turnstile.toml", "specs/kip_9.toml"])
def test_a_table_that_cannot_be_read(desk: "Desk", file: str, content: str) -> None:
    path = desk.root / file
    path.write_bytes(path.read_bytes() + f"\n{content}\n".encode("latin-1"))
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 2
    assert file in ran.err
    assert "internal error" not in ran.err


@pytest.mark.parametrize("content", [f"x = {DIGITS}", f"x = {NESTED}"], ids=range(2))
def test_a_project_that_cannot_be_read(desk: "Desk", content: str) -> None:
    (desk.root / "lockstep.toml").unlink()
    (desk.root / "pyproject.toml").write_text(f"[tool.lockstep]\n{content}\n")
    ran = desk.run("check")
    assert ran.code == 2
    assert "there is no workspace" in ran.err


def trace(meta: str) -> str:
    """A file that is a trace but for what is between other things in its first `#meta`."""
    states = '"states": [{"#meta": {"index": 0}}]'
    return f'{{"#meta": {{"engine": "x", "digest": "d", {meta}}}, {states}}}'


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        trace('"constants": {"A": ' + "[" * 900 + "]" * 900 + '}, "model": "turnstile"'),
        trace(f'"constants": {{"A": {DIGITS}}}, "model": "turnstile"'),
        trace(f'"constants": {{}}, "model": "{"a" * 2_000}"'),
        trace(f'"constants": {{}}, "model": "turnstile", "fault": "{"a" * 2_000}"'),
        trace('"constants": {"GATES": "a\\u0000\\ud800"}, "model": "turnstile"'),
        "\0",
    ],
    ids=range(7),
)
def test_a_trace_that_cannot_be_one(desk: "Desk", content: str) -> None:
    (desk.root / "trace.json").write_text(content)
    ran = desk.run("replay", "trace.json")
    assert ran.code == 2
    assert ran.err.startswith("lockstep: ")
    assert "internal error" not in ran.err


@pytest.mark.parametrize("file", ["a" * 2_000, "a\0b", "models"], ids=range(3))
def test_a_path_that_names_no_file(desk: "Desk", file: str) -> None:
    for verb in ("replay", "conform"):
        ran = desk.run(verb, file)
        is_folder = verb == "conform" and file == "models"  # its files are read, and are no logs
        assert ran.code == (3 if is_folder else 2)
        assert "internal error" not in ran.err


WRITTEN = (
    ("check", "turnstile", "--fault=free_ride", "--save"),
    ("check", "turnstile", "--engine=compiled", "--spill"),
    ("check", "turnstile", "--engine=compiled", "--checkpoint"),
    ("prove", "turnstile", "--scope=small", "--smt"),
)


@pytest.mark.parametrize("folder", ["a" * 2_000, "lockstep.toml", "a\0b", "/proc/x"], ids=range(4))
@pytest.mark.parametrize("command", WRITTEN, ids=lambda each: each[-1])
def test_a_folder_that_cannot_be_made(desk: "Desk", command: tuple[str, ...], folder: str) -> None:
    ran = desk.run(*command, folder)
    assert ran.code in (1, 2, 3)
    assert "internal error" not in ran.out + ran.err
    assert "cannot be" in ran.out + ran.err or "not written" in ran.out or ran.code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "\udcff"),
        ("check", "turnstile", "--scope=\udcff"),
        ("check", "turnstile", "--fault=\udcff"),
        ("check", "turnstile", "--set=MAX_COINS=\udcff"),
        ("replay", "\udcff"),
        ("conform", "\udcff"),
    ],
    ids=range(6),
)
def test_a_name_that_is_not_utf_8(desk: "Desk", arguments: tuple[str, ...]) -> None:
    command = [os.fsencode(each) for each in (*COMMAND, *arguments)]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 2
    assert b"internal error" not in ran.stdout + ran.stderr


def make_folder(path: Path) -> None:
    path.mkdir()


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_bytes(path: Path) -> None:
    path.write_bytes(b"\xff\xfex\0")


def make_nul(path: Path) -> None:
    path.write_bytes(b"a = 1\0\n")


@pytest.mark.parametrize("make", [make_folder, make_loop, make_pipe, make_bytes, make_nul])
@pytest.mark.parametrize(
    "file", ["models/turnstile.py", "invariants/turnstile.py", "specs/turnstile.toml"]
)
def test_a_file_that_is_something_else(desk: "Desk", file: str, make: object) -> None:
    (desk.root / file).unlink()
    assert callable(make)
    make(desk.root / file)
    ran = desk.run("check", "turnstile")
    assert "internal error" not in ran.out + ran.err
    assert ran.code == 2


def test_a_current_folder_that_is_gone(desk: "Desk") -> None:
    (desk.root / "gone").mkdir()
    ran = shell("cd gone && rmdir ../gone && lockstep check")
    assert ran.returncode == 2
    assert ran.stderr.startswith("lockstep: there is no current folder")


def test_homes_that_are_none(desk: "Desk") -> None:
    for home in ("/proc/nothing", None, ""):
        ran = shell("lockstep check turnstile --engine compiled", HOME=home, LOCKSTEP_CACHE=None)
        assert (ran.returncode, ran.stderr) == (0, "")


CHAINS = {
    "or": " or ".join(f"s.coins[g] == {number % 3}" for number in range(400)),
    "and": " and ".join(f"s.coins[g] != {number + 3}" for number in range(400)),
    "+": f"{' + '.join(['s.coins[g]'] * 400)} >= 0",
    "-": f"{' - '.join(['s.coins[g]'] * 400)} <= 2",
    "not": f"{'not ' * 400}True",
    "if": "".join(f"s.coins[g] < 3 if s.coins[g] == {n} else " for n in range(400)) + "True",
    "<=": f"0 {'<= s.coins[g] ' * 400}",
}


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_four_hundred_operands(desk: "Desk", engine: str, chain: str) -> None:
    desk.edit("invariants/turnstile.py", "return s.entries[g] <= s.coins[g]", f"return {chain}")
    ran = desk.run("check", "turnstile", "--scope", "small", "--engine", engine)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("chain", [CHAINS["+"], CHAINS["if"]], ids=["+", "if"])
def test_four_hundred_operands_are_proved(desk: "Desk", chain: str) -> None:
    shutil.rmtree(desk.root / "models" / "faults")
    desk.edit("invariants/turnstile.py", "return s.entries[g] <= s.coins[g]", f"return {chain}")
    ran = desk.run("prove", "turnstile", "--scope", "small", "--json", "--max-seconds", "300")
    assert ran.code in (0, 3)
    (row,) = ran.json["results"]
    claim = next(
        each for each in row["details"]["properties"] if each["name"] == "entries_are_paid"
    )
    assert claim["proved"] is True


@pytest.mark.parametrize(
    "absurd",
    [f"{'(' * 500}True{')' * 500}", f"{'not ' * 9_999}True", f"{'-' * 90_000}1 < 2", "\0"],
    ids=["brackets", "not", "minus", "nul"],
)
def test_absurd_nesting_is_a_diagnostic(desk: "Desk", absurd: str) -> None:
    desk.edit("invariants/turnstile.py", "return s.entries[g] <= s.coins[g]", f"return {absurd}")
    ran = desk.run("check", "turnstile")
    assert ran.code == 2
    assert "error[" in ran.out
    assert "invariants/turnstile.py:" in ran.out
    assert ran.err == ""
