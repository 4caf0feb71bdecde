"""Every kind of file that ctx can make again: how it is filled, and what is asked of it.

    python -m tests.store.kinds FOLDER

fills and asks all of them in a folder whose permissions may forbid it, and prints which raised
something or answered wrongly, as JSON.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ctx.hooks import kept
from ctx.model import CachedFile, CacheLossError, Delivered, Memory
from ctx.store import LAST_PACKETS, Store, counts, delivery_log, given, parse_cache, response_cache
from ctx.store import vectors as vectors_
from ctx.store import words as words_
from ctx.store.folder import path_of
from tests.store.parts import (
    DAY,
    RELEASE,
    TOMORROW,
    Embedder,
    cosines,
    directory,
    fresh_cosines,
    right,
    said,
    words_of,
)

Answer = Mapping[Any, Any]
PARTS = (directory(1, 3), directory(33, 3))
ASKED = words_of(*PARTS)[::8]
"""Enough words to lie on every page; all of them take longer."""
THEN = 1_790_000_000_123_456_789
NOW = THEN / 1e9
SIGNATURE = (123, THEN, THEN, 77)
LARGE = "A body of some length. " * 900  # more than a page: it lies on pages of its own
IDS = ["TASKS.md#one", "日本語.md#größe", "odd\udcff\n.md#\ud800", "a\0b", ""]
ITEM = Delivered("DECISIONS.md#a", "full", "0123456789abcdef", 640, 0.25, NOW, 3, pinned=True)


class Kind(NamedTuple):
    """A kind of file: of two editions, 0 and 1, of what is kept in it."""

    fill: Callable[[str, int], object]  # keeps an edition in a folder
    ask: Callable[[str, int], Answer]  # what is answered of it, without what is lost
    right: tuple[Answer, Answer]
    path: str  # of the file, below the folder
    changes: tuple[str, ...] = ()  # statements of SQL after which nothing in it is believed
    is_made: bool = False  # whether who asks makes what is missing
    is_exact: bool = True  # whether damage cannot change what is answered

    @property
    def is_database(self) -> bool:
        """Whether it is one of SQLite's."""
        return self.path.endswith(".db")

    def is_sound(self, answer: Answer, edition: int) -> bool:
        """Whether nothing in ``answer`` is wrong, whatever is lost."""
        if self.is_exact:
            return answer.items() <= self.right[edition].items()
        return all(type(one) is str and type(times) is int for one, times in answer.items())


def _said(folder: str, edition: int) -> Answer:
    try:
        return said(folder, PARTS[edition], ASKED)
    except CacheLossError:
        return {}


def _nearness(folder: str, edition: int) -> Answer:
    with vectors_.Vectors(folder, Embedder()) as opened:
        return {"near": cosines(opened, PARTS[edition])}


def _files(edition: int) -> dict[str, tuple[CachedFile, bytes]]:
    mark = b"%d" % edition
    cached = CachedFile(b"d" * 32, '{"pieces": []}', '{"sizes": []}', b"\3" * 8, b"\1" * 16)
    large = CachedFile(mark * 32, f"[{edition}]", f'"{LARGE}"', b"\4" * 9, b"\2" * 4_000)
    return {
        "TASKS.md": (cached, "Größe 日本語".encode()),
        "a.jsonl/1": (large, LARGE.encode() + mark),
        "EMPTY.md": (CachedFile(b"", "", "", b"", b""), b""),
    }


def _parse(folder: str, edition: int) -> None:
    with parse_cache.Index(folder, RELEASE, THEN + 60 * 10**9) as index:
        for path, (cached, text) in _files(edition).items():
            index.put(path, SIGNATURE, cached, text)


def _parsed(folder: str, edition: int) -> Answer:
    found: dict[str, tuple[CachedFile, bytes]] = {}
    with parse_cache.Index(folder, RELEASE, THEN + 60 * 10**9) as index:
        for path in _files(edition):
            index.signature(path)
            if (cached := index.get(path)) is not None:
                try:
                    found[path] = (cached, index.text(path))
                except CacheLossError:
                    continue
    return found


