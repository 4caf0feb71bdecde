"""The names of entries and files, by which links, ``supersedes`` and relations are followed."""

import re
from collections.abc import Iterable, Sequence

from ctx.model import Entry
from ctx.text import supersedes

_CUT = " …"
"""Ends a title that was cut."""
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}(?:-\d{4,6})?")
_MARKUP = re.compile(r"[*_`~]")


class Names:
    """Entries and files by each of their names."""

    def __init__(self, entries: Iterable[Entry], files: Iterable[str]) -> None:
        self._ids: dict[str, list[Entry]] = {}
        self._cut: list[str] = []
        self._dates: set[str] = set()
        self._others: set[str] = set()
        for entry in entries:
            self._take(entry)
        for path in files:
            folded = path.casefold()
            name = folded.rpartition("/")[2]
            self._others.update(
                (folded, name, folded.removesuffix(".md"), name.removesuffix(".md"))
            )

    def _take(self, entry: Entry) -> None:
        title = entry.title.casefold()
        anchor = entry.id.partition("#")[2].casefold()
        self._others.update(alias.casefold() for alias in entry.front.aliases)
        self._others.add(anchor)
        if entry.kind == "turn":
            self._others.add(entry.id.casefold())
            return
        if title.endswith(_CUT):
            self._cut.append(title.removesuffix(_CUT))
        self._others.add(_MARKUP.sub("", title))
        for name in {title, entry.timestamp, entry.id.casefold()}:
            if name:
                self._ids.setdefault(name, []).append(entry)
        if _STAMP.fullmatch(entry.timestamp):
            self._dates.add(entry.timestamp[: len("2026-01-31")])

    def lead(self, claim: str) -> bool:
        """Return whether any reading of ``claim`` names something that exists."""
        return any(
            name in self._ids
            or name in self._others
            or name in self._dates
            or any(map(name.startswith, self._cut))
            for name in supersedes.readings(claim)
        )

    def entries(self, claim: str) -> Sequence[Entry]:
        """Return the entries that ``claim`` supersedes.

        As the reader does: a name of several entries means all, a date none of them.
        """
        found: dict[str, Entry] = {}
        for name in supersedes.readings(claim):
            named = self._ids.get(name, [])
            if len(named) == 1 or not supersedes.is_date(name):
                found.update((entry.id, entry) for entry in named)
        return list(found.values())
