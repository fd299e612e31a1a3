"""A workbench in which protocols are written once and checked by many engines.

What is exported here is the notation: everything that a model file needs.
"""

from typing import TYPE_CHECKING

from lockstep.language.domains import Bool, OneOf, Range, Sequence
from lockstep.language.notation import (
    Constant,
    State,
    action,
    each,
    edit,
    fault,
    invariant,
    leads_to,
    lemma,
    measure,
    present,
    replaces,
    require,
    shows,
    sometimes,
    step_invariant,
    when,
)
from lockstep.language.records import Record, replace

if TYPE_CHECKING:
    from lockstep.notation_types import Domain, Map, Set
else:
    from lockstep.language.domains import Domain, Map, Set

__all__ = [
    "Bool",
    "Constant",
    "Domain",
    "Map",
    "OneOf",
    "Range",
    "Record",
    "Sequence",
    "Set",
    "State",
    "action",
    "each",
    "edit",
    "fault",
    "invariant",
    "leads_to",
    "lemma",
    "measure",
    "present",
    "replace",
    "replaces",
    "require",
    "shows",
    "sometimes",
    "step_invariant",
    "when",
]
