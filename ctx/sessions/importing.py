"""Import turns into a session's file: nothing twice, nothing lost."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import NamedTuple, Self

from ctx.digest import digest
from ctx.edit import atomic
from ctx.edit.atomic import explained, settle
from ctx.errors import FileError
from ctx.model import Json, JsonObject, Turn, session_file
from ctx.read import own
from ctx.sessions import files
from ctx.text.regex import regex
from ctx.text.secrets import REDACTED, mask

BUFFER = 256 * 1024  # bytes that are gathered before they are written
TIMEOUT = 60.0  # seconds that an import waits for another one
MOST_OUTPUT = 4_000
"""Characters of a tool's output up to which it is stored whole; else its ends and its errors."""
MOST_TITLE = 200  # characters of a title that are stored
MOST_OPEN = 16  # files that are open at once
MOST_NAMED = 5  # examples that a remark names
MOST_LINES = 1000  # rejected lines that one import keeps
MOST_BYTES = 4 * 1024 * 1024  # bytes of these
FULL = 16 * 1024 * 1024  # bytes from which a file takes no more rejected lines
_HINT = "move it away, then import again"
_VARIANT = regex(r"(?s)(.+)~([2-9]|[1-9][0-9]+)")


def rejected_of(folder: str, name: str) -> str:
    """Return the path of the rejected lines of ``name``, in the folder ``sessions/``."""
    return os.path.join(folder, files.ASIDE, session_file(name).removesuffix(".jsonl") + ".txt")


