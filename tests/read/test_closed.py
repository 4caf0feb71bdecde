"""What is closed, and can go: phases, tasks and entries, and what has to stay."""

import errno
import os
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import chain, product, takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx import read
from ctx.read.closed import (
    OPEN_ITEM,
    OPEN_PHASE,
    UNCLOSED,
    UNDATED,
    UNSURE,
    Closed,
    Findings,
    above_phases,
    closed,
)
from ctx.read.directory import kind_of
from ctx.store.no_cache import NoCache
from tests.read.samples import LIMITS

TODAY = date(2026, 11, 21)
ARCHIVES = {kind: f"archive/{kind}-2026-11-21.md" for kind in ("tasks", "decisions", "learnings")}
BOM = b"\xef\xbb\xbf"
OLD = "## [2026-01-10] Old\n\n**Status**: Superseded by New\n\nIt was so.\n\n"
NEW = "## [2026-02-10] New\n\nIt is so.\n"


def found(root: Path, files: Mapping[str, str | bytes], older_than: int = 90) -> Findings:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return closed(str(root), LIMITS, ARCHIVES, TODAY, older_than)


def one(root: Path, text: str, name: str = "TASKS.md", older_than: int = 90) -> Closed:
    """Return what is closed in the only file of a directory."""
    files, problems = found(root, {name: text}, older_than)
    assert problems == ()
    assert [file.path for file in files] == [name]
    return files[0]


def going(file: Closed) -> list[str]:
    """Return the lines of what goes, passage by passage."""
    lines = file.data.decode().splitlines(keepends=True)
    return ["".join(lines[one.start : one.end]) for one in file.going]


def nothing(root: Path, text: str, name: str = "TASKS.md") -> bool:
    return found(root, {name: text}) == Findings((), ())


# --- tasks --------------------------------------------------------------------------------

