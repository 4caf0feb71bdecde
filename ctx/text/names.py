"""Names of files, folders, branches, sessions and the like as ctx prints them: data, on one line.

Whoever makes a repository chooses its names. Printed, none ends a line, hides a character, holds a
secret, begins as a block of Markdown or a command of a pipeline does, or costs a budget.
"""

from __future__ import annotations

from ctx.digest import blake2b
from ctx.text.regex import regex

TYPE_CHECKING = False  # this module is on the path of packets: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.model import Json

MOST = 320
"""Bytes of a name that are shown, so tokens at most: of a longer one its beginning and its end."""
_BLOCK = regex(r" {0,3}(?:#{1,6}(?:[ \t]|$)|>|```|~~~|::|##\[|<[!?/A-Za-z]|([-=*_])\1\1+[ \t]*$)")


def shown(name: str, most: int = MOST) -> str:
    """Return a name as packets, lists, messages and answers show it, in at most ``most`` bytes.

    Two names that differ are shown as two. What was shown is shown again as it is.
    """
    line = shown_line(name)
    line = f"\\{line}" if _BLOCK.match(line) else line
    raw = line.encode() if len(line) * 4 > most else b""
    if len(raw) <= most:
        return line
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    half = (most - len(digest)) // 2 - len("…".encode())
    return f"{raw[:half].decode(errors='ignore')}…{digest}…{raw[-half:].decode(errors='ignore')}"


def shown_line(text: str) -> str:
    """Return a line of a message that holds names: one line, no secrets, in its full length."""
    return masked(on_one_line(text))


def few(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` names as they are shown, and an ellipsis for more."""
    return ", ".join(map(shown, names[:most])) + (", …" if len(names) > most else "")


def cut(text: str, most: int) -> str:
    """Return ``text`` in at most ``most`` characters: of a longer one its beginning."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def masked(name: str) -> str:
    """Return a name as JSON has it for programs: as it is, but for its secrets."""
    if not _may_hold_secret(name):
        return name
    from ctx.text.secrets import mask, mask_path  # patterns that most names can do without

    return mask(mask_path(name))  # the secret of an address may stand across a slash


def masked_all(value: Json, mask: Callable[[str], str] = masked) -> Json:
    """Return JSON that holds names alone, or other texts, without their secrets."""
    if isinstance(value, dict):
        return {mask(name): masked_all(field, mask) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [masked_all(item, mask) for item in value]
    return mask(value) if isinstance(value, str) else value


def on_one_line(text: str) -> str:
    """Return ``text`` with line ends and control characters written out."""
    if text.isascii() and text.isprintable():
        return text
    from ctx.text.visible import visible  # only for what is out of the ordinary

    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


_SIGNS = str.maketrans(dict.fromkeys("/._- ", " "))
_LONG_NAME = 12
_LONGEST_WORD = 14
_SECRET_NAMES = ("token", "secret", "pass", "pwd", "key", "credential", "auth")


def _may_hold_secret(path: str) -> bool:
    lower, words = path.lower(), path.translate(_SIGNS).split()
    return (
        any(name in lower for name in _SECRET_NAMES)
        or any(sign in path for sign in "=:@")
        or (any(len(word) >= _LONG_NAME for word in words) and not all(map(_is_word, words)))
    )


def _is_word(name: str) -> bool:
    """Return whether ``name`` is a word in letters of one size, as in ``CONSTITUTION``."""
    return name.isalpha() and (name.islower() or name.isupper()) and len(name) <= _LONGEST_WORD
