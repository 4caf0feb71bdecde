"""How often each entry was included in a packet, by day; answers from the cache do not count."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from datetime import date

from ctx.store.database import ODD, Disposable, connect, mark_of

NAME = "counts.db"
FORMAT = 1
WAIT = 1.0  # seconds to wait for other processes that count: a few of them need a millisecond each
KEEP_DAYS = 90  # days that are counted separately; older ones are added up

_COUNT = """
INSERT INTO said VALUES (?, ?, ?)
ON CONFLICT (entry, day) DO UPDATE SET times = times + excluded.times
"""


def note(store: str, entries: Iterable[str], day: date) -> bool:
    """Count each of ``entries`` (ids) once more on ``day``, all or none; return if it worked."""
    counts = [(entry.encode("utf-8", "surrogatepass"), day.isoformat(), 1) for entry in entries]
    if not counts:
        return True
    oldest = date.fromordinal(max(1, day.toordinal() - KEEP_DAYS))

    def change(database: sqlite3.Connection) -> None:
        database.executemany(_COUNT, counts)
        _add_up(database, oldest)

    with _opened(store) as database:
        return database.change(change)


def before(store: str, day: date) -> dict[str, int]:
    """Return how often each entry was included before ``day``, by id; empty without counts."""
    if not os.path.exists(os.path.join(store, NAME)):
        return {}
    query = "SELECT entry, sum(times) FROM said WHERE day < ? GROUP BY entry"
    with _opened(store) as database:
        try:
            counts = {
                name.decode("utf-8", "surrogatepass"): times
                for name, times in database.rows(query, (day.isoformat(),))
            }
            if not all(isinstance(times, int) for times in counts.values()):
                raise TypeError("counts that are no whole numbers")
        except ODD as error:
            database.give_up(error)
            return {}
        return counts


def _opened(store: str) -> Disposable:
    path = os.path.join(store, NAME)
    return Disposable(path, connect(path, mark_of("", FORMAT), "counts", WAIT))


def _add_up(database: sqlite3.Connection, day: date) -> None:
    """Add the days before ``day`` up into the last: a wrong clock must not move counts."""
    old = database.execute(
        "SELECT entry, max(day), sum(times) FROM said WHERE day < ? "
        "GROUP BY entry HAVING count(*) > 1",
        (day.isoformat(),),
    ).fetchall()
    database.executemany(
        "DELETE FROM said WHERE entry = ? AND day < ?",
        [(entry, day.isoformat()) for entry, _, _ in old],
    )
    database.executemany(_COUNT, old)
