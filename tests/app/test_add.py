"""Adding entries: in their place, exactly as given, and nothing else changed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ctx.app import init
from ctx.app.add import RepeatsError
from ctx.errors import UNREADABLE, USAGE, FileError, UsageError
from ctx.text.aliases import aliases
from tests import strategies
from tests.app.writers import KINDS, PARTS, added, adding, files, inserted, said, workspace

posix = pytest.mark.skipif(os.name != "posix", reason="links and devices of POSIX")
STAMP = "2026-11-21"
FILE = {"decision": "DECISIONS.md", "learning": "LEARNINGS.md", "task": "TASKS.md",
        "convention": "CONVENTIONS.md", "rule": "CONSTITUTION.md"}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / ".context"
    place.mkdir()
    return place


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text, encoding="utf-8", newline="")


def text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


# --- a file of each kind ------------------------------------------------------------------


def test_a_missing_file_is_made_with_the_form_of_init(root: Path) -> None:
    for kind in KINDS:
        found = added(root, adding(kind, "Keep it"))
        whole = text(root, FILE[kind])
        assert whole.startswith(init.form(FILE[kind]).rstrip("\n"))
        assert (found["file"], found["kind"]) == (FILE[kind], kind)
        assert "Keep it" in whole.split("\n")[int(str(found["line"])) - 1]
        assert str(found["id"]).startswith(f"{FILE[kind]}#")
    assert set(files(root)) == set(FILE.values())


def test_the_newest_stands_first(root: Path) -> None:
    for kind in KINDS:
        for title in ("Alpha beta", "Gamma delta", "Epsilon zeta"):
            added(root, adding(kind, title, force=True))
        whole = text(root, FILE[kind])
        places = [whole.index(title) for title in ("Epsilon zeta", "Gamma delta", "Alpha beta")]
        assert places == sorted(places)


def test_a_decision_says_its_parts_in_order(root: Path) -> None:
    found = added(root, adding("decision", "Keep it"))
    stamp = found["timestamp"]
    assert str(stamp).startswith(STAMP)
    assert text(root, "DECISIONS.md").endswith(
        f"-->\n\n## [{stamp}] Keep it\n\n**Context**: c\n\n**Decision**: d\n\n**Rationale**: r\n\n"
        "**Consequence**: q\n"
    )


def test_a_part_that_is_empty_is_left_out(root: Path) -> None:
    parts = {**PARTS["learning"], "context": " "}
    added(root, adding("learning", "Keep it", parts=parts))
    assert text(root, "LEARNINGS.md").endswith("] Keep it\n\n**Lesson**: l\n\n**Application**: a\n")


def test_a_file_is_spelled_as_it_is_there(root: Path) -> None:
    write(root, "Tasks.md", "# Tasks\n\n- [ ] old\n")
    assert added(root, adding("task", "new one"))["file"] == "Tasks.md"
    assert list(files(root)) == ["Tasks.md"]


# --- tasks --------------------------------------------------------------------------------

PHASES = """# Tasks

Intro.

## Done

- [x] a

## Now

Some words.

* [x] b
* [ ] c

## Later

- [ ] d

