"""Files of summaries: a record counts where it fits the records before it (``counting``)."""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from ctx.digest import blake2b
from ctx.model import Summary
from ctx.read import files, stored
from ctx.read.compactions import Declined, Elevated, Lineage, Record, Run, Spans, joined, record
from ctx.read.sessions import SUMMARIES as FOLDER
from ctx.text.json_lines import lines, parse

__all__ = [
    "FOLDER", "Declined", "Elevated", "Lineage", "Record", "Run", "Spans", "below",
    "counting", "joined", "names", "records", "stale", "stands_for",
    "summaries", "upwards",
]  # fmt: skip


def names(state: str) -> list[str]:
    """Return the names of the files of summaries, sorted; OSError where they cannot be listed."""
    return files.names(os.path.join(state, FOLDER), ".jsonl")


def records(state: str, name: str) -> Iterator[Record | None]:
    """Yield a session's records, None for other lines; RefusedError or OSError if unreadable."""
    path = f"{FOLDER}/{name}"
    if not os.path.lexists(os.path.join(state, path)):
        return
    with stored.opened(state, path) as file:
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


def summaries(state: str, name: str) -> Iterator[Summary]:
    """Yield the summaries of a file that count; raises as ``records`` does."""
    yield from (entry for entry in counting(state, name) if isinstance(entry, Summary))


def upwards(every: Iterable[Record], wanted: Callable[[Summary], bool]) -> list[Summary]:
    """Return the first ``wanted`` summary and those that cover it, of records in their order."""
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
    """Yield ``top`` and all summaries that it covers, of records that count, in their order."""
    spans = Spans(top.lines)
    for entry in every:
        if isinstance(entry, Summary) and entry.level <= top.level and entry.lines[0][0] in spans:
            yield entry


def stands_for(digests: Iterable[str]) -> str:
    """Return the digest of a summary of summaries that have these digests, in their order."""
    return blake2b("\n".join(digests).encode(), digest_size=16).hexdigest()


def stale(state: str, name: str, top: Summary | None = None) -> int:
    """Return how many summaries, ``top`` or below it if given, cover changed lines.

    Raises as ``records`` does, and OSError.
    """
    every = counting(state, name) if top is None else below(counting(state, name), top)
    summaries = [entry for entry in every if isinstance(entry, Summary) and entry.level == 1]
    digests = [blake2b(digest_size=16) for _ in summaries]
    spans = sorted(
        (*span, place) for place, summary in enumerate(summaries) for span in summary.lines
    )
    firsts = [first for first, _, _ in spans]
    for line in stored.raw(state, name):
        if not spans or line.number > spans[-1][1]:
            break
        span = bisect_right(firsts, line.number) - 1
        if span >= 0 and line.number <= spans[span][1]:
            digests[spans[span][2]].update(line.data + b"\n")
    pairs = zip(digests, summaries, strict=True)
    return sum(digest.hexdigest() != summary.digest for digest, summary in pairs)
