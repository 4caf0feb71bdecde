"""Import turns into a session's file: nothing twice, nothing lost."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import NamedTuple, Self

from ctx.edit import atomic
from ctx.edit.folder import NAME, PRIVATE, check, explained, make, refuse_odd, settle
from ctx.errors import FileError
from ctx.model import Turn, session_file
from ctx.sessions import rejected_lines
from ctx.sessions.survey import Seen, digest

BUFFER = 256 * 1024
"""Bytes that are gathered before they are written."""
LONGEST = 128 * 1024 * 1024
"""Bytes of a stored line that are kept in memory: a line of 32 MiB may become as long."""
TIMEOUT = 60.0
"""Seconds that an import waits for another one."""
MOST_OPEN = 16
"""Files that are open at once."""
MOST_NAMED = 5
"""Examples that a remark names."""
_VARIANT = re.compile(r"(.+)~([2-9]|[1-9][0-9]+)", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")
_APPEND = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


class End(NamedTuple):
    """How a stored file ends."""

    start: int
    """Byte at which its last line starts, if that has no newline; else its size."""
    size: int
    """Bytes of the file."""


def turns(path: str, ends: list[End]) -> Iterator[dict[str, object]]:
    """Yield the objects of a stored file, none if it is missing; then append its end to ``ends``.

    Lines that are no objects are skipped.
    """
    if not refuse_odd(path):
        return
    start = size = 0
    with explained(path, "read"), open(path, "rb") as file:
        while data := file.readline(LONGEST):
            size += len(data)
            start = size if data.endswith(b"\n") else start
            try:
                value = json.loads(data.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value
    ends.append(End(start, size))


def mend(path: str, end: End, folder: str) -> tuple[bytes, str]:
    """Complete the last line of a stored file, or move it aside.

    Returns what must be appended first, and one line for the user; both are empty if the file
    ends in a newline. What is moved is on the disk before it is cut off here.
    """
    if end.start == end.size:
        return b"", ""
    if end.size - end.start > LONGEST:
        raise FileError(f"{path}: its last line has no end within {LONGEST:,} bytes")
    with explained(path, "read"), open(path, "rb") as file:
        file.seek(end.start)
        fragment = file.read()
    if _is_json(fragment):
        return b"\n", f"{path}: its last line had no newline: added"
    name = os.path.basename(path).removesuffix(".jsonl")
    place = rejected_lines.path_of(folder, name)
    rejected_lines.keep(place, [fragment])
    with explained(path, "written"):
        os.truncate(path, end.start)
    return b"", f"{path}: its last line was cut off: {len(fragment):,} bytes moved to {place}"


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


class Appender:
    """A session's file, open at its end, with lines that are still to be written."""

    def __init__(self, path: str) -> None:
        """Open the file, made if it is missing; FileError if it cannot be."""
        self.path = path
        self._lines: list[bytes] = []
        self._size = 0
        with explained(path, "written"):
            self._handle = os.open(path, _APPEND, PRIVATE)

    def add(self, line: bytes) -> None:
        """Append a line, at the latest when this is closed."""
        self._lines.append(line)
        self._size += len(line)
        if self._size >= BUFFER:
            self.flush()

    def flush(self) -> None:
        """Write the gathered lines; on a FileError the file is as it was before."""
        data = memoryview(b"".join(self._lines))
        self._lines, self._size = [], 0
        if not data:
            return
        before = os.fstat(self._handle).st_size
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, before)
            raise FileError(
                f"{self.path}: cannot be written: {error.strerror or error}",
                "nothing is lost: import again when it can be",
            ) from error

    def settle(self) -> None:
        """Bring everything to the disk."""
        self.flush()
        with explained(self.path, "written"):
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file; lines that were not flushed are not written."""
        os.close(self._handle)


class Tally(NamedTuple):
    """The imported turns of one session."""

    added: int = 0
    known: int = 0
    """Turns that were stored already."""


def line_of(turn: Turn) -> bytes:
    """Return the line that a turn is stored as: JSON in UTF-8, with its newline."""
    fields: dict[str, object] = {
        "id": turn.id,
        "session": turn.session,
        "ts": turn.ts,
        "role": turn.role,
    }
    if turn.speaker:
        fields["speaker"] = turn.speaker
    fields["text"] = turn.text
    if turn.bundle:
        fields["bundle"] = turn.bundle
    fields |= {field: value for field, value in turn.extra.items() if field not in fields}
    text = json.dumps(fields, ensure_ascii=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair: as JSON it can be escaped
        return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode() + b"\n"


class Importer:
    """One import from one source: a context manager that locks the folder."""

    def __init__(self, state: str, source: str, *, timeout: float = TIMEOUT) -> None:
        """Prepare to import into the folder ``state``.

        ``source`` names the file of rejected lines; ``timeout`` is in seconds.
        """
        self.tallies: dict[str, Tally] = {}
        """By session, in the order of their first turns."""
        self.remarks: list[str] = []
        """Remarks for the user, a line each."""
        self.aside = rejected_lines.Aside(rejected_lines.path_of(os.path.join(state, NAME), source))
        """The rejected lines of this source."""
        self._state = state
        self._timeout = timeout
        self._stack = ExitStack()
        self._open: dict[str, Appender] = {}
        self._renamed: list[str] = []
        self._renamed_count = 0

    def __enter__(self) -> Self:
        """Take the lock and make the folder; FileError if that cannot be done."""
        with self._stack as stack:
            # Checked before the lock is made: it is beside the target of a link.
            place = check(self._state)
            stack.enter_context(atomic.lock(place, timeout=self._timeout))
            self._folder = make(self._state)
            self._seen = Seen()
            stack.callback(self._seen.close)
            stack.callback(self._close)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        """Release everything; what was not finished is imported the next time."""
        self._stack.close()

    def add(self, turn: Turn) -> bool:
        """Store a turn unless it is stored already; return whether it was not.

        A turn without an id gets one made of its content and of how often that occurred before
        in this source. One that has the id of another becomes ``id~2``.
        """
        session = turn.session
        if session not in self.tallies:
            self._begin(session)
        tally = self.tallies[session]
        if not turn.id:
            said = digest("said", session, turn.ts, turn.role, turn.text)
            turn = turn._replace(id=f"{said.hex()[:16]}-{self._seen.count(said)}")
        if _key(turn, turn.id) in self._seen:
            self.tallies[session] = tally._replace(known=tally.known + 1)
            return False
        turn = turn._replace(id=self._free(turn))
        self._seen.add(_keys(turn))
        self._appender(session).add(line_of(turn))
        self.tallies[session] = tally._replace(added=tally.added + 1)
        return True

    def finish(self) -> None:
        """Write everything that is left, and bring it to the disk; raises FileError."""
        self.aside.save()
        for session, tally in self.tallies.items():
            if tally.added or session in self._open:
                self._appender(session).settle()
        settle(self._folder)
        if self._renamed_count:
            is_one = self._renamed_count == 1
            self.remarks.append(
                f"{self._renamed_count:,} turn{' has' if is_one else 's have'} the id of another: "
                f"kept as {', '.join(self._renamed)}"
                f"{', …' if self._renamed_count > len(self._renamed) else ''}"
            )

    def _begin(self, session: str) -> None:
        """Read what is stored of a session, and repair its file after an interruption."""
        self.tallies[session] = Tally()
        path, ends = self._path(session), list[End]()
        self._seen.add(_stored_keys(path, session, ends))
        for end in ends:
            first, remark = mend(path, end, self._folder)
            if remark:
                self.remarks.append(remark)
            if first:
                self._appender(session).add(first)

    def _free(self, turn: Turn) -> str:
        """Return the id of a turn, or the next of its variants that is not taken."""
        if _id_key(turn.session, turn.id) not in self._seen:
            return turn.id
        variants = digest("variants", turn.session, turn.id)
        while True:
            name = f"{turn.id}~{self._seen.count(variants) + 1}"
            if _id_key(turn.session, name) not in self._seen:
                self._renamed_count += 1
                if len(self._renamed) < MOST_NAMED and name not in self._renamed:
                    self._renamed.append(name)
                return name

    # --- files ------------------------------------------------------------------------------

    def _path(self, session: str) -> str:
        return os.path.join(self._folder, session_file(session))

    def _appender(self, session: str) -> Appender:
        """Return the open file of a session; the least recently used of others is closed."""
        found = self._open.pop(session, None)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                oldest = next(iter(self._open))
                self._open[oldest].flush()
                self._open.pop(oldest).close()
            found = Appender(self._path(session))
        self._open[session] = found
        return found

    def _close(self) -> None:
        for appender in self._open.values():
            with suppress(OSError):
                appender.close()


# --- the identity of turns ----------------------------------------------------------------


def _key(turn: Turn, name: str) -> bytes:
    return digest("turn", turn.session, name, turn.role, turn.text)


def _id_key(session: str, name: str) -> bytes:
    return digest("id", session, name)


def _keys(turn: Turn) -> Iterator[bytes]:
    """Yield all keys of a stored turn: ``m~2`` also has that of ``m``."""
    yield _id_key(turn.session, turn.id)
    yield _key(turn, turn.id)
    variant = _VARIANT.fullmatch(turn.id)
    if variant:
        yield _key(turn, variant[1])


def _stored_keys(path: str, session: str, ends: list[End]) -> Iterator[bytes]:
    for fields in turns(path, ends):
        turn = Turn(
            _text(fields, "id"),
            _text(fields, "session") or session,
            "",
            _text(fields, "role"),
            _text(fields, "text"),
        )
        if turn.id:
            yield from _keys(turn)


def _text(fields: Mapping[str, object], field: str) -> str:
    value = fields.get(field)
    return value if isinstance(value, str) else ""
