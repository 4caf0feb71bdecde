"""Secrets in a text: keys, tokens and passwords, found by a maintained detector.

``assigned`` finds values that are assigned to a name. ``detect-secrets`` finds tokens by their
form (``detectors``); importing it costs a third of a packet, so it runs only where ``prefilter``
finds a line that could hold one, and without the client of HTTP that it imports to verify secrets.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import NamedTuple

from ctx.digest import blake2b
from ctx.text.secrets.assigned import Span, assigned
from ctx.text.secrets.prefilter import flat, places

REDACTED = "[secret redacted]"  # what a secret is redacted to
_LONGEST_ENDING = 5


class Secret(NamedTuple):
    """A secret in a text."""

    line: int  # its first line, counted from 1
    start: int  # offset of its first character in the text
    end: int  # offset after its last one. A private key has many lines
    kind: str  # the detector's name for it: ``AWS Access Key``


def find(text: str) -> list[Secret]:
    """Return the secrets in ``text``, but for lines with ``pragma: allowlist secret``."""
    raw = flat(text)
    near = places(text, raw)
    spans = [*assigned(text, raw)]
    if near or (spans and "pragma" in text):
        with _without_requests():
            from ctx.text.secrets.detectors import is_allowed, judged  # only now: see above

        spans = [*judged(text, near), *spans]
        if "pragma" in text:
            spans = [span for span in spans if not is_allowed(text, span[0])]
    secrets, line, before = [], 1, 0
    for start, end, kind in _merged(spans):
        line += text.count("\n", before, start)
        before = start
        secrets.append(Secret(line, start, end, kind))
    return secrets


@contextmanager
def _without_requests() -> Iterator[None]:
    """Let detect-secrets have a stand-in for ``requests``, which is half of what it costs.

    Only its functions that verify a secret over the network ask for more; they find the real one.
    """
    if "requests" in sys.modules or "ctx.text.secrets.detectors" in sys.modules:
        yield
        return
    stand_in = sys.modules["requests"] = _Requests("requests")
    try:
        yield
    finally:
        if sys.modules.get("requests") is stand_in:
            del sys.modules["requests"]


class _Requests(ModuleType):
    Response = object  # an annotation of detect-secrets names it

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        return getattr(import_module(self.__name__), name)


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order; overlapping ones as one, of the kind of the first in ``spans``."""
    merged: list[tuple[int, Span]] = []
    for rank, span in sorted(enumerate(spans), key=lambda ranked: ranked[1][:2]):
        start, end, kind = span
        if merged and start < merged[-1][1][1]:
            known, (first, last, name) = merged[-1]
            merged[-1] = min(rank, known), (first, max(last, end), kind if rank < known else name)
        else:
            merged.append((rank, span))
    return [span for _, span in merged]


def mask(text: str) -> str:
    """Return ``text`` with ``REDACTED`` for every secret; its lines stay where they are."""
    return without(text, find(text))


def mask_path(path: str) -> str:
    """Return ``path`` with ``REDACTED`` and a digest, which keeps two files apart, for secrets."""
    names = path.split("/")
    for place, name in enumerate(names):
        stem, dot, ending = name.rpartition(".")
        if not stem or len(ending) > _LONGEST_ENDING:
            stem, dot, ending = name, "", ""
        redacted = mask(stem)
        if redacted != stem and REDACTED not in stem:
            digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()
            names[place] = f"{redacted}-{digest}{dot}{ending}"
    return "/".join(names)


def without(text: str, secrets: Sequence[Secret]) -> str:
    """Return ``text`` with ``REDACTED`` for its ``secrets``; line ends, margins and quotes stay."""
    parts, done = [], 0
    for secret in secrets:
        lines = text[secret.start : secret.end].split("\n")[1:]
        margins = (line[: len(line) - len(line.lstrip(" \t>"))] for line in lines)
        parts += [text[done : secret.start], REDACTED, *(f"\n{margin}" for margin in margins)]
        done = secret.end
    return "".join((*parts, text[done:]))


def redaction_warning(path: str, line: int, kind: str, count: int) -> str:
    """Return the warning that ``count`` secrets of a file are redacted, the first in ``line``."""
    more = f" (and {count - 1:,} more)" if count > 1 else ""
    return (
        f"{path}:{line}: a secret ({kind}) is redacted{more}; `ctx check` names them; "
        "allow_secrets = true in ~/.config/ctx/config.toml includes them"
    )
