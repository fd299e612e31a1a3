"""Which broker wrote a file, where the path says so."""

from __future__ import annotations

import re

from lockstep.errors import LockstepError
from lockstep_kafka.files.lines import Request

_GROUP = "broker"


class BrokerPaths:
    """A pattern that is searched in the path of a file; its group `broker` names the broker there.

    A group `date` may name the day of the file. Without a pattern no path says anything.
    """

    def __init__(self, pattern: str | None = None) -> None:
        """`LockstepError` where the pattern is no regular expression, or has no such group."""
        self._pattern: re.Pattern[str] | None = None
        self._brokers: dict[str, str | None] = {}
        if pattern is None:
            return
        try:
            self._pattern = re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise LockstepError(
                f"{pattern!r} is no regular expression: {error}",
                cure="write one as Python has them, such as '(?P<broker>[^/]+)/[^/]*$'",
            ) from None
        if _GROUP not in self._pattern.groupindex:
            raise LockstepError(
                f"{pattern!r} does not say which part of a path is the broker",
                cure="name that part, such as in '(?P<broker>[^/]+)/[^/]*$'",
            )

    def broker(self, path: str) -> str | None:
        """The broker that a path names; None without a pattern.

        `LockstepError` where the pattern is not in the path.
        """
        if path not in self._brokers:
            match = self._match(path)
            self._brokers[path] = None if match is None else match[_GROUP]
        return self._brokers[path]

    def date(self, path: str) -> str | None:
        """The day that a path names; None where it names none.

        `LockstepError` where the pattern is not in the path.
        """
        match = self._match(path)
        return None if match is None else match.groupdict().get("date")

    def _match(self, path: str) -> re.Match[str] | None:
        if self._pattern is None:
            return None
        match = self._pattern.search(path)
        if match is None or not match[_GROUP]:
            raise LockstepError(
                f"{path} has no broker in its path where {self._pattern.pattern!r} looks for it",
                cure="change the pattern, or leave out the file",
            )
        return match


def broker_of(request: Request, paths: BrokerPaths) -> str:
    """The broker that wrote a request: as the path of its file says, or else its own address.

    `LockstepError` where the path should name a broker, and does not.
    """
    return paths.broker(request.file) or request.connection.partition("-")[0]
