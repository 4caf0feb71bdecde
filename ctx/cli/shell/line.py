"""What has been typed, as each shell hands it over."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_QUOTES = "\"'"
_ESCAPED = {"": None, '"': '$`"\\\n', "'": ""}  # what a backslash escapes in bash, by quotes
_ESCAPED_IN_FISH = {"": None, '"': '$"\\\n', "'": "'\\"}


class Typed(NamedTuple):
    """A line that is being typed: arguments of ``ctx``, without their quotes."""

    before: tuple[str, ...]  # the arguments that are done
    word: str  # the one that is being typed; empty after a space
    kept: int = 0  # characters of ``word`` that bash does not replace: up to quote, ``:``, ``=``
    quote: str = ""  # the quote that is open; empty where none is


def zsh(arguments: Sequence[str], _: Mapping[str, str]) -> Typed:
    """Return the line in ``arguments``."""
    return Typed(tuple(arguments[:-1]), arguments[-1] if arguments else "")


def fish(arguments: Sequence[str], environ: Mapping[str, str]) -> Typed:
    """Return the line in ``arguments`` and ``_CTX_WORD``."""
    reader = _Reader(_ESCAPED_IN_FISH)
    words = reader.read(environ.get("_CTX_WORD", ""))
    return Typed(tuple(arguments), words[-1], quote=reader.quote)


def powershell(_: Sequence[str], environ: Mapping[str, str]) -> Typed:
    """Return the line in ``_CTX_WORDS``; ValueError where that holds something else."""
    import json  # which the other shells do not need

    words = json.loads(environ.get("_CTX_WORDS", ""))
    if not isinstance(words, list) or not words:
        raise ValueError
    *before, word = map(str, words)
    if word.startswith(tuple(_QUOTES)):  # PowerShell leaves them on
        word = word[1:].removesuffix(word[0])
    return Typed(tuple(before), word)


def bash(_: Sequence[str], environ: Mapping[str, str]) -> Typed:
    """Return the line in ``_CTX_LINE``, of which bash would replace ``_CTX_WORD``."""
    text, replaced = environ.get("_CTX_LINE", ""), environ.get("_CTX_WORD", "")
    reader = _Reader(_ESCAPED)
    words = reader.read(text, len(text) - len(replaced))
    if len(words) < 2:  # noqa: PLR2004 - the program, and what is typed
        raise ValueError
    return Typed(tuple(words[1:-1]), words[-1], reader.kept, reader.quote)


class _Reader:
    """Takes a line apart as a shell does. Nothing is expanded."""

    def __init__(self, escaped: Mapping[str, str | None]) -> None:
        self._escaped = escaped
        self.quote = ""  # the quote that was open at the end
        self.kept = 0  # how many characters of the last word came from before the mark

    def read(self, text: str, mark: int = 0) -> list[str]:
        """Return the words of ``text``, the last one empty where a space precedes the end."""
        words, word, at = list[str](), "", 0
        started = False
        while at < len(text):
            if at <= mark:
                self.kept = len(word)
            char, at = text[at], at + 1
            if char == "\\" and self._escapes(text[at : at + 1]):
                word, at, started = word + text[at : at + 1].strip("\n"), at + 1, True
            elif char == self.quote:
                self.quote = ""
            elif not self.quote and char in _QUOTES:
                self.quote, started = char, True
            elif not self.quote and char in " \t\n":
                if started:
                    words.append(word)
                word, started = "", False
            else:
                word, started = word + char, True
        if mark >= len(text):
            self.kept = len(word)
        return [*words, word]

    def _escapes(self, char: str) -> bool:
        """Whether a backslash before ``char`` is none itself."""
        allowed = self._escaped[self.quote]
        return bool(char) and (allowed is None or char in allowed)
