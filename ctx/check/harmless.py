"""Text of files in messages: on one line, short, no secret, and nothing that a terminal obeys."""

from __future__ import annotations

import unicodedata

from ctx.secrets import mask

LOOKED_AT = 2_000
"""Characters of a text that are looked at for secrets, and for what is shown."""
MOST = 80
"""Characters of a file's text in a message."""


def quoted(text: str, most: int = MOST) -> str:
    """Return ``text`` in quotation marks, in one line, cut where it is long."""
    return f"'{brief(text, most)}'"


def brief(text: str, most: int = MOST) -> str:
    """Return ``text`` in one line, cut where it is long."""
    shown = plain(" ".join(mask(text[:LOOKED_AT]).split()))
    return shown if len(shown) <= most else f"{shown[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    r"""Return ``text`` with every character that is not printed shown as ``\ufffd``."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def named(char: str) -> str:
    """Return how a character is told of that cannot be shown: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"
