"""YAML frontmatter: what an author says of a whole file."""

from __future__ import annotations

import re
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from ctx.model import NO_FRONT, Front

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)")
_FENCE = "---"
MAX_LINES = 200
"""A fence that is not closed by then is a divider, not frontmatter."""


class Split(NamedTuple):
    """A file's text without its frontmatter, lines kept in place."""

    front: Front
    text: str
    """The frontmatter's lines are blank, so that line numbers stay as they are."""
    warning: str
    """``LINE: what`` for YAML that cannot be read; empty otherwise."""


def split(text: str) -> Split:
    """Take the frontmatter off ``text``."""
    if not text.startswith(_FENCE):
        return Split(NO_FRONT, text, "")
    lines = text.split("\n")
    end = next((n for n in range(1, min(len(lines), MAX_LINES)) if lines[n].rstrip() == _FENCE), 0)
    if lines[0].rstrip() != _FENCE:
        return Split(NO_FRONT, text, "")
    if not end:
        unclosed = _KEY.match(lines[1]) if len(lines) > 1 else None
        return Split(NO_FRONT, text, "1: frontmatter is not closed by ---" if unclosed else "")
    rest = "\n" * (end + 1) + "\n".join(lines[end + 1 :])
    front, warning = _parse("\n".join(lines[: end + 1]))
    if front == NO_FRONT and not any(_KEY.match(line) for line in lines[1:end]):
        return Split(NO_FRONT, text, "")  # two dividers, and what stands between them
    return Split(front, rest, warning)


def _parse(head: str) -> tuple[Front, str]:
    import frontmatter  # loads PyYAML: only for files that have frontmatter
    import yaml

    try:
        metadata = frontmatter.parse(head)[0]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1  # counted from 0, at the opening fence
        what = getattr(error, "problem", None) or "not a mapping of keys to values"
        return NO_FRONT, f"{line}: frontmatter is not valid YAML: {what}"
    return _front(metadata), ""


def _front(metadata: Mapping[str, object]) -> Front:
    known = {"status", "trust", "scope", "tags", "aliases", "related", "hop_targets"}
    scope = str(metadata.get("scope", "")).strip().lower()
    return Front(
        status=str(metadata.get("status", "") or "").strip().lower(),
        trust=_trust(metadata.get("trust")),
        scope=scope if scope in ("session", "project", "global") else "project",
        tags=_strings(metadata.get("tags")),
        aliases=_strings(metadata.get("aliases")),
        related=_strings(metadata.get("related")) + _strings(metadata.get("hop_targets")),
        extra={str(key): _plain(value) for key, value in metadata.items() if key not in known},
    )


def _trust(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        return None
    return min(1.0, max(0.0, float(value)))


def _strings(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return tuple(str(one) for one in value if one is not None)
    return tuple(part.strip() for part in str(value).split(",") if part.strip())


def _plain(value: object) -> object:
    """Return a value as JSON can hold it: dates and the like become text."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, str | int | bool):
        return value
    return str(value)
