"""A verb as Typer takes it: each field of its dataclasses that is an option becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer import Argument, BadParameter
from typer import Option as Flag

from lockstep.verbs.option import Option, option_of
from lockstep.workspace import CHOSEN, KAFKA


def command(verb: Callable[..., int]) -> Callable[..., int]:
    """The function that Typer makes a command of.

    `verb` takes dataclasses alone. What the command is given makes one of each.
    """
    requests = [kind for name, kind in get_type_hints(verb).items() if name != "return"]
    assert all(is_dataclass(request) for request in requests), verb

    def run(**given: Any) -> int:
        return verb(*(_request(request, given) for request in requests))

    parameters = [
        parameter
        for request in requests
        for described in fields(request)
        if (parameter := _parameter(request, described)) is not None
    ]
    return _declared(run, parameters, verb.__doc__)


def in_workspace(verb: Callable[..., int]) -> Callable[..., int]:
    """A command that takes `--workspace`, too, and finds its models there."""

    def run(*, workspace: str | None, **given: Any) -> int:
        token = CHOSEN.set(workspace)
        try:
            return verb(**given)
        finally:
            CHOSEN.reset(token)

    signature = inspect.signature(verb, eval_str=True)
    described = Annotated[
        str | None,
        Flag("--workspace", metavar=f"DIR|{KAFKA}", help="The workspace to look for models in."),
    ]
    parameter = inspect.Parameter(
        "workspace", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=described
    )
    parameters = [*signature.parameters.values(), parameter]
    return _declared(run, parameters, verb.__doc__)


def _declared(
    run: Callable[..., int], parameters: list[inspect.Parameter], doc: str | None
) -> Callable[..., int]:
    """A function that has these parameters for whoever inspects it."""
    signature = inspect.Signature(parameters, return_annotation=int)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = doc
    return run


def _request(request: Any, given: dict[str, Any]) -> Any:
    values: dict[str, Any] = {}
    for described in fields(request):
        shown = option_of(described)
        if shown is None:
            continue
        value = given[described.name]
        if _is_many(request, described):
            texts = tuple(value or ())
            value = (
                _items(request, described, texts) if shown.gather is None else shown.gather(texts)
            )
        values[described.name] = value
    return request(**values)


def _parameter(request: Any, described: Field[Any]) -> inspect.Parameter | None:
    shown = option_of(described)
    if shown is None:
        return None
    many = _is_many(request, described)
    is_required = described.default is MISSING and described.default_factory is MISSING
    texts = list[str] if is_required else list[str] | None
    kind = texts if many else get_type_hints(request)[described.name]
    default = None if many or described.default is MISSING else described.default
    return inspect.Parameter(
        described.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if is_required else default,
        annotation=Annotated[kind, _declaration(shown)],
    )


def _declaration(shown: Option) -> Any:
    given: dict[str, Any] = {"help": shown.help}
    if shown.metavar is not None:
        given["metavar"] = shown.metavar
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


def _items(request: Any, described: Field[Any], texts: tuple[str, ...]) -> tuple[Any, ...]:
    """The texts as what a tuple holds: paths, or texts."""
    item = get_args(get_type_hints(request)[described.name])[0]
    return tuple(map(Path, texts)) if item is Path else texts


def _is_many(request: Any, described: Field[Any]) -> bool:
    """Whether an option can be given again and again, or an argument several times."""
    shown = option_of(described)
    kind = get_type_hints(request)[described.name]
    return (shown is not None and shown.gather is not None) or (
        get_origin(kind) is tuple and get_args(kind)[-1] is ...
    )
