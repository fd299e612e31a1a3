"""All kinds of damage."""

from __future__ import annotations

from models.simulated.damage.kind import Damage
from models.simulated.damage.of_answers import OF_ANSWERS
from models.simulated.damage.of_clients import OF_CLIENTS
from models.simulated.damage.of_records import RecordsWithheld
from models.simulated.damage.of_sessions import OF_SESSIONS

KINDS: tuple[Damage, ...] = (*OF_SESSIONS, *OF_ANSWERS, RecordsWithheld(), *OF_CLIENTS)
