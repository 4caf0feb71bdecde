"""Adding an entry: exactly one more, the rest byte for byte, whatever the file and the moment."""

import os
import sys
from datetime import datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.app.init import files as templates
from ctx.app.promotion import checking
from ctx.edit import atomic, entries
from ctx.edit.entries import Check, New, Target, add_all, block, free, place
from ctx.edit.links import ALL, STRICT
from ctx.edit.prose import LONGEST, line, paragraphs
from ctx.errors import FileError, UsageError
from tests.keeping import make_repository

NOW = datetime(2026, 11, 21, 9, 30, 0)  # noqa: DTZ001 - the local time of a test
STAMP = "2026-11-21-093000"
NEW = New("Keep it", (("Context", "Why."), ("Decision", "How.")), "sessions/a.jsonl#t1")
OLD = "## [2026-01-02-030405] Old\n\n**Decision**: It was so.\n"
BLOCK = (
    f"## [{STAMP}] Keep it\n\n**Context**: Why.\n\n**Decision**: How.\n\n"
    "**Source**: sessions/a.jsonl#t1\n"
)
TEMPLATE = templates(minimal=True)["DECISIONS.md"]
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and kills of POSIX")


def target(folder: Path, *, allow_links: bool = False) -> Target:
    return Target(str(folder), "DECISIONS.md", "Decisions", ALL if allow_links else STRICT)


def add(place: Target, entry: New, when: datetime, check: Check, *, timeout: float = 10.0) -> str:
    return add_all(place, [(entry, when)], check, timeout=timeout)[0]


def added(folder: Path, data: bytes | None, new: New = NEW) -> bytes:
    path = folder / "DECISIONS.md"
    if data is not None:
        path.write_bytes(data)
    add(target(folder), new, NOW, checking("DECISIONS.md", "decision", [new]))
    return path.read_bytes()


def test_an_entry_stands_directly_before_the_first_one(tmp_path: Path) -> None:
    head = "# Decisions\n\nAn introduction.\n\n"
    assert added(tmp_path, f"{head}{OLD}".encode()).decode() == f"{head}{BLOCK}\n{OLD}"


def test_without_entries_it_stands_behind_heading_and_comment(tmp_path: Path) -> None:
    assert added(tmp_path, TEMPLATE.encode()).decode() == f"{TEMPLATE}\n{BLOCK}"


def test_without_entries_it_stands_behind_the_index(tmp_path: Path) -> None:
    head = "# Decisions\n\n<!-- INDEX:START -->\n| Date | Decision |\n|--|--|\n<!-- INDEX:END -->\n"
    assert added(tmp_path, head.encode()).decode() == f"{head}\n{BLOCK}"


def test_a_missing_file_is_made_with_its_heading(tmp_path: Path) -> None:
    assert added(tmp_path, None).decode() == f"# Decisions\n\n{BLOCK}"


@pytest.mark.parametrize("mark", ["<!--", "```", "<script>"])
def test_nothing_is_added_inside_what_is_not_closed(tmp_path: Path, mark: str) -> None:
    data = f"# D\n\n{mark}\n{OLD}".encode()
    with pytest.raises(FileError) as caught:
        added(tmp_path, data)
    path = tmp_path / "DECISIONS.md"
    assert str(caught.value) == (
        f"{path}:3: a code fence, comment or HTML block is not closed (mend it, then try again)"
    )
    assert path.read_bytes() == data


@pytest.mark.parametrize("shown", ["```\n{}```\n", "<!--\n{}-->\n", "<div>\n{}</div>\n"])
def test_examples_are_no_entries(tmp_path: Path, shown: str) -> None:
    head = "# D\n\n" + shown.format("## [2026-01-01] Example\n")
    assert added(tmp_path, f"{head}\n{OLD}".encode()).decode() == f"{head}\n{BLOCK}\n{OLD}"


def test_frontmatter_that_puts_the_file_out_of_date_refuses(tmp_path: Path) -> None:
    data = b"---\nstatus: superseded\n---\n# D\n"
    with pytest.raises(FileError, match=r"nothing was added: it would be read as superseded"):
        added(tmp_path, data)
    assert (tmp_path / "DECISIONS.md").read_bytes() == data


@pytest.mark.parametrize(
    ("codec", "mark"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"),
     ("utf-16-be", b"\xfe\xff")],
)  # fmt: skip
def test_line_ends_and_encoding_stay(tmp_path: Path, codec: str, mark: bytes) -> None:
    head = "# Décisions\n\n"
    for eol, end in product(("\n", "\r\n", "\r"), ("", "\n")):
        tail = OLD.rstrip("\n") + end
        before, after = (
            mark + text.replace("\n", eol).encode(codec)
            for text in (head + tail, f"{head}{BLOCK}\n{tail}")
        )
        assert added(tmp_path, before) == after


