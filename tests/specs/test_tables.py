from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.tables import Plain, Table, parse_plain, read_toml


def table(**content: object) -> Table:
    return Table(Path("specs/x.toml"), "scopes.small", content)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-1", -1),
        ("true", True),
        ('"a b"', "a b"),
        ("word", "word"),
        ("two words", "two words"),
        ("", ""),
        ("[1, 2]", (1, 2)),
        ('[["a"], []]', (("a",), ())),
        ("1\nother = 2", "1\nother = 2"),
    ],
)
def test_constants_on_the_command_line(text: str, value: Plain) -> None:
    assert parse_plain(text) == value
    assert type(parse_plain(text)) is type(value)


@pytest.mark.parametrize("text", ["1.5", "2020-01-01", "{a = 1}", "[1.5]"])
def test_what_no_constant_can_be(text: str) -> None:
    with pytest.raises(LockstepError, match="which no constant can be"):
        parse_plain(text)


def test_errors_name_file_and_key() -> None:
    with pytest.raises(LockstepError, match=r"specs/x.toml: scopes.small.states: is -1, not a"):
        table(states=-1).optional_count("states")
    with pytest.raises(LockstepError, match=r"scopes.small.states: is True"):
        table(states=True).optional_count("states")
    with pytest.raises(LockstepError, match=r"specs/x.toml: scopes.small: purpose is missing"):
        table().text("purpose")
    with pytest.raises(LockstepError, match=r"scopes.small.purpose: is ' ', not a text"):
        table(purpose=" ").text("purpose")
    with pytest.raises(LockstepError, match=r"scopes.small.used_by: is \['a', 1\]"):
        table(used_by=["a", 1]).texts("used_by")
    with pytest.raises(LockstepError, match=r"scopes.small.rows\[2\]: is 3, not a table"):
        table(rows=[{}, 3]).tables("rows")
    with pytest.raises(LockstepError, match="write one of: graph, counts"):
        table(compare="both").choice("compare", ("graph", "counts"), "counts")


def test_a_key_that_nobody_took_is_refused_with_the_nearest() -> None:
    stats = table(stats=1)
    stats.optional_count("states")
    with pytest.raises(LockstepError, match=r"scopes.small.stats: is not a key.*\n.*mean states\?"):
        stats.finish()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = = 1", r"is not TOML: .*line 1"),
        (b"\xff", "is not UTF-8 text: byte 0"),
    ],
)
def test_a_damaged_file(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    with pytest.raises(LockstepError, match=message):
        read_toml(tmp_path / "x.toml")
    with pytest.raises(LockstepError, match="cannot be read"):
        read_toml(tmp_path / "y.toml")
