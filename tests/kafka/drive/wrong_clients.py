"""Clients that make one mistake each, by a change to kafka-python: `MISTAKE TOPIC...`."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from kafka.consumer import fetcher

from lockstep_kafka.drive.programs.consuming import consume
from lockstep_kafka.drive.programs.kafka_python import KafkaPython

_METADATA: Any = fetcher.FetchMetadata
_HANDLER: Any = fetcher.FetchSessionHandler


def _stays_in_its_epoch() -> None:
    _METADATA.next_incremental = lambda self: self


def _lists_everything() -> None:
    build = _HANDLER.build_next

    def build_next(self: Any, wanted: Mapping[Any, Any]) -> Any:
        data = build(self, wanted)
        data._to_send = dict(wanted)
        return data

    _HANDLER.build_next = build_next


def _keeps_a_session_that_is_gone() -> None:
    handle = _HANDLER.handle_response

    def handle_response(self: Any, response: Any) -> Any:
        before = self.next_metadata
        handled = handle(self, response)
        if response.error_code:
            self.next_metadata = before
        return handled

    _HANDLER.handle_response = handle_response


def _ends_with_the_first_error() -> None:
    handle = _HANDLER.handle_response

    def handle_response(self: Any, response: Any) -> Any:
        if response.error_code:
            os._exit(3)
        return handle(self, response)

    _HANDLER.handle_response = handle_response


def _begins_again_after_incremental_responses() -> None:
    _METADATA.next_incremental = _METADATA.next_close_existing


def _goes_silent_with_the_first_error() -> None:
    handle = _HANDLER.handle_response

    def handle_response(self: Any, response: Any) -> Any:
        if response.error_code:
            threading.Event().wait()
        return handle(self, response)

    _HANDLER.handle_response = handle_response


def _goes_on_after_a_lost_connection() -> None:
    _HANDLER.handle_error = lambda self, error: None


MISTAKES: Mapping[str, Callable[[], None]] = {
    "begins-again-after-incremental-responses": _begins_again_after_incremental_responses,
    "ends-with-the-first-error": _ends_with_the_first_error,
    "goes-on-after-a-lost-connection": _goes_on_after_a_lost_connection,
    "goes-silent-with-the-first-error": _goes_silent_with_the_first_error,
    "keeps-a-session-that-is-gone": _keeps_a_session_that_is_gone,
    "lists-everything": _lists_everything,
    "stays-in-its-epoch": _stays_in_its_epoch,
}

if __name__ == "__main__":
    MISTAKES[sys.argv[1]]()
    consume(KafkaPython, sys.argv[2:])