@pytest.mark.parametrize(
    ("before", "between"), [("# D", "\n\n"), ("# D\n", "\n"), ("# D\n\n", ""), ("# D\n\n\n", "")]
)
def test_an_entry_at_the_end_is_set_apart(tmp_path: Path, before: str, between: str) -> None:
    assert added(tmp_path, before.encode()).decode() == f"{before}{between}{BLOCK}"


def test_a_second_that_is_taken_gives_way_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "DECISIONS.md"
    stamps = [
        add(target(tmp_path), NEW, NOW, checking("DECISIONS.md", "decision", [NEW])) for _ in "abc"
    ]
    assert stamps == [STAMP, "2026-11-21-093001", "2026-11-21-093002"]
    assert path.read_text().index("093002") < path.read_text().index("093001")


def test_a_second_is_taken_however_it_is_written() -> None:
    for written in ("2026-11-21-093000", "2026-11-21 09:30:00", "2026-11-21T09:30:00Z"):
        assert free(f"## [{written}] x", [NOW]) == ["2026-11-21-093001"]
        assert free("", [NOW]) == [STAMP], written


def test_only_parts_that_are_given_are_said() -> None:
    new = New("T", (("Context", " "), ("Lesson", "L")), supersedes="Old one")
    assert block(new, "s") == "## [s] T\n\n**Supersedes**: Old one\n\n**Lesson**: L\n"


def test_text_begins_no_block_and_keeps_its_words() -> None:
    for text, told in (
        ("a\n# b", "a\n\\# b"), ("a\n```\nb", "a\n\\```\nb"), ("a\n~~~", "a\n\\~~~"),
        ("a\n===", "a\n\\==="), ("a\n---", "a\n\\---"), ("a\n- b", "a\n\\- b"),
        ("a\n-b", "a\n-b"), ("a\n12. b", "a\n12\\. b"), ("a\n1.5 b", "a\n1.5 b"),
        ("a\n> b", "a\n\\> b"), ("a\n<div>", "a\n\\<div>"), ("a <!-- b", "a \\<!-- b"),
        ("a\n<!-- b -->", "a\n\\<!-- b -->"), ("a \\<!-- b -->", "a \\<!-- b -->"),
        ("a \\\\<!-- b -->", "a \\\\\\<!-- b -->"), ("a\n\\<!-- b -->", "a\n\\\\\\<!-- b -->"),
        ("a\n| b |\n|---|", "a\n\\| b |\n\\|---|"), ("a\n\n[b]: c", "a\n\n\\[b]: c"),
        ("a\n**Status**: superseded", "a\n\\**Status**: superseded"),
        ("a\nStatus: superseded", "a\nStatus\\: superseded"),
        ("a\n~~Superseded~~", "a\n\\~~Superseded~~"),
        ("a\n-->status: superseded", "a\n\\-->status: superseded"),
        ("it supersedes Old", "it supersedes\u00a0Old"), ("a\n\n\n\n    b\t c ", "a\n\nb c"),
        ("a\u2028# b\r\nc\rd", "a\n\\# b\nc\nd"), ("a\x1b[2Jb\ud800", "a\ufffd[2Jb?"),
    ):  # fmt: skip
        assert paragraphs(text) == told, text


def test_a_long_line_goes_on_in_the_next_without_losing_a_word() -> None:
    words = [f"word{number}" for number in range(3_000)]
    told = paragraphs(" ".join(words))
    assert told.split() == words
    assert max(map(len, told.split("\n"))) <= LONGEST
    assert paragraphs("x" * (LONGEST + 1)) == "x" * LONGEST + "\nx"


def test_a_title_is_one_plain_line() -> None:
    for title, told in (
        ("  a\n\tb  ", "a b"), ("~~gone~~", "\\~~gone~~"), ("a #", "a \\#"), ("C#", "C#"),
        ("a <!-- b", "a \\<!-- b"), ("a \\<!-- b -->", "a \\<!-- b -->"),
        ("a \\\\<!-- b -->", "a \\\\\\<!-- b -->"), ("x" * (LONGEST + 1), "x" * LONGEST + " …"),
    ):  # fmt: skip
        assert line(title) == told, title


@pytest.mark.parametrize(
    "new", [New(" \n ", (("Decision", "d"),)), New("t", ()), New("t", (("Decision", " \n"),))]
)
def test_an_entry_without_title_or_text_is_refused(tmp_path: Path, new: New) -> None:
    with pytest.raises(UsageError, match="an entry needs a title and a text"):
        added(tmp_path, None, new)
    assert list(tmp_path.iterdir()) == []


