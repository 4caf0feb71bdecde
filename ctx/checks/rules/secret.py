"""Passwords, keys and tokens in any file of the directory. Findings never show them."""

import json
from collections.abc import Iterator

from ctx.checks.types import Fault, Subject
from ctx.text.secrets import REDACTED


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each kind of secret once a line."""
    remedy = "take it out, and make it worthless where it is used: it may have been read"
    seen: set[tuple[str, int, str]] = set()
    for path, line, kind in _found(subject):
        if (path, line, kind) not in seen:
            seen.add((path, line, kind))
            yield Fault(path, line, f"holds what looks like a secret: {kind}", remedy)


def _found(subject: Subject) -> Iterator[tuple[str, int, str]]:
    for piece in subject.pieces():
        if REDACTED in piece.path and piece.first == 1:
            yield piece.path, 1, "in the name of the file"
        for secret in subject.secrets(piece.text):
            yield piece.path, piece.first + secret.line - 1, secret.kind
        if piece.path.endswith(".jsonl") and "\\" in piece.text:
            for number, line in enumerate(piece.text.split("\n"), piece.first):
                for secret in subject.secrets(_unescaped(line)):
                    yield piece.path, number, secret.kind


def _unescaped(line: str) -> str:
    """Return the texts in a line of JSON, which may hold a secret in escapes."""
    if "\\" not in line:
        return ""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return ""  # not JSON: searched as it is
    texts: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
    return "\n".join(texts)