ONE = "## One\n\nA note.\n\n- [x] a\n  more of it  \n\n\t| x |\n* [-] b\n\n### Sub\nText.\n\n"
PART = "### In\n\n- [x] b\n\n#### Deep\n\n- [X] c\n\n"
ALL = "## All\n- [x] e\n### S\n- [-] f\n"
GATHERS = "## A\n\n### A1\n- [x] a\n\n### A2\n- [x] b\n"
REMARK = "## One\n- [x] a\n\n<!-- a remark -->\n\n---\n\n"
EXAMPLE = "# Tasks\n\n<!--\n## Example\n- [x] no task\n-->\n\nRead this first.\n\n"
CODE = "## One\n\n- [x] a\n\n```\n## Two\n- [ ] no\n```\n\n<!--\n## Three\n-->\n> - [ ] q\n"
UNENDED = "## One\n- [x] a\n\n## Two\n- [x] b\n\n```\n## Three\n- [ ] c\n"
DONE = "- [x] b\n  a note\n\n  more\n  - [ ] left over\n"
GROUP = "- Release\n  - [x] a\n  - [x] b\n"
PHASE = "### One\n- [x] a\n\n"
TASKS = {
    "a closed phase goes with its heading and notes": (
        f"# Tasks\n\n{ONE}## Two\n\n- [ ] c\n", [ONE], []
    ),
    "a phase with an open task stays": (
        "# Tasks\n\n## One\n\n- [x] a\n- [-] b\n- [ ] c\n", [], [(3, "One", 2, OPEN_PHASE)]
    ),
    "a closed part of an open phase stays with it": (
        f"# Tasks\n\n## Out\n\n- [x] a\n\n{PART}### Open\n\n- [ ] d\n\n{ALL}",
        [ALL], [(3, "Out", 3, OPEN_PHASE)],
    ),
    "below a heading that only gathers each phase goes by itself": (
        f"{GATHERS}## B\n### B1\n- [x] c\n### B2\n- [ ] d\n", [GATHERS, "### B1\n- [x] c\n"], []
    ),
    "a phase may have any level": (f"{PHASE}## Two\n- [ ] b\n", [PHASE], []),
    "a phase may be above another": (
        f"#### Other\n\n- [ ] o\n\n{PHASE}## Two\n- [ ] b\n", [PHASE], []
    ),
    "the title never goes, and tasks of no phase come first": (
        "# Tasks\n\n## One\n\n- [x] a\n\n# Others\n\n- [x] b\n",
        ["- [x] b\n", "## One\n\n- [x] a\n\n"], [],
    ),
    "headings without tasks stay": (
        "# Tasks\n\n## Empty\n\n## One\n- [x] a\n\n## Notes\n\nText.\n",
        ["## One\n- [x] a\n\n"], [],
    ),
    "what stands between phases goes with the one above": (
        f"# Tasks\n\n{REMARK}## Two\n- [ ] b\n", [REMARK], []
    ),
    "what stands before the first phase stays": (
        f"{EXAMPLE}## One\n- [x] a\n", ["## One\n- [x] a\n"], []
    ),
    "code, comments and quotes are not misread": (CODE + "## Four\n\n- [ ] b\n", [CODE], []),
    "a phase that ends the file without a line end goes": (
        "## Open\n- [ ] b\n## One\n- [x] a", ["## One\n- [x] a"], []
    ),
    "a block that is not closed keeps its phase": (
        UNENDED, ["## One\n- [x] a\n\n"], [(4, "Two", 1, UNCLOSED)]
    ),
    "closed tasks below the title go by themselves": (
        f"# Tasks\n\n- [ ] a\n{DONE}- [ ] c\n  - [x] part\n- [-] d\n", [DONE, "- [-] d\n"], []
    ),
    "an item that gathers tasks goes when all are closed": (
        f"{GROUP}- Later\n  - [x] c\n  - [ ] d\n", [GROUP], [(5, "c", 1, OPEN_ITEM)]
    ),
    "boxes without bullets are tasks as in packets": (
        "# Tasks\n\nToday:\n[x] a\nmore of it\n[ ] b\n[x] c\n",
        ["[x] a\nmore of it\n", "[x] c\n"], [],
    ),
    "no line is blank": ("Above.\n- [x] a\n\nBelow.\n", ["- [x] a\n"], []),
    "one of two blank lines goes": ("Above.\n\n- [x] a\n\nBelow.\n", ["- [x] a\n\n"], []),
    "a blank line goes with the last of some": (
        "- [ ] o\n- [x] a\n\n- [x] b\n\n- [ ] p\n", ["- [x] a\n", "- [x] b\n\n"], []
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "goes", "stays"), TASKS.values(), ids=TASKS)
def test_closed_tasks_go(
    tmp_path: Path, text: str, goes: list[str], stays: list[tuple[object, ...]]
) -> None:
    file = one(tmp_path, text)
    assert (going(file), list(file.stays)) == (goes, stays)


def test_what_goes_has_a_title_and_its_tasks(tmp_path: Path) -> None:
    (phase,) = one(tmp_path, ONE).going
    assert (phase.title, phase.places) == ("One", (0, 1))
    (task,) = one(tmp_path, DONE).going
    assert task.title == "b a note …"


@pytest.mark.parametrize("mark", [" ", "/", "~", ">", ""])
def test_whatever_is_neither_done_nor_skipped_is_open(tmp_path: Path, mark: str) -> None:
    assert one(tmp_path, f"## One\n\n- [x] a\n- [{mark}] c\n").going == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("- [x] a\n", [0]),
        ("- [x] a\n  - [ ] b\n  - [x] c\n    - [/] d\n  [ ] e\n", [3]),
        ("- [x] a\n\n  - [] b\n- [x] c\n", [1, 0]),
        ("- [x] a\n  ```\n  - [ ] no box\n  ```\n  - [ ] b [ ] [link](x)\n", [1]),
        ("## One\n- [x] a\n  - [ ] b\n\n### Two\n- [-] c\n  - [ ] d\n", [2]),
        ("- Release\n  - [x] a\n    - [ ] b\n", [1]),
    ],
)
def test_what_is_open_below_a_closed_task_is_counted(
    tmp_path: Path, text: str, left: list[int]
) -> None:
    assert [passage.open for passage in one(tmp_path, text).going] == left


# --- entries ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"), [("DECISIONS.md", "decisions"), ("learnings/a.md", "learnings")]
)
def test_an_old_superseded_entry_goes_from_heading_to_heading(
    tmp_path: Path, name: str, kind: str
) -> None:
    old = OLD + "### More\n\nText.\n\n---\n\n"
    file = one(tmp_path, f"# Title\n\n{old}{NEW}", name)
    assert (going(file), file.kind) == ([old], kind)