_PIECES = (
    "# Decisions", "## [2026-01-02-030405] One", "## [2026-01-01] Two", "### [2026-01-01] Three",
    "## Plain", "## Index", "Setext\n------", "```\n## [2026-01-01] code\n```", "text",
    "<!--\n## [2026-01-01] comment\n-->", "| a | b |\n|---|---|\n| c | d |", "- item\n  ## in it",
    "> quote\n> ## in it", "---", "**Status**: Superseded", "**Supersedes**: One", "~~~\n~~~",
    "<div>\n## in it\n</div>", "1. a", "[x]: y", "    indented", "",
)  # fmt: skip
_TEXT = st.lists(
    st.sampled_from(
        [*"ab #-=*>`~<!|[]:.1\n\t\r_\\+", "supersedes One", "\nstatus: superseded", "<!--", "-->",
         "\n```", "\n# h", "\n---", "\u2028", "\x0c", "é", "漢", "\x07", "\ud800"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@settings(max_examples=120)
@given(
    pieces=st.lists(st.sampled_from(_PIECES), max_size=12),
    eol=st.sampled_from(["\n", "\r\n", "\r"]),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le"]),
    front=st.booleans(),
    end=st.booleans(),
    title=_TEXT,
    text=_TEXT,
)
def test_any_valid_file_gets_exactly_one_entry_more(
    *, pieces: list[str], eol: str, codec: str, front: bool, end: bool, title: str, text: str
) -> None:
    head = ["---\ntags: [a]\n---"] if front else []
    whole = "\n\n".join(head + pieces) + ("\n" if end else "")
    mark = b"\xff\xfe" if codec == "utf-16-le" else b""
    before = mark + whole.replace("\n", eol).encode(codec)
    new = New(f"T{title}", (("Context", f"c{text}"), ("Decision", f"d{text}")), "sessions/a#1")
    where = place(before)
    assert where.problem == ""
    after = where.with_block(block(new, *free(where.lines.text, [NOW])))
    at = where.lines.offset(where.number)
    assert after.startswith(before[:at])
    assert after.endswith(before[at:])
    assert checking("DECISIONS.md", "decision", [new])(before, after) == ""


@settings(max_examples=120)
@given(data=st.binary(max_size=200), mark=st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff"]))
def test_any_bytes_stay(data: bytes, mark: bytes) -> None:
    where = place(mark + data)
    after = where.with_block(BLOCK)
    at = where.lines.offset(where.number)
    assert after[:at] + after[len(after) - len(mark + data) + at :] == mark + data


def test_a_refusal_of_the_check_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "DECISIONS.md"
    path.write_text(OLD)
    with pytest.raises(FileError) as caught:
        add(target(tmp_path), NEW, NOW, lambda _old, _new: "odd")
    assert str(caught.value) == f"{path}: nothing was added: odd (add it by hand)"
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == ["DECISIONS.md"]


def test_what_an_editor_saves_while_the_new_bytes_reach_the_disk_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "DECISIONS.md"
    path.write_text(OLD)
    sync = os.fsync
    saved: list[int] = []

    def syncing(descriptor: int) -> None:
        sync(descriptor)
        if not saved:
            saved.append(path.write_text(f"# By hand\n\n{OLD}"))

    monkeypatch.setattr(os, "fsync", syncing)
    assert add(target(tmp_path), NEW, NOW, lambda _before, _after: "") == STAMP
    assert path.read_text() == f"# By hand\n\n{BLOCK}\n{OLD}"


def test_a_file_that_keeps_changing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "DECISIONS.md"
    path.write_text(OLD)

    def check(before: bytes, _after: bytes) -> str:
        path.write_bytes(before + b"more\n")
        return ""

    with pytest.raises(FileError, match="changes while it is written"):
        add(target(tmp_path), NEW, NOW, check)
    assert path.read_text() == OLD + "more\n" * entries.TRIES


def test_a_held_lock_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "DECISIONS.md"
    with atomic.lock(str(path)), pytest.raises(FileError, match="still locked after 0 s"):
        add(target(tmp_path), NEW, NOW, lambda _old, _new: "", timeout=0)
    assert not path.exists()


@posix
def test_a_link_out_of_the_directory_is_followed_only_where_it_may_be(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside.md"
    home.mkdir()
    outside.write_text(OLD)
    (home / "DECISIONS.md").symlink_to(outside)
    make_repository(tmp_path)
    with pytest.raises(FileError, match="not followed: the link"):
        add(target(home), NEW, NOW, lambda _old, _new: "")
    assert outside.read_text() == OLD
    assert os.listdir(home) == ["DECISIONS.md"]
    add(target(home, allow_links=True), NEW, NOW, lambda _old, _new: "")
    assert outside.read_text() == f"{BLOCK}\n{OLD}"
    assert (home / "DECISIONS.md").is_symlink()


@posix
@pytest.mark.parametrize("what", ["folder", "pipe", "nowhere"])
def test_what_is_no_file_is_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "DECISIONS.md"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")
    message = "No such file" if what == "nowhere" else "is not a regular file"
    with pytest.raises(FileError, match=message):
        add(target(tmp_path), NEW, NOW, lambda _old, _new: "")
    assert os.listdir(tmp_path) == ["DECISIONS.md"]
