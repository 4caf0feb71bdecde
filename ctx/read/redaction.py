"""Secrets in parts of a file: held back before anything is made of them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ctx.text.secrets import find, told, without

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx.text.secrets import Secret


class Held(NamedTuple):
    """What is held back of a file."""

    line: int
    """Of the first secret, counted from 1 in the file."""
    kind: str
    secrets: int
    """How many there are."""


def hold(texts: list[str]) -> list[tuple[int, list[Secret]]]:
    """Put ``texts`` without their secrets; return by place those that were in them.

    They are looked at together: most hold none, and one look costs less than many.
    """
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    near = {bisect_right(starts, secret.start) - 1 for secret in find("\n".join(texts))}
    found = [(at, find(texts[at])) for at in sorted(near)]
    held = [(at, secrets) for at, secrets in found if secrets]
    for at, secrets in held:
        texts[at] = without(texts[at], secrets)
    return held


def summed_up(held: Iterable[Held]) -> Held | None:
    """Return as one what is held back of parts of a file, in their order."""
    every = list(held)
    if not every:
        return None
    return every[0]._replace(secrets=sum(one.secrets for one in every))


def warning(path: str, held: Iterable[Held]) -> tuple[str, ...]:
    """Return the one line that tells what is held back of the parts of a file."""
    whole = summed_up(held)
    return (told(path, *whole),) if whole else ()
