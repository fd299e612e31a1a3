from __future__ import annotations

from lockstep.twin.tool_messages import Code, Severity, ToolMessage, read_messages


def _start(code: int, severity: int = 0) -> str:
    return f"@!@!@STARTMSG {code}:{severity} @!@!@\n"


def _end(code: int) -> str:
    return f"@!@!@ENDMSG {code} @!@!@\n"


def test_messages_and_the_lines_between_them() -> None:
    lines = [_start(2185), "Starting\n", _end(2185), '"printed"\n', _start(2110, 1), "a\n", "\n"]
    lines += ["b\n", _end(2110)]
    assert list(read_messages(lines)) == [
        ToolMessage(2185, Severity.NONE, ["Starting"]),
        ToolMessage(None, Severity.NONE, ['"printed"']),
        ToolMessage(Code.INVARIANT_VIOLATED, Severity.ERROR, ["a", "", "b"]),
    ]


def test_a_message_inside_another_belongs_to_it() -> None:
    lines = [_start(1000, 1), "it was\n", ": " + _start(5006), "at line 1\n", _end(5006)]
    lines += ["after\n", _end(1000)]
    [message] = read_messages(lines)
    assert (message.code, message.severity) == (1000, Severity.ERROR)
    assert message.text == "it was\n: \nat line 1\nafter"


def test_a_message_that_is_cut_off_is_left_out() -> None:
    assert list(read_messages([_start(2217, 4), "1: <Initial pred"])) == []


def test_markers_that_the_module_prints_are_text() -> None:
    [message] = read_messages(['"@!@!@STARTMSG 2110:1 @!@!@"\n'])
    assert message.code is None
