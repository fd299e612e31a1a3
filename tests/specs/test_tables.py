from pathlib import Path
from typing import Literal

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.tables import (
    NO_ROWS,
    NOTHING,
    Content,
    Count,
    Keys,
    Plain,
    Rows,
    Table,
    Texts,
    line_of,
    parse_plain,
    read_toml,
)


def table(**content: object) -> Table:
    return Table("specs/x.toml", "scopes.small", content)


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


class Known(Keys, frozen=True):
    purpose: str
    states: Count | None = None
    used_by: Texts = ()
    rows: Rows = NO_ROWS
    compare: Literal["graph", "counts"] = "counts"
    constants: Content = NOTHING


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"states": -1}, r"x.toml: scopes.small.states: is -1, not a whole number from 0 up"),
        ({"states": True}, r"scopes.small.states: is True"),
        ({"states": 1.0}, r"scopes.small.states: is 1.0, not a whole number"),
        ({"purpose": " "}, r"scopes.small.purpose: is ' ', not a text"),
        ({"purpose": 1}, r"scopes.small.purpose: is 1, not a text"),
        ({"used_by": ["a", 1]}, r"scopes.small.used_by: is \['a', 1\], not an array of texts"),
        ({"rows": 3}, r"scopes.small.rows: is 3, not an array of tables"),
        ({"constants": 3}, r"scopes.small.constants: is 3, not a table"),
        ({"compare": "both"}, r"compare: is 'both'\n  cure: write one of: graph, counts"),
        ({"stats": 1}, r"scopes.small.stats: is not a key.*\n.*did you mean states\?"),
    ],
)
def test_errors_name_file_and_key(content: dict[str, object], problem: str) -> None:
    with pytest.raises(LockstepError, match=problem):
        table(**{"purpose": "Small.", **content}).read(Known)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(LockstepError, match=r"specs/x.toml: scopes.small: purpose is missing\n"):
        table().read(Known)
    with pytest.raises(LockstepError, match=r"scopes.small.rows\[2\]: is 3, not a table"):
        table(rows=[{}, 3]).tables("rows")


def test_texts_lose_the_blanks_around_them() -> None:
    assert table(purpose=" Small.\n").read(Known) == Known("Small.")


DOCUMENT = """\
# [a] is not there.
[model]
name = "gate"
text = \"\"\"
[scopes.small]
states = 1
\"\"\"

[scopes.small]  # few
states = 2
constants = { MAX = 2 }
idle = [
  "jam",
  "push",
]

[[row]]
id = 1

[[row]]
id = 2
"a b" . c = 3
"""


@pytest.mark.parametrize(
    ("where", "value", "line"),
    [
        ("model", None, 2),
        ("model.name", None, 3),
        ("model.nothing", None, 2),
        ("scopes.small", None, 9),
        ("scopes.small.states", None, 10),
        ("scopes.small.constants.MAX", None, 11),
        ("scopes.small.idle", "push", 14),
        ("scopes.small.idle", "kick", 12),
        ("row[2]", None, 20),
        ("row[1].id", None, 18),
        ("row[2].id", None, 21),
        ("row[2].a b.c", None, 22),
        ("scopes", None, None),
    ],
)
def test_the_line_of_a_key(where: str, value: str | None, line: int | None) -> None:
    assert line_of(DOCUMENT, where, value) == line


def test_an_error_has_the_line(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(DOCUMENT)
    scope = read_toml(tmp_path / "x.toml").table("scopes").table("small")
    with pytest.raises(LockstepError, match=r"x.toml:12: scopes.small.idle: is not a key"):
        scope.read(Known)


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
