"""Whether two domains have the same form: the bounds of integers may differ, and nothing else."""

from __future__ import annotations

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.likeness import Likeness


def same_form(one: Domain, other: Domain) -> bool:
    """Whether values of both domains can be held against each other, part by part."""
    match one, other:
        case RangeDomain(), RangeDomain():
            return True
        case OptionDomain(), OptionDomain():
            return same_form(one.some, other.some)
        case RecordDomain(), RecordDomain():
            fields, others = one.record.fields, other.record.fields
            return list(fields) == list(others) and all(
                same_form(fields[name], others[name]) for name in fields
            )
        case MapDomain(), MapDomain():
            return Likeness()(one.key, other.key) and same_form(one.value, other.value)
        case SetDomain(), SetDomain():
            return Likeness()(one.item, other.item)
        case SequenceDomain(), SequenceDomain():
            return one.capacity == other.capacity and same_form(one.item, other.item)
    return Likeness()(one, other)