## Empty
"""


def line_of(root: Path, title: str) -> tuple[str, str]:
    """Return the line with ``title``, and the heading above it."""
    lines = text(root, "TASKS.md").split("\n")
    at = next(number for number, line in enumerate(lines) if title in line)
    return lines[at], next(line for line in lines[at::-1] if line.startswith("#"))


def test_a_task_goes_to_the_first_phase_with_open_ones(root: Path) -> None:
    write(root, "TASKS.md", PHASES)
    found = added(root, adding("task", "Write the report", priority="high"))
    line = f"* [ ] Write the report #priority:high #added:{found['timestamp']}"
    assert text(root, "TASKS.md") == PHASES.replace("* [x] b\n", f"{line}\n* [x] b\n")
    assert (found["group"], found["line"]) == ("Now", 13)


def test_a_phase_can_be_named(root: Path) -> None:
    for phase, heading in (
        ("Later", "## Later"), ("  later ", "## Later"), ("empty", "## Empty"),
        ("done", "## Done"), ("Somewhere else", "## Somewhere else"), ("Phase 2", "## Phase 2"),
        ("Phase 3", "## Phase 3: Import"),
    ):  # fmt: skip
        write(root, "TASKS.md", PHASES + "\n## Phase 1\n## Phase 3: Import\n")
        added(root, adding("task", "Write the report", phase=phase))
        assert line_of(root, "Write the report")[1] == heading


def test_a_phase_that_may_be_another_is_refused(root: Path) -> None:
    write(root, "TASKS.md", "## Later\n## Phase 1: Import\n## Part one\n## Part two\n")
    before = files(root)
    for phase, headings in (
        ("Latr", "“Later”"), ("Phase 1: Imprt", "“Phase 1: Import”"),
        ("Part", "“Part one”, “Part two”"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            added(root, adding("task", "Write the report", phase=phase))
        assert str(caught.value).startswith(f"--phase: “{phase}” may be {headings}")
    assert files(root) == before


TASKS = [
    ("", "NEW\n"),
    ("# Tasks\n", "# Tasks\n\nNEW\n"),
    ("# Tasks", "# Tasks\n\nNEW\n"),
    ("- [ ] a", "NEW\n- [ ] a"),
    ("# Tasks\n- [ ] a\n", "# Tasks\nNEW\n- [ ] a\n"),
    ("## P\n\n- [ ] a\n\n- [ ] b\n", "## P\n\nNEW\n\n- [ ] a\n\n- [ ] b\n"),
    ("Words\n- [ ] a\n", "Words\n\nNEW\n- [ ] a\n"),
    ("## P\n\n- Group\n  - [ ] a\n", "## P\n\nNEW\n- Group\n  - [ ] a\n"),
    ("## P\n\n[ ] a\n[ ] b\n", "## P\n\n[ ] a\n[ ] b\n\nNEW\n"),
    ("## P\r\n\r\n- [ ] a\r\n", "## P\r\n\r\nNEW\r\n- [ ] a\r\n"),
    ("---\ntags: [a]\n---\n\n- [ ] a\n", "---\ntags: [a]\n---\n\nNEW\n- [ ] a\n"),
]
"""Files before and after a task is added."""


def test_a_task_stands_with_the_others_whatever_their_form(root: Path) -> None:
    for before, after in TASKS:
        write(root, "TASKS.md", before)
        stamp = added(root, adding("task", "New work"))["timestamp"]
        new = f"- [ ] New work #added:{stamp}"
        assert (root / "TASKS.md").read_bytes().decode() == after.replace("NEW", new)


# --- conventions and rules ----------------------------------------------------------------


ITEMS = [
    ("# TITLE\n\n- a\n", "# TITLE\n\n- New one\n- a\n"),
    ("# TITLE\n\n## Names\n\n- a\n", "# TITLE\n\n- New one\n\n## Names\n\n- a\n"),
    ("## Names\n\n- a\n", "- New one\n\n## Names\n\n- a\n"),
    ("# Names\n\n- a\n\n# Errors\n\n- b\n", "- New one\n\n# Names\n\n- a\n\n# Errors\n\n- b\n"),
    # What leads into a list would turn the new item around.
    ("# TITLE\n\nDo not:\n\n- a\n", "# TITLE\n\n- New one\n\nDo not:\n\n- a\n"),
    ("# TITLE\n\nNever:\n- a\n", "# TITLE\n\n- New one\n\nNever:\n- a\n"),
    ("# TITLE\n\n- b\n\nDo not:\n\n- a\n", "# TITLE\n\n- New one\n- b\n\nDo not:\n\n- a\n"),
    # The title of a file is its only heading of the first level, or the one called as it is.
    ("# Ours\n\n## Names\n\n- a\n", "# Ours\n\n- New one\n\n## Names\n\n- a\n"),
    ("# TITLE\n\n# Names\n\n- a\n", "# TITLE\n\n- New one\n\n# Names\n\n- a\n"),
    ("# TITLE\n\n<!-- c -->\n", "# TITLE\n\n<!-- c -->\n\n- New one\n"),
]
"""Files before and after an item is added."""


@pytest.mark.parametrize("kind", ["convention", "rule"])
def test_an_item_stands_above_all_groups_and_under_no_words(root: Path, kind: str) -> None:
    title = Path(FILE[kind]).stem.capitalize()
    for before, after in ITEMS:
        write(root, FILE[kind], before.replace("TITLE", title))
        added(root, adding(kind, "New one"))
        assert text(root, FILE[kind]) == after.replace("TITLE", title)


def test_a_rule_is_hard_whatever_stands_around(root: Path) -> None:
    write(root, "CONSTITUTION.md", "# Constitution\n\n<!-- ctx:variant -->\n\n- a\n")
    before = said(root)
    added(root, adding("rule", "New one"))
    (more,) = (said(root) - before).elements()
    assert more[1:4] == ("rule", "hard", "New one")


LINES = (
    "# head", "- item", "[x] ticked", "[ ] open", "> quote", "1. one", "``` fence", "`code` is it",
    "**bold** is it", "[link](a.md) is it", "a <!-- b", "<div> it", "---x", "| a | b |", "\\ back",
    "two\nlines", "  spaced\t out ", "Größe 日本", "-", "supersedes Old", "status: superseded",
)  # fmt: skip


@pytest.mark.parametrize("kind", ["task", "convention", "rule"])
def test_any_line_is_one_item(root: Path, kind: str) -> None:
    for title in LINES:
        write(root, FILE[kind], "- [ ] old one\n")
        before = said(root)
        added(root, adding(kind, title))
        (more,) = (said(root) - before).elements()
        assert before - said(root) == {}
        plain = str(more[3]).replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
        assert plain.split() == title.replace("\\", "").split()


@pytest.mark.parametrize("whole", ["```\n- [ ] a\n", "<!-- open\n", "# Index\n\n<script>\n"])
def test_a_place_is_found_above_what_is_not_closed(root: Path, whole: str) -> None:
    for kind in ("task", "convention"):
        write(root, FILE[kind], whole)
        before = (root / FILE[kind]).read_bytes()
        try:
            added(root, adding(kind, "New one"))
        except FileError:
            assert (root / FILE[kind]).read_bytes() == before
        else:
            assert inserted(before, (root / FILE[kind]).read_bytes()) is not None


def test_an_item_takes_nothing_of_what_is_there(root: Path) -> None:
    write(root, "TASKS.md", "# Tasks\n\n    code\n\n```\nopen\n")
    before = files(root)
    with pytest.raises(FileError, match="nowhere would it be read as a task of its own"):
        added(root, adding("task", "New one"))
    assert files(root) == before


def test_a_file_that_is_out_of_date_takes_no_entry(root: Path) -> None:
    for kind in ("decision", "convention", "task"):
        write(root, FILE[kind], "---\nstatus: superseded\n---\n\n# Title\n")
        before = files(root)
        with pytest.raises(FileError, match="nothing was added: "):
            added(root, adding(kind, "New one"))
        assert files(root) == before


def test_aliases_are_written_and_name_the_entry(root: Path) -> None:
    what = adding("learning", "Postgres locks", aliases=("pg", "the\nelephant  ", "supersedes x"))
    added(root, what)
    assert text(root, "LEARNINGS.md").endswith(
        "**Application**: a\n\n**Also called**: pg, the elephant, supersedes\N{NO-BREAK SPACE}x\n"
    )
    names = workspace(root).read(lambda context: aliases(context.entries[-1]))
    assert names == ("pg", "the elephant", "supersedes\N{NO-BREAK SPACE}x")


@pytest.mark.parametrize(
    ("kind", "names", "message"),
    [
        ("decision", (" ",), "--alias: ' ' is empty"),
        ("learning", ("a", ""), "--alias: '' is empty"),
        ("learning", ("a, b",), "--alias: 'a, b' holds a comma"),
        ("task", ("a",), "--alias: a task has none"),
        ("rule", ("a",), "--alias: a rule has none"),
    ],
)
def test_aliases_that_cannot_be_added(
    root: Path, kind: str, names: tuple[str, ...], message: str
) -> None:
    before = files(root)
    with pytest.raises(UsageError, match=re.escape(message)):
        added(root, adding(kind, "New", aliases=names))
    assert files(root) == before


# --- superseding --------------------------------------------------------------------------

OLD = "## [2026-01-01-090000] Keep carts in a cookie\n\n**Decision**: A cookie holds them.\n"


def test_the_old_entry_is_marked_in_the_same_step(root: Path) -> None:
    write(root, "DECISIONS.md", f"# Decisions\n\n{OLD}")
    found = added(root, adding("decision", "Keep carts in Redis", supersedes="carts cookie"))
    stamp = found["timestamp"]
    assert found["supersedes"] == "DECISIONS.md#2026-01-01-090000"
    assert text(root, "DECISIONS.md") == (
        f"# Decisions\n\n## [{stamp}] Keep carts in Redis\n\n"
        "**Supersedes**: Keep carts in a cookie\n\n"
        "**Context**: c\n\n**Decision**: d\n\n**Rationale**: r\n\n**Consequence**: q\n\n"
        "## [2026-01-01-090000] Keep carts in a cookie\n\n"
        '**Status**: Superseded by "Keep carts in Redis"\n\n**Decision**: A cookie holds them.\n'
    )
    assert {(one[3], one[6]) for one in said(root)} == {
        ("Keep carts in Redis", ""), ("Keep carts in a cookie", "superseded")
    }  # fmt: skip


def test_the_old_entry_of_a_themed_file_is_marked_there(root: Path) -> None:
    write(root, "decisions/carts.md", f"# Carts\n\n{OLD}")
    found = added(root, adding("decision", "Keep carts in Redis", supersedes="cookie"))
    assert found["supersedes"] == "decisions/carts.md#2026-01-01-090000"
    assert found["note"] == ""
    assert '**Status**: Superseded by "Keep carts in Redis"' in text(root, "decisions/carts.md")
    assert "**Supersedes**: Keep carts in a cookie" in text(root, "DECISIONS.md")


def test_an_old_entry_whose_title_others_have_is_named_by_its_id(root: Path) -> None:
    again = OLD.replace("01-01-09", "01-02-09")
    write(root, "DECISIONS.md", f"{OLD}\n{again}")
    added(root, adding("decision", "Keep carts", supersedes="2026-01-02-090000"))
    assert "**Supersedes**: DECISIONS.md#2026-01-02-090000" in text(root, "DECISIONS.md")
    assert sorted((str(one[5]), one[6] == "superseded") for one in said(root))[:2] == [
        ("2026-01-01-090000", False), ("2026-01-02-090000", True),
    ]  # fmt: skip


def test_whatever_the_old_title_only_it_is_superseded(root: Path) -> None:
    other = OLD.replace("01-01-090000", "01-01-080000").replace("Keep carts in a cookie", "quoted")
    for title in (
        "2026-01-01-080000 release", 'A "quoted" one', "A | b", "[x](y) z", "`code`", "~ tilde ~",
        "supersedes Other one", "a <!-- b", "**strong**",
    ):  # fmt: skip
        write(root, "DECISIONS.md", f"## [2026-02-01-090000] {title}\n\nText.\n\n{other}")
        added(root, adding("decision", "New <!-- one", supersedes="2026-02-01-090000"))
        assert {one[5] for one in said(root) if one[6]} == {"2026-02-01-090000"}, title
        # What the new entry says is enough for that.
        lines = text(root, "DECISIONS.md").split("\n")
        write(root, "DECISIONS.md", "\n".join(one for one in lines if "Superseded by" not in one))
        assert {one[5] for one in said(root) if one[6]} == {"2026-02-01-090000"}, title


def test_who_is_superseded_already_is_not_marked_again(root: Path) -> None:
    old = OLD.replace("\n\n", "\n\n**Status**: Superseded by x\n\n", 1)
    write(root, "DECISIONS.md", old)
    added(root, adding("decision", "New one", supersedes="cookie"))
    assert text(root, "DECISIONS.md").endswith(f"\n\n{old}")


def test_an_old_entry_that_is_not_clear_is_refused(root: Path) -> None:
    write(root, "DECISIONS.md", f"{OLD}\n{OLD.replace('a cookie', 'files')}")
    before = files(root)
    for old, says in (("nothing such", "no entry matches"), ("keep carts", "may be any of 2")):
        with pytest.raises(UsageError, match=says):
            added(root, adding("decision", "New one", supersedes=old))
    assert files(root) == before


# --- what repeats -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_not_added_again(root: Path, kind: str) -> None:
    again = "keep  carts in redis!"
    first = added(root, adding(kind, "Keep carts in Redis"))
    before = files(root)
    with pytest.raises(RepeatsError) as caught:
        added(root, adding(kind, again))
    assert caught.value.exit_code == USAGE
    assert str(caught.value) == (
        f"nothing was added: it repeats {first['id']} “Keep carts in Redis” (title 1.00) "
        "(--force adds it all the same)"
    )
    assert files(root) == before
    found = added(root, adding(kind, again, force=True))
    assert found["similar"] == [
        {"id": first["id"], "title": "Keep carts in Redis", "how": "title", "likeness": 1.0}
    ]


def test_what_says_the_same_under_another_title_is_named(root: Path) -> None:
    text = "The store holds carts for thirty minutes and forgets them."
    added(root, adding("decision", "Carts", parts={**PARTS["decision"], "decision": text}))
    again = {**PARTS["decision"], "decision": text.replace("forgets", "then forgets")}
    with pytest.raises(RepeatsError, match=r"\(words "):
        added(root, adding("decision", "Something else", parts=again))


@pytest.mark.parametrize("kind", ["task", "rule"])
def test_what_differs_is_added(root: Path, kind: str) -> None:
    for title in (
        "Keep carts in Redis", "Do not keep carts in Redis", "Keep carts in Redis 7",
        "Keep carts in Postgres", "Keep carts", "Keep sessions in Redis",
    ):  # fmt: skip
        assert added(root, adding(kind, title))["similar"] == []


def test_labels_in_a_title_hide_no_repetition(root: Path) -> None:
    added(root, adding("task", "Write the docs"))
    before = files(root)
    with pytest.raises(RepeatsError, match="Write the docs"):
        added(root, adding("task", "Write the docs #blocked #priority:high"))
    assert files(root) == before
    added(root, adding("task", "Write the docs #blocked", force=True))


def test_what_another_has_added_meanwhile_is_seen_under_the_lock(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctx.app.add._compared", lambda *_: (None, [], []))
    for kind in KINDS:
        added(root, adding(kind, "Keep it"))
        with pytest.raises(RepeatsError):
            added(root, adding(kind, "Keep it"))


# --- what is missing or does not belong ---------------------------------------------------


WRONG = [
    (adding("note", "x"), "'note' is nothing to add (one of decision, learning, task,"),
    (adding("decison", "x"), "'decison' is nothing to add (did you mean decision?)"),
    (adding("", ""), "KIND: name what to add (one of decision, learning, task, convention,"),
    (adding("task", " "), "TITLE: is empty (say the task in one line)"),
    (adding("decision", "x", parts={"context": "c", "decision": "d"}),
     "a decision needs --rationale, --consequence, too"),
    (adding("learning", "x", parts={}), "a learning needs --context, --lesson, --application"),
    (adding("learning", "x", parts={"context": "c", "lesson": " ", "application": "a"}),
     "--lesson: is empty (a learning holds at least that)"),
    (adding("task", "x", parts={"lesson": "l"}), "--lesson: a task has none (learnings have"),
    (adding("decision", "x", parts={"lesson": "l"}), "--lesson: a decision has none"),
    (adding("task", "x", supersedes="y"), "--supersedes: a task supersedes nothing"),
    (adding("decision", "x", phase="y"), "--phase: a decision stands under no heading"),
    (adding("rule", "x", priority="high"), "--priority: a rule has none (tasks have one)"),
    (
        adding("task", "x", priority="huge"),
        "--priority: unknown priority 'huge' (one of high, medium,",
    ),
]  # fmt: skip


def test_what_is_wrong_is_named(root: Path) -> None:
    for what, says in WRONG:
        with pytest.raises(UsageError) as caught:
            added(root, what)
        assert str(caught.value).startswith(says)
    assert files(root) == {}


# --- what may be touched ------------------------------------------------------------------


@posix
@pytest.mark.parametrize("kind", ["task", "decision"])
def test_a_link_out_a_folder_and_a_pipe_are_refused(root: Path, kind: str) -> None:
    outside = root.parent / "outside.md"
    outside.write_text("# Mine\n")
    path = root / FILE[kind]
    makes: list[tuple[Callable[[], None], str]] = [
        (lambda: path.symlink_to(outside), "is a link out of the context directory"),
        (path.mkdir, "is a directory"),
        (lambda: os.mkfifo(path), "is not a regular file"),
        (lambda: path.symlink_to("nowhere"), "No such file"),
    ]
    for make, says in makes:
        make()
        with pytest.raises(FileError, match=says) as caught:
            added(root, adding(kind, "New one"))
        assert caught.value.exit_code == UNREADABLE
        (path.rmdir if path.is_dir() and not path.is_symlink() else path.unlink)()
    assert outside.read_text() == "# Mine\n"


@pytest.mark.parametrize("kind", ["task", "decision"])
def test_a_huge_file_and_one_that_is_read_only_are_refused(
    root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / FILE[kind]).write_bytes(b"- x\n" * 600_000)
    write(root, "config.toml", "max_file_mb = 1\n")
    with pytest.raises(FileError, match="bytes are over the limit"):
        added(root, adding(kind, "New one"))
    write(root, FILE[kind], "# X\n")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError, match="the file is read-only"):
        added(root, adding(kind, "New one"))
    assert text(root, FILE[kind]) == "# X\n"


@pytest.mark.parametrize(
    ("codec", "mark"),
    [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_encoding_and_line_ends_stay(root: Path, codec: str, mark: bytes) -> None:
    before = mark + "# Grüße\r\n\r\n- [ ] a\r\n- b".encode(codec)
    for kind in KINDS:
        (root / FILE[kind]).write_bytes(before)
        added(root, adding(kind, "Größe"))
        after = (root / FILE[kind]).read_bytes()
        assert inserted(before, after) is not None
        texts = [data.removeprefix(mark).decode(codec).encode() for data in (before, after)]
        more = (inserted(*texts) or b"").decode()
        assert "Größe" in more
        assert more.count("\n") == more.count("\r\n")


# --- any files ----------------------------------------------------------------------------

_TITLE = st.lists(
    st.sampled_from(
        ["keep", "the", "#", "-", "`", "[x]", "<!--", ">", "1.", "é", "漢", "\n", "supersedes",
         "#blocked", "@b", "***", "|", "\\", "~~", "status:", "\x07", "\ud800", "[[w]]", "v2"]
    ),
    max_size=6,
).map(lambda words: " ".join(["New", *words]))  # fmt: skip


@settings(max_examples=8)
@given(drawn=strategies.directories(), kind=st.sampled_from(KINDS), title=_TITLE)
def test_any_directory_says_exactly_one_thing_more(
    tmp_path: Path, drawn: strategies.Directory, kind: str, title: str
) -> None:
    root = tmp_path / "any"
    shutil.rmtree(root, ignore_errors=True)
    drawn.write(root)
    before, was = files(root), said(root)
    try:
        found = added(root, adding(kind, title, force=True))
    except FileError as error:
        event(f"{kind}: refused: {str(error).partition(': ')[2]:.40}")
        assert files(root) == before
        return
    event(f"{kind}: added")
    after, now = files(root), said(root)
    name = str(found["file"])
    assert {one: data for one, data in after.items() if one != name} == {
        one: data for one, data in before.items() if one != name
    }
    if name in before:
        assert inserted(before[name], after[name]) is not None
    assert was - now == {}
    (more,) = (now - was).elements()
    assert (more[0], more[1], more[6] in ("", "blocked")) == (name, kind, True)


@settings(max_examples=8)
@given(drawn=strategies.directories(), data=st.data())
def test_any_entry_can_be_superseded_and_no_other_is(
    tmp_path: Path, drawn: strategies.Directory, data: st.DataObject
) -> None:
    root = tmp_path / "any"
    shutil.rmtree(root, ignore_errors=True)
    drawn.write(root)
    was = said(root)
    ids = _ids(root)
    if not ids:
        event("nothing to supersede")
        return
    old = data.draw(st.sampled_from(ids))
    before = files(root)
    try:
        found = added(root, adding("decision", "New one", supersedes=old, force=True))
    except FileError:
        event("refused")
        assert files(root) == before
        return
    event("superseded")
    now = said(root)
    assert found["supersedes"] == old
    changed = {name for name, held in files(root).items() if held != before.get(name)}
    assert changed <= {"DECISIONS.md", old.partition("#")[0]}
    gone = [one for one in (was - now).elements() if one[6] != "superseded"]
    assert len(gone) == len(list((was - now).elements())) <= 1
    more = [one for one in (now - was).elements() if one[3] != "New one"]
    assert [one[6] for one in more] == ["superseded"] * len(gone)
    assert [one[:4] for one in more] == [one[:4] for one in gone]


def _ids(root: Path) -> list[str]:
    return workspace(root).read(
        lambda context: [one.id for one in context.entries if one.kind in ("decision", "learning")],
    )


STATES = [
    ("**Status**: Accepted", '**Status**: Superseded by "New one" (was: Accepted)'),
    (
        "**Status:** Accepted, by Mira",
        '**Status:** Superseded by "New one" (was: Accepted, by ',
    ),
    ("**Status**:", '**Status**: Superseded by "New one"\n'),
    ("Status: Accepted", '**Status**: Superseded by "New one"\n\nStatus: Accepted'),
    ("```\n**Status**: x\n```", '**Status**: Superseded by "New one"\n\n```\n**Status**: x\n'),
]
"""What an entry says of itself, before and after it is superseded."""


def test_a_status_that_is_there_is_changed_and_kept_behind(root: Path) -> None:
    for before, after in STATES:
        write(root, "DECISIONS.md", OLD.replace("\n\n", f"\n\n{before}\n\n", 1))
        added(root, adding("decision", "New one", supersedes="cookie"))
        assert after in text(root, "DECISIONS.md")
        assert text(root, "DECISIONS.md").count("Superseded") == 1
        assert sorted(str(one[6]) for one in said(root)) == ["", "superseded"]
