"""A file's bytes as text, whatever they are."""

from __future__ import annotations


def decode(path: str, data: bytes) -> tuple[str, list[str]]:
    """Return the text of ``data``, and what a person should know of how it was read."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
        return text, [f"{path}:1: is UTF-16; read as such, better saved as UTF-8"]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        before = data[: error.start]
        # As in ``blocks.normalise``: a carriage return alone ends a line, too.
        line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
        return data.decode("utf-8", "replace"), [
            f"{path}:{line}: not valid UTF-8; bytes that cannot be read are shown as \ufffd"
        ]
