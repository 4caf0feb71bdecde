"""P: how concrete a technical turn is, in [0, 1]."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.mentions import mentions
from ctx.promote.weights import CONCRETE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.promote.prose import Said

_ERROR = re.compile(
    r"\b(?:E[A-Z]{4,14}|[A-Z]{2,8}-?\d{3,6}|HTTP[ /]?[1-5]\d\d|[45]\d\d (?:error|status|response)"
    r"|errno \d{1,3}|exit (?:code|status) \d{1,3}|0x[0-9a-fA-F]{2,16}"
    r"|[A-Z][A-Za-z]{2,40}(?:Error|Exception))\b"
)
_ENDPOINT = re.compile(
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) (/[\w./{}:-]{0,200})"
    r"|(?<![\w/])(/(?:api|v\d{1,2}|graphql|rest)(?:/[\w.{}:-]{1,60}){0,8})"
    r"|\b((?:localhost|(?:\d{1,3}\.){3}\d{1,3}):\d{2,5})\b"
)
_IDENTIFIERS = ("name", "flag")


def specifics(said: Said) -> float:
    """Return P: weighted counts of paths, error codes, endpoints and identifiers.

    Over max(tokens/100, 1), at most 1 (``compaction.md``, Promotion). Each distinct one counts,
    in prose and code spans: a listing has any number of them and says none.
    """
    found = {("error", code) for code in _ERROR.findall(said.told)}
    called = {"".join(parts) for parts in _ENDPOINT.findall(said.told)}
    found |= {("endpoint", one) for one in called}
    things = (one for token in set(said.told.split()) for one in _concrete(token))
    found.update(one for one in things if one[1] not in called)
    return said.density(sum(CONCRETE[kind] for kind, _ in sorted(found)))


def _concrete(token: str) -> Iterator[tuple[str, str]]:
    for one in mentions(token.replace("`", " ").strip(), code="`" in token):
        if one.form == "path":
            yield "path", one.text
        elif one.form in _IDENTIFIERS and not _ERROR.fullmatch(one.text):
            yield "identifier", one.text
