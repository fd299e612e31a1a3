"""States of a model, whether they can be reached or not: engines must agree on any."""

from __future__ import annotations

import random
from typing import Any

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Model
from lockstep.language.notation import State


def some_states(model: Model, count: int) -> list[State]:
    """So many states, always the same ones for a model; every variable is in its domain."""
    chance = random.Random(model.name)
    domains = model.variables.values()
    return [model.state.of(_value(chance, domain) for domain in domains) for _ in range(count)]


def _value(chance: random.Random, domain: Domain) -> Any:
    """Any value of a domain, which is not enumerated: it may be large."""
    match domain:
        case RangeDomain(low, high):
            return chance.choice((low, high, chance.randint(low, high)))
        case OptionDomain(some):
            return None if chance.random() < 0.3 else _value(chance, some)
        case RecordDomain(record):
            return record.of(_value(chance, field) for field in record.fields.values())
        case SetDomain(item):
            return frozenset(_values(chance, item, min(item.size(), 4)))
        case SequenceDomain(item, capacity):
            return tuple(_values(chance, item, capacity))
        case MapDomain(key, value):
            return domain.of(_value(chance, value) for _ in key)
    return chance.choice(list(domain))


def _values(chance: random.Random, item: Domain, most: int) -> list[Any]:
    return [_value(chance, item) for _ in range(chance.randint(0, most))]
