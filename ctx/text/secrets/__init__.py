"""Secrets in a text: keys, tokens and passwords, found by a maintained detector.

``assigned`` finds values that are assigned to a name. ``detect-secrets`` finds tokens by their
form (``detectors``); importing it costs a third of a packet, so it runs only where ``prefilter``
finds a line that could hold one, and without what else it imports.
"""

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

from ctx.digest import blake2b
from ctx.text.regex import regex
from ctx.text.secrets.assigned import Span, assigned
from ctx.text.secrets.prefilter import flat, places
from ctx.typed import NamedTuple

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
    plain, origin = unescaped(text)
    raw = flat(plain)
    near = places(plain, raw)
    spans = [*assigned(plain, raw)]
    if near or (spans and "pragma" in text):
        with _no_more_than_detectors():
            from ctx.text.secrets.detectors import is_allowed, judged  # only now: see above

        spans = [*judged(plain, near), *spans]
        if "pragma" in text:
            spans = [span for span in spans if not is_allowed(plain, span[0])]
    secrets, line, before = [], 1, 0
    for first, last, kind in _merged(spans):
        start, end = origin(first), origin(last)
        line += text.count("\n", before, start)
        before = start
        secrets.append(Secret(line, start, end, kind))
    return secrets


_UNUSED = ("hashlib", "hmac", "inspect", "requests", "textwrap")
"""What detect-secrets uses only to verify a secret over the network, to report it, or to scan."""
_EMPTIED = ("detect_secrets", "detect_secrets.filters")  # they import all the rest: Git, a log


@contextmanager
def _no_more_than_detectors() -> Iterator[None]:
    """Import of detect-secrets the detectors, a third of it all.

    Its packages are left empty, and it has stand-ins for what the functions use that nobody calls
    here; should one be called, it finds the real module.
    """
    made: dict[str, ModuleType] = {}
    if "ctx.text.secrets.detectors" not in sys.modules:
        made.update({name: _StandIn(name) for name in _UNUSED if name not in sys.modules})
        sys.modules.update(made)
        from importlib.util import find_spec, module_from_spec  # only now: see above

        for name in _EMPTIED:
            if name not in sys.modules and (spec := find_spec(name)):
                made[name] = sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        for name, module in made.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


class _StandIn(ModuleType):
    Response = object  # an annotation of detect-secrets names that of requests

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
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


_SIGN = regex(r"\\[-_.~+=/]")  # begins with a plain sign, for which is searched fast
_NAMED = {"amp": "&", "quot": '"', "apos": "'", "lowbar": "_", "hyphen": "-", "equals": "="}
_ENTITY = regex(rf"&(?:({'|'.join(_NAMED)})|#([0-9]{{2,3}})|#[xX]([0-9a-fA-F]{{2}}));")


def unescaped(text: str) -> tuple[str, Callable[[int], int]]:
    r"""Return ``text`` with ``_`` for ``\_`` and for ``&#95;``, and where in it offsets lie."""
    found = sorted(_escapes(text))
    if not found:
        return text, int
    parts, done, size = list[str](), 0, 0
    places, starts = [0], [0]
    for start, end, meant in found:
        parts += [text[done:start], meant]
        size += start - done
        places += [size, size + 1]
        starts += [start, end]
        size, done = size + 1, end
    parts.append(text[done:])

    def origin(offset: int) -> int:
        place = bisect_right(places, offset) - 1
        return starts[place] + offset - places[place]

    return "".join(parts), origin


def _escapes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and meaning of each escape."""
    for match in _SIGN.finditer(text) if "\\" in text else ():
        first = match.start()
        while first > match.start() - 2 and text[first - 1 : first] == "\\":  # JSON doubles them
            first -= 1
        yield first, match.end(), match[0][1]
    for match in _ENTITY.finditer(text) if "&" in text else ():
        meant = (
            _NAMED[match[1]] if match[1] else chr(int(match[2] or match[3], 10 if match[2] else 16))
        )
        if " " < meant <= "~":
            yield match.start(), match.end(), meant