def _fields(record: response_cache.Record | None) -> tuple[object, ...]:
    return (record.out, record.err, record.code, record.session, record.cooldown) if record else ()


def _respond(folder: str, edition: int) -> None:
    record = response_cache.Record(b"# out\n\0\xff", b"ctx: err\n", edition, "a session\n\0", 600)
    response_cache.remember(folder, "key", record, {"/not/there": ()}, THEN)


def _response(folder: str, _edition: int) -> Answer:
    record = response_cache.recall(folder, "key")
    return {"key": _fields(record)} if record else {}


def _deliver(folder: str, edition: int) -> None:
    delivery_log.note(folder, Memory("s", {ITEM.id: ITEM._replace(uses=edition)}, 12))


def _delivered(folder: str, _edition: int) -> Answer:
    memory = delivery_log.recall(folder, "s")
    return {"s": memory} if memory != Memory("s") else {}


def _packet(folder: str, edition: int) -> None:
    Store(state=folder).note_packet("s", b"packet", NOW - edition)


def _last(folder: str, _edition: int) -> Answer:
    ago = Store(state=folder).seconds_since("s", b"packet", NOW + 30)
    return {} if ago is None else {"s": round(ago)}


def _keep(folder: str, edition: int) -> None:
    body = {"text": f"rules {edition}", "trusted": False}
    kept.save(Store(cache=folder), "key", body, {"/not/there": ((), "name")}, THEN)


def _rules(folder: str, _edition: int) -> Answer:
    body = kept.load(Store(cache=folder), "key")
    return {"key": body["text"]} if body else {}


def _give(folder: str, _edition: int) -> None:
    given.claim(folder, "s", ["one", "other"])


def _given(folder: str, _edition: int) -> Answer:
    names = ["one", "other", "third"]
    return dict.fromkeys({*names}.difference(given.unsent(folder, "s", names)), True)


def _count(folder: str, _edition: int) -> None:
    counts.note(folder, IDS, DAY)


def _counted(folder: str, _edition: int) -> Answer:
    return counts.before(folder, TOMORROW)