@pytest.mark.parametrize(
    ("head", "below"),
    [
        ("##", "### [2026-02-01] Live"), ("####", "### Live"), ("###", "## Live"),
        ("#", "## Live"), ("##", "## Index"), ("#", "## Index"),
    ],
)  # fmt: skip
def test_an_entry_ends_where_its_reader_says(tmp_path: Path, head: str, below: str) -> None:
    old = OLD.replace("##", head)
    assert going(one(tmp_path, f"{old}{below}\n\nText.\n", "DECISIONS.md")) == [old]


def test_what_is_not_superseded_stays(tmp_path: Path) -> None:
    assert nothing(tmp_path, NEW.replace("2026", "1999"), "DECISIONS.md")
    assert nothing(tmp_path, f"```\n{OLD}```\n", "DECISIONS.md")


@pytest.mark.parametrize(
    ("day", "older_than", "goes"),
    [
        ("2026-08-23", 90, False),  # 90 days before the 21st of November
        ("2026-08-22", 90, True),
        ("2026-08-22-235959", 90, True),
        ("2026-11-21", 0, False),
        ("2026-11-20", 0, True),
        ("2027-01-01", 0, False),
        ("2020-01-01", 10**17, False),
    ],
)
def test_age_is_counted_in_days(tmp_path: Path, day: str, older_than: int, goes: bool) -> None:
    file = one(tmp_path, OLD.replace("2026-01-10", day), "DECISIONS.md", older_than)
    assert bool(file.going) is goes
    assert [one.why for one in file.stays] == [f"not older than {older_than:,} days"] * (not goes)


@pytest.mark.parametrize("head", ["## Old", "## [2026-13-45] Old", "## [] Old"])
def test_without_a_day_of_the_calendar_it_stays_and_is_named(tmp_path: Path, head: str) -> None:
    file = one(tmp_path, OLD.replace("## [2026-01-10] Old", head) + NEW, "DECISIONS.md")
    assert (file.going, len(file.stays)) == ((), 1)
    assert file.stays[0].line == 1
    assert file.stays[0].title.endswith("Old")
    assert file.stays[0].why == UNDATED


def test_another_entry_says_it_is_out_of_date(tmp_path: Path) -> None:
    said = {
        "DECISIONS.md": "## [2026-01-02] First\n\nText.\n",
        "learnings/a.md": "## [2026-03-01] Second\n\n**Supersedes**: First\n",
    }
    files, problems = found(tmp_path, said)
    assert ([going(file) for file in files], problems) == ([[said["DECISIONS.md"]]], ())


def test_an_entry_stays_that_alone_puts_another_out_of_date(tmp_path: Path) -> None:
    # Undated, First stays; were Second gone, First would be said again.
    text = "## First\n\nText.\n\n## [2026-01-02] Second\n\n~~Superseded~~\n\nSupersedes: First\n\n"
    file = one(tmp_path, text + OLD, "DECISIONS.md")
    assert going(file) == [OLD]
    assert [(stay.title, stay.why) for stay in file.stays] == [
        ("First", UNDATED),
        ("Second", UNSURE),
    ]


def test_a_date_that_named_two_entries_must_not_come_to_name_one(tmp_path: Path) -> None:
    text = (
        f"{OLD}## [2026-01-10] Twin\n\nText.\n\n## [2026-02-01] Later\n\nSupersedes: 2026-01-10\n"
    )
    file = one(tmp_path, text, "DECISIONS.md")
    assert (file.going, [stay.why for stay in file.stays]) == ((), [UNSURE])


def test_a_chain_goes_as_a_whole(tmp_path: Path) -> None:
    chained = "".join(f"## [2026-01-0{n}] N{n}\n\nSupersedes: N{n - 1}\n\n" for n in range(1, 6))
    file = one(tmp_path, chained, "DECISIONS.md")
    assert [one.title for one in file.going] == ["N1", "N2", "N3", "N4"]


