"""A leader's sockets on loopback: what consumers ask besides Fetch is answered at once.

Each Fetch waits until it is taken, and its connection until it is answered or cut.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue

from lockstep_kafka.drive import wire
from lockstep_kafka.drive.wire import Asked, Fetch, Reply

_MOST_BYTES = 1 << 16
_CLOSING_SECONDS = 5.0
"""How long `close` waits for the thread that accepts connections."""
_RETRY_SECONDS = 0.05


class Connection:
    """A connection of a client; `number` counts those of the leader."""

    def __init__(self, connected: socket.socket, number: int) -> None:
        self.number = number
        self._socket = connected
        with suppress(OSError):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._is_answered = threading.Event()
        self._is_cut = False

    def received(self) -> Iterator[bytes]:
        """What comes, until the connection ends."""
        with suppress(OSError):
            while piece := self._socket.recv(_MOST_BYTES):
                yield piece

    def has_fetch(self, seconds: float = 0.0) -> bool:
        """Whether another Fetch has come that was not read, or comes within so many seconds."""
        end = time.monotonic() + seconds
        with suppress(OSError, ValueError):
            while select.select([self._socket], [], [], max(0.0, end - time.monotonic()))[0]:
                seen = self._socket.recv(_MOST_BYTES, socket.MSG_PEEK)
                if any(wire.api_of(frame) == wire.FETCH for frame in wire.frames(iter([seen]))):
                    return True
                if not seen or time.monotonic() >= end:
                    return False
                time.sleep(_RETRY_SECONDS / 10)
        return False

    def send(self, message: bytes) -> None:
        """Send a message, which nobody reads where the connection has ended."""
        with suppress(OSError):
            self._socket.sendall(wire.framed(message))
        self._is_answered.set()

    def hold(self) -> None:
        """From now on what was read last is not answered."""
        self._is_answered.clear()
        if self._is_cut:
            self._is_answered.set()

    def wait(self) -> None:
        """Wait until it is, or the connection is cut: answers are in the order of the requests."""
        self._is_answered.wait()

    def cut(self) -> None:
        """End the connection."""
        self._is_cut = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._is_answered.set()


@dataclass(frozen=True)
class Waiting:
    """A Fetch that waits for its answer."""

    fetch: Fetch
    connection: Connection

    def answer(self, reply: Reply) -> None:
        """Send the answer."""
        self.connection.send(wire.fetch_response(self.fetch.asked, reply))


class Loopback:
    """A leader of some topics at a free port; `close` ends it.

    `log_start` is asked by clients that look for where to begin. Without `with_ids` it is a leader
    from before topics had ids.
    """

    def __init__(
        self, topics: Sequence[str], log_start: Callable[[], int], *, with_ids: bool
    ) -> None:
        self._topics = tuple(topics)
        self._with_ids = with_ids
        self._log_start = log_start
        self._fetches: dict[str, Queue[Waiting]] = {}
        """Those that wait, by client id."""
        self._connections: list[Connection] = []
        self.refused: list[str] = []
        """What was asked that is not answered here, or could not be read."""
        self._closing = threading.Event()
        self._listening = socket.create_server((wire.HOST, 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def take(self, client_id: str, seconds: float) -> Waiting | None:
        """The next Fetch of a client; None where it sends none in time."""
        with suppress(Empty):
            return self._of(client_id).get(timeout=seconds)
        return None

    def _of(self, client_id: str) -> Queue[Waiting]:
        return self._fetches.setdefault(client_id, Queue())

    def close(self) -> None:
        """End all connections, and take no more."""
        self._closing.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(_CLOSING_SECONDS)
        for connection in self._connections:
            connection.cut()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connected, _ = self._listening.accept()
                connection = Connection(connected, len(self._connections))
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            except (OSError, RuntimeError):  # it has gone already, or no more can be opened
                self._closing.wait(_RETRY_SECONDS)

    def _serve(self, connection: Connection) -> None:
        try:
            self._answer_all(connection)
        finally:
            connection.cut()

    def _answer_all(self, connection: Connection) -> None:
        for frame in wire.frames(connection.received()):
            try:
                asked = wire.read_request(frame)
                if asked.api == wire.FETCH and asked.body is not None:
                    fetch = wire.read_fetch(asked, self._topics)
                    connection.hold()
                    self._of(fetch.asked.client_id).put(Waiting(fetch, connection))
                    connection.wait()
                    continue
                message = self._answer(asked)
            except Exception as error:  # whatever the codec raises for what a client sends
                self.refused.append(f"{type(error).__name__}: {error}")
                message = None
            if message is None:
                return
            connection.send(message)

    def _answer(self, asked: Asked) -> bytes | None:
        if asked.api == wire.API_VERSIONS:
            return wire.api_versions_response(asked, with_ids=self._with_ids)
        if asked.body is None or asked.api == wire.PRODUCE:
            self.refused.append(f"API {asked.api}, version {asked.version}")
            return None
        if asked.api == wire.METADATA:
            return wire.metadata_response(asked, self._topics, self.port)
        return wire.list_offsets_response(asked, self._log_start())
