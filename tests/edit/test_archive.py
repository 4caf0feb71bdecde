"""Moving lines to an archive: every line in one of two files, whatever happens meanwhile.

    python -m tests.edit.test_archive FOLDER [linked-]calls|bytes|full

Lets ``ctx archive`` die at one moment after another, each time followed by a run that lives, and
prints one JSON object: how many died, and after which of them something was wrong. With
``linked-`` each file has a second name. A program of its own, so that it can fork.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx import world
from ctx.edit import atomic
from ctx.edit.archive import (
    COPY,
    FOLDER,
    Archiver,
    Step,
    check,
    copy_of,
    digest,
    left_by,
    moved,
    pending,
)
from ctx.errors import UNREADABLE, FileError
from tests.deaths import check as check_deaths
from tests.edit.dying import BYTES, MOST, WAYS
from tests.forked import until
from tests.hostile import DAY, ON_THAT_DAY
from tests.sampling import moment

ROOT = Path(__file__).resolve().parents[2]
PHASE = b"- [x] early\n\n## Phase\n- [x] p\n\n"
TARGET = "archive/tasks-2026-11-21.md"
BEFORE = b"# Tasks\n\n- [x] a\n- [ ] b\n- [x] c\n"
STEP = Step("TASKS.md", TARGET, BEFORE, ((2, 3), (4, 5)))
REST, GROWN = b"# Tasks\n\n- [ ] b\n", b"- [x] a\n- [x] c\n"
BOM = b"\xef\xbb\xbf"
posix = pytest.mark.skipif(os.name != "posix", reason="links, forks and signals of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "TASKS.md").write_bytes(BEFORE)
    return tmp_path


def started(root: Path, archived: bytes) -> Path:
    """Return a directory with ``archived`` in its archive; without one where it is empty."""
    root.mkdir()
    (root / "TASKS.md").write_bytes(BEFORE)
    if archived:
        (root / FOLDER).mkdir()
        (root / TARGET).write_bytes(archived)
    return root


def move(root: Path, step: Step = STEP) -> str:
    with Archiver(str(root), top=lambda data: data.find(b"#"), timeout=20) as archiver:
        archiver.move(step)
    return archiver.remark


def files(root: Path) -> dict[str, bytes]:
    every = (one for one in root.rglob("*") if one.is_file())
    return {str(one.relative_to(root)): one.read_bytes() for one in every}


def leave(root: Path, *, archived: bytes = b"", source: bytes = BEFORE) -> Path:
    """Leave what a run that died could have; return the copy."""
    (root / FOLDER).mkdir()
    copy = root / FOLDER / COPY
    copy.write_bytes(copy_of(STEP, b"", GROWN))
    (root / "TASKS.md").write_bytes(source)
    if archived:
        (root / TARGET).write_bytes(archived)
    return copy


# --- bytes --------------------------------------------------------------------------------


def test_lines_move_byte_for_byte_in_the_order_that_is_asked_for() -> None:
    step = STEP._replace(spans=((4, 5), (2, 3)))
    assert moved(step, b"old\r\n") == (REST, b"old\r\n- [x] c\n- [x] a\n")


@pytest.mark.parametrize(
    ("before", "spans", "archived", "rest", "grown"),
    [
        (b"a\r\nb\rc\nd", ((0, 1),), b"", b"b\rc\nd", b"a\r\n"),
        (b"a\nb", ((1, 2),), b"", b"a\n", b"b"),
        # A line end is added where a line comes to stand behind one that has none.
        (b"a\nb\n", ((0, 1),), b"old", b"b\n", b"old\na\n"),
        (b"a\r\nb\r\n", ((0, 1),), b"old", b"b\r\n", b"old\r\na\r\n"),
        (b"a\nb\nc", ((2, 3), (0, 1)), b"", b"b\n", b"c\na\n"),
        (b"a\nb\nc", ((2, 3), (0, 1)), b"old", b"b\n", b"old\nc\na\n"),
        # A mark of the byte order stays; bytes that are no text move as they are.
        (BOM + b"a\nb\n", ((0, 1),), b"", BOM + b"b\n", b"a\n"),
        (BOM + b"a", ((0, 1),), b"", BOM, b"a"),
        (b"\xff\x00a\n\x80b\n", ((1, 2),), BOM, b"\xff\x00a\n", BOM + b"\x80b\n"),
    ],
)
def test_no_byte_changes(
    before: bytes, spans: tuple[tuple[int, int], ...], archived: bytes, rest: bytes, grown: bytes
) -> None:
    assert moved(Step("a", "b", before, spans), archived) == (rest, grown)


def test_what_goes_ahead_stands_in_the_middle_and_nothing_else_changes() -> None:
    for before, ahead, archived, at, grown in (
        (b"a\nb\nc\n", 1, b"old\n# X\n", 4, b"old\na\n# X\nc\n"),
        (b"a\nb\nc\n", 2, b"# X\n\n", 0, b"a\nc\n# X\n\n"),
        (b"a\nb\nc\n", 0, b"# X\n", 0, b"# X\na\nc\n"),
        # A line end is added where a line comes to stand behind one that has none, only there.
        (b"a\nb\nc", 2, b"old\n# X", 4, b"old\na\nc\n# X"),
        (b"a\r\nb\r\nc", 2, b"# X", 0, b"a\r\nc\r\n# X"),
        (b"a\nb\nc", 1, b"old\n# X", 4, b"old\na\n# X\nc"),
        (b"a\nb\nc", 1, b"old", 3, b"old\na\nc"),
        # A mark of the byte order stays where it is, with a mark in either file.
        (BOM + b"a\nb\nc\n", 1, BOM + b"# X\n", 3, BOM + b"a\n# X\nc\n"),
    ):
        step = Step("a", "b", before, ((0, 1), (2, 3)), ahead, at)
        assert moved(step, archived).grown == grown, before


def test_no_line_of_the_target_is_cut() -> None:
    with pytest.raises(FileError, match="two would become one"):
        moved(STEP._replace(ahead=1, at=2), b"# X\n")


def test_lines_that_are_not_there_are_a_mistake() -> None:
    for spans in ((), ((5, 6),), ((-1, 1),), ((0, 2), (1, 3)), ((3, 2),)):
        with pytest.raises(FileError, match="has no such lines"):
            moved(STEP._replace(spans=spans), b"")


_END = st.sampled_from([b"\n", b"\r\n", b"\r", b""])


@given(
    st.lists(st.tuples(st.binary(max_size=3), _END), max_size=12).map(
        lambda drawn: b"".join(line + end for line, end in drawn)
    ),
    st.sampled_from([b"", BOM, b"old", b"old\n", b"old\r", BOM + b"a\n\n# X\r\nlast"]),
    st.data(),
)
def test_every_line_is_in_one_of_both_once(
    before: bytes, archived: bytes, data: st.DataObject
) -> None:
    count = len(before.removeprefix(BOM).splitlines())
    cuts = sorted(data.draw(st.sets(st.integers(0, count), max_size=6)))
    spans = tuple(zip(cuts[::2], cuts[1::2], strict=False))
    mark = BOM if archived.startswith(BOM) else b""
    lengths = map(len, archived.removeprefix(BOM).splitlines(keepends=True))
    starts = list(accumulate(lengths, initial=len(mark)))
    ahead, at = data.draw(st.integers(0, len(spans))), data.draw(st.sampled_from(starts))
    try:
        after = moved(Step("a.md", "b.md", before, spans, ahead, at), archived)
    except FileError:
        assert not spans or b"\r" in before + archived
        return
    lines = [Counter(one.removeprefix(BOM).splitlines()) for one in (before, archived, *after)]
    assert lines[0] + lines[1] == lines[2] + lines[3]
    added = len(after.rest) + len(after.grown) - len(before) - len(archived)
    assert added in (0, 1, 2)
    assert added == 0 or archived[-1:] not in (b"\n", b"\r", b"") or ahead
    cut = at if ahead else len(archived)
    assert after.grown.startswith(archived[:cut])
    assert archived[cut:] in after.grown[cut:]


@given(st.binary(), st.binary())
def test_a_copy_says_what_it_is_of(before: bytes, archived: bytes) -> None:
    step = STEP._replace(before=before, source="decisions/z'\".md", ahead=1, at=7)
    left = left_by(copy_of(step, archived, b"new"))
    assert left == (step, digest(archived), digest(b"new"))


def test_a_copy_names_no_other_files() -> None:
    sources = (
        "../TASKS.md", "/etc/TASKS.md", "notes.md", "decisions/../../x.md", "decisions/.x.md",
        "sessions/x.md",
    )  # fmt: skip
    odd = [STEP._replace(source=source) for source in sources]
    targets = ("archive/../x.md", "tasks-2026-11-21.md", "archive/tasks.md")
    odd += [STEP._replace(target=target) for target in targets]
    odd += [STEP._replace(ahead=ahead, at=at) for ahead, at in ((-1, 0), (3, 0), (1, -1))]
    assert [left_by(copy_of(step, b"", b"")) for step in odd] == [None] * len(odd)


def test_what_is_no_copy_is_none() -> None:
    for data in (b"", b"{}\n", b"text", b"[]\n", b'{"lines": 3}\n', b"[" * 100_000, b"\xff\n"):
        assert left_by(data) is None


# --- a step -------------------------------------------------------------------------------


def test_a_step_writes_both_files_and_leaves_nothing_else(root: Path) -> None:
    assert move(root) == ""
    assert files(root) == {"TASKS.md": REST, TARGET: GROWN}


def test_a_source_that_changed_meanwhile_is_refused(root: Path) -> None:
    (root / "TASKS.md").write_bytes(BEFORE + b"- [ ] new\n")
    with pytest.raises(FileError, match="changed meanwhile") as caught:
        move(root)
    assert (caught.value.exit_code, caught.value.hint) == (UNREADABLE, "archive again")
    assert files(root) == {"TASKS.md": BEFORE + b"- [ ] new\n"}


@pytest.mark.parametrize("name", ["TASKS.md", TARGET])
def test_an_edit_at_any_moment_is_never_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    edit = b"- [ ] typed at this moment\n"
    real = os.fsync
    for moment_ in range(1, 9):
        root = started(tmp_path / str(moment_), b"old\n")
        left = [moment_]

        def fsync(descriptor: int, root: Path = root, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                with (root / name).open("ab") as file:
                    file.write(edit)
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        expected = {"TASKS.md": BEFORE, TARGET: b"old\n"}
        with suppress(FileError):
            move(root)
            expected = {"TASKS.md": REST, TARGET: b"old\n" + GROWN}
        if left[0] <= 0:
            expected[name] += edit
        assert files(root) == expected, moment_


def test_an_archive_is_as_private_as_its_source(root: Path) -> None:
    (root / "TASKS.md").chmod(0o600)
    move(root)
    assert [(root / name).stat().st_mode & 0o777 for name in ("TASKS.md", TARGET)] == [0o600] * 2
    (root / "TASKS.md").write_bytes(BEFORE)
    (root / TARGET).chmod(0o664)
    move(root)
    assert (root / TARGET).stat().st_mode & 0o777 == 0o620
    (root / "TASKS.md").write_bytes(BEFORE)
    (root / "TASKS.md").chmod(0o644)
    (root / TARGET).chmod(0o600)
    move(root)
    assert [(root / name).stat().st_mode & 0o777 for name in ("TASKS.md", TARGET)] == [0o644, 0o600]


@posix
def test_the_owner_stays(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    os.chown(root / "TASKS.md", 1234, 2345)
    move(root)
    owners = [(root / name).stat() for name in ("TASKS.md", TARGET)]
    assert [(one.st_uid, one.st_gid) for one in owners] == [(1234, 2345)] * 2


# --- what is refused ----------------------------------------------------------------------


def _refused(root: Path, match: str, step: Step = STEP) -> None:
    before = files(root)
    for attempt in (lambda: check(str(root), step), lambda: move(root, step)):
        with pytest.raises(FileError, match=match) as caught:
            attempt()
        assert caught.value.exit_code == UNREADABLE
        assert "\n" not in str(caught.value)
    assert files(root) == before


@posix
@pytest.mark.parametrize("name", ["TASKS.md", TARGET])
def test_a_link_is_not_written_through(root: Path, name: str) -> None:
    (root / FOLDER).mkdir()
    (root / "mine").write_bytes(BEFORE)
    (root / name).unlink(missing_ok=True)
    (root / name).symlink_to(root / "mine")
    _refused(root, "not followed: the link")
    assert (root / "mine").read_bytes() == BEFORE


@posix
@pytest.mark.parametrize("folder", [FOLDER, "decisions"])
def test_a_folder_that_is_a_link_is_refused(root: Path, folder: str) -> None:
    (root / "elsewhere").mkdir()
    (root / "elsewhere" / "a.md").write_bytes(BEFORE)
    (root / folder).symlink_to(root / "elsewhere")
    step = STEP if folder == FOLDER else STEP._replace(source="decisions/a.md")
    _refused(root, "not followed: the link", step)


def test_a_file_in_place_of_the_folder_is_refused(root: Path) -> None:
    (root / FOLDER).write_bytes(b"mine")
    _refused(root, "ot a directory")


def test_utf_16_is_refused_on_either_side(root: Path) -> None:
    wide = f"\ufeff{BEFORE.decode()}".encode("utf-16-le")
    (root / "TASKS.md").write_bytes(wide)
    _refused(root, r"TASKS.md: is UTF-16 \(save it as UTF-8", STEP._replace(before=wide))
    (root / "TASKS.md").write_bytes(BEFORE)
    (root / FOLDER).mkdir()
    (root / TARGET).write_bytes(wide)
    _refused(root, f"{TARGET}: is UTF-16")


@posix
def test_a_link_in_place_of_the_copy_is_not_followed(root: Path) -> None:
    (root / FOLDER).mkdir()
    (root / "precious").write_bytes(b"x")
    (root / FOLDER / COPY).symlink_to(root / "precious")
    with pytest.raises(FileError, match="not followed: the link"):
        move(root)
    assert (root / "precious").read_bytes() == b"x"
    assert (root / "TASKS.md").read_bytes() == BEFORE
    assert not (root / TARGET).exists()


def failing_at(number: int, real: Callable[..., object]) -> Callable[..., object]:
    """Return what fails at its call ``number``, counted from 0, and is ``real`` at others."""
    left = [number]

    def call(*arguments: object, **named: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **named)

    return call


@pytest.mark.parametrize("existing", [b"", b"old\n", b"old\n# X\n"])
@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_call_that_fails_leaves_the_old_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, existing: bytes
) -> None:
    step = STEP._replace(ahead=int(b"#" in existing))
    grown = b"old\n- [x] a\n# X\n- [x] c\n" if step.ahead else existing + GROWN
    for number in range(12):
        root = started(tmp_path / str(number), existing)
        before = files(root)
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing_at(number, getattr(os, call)))
            try:
                move(root, step)
                error = ""
            except FileError as caught:
                error = str(caught)
        if error:
            assert error.endswith("No space left on device")
            assert files(root) == before, number
            move(root, step)
        assert files(root) == {"TASKS.md": REST, TARGET: grown}, number


def test_what_fails_when_both_are_written_takes_nothing_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settle(folder: str) -> None:
        if (root / "TASKS.md").read_bytes() == REST:
            raise FileError(folder)

    monkeypatch.setattr("ctx.edit.atomic.settle", settle)
    with pytest.raises(FileError):
        move(root)
    monkeypatch.undo()
    assert files(root).items() >= {"TASKS.md": REST, TARGET: GROWN}.items()
    with Archiver(str(root)) as archiver:
        assert "is finished" in archiver.remark
    assert files(root) == {"TASKS.md": REST, TARGET: GROWN}


# --- after a death ------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "archived"), [(BEFORE, GROWN), (REST, GROWN), (REST, b"")])
def test_what_was_begun_is_finished(root: Path, source: bytes, archived: bytes) -> None:
    copy = leave(root, archived=archived, source=source)
    assert pending(str(root)) == str(copy)
    with Archiver(str(root)) as archiver:
        assert "is finished" in archiver.remark
    assert files(root) == {"TASKS.md": REST, TARGET: GROWN}
    assert pending(str(root)) == ""


def test_what_was_not_begun_is_begun_anew(root: Path) -> None:
    leave(root)
    with Archiver(str(root)) as archiver:
        assert archiver.remark == "an interrupted run had moved nothing of TASKS.md yet"
    assert files(root) == {"TASKS.md": BEFORE}


@pytest.mark.parametrize(
    ("source", "archived", "edited", "where"),
    [
        (BEFORE + b"more\n", b"", "TASKS.md", "nothing of it is in"),
        (BEFORE + b"more\n", GROWN, "TASKS.md", "what went from it is in"),
        (REST + b"more\n", GROWN, "TASKS.md", "what went from it is in"),
        (BEFORE, GROWN + b"more\n", TARGET, "may be in"),
        (REST, b"more\n", TARGET, "may be in"),
        (b"more\n", b"more\n", TARGET, "may be in"),
    ],
)
def test_what_a_person_has_edited_since_is_left_alone(
    root: Path, source: bytes, archived: bytes, edited: str, where: str
) -> None:
    copy = leave(root, archived=archived, source=source)
    before = files(root)
    for _ in range(2):
        with pytest.raises(FileError) as caught, Archiver(str(root)):
            pass
        assert caught.value.exit_code == UNREADABLE
        assert str(caught.value).startswith(f"{root / edited}: was edited after a run that was ")
        assert where in str(caught.value)
        assert str(copy) in str(caught.value)
        assert files(root) == before
    copy.unlink()
    with Archiver(str(root)) as archiver:
        assert archiver.remark == ""


def test_a_copy_of_somebody_else_is_left_alone(root: Path) -> None:
    (root / FOLDER).mkdir()
    (root / FOLDER / COPY).write_bytes(b"mine")
    with pytest.raises(FileError, match="is no copy that ctx made"), Archiver(str(root)):
        pass
    assert files(root) == {"TASKS.md": BEFORE, f"{FOLDER}/{COPY}": b"mine"}


# --- at once ------------------------------------------------------------------------------


def test_a_run_waits_for_another(root: Path) -> None:
    with (
        Archiver(str(root)),
        pytest.raises(FileError, match="still locked"),
        Archiver(str(root), timeout=0),
    ):
        pass


def _ctx(root: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", ON_THAT_DAY, "archive", "--dir", str(root)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_runs_at_once_move_everything_once(tmp_path: Path) -> None:
    for base in ("alone", "together"):
        prepare(tmp_path / base)
    for many, base in ((1, "alone"), (4, "together")):
        running = [_ctx(tmp_path / base) for _ in range(many)]
        ended = [(*one.communicate(), one.returncode) for one in running]
        assert [(err, code) for _, err, code in ended] == [(b"", 0)] * many
        assert sum(b" moved to " in out for out, _, _ in ended) == 1
    assert files(tmp_path / "alone") == files(tmp_path / "together")


def test_turns_of_writers_and_archives_lose_no_line(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").write_bytes(b"# Tasks\n\n")
    path, wanted = str(tmp_path / "TASKS.md"), [b"- [x] %d" % number for number in range(40)]

    def write() -> None:
        for line in wanted:
            with atomic.lock(path, timeout=60):
                atomic.write(path, Path(path).read_bytes() + line + b"\n")
            time.sleep(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    refused = set()
    while (alive := writer.is_alive()) or len(Path(path).read_bytes().splitlines()) > 2:
        with Archiver(str(tmp_path)) as archiver:
            before = Path(path).read_bytes()
            count = len(before.splitlines())
            try:
                archiver.move(Step("TASKS.md", TARGET, before, ((2, max(count, 3)),)))
            except FileError as error:
                refused.add(error.message.partition(": ")[2])
        assert alive or len(Path(path).read_bytes().splitlines()) == 2
    writer.join()
    assert {one[:9] for one in refused} <= {"changed m", "has no su"}
    lines = (Path(path).read_bytes() + (tmp_path / TARGET).read_bytes()).splitlines()
    assert Counter(lines) == Counter([b"# Tasks", b"", *wanted])


@posix
@pytest.mark.parametrize("archived", [b"", b"- [x] early\n"])
def test_all_names_of_a_file_show_what_was_moved(tmp_path: Path, archived: bytes) -> None:
    root = started(tmp_path / "root", archived)
    linked(root)
    (root / "TASKS.md").chmod(0o640)
    move(root)
    assert apart(root) == []
    assert files(root) == {"TASKS.md": REST, TARGET: archived + GROWN}
    assert (root / "TASKS.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform != "linux", reason="Python copies attributes on Linux alone")
def test_extended_attributes_stay(root: Path) -> None:
    try:
        os.setxattr(root / "TASKS.md", "user.ctx-test", b"kept")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    move(root)
    assert os.getxattr(root / "TASKS.md", "user.ctx-test") == b"kept"


# --- dying --------------------------------------------------------------------------------


def prepare(root: Path) -> None:
    """Write a directory of which a task list, decisions and a themed file are to go in part.

    Its archive of today holds a phase, which loose tasks have to be put before.
    """
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("decisions", FOLDER):
        (root / folder).mkdir(parents=True)
    (root / FOLDER / f"tasks-{DAY}.md").write_bytes(PHASE)
    tasks = (
        b"# Tasks\n\n- [x] loose\n\n## One\n- [x] a\n\n## Two\n- [ ] b\n- [x] c\n## Last\n- [-] d"
    )
    old = b"## [2020-01-0%d] Old %d\r\n\r\n~~Superseded: it is old~~\r\n\r\n"
    new = b"## [2026-01-01] New\n\nText.\n"
    (root / "TASKS.md").write_bytes(tasks)
    (root / "DECISIONS.md").write_bytes(BOM + old % (1, 1) + new + old % (2, 2))
    (root / "decisions" / "a.md").write_bytes(new + old % (3, 3))


def linked(root: Path) -> None:
    """Give each file a second name, beside the directory."""
    other = root.parent / "names"
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(root, other, copy_function=os.link)


def apart(root: Path) -> list[Path]:
    """Return the files whose second name is now another file."""
    other = root.parent / "names"
    every = [one.relative_to(other) for one in other.rglob("*.md")]
    return [path for path in every if not os.path.samefile(root / path, other / path)]


def run(root: Path, arm: Callable[[], None]) -> tuple[int, bytes]:
    def first() -> None:
        world.day = lambda now_ns: DAY  # noqa: ARG005 - called by its name
        arm()

    return until(first, "archive", "--dir", str(root))


def kept(root: Path) -> dict[str, bytes]:
    """Return all but what a death may leave and nobody reads: temporary files and locks."""
    return {
        name: data for name, data in files(root).items() if not name.endswith((".tmp", ".ctx-lock"))
    }


def seen(root: Path) -> Counter[bytes]:
    """Return how often each line is in a file, copies and stages apart."""
    return Counter(
        line.removeprefix(BOM)
        for name, data in kept(root).items()
        if not os.path.basename(name).startswith(".")
        for line in data.splitlines()
    )


def _same(found: dict[str, bytes], right: dict[str, bytes], *, in_order: bool) -> bool:
    """Whether all is as it should be; a file that could not be moved comes behind the others."""
    if in_order:
        return found == right
    return {name: sorted(data.splitlines()) for name, data in found.items()} == {
        name: sorted(data.splitlines()) for name, data in right.items()
    }


def die(root: Path, way: str) -> dict[str, object]:
    """Die at every moment in turn; compare what the next run makes of it."""
    has_names = way != (way := way.removeprefix("linked-"))
    prepare(root)
    lines = seen(root)
    assert run(root, lambda: None) == (0, b"")
    right = kept(root)
    assert len(right) == 5
    (archived,) = (data for name, data in right.items() if "tasks-" in name)
    assert archived == (
        b"- [x] early\n\n- [x] loose\n\n## Phase\n- [x] p\n\n## One\n- [x] a\n\n## Last\n- [-] d"
    )
    died, wrong, number = 0, [], 0
    while True:
        prepare(root)
        if has_names:
            linked(root)
        at = moment(number, way, BYTES)
        code, said = run(root, WAYS[way](at))
        if code < 0 or (way == "full" and code == UNREADABLE and b"File too large" in said):
            died += 1
        elif code or kept(root) != right:
            wrong.append((at, "itself", said.decode()))
        if lines - seen(root) and not has_names:  # else a journal may hold it
            wrong.append((at, "a line is gone", said.decode()))
        if way == "full" and seen(root) != lines:
            wrong.append((at, "a line is there twice", said.decode()))
        survived = died <= number
        code, said = run(root, lambda: None)
        if code or not _same(kept(root), right, in_order=way != "full"):
            wrong.append((at, "next", said.decode()))
        if has_names and (broken := [str(path) for path in apart(root)]):
            wrong.append((at, "another name", broken[0]))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


@posix
@pytest.mark.parametrize("way", ["calls", "bytes", "full", "linked-calls", "linked-bytes"])
def test_a_run_that_dies_is_completed_by_the_next(tmp_path: Path, way: str) -> None:
    check_deaths(
        "tests.edit.test_archive",
        tmp_path,
        way,
        least=100 if "calls" in way else 5,
        inside="/.context",
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), sys.argv[2])))
