"""All kinds of damage."""

from __future__ import annotations

from tests.conform.damage.kind import Damage
from tests.conform.damage.of_answers import OF_ANSWERS
from tests.conform.damage.of_clients import OF_CLIENTS
from tests.conform.damage.of_records import RecordsWithheld
from tests.conform.damage.of_sessions import OF_SESSIONS

KINDS: tuple[Damage, ...] = (*OF_SESSIONS, *OF_ANSWERS, RecordsWithheld(), *OF_CLIENTS)