_FORM = (
    "PRAGMA user_version = -1",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE {0} ('",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 999",
    # A comment that is no UTF-8.
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || CAST(x'202d2dff' AS TEXT)",
    "ALTER TABLE {0} ADD COLUMN more TEXT",
    "DROP TABLE {0}",
    "DELETE FROM {0}",
)
_ODD = ("x''", "x'ff'", "'1'", "7", "-1", "1.5", "CAST(x'ff' AS TEXT)")


def _odd(table: str, columns: str, where: str = "") -> tuple[str, ...]:
    """Return statements that give columns values of another kind, one column each."""
    forms = (form.format(table) for form in _FORM)
    odd = (
        f"UPDATE {table} SET {name} = {value} {where}"  # noqa: S608 - of the above
        for name in columns.split()
        for value in _ODD
    )
    return (*forms, *odd)


_WORDS = (
    *(form.format("parts") for form in _FORM),
    "DROP TABLE whole",
    "DELETE FROM whole",
    "DELETE FROM parts WHERE rowid = 2",
    "UPDATE parts SET digest = x'00'",
    "UPDATE parts SET first = first + 1",
    "UPDATE parts SET name = name || x'00'",
    "UPDATE parts SET words = x'00'",
    "UPDATE parts SET words = 'text'",
    "UPDATE parts SET words = 7, entries = 'x'",
    "UPDATE parts SET words = x'', damage = 0",
    "UPDATE parts SET words = (SELECT words FROM parts ORDER BY 1 DESC), damage = damage + 1",
    "DELETE FROM entries_data",
    "DELETE FROM entries_data WHERE id > 10",
    "DELETE FROM entries_idx",
    "DELETE FROM entries_docsize WHERE id % 2",
    "UPDATE entries_idx SET segid = segid + 1000",
    "UPDATE entries_docsize SET sz = x'0101'",
    "UPDATE entries_data SET block = x'' WHERE id = 1",
    "INSERT INTO entries (entries) VALUES ('delete-all')",
    "INSERT INTO entries (rowid, title, body) VALUES (99, 'retri', 'queue')",
    "INSERT INTO entries (rowid, title, body) VALUES (-1, 'retri', 'queue')",
    "DELETE FROM entries_config",
    "UPDATE entries_config SET v = v + 1",
    "UPDATE entries_docsize SET id = id + 1000",
    "UPDATE entries_data SET id = id + 1 WHERE id > 10",
)
_COUNTS = (
    *(form.format("said") for form in _FORM),
    "UPDATE said SET entry = CAST(entry AS TEXT) WHERE times = 1",
    "INSERT INTO said VALUES (7, '2026-11-21', 1)",
    "INSERT INTO said VALUES (x'ff', '2026-11-21', 1)",
    "UPDATE said SET times = 1.5",
    "UPDATE said SET times = 'many'",
    "UPDATE said SET times = 9223372036854775807;INSERT INTO said SELECT entry, 1, 1 FROM said",
    "UPDATE said SET day = 'yesterday'",
    "UPDATE said SET day = x'ff' || entry",
    "UPDATE said SET day = 7",
    "CREATE TRIGGER t BEFORE INSERT ON said BEGIN SELECT RAISE(ABORT, 'no'); END",
)
_OLD = "WHERE path = 'TASKS.md'"
KINDS = {
    "words": Kind(
        _said, _said, (right(PARTS[0], ASKED), right(PARTS[1], ASKED)), words_.NAME, _WORDS,
        is_made=True,
    ),
    "vectors": Kind(
        _nearness, _nearness,
        ({"near": fresh_cosines(PARTS[0])}, {"near": fresh_cosines(PARTS[1])}), vectors_.NAME,
        _odd("vectors", "digest dim hashes rows seal"), is_made=True,
    ),
    "parse cache": Kind(
        _parse, _parsed, (_files(0), _files(1)), parse_cache.NAME,
        _odd("files", "signature digest chunks cards told terms seal text_seal text", _OLD),
    ),
    "counts": Kind(
        _count, _counted, (dict.fromkeys(IDS, 1),) * 2, counts.NAME, _COUNTS, is_exact=False
    ),
    "response": Kind(
        _respond, _response,
        ({"key": (b"# out\n\0\xff", b"ctx: err\n", 0, "a session\n\0", 600)},
         {"key": (b"# out\n\0\xff", b"ctx: err\n", 1, "a session\n\0", 600)}),
        path_of("", response_cache.FOLDER, "key"),
    ),
    "delivery log": Kind(
        _deliver, _delivered,
        ({"s": Memory("s", {ITEM.id: ITEM._replace(uses=0)}, 12)},
         {"s": Memory("s", {ITEM.id: ITEM._replace(uses=1)}, 12)}),
        path_of("", delivery_log.FOLDER, "s"),
    ),
    "last packet": Kind(_packet, _last, ({"s": 30}, {"s": 31}), path_of("", LAST_PACKETS, "s")),
    "rules": Kind(
        _keep, _rules, ({"key": "rules 0"}, {"key": "rules 1"}), path_of("", kept.FOLDER, "key")
    ),
    "given": Kind(
        _give, _given, ({"one": True, "other": True},) * 2, path_of("", given.FOLDER, "s"),
    ),
}  # fmt: skip


def faults(folder: str) -> list[str]:
    """Fill and ask all kinds in ``folder``; return those that raised or answered wrongly."""
    found = []
    for name, kind in KINDS.items():
        try:
            for edition in (0, 1, 1):
                kind.fill(folder, edition)
                if not any(kind.is_sound(kind.ask(folder, edition), each) for each in (0, 1)):
                    found.append(f"{name}: wrong")
        except Exception as error:  # noqa: BLE001 - to name the kind
            found.append(f"{name}: {error!r}")
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(faults(str(Path(sys.argv[1])))))
