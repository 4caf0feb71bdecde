"""What summaries were made of, and what was made of them: ``sessions/summaries/<session>``.

A record counts only where it fits the records before it (``counting``).
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from ctx.digest import blake2b
from ctx.model import Summary
from ctx.read import files
from ctx.read.compactions import Declined, Elevated, Lineage, Record, Run, Spans, joined, record
from ctx.read.sessions import SUMMARIES as FOLDER
from ctx.read.transcripts import stored
from ctx.read.transcripts.lines import Line, lines, parse

_LIMITS = files.Limits(sys.maxsize, allow_links=False)

__all__ = [
    "FOLDER", "Declined", "Elevated", "Lineage", "Record", "Run", "Spans", "below",
    "counting", "joined", "names", "records", "stale", "stands_for", "upwards",
]  # fmt: skip


def names(state: str) -> list[str]:
    """Return the names of the files of summaries, sorted; OSError where they cannot be listed."""
    return files.names(os.path.join(state, FOLDER), ".jsonl")


def records(state: str, name: str) -> Iterator[Record | None]:
    """Yield the records of the session in the file ``name``; None for other lines.

    Nothing where there is no such file. Raises RefusedError where it must not be read, OSError
    where it cannot be.
    """
    path = f"{FOLDER}/{name}"
    full = os.path.join(state, path)
    if not os.path.lexists(full):
        return
    files.inspect(state, path, _LIMITS)
    with files.opened(full) as file:
        for line in lines(file):
            try:
                yield record(parse(line.data)[0])
            except ValueError:
                yield None


def counting(state: str, name: str, lineage: Lineage | None = None) -> Iterator[Record]:
    """Yield the records of a file that count; raises as ``records`` does."""
    lineage = Lineage() if lineage is None else lineage
    for entry in records(state, name):
        if lineage.take(entry) and entry is not None:
            yield entry


def upwards(every: Iterable[Record], wanted: Callable[[Summary], bool]) -> list[Summary]:
    """Return the first summary that is ``wanted``, and those that stand for it, nearest first.

    ``every`` are records that count, in their order; nothing where none is wanted.
    """
    chain: list[Summary] = []
    for summary in every:
        if not isinstance(summary, Summary):
            continue
        if chain:
            above = summary.level == chain[-1].level + 1 and chain[-1].id in summary.sources
        else:
            above = wanted(summary)
        if above:
            chain.append(summary)
    return chain


def below(every: Iterable[Record], top: Summary) -> Iterator[Summary]:
    """Yield ``top`` and all summaries that it stands for.

    ``every`` are records that count, in their order.
    """
    spans = Spans()
    for first, last in top.lines:
        spans.add(first, last)
    for entry in every:
        if isinstance(entry, Summary) and entry.level <= top.level and entry.lines[0][0] in spans:
            yield entry


def stands_for(digests: Iterable[str]) -> str:
    """Return the digest of a summary of summaries that have these digests, in their order."""
    return blake2b("\n".join(digests).encode(), digest_size=16).hexdigest()


def stale(state: str, name: str) -> int:
    """Return how many summaries of turns stand for lines that have changed since.

    Raises as ``records`` does, and OSError for the session.
    """
    spans: list[tuple[int, int, int]] = []
    wanted: list[tuple[str, int]] = []
    for entry in counting(state, name):
        if isinstance(entry, Summary) and entry.level == 1:
            spans += [(first, last, len(wanted)) for first, last in entry.lines]
            wanted.append((entry.digest, entry.turns))
    spans.sort()
    return _changed(wanted, _of_spans(stored.raw(state, name), spans))


def _of_spans(
    lines: Iterable[Line], spans: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines within ``spans``, each with the third figure of its span."""
    current = 0
    for line in lines:
        while current < len(spans) and spans[current][1] < line.number:
            current += 1
        if current == len(spans):
            return
        if line.number >= spans[current][0]:
            yield spans[current][2], line.data


def _changed(wanted: Sequence[tuple[str, int]], found: Iterable[tuple[int, bytes]]) -> int:
    """Return how many of the ``wanted`` digests differ from those of the ``found`` lines."""
    open_: dict[int, tuple[blake2b, int]] = {}
    same = 0
    for place, data in found:
        digest, left = open_.pop(place, (blake2b(digest_size=16), wanted[place][1]))
        digest.update(data + b"\n")
        if left > 1:
            open_[place] = (digest, left - 1)
        else:
            same += digest.hexdigest() == wanted[place][0]
    return len(wanted) - same
