"""``ctx archive`` as people meet it, and what it promises of any directory."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx import read
from ctx.model import Entry
from ctx.store.no_cache import NoCache
from tests import strategies
from tests.hostile import DAY, TEXTS, Text, shorter, tree
from tests.rank.hands import Done, call
from tests.read.samples import CORPORA, FIXTURES, LIMITS, NO_CORPORA
from tests.sampling import sampled

TASKS = "# Tasks\n\n- [x] loose\n\n## One\n\n- [x] a\n- [-] b\n\n## Two\n\n- [x] c\n- [ ] d\n"
OLD = "## [2020-01-10] Old\n\n**Status**: Superseded by New\n\n"
NEW = "## [2026-02-10] New\n\nIt is so.\n"
BOM = b"\xef\xbb\xbf"
posix = pytest.mark.skipif(os.name != "posix", reason="links of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / ".context"
    folder.mkdir()
    (folder / "TASKS.md").write_text(TASKS, "utf-8")
    (folder / "DECISIONS.md").write_text(OLD + NEW + OLD.replace("[2020-01-10] ", ""), "utf-8")
    return folder


def archive(root: Path, *options: str, later: int = 0) -> Done:
    return call("archive", "--dir", str(root), *options, later=later)


def _named(root: Path) -> str:
    (path,) = (root / "archive").glob("tasks-*.md")
    return path.stem.removeprefix("tasks-")


# --- what it says -------------------------------------------------------------------------


def test_it_moves_and_says_what_and_what_stays_and_why(root: Path) -> None:
    done = archive(root)
    day = _named(root)
    assert (done.code, done.err) == (0, "")
    assert done.text == (
        f"TASKS.md: 3 closed tasks, 7 lines, moved to archive/tasks-{day}.md\n"
        "  lines 3-4: loose (1 task)\n"
        "  lines 5-9: One (2 tasks)\n"
        "TASKS.md: 1 closed task stays, open tasks are left in the phase: Two (line 10)\n"
        f"DECISIONS.md: 1 superseded entry, 4 lines, moved to archive/decisions-{day}.md\n"
        "  lines 1-4: Old\n"
        "DECISIONS.md: 1 superseded entry stays, no date: Old (line 8)\n"
        "Lists and links that name these entries are left as they are.\n"
    )
    assert (root / "TASKS.md").read_text("utf-8") == "# Tasks\n\n## Two\n\n- [x] c\n- [ ] d\n"
    archived = (root / "archive" / f"tasks-{day}.md").read_text("utf-8")
    assert archived == "- [x] loose\n\n## One\n\n- [x] a\n- [-] b\n\n"
    assert (root / "archive" / f"decisions-{day}.md").read_text("utf-8") == OLD


def test_loose_tasks_of_a_second_run_stand_before_the_phases_of_the_first(root: Path) -> None:
    archive(root)
    left = (root / "TASKS.md").read_text("utf-8")
    (root / "TASKS.md").write_text(
        left.replace("# Tasks\n\n", "# Tasks\n\n- [x] late\n\n"), "utf-8"
    )
    archive(root)
    archived = (root / "archive" / f"tasks-{_named(root)}.md").read_text("utf-8")
    assert archived == "- [x] loose\n\n- [x] late\n\n## One\n\n- [x] a\n- [-] b\n\n"
    groups = {
        one.title: one.group for one in _entries(root, archive=True) if "archive" in one.source
    }
    assert groups.items() >= {"loose": "", "late": "", "a": "One"}.items()


def test_what_is_open_below_a_closed_task_is_said(root: Path) -> None:
    text = "- [x] parent\n  - [ ] child\n\n## One\n- [x] a\n  - [ ] b\n- [x] c\n  - [ ] d\n"
    (root / "TASKS.md").write_text(text, "utf-8")
    passages = json.loads(archive(root, "--json", "--dry-run").out)["files"][0]["passages"]
    assert [one["open_below"] for one in passages] == [1, 2]
    told = archive(root).text
    assert "  lines 1-3: parent … (1 task, with 1 open below it)\n" in told
    assert "  lines 4-8: One (2 tasks, with 2 open below them)\n" in told


def test_a_dry_run_says_the_same_and_changes_nothing(root: Path) -> None:
    before = tree(root.parent)
    dry = archive(root, "--dry-run")
    assert tree(root.parent) == before
    assert (dry.code, dry.err) == (0, "")
    assert "would go to archive/tasks-" in dry.text
    assert dry.text.replace("would go to", "moved to") == archive(root).text


def test_nothing_to_do_is_no_mistake_and_writes_nothing(root: Path) -> None:
    for name in ("TASKS.md", "DECISIONS.md"):
        (root / name).write_text("# Title\n", "utf-8")
    before = tree(root.parent)
    assert archive(root) == (0, b"Nothing to archive.\n", "")
    assert tree(root.parent) == before
    assert not (root / "archive").exists()


def test_many_that_stay_are_counted_and_some_named(root: Path) -> None:
    text = "".join(f"## Undated {number}\n\n~~Superseded~~\n\n" for number in range(7))
    (root / "DECISIONS.md").write_text(text, "utf-8")
    told = archive(root).text
    assert "DECISIONS.md: 7 superseded entries stay, no date: Undated 0 (line 1); " in told
    assert "Undated 4 (line 17); 2 more\n" in told


def test_json_is_one_object(root: Path) -> None:
    done = archive(root, "--json", "--dry-run")
    answer = json.loads(done.out)
    assert list(answer) == ["dry_run", "files", "problems", "remark"]
    tasks, decisions = answer["files"]
    assert (answer["dry_run"], answer["problems"], answer["remark"]) == (True, [], "")
    assert (tasks["source"], tasks["entries"], tasks["lines"]) == ("TASKS.md", 3, 7)
    assert tasks["target"].startswith("archive/tasks-")
    assert tasks["passages"][1] == {
        "line": 5, "end_line": 9, "title": "One", "entries": 2, "open_below": 0,
    }  # fmt: skip
    assert decisions["stays"] == [{"line": 8, "title": "Old", "entries": 1, "why": "no date"}]


def test_a_mistake_is_one_line(root: Path) -> None:
    before = tree(root.parent)
    for days in ("-1", "soon", "1.5"):
        done = archive(root, "--older-than", days)
        assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
        assert f"--older-than: '{days}' is not a whole number of days" in done.err
    assert tree(root.parent) == before


def test_titles_cannot_command_a_terminal(root: Path) -> None:
    (root / "TASKS.md").write_text("## One\x1b[31m\n\n- [x] a\n", "utf-8")
    assert "\x1b" not in archive(root).text


# --- what stands in the way ---------------------------------------------------------------


@posix
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_file_that_cannot_go_is_named_and_the_others_go(root: Path, dry: list[str]) -> None:
    (root / "real.md").write_text(TASKS, "utf-8")
    (root / "TASKS.md").unlink()
    (root / "TASKS.md").symlink_to("real.md")
    done = archive(root, *dry)
    assert (done.code, done.err.count("\n")) == (6, 1)
    assert f"{root / 'TASKS.md'}: not followed: the link" in done.err
    assert "TASKS.md" not in done.text
    assert "DECISIONS.md: 1 superseded entry, 4 lines" in done.text
    assert (root / "real.md").read_text("utf-8") == TASKS
    assert (OLD in (root / "DECISIONS.md").read_text("utf-8")) is bool(dry)


def test_what_an_interrupted_run_left_is_named_and_finished(root: Path) -> None:
    from ctx.edit.archive import COPY, Step, copy_of, moved

    step = Step("TASKS.md", "archive/tasks-2026-01-01.md", TASKS.encode(), ((4, 9),))
    after = moved(step, b"")
    (root / "archive").mkdir()
    copy = root / "archive" / COPY
    copy.write_bytes(copy_of(step, b"", after.grown))
    (root / "archive" / "tasks-2026-01-01.md").write_bytes(after.grown)
    done = archive(root, "--dry-run")
    assert (done.code, done.err.count("\n"), copy.exists()) == (0, 1, True)
    assert "left by an interrupted run; the next one finishes it" in done.err
    done = archive(root)
    assert (done.code, copy.exists()) == (0, False)
    assert done.err == (
        "ctx: an interrupted run is finished: what is closed of TASKS.md is in "
        "archive/tasks-2026-01-01.md\n"
    )
    assert "TASKS.md: 1 closed task, 2 lines, moved" in done.text
    assert json.loads(archive(root, "--json").out)["remark"] == ""


def test_after_an_edit_nothing_is_moved_until_a_person_has_looked(root: Path) -> None:
    from ctx.edit.archive import COPY, Step, copy_of

    step = Step("TASKS.md", "archive/tasks-2026-01-01.md", b"- [x] other\n", ((0, 1),))
    (root / "archive").mkdir()
    (root / "archive" / COPY).write_bytes(copy_of(step, b"", b"- [x] other\n"))
    before = tree(root.parent)
    done = archive(root)
    assert (done.code, done.out, done.err.count("\n")) == (6, b"", 1)
    assert "TASKS.md: was edited after a run that was interrupted" in done.err
    assert tree(root.parent) == before


# --- of any directory ---------------------------------------------------------------------

KINDS = ("task", "decision", "learning")
many = settings(max_examples=8)


def _lines(root: Path) -> Counter[bytes]:
    """Return how often each line stands in the directory's files."""
    data = (
        one.read_bytes() for one in root.rglob("*") if one.is_file() and ".ctx" not in one.parts
    )
    return Counter(line for one in data for line in one.removeprefix(BOM).splitlines())


