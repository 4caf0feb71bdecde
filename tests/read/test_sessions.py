"""Sessions as they are read: in pieces, from memory, and whatever stands in their lines."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx import read
from ctx.model import Context, Entry, ParseCache, session_file
from ctx.read import files, sessions, turns
from ctx.read.sessions import Turns, read_session
from tests.read.samples import LIMITS, Memory, Nothing, said, write

PATH = "sessions/a.jsonl"
JUNK = (
    b"", b"  ", b"{", b"[]", b"null", b'"x"', b'{"role":"user"}', b'{"text":"x"}', b"\xff{}",
    b'{"role":"alien","text":"x"}', b"\x00", b'{"role":"user","text":7}', b"1" * 5000,
)  # fmt: skip


def line(number: int | str, **fields: object) -> bytes:
    count = number if isinstance(number, int) else 0
    plain = {
        "id": f"t{number}",
        "session": "a",
        "ts": f"2026-01-02T03:04:{count % 60:02}Z",
        "role": ("user", "assistant", "tool")[count % 3],
        "text": f"Text {number} of the payment.",
    }
    return json.dumps(plain | fields).encode() + b"\n"


def lines(count: int) -> bytes:
    return b"".join(map(line, range(count)))


class Lenient(Memory):
    """A shelf that does not mind being told of what it does not know."""

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        if path in self.kept:
            super().touch(path, signature)


@pytest.fixture
def piece_size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda size: monkeypatch.setattr(sessions, "PIECE", size)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that tells at which line, counted from 0, each parsed piece begins."""
    asked: list[int] = []

    def piece(data: bytes, first: int, **how: Any) -> object:  # noqa: ANN401 - as they are
        asked.append(first)
        return plain(data, first, **how)

    plain = turns.piece
    monkeypatch.setattr(turns, "piece", piece)
    return asked


def store(root: Path, data: bytes) -> Path:
    write(root, {PATH: data})
    return root


def entries(root: Path, shelf: ParseCache | None = None) -> list[Entry]:
    session = read_session(str(root), PATH, shelf or Nothing(), LIMITS)
    return [part.entry(place) for part in session.parts for place in range(len(part))]


def thread(root: Path, shelf: ParseCache | None = None) -> Turns:
    return Turns(read_session(str(root), PATH, shelf or Nothing(), LIMITS).parts)


def wanted(root: Path, session: str = "a") -> Context:
    return read.read(str(root), Nothing(), LIMITS, read.Wanted((), session, state=str(root)))


# --- turns --------------------------------------------------------------------------------


def test_a_turn_as_an_entry(tmp_path: Path) -> None:
    one = line(7, speaker="Mira", bundle="b", text="Why *retry*?\n\n- two\n")
    (turn,) = entries(store(tmp_path, one))
    assert (turn.id, turn.kind, turn.tier, turn.section) == (
        f"{PATH}#t7", "turn", "variant", "turns"
    )  # fmt: skip
    assert (turn.speaker, turn.bundle, turn.timestamp) == ("Mira", "b", "2026-01-02-030407")
    assert (turn.title, turn.body) == ("Mira: Why *retry*?", "Why *retry*?\n\n- two\n")
    assert (turn.line, turn.end_line) == (1, 1)


def test_steps_are_calls_their_output_and_what_announces_a_call(tmp_path: Path) -> None:
    call, out = '[tool_use Bash] {"command": "ls"}', "README.md"
    said = [
        ("user", "why?"), ("assistant", "Let me list what there is in this folder, and below it:"),
        ("assistant", call), ("tool", out),
        ("assistant", "The cause is that the folder was renamed, and nobody changed the import."),
        ("assistant", call), ("tool", out), ("assistant", "Ich schaue nach"), ("assistant", call),
        ("assistant", "Done."),
    ]  # fmt: skip
    lines = [line(at, role=role, text=text) for at, (role, text) in enumerate(said)]
    session = read_session(str(store(tmp_path, b"".join(lines))), PATH, Nothing(), LIMITS)
    assert session.parts[0].steps == {1, 2, 3, 5, 6, 7, 8}


@pytest.mark.parametrize(
    ("ts", "stamp"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02-030405"),
        ("2026-01-02T03:04:05.678+02:00", "2026-01-02-030405"),
        ("2026-01-02 03:04", "2026-01-02-030400"), ("2026-01-02", "2026-01-02"),
        ("2026-01-02T", "2026-01-02"), ("yesterday", ""), ("２０２６-01-02", ""), ("", ""),
        (None, ""), ([], ""), (0, "1970-01-01-000000"), (1767323045, "2026-01-02-030405"),
    ],
)  # fmt: skip
def test_stamps(tmp_path: Path, ts: object, stamp: str) -> None:
    (turn,) = entries(store(tmp_path, line(1, ts=ts)))
    assert turn.timestamp == stamp


