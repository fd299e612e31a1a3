"""A workbench in which protocols are written once and checked by many engines.

What is exported here is the notation: everything that a model file needs.
"""

from lockstep.language.domains import Bool, Map, OneOf, Range, Sequence, Set
from lockstep.language.notation import (
    Constant,
    State,
    action,
    each,
    fault,
    invariant,
    leads_to,
    lemma,
    present,
    require,
    sometimes,
    step_invariant,
    when,
)
from lockstep.language.records import Record, replace

__all__ = [
    "Bool",
    "Constant",
    "Map",
    "OneOf",
    "Range",
    "Record",
    "Sequence",
    "Set",
    "State",
    "action",
    "each",
    "fault",
    "invariant",
    "leads_to",
    "lemma",
    "present",
    "replace",
    "require",
    "sometimes",
    "step_invariant",
    "when",
]