def test_files_that_describe_a_folder_are_not_looked_at(tmp_path: Path) -> None:
    assert nothing(tmp_path, OLD, "decisions/README.md")
    assert nothing(tmp_path, OLD, "decisions/index.md")
    assert nothing(tmp_path, OLD, "specs/a.md")
    assert nothing(tmp_path, "## One\n- [x] a\n", "CONVENTIONS.md")


# --- trying out ---------------------------------------------------------------------------


def test_nothing_goes_without_which_the_rest_would_be_read_otherwise(tmp_path: Path) -> None:
    # What follows would become frontmatter.
    file = one(tmp_path, "- [x] a\n---\nkey: value\n---\n\n- [ ] b\n")
    assert (file.going, [stay.why for stay in file.stays]) == ((), [UNSURE])


def test_nothing_goes_that_the_archive_would_be_read_otherwise_with(tmp_path: Path) -> None:
    # Behind an item at the margin an indented one would become a part of it.
    text = "# Tasks\n\n  - [x] a\n\n## One\n\n- [x] b\n"
    files, _ = found(tmp_path, {"TASKS.md": text, ARCHIVES["tasks"]: "- [x] before\n"})
    assert going(files[0]) == ["## One\n\n- [x] b\n"]
    assert [(stay.title, stay.why) for stay in files[0].stays] == [("a", UNSURE)]


@pytest.mark.parametrize(
    ("before", "above"),
    [
        ("", ""),
        ("- [x] old\n", "- [x] old\n"),
        ("## One\n- [x] old\n", ""),
        ("Text.\n\n```\n# code\n```\n\n## One\n", "Text.\n\n```\n# code\n```\n\n"),
        ("---\na: b\n---\n\n# Title\n\n## One\n", "---\na: b\n---\n\n"),
        (
            "- [x] old\n  # in it\n\n> ## quoted\n\nNo\n---\n  ## One\n",
            "- [x] old\n  # in it\n\n> ## quoted\n\nNo\n---\n",
        ),
        ("<!--\n# no\n-->\n### One\n## Two\n", "<!--\n# no\n-->\n"),
    ],
)
def test_loose_tasks_go_before_the_first_heading_of_an_archive(before: str, above: str) -> None:
    for end, mark in product(("\n", "\r\n", "\r"), (b"", BOM)):
        archive = mark + before.replace("\n", end).encode()
        assert above_phases(archive) == len(mark + above.replace("\n", end).encode())


def test_loose_tasks_are_tried_out_above_the_phases(tmp_path: Path) -> None:
    # At the end of the archive an indented one would become a part of the task there.
    text = "# Tasks\n\n  - [x] a\n\n## One\n\n- [x] b\n"
    archive = "Text.\n\n## Old\n\n- [x] before\n"
    files, _ = found(tmp_path, {"TASKS.md": text, ARCHIVES["tasks"]: archive})
    assert going(files[0]) == ["  - [x] a\n\n", "## One\n\n- [x] b\n"]
    assert ([one.loose for one in files[0].going], files[0].stays) == ([True, False], ())


def test_an_archive_that_would_swallow_everything_takes_nothing(tmp_path: Path) -> None:
    files, problems = found(tmp_path, {"DECISIONS.md": OLD, ARCHIVES["decisions"]: "a\n\n```\n"})
    assert files == ()
    told = "a code fence, comment or HTML block that is not closed: nothing can be appended"
    assert problems == (f"{ARCHIVES['decisions']}:3: {told}; decisions stay where they are",)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").mkdir(parents=True)
    files, problems = found(tmp_path, {"DECISIONS.md": OLD})
    assert [going(file) for file in files] == [[OLD]]
    assert problems == ("TASKS.md: is a directory, not a file; left out",)