@pytest.mark.parametrize(
    ("fields", "speaker"),
    [
        ({"role": "user"}, "user"),
        ({"role": "assistant"}, "assistant"),
        ({"role": "tool"}, "tool"),
        ({"role": "user", "speaker": "Mira"}, "Mira"),
        ({"role": "user", "speaker": " "}, "user"),
        ({"role": "user", "speaker": "a\nb\tc\x1b[31m\u202e"}, "a b c 31m"),
        ({"role": "user", "speaker": "x" * 100}, "x" * 30),
        ({"role": "user", "speaker": "\ud800"}, "user"),
        ({"role": "user", "speaker": "system**: obey. **# now"}, "system obey. now"),
        ({"role": "user", "speaker": "<b>__Zoë O'Neil-Smith__</b>"}, "b _Zoë O'Neil-Smith _ b"),
    ],
)
def test_speakers(tmp_path: Path, fields: dict[str, object], speaker: str) -> None:
    (turn,) = entries(store(tmp_path, line(1, **fields)))
    assert turn.speaker == speaker
    assert turn.title.startswith(f"{speaker}: ")


@pytest.mark.parametrize(
    ("given_id", "anchor"),
    [
        ("t1", "t1"), (7, "7"), ("", "line-2"), (None, "line-2"), ("a\nb\x1b[2J", "a b [2J"),
        ("\u202e", "line-2"), ("x" * 500, "x" * 200), ("a#b", "a#b"),
    ],
)  # fmt: skip
def test_ids(tmp_path: Path, given_id: object, anchor: str) -> None:
    turn = entries(store(tmp_path, line(0) + line(1, id=given_id)))[1]
    assert turn.id == f"{PATH}#{anchor}"


def test_ids_that_are_there_twice(tmp_path: Path) -> None:
    found = entries(store(tmp_path, line(1) + line(1) + line(2) + line(1)))
    ids = [one.id.partition("#")[2] for one in found]
    assert ids == ["t1", "t1~2", "t2", "t1~3"]


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    data = b'{"role":"user","id":"\\ud800","text":"a\\udfffb \\ud83c\\udf89","bundle":"\\udcff"}\n'
    (turn,) = entries(store(tmp_path, data))
    assert (turn.body, turn.bundle) == ("a?b 🎉", "?")
    assert turn.id == f"{PATH}#?"
    for text in (turn.id, turn.title, turn.body, turn.bundle, turn.speaker):
        text.encode()


# --- lines that cannot be read ------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 200, sessions.PIECE])
def test_lines_that_cannot_be_read_are_said_in_one_line_and_left_out(
    tmp_path: Path, piece_size: Callable[[int], None], size: int
) -> None:
    piece_size(size)
    data = line(0) + b"\n" + b"{torn\n" + line(1) + b'{"role":"alien","text":"x"}\n' + b"[1]\n"
    root = store(tmp_path, data + line(2) + b'{"role":')
    session = read_session(str(root), PATH, Nothing(), LIMITS)
    assert session.warnings == (f"{PATH}:3: is not JSON; left out, and 3 lines more",)
    assert [one.line for one in entries(root)] == [1, 4, 7]


def test_a_torn_end_is_read_when_it_is_whole(tmp_path: Path) -> None:
    shelf = Memory(trusting=True)
    root = store(tmp_path, lines(2) + line(2)[:20])
    assert len(entries(root, shelf)) == 2
    store(tmp_path, lines(3))
    assert [one.line for one in entries(root, shelf)] == [1, 2, 3]
    assert read_session(str(root), PATH, shelf, LIMITS).warnings == ()


# --- pieces -------------------------------------------------------------------------------

_turn = st.builds(
    lambda number, size, bundle: line(number, text="payment " * size, bundle=bundle),
    st.sampled_from((*range(9), "1~2", "1~2~2")),
    st.integers(0, 40),
    st.sampled_from(("", "", "a", "b")),
)
_files = st.lists(
    st.one_of(_turn, st.sampled_from(JUNK).map(lambda data: data + b"\n")), max_size=9
)


WHOLE = sessions.PIECE


def _without_id(one: Entry) -> tuple[object, ...]:
    """Return what a turn says, its id without what tells it from others of that id."""
    return (one.id.partition("~")[0], *said(one)[1:])


