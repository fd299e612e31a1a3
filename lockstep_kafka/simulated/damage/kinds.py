"""All kinds of damage."""

from __future__ import annotations

from lockstep_kafka.simulated.damage.kind import Damage
from lockstep_kafka.simulated.damage.of_answers import OF_ANSWERS
from lockstep_kafka.simulated.damage.of_clients import OF_CLIENTS
from lockstep_kafka.simulated.damage.of_records import RecordsWithheld
from lockstep_kafka.simulated.damage.of_sessions import OF_SESSIONS

KINDS: tuple[Damage, ...] = (*OF_SESSIONS, *OF_ANSWERS, RecordsWithheld(), *OF_CLIENTS)
