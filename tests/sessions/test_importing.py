"""Importing turns: none twice, none lost, whatever happens meanwhile."""

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.digest import digest
from ctx.edit import atomic
from ctx.errors import FileError
from ctx.model import Turn, session_file
from ctx.sessions import importing
from ctx.sessions import importing as writer
from ctx.sessions.importing import Importer, Tally, line_of
from tests.deaths import SHARED
from tests.deaths import check as check_deaths
from tests.imported import sessions_of

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="links, forks and signals of POSIX")


def turn(text: str, name: str = "", session: str = "s", role: str = "user") -> Turn:
    return Turn(name, session, "", role, text)


def put(root: Path, turns: Iterable[Turn], *torn: bytes, source: str = "log") -> Importer:
    with Importer(str(root), source, timeout=20) as importer:
        for one in turns:
            importer.add(one)
        for line in torn:
            importer.aside.add(line)
        importer.finish()
    return importer


def files(root: Path) -> dict[str, bytes]:
    every = (root / "sessions").rglob("*")
    return {
        str(one.relative_to(root / "sessions")): one.read_bytes() for one in every if one.is_file()
    }


def ids(root: Path, session: str = "s") -> list[str]:
    data = (root / "sessions" / session_file(session)).read_bytes()
    return [json.loads(line)["id"] for line in data.splitlines()]


def test_a_line_has_its_fields_in_order() -> None:
    whole = Turn("1", "s", "t", "tool", "é\n\u2028", "Ada", "b", {"z": [1], "a": None, "id": "no"})
    text = (
        '{"id": "1", "session": "s", "ts": "t", "role": "tool", "speaker": "Ada", '
        '"text": "é\\n\u2028", "bundle": "b", "z": [1], "a": null}\n'
    )
    assert line_of(whole) == text.encode()
    plain = b'{"id": "1", "session": "s", "ts": "", "role": "user", "text": "x"}\n'
    assert line_of(turn("x", "1")) == plain


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters()))
def test_a_line_is_valid_utf8_whatever_the_text(text: str, name: str) -> None:
    line = line_of(turn(text, name))
    assert line.count(b"\n") == 1
    read = json.loads(line.decode())
    assert read["id"] == name
    # Two halves that stand side by side are one character to every reader of JSON.
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert read["text"] in (text, joined)


def test_importing_again_adds_nothing(tmp_path: Path) -> None:
    turns = [turn("a", "1"), turn("a"), turn("a"), turn("b", "1"), turn("b", "1"), turn("c", "x/2")]
    first = put(tmp_path, turns)
    assert first.tallies == {"s": Tally(5, 1)}
    made = digest("said", "s", "", "user", "a").hex()[:16]
    assert ids(tmp_path) == ["1", f"{made}-1", f"{made}-2", "1~2", "x/2"]
    assert first.remarks == ["1 turn has the id of another: kept as 1~2"]
    before = files(tmp_path)
    again = put(tmp_path, turns)
    assert again.tallies == {"s": Tally(0, 6)}
    assert again.remarks == []
    assert files(tmp_path) == before


@settings(max_examples=60)
@given(
    st.lists(
        st.builds(
            turn, st.sampled_from("ab"), st.sampled_from(["", "1", "1~2", "1~3", "~2"]),
            st.sampled_from("sS"),
        )
    ),
    st.integers(0, 6),
)  # fmt: skip
def test_a_part_before_the_whole_makes_no_difference(turns: list[Turn], cut: int) -> None:
    with (
        tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as one,
        tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as other,
    ):
        put(Path(one), turns)
        for part in (turns[:cut], turns, turns):
            put(Path(other), part)
        assert files(Path(one)) == files(Path(other))


def test_of_a_long_output_the_ends_and_the_errors_are_stored(tmp_path: Path) -> None:
    noise = [f"line {at} of a listing, which says nothing" for at in range(2_000)]
    key = [b64encode(sha256(b"%d" % at).digest() * 2)[:64].decode() for at in range(40)]
    noise[0], noise[-1] = "first", "last"
    noise[999] = "E   ValueError: the answer"
    noise[20:22] = ["-----BEGIN RSA PRIVATE KEY-----", *key, "-----END RSA PRIVATE KEY-----"]
    one = turn("\n".join(noise), "t1", role="tool")
    assert put(tmp_path, [one]).tallies["s"] == Tally(1, 0)
    (data,) = (tmp_path / "sessions" / session_file("s")).read_bytes().splitlines()
    text = json.loads(data)["text"]
    assert len(text) < importing.MOST_OUTPUT
    assert text.startswith("first\n")
    assert text.endswith("\nlast")
    assert "E ValueError: the answer" in text
    assert "characters left out]" in text
    assert key[0] not in text, "a secret that is cut could not be recognised"
    assert put(tmp_path, [one]).tallies["s"] == Tally(0, 1)
    # What people and the agent write is kept, however long.
    spoken = one._replace(id="t2", role="assistant")
    assert put(tmp_path, [spoken]).tallies["s"] == Tally(1, 0)