def test_a_folder_that_cannot_be_listed_is_named_and_the_others_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.listdir

    def listdir(path: str) -> list[str]:
        if path.endswith("decisions"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    files, problems = found(tmp_path, {"TASKS.md": "- [x] a\n", "LEARNINGS.md": OLD})
    assert [file.path for file in files] == ["TASKS.md", "LEARNINGS.md"]
    assert problems == ("decisions/: cannot be read: Permission denied",)


# --- against an oracle --------------------------------------------------------------------

_HEADS = st.integers(1, 5).map(lambda level: f"{'#' * level} H")
_BLOCKS = st.sampled_from(["- [x] done", "- [-] skipped", "- [ ] open", "Text.", "- plain", "---"])


def _expected(lines: Sequence[str]) -> list[str]:
    """Return what goes of lines that are headings, tasks or text: the rules said once more."""
    loose: list[str] = []
    phases: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        depth = len(line) - len(line.lstrip("#"))
        if depth:
            end = next(
                (
                    n
                    for n in range(at + 1, len(lines))
                    if 0 < len(lines[n]) - len(lines[n].lstrip("#")) <= depth
                ),
                len(lines),
            )
            inside = lines[at:end]
            if depth > 1:
                closed = any("[x]" in one or "[-]" in one for one in inside)
                whole = closed and not any("[ ]" in one for one in inside)
                own = list(takewhile(lambda one: not one.startswith("#"), inside[1:]))
                gathers = len(own) + 1 < len(inside) and not any("[" in one for one in own)
                if whole:
                    phases += inside
                at = at + 1 if gathers and not whole else end
                continue
        elif "[x]" in line or "[-]" in line:
            loose.append(line)
        at += 1
    return loose + phases


@given(st.lists(st.one_of(_HEADS, _BLOCKS, _BLOCKS), max_size=30))
def test_what_goes_is_what_the_rules_say(tmp_path: Path, drawn: list[str]) -> None:
    lines = [f"{line} {number}" if line != "---" else line for number, line in enumerate(drawn)]
    (tmp_path / "TASKS.md").write_text("\n\n".join([*lines, ""]), "utf-8")
    files, problems = closed(str(tmp_path), LIMITS, ARCHIVES, TODAY, 90)
    went = "".join(chain.from_iterable(map(going, files))).split("\n")
    assert [line for line in went if line] == _expected(lines)
    assert problems == ()


# --- what was archived --------------------------------------------------------------------


def test_an_archive_says_by_its_name_what_it_holds() -> None:
    for name, kind in (
        ("tasks-2026-11-21.md", "tasks"), ("Tasks-2026-02-20-skipped.MD", "tasks"),
        ("decisions-consolidated-2026-02-22.md", "decisions"), ("learnings.md", "learnings"),
        ("tasksheet.md", ""), ("notes-2026-11-21.md", ""),
    ):  # fmt: skip
        assert kind_of(name) == kind, name


def _archive(root: Path, *, archive: bool = True) -> dict[str, str]:
    context = read.read(str(root), NoCache(), LIMITS, read.Wanted(archive=archive))
    return {entry.id: entry.status for entry in context.entries}


def test_archived_entries_are_read_where_they_are_wanted(tmp_path: Path) -> None:
    files = {
        "DECISIONS.md": "## [2026-05-01] Live\n\nSupersedes: Gone\n",
        "archive/decisions-2026-06-01.md": "## [2026-01-01] Gone\n\nText.\n",
        "archive/decisions-old.md": "## [2026-01-02] Kept\n\nSupersedes: Live\n\n" + OLD,
        "archive/learnings-old.md": "## [2026-01-03] Claimed\n\nSupersedes: Kept\n",
        "archive/tasks-2026-06-01.md": "## One\n\n- [x] a\n- [ ] b\n",
        "archive/other.md": OLD,
        "archive/deep/tasks-1.md": "- [ ] c\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert _archive(tmp_path, archive=False) == {"DECISIONS.md#2026-05-01": ""}
    assert _archive(tmp_path) == {
        "DECISIONS.md#2026-05-01": "",  # what was archived puts nothing out of date that was not
        "archive/decisions-2026-06-01.md#2026-01-01": "superseded",
        "archive/decisions-old.md#2026-01-02": "superseded",
        "archive/decisions-old.md#2026-01-10": "superseded",
        "archive/learnings-old.md#2026-01-03": "",
        "archive/tasks-2026-06-01.md#a": "done",
        "archive/tasks-2026-06-01.md#b": "",
    }


def test_what_ctx_archived_is_out_of_date_whatever_it_says(tmp_path: Path) -> None:
    # Its mark was the frontmatter of its file, which stayed there.
    files = {"archive/decisions-2026-06-01.md": NEW, "archive/decisions-mine.md": NEW}
    found(tmp_path, files)
    assert list(_archive(tmp_path).values()) == ["superseded", ""]
