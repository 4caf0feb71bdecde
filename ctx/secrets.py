"""Secrets in a text: keys, tokens and passwords, found by a maintained detector.

``detect-secrets`` decides what is one (``ctx.detectors``). Importing it costs a third of a packet,
so it is asked only where ``ctx.screen`` finds what each of its enabled detectors needs.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Sequence
from typing import NamedTuple

from ctx.screen import places

HELD_BACK = "[secret held back]"
"""What is said in the place of a secret."""


class Secret(NamedTuple):
    """A secret in a text."""

    line: int
    """Where it begins, counted from 1."""
    start: int
    """Offset of its first character in the text."""
    end: int
    """Offset after its last one. A private key goes over many lines."""
    kind: str
    """As the detector calls it: ``AWS Access Key``."""


def find(text: str) -> list[Secret]:
    """Return the secrets in ``text``, in their order; none overlap.

    Lines that end in the detector's comment ``pragma: allowlist secret`` hold none.
    """
    found = sorted(set(places(text)), key=lambda place: place.start)
    if not found:
        return []
    from ctx.detectors import judged  # only now: see above

    secrets, line, before = [], 1, 0
    for start, end, kind in judged(text, found):
        line += text.count("\n", before, start)
        before = start
        secrets.append(Secret(line, start, end, kind))
    return secrets


def mask(text: str) -> str:
    """Return ``text`` with ``HELD_BACK`` for every secret; its lines stay where they are."""
    return without(text, find(text))


def without(text: str, secrets: Sequence[Secret]) -> str:
    """Return ``text`` with ``HELD_BACK`` for each of the ``secrets`` that were found in it."""
    if not secrets:
        return text
    parts, at = [], 0
    for secret in secrets:
        parts += [text[at : secret.start], HELD_BACK]
        parts += [f"\n{_margin(line)}" for line in text[secret.start : secret.end].split("\n")[1:]]
        at = secret.end
    return "".join((*parts, text[at:]))


def _margin(line: str) -> str:
    """Return what a line of a key stands behind: a quote that it must not end."""
    return line[: len(line) - len(line.lstrip(" \t>"))]


def told(path: str, line: int, kind: str, count: int) -> str:
    """Return the warning that ``count`` secrets of a file are held back."""
    more = f" (and {count - 1:,} more)" if count > 1 else ""
    return (
        f"{path}:{line}: a secret ({kind}) is held back{more}; `ctx check` names them; "
        "allow_secrets = true in ~/.config/ctx/config.toml says them"
    )
