"""Text of others, made fit for a terminal."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys, or what turns the direction of its text: all but newline and tab."""


def safe(text: str) -> str:
    """Return ``text`` with what a terminal would obey written out."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def safe_json(text: str) -> str:
    """Return JSON with the same in the escapes of JSON: it stays the same value."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
