"""Lines of JSON from a stream, one at a time, without those too long for memory."""

import json
import math
from collections.abc import Iterator
from typing import BinaryIO, cast

from ctx.model import Json, JsonObject
from ctx.model.transcripts import Line

LIMIT = 32 * 1024 * 1024  # most bytes of a line, without its newline, that are read into memory
MOST_NESTED = 200  # deepest nesting that is read: far less than would fail when it is written again
_CHUNK = 1024 * 1024


def lines(stream: BinaryIO, limit: int = LIMIT) -> Iterator[Line]:
    """Yield the lines of ``stream`` as they come; OSError where it cannot be read."""
    number = 0
    while data := stream.readline(limit + 1):
        number += 1
        if data.endswith(b"\n"):
            yield Line(number, data[:-1], len(data) - 1, ended=True)
        elif len(data) <= limit:
            yield Line(number, data, len(data), ended=False)
        else:
            length = len(data)
            while not data.endswith(b"\n") and (data := stream.readline(_CHUNK)):
                length += len(data)
            ended = data.endswith(b"\n")
            yield Line(number, b"", length - ended, ended)


def parse(data: bytes) -> tuple[JsonObject, bool]:
    """Return the object in a line, and whether invalid UTF-8 was replaced in it.

    Numbers without a value (NaN, 1e999) become text. Raises ValueError with the reason where
    the line is no JSON object.
    """
    try:
        text, mended = data.decode(), False
    except UnicodeDecodeError:
        text, mended = data.decode("utf-8", "replace"), True
    try:
        value = json.loads(text, parse_float=_number, parse_constant=str)
    except (ValueError, RecursionError):  # also: an integer of more than 4,300 digits
        raise ValueError("is not JSON" if not mended else "is neither UTF-8 nor JSON") from None
    if not isinstance(value, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - it is the line that is wrong
    if data.count(b"[") + data.count(b"{") > MOST_NESTED and _is_deep(value):
        raise ValueError(f"is nested deeper than {MOST_NESTED}")
    return cast("JsonObject", value), mended


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(MOST_NESTED):
        inner: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level = inner
    return bool(level)
