"""Secrets in a text: keys, tokens and passwords, found by a maintained detector.

``assigned`` finds values that are assigned to a name. ``detect-secrets`` knows tokens by their form
(``detectors``); importing it costs a third of a packet, so it runs only where ``prefilter`` finds
a line that could hold one.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Sequence
from typing import NamedTuple

from ctx.text.secrets.assigned import Span, assigned
from ctx.text.secrets.prefilter import flat, places

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
    raw = flat(text)
    near = places(text, raw)
    spans: list[Span] = []
    if near:
        from ctx.text.secrets.detectors import judged  # only now: see above

        spans = [*judged(text, near)]
    spans += assigned(text, raw)
    if spans and "pragma" in text:
        from ctx.text.secrets.detectors import is_allowed

        spans = [span for span in spans if not is_allowed(text, span[0])]
    secrets, line, before = [], 1, 0
    for start, end, kind in _merged(spans):
        line += text.count("\n", before, start)
        before = start
        secrets.append(Secret(line, start, end, kind))
    return secrets


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order; of those that overlap one, named as the first of the ``spans``."""
    merged: list[tuple[int, Span]] = []
    for rank, span in sorted(enumerate(spans), key=lambda one: one[1][:2]):
        start, end, kind = span
        if merged and start < merged[-1][1][1]:
            known, (first, last, name) = merged[-1]
            merged[-1] = min(rank, known), (first, max(last, end), kind if rank < known else name)
        else:
            merged.append((rank, span))
    return [span for _, span in merged]


def mask(text: str) -> str:
    """Return ``text`` with ``HELD_BACK`` for every secret; its lines stay where they are."""
    return without(text, find(text))


def mask_path(path: str) -> str:
    """Return ``path`` with ``HELD_BACK`` for each secret in its names.

    A short digest of the name follows, so that two files with secrets stay two.
    """
    return "/".join(map(_mask_name, path.split("/")))


def _mask_name(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending) > _LONGEST_ENDING:
        stem, dot, ending = name, "", ""
    held = mask(stem)
    if held == stem or HELD_BACK in stem:
        return name
    from hashlib import blake2b  # only now: few names hold a secret

    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()
    return f"{held}-{digest}{dot}{ending}"


_LONGEST_ENDING = 5


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
