"""Redaction of the secrets in parts of a file, before they become entries."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from ctx.text.secrets import Secret, find, redaction_warning, without
from ctx.typed import NamedTuple


class Redacted(NamedTuple):
    """What was redacted in a file."""

    line: int  # of the first secret, counted from 1 in the file
    kind: str
    secrets: int  # how many there are


def redact(texts: list[str]) -> list[tuple[int, list[Secret]]]:
    """Redact ``texts`` in place, searched at once; return the secrets with places of texts."""
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    near = {bisect_right(starts, secret.start) - 1 for secret in find("\n".join(texts))}
    found = [(place, secrets) for place in sorted(near) if (secrets := find(texts[place]))]
    for place, secrets in found:
        texts[place] = without(texts[place], secrets)
    return found


def summed_up(every: Iterable[Redacted]) -> Redacted | None:
    """Return as one what was redacted in the parts of a file, given in their order."""
    parts = list(every)
    if not parts:
        return None
    return parts[0]._replace(secrets=sum(part.secrets for part in parts))


def warning(path: str, every: Iterable[Redacted]) -> tuple[str, ...]:
    """Return the warning, if any, about what was redacted in the parts of a file."""
    whole = summed_up(every)
    return (redaction_warning(path, *whole),) if whole else ()
