"""The words of all entries: what the file says is what is said without one, always."""

import json
import math
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.errors import FileError
from ctx.model import CacheLossError, Entry
from ctx.rank import fields
from ctx.store import words as lexicon
from ctx.store.words import NAME, Lexicon
from ctx.text.words import index_words
from tests import hostile
from tests.store.parts import RELEASE, REPOSITORY, Part, directory, right, said, words_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")
many = settings(max_examples=40)
PARTS = directory(1)
OTHERS = directory(33)
ASKED = words_of(PARTS, OTHERS)[::4]
"""Enough words to lie on every page; all of them take longer."""
RIGHT = right(PARTS, ASKED)
RIGHT_OTHERS = right(OTHERS, ASKED)


def _holds(folder: Path, parts: Sequence[Part] = PARTS) -> bool:
    return said(folder, parts, ASKED) == (RIGHT if parts is PARTS else RIGHT_OTHERS)


def _kept(folder: Path, parts: Sequence[Part] = PARTS, release: str = RELEASE) -> int:
    return Lexicon(str(folder), release).current(parts)


def _size(parts: Sequence[Part]) -> int:
    return sum(map(len, parts))


def _raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / NAME, isolation_level=None)


def _mark(folder: Path) -> None:
    """Give the file a second name, so that no other one gets its inode."""
    (folder.parent / "marked").hardlink_to(folder / NAME)


def _is_marked(folder: Path) -> bool:
    """Whether the file is the one that was marked, and was not made anew."""
    return (folder.parent / "marked").samefile(folder / NAME)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    folder = tmp_path / "full"
    folder.mkdir()
    assert _holds(folder)
    assert os.listdir(folder) == [NAME]
    return folder


# --- the law ------------------------------------------------------------------------------

_ODD = [
    "AND", "or", "NOT", "near", "NEAR(a,", "2)", '"quoted"', "*", "^", ":", "a:b",
    "title:x", "{title}", "a*", '""', "';", "--", "-", "+", "(", ")", "\\", "\x00",
    "日本語", "日", "한국어", "ไทย", "Größe", "ÉCOLE", "école", "école", "ﬁ", "İstanbul",
    "👩\u200d👩\u200d👧", "\ud800", "\u2028", "\U0010ffff", "2026-03-02", "deadbeef1",
    "#tag", "x",
]  # fmt: skip
_TEXTS = st.lists(
    st.sampled_from(_ODD) | st.sampled_from(["retry", "queue", "lock", "cache"]), max_size=8
).map(" ".join) | st.text(max_size=12)
_NAMES = st.sampled_from(
    ("a.md", "A.md", "sub/b.md", "odd\udcff\n.md", "\ud800", "日本.md", "", "s.jsonl/0",
     "s.jsonl/1")
)  # fmt: skip
_ROWS = st.lists(st.tuples(_TEXTS, _TEXTS), max_size=4)
_DIRECTORIES = st.lists(st.tuples(_NAMES, _ROWS), max_size=6, unique_by=lambda one: one[0])