def _bytes(root: Path) -> int:
    return sum(
        one.stat().st_size for one in root.rglob("*") if one.is_file() and ".ctx" not in one.parts
    )


def _row(entry: Entry) -> tuple[object, ...]:
    return (entry.kind, entry.title, entry.body, entry.timestamp, entry.priority, entry.lead)


def _entries(root: Path, *, archive: bool = False) -> list[Entry]:
    context = read.read(str(root), NoCache(), LIMITS, read.Wanted(archive=archive))
    return [entry for entry in context.entries if entry.kind in KINDS]


def _is_live(entry: Entry) -> bool:
    return entry.status not in ("done", "skipped", "superseded")


def _holds_its_promises(root: Path, *options: str) -> Done:
    """Archive what is closed of a directory; everything is where it should be."""
    lines, size, before = _lines(root), _bytes(root), _entries(root, archive=True)
    done = archive(root, *options)
    assert done.code in (0, 6)
    assert done.code == 6 or not done.err
    after = _entries(root, archive=True)
    moved = done.text.count(" moved to ")
    assert _lines(root) == lines
    assert 0 <= _bytes(root) - size <= 2 * 2 * moved  # line ends where a last line had none
    assert Counter(map(_row, after)) == Counter(map(_row, before))
    here = [(*_row(one), one.source, one.group) for one in before if _is_live(one)]
    there = [(*_row(one), one.source, one.group) for one in after if _is_live(one)]
    assert there == here
    again, state = archive(root, *options), tree(root)
    assert " moved to " not in again.text
    assert tree(root) == state
    return done


