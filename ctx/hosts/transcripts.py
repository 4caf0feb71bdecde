"""The formats of the transcripts that hosts write."""

from __future__ import annotations

from importlib import import_module

from ctx.hosts import PARTS

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Turn
    from ctx.model.transcripts import Format

NAMES = tuple(name for name, parts in PARTS.items() if parts == "form" or "transcript" in parts)
"""The hosts of whose transcripts the form is known."""


def format_of(host: str) -> Format:
    """Return the format of the transcripts of ``host``, one of ``NAMES``."""
    module = "" if PARTS[host] == "form" else ".transcript"
    form: Format = import_module(f"ctx.hosts.{host}{module}").FORMAT
    return form


def latest(host: str, lines: Sequence[bytes]) -> Iterator[Turn]:
    """Yield the turns in the last ``lines`` of a transcript of ``host``, the last first."""
    from ctx.hosts.fields import newest  # not for hooks of a long prompt
    from ctx.hosts.wrappers import spoken
    from ctx.model import Turn
    from ctx.model.transcripts import NotATurnError

    form = format_of(host)
    for fields in newest(lines):
        try:
            pieces = list(form.read(fields, ""))
        except NotATurnError:
            continue
        for piece in reversed(pieces):
            if isinstance(piece, Turn):
                words = spoken(piece.text)[0] if piece.role == "user" else piece.text
                if words.strip():
                    yield piece._replace(text=words)