def _parts(files: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> list[Part]:
    return [
        Part(name, rows, "s.jsonl" if name.startswith("s.jsonl") else name) for name, rows in files
    ]


@settings(many, max_examples=25)
@given(history=st.lists(_DIRECTORIES, min_size=2, max_size=5))
def test_after_any_history_is_said_what_is_said_without_one(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    directories = list(map(_parts, history))
    asked = words_of(*directories)
    for parts in directories:
        assert said(folder, parts, asked) == right(parts, asked)
        assert _kept(folder, parts) == _size(parts)
    with Lexicon(str(folder), RELEASE) as one:  # and without closing it
        for parts in directories:
            one.refresh(parts, fields)
            assert {word: sorted(one.holding(word)) for word in asked} == {
                word: held for word, (held, _) in right(parts, asked).items()
            }


@settings(many, max_examples=30)
@given(files=_DIRECTORIES)
def test_exactly_the_entries_with_a_word_hold_it(files: list[Any]) -> None:
    parts = _parts(files)
    told = [
        set(" ".join(fields(part.entry(place))[:2]).split())
        for part in parts
        for place in range(len(part))
    ]
    for word, (held, count) in right(parts, words_of(parts)).items():
        assert [position for position, _ in held] == [
            position for position, words in enumerate(told) if word in words
        ]
        assert count == len(held)
        assert all(type(score) is int and score > 0 for _, score in held)


# --- what a word is worth -----------------------------------------------------------------


def _told(parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [fields(part.entry(place))[:2] for part in parts for place in range(len(part))]


def test_scores_are_bm25_in_billionths() -> None:
    told = [" ".join(pair).split() for pair in _told(PARTS)]
    mean = sum(map(len, told)) / len(told)
    for word, (held, count) in RIGHT.items():
        idf = max(math.log((len(told) - count + 0.5) / (count + 0.5)), 1e-6)
        for position, score in held:
            times = told[position].count(word)
            length = 1 - 0.75 + 0.75 * len(told[position]) / mean
            worth = idf * times * 2.2 / (times + 1.2 * length)
            assert score == pytest.approx(max(worth * 10**9, 1), abs=1.01)
    assert any(count > len(told) / 2 for _, count in RIGHT.values())
    assert any(0 < count < len(told) / 2 for _, count in RIGHT.values())


def test_words_of_the_query_language_find_only_themselves() -> None:
    syntax = (
        "and", "or", "not", "near", "title", "body", "entries", "rowid", "rank", "delete", "a", "2"
    )  # fmt: skip
    parts = [Part(f"{number}.md", [("", one)]) for number, one in enumerate(syntax)]
    with Lexicon("", "") as words:
        words.refresh(parts, lambda entry: ("", entry.body, "", 0))
        for number, word in enumerate(syntax):
            assert [position for position, _ in words.holding(word)] == [number]
            assert words.frequency(word) == 1
            assert words.marked(word) == {number}


@given(st.text(max_size=30))
@settings(max_examples=150)
def test_every_word_of_a_text_finds_it(text: str) -> None:
    with Lexicon("", "") as words:
        words.refresh([Part("a.md", [("", text)]), Part("b.md", [("", "")])], fields)
        for word in index_words(text):
            assert words.holding(word)[0][0] == 0


# --- only what is new ---------------------------------------------------------------------


class _Counting:
    def __init__(self) -> None:
        self.bodies: list[str] = []

    def __call__(self, entry: Entry) -> tuple[str, str, str, int]:
        self.bodies.append(entry.body)
        return fields(entry)


def _split(folder: Path, parts: Sequence[Part]) -> list[str]:
    count = _Counting()
    with Lexicon(str(folder), RELEASE) as words:
        words.refresh(parts, count)
    return count.bodies


def test_only_what_is_new_is_split_into_words(tmp_path: Path) -> None:
    parts = [Part(f"{n}.md", [("title", f"body {n}")]) for n in range(5)]
    assert len(_split(tmp_path, parts)) == 5
    assert _split(tmp_path, parts) == []
    assert _split(tmp_path, parts[::-1]) == []
    assert _split(tmp_path, [*parts, Part("new.md", [("title", "new")])]) == ["new"]
    assert _split(tmp_path, [parts[0], Part("1.md", [("title", "edited")]), *parts[2:]]) == [
        "edited"
    ]


def test_a_settled_piece_that_changes_after_all_is_followed(tmp_path: Path) -> None:
    pieces = [Part(f"s/{n}", [("", f"turn {n}")], "s.jsonl") for n in range(3)]
    changed = [Part("s/0", [("", "other")], "s.jsonl"), *pieces[1:]]
    for parts in (pieces, changed, pieces, pieces[1:], changed[:1], pieces):
        asked = words_of(pieces, changed)
        assert said(tmp_path, parts, asked) == right(parts, asked)


def test_every_entry_that_is_added_is_seen(full: Path) -> None:
    seen: list[int] = []
    with Lexicon(str(full), RELEASE) as words:
        words.refresh(PARTS, fields, seen.append)
        assert seen == []
        words.refresh([*PARTS, Part("new.md", [("a", "b")] * 3)], fields, seen.append)
    assert seen == [3]


def test_an_interrupted_run_keeps_its_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "BATCH", 2)
    parts = [Part(f"{n}.md", [("title", f"body {n}")]) for n in range(7)]

    def stopping(entry: Entry) -> tuple[str, str, str, int]:
        if entry.body == "body 5":
            raise KeyboardInterrupt
        return fields(entry)

    with Lexicon(str(tmp_path), RELEASE) as words, pytest.raises(KeyboardInterrupt):
        words.refresh(parts, stopping)
    assert _kept(tmp_path, parts) == 4
    assert _split(tmp_path, parts) == ["body 4", "body 5", "body 6"]
    asked = words_of(parts)
    assert said(tmp_path, parts, asked) == right(parts, asked)


def test_what_is_current_is_counted_and_nothing_changed(full: Path) -> None:
    before = (full / NAME).read_bytes()
    assert _kept(full) == _size(PARTS)
    assert _kept(full, PARTS[1:]) == _size(PARTS[1:])
    edited = Part(PARTS[1].name, [("a", "b")] * len(PARTS[1]), PARTS[1].source)
    assert _kept(full, [PARTS[0], edited]) == len(PARTS[0])
    assert _kept(full, release="1.2.4") == 0
    assert (full / NAME).read_bytes() == before
    assert _kept(full / "none") == 0
    assert Lexicon("", RELEASE).current(PARTS) == 0
    assert not (full / "none").exists()


def test_before_a_refresh_nothing_is_known() -> None:
    with pytest.raises(CacheLossError):
        Lexicon("", "").holding("word")
    with pytest.raises(CacheLossError):
        Lexicon("", "").frequency("word")
    with pytest.raises(CacheLossError):
        Lexicon("", "").marked("word")


# --- the world ----------------------------------------------------------------------------


def test_a_python_without_full_text_search_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ("CREATE VIRTUAL TABLE entries USING fts6(a)",)
    monkeypatch.setattr(lexicon, "statements", lambda _schema: broken)
    with pytest.raises(FileError, match="FTS5"):
        Lexicon("", "").refresh(PARTS, fields)


def test_words_that_were_edited_away_are_gone_from_the_file(tmp_path: Path) -> None:
    for body in ("retry xyzzybody", "retry"):
        parts = [*PARTS, Part("a.md", [("title", body)])]
        said(tmp_path, parts, [])
    assert [path for path in tmp_path.iterdir() if b"xyzzy" in path.read_bytes()] == []


def test_answers_stay_while_another_process_refreshes(full: Path) -> None:
    with Lexicon(str(full), RELEASE) as asking:
        asking.refresh(PARTS, fields)
        first = {word: asking.frequency(word) for word in ASKED}
        assert _holds(full, OTHERS)
        assert {word: asking.frequency(word) for word in ASKED} == first
        assert {word: (sorted(asking.holding(word)), first[word]) for word in ASKED} == RIGHT
    assert _kept(full, OTHERS) == _size(OTHERS)


def test_another_process_that_comes_between_is_no_damage(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = lexicon._write
    _mark(full)

    def then_others(*arguments: Any) -> None:  # noqa: ANN401
        monkeypatch.undo()
        write(*arguments)
        assert _holds(full, OTHERS)

    new = [*PARTS, Part("new.md", [("a", "b")])]
    monkeypatch.setattr(lexicon, "_write", then_others)
    assert said(full, new, ASKED) == right(new, ASKED)
    assert lexicon._write is write
    assert _is_marked(full)
    assert _kept(full, OTHERS) == _size(OTHERS)


def test_another_process_between_two_batches_is_no_damage(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It takes out what was just put in, and puts in other things under the same names.
    _mark(full)
    monkeypatch.setattr(lexicon, "BATCH", 1)
    transaction, left = lexicon._transaction, [3]

    def counted(database: sqlite3.Connection) -> Any:  # noqa: ANN401
        left[0] -= 1
        if left[0] == 0:
            assert _holds(full, OTHERS)
        return transaction(database)

    monkeypatch.setattr(lexicon, "_transaction", counted)
    edited = [Part(part.name, [("retry", "queue")] * 2, part.source) for part in OTHERS]
    assert said(full, edited, ASKED) == right(edited, ASKED)
    assert left[0] < 0
    assert _is_marked(full)


def test_a_check_that_meets_another_process_finds_no_damage(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checksum = lexicon._checksum
    _mark(full)

    def after_others(database: sqlite3.Connection) -> int:
        monkeypatch.undo()
        assert _holds(full, OTHERS)
        return checksum(database)

    monkeypatch.setattr(lexicon, "_checksum", after_others)
    assert _holds(full)
    assert lexicon._checksum is checksum
    assert _is_marked(full)


def test_words_that_are_kept_to_forget_them_are_not_believed_where_damaged(tmp_path: Path) -> None:
    parts = [Part("a.md", [("", "alpha")]), Part("b.md", [("", "beta")]), Part("c.md", [("", "x")])]
    said(tmp_path, parts, [])
    with closing(_raw(tmp_path)) as holder:
        kept = "(SELECT words FROM parts WHERE name = CAST('b.md' AS BLOB))"
        holder.execute(f"UPDATE parts SET words = {kept} WHERE first = 0")  # noqa: S608
    asked = words_of(parts)
    assert said(tmp_path, parts[1:], asked) == right(parts[1:], asked)


def test_an_emptied_file_does_not_cost_all_others(full: Path) -> None:
    parts = [*PARTS, Part("todo.md", [])]
    said(full, parts, [])
    assert _split(full, [*PARTS, Part("todo.md", [("written", "now")])]) == ["now"]


# --- damage -------------------------------------------------------------------------------


def test_damage_that_comes_later_is_not_believed_either(full: Path) -> None:
    with Lexicon(str(full), RELEASE) as words:
        words.refresh(PARTS, fields)
        (full / NAME).write_bytes(b"\xff" * (full / NAME).stat().st_size)
        for word in ASKED:
            try:
                assert sorted(words.holding(word)) == RIGHT[word][0]
                assert words.marked(word) == {at for at, _ in RIGHT[word][0]}
                assert words.frequency(word) == RIGHT[word][1]
            except CacheLossError:
                continue
    assert _holds(full)


# --- full, dying, at once -----------------------------------------------------------------


def _run(*arguments: str, start: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*start, sys.executable, "-m", "tests.store.parts", *arguments],
        cwd=REPOSITORY,
        env=hostile.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _found(running: subprocess.Popen[bytes]) -> Any:  # noqa: ANN401
    out, err = running.communicate(timeout=hostile.HANGS)
    assert err == b""
    return json.loads(out)


@pytest.mark.parametrize("kind", ["same", "own"])
def test_four_processes_at_once_all_say_what_is_right(tmp_path: Path, kind: str) -> None:
    running = [_run("at-once", str(tmp_path), str(seed), kind) for seed in range(4)]
    assert [_found(one) for one in running] == [[]] * 4
    assert _holds(tmp_path)


# --- forms before stemming ----------------------------------------------------------------


def test_forms_are_those_of_what_is_there_now(tmp_path: Path) -> None:
    old = [Part("a.md", [("Authentication", "getUserName")]), Part("b.md", [("Authors", "x")])]
    new = [Part("a.md", [("Autumn", "x")]), old[1]]
    with Lexicon(str(tmp_path), RELEASE) as words:
        words.refresh(old, fields)
        assert words.forms("auth") == ["authent", "authentication", "author", "authors"]
        assert words.forms("getuser") == ["getusernam", "getusername"]
        assert words.forms("user") == ["user"]
    with Lexicon(str(tmp_path), RELEASE) as words:
        words.refresh(new, fields)
        assert words.forms("aut") == ["author", "authors", "autumn"]
        assert words.forms("getuser") == words.forms("zebra") == []
        words.refresh([], fields)
        assert words.forms("a") == []


def test_titles_and_aliases_are_searched_alone() -> None:
    parts = [
        Part("a.md", [("x", "zebra")]),
        Part("b.md", [("Zebra", "x"), ("y", "Aliases: zebra")]),
    ]
    with Lexicon("", "") as words:
        words.refresh(parts, fields)
        assert words.titled(["zebra", "or"]) == [1, 2]
        assert words.titled(["lion"]) == []