@many
@given(strategies.directories(), st.sampled_from(["0", "90"]))
def test_no_line_is_lost_and_what_stays_is_read_as_before(
    tmp_path: Path, drawn: strategies.Directory, days: str
) -> None:
    shutil.rmtree(tmp_path / ".context", ignore_errors=True)
    _holds_its_promises(drawn.write(tmp_path / ".context"), "--older-than", days)


_HEAD = st.builds(
    "{} {}{}\n".format,
    st.sampled_from(["#", "##", "##", "###", "####"]),
    st.sampled_from(["", "[2020-01-0{n}] ", "[2020-01-01] ", "~~Old~~ "]),
    st.integers(0, 9).map("H{}".format),
)
_PIECE = st.one_of(
    _HEAD,
    st.builds("- [{}] t{}\n".format, st.sampled_from("xxx- "), st.integers(0, 9)),
    st.builds("  - [{}] s{}\n".format, st.sampled_from("x "), st.integers(0, 9)),
    st.sampled_from(
        ["\n", "\n", "Text.\n", "~~Superseded: x~~\n", "---\n", "<!-- a -->\n", "  note\n", "- p\n",
         "```\n", "    deep\n", "[x] bare\n", "> quote\n", "* [x] star\n", "1. [-] number\n"]
    ),
    st.integers(0, 9).map("Supersedes: H{}\n".format),
    st.integers(0, 9).map("Supersedes: 2020-01-0{}\n".format),
)  # fmt: skip
_FILE = st.lists(_PIECE, max_size=40).map("".join)


@st.composite
def _full(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw files that are full of what goes, and perhaps an archive of today."""
    names = ["TASKS.md", "DECISIONS.md", "learnings/a.md"]
    kind = draw(st.sampled_from(["tasks", "decisions", ""]))
    if kind:
        names.append(f"archive/{kind}-{DAY}.md")
    end, cut = draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans())
    drawn = {name: draw(_FILE).replace("\n", end).encode() for name in names}
    return {name: BOM + data[: -len(end)] if cut else data for name, data in drawn.items()}


@many
@given(_full())
def test_the_same_of_files_full_of_what_goes(tmp_path: Path, drawn: dict[str, bytes]) -> None:
    root = tmp_path / ".context"
    shutil.rmtree(root, ignore_errors=True)
    for name, data in drawn.items():
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_bytes(data)
    with mock.patch("ctx.world.day", return_value=DAY):
        _holds_its_promises(root)


@pytest.mark.parametrize("text", sampled(TEXTS, 12), ids=lambda text: text.name)
def test_text_that_no_person_wrote(tmp_path: Path, text: Text) -> None:
    root = tmp_path / ".context"
    last = "\n\n## [2020-01-01] Last\n\n~~Superseded~~\n\n- [x] t\n"
    for name in ("TASKS.md", "DECISIONS.md", "learnings/themed.md"):
        (root / name).parent.mkdir(exist_ok=True)
        whole = text.entries + shorter(text.make()) + last
        (root / name).write_text(whole, encoding="utf-8", newline="")
    _holds_its_promises(root)


@pytest.mark.parametrize("place", FIXTURES, ids=[path.parent.name for path in FIXTURES])
def test_the_fixtures(tmp_path: Path, place: Path) -> None:
    ignored = shutil.ignore_patterns(".ctx", "sessions")
    root = shutil.copytree(place, tmp_path / ".context", ignore=ignored, symlinks=True)
    _holds_its_promises(root, "--older-than", "0")


@pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
@pytest.mark.parametrize("place", CORPORA, ids=[path.parent.name for path in CORPORA])
def test_the_corpora(tmp_path: Path, place: Path) -> None:
    root = shutil.copytree(place, tmp_path / ".context")
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    done = _holds_its_promises(root, "--older-than", "0")
    assert (done.code, done.err) == (0, "")
    # All that is closed there is part of phases that gather open ones, too.
    assert (" moved to " in done.text) is (place.parent.name != "activememory-themed")