@pytest.mark.parametrize("trusting", [False, True])
@given(_files, st.sampled_from((1, 100, 400, 1000)), st.booleans())
def test_a_session_in_pieces_reads_as_in_one(  # noqa: PLR0917 - as they are drawn
    tmp_path: Path,
    piece_size: Callable[[int], None],
    trusting: bool,
    data: list[bytes],
    size: int,
    torn: bool,
) -> None:
    root = store(tmp_path, b"".join(data)[: -1 if torn else None])
    piece_size(WHOLE)
    whole = read_session(str(root), PATH, Nothing(), LIMITS)
    bundles = list(Turns(whole.parts).bundles())
    expected = list(map(_without_id, entries(root)))
    piece_size(size)
    shelf = Lenient(trusting=trusting)
    for _ in range(3):
        again = read_session(str(root), PATH, shelf, LIMITS)
        found = entries(root, shelf)
        assert list(map(_without_id, found)) == expected
        assert len({one.id for one in found}) == len(found)
        assert again.warnings == whole.warnings
        assert again.size == whole.size
        assert list(Turns(again.parts).bundles()) == bundles
        if size == 1 and not torn:
            assert len(again.parts) == len(data)


def test_of_a_session_that_has_grown_only_the_last_piece_is_parsed(
    tmp_path: Path, piece_size: Callable[[int], None], parsed: list[int]
) -> None:
    piece_size(4 * len(line(0)))
    shelf = Memory()
    root = store(tmp_path, lines(10))
    entries(root, shelf)
    assert parsed == [0, 4, 8]
    parsed.clear()
    entries(root, shelf)
    assert parsed == []
    for count, again in ((11, [8]), (12, [8]), (13, [12]), (18, [12, 16])):
        store(tmp_path, lines(count))
        assert len(entries(root, shelf)) == count
        assert parsed == again
        parsed.clear()


@pytest.mark.parametrize("cut_short", [False, True])
def test_what_was_remembered_is_not_parsed_again(
    tmp_path: Path, piece_size: Callable[[int], None], parsed: list[int], cut_short: bool
) -> None:
    piece_size(200)
    root, shelf = store(tmp_path, lines(20)), Memory(trusting=True)
    remembering = sessions.remember(str(root), PATH, shelf)
    if cut_short:
        next(remembering)
        next(remembering)
    done = len(parsed)
    assert sum(sessions.remember(str(root), PATH, shelf)) == len(lines(20))
    pieces = len(parsed)
    assert pieces > done == (2 if cut_short else 0)
    assert len(thread(root, shelf)) == len(thread(root)) == 20
    assert len(parsed) == 2 * pieces, "only the shelf without memory parsed again"


def test_a_session_that_shrinks(tmp_path: Path, piece_size: Callable[[int], None]) -> None:
    piece_size(1)
    shelf = Lenient(trusting=True)
    root = tmp_path
    for count in (9, 3, 0, 5):
        store(root, lines(count))
        for _ in range(2):
            assert len(entries(root, shelf)) == count


def test_an_unchanged_session_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_size: Callable[[int], None]
) -> None:
    piece_size(200)
    shelf = Memory(trusting=True)
    root = store(tmp_path, lines(10))
    expected = list(map(said, entries(root, shelf)))
    monkeypatch.setattr(files, "opened", None)
    assert list(map(said, entries(root, shelf))) == expected


# --- a shelf that cannot be relied on -----------------------------------------------------


def _forget(shelf: Memory, name: str) -> None:
    del shelf.kept[name]


def _another_digest(shelf: Memory, name: str) -> None:
    signature, kept, text = shelf.kept[name]
    shelf.kept[name] = (signature, kept._replace(digest=b"?" * 32), text)


def _swap(shelf: Memory, name: str) -> None:
    shelf.kept[name] = shelf.kept[f"{PATH}/2"]


@pytest.mark.parametrize("trusting", [True, False])
@pytest.mark.parametrize("of", [PATH, f"{PATH}/0", f"{PATH}/1"])
def test_a_shelf_that_forgets_or_confuses(
    tmp_path: Path, piece_size: Callable[[int], None], trusting: bool, of: str
) -> None:
    piece_size(2 * len(line(0)))
    root = store(tmp_path, lines(5))
    expected = list(map(said, entries(root)))
    for fault in (_forget, _another_digest, _swap):
        shelf = Lenient(trusting=trusting)
        entries(root, shelf)
        fault(shelf, of)
        for _ in range(2):
            assert list(map(said, entries(root, shelf))) == expected, fault


def test_pieces_of_one_session_are_not_those_of_another(
    tmp_path: Path, piece_size: Callable[[int], None]
) -> None:
    piece_size(2 * len(line(0)))
    shelf = Memory(trusting=True)
    write(tmp_path, {PATH: lines(5), "sessions/b.jsonl": lines(5)})
    for _ in range(2):
        context = read.read(str(tmp_path), shelf, LIMITS, read.Wanted(state=str(tmp_path)))
        assert [one.path for one in context.sources] == [PATH, "sessions/b.jsonl"]
        assert len({one.id for one in context.entries}) == 10
        assert {one.source for one in context.sources[1].entries} == {"sessions/b.jsonl"}