class Aside:
    """The rejected lines of one import, verbatim and distinct, until they are saved."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.left_out = 0  # lines that were too many or too long
        self.added = 0  # lines that were not in the file before; known when they are saved
        self._lines: dict[bytes, None] = {}
        self._size = 0

    def add(self, data: bytes) -> None:
        """Keep a line, given without its newline; empty for one that is too long."""
        if data in self._lines:
            return
        if not data or len(self._lines) >= MOST_LINES or self._size + len(data) > MOST_BYTES:
            self.left_out += 1
            return
        self._lines[data] = None
        self._size += len(data)

    def save(self) -> None:
        """Write the lines that are new, whole or not at all; FileError if that is impossible."""
        if not self._lines:
            return
        full = atomic.refuse_odd(self.path, _HINT) and os.path.getsize(self.path) > FULL
        new = _keep(self.path, self._lines, full=full)
        if full:
            self.left_out += new
        else:
            self.added = new


def _keep(path: str, lines: Iterable[bytes], *, full: bool = False) -> int:
    """Add each of ``lines`` to a file unless it is there; return how many were not.

    A file that is ``full`` takes none. FileError if it cannot be read or written.
    """
    old = (atomic.read(path) or b"") if atomic.refuse_odd(path, _HINT) else b""
    if old and not old.endswith(b"\n"):
        old += b"\n"
    known = set(old.split(b"\n"))
    new = [line + b"\n" for line in lines if line not in known]
    if not new or full:
        return len(new)
    folder = os.path.dirname(path)
    if os.path.islink(folder):
        raise FileError(f"{folder}: is a link", _HINT)
    with explained(folder, "created"):
        os.makedirs(folder, exist_ok=True)
    atomic.write(path, old + b"".join(new), mode=files.PRIVATE)
    return len(new)


class Tally(NamedTuple):
    """The imported turns of one session."""

    added: int = 0
    known: int = 0  # turns that were stored already


def line_of(turn: Turn) -> bytes:
    """Return the line that a turn is stored as: JSON in UTF-8, with its newline."""
    fields: JsonObject = {"id": turn.id, "session": turn.session, "ts": turn.ts, "role": turn.role}
    if turn.speaker:
        fields["speaker"] = turn.speaker
    fields["text"] = turn.text
    if turn.bundle:
        fields["bundle"] = turn.bundle
    fields |= {field: value for field, value in turn.extra.items() if field not in fields}
    return files.json_line(fields)


class Importer:
    """One import from one source: a context manager that locks the folder."""

    def __init__(
        self, state: str, source: str, *, timeout: float = TIMEOUT, redact_secrets: bool = True
    ) -> None:
        """``source`` names the file of rejected lines; ``timeout`` is in seconds."""
        self._redacted = mask if redact_secrets else str
        self.tallies: dict[str, Tally] = {}  # by session, in the order of their first turns
        self.since: dict[str, int] = {}
        """By session how many bytes of its file hold nothing that this source has again."""
        self.remarks: list[str] = []  # remarks for the user, a line each
        self.aside = Aside(rejected_of(os.path.join(state, files.NAME), source))
        """The rejected lines of this source."""
        self._state = state
        self._timeout = timeout
        self._stack = ExitStack()
        self._seen: set[bytes] = set()  # keys of the turns that are stored
        self._times: Counter[bytes] = Counter()  # by what was seen in this source, how often
        self._titles: dict[str, str] = {}
        self._stored_titles: dict[str, str] = {}
        self._open: dict[str, files.Appender] = {}
        self._renamed: list[str] = []
        self._renamed_count = 0

    def __enter__(self) -> Self:
        """Take the lock and make the folder; FileError if that cannot be done."""
        with self._stack as stack:
            # Checked before the lock is made: it is beside the target of a link.
            place = files.check(self._state)
            stack.enter_context(atomic.lock(place, timeout=self._timeout))
            self._folder = files.make(self._state)
            stack.callback(self._close)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        """Release everything; what was not finished is imported the next time."""
        self._stack.close()

    def _kept(self, turn: Turn) -> Turn:
        """Return a turn as it is stored: with an id, and of long output what matters."""
        if not turn.id:
            content = digest("said", turn.session, turn.ts, turn.role, turn.text)
            self._times[content] += 1
            turn = turn._replace(id=f"{content.hex()[:16]}-{self._times[content]}")
        if turn.role == "tool" and len(turn.text) > MOST_OUTPUT:
            from ctx.sessions.notes import ends_and_errors  # only where something is long

            turn = turn._replace(text=ends_and_errors(turn.text))
        return turn

    def add(self, turn: Turn) -> bool:
        """Store a turn, redacted, unless it is stored already; return whether it was not.

        A turn without an id gets one made of its content and of how often that occurred before
        in this source. One that has the id of another becomes ``id~2``.
        """
        session = turn.session
        if session not in self.tallies:
            self._begin(session)
        tally = self.tallies[session]
        original, turn = turn, self._kept(turn._replace(text=self._redacted(turn.text)))
        is_known = _key(turn, turn.id) in self._seen
        if not is_known and REDACTED in turn.text:  # was it stored when secrets were allowed?
            original = self._kept(original)
            is_known = _key(original, original.id) in self._seen
        if is_known:
            self.tallies[session] = tally._replace(known=tally.known + 1)
            return False
        turn = turn._replace(id=self._free(turn))
        self._seen.update(_keys(turn))
        self._appender(session).add(line_of(turn), BUFFER)
        self.tallies[session] = tally._replace(added=tally.added + 1)
        return True

    def entitle(self, session: str, title: str) -> None:
        """Note the title that a host gave a session; the last counts, where it has turns."""
        self._titles[session] = " ".join(self._redacted(title).split())[:MOST_TITLE]

    def named(self, turn: Turn) -> str:
        """Return the id that a turn, which is not in this source, has where it is stored."""
        return self._kept(turn._replace(text=self._redacted(turn.text))).id

    def holds(self, session: str, turn: str) -> bool:
        """Return whether a turn of this id is stored; of a session that was added to before."""
        return _id_key(session, turn) in self._seen

    def take_back(self, session: str, turns: Iterable[str]) -> None:
        """Note which turns of a session its user took back: they are kept, but out of force."""
        with suppress(FileNotFoundError), open(self._path(session), "rb") as file:
            known = {
                name
                for line in file
                if own.BACK.encode() in line and files.is_json(line)
                for name in own.taken_back(json.loads(line))
            }
            if new := [name for name in dict.fromkeys(turns) if name not in known]:
                line = files.json_line({"session": session, own.BACK: list[Json](new)})
                self._appender(session).add(line)

    def finish(self) -> None:
        """Write everything that is left, and bring it to the disk; raises FileError."""
        self.aside.save()
        for session, title in self._titles.items():
            if session not in self.tallies and os.path.exists(self._path(session)):
                self._begin(session)
            if session in self.tallies and title not in ("", self._stored_titles.get(session)):
                line = files.json_line({"session": session, "title": title})
                self._appender(session).add(line, BUFFER)
                self._stored_titles[session] = title
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
        path = self._path(session)
        if not atomic.refuse_odd(path, _HINT):
            return
        fragment = files.torn_end(path, files.LONGEST)
        if fragment and files.is_json(fragment):
            self._appender(session).add(b"\n", BUFFER)
            self.remarks.append(f"{path}: its last line had no newline: added")
        elif fragment:
            place = rejected_of(self._folder, os.path.basename(path).removesuffix(".jsonl"))
            _keep(place, [fragment])  # on the disk before it is cut off
            files.cut_off(path, len(fragment))
            cut = f"its last line was cut off: {len(fragment):,} bytes moved to {place}"
            self.remarks.append(f"{path}: {cut}")
        titles = self._stored_titles
        self._seen.update(_stored_keys(path, session, self.since.get(session, 0), titles))

    def _free(self, turn: Turn) -> str:
        """Return the id of a turn, or the next of its variants that is not taken."""
        if _id_key(turn.session, turn.id) not in self._seen:
            return turn.id
        variants = digest("variants", turn.session, turn.id)
        while True:
            self._times[variants] += 1
            name = f"{turn.id}~{self._times[variants] + 1}"
            if _id_key(turn.session, name) not in self._seen:
                self._renamed_count += 1
                if len(self._renamed) < MOST_NAMED and name not in self._renamed:
                    self._renamed.append(name)
                return name

    def _path(self, session: str) -> str:
        return os.path.join(self._folder, session_file(session))

    def _appender(self, session: str) -> files.Appender:
        """Return the open file of a session; the least recently used of others is closed."""
        found = self._open.pop(session, None)
        if found is None:
            if len(self._open) >= MOST_OPEN:
                oldest = next(iter(self._open))
                self._open[oldest].flush()
                self._open.pop(oldest).close()
            found = files.Appender(self._path(session), "import")
        self._open[session] = found
        return found

    def _close(self) -> None:
        for appender in self._open.values():
            with suppress(OSError):
                appender.close()


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


def _stored_keys(path: str, session: str, since: int, titles: dict[str, str]) -> Iterator[bytes]:
    """Yield the keys of the stored turns; the last title of each session comes into ``titles``."""
    with explained(path, "read"), open(path, "rb") as file:
        file.seek(since)
        while data := file.readline(files.LONGEST):
            try:
                fields = json.loads(data.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if not isinstance(fields, dict):
                continue
            name, own, role, text, title = (
                value if isinstance(value := fields.get(field), str) else ""
                for field in ("id", "session", "role", "text", "title")
            )
            if title and not role:
                titles[own or session] = title
            if name:
                yield from _keys(Turn(name, own or session, "", role, text))
