"""A verb as Typer takes it: each option of its dataclasses; and what old spellings are now."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer import Argument, BadParameter
from typer import Option as Flag

from lockstep.cli.completion import completion_of
from lockstep.requests.option import Option, option, option_of, refuse_contradictions
from lockstep.system.crash import tell


@dataclass(frozen=True)
class _Printed:
    """How every verb prints."""

    json: bool = option("--json", default=False, help="Print JSON and nothing else.")


def command(verb: Callable[..., int]) -> Callable[..., int]:
    """The function that Typer makes a command of.

    `verb` takes dataclasses, and at last whether to print JSON. What the command is given makes one
    of each dataclass.
    """
    *requests, last = [kind for name, kind in get_type_hints(verb).items() if name != "return"]
    assert last is bool, verb
    assert all(is_dataclass(request) for request in requests), verb
    given_fields = [(request, _given_fields(request)) for request in requests]

    def run(**values: Any) -> int:
        given = [_request(request, parts, values) for request, parts in given_fields]
        refuse_contradictions(given, *["--json"] * values["json"])
        return verb(*given, values["json"])

    parts = [part for _, parts in given_fields for part in parts] + _given_fields(_Printed)
    parts.sort(key=lambda part: bool(part.option.flags))  # arguments stand before options
    parameters = [_parameter(part) for part in parts]
    signature = inspect.Signature(parameters, return_annotation=int)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = verb.__doc__
    return run


@dataclass(frozen=True)
class _Given:
    """A field that the command line gives, and its type."""

    field: Field[Any]
    option: Option
    kind: Any

    @property
    def is_many(self) -> bool:
        """Whether an option can be given again and again, or an argument several times."""
        is_tuple = get_origin(self.kind) is tuple and get_args(self.kind)[-1] is ...
        return self.option.gather is not None or is_tuple

    def value(self, value: Any) -> Any:
        """What the field holds where the command line gives that."""
        if not self.is_many:
            return value
        texts = tuple(value or ())
        if self.option.gather is not None:
            return self.option.gather(texts)
        return tuple(map(Path, texts)) if get_args(self.kind)[0] is Path else texts


def _given_fields(request: Any) -> list[_Given]:
    kinds = get_type_hints(request)  # once: it evaluates the text of every annotation
    return [
        _Given(described, option, kinds[described.name])
        for described in fields(request)
        if (option := option_of(described)) is not None
    ]


def _request(request: Any, parts: list[_Given], values: dict[str, Any]) -> Any:
    return request(**{part.field.name: part.value(values[part.field.name]) for part in parts})


def _parameter(part: _Given) -> inspect.Parameter:
    described = part.field
    is_required = described.default is MISSING and described.default_factory is MISSING
    texts = list[str] if is_required else list[str] | None
    default = None if part.is_many or described.default is MISSING else described.default
    return inspect.Parameter(
        described.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if is_required else default,
        annotation=Annotated[texts if part.is_many else part.kind, _declaration(part)],
    )


def _declaration(part: _Given) -> Any:
    shown = part.option
    given: dict[str, Any] = {"help": shown.help}
    if (completion := completion_of(shown)) is not None:
        given["autocompletion"] = completion
    if shown.shown_value is not None:
        given["metavar"] = shown.shown_value
    elif part.kind in (int, int | None):
        given["metavar"] = "N"
    if shown.least is not None:
        given["min"] = shown.least
    if shown.most is not None:
        given["max"] = shown.most
    if shown.parse is not None:
        given["parser"] = _parser(shown.parse)
    return Flag(*shown.flags, **given) if shown.flags else Argument(**given)


def _parser(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parsed(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise BadParameter(str(error)) from None

    parsed.__name__ = parse.__name__
    return parsed


_MODES = ("--matrix", "--faults", "--mutants", "--costs", "--sweep")
"""Each is a verb now; the values of `--sweep` are arguments of it."""

_SEEDS = "--seeds"
"""An option of `sweep` that made a sweep of a check by itself."""


def respelled(arguments: Sequence[str]) -> list[str]:
    """The arguments as they are spelled now, with a hint on standard error where they were not."""
    verb, *given = arguments or [""]
    flags = {text.partition("=")[0] for text in given}
    mode = next((mode for mode in (*_MODES, _SEEDS) if mode in flags), None)
    if verb != "check" or mode is None:
        return list(arguments)
    now = "sweep" if mode == _SEEDS else mode.removeprefix("--")
    if mode != _SEEDS:
        given = [text.removeprefix(f"{mode}=") for text in given if text != mode]
    tell(f"lockstep: `check {mode}` is `lockstep {now}` now; it works until 0.2")
    return [now, *given]
