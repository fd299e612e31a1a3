"""`lockstep explore`: the address is printed, and Ctrl-C ends it."""

import json
import signal
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from tests.processes import started

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_it_serves_until_it_is_interrupted(desk: "Desk", options: tuple[str, ...]) -> None:
    with started("explore", "turnstile", *options) as command:
        if options:
            lines = [command.line()]
            while lines[-1] not in ("}\n", ""):
                lines.append(command.line())
            (row,) = json.loads("".join(lines))["results"]
            assert (row["model"], row["scope"]) == ("turnstile", "default")
            url = row["details"]["url"]
        else:
            url = command.line().strip()
        with urlopen(url, timeout=60) as page:
            assert b"lockstep explore" in page.read()
        command.send(signal.SIGINT)
        assert command.ended() == (130, "", "lockstep: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("turnstyle",), "did you mean turnstile?"),
        (("turnstile", "--scope", "smal"), "has no scope 'smal'"),
        (("turnstile", "--fault", "stays_opn"), "did you mean stays_open?"),
        (("turnstile", "--fault", "stays_open", "--proposal", "x"), "does not go with"),
        (("turnstile", "--port", "70000"), "less than or equal to 65535"),
    ],
)
def test_what_cannot_be_explored(desk: "Desk", arguments: tuple[str, ...], reported: str) -> None:
    ran = desk.run("explore", *arguments)
    assert ran.code == 2
    assert reported in ran.err
    assert ran.out == ""