def test_one_id_for_every_turn_is_no_trap(tmp_path: Path) -> None:
    turns = [turn(str(n), "0") for n in range(2000)]
    importer = put(tmp_path, turns)
    assert ids(tmp_path)[-1] == "0~2000"
    (remark,) = importer.remarks
    assert remark == "1,999 turns have the id of another: kept as 0~2, 0~3, 0~4, 0~5, 0~6, …"
    assert put(tmp_path, [*turns, turn("new", "0")]).tallies == {"s": Tally(1, 2000)}
    assert ids(tmp_path)[-1] == "0~2001"


def test_sessions_do_not_mix(tmp_path: Path) -> None:
    names = ["a", "A", "", "../x", "\ud800", "con"]
    put(tmp_path, [turn("same", "1", name) for name in names])
    found = [name for name in files(tmp_path) if name != ".gitignore"]
    assert sorted(found) == sorted(session_file(name) for name in names)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["sessions"]
    assert put(tmp_path, [turn("same", "1", name) for name in names]).tallies == {
        name: Tally(0, 1) for name in names
    }


def test_more_sessions_than_open_files(tmp_path: Path) -> None:
    turns = [turn(str(n), str(n), f"s{n % 50}") for n in range(500)]
    importer = Importer(str(tmp_path), "log")
    with importer:
        for one in turns:
            importer.add(one)
            assert len(importer._open) <= writer.MOST_OPEN
        importer.finish()
    assert ids(tmp_path, "s49") == [str(n) for n in range(49, 500, 50)]


def test_what_was_added_by_hand_is_known(tmp_path: Path) -> None:
    put(tmp_path, [turn("a", "1")])
    with (tmp_path / "sessions" / "s.jsonl").open("ab") as file:
        file.write(b'not json\n[]\n\xff\n{"text": "x"}\n{"id": "2", "role": "user", "text": "b"}\n')
    before = files(tmp_path)
    assert put(tmp_path, [turn("a", "1"), turn("b", "2")]).tallies == {"s": Tally(0, 2)}
    assert files(tmp_path) == before


@posix
def test_what_is_stored_is_for_its_owner(tmp_path: Path) -> None:
    put(tmp_path, [turn("a")], b"torn")
    assert stat.S_IMODE((tmp_path / "sessions").stat().st_mode) == 0o700
    for name in ("s.jsonl", "aside/log.txt"):
        assert stat.S_IMODE((tmp_path / "sessions" / name).stat().st_mode) == 0o600
    (tmp_path / "sessions" / "s.jsonl").chmod(0o664)
    put(tmp_path, [turn("b")])
    assert stat.S_IMODE((tmp_path / "sessions" / "s.jsonl").stat().st_mode) == 0o664


@posix
def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    root.mkdir()
    out.mkdir()
    (root / "sessions").symlink_to(out)
    with pytest.raises(FileError, match="is a link out of its folder"):
        put(root, [turn("a")])
    (root / "sessions").unlink()
    (root / "sessions").mkdir()
    (root / "sessions" / "s.jsonl").symlink_to(out / "s.jsonl")
    with pytest.raises(FileError, match=r"s\.jsonl: is not a regular file"):
        put(root, [turn("a")])
    (root / "sessions" / "aside").symlink_to(out)
    with pytest.raises(FileError, match="aside: is a link"):
        put(root, [], b"torn")
    assert os.listdir(out) == []
    (root / "sessions" / "aside").unlink()
    (root / "sessions" / "s.jsonl").unlink()
    os.mkfifo(root / "sessions" / "s.jsonl")
    with pytest.raises(FileError, match=r"s\.jsonl: is not a regular file"):
        put(root, [turn("a")])


def test_another_import_is_waited_for(tmp_path: Path) -> None:
    with (
        atomic.lock(str(tmp_path / "sessions")),
        pytest.raises(FileError, match=r"still locked after 0\.1 s \(another ctx is writing"),
        Importer(str(tmp_path), "log", timeout=0.1),
    ):
        pass
    assert os.listdir(tmp_path) == []


