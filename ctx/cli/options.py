"""The table of options as typer knows it: for one option, or for all that a command takes."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctx.app.options import BY_NAME, PacketOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctx.app.options import Option


def _typed(option: Option, text: str = "") -> Any:  # noqa: ANN401 - typer's class is its own
    """Return an option of the table for typer, with another help ``text`` if there is one."""
    flag = f"--{option.name}"
    if option.negated:
        flag = f"{flag}/--no-{option.name}"
    return typer.Option(flag, metavar=option.metavar or None, help=text or option.help)


DIR = _typed(BY_NAME["dir"])
EMBEDDER = _typed(BY_NAME["embedder"])
TOKENIZER = _typed(BY_NAME["tokenizer"])
AS_OF = _typed(BY_NAME["as-of"])
JSON = typer.Option("--json", help="Write one JSON object.")


def taking(
    *names: str, helps: Mapping[str, str] | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the options ``names`` of the table, handed to it as ``options``.

    They come after the command's own parameters, and before its ``json``; ``helps`` replaces the
    help of some.
    """

    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        own = inspect.signature(command, eval_str=True).parameters.values()
        table = [_parameter(BY_NAME[name], (helps or {}).get(name, "")) for name in names]
        keys = {parameter.name: BY_NAME[name] for parameter, name in zip(table, names, strict=True)}

        @wraps(command)
        def run(**given: Any) -> int:  # noqa: ANN401 - what typer has read
            values = {option.key: given.pop(name) for name, option in keys.items()}
            values = {key: None if value == [] else value for key, value in values.items()}
            return command(PacketOptions(**values), **given)

        before = [one for one in own if one.name not in ("options", "json")]
        after = [one for one in own if one.name == "json"]
        parameters = [*before, *table, *after]
        # typer reads both.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorated


def _parameter(option: Option, text: str) -> inspect.Parameter:
    """Return an option as a parameter of a command; names of Python's own get an underscore."""
    kind: Any = str | None
    default: bool | None = None
    if option.is_many:
        kind = list[str] | None
    elif not option.metavar:
        kind, default = (bool | None, None) if option.negated else (bool, False)
    return inspect.Parameter(
        f"{option.key}_" if option.key in ("dir", "format") else option.key,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, _typed(option, text)],
    )
