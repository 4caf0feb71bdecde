"""Move lines of a file into ``archive/``: both files change, or neither does."""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple, Self

from ctx.edit import atomic
from ctx.edit.atomic import explained, read, remove, settle
from ctx.edit.links import NONE, STRICT, Links, make_folder, real
from ctx.errors import FileError

FOLDER = "archive"
COPY = ".ctx-copy"  # the copy of a source, in the folder, while its lines are moved
TIMEOUT = 60.0  # seconds that a run waits for another one

_BOM = b"\xef\xbb\xbf"
_SOURCE = re.compile(
    r"(?:tasks|decisions|learnings)\.md|(?:decisions|learnings)/(?!\.)([^/\0]+\.md)", re.IGNORECASE
)
_TARGET = re.compile(r"archive/(?:tasks|decisions|learnings)-\d{4}-\d{2}-\d{2}\.md")
_ABOUT = "the file as it was before lines of it went to an archive; ctx archive removes this copy"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_OTHERS_READ = 0o444
_AGAIN = "then archive again"


class Step(NamedTuple):
    """Lines to move from one file to another."""

    source: str  # relative to the context directory, with forward slashes, as is ``target``
    target: str
    before: bytes  # the source as it was when that was decided
    spans: tuple[tuple[int, int], ...]  # runs of lines, from 0, first and end, as in the target
    ahead: int = 0  # how many of them, the first, go in at ``at``; the others to the end
    at: int = 0  # a line's start in the target, in bytes


class After(NamedTuple):
    """Both files once lines have moved."""

    rest: bytes
    grown: bytes


class Left(NamedTuple):
    """What an unfinished step has left."""

    step: Step
    archived: str  # digest of the target before the step
    grown: str  # digest of the target after it


def moved(step: Step, archived: bytes) -> After:
    """Return the source and the target, which holds ``archived``, after ``step``.

    Lines are moved byte for byte, and no byte of the target changes. A byte order mark stays
    with its file, and a line end is added only to a last line without one, where another line
    follows. FileError unless every line is in just one of the two.
    """
    mark = _BOM if step.before.startswith(_BOM) else b""
    lines = step.before[len(mark) :].splitlines(keepends=True)
    ahead, behind = (
        [number for start, end in spans for number in range(start, end)]
        for spans in (step.spans[: step.ahead], step.spans[step.ahead :])
    )
    out = ahead + behind
    if not out or len(set(out)) != len(out) or not 0 <= min(out) <= max(out) < len(lines):
        raise FileError(f"{step.source}: has no such lines: {step.spans}")
    gone = set(out)
    rest = mark + b"".join(line for at, line in enumerate(lines) if at not in gone)
    at = step.at if step.ahead else len(archived)
    pieces = [
        archived[:at],
        *(lines[number] for number in ahead),
        archived[at:],
        *(lines[number] for number in behind),
    ]
    pieces = [piece for piece in pieces if piece]
    ending = b"\r\n" if b"\r\n" in (archived if b"\n" in archived else step.before) else b"\n"
    # Only the last piece may end without a line end.
    joined = [
        piece if piece == _BOM or piece.endswith((b"\n", b"\r")) else piece + ending
        for piece, _ in pairwise(pieces)
    ]
    after = After(rest, b"".join((*joined, pieces[-1])))
    if _lines(step.before) + _lines(archived) != _lines(after.rest) + _lines(after.grown):
        raise FileError(
            f"{step.source}: its lines end in different ways, and two would become one",
            "save it with one kind of line ends, then archive again",
        )
    return after


def _lines(data: bytes) -> Counter[bytes]:
    return Counter(data.removeprefix(_BOM).splitlines())


def copy_of(step: Step, archived: bytes, grown: bytes) -> bytes:
    """Return what is kept until ``step`` is done: one line of JSON, then the source as it was."""
    head = {
        "about": _ABOUT,
        "source": step.source,
        "target": step.target,
        "lines": step.spans,
        "ahead": step.ahead,
        "at": step.at,
        "archived": digest(archived),
        "grown": digest(grown),
    }
    return json.dumps(head).encode() + b"\n" + step.before


