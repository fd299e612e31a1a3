"""A page and its JSON over HTTP, to this machine alone.

Other pages in the same browser can neither read it nor ask it anything: the name that it is asked
by has to be that of this machine, and a page that asks has to be its own. Other users of the
machine cannot either: a random part of its address is printed for the one who started it.
"""

from __future__ import annotations

import json
import secrets
import sys
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.pages.html import STYLE
from lockstep.serve.explorer import Busy, Explorer
from lockstep.system.crash import InternalError

ADDRESS = "127.0.0.1"
MOST_BYTES = 1 << 20
"""Bytes of a question."""
_PATIENCE = 30.0
"""Seconds for which a connection may be silent."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HERE = Path(__file__).parent
_FILES = {
    "": (_HERE / "explore.html", "text/html"),
    "explore.js": (_HERE / "explore.js", "text/javascript"),
    "elements.js": (_HERE / "elements.js", "text/javascript"),
    "here.js": (_HERE / "here.js", "text/javascript"),
    "graph.js": (_HERE / "graph.js", "text/javascript"),
    "coverage.js": (_HERE / "coverage.js", "text/javascript"),
    "explore.css": (_HERE / "explore.css", "text/css"),
    "page.css": (STYLE, "text/css"),
}
"""Each file of the page by its name in the address; nothing else is ever read for an answer."""


class ExploreServer(ThreadingHTTPServer):
    """Serves one explorer until it is closed. `LockstepError` where the port cannot be used."""

    daemon_threads = True

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        self.explorer = explorer
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            raise LockstepError(
                f"port {port} of {ADDRESS} cannot be served: {error.strerror}",
                cure="name another port, or leave --port out",
            ) from None

    @property
    def origins(self) -> tuple[str, ...]:
        """The names by which a browser on this machine reaches the page."""
        port = self.server_address[1]
        suffix = "" if port == HTTP_PORT else f":{port}"  # browsers leave the usual one out
        return tuple(f"{name}{suffix}" for name in (ADDRESS, "localhost"))

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{self.origins[0]}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: ExploreServer
    protocol_version = "HTTP/1.1"
    server_version = "lockstep"
    sys_version = ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """A file of the page."""
        name = self._name()
        if name is None:
            return
        if name not in _FILES:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such file")
            return
        file, kind = _FILES[name]
        self._send(HTTPStatus.OK, kind, file.read_bytes())

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        """An answer to a question, as JSON."""
        name = self._name()
        body = None if name is None else self._body()
        if name is None or body is None:
            return
        status = HTTPStatus.OK
        try:
            answer = self.server.explorer.answer(name.removeprefix("api/"), body)
        except Busy as busy:
            status, answer = HTTPStatus.CONFLICT, {"problem": str(busy)}
        except LockstepError as error:
            status, answer = HTTPStatus.BAD_REQUEST, {"problem": str(error)}
        except Exception as error:
            crash = InternalError(error, None)
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"problem": str(crash)}
        self._send(status, "application/json", json.dumps(answer).encode())

    def _name(self) -> str | None:
        """What is asked for below the token; None where that is refused."""
        server = self.server
        if self.headers.get("Host") not in server.origins:
            self._refuse(
                HTTPStatus.MISDIRECTED_REQUEST, "this page is served to this machine alone"
            )
            return None
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in server.origins}:
            self._refuse(HTTPStatus.FORBIDDEN, "this page answers no other page")
            return None
        token, slash, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), server.token.encode()):
            self._refuse(
                HTTPStatus.NOT_FOUND,
                "this is the address of another run: open the one that the command printed, and "
                "paste this one there into the field for links",
            )
            return None
        return name

    def _body(self) -> bytes | None:
        """The question; None where it is refused."""
        if self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "questions are JSON")
            return None
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and int(length) <= MOST_BYTES):
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "this question is too long")
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # what is left of the question is not read
        self._send(status, "text/plain", f"{why}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Print nothing: the address is the one line of output."""
