"""Whom the page answers, and what it says to everybody else."""

import json
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import LockstepError
from lockstep.serve.server import ADDRESS, MOST_BYTES, ExploreServer


def asked(
    server: ExploreServer, path: str, body: bytes | None = None, **headers: str
) -> tuple[HTTPResponse, str]:
    """The answer to one request; a body makes it a POST."""
    connection = HTTPConnection(ADDRESS, server.server_address[1], timeout=30)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    connection.request("GET" if body is None else "POST", path, body, sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def question(server: ExploreServer, name: str, **body: object) -> tuple[int, Any]:
    path = f"/{server.token}/api/{name}"
    answer, text = asked(server, path, json.dumps(body).encode())
    return answer.status, json.loads(text)


def test_the_page_is_served_with_a_policy_that_lets_nothing_else_in(
    turnstile: ExploreServer,
) -> None:
    answer, text = asked(turnstile, f"/{turnstile.token}/")
    assert answer.status == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "<script type=" in text
    for name in ("explore.js", "explore.css", "page.css"):
        assert asked(turnstile, f"/{turnstile.token}/{name}")[0].status == 200


def test_it_is_bound_to_this_machine_alone(turnstile: ExploreServer) -> None:
    assert turnstile.server_address[0] == "127.0.0.1"
    assert turnstile.url.startswith(f"http://127.0.0.1:{turnstile.server_address[1]}/")


@pytest.mark.parametrize("host", ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_is_refused(turnstile: ExploreServer, host: str) -> None:
    """A page of elsewhere whose name is made to mean this machine gets nothing."""
    named = host.format(port=turnstile.server_address[1])
    answer, text = asked(turnstile, f"/{turnstile.token}/", Host=named)
    assert answer.status == 421
    assert "this machine alone" in text


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://{own}", "http://{own}0"])
def test_another_origin_is_refused(turnstile: ExploreServer, origin: str) -> None:
    named = origin.format(own=turnstile.origins[0])
    answer, _ = asked(turnstile, f"/{turnstile.token}/api/here", b"{}", Origin=named)
    assert answer.status == 403


@pytest.mark.parametrize("path", ["/", "/wrong/", "/{token}", "/{token}x/api/here"])
def test_an_address_without_the_token_leads_nowhere(turnstile: ExploreServer, path: str) -> None:
    answer, text = asked(turnstile, path.format(token=turnstile.token))
    assert answer.status == 404
    assert "the address of another run" in text
    assert turnstile.token not in text


@pytest.mark.parametrize("name", ["server.py", "../server.py", "%2e%2e/server.py", "api/here"])
def test_no_other_file_is_served(turnstile: ExploreServer, name: str) -> None:
    assert asked(turnstile, f"/{turnstile.token}/{name}")[0].status == 404


@pytest.mark.parametrize(
    ("name", "body", "reported"),
    [
        ("here", b"{", "damaged"),
        ("here", b'{"walk": "coin"}', "damaged"),
        ("here", b'{"walks": []}', "damaged"),
        ("here", b"\xff", "damaged"),
        ("jump", b"{}", "predicate"),
        ("state", b'{"state": 64}', "no state 64"),
        ("state", b'{"state": -1}', "no state -1"),
        ("nothing", b"{}", "no question 'nothing'"),
        ("here", json.dumps({"walk": ["coin(g=east)"] * 2_001}).encode(), "up to 2,000 steps"),
    ],
)
def test_a_damaged_question_is_reported_so(
    turnstile: ExploreServer, name: str, body: bytes, reported: str
) -> None:
    answer, text = asked(turnstile, f"/{turnstile.token}/api/{name}", body)
    assert answer.status == 400
    assert reported in json.loads(text)["problem"]


def test_a_form_of_another_page_is_no_question(turnstile: ExploreServer) -> None:
    path = f"/{turnstile.token}/api/here"
    assert asked(turnstile, path, b"{}", Content_Type="text/plain")[0].status == 415


def test_a_question_is_bounded(turnstile: ExploreServer) -> None:
    path = f"/{turnstile.token}/api/here"
    answer, _ = asked(turnstile, path, b"", Content_Length=str(MOST_BYTES + 1))
    assert answer.status == 413


def test_a_link_that_cannot_be_followed_leads_to_the_step_before(turnstile: ExploreServer) -> None:
    status, here = question(turnstile, "here", walk=["coin(g=east)", "push(g=west)"])
    assert status == 200
    assert here["walk"] == ["coin(g=east)"]
    assert here["problem"] == "step 2: push(g=west) is not enabled there"


def test_a_predicate_outside_of_the_notation_shows_its_place(turnstile: ExploreServer) -> None:
    status, answer = question(turnstile, "jump", predicate="open('x') == 3")
    assert (status, answer["found"]) == (200, False)
    assert "open cannot be called in a model" in answer["refused"]
    assert "  | ^^^^^^^^^" in answer["refused"]


def test_one_search_at_a_time(turnstile: ExploreServer) -> None:
    with turnstile.explorer._search():
        status, answer = question(turnstile, "jump", predicate="s.coins['east'] == 1")
    assert status == 409
    assert "a search is running" in answer["problem"]
    status, answer = question(turnstile, "jump", predicate="s.coins['east'] == 1")
    assert (status, answer["walk"]) == (200, ["coin(g=east)"])


def test_tabs_do_not_disturb_each_other(turnstile: ExploreServer) -> None:
    """There is one walk behind all of them, and each question brings its own steps."""
    walks = [["coin(g=east)", "push(g=east)"], ["coin(g=west)"], ["jam(g=east)", "jam(g=west)"], []]

    def position_of(number: int) -> tuple[list[str], int]:
        walk = walks[number % len(walks)]
        _, here = question(turnstile, "here", walk=walk, position=number % 3)
        return here["walk"], here["position"]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(position_of, range(48)))
    expected = [(walks[n % 4], min(n % 3, len(walks[n % 4]))) for n in range(48)]
    assert answers == expected


def test_a_mistake_of_lockstep_is_reported_and_the_page_goes_on(
    turnstile: ExploreServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(turnstile.explorer, "_here", fail)
    status, answer = question(turnstile, "here")
    assert status == 500
    assert "internal error: ZeroDivisionError" in answer["problem"]
    assert question(turnstile, "about")[0] == 200


def test_a_port_that_is_taken_is_named(turnstile: ExploreServer) -> None:
    port = turnstile.server_address[1]
    with pytest.raises(LockstepError, match=f"port {port} of 127.0.0.1 cannot be served"):
        ExploreServer(turnstile.explorer, port)


def test_a_browser_that_goes_away_is_no_mistake(
    turnstile: ExploreServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        with socket.create_connection((ADDRESS, turnstile.server_address[1])) as connection:
            connection.sendall(f"GET /{turnstile.token}/ HTTP/1.1\r\nHost: ".encode())
    assert question(turnstile, "about")[0] == 200
    assert capsys.readouterr().err == ""
