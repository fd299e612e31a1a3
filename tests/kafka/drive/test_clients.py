"""Unmodified clients in step with the fetchers of `fetch_session`, against a leader on loopback."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from lockstep.drive import driven
from lockstep.drive.departure import Departed
from lockstep.drive.driven import Driven
from lockstep.errors import ExitCode, LockstepError
from lockstep_kafka.drive import kafka_client, wire
from lockstep_kafka.drive.clients import CLIENTS, Client, client_of
from lockstep_kafka.drive.kafka_client import STRICTER, USERS, KafkaClient, NotJudgedError
from lockstep_kafka.drive.loopback import Connection, Loopback
from lockstep_kafka.drive.wire import FETCH, HOST, framed, frames
from lockstep_kafka.jars import JARS
from tests.kafka.drive.behaviours import BEHAVIOURS, along
from tests.kafka.drive.clients_page import Column, came_of, tables
from tests.kafka.drive.exercises import ROOT
from tests.kafka.drive.judged_client import DEPARTS, IN_STEP, NEVER, Way, followed


def serve(software: Driven, action: str, **arguments: object) -> None:
    """One Fetch is sent, served, and answered."""
    assert software.do("send", f="c1")
    software.do(action, f="c1", via="AWAITED", **arguments)
    software.do("receive", f="c1")


def a_life(client: Client) -> None:
    """A session is opened, used and forgotten, and another one is opened."""
    with driven("fetch_session", KafkaClient(client), scope="small", workspace=ROOT) as software:
        software.do("append", p="p1", end=1)
        software.do("advance_high_watermark", p="p1", to=1)
        serve(software, "serve_full_creating", filled={"p1"}, i=1)
        serve(software, "serve_incremental", filled=set())
        # Throttled responses are left out: kafka-python now and then begins again after one.
        serve(software, "serve_incremental", filled=set())
        software.do("restart_broker")
        serve(software, "serve_unknown_session")
        serve(software, "serve_full_creating", filled=set(), i=1)
        assert software.do("send", f="c1")


def test_kafka_python_lives_through_a_session() -> None:
    a_life(client_of(":kafka-python"))


@pytest.mark.parametrize(
    "mistake",
    [
        "ends-with-the-first-error",
        "keeps-a-session-that-is-gone",
        "lists-everything",
        "stays-in-its-epoch",
    ],
)
def test_a_mistake_of_a_client_departs(mistake: str) -> None:
    module = "tests.kafka.drive.wrong_clients"
    with pytest.raises(Departed, match="no outcome explains what was observed"):
        a_life(Client(mistake, "", (sys.executable, "-m", module, mistake)))


def test_no_clock_accuses_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_client, "SECONDS", 1.0)
    mistake = "goes-silent-with-the-first-error"
    silent = Client(
        "silent", "", (sys.executable, "-m", "tests.kafka.drive.wrong_clients", mistake)
    )
    with pytest.raises(
        NotJudgedError, match="sends nothing for 1 s; not judged: it runs"
    ) as raised:
        a_life(silent)
    assert raised.value.cure is not None
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE


def test_a_client_that_begins_again_is_not_judged() -> None:
    mistake = "begins-again-after-incremental-responses"
    again = Client("again", "", (sys.executable, "-m", "tests.kafka.drive.wrong_clients", mistake))
    with pytest.raises(NotJudgedError, match=STRICTER) as raised:
        a_life(again)
    assert "sends (ID, 0), where the model's fetcher sends (ID, 2)" in raised.value.message


def chosen(mistake: str, user: str, behaviour: str) -> bool:
    """Whether a client with a mistake goes along a chosen behaviour."""
    command = sys.executable, "-m", "tests.kafka.drive.wrong_clients", mistake
    with followed(Client(mistake, "", command), Way(user)) as following:
        return along(following, BEHAVIOURS[behaviour])


def test_a_client_may_begin_again_where_the_model_may() -> None:
    assert chosen("begins-again-after-incremental-responses", "idles", "a session")


@pytest.mark.parametrize("user", USERS)
def test_a_mistake_departs_along_a_chosen_behaviour(user: str) -> None:
    with pytest.raises(Departed, match="no outcome explains what was observed"):
        chosen("goes-on-after-a-lost-connection", user, "a request that is lost")


def test_kafka_python_goes_along_chosen_behaviours() -> None:
    with followed(client_of(":kafka-python"), Way("seeks")) as following:
        for name in ("records", "an unknown session", "a partition that fails three times"):
            assert along(following, BEHAVIOURS[name])


def test_what_a_client_needs_is_one_line_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr(wire, "codec", wire.codec.__wrapped__)
        without.setitem(sys.modules, "kio.index", None)
        with pytest.raises(LockstepError, match="kio is needed") as codec:
            wire.codec()
        assert codec.value.cure == "pip install 'lockstep[clients]'"
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "jpype", None)
        with pytest.raises(LockstepError, match="JPype is needed"):
            client_of(":java")
    built = subprocess.CompletedProcess([], 1, "", "go: downloading\nno such module\n")
    monkeypatch.setattr(shutil, "which", lambda _: "go")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: built)
    with pytest.raises(LockstepError, match="franz-go is not built: no such module"):
        client_of(":franz-go")


def test_a_client_that_never_sends_is_one_line() -> None:
    idle = Client("idle", "", (sys.executable, "-c", "import sys; sys.exit('no route')"))
    with pytest.raises(LockstepError, match="idle sends no Fetch: it has ended with 1: no route"):
        a_life(idle)


@pytest.mark.parametrize(
    "constants", [{"FOLLOWERS": ("c1",)}, {"MAX_FETCHED_EPOCH": 0, "DIVERGING_EPOCHS": (0,)}]
)
def test_a_scope_that_the_leader_cannot_play_is_refused(constants: Mapping[str, object]) -> None:
    software = KafkaClient(Client("none", "", ()))
    with (
        pytest.raises(LockstepError, match="is not empty") as refused,
        driven("fetch_session", software, scope="small", constants=constants, workspace=ROOT),
    ):
        pass
    assert "--set" in str(refused.value.cure)


def _fetch(leader: Loopback, client_id: str) -> socket.socket:
    """A connection on which a Fetch of version 4 was sent, by a client of this id."""
    name = client_id.encode()
    head = struct.pack(">hhih", FETCH, 4, 1, len(name)) + name
    body = struct.pack(">iiiibi", -1, 100, 1, 1, 0, 0)
    connected = socket.create_connection((HOST, leader.port), 5)
    connected.sendall(framed(head + body))
    return connected


@pytest.fixture
def leader() -> Iterator[Loopback]:
    made = Loopback(["p1"], lambda: 0, with_ids=False)
    yield made
    made.close()


def test_the_fetches_of_two_clients_do_not_displace_each_other(leader: Loopback) -> None:
    with _fetch(leader, "c1"), _fetch(leader, "c2"):
        for name in ("c2", "c1"):
            waiting = leader.take(name, 5)
            assert waiting is not None
            assert waiting.fetch.asked.client_id == name
    assert leader.take("c1", 0) is None


def test_a_client_that_goes_at_once_does_not_end_the_leader(leader: Loopback) -> None:
    for _ in range(3):
        with socket.create_connection((HOST, leader.port), 5) as gone:
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with _fetch(leader, "c1"):
        assert leader.take("c1", 5) is not None
    assert leader.refused == []


def test_a_connection_that_was_cut_waits_for_no_answer() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        connection = Connection(ours, 0)
        connection.cut()
        connection.hold()
        connection.wait()


def test_names_of_clients_have_their_cure() -> None:
    with pytest.raises(LockstepError, match="no client's user") as unknown:
        KafkaClient(Client("none", "", ()), "seek")
    assert "seeks" in str(unknown.value.cure)
    with pytest.raises(LockstepError) as misspelt:
        client_of(":kafka-pyton")
    assert "kafka-python" in str(misspelt.value.cure)
    for name in CLIENTS:
        with pytest.raises(LockstepError):
            client_of(f":{name}:0.1")


def test_messages_are_cut_out_of_a_stream() -> None:
    stream = framed(b"one") + framed(b"") + framed(b"three")
    for size in (1, 5, len(stream)):
        pieces = (stream[start : start + size] for start in range(0, len(stream), size))
        assert list(frames(pieces)) == [b"one", b"", b"three"]


def test_the_page_says_how_behaviours_ended() -> None:
    assert came_of(Counter({IN_STEP: 3})) == "3"
    assert came_of(Counter({IN_STEP: 3, DEPARTS: 1})) == "3; **departs**: 1"
    assert came_of(Counter({NEVER: 2})) == "0; does not come up: 2"
    text = tables([Column("kafka-pyton")])
    assert "Not driven: kafka-pyton." in text
    assert "cure: did you mean kafka-python?" in text


DEPARTING = {
    "franz-go": {"no session, for a fetcher that gives one up"},
    "platformatic": {
        "no session, for a fetcher that gives one up",
        "a request that is lost",
        "a response that is lost",
        "a request that arrives late",
        "a partition that fails three times",
    },
}
"""The behaviours in which a client departs, as the page has it."""


@pytest.mark.verify
@pytest.mark.parametrize(
    "client",
    [
        *(client for client in CLIENTS if client != "java"),
        *(f"java:{release}" for release in JARS),
    ],
)
def test_what_the_page_says_of_a_client(client: str) -> None:
    column = Column(client, is_short=True)
    if column.missing and client != "kafka-python":
        pytest.skip(f"{client} was not driven: {column.missing}")
    assert not column.missing
    departing = {name for name, ends in column.right.outcomes.items() if ends[DEPARTS]}
    assert departing == DEPARTING.get(client, set())
    assert column.right.endings.keys() <= {IN_STEP, DEPARTS, NEVER}
    assert column.right.judged > 0 or column.sessions.startswith("no: ")
    assert departing or not column.right.remarks