def left_by(copy: bytes) -> Left | None:
    """Return the step that left ``copy``; None if it names other files than a step may."""
    head, _, before = copy.partition(b"\n")
    try:
        fields = json.loads(head)
        spans = tuple((int(start), int(end)) for start, end in fields["lines"])
        ahead, at = int(fields["ahead"]), int(fields["at"])
        step = Step(fields["source"], fields["target"], before, spans, ahead, at)
        named = _SOURCE.fullmatch(step.source)
        if (
            named is None
            or not _TARGET.fullmatch(step.target)
            or not (0 <= ahead <= len(spans) and at >= 0)
            or (named[1] and os.path.basename(named[1]) != named[1])  # as on Windows: ..\\x.md
        ):
            return None
        return Left(step, str(fields["archived"]), str(fields["grown"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def digest(data: bytes) -> str:
    """Return the digest of a file's bytes."""
    return blake2b(data, digest_size=32).hexdigest()


def pending(root: str) -> str:
    """Return the path of the copy that an interrupted run has left; empty without one."""
    path = os.path.join(root, FOLDER, COPY)
    return path if os.path.lexists(path) else ""


def check(root: str, step: Step) -> None:
    """Raise FileError for a step that cannot be taken: odd files, links, read-only, UTF-16."""
    for path in _paths(os.path.realpath(root), step):
        data = _held(path)
        if data is not None and not os.access(path, os.W_OK):
            raise FileError(f"{path}: cannot be written: the file is read-only")
        if data and data.startswith(_WIDE):
            raise FileError(f"{path}: is UTF-16", f"save it as UTF-8, {_AGAIN}")


class Archiver:
    """One run that moves lines: a context manager that excludes other runs."""

    def __init__(
        self,
        root: str,
        *,
        top: Callable[[bytes], int] = len,
        timeout: float = TIMEOUT,
        links: Links = STRICT,
    ) -> None:
        """Move lines in ``root``, if ``links`` lets it be one; ``timeout`` is in seconds.

        ``top`` returns where in a target, in bytes, the lines go that are not appended.
        """
        self.remark = ""  # what was done about an interrupted run, one line; empty without one
        self._root = root
        self._top = top
        self._timeout = timeout
        self._links = links
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Take the lock, and finish an interrupted run; FileError if a person has edited since."""
        with self._stack as stack:
            self._root = real(self._root, self._links)
            self._folder = os.path.join(self._root, FOLDER)
            self._copy = os.path.join(self._folder, COPY)
            stack.enter_context(atomic.lock(self._folder, timeout=self._timeout, links=NONE))
            self._recover()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def move(self, step: Step) -> None:
        """Take one step; on a FileError, such as for a source that changed, nothing changes."""
        check(self._root, step)
        make_folder(self._folder, NONE)
        with self._both(step) as (source, target):
            archived = read(target)
            if step.ahead:
                step = step._replace(at=self._top(archived or b""))
            after = moved(step, archived or b"")
            copy = copy_of(step, archived or b"", after.grown)
            atomic.write(self._copy, copy, mode=0o600, links=NONE)
            try:
                _replace(source, target, step.before, archived, after)
            except FileError:
                self._undo(source, target, archived, after)
                raise
            self._forget()

    @contextmanager
    def _both(self, step: Step) -> Iterator[tuple[str, str]]:
        source, target = _paths(self._root, step)
        with atomic.lock(source), atomic.lock(target):
            yield source, target

    def _undo(self, source: str, target: str, archived: bytes | None, after: After) -> None:
        """Restore the archive; if that fails, the next run finishes."""
        if read(source) == after.rest:
            return  # both were written, as the next run will find
        if read(target) == after.grown:
            if archived is None:
                with explained(target, "removed"):
                    os.unlink(target)
            else:
                atomic.write(target, archived)
        remove(self._copy)

    def _forget(self) -> None:
        with explained(self._copy, "removed"):
            os.unlink(self._copy)
        settle(self._folder)

    def _recover(self) -> None:
        if (copy := _held(self._copy)) is None:
            return
        if (left := left_by(copy)) is None:
            raise FileError(f"{self._copy}: is no copy that ctx made", f"move it away, {_AGAIN}")
        check(self._root, left.step)
        with self._both(left.step) as (source, target):
            self._finish(left, source, target)
            self._forget()

    def _finish(self, left: Left, source: str, target: str) -> None:
        """Do what is left to do; FileError if a person has edited a file since."""
        step = left.step
        now, archived = read(source), read(target) or b""
        state = digest(archived)
        rest = moved(step, b"").rest
        if now not in (step.before, rest) or state not in (left.archived, left.grown):
            edited = source if state in (left.archived, left.grown) else target
            where = {
                left.archived: f"nothing of it is in {target} yet",
                left.grown: f"what went from it is in {target}",
            }.get(state, f"what went from it may be in {target}")
            raise FileError(
                f"{edited}: was edited after a run that was interrupted: nothing is moved",
                f"{self._copy} holds {source} as it was, and {where}: "
                "when both are as you want them, delete the copy",
            )
        if now == step.before and state == left.archived:
            self.remark = f"an interrupted run had moved nothing of {step.source} yet"
            return
        if now == step.before:
            atomic.write(source, rest)
        if state == left.archived:
            atomic.write(target, moved(step, archived).grown)
        done = f"what is closed of {step.source} is in {step.target}"
        self.remark = f"an interrupted run is finished: {done}"


def _replace(source: str, target: str, before: bytes, archived: bytes | None, after: After) -> None:
    """Write both files unless one has changed; nobody reads the archive who cannot its source."""
    with explained(target, "written"):
        allowed = stat.S_IMODE(os.stat(source).st_mode) | ~_OTHERS_READ
        old = os.stat(source if archived is None else target)
    bits = stat.S_IMODE(old.st_mode) & allowed

    def unchanged(path: str, data: bytes | None) -> bool:
        if read(path) == data:
            return True
        raise FileError(f"{path}: changed meanwhile: nothing of it is moved", "archive again")

    def both() -> bool:
        return unchanged(source, before) and unchanged(target, archived)

    atomic.write(target, after.grown, mode=bits, still=both, links=NONE, like=source)
    atomic.write(source, after.rest, still=lambda: unchanged(source, before), links=NONE)


def _paths(root: str, step: Step) -> tuple[str, str]:
    return os.path.join(root, step.source), os.path.join(root, step.target)


def _held(path: str) -> bytes | None:
    """Return what ``path`` holds, None where it is not there; FileError for a link, or no file."""
    real(path, NONE)
    return read(path)
