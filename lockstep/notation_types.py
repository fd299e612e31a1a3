"""What editors and type checkers take the notation's domains for. Nothing of it ever runs.

A type checker knows types, and no sets of values that depend on a scope. So to it a total map is a
`dict`, a set is a `set`, and a domain that was given a name is a name for anything: it sees which
variables a state has, which fields a record, and what a function is called with. Which values may
stand where, and where a value may be missing, is the business of the front end.
"""

from typing import Any, TypeAlias, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
Item = TypeVar("Item")

Domain: TypeAlias = Any
Map: TypeAlias = dict[Key, Value]
Set: TypeAlias = set[Item]
