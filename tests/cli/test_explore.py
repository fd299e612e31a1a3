"""`lockstep explore`: the address is printed, and Ctrl-C ends it."""

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_it_serves_until_it_is_interrupted(desk: "Desk", options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "lockstep", "explore", "turnstile", *options]
    process = subprocess.Popen(
        command, cwd=desk.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        if options:
            lines = [process.stdout.readline()]
            while lines[-1] != "}\n":
                lines.append(process.stdout.readline())
            (row,) = json.loads("".join(lines))["results"]
            assert (row["model"], row["scope"]) == ("turnstile", "default")
            url = row["url"]
        else:
            url = process.stdout.readline().strip()
        with urlopen(url, timeout=60) as page:
            assert b"lockstep explore" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, err) == (130, "", "lockstep: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("turnstyle",), "did you mean turnstile?"),
        (("turnstile", "--scope", "smal"), "has no scope 'smal'"),
        (("turnstile", "--fault", "stays_opn"), "did you mean stays_open?"),
        (("turnstile", "--fault", "stays_open", "--proposal", "x"), "does not go with"),
        (("turnstile", "--port", "70000"), "less than or equal to 65535"),
    ],
)
def test_what_cannot_be_explored(desk: "Desk", arguments: tuple[str, ...], told: str) -> None:
    ran = desk.run("explore", *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert ran.out == ""