def test_a_fragment_is_moved_aside_before_it_is_cut_off(tmp_path: Path) -> None:
    put(tmp_path, [turn("a", "1")])
    path = tmp_path / "sessions" / "s.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"id": "2", "te')
    importer = put(tmp_path, [turn("b", "2")])
    place = tmp_path / "sessions" / "aside" / "s.txt"
    assert importer.remarks == [f"{path}: its last line was cut off: 15 bytes moved to {place}"]
    assert place.read_bytes() == b'{"id": "2", "te\n'
    assert path.read_bytes() == whole + line_of(turn("b", "2"))


def test_a_fragment_stays_where_it_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, [turn("a", "1")])
    path = tmp_path / "sessions" / "s.jsonl"
    path.write_bytes(path.read_bytes() + b"{torn")
    before = files(tmp_path)
    (tmp_path / "sessions" / "aside").write_bytes(b"in the way")
    with pytest.raises(FileError, match="aside"):
        put(tmp_path, [turn("b", "2")])
    (tmp_path / "sessions" / "aside").unlink()
    assert files(tmp_path) == before
    monkeypatch.setattr("ctx.sessions.files.LONGEST", 3)
    with pytest.raises(FileError, match="its last line has no end within 3 bytes"):
        put(tmp_path, [turn("b", "2")])


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, [turn("a", "1")])
    before = files(tmp_path)
    real = os.write
    left = [10]

    def full(handle: int, data: memoryview) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 5
        return real(handle, data[:5])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FileError) as caught:
        put(tmp_path, [turn("b", "2")])
    monkeypatch.undo()
    assert str(caught.value) == (
        f"{tmp_path / 'sessions' / 's.jsonl'}: cannot be written: No space left on device "
        "(nothing is lost: import again when it can be)"
    )
    assert files(tmp_path) == before


def test_each_torn_line_is_kept_once(tmp_path: Path) -> None:
    put(tmp_path, [], b"one", b"two\r", b"one", b"\xff\x00", source="My log")
    assert put(tmp_path, [], b"two\r", b"three", source="My log").aside.added == 1
    assert put(tmp_path, [], b"two\r", b"three", source="My log").aside.added == 0
    (name,) = (name for name in files(tmp_path) if name.startswith("aside"))
    assert name == f"aside/{session_file('My log').removesuffix('.jsonl')}.txt"
    assert files(tmp_path)[name] == b"one\ntwo\r\n\xff\x00\nthree\n"


def test_what_is_kept_aside_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b"%d" % number for number in range(importing.MOST_LINES + 5)]
    assert put(tmp_path, [], *lines).aside.left_out == 5
    assert files(tmp_path)["aside/log.txt"].count(b"\n") == importing.MOST_LINES
    monkeypatch.setattr(importing, "MOST_BYTES", 10)
    assert put(tmp_path, [], b"12345", b"", b"123456", b"1234", source="b").aside.left_out == 2
    assert files(tmp_path)["aside/b.txt"] == b"12345\n1234\n"
    monkeypatch.setattr(importing, "FULL", 3)
    assert put(tmp_path, [], b"new", b"1234", source="b").aside.left_out == 1
    assert files(tmp_path)["aside/b.txt"] == b"12345\n1234\n"


@posix
@pytest.mark.parametrize("way", ["calls", "halves", "bytes", "full"])
def test_an_import_that_dies_is_completed_by_the_next(tmp_path: Path, way: str) -> None:
    check_deaths("tests.edit.dying", tmp_path, way, least=30)


def write_source(path: Path, count: int, *, start: int) -> None:
    with path.open("w") as file:
        for number in range(start, start + count):
            fields = {"id": number, "session": "s", "role": "user", "text": f"{number} " * 9}
            file.write(json.dumps(fields) + "\n")


def command(source: Path, root: Path) -> list[str]:
    return [sys.executable, "-m", "ctx", "session", "import", str(source), "--dir", str(root)]


def test_imports_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    sources = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for number, source in enumerate(sources):
        write_source(source, 1500, start=number // 2 * 1000)
    started = [subprocess.Popen(command(one, root), cwd=ROOT, stdout=-3) for one in sources]
    assert [one.wait() for one in started] == [0, 0, 0, 0]
    assert sorted(map(int, ids(sessions_of(root).parent))) == list(range(2500))
    assert os.listdir(sessions_of(root)) == ["s.jsonl"]  # nothing is left lying about