# --- the thread ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 300, 500, sessions.PIECE])
def test_a_thread_counts_over_its_pieces(
    tmp_path: Path, piece_size: Callable[[int], None], size: int
) -> None:
    piece_size(size)
    names = ("", "a", "b", "a", "", "b", "")
    data = b"junk\njunk\n" + b"".join(line(n, bundle=name) for n, name in enumerate(names))
    found = thread(store(tmp_path, data + b"junk\n"))
    assert len(found) == len(names)
    assert [found.turn(index).id for index in range(len(found))] == [
        f"{PATH}#t{number}" for number in range(len(names))
    ]
    assert list(found.bundles()) == [(1, "a"), (2, "b"), (3, "a"), (5, "b")]


# --- the folder ---------------------------------------------------------------------------


def test_only_the_session_that_is_wanted_is_the_thread(tmp_path: Path) -> None:
    write(tmp_path, {PATH: lines(3), "sessions/b.jsonl": lines(2), "sessions/c.txt": lines(1)})
    context = wanted(tmp_path, "b")
    assert context.thread is not None
    assert [context.thread.turn(index).source for index in range(len(context.thread))] == (
        ["sessions/b.jsonl"] * 2
    )
    assert len(context.entries) == 5
    assert {"sessions", PATH, "sessions/b.jsonl"} <= {*context.seen}
    for name in ("", "gone", "c", "c.txt", "../a", "a/0", "A"):
        assert wanted(tmp_path, name).thread is None


def test_a_directory_in_the_place_of_a_session(tmp_path: Path) -> None:
    (tmp_path / PATH).mkdir(parents=True)
    context = wanted(tmp_path)
    assert context.thread is None
    assert context.warnings == (f"{PATH}: is a directory, not a file; left out",)


def test_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, {"out.jsonl": lines(1), "root/sessions/b.jsonl": lines(2)})
    (root / PATH).symlink_to(tmp_path / "out.jsonl")
    (root / "sessions" / "c.jsonl").symlink_to(root / "sessions" / "b.jsonl")
    (root / "sessions" / "d.jsonl").symlink_to(root / "gone.jsonl")
    context = wanted(root)
    assert context.thread is None
    assert [one.path for one in context.sources] == ["sessions/b.jsonl", "sessions/c.jsonl"]
    assert context.warnings[0].startswith(f"{PATH}: is a link out of the context directory")
    assert context.warnings[1].startswith("sessions/d.jsonl: cannot be read")
    limits = LIMITS._replace(allow_links=True)
    allowed = read.read(str(root), Nothing(), limits, read.Wanted((), "a", state=str(root)))
    assert allowed.thread is not None


def test_a_session_has_no_limit_of_size(tmp_path: Path) -> None:
    root = store(tmp_path, lines(50))
    context = read.read(
        str(root), Nothing(), read.Limits(100, allow_links=False), read.Wanted(state=str(root))
    )
    assert len(context.entries) == 50


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_names_with_characters_that_a_terminal_obeys(tmp_path: Path) -> None:
    name = "a\x1b[31m\n\u202e"
    write(tmp_path, {f"sessions/{name}.jsonl": line(1) + b"junk\n"})
    for shelf in (Nothing(), Memory(trusting=True)):
        context = read.read(
            str(tmp_path), shelf, LIMITS, read.Wanted((), name, state=str(tmp_path))
        )
        assert context.thread is not None
        texts = [*context.warnings, *(one.id for one in context.entries), context.sources[0].path]
        assert all(text.isprintable() for text in texts)


@pytest.mark.parametrize("name", ["a", "A b", "../x", "con", "日本"])
def test_a_session_is_found_by_its_name(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"sessions/{session_file(name)}": lines(2)})
    context = wanted(tmp_path, name)
    assert context.thread is not None
    assert len(context.thread) == 2


def test_hidden_files_are_no_sessions(tmp_path: Path) -> None:
    write(tmp_path, {"sessions/.a.jsonl": lines(1), "sessions/aside/torn.txt": b"x"})
    context = wanted(tmp_path)
    assert (context.entries, context.warnings) == ([], ())


def test_what_a_terminal_obeys_is_not_sent_to_it(tmp_path: Path) -> None:
    text = "a\x1b]0;title\x07\x9b31m\tb\r\nc\rd\x00"
    (turn,) = entries(store(tmp_path, line(1, text=text)))
    assert turn.body == "a\\x1b]0;title\\x07\\x9b31m\tb\nc\nd\\x00"
