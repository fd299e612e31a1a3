"""What to write where a model's text has no meaning: why Python refuses it, and the cure."""

from __future__ import annotations

from lockstep.language.values import NotInDomain, TooManyValues

WHY = "a model's text has a value in every reachable state, or it means nothing there"


def advice(error: BaseException, guard: str) -> tuple[str, str]:
    """Why an error is one, and its cure; `guard` is how the function says what it presumes."""
    match error:
        case NotInDomain():
            return (
                "a variable, a field and a key hold values of their own domain only",
                f"exclude it first with `{guard}`, bring the value into {error.domain}, or widen "
                "that domain",
            )
        case TooManyValues():
            return (
                "what is enumerated takes time for each value",
                "go through a collection, or explore a scope in which the domain is small",
            )
        case ZeroDivisionError():
            return WHY, f"exclude it first: `{guard.replace('...', 'divisor != 0')}`"
        case IndexError():
            return (
                "a sequence has the items 0 up to its length, and no others",
                f"exclude it first: `{guard.replace('...', 'len(items) > index')}`",
            )
        case KeyError():
            return (
                "a map has the keys of its domain, and no others",
                f"exclude it first with `{guard}`, or give the map a wider domain of keys",
            )
    if "NoneType" in str(error) or "is None" in str(error):
        return (
            "None has no fields, no items and no arithmetic",
            f"exclude it first: `{guard.replace('...', 'x is not None')}`",
        )
    if isinstance(error, ValueError) and ("empty" in str(error) or "arg" in str(error)):
        return WHY, "say what it is where there is nothing: `min(..., default=0)`"
    return WHY, f"exclude it first with `{guard}`"
