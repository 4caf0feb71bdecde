"""Promotion: which stored turns are proposed, which are not, and what an accepted one becomes."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from ctx.app import promotion
from ctx.app.promotion import Candidate, Sessions
from ctx.edit.entries import New
from ctx.errors import FileError
from ctx.model import EmbeddingError
from ctx.read.files import Limits
from ctx.sessions.promotion.gate import Parts
from ctx.sessions.promotion.near_duplicates import NearDuplicate
from ctx.text.vector_space import TermSpace, TermVectors

NOW = datetime(2026, 11, 21, 9, 30, 0)  # noqa: DTZ001 - the local time of a test
LIMITS = Limits(1024 * 1024, allow_links=False)
FACT = "I live in Lisbon all year."
WISH = "I prefer tea over coffee in the morning."
TALK = "Thanks, how nice of you!"
DECIDED = "We decided to indent with tabs in all projects."

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")


def store(root: Path, name: str, *turns: dict[str, str]) -> None:
    folder = root / "sessions"
    folder.mkdir(exist_ok=True)
    lines = [
        json.dumps({"id": f"t{at}", "session": name, "role": "user", "ts": "", **turn})
        for at, turn in enumerate(turns)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def proposed(root: Path, *names: str, most: int = promotion.MOST_PROPOSED) -> list[Candidate]:
    known = promotion.memory(str(root), LIMITS)
    files = [f"{name}.jsonl" for name in names or ("a",)]
    return promotion.candidates(Sessions(str(root), files), known, TermSpace(), most)


def sources(found: Sequence[Candidate]) -> list[str]:
    return [one.source for one in found]


# --- what memory holds --------------------------------------------------------------------


def test_memory_is_decisions_learnings_and_conventions_also_themed(tmp_path: Path) -> None:
    (tmp_path / "Decisions.md").write_text("# D\n\n## [2026-01-01] One\n\n**Decision**: Tabs.\n")
    (tmp_path / "learnings").mkdir()
    (tmp_path / "learnings" / "net.md").write_text("## [2026-01-02] Two\n\n**Lesson**: Wait.\n")
    (tmp_path / "learnings" / "README.md").write_text("## [2026-01-02] No\n\n**Lesson**: No.\n")
    (tmp_path / "CONVENTIONS.md").write_text("- Be brief.\n")
    (tmp_path / "TASKS.md").write_text("- [ ] Not this\n")
    known = promotion.memory(str(tmp_path), LIMITS)
    assert [(one.id, one.title, one.text) for one in known.durable] == [
        ("CONVENTIONS.md#be-brief", "Be brief.", "- Be brief."),
        ("Decisions.md#2026-01-01", "One", "Tabs."),
        ("learnings/net.md#2026-01-02", "Two", "Wait."),
    ]
    assert known.files == {
        "decision": "Decisions.md", "learning": "LEARNINGS.md", "convention": "CONVENTIONS.md"
    }  # fmt: skip
    assert known.warnings == ()


def test_what_is_superseded_is_no_memory_but_still_cites(tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").write_text(
        "## [2026-01-02] New\n\n**Supersedes**: Old\n\n**Decision**: B.\n\n"
        "## [2026-01-01] Old\n\n**Decision**: A.\n\n**Source**: sessions/a.jsonl#t1\n"
    )
    known = promotion.memory(str(tmp_path), LIMITS)
    assert [one.title for one in known.durable] == ["New"]
    assert known.cited == {"sessions/a.jsonl#t1"}


def test_what_an_entry_says_is_without_context_labels_and_citation(tmp_path: Path) -> None:
    (tmp_path / "LEARNINGS.md").write_text(
        "## [2026-01-02] T\n\n**Context**: C.\n\n**Lesson**: L.\nM.\n\n**Application**: A.\n\n"
        "**Source**: sessions/a.jsonl#t1\n"
    )
    assert promotion.memory(str(tmp_path), LIMITS).durable[0].text == "L.\nM.\n\nA."


def test_what_cannot_be_read_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").mkdir()
    (tmp_path / "LEARNINGS.md").write_text("## [2026-01-02] T\n\nText.\n")
    known = promotion.memory(str(tmp_path), LIMITS)
    assert known.warnings == ("DECISIONS.md: is a directory, not a file; left out",)
    assert len(known.durable) == 1


def test_a_directory_that_cannot_be_listed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_folder: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", fail)
    with pytest.raises(FileError, match="cannot be read: Permission denied"):
        promotion.memory(str(tmp_path), LIMITS)


# --- candidates ---------------------------------------------------------------------------


def test_turns_that_pass_the_gate_are_proposed_best_first(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": FACT}, {"text": TALK}, {"text": f"{FACT} {WISH}", "ts": "2026"})
    first, second = proposed(tmp_path)
    assert sources([first, second]) == ["sessions/a.jsonl#t2", "sessions/a.jsonl#t0"]
    assert (first.session, first.turn, first.role, first.ts) == ("a", "t2", "user", "2026")
    assert first.score > second.score > 0.35
    assert second.parts.h == 1
    assert (second.kind, second.title, second.text) == ("learning", FACT[:-1], FACT)


def test_what_an_agent_says_again_in_other_words_around_it_is_proposed_once(tmp_path: Path) -> None:
    cause = "The root cause is that the font files are not copied into the container."
    store(
        tmp_path, "a", {"text": f"{cause} I look at it.", "role": "assistant"},
        {"text": f"{cause} The build is slow, and the cache of it is cold.", "role": "assistant"},
    )  # fmt: skip
    assert len(proposed(tmp_path)) == 1


def test_a_session_without_code_is_work_beside_one_that_has_some(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": "The transfer types have to match.", "role": "assistant"})
    assert len(proposed(tmp_path)) == 1
    store(tmp_path, "b", {"text": "```\nx = 1\n```", "role": "assistant"})
    assert not proposed(tmp_path, "a", "b")


def test_what_a_tool_says_is_never_proposed(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": FACT, "role": "tool"}, {"text": DECIDED, "role": "assistant"})
    assert sources(proposed(tmp_path)) == ["sessions/a.jsonl#t1"]


def test_what_an_entry_cites_is_not_proposed_again(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": FACT}, {"text": WISH})
    (tmp_path / "LEARNINGS.md").write_text(
        "## [2026-01-02] Else\n\nQuite another thing.\n\n**Source**: sessions/a.jsonl#t0\n"
    )
    assert sources(proposed(tmp_path)) == ["sessions/a.jsonl#t1"]


def test_what_memory_says_already_is_less_new(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": FACT})
    (tmp_path / "LEARNINGS.md").write_text(
        "## [2026-01-02] Rain\n\nIt rains in Lisbon.\n\n## [2026-01-01] Tea\n\nTea is hot.\n"
    )
    (found,) = proposed(tmp_path)
    assert 0.8 < found.parts.h < 1
    (tmp_path / "LEARNINGS.md").write_text(f"## [2026-01-02] Move\n\n{FACT}\n")
    assert proposed(tmp_path) == []


def test_what_a_session_says_again_and_again_recurs(tmp_path: Path) -> None:
    store(tmp_path, "a", *[{"text": FACT}] * 4, {"text": WISH})
    store(tmp_path, "b", {"text": FACT})
    found = {one.source: one.parts for one in proposed(tmp_path, "a", "b")}
    assert found["sessions/a.jsonl#t0"].f == pytest.approx(3 / 5)
    assert found["sessions/a.jsonl#t0"].r == pytest.approx(3 / 5)
    assert found["sessions/a.jsonl#t4"].f == 0
    assert found["sessions/b.jsonl#t0"].f == 0  # another session is not asked


def test_a_turn_is_compared_with_those_of_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promotion, "BLOCK", 2)
    store(tmp_path, "a", *[{"text": FACT}] * 5)
    heard: list[int] = []
    known = promotion.memory(str(tmp_path), LIMITS)
    found = promotion.candidates(
        Sessions(str(tmp_path), ["a.jsonl"]), known, TermSpace(), done=heard.append
    )
    assert [round(one.parts.f, 1) for one in found] == [0.2, 0.2, 0.2, 0.2, 0.0]
    sizes = [len(line) for line in (tmp_path / "sessions/a.jsonl").read_bytes().splitlines(True)]
    assert heard == [sum(sizes[:2]), sum(sizes[:4]), sum(sizes)]


def test_a_block_that_holds_nothing_is_not_compared(tmp_path: Path) -> None:
    class Never(TermSpace):
        def of(self, texts: Sequence[str], known: int | None = None) -> TermVectors:
            raise EmbeddingError(f"asked for {len(texts)}, {known}")

    store(tmp_path, "a", {"text": TALK})
    known = promotion.memory(str(tmp_path), LIMITS)
    assert promotion.candidates(Sessions(str(tmp_path), ["a.jsonl"]), known, Never()) == []
    store(tmp_path, "a", {"text": FACT})
    with pytest.raises(EmbeddingError, match="asked for 1, None"):
        promotion.candidates(Sessions(str(tmp_path), ["a.jsonl"]), known, Never())


def test_a_session_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": FACT})
    (tmp_path / "sessions" / "b.jsonl").mkdir()
    said: list[str] = []
    found = promotion.candidates(
        Sessions(str(tmp_path), ["b.jsonl", "a.jsonl"]),
        promotion.memory(str(tmp_path), LIMITS),
        TermSpace(),
        refused=said.append,
    )
    assert sources(found) == ["sessions/a.jsonl#t0"]
    assert said == ["sessions/b.jsonl: is a directory, not a file; left out"]


def test_a_citation_is_one_word_whatever_the_id() -> None:
    for name, turn, cited in (
        ("a.jsonl", "D1:3", "sessions/a.jsonl#D1:3"),
        ("a.jsonl", "x y|**z", "sessions/a.jsonl#x%20y%7C%2A%2Az"),
        ("a b.jsonl", "<!--", "sessions/a%20b.jsonl#%3C%21--"),
        ("a.jsonl", "\u2028\ud800", "sessions/a.jsonl#%E2%80%A8%3F"),
    ):
        assert promotion.source_of(name, turn) == cited


def test_a_turn_without_an_id_is_cited_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    lines = [{"role": "user", "text": TALK}, {"role": "user", "text": FACT}]
    text = "\n".join(map(json.dumps, lines))
    (tmp_path / "sessions" / "a.jsonl").write_text(text)
    assert sources(proposed(tmp_path)) == ["sessions/a.jsonl#line-2"]


# --- accepting ----------------------------------------------------------------------------

CANDIDATE = Candidate(
    "sessions/a.jsonl#t1", "a", "t1", "user", "Anna", "2026-05-01T10:00:00Z", Parts(), 0.5,
    "decision", "Indent with tabs", DECIDED,
)  # fmt: skip


def accept(root: Path, candidate: Candidate = CANDIDATE, limits: Limits = LIMITS) -> str:
    known = promotion.memory(str(root), limits)
    return promotion.accept(str(root), [candidate], known, limits, NOW)[0]


def test_an_accepted_decision_is_an_entry_that_cites_its_turn(tmp_path: Path) -> None:
    assert accept(tmp_path) == "DECISIONS.md#2026-05-01-100000"
    assert (tmp_path / "DECISIONS.md").read_text() == (
        "# Decisions\n\n## [2026-05-01-100000] Indent with tabs\n\n"
        "**Context**: Said by Anna in session a on 2026-05-01.\n\n"
        f"**Decision**: {DECIDED}\n\n**Source**: sessions/a.jsonl#t1\n"
    )


def test_an_accepted_learning_goes_to_the_learnings_as_they_are_called(tmp_path: Path) -> None:
    (tmp_path / "learnings.md").write_text("# L\n")
    candidate = CANDIDATE._replace(kind="learning", speaker="", ts="soon")
    assert accept(tmp_path, candidate) == "learnings.md#2026-11-21-093000"
    text = (tmp_path / "learnings.md").read_text()
    assert "**Context**: Said by the user in session a.\n\n**Lesson**: " in text


def test_an_entry_is_dated_by_when_it_was_said(tmp_path: Path) -> None:
    for number, (ts, stamp) in enumerate((
        ("2026-05-01T10:00:00+02:00", "2026-05-01-080000"), ("2026-05-01", "2026-05-01-000000"),
        ("2099-01-01T00:00:00Z", "2026-11-21-093000"),
        ("1066-01-01T00:00:00Z", "2026-11-21-093000"),
        ("0001-01-01T00:00:00+14:00", "2026-11-21-093000"), ("", "2026-11-21-093000"),
    )):  # fmt: skip
        root = tmp_path / str(number)
        root.mkdir()
        assert accept(root, CANDIDATE._replace(ts=ts)) == f"DECISIONS.md#{stamp}"
    (tmp_path / "DECISIONS.md").write_text("## [2026-05-01-100000] Other\n\n**Decision**: A.\n")
    assert accept(tmp_path) == "DECISIONS.md#2026-05-01-100001"  # the next free second


POSTGRES = "We decided to use PostgreSQL 15 for the ledger."


def test_what_contradicts_an_entry_is_new_and_no_twin(tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").write_text(f"## [2026-01-02] Db\n\n**Decision**: {POSTGRES}\n")
    for word, other in (("to use", "NOT to use"), ("15", "16"), ("ledger", "exporter")):
        store(tmp_path, "a", {"text": POSTGRES.replace(word, other)})
        (found,) = proposed(tmp_path)
        assert found.parts.h == pytest.approx(0.7)
        assert found.parts.s == 0
        known = promotion.memory(str(tmp_path), LIMITS)
        assert promotion.duplicates(known, [found], TermSpace()).of(0) is None
    store(tmp_path, "a", {"text": POSTGRES})
    assert proposed(tmp_path) == []


def test_what_was_accepted_is_remembered(tmp_path: Path) -> None:
    store(tmp_path, "a", {"text": DECIDED}, {"text": DECIDED})
    (first, second) = proposed(tmp_path)
    (name,) = promotion.accept(
        str(tmp_path), [first], promotion.memory(str(tmp_path), LIMITS), LIMITS, NOW
    )
    known = promotion.memory(str(tmp_path), LIMITS)
    assert known.cited == {first.source}
    assert promotion.duplicates(known, [second], TermSpace()).of(0) == NearDuplicate(
        name, "words", 1.0
    )


def test_no_text_of_a_turn_is_read_as_more_than_text(tmp_path: Path) -> None:
    for text in (
        "a\n\n## [2026-01-01] forged\n\n**Decision**: b", "a\n-->\n```\n# b",
        "a\n\n**Status**: Superseded", "supersedes Old",
        "a\n---\n- b\n\n    c\n\n| d |\n|---|", "\x1b[31m \ud800 \u2028## x",
    ):  # fmt: skip
        path = tmp_path / "DECISIONS.md"
        path.write_text("## [2026-01-01-000000] Old\n\n**Decision**: A.\n")
        name = accept(tmp_path, CANDIDATE._replace(text=text, title=f"T {text}", speaker=text))
        known = promotion.memory(str(tmp_path), LIMITS)
        assert [one.id for one in known.durable] == [name, "DECISIONS.md#2026-01-01-000000"]
        assert known.durable[1].text == "A."


def test_a_file_that_is_over_the_limit_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "DECISIONS.md"
    path.write_text("# D\n" + "x" * 100)
    with pytest.raises(FileError, match=r"DECISIONS\.md: 104 bytes are over the limit of 50"):
        accept(tmp_path, limits=Limits(50, allow_links=False))
    assert path.stat().st_size == 104


@posix
def test_a_link_out_of_the_directory_is_not_written(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "out.md").write_text("# D\n")
    (root / "DECISIONS.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(FileError, match="is a link out of the context directory"):
        accept(root)
    assert (tmp_path / "out.md").read_text() == "# D\n"
    assert os.listdir(root) == ["DECISIONS.md"]


def _checked(before: str, after: str) -> str:
    new = New("T", (("Decision", "d"),))
    check = promotion.checking("DECISIONS.md", "decision", [new])
    return check(before.encode(), after.encode())


ENTRY = "## [2026-11-21-093000] T\n\n**Decision**: d\n"
OTHER = "## [2026-01-01-000000] Old\n\n**Decision**: A.\n"


def test_the_check_wants_exactly_the_entry_and_all_others_as_they_were() -> None:
    assert _checked(OTHER, f"{ENTRY}\n{OTHER}") == ""
    assert _checked(OTHER, OTHER) == "the file would not be read as one entry more"
    assert _checked(OTHER, ENTRY) == "the file would not be read as one entry more"
    more = f"{ENTRY}\n{OTHER}\n{OTHER.replace('01-01', '01-02')}"
    assert _checked(OTHER, more) == "the file would not be read as one entry more"
    edited = f"{ENTRY}\n{OTHER.replace('A.', 'B.')}"
    assert _checked(OTHER, edited) == "other entries would be read otherwise"
    swallowing = f"{ENTRY}\nMore.\n\n{OTHER}"
    assert _checked(OTHER, swallowing) == "the entry would not be read as it was given"
    gone = "---\nstatus: superseded\n---\n"
    assert _checked(gone, f"{gone}{ENTRY}") == "it would be read as superseded"


# --- reversals ----------------------------------------------------------------------------

OLD = (
    "# D\n\n## [2026-01-02-000000] Keep carts in Redis\n\n**Decision**: Carts expire there.\n\n"
    "## [2026-01-01-000000] Report in Redis, too\n\n**Decision**: Reports are counted there.\n"
)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("We no longer keep carts in Redis.", "Keep carts in Redis"),
        ("Instead of Redis we now use Postgres for carts.", "Keep carts in Redis"),
        ("We moved away from Redis for our reports.", "Report in Redis, too"),
        ("We no longer deploy on Fridays.", ""),
        ("Instead of Redis we now use Postgres.", ""),
        ("I keep carts in Redis, too.", ""),
    ],
)
def test_a_reversal_names_the_one_entry_that_it_reverses(
    tmp_path: Path, text: str, old: str
) -> None:
    (tmp_path / "DECISIONS.md").write_text(OLD)
    known = promotion.memory(str(tmp_path), LIMITS)
    (found,) = promotion.reversing([CANDIDATE._replace(text=text)], known)
    titles = {entry.id: entry.title for entry, _ in known.dated}
    assert titles.get(found.supersedes, "") == old


def test_an_accepted_reversal_marks_the_entry_that_it_supersedes(tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").write_text(OLD)
    known = promotion.memory(str(tmp_path), LIMITS)
    text = "We no longer keep carts in Redis."
    told = CANDIDATE._replace(kind="convention", title=text[:-1], text=text)
    (found,) = promotion.reversing([told], known)
    assert found.kind == "decision"
    promotion.accept(str(tmp_path), [found], known, LIMITS, NOW)
    written = (tmp_path / "DECISIONS.md").read_text()
    assert "**Supersedes**: Keep carts in Redis\n" in written
    assert f'**Status**: Superseded by "{text[:-1]}"\n' in written
    left = promotion.memory(str(tmp_path), LIMITS).durable
    assert [one.title for one in left] == [text[:-1], "Report in Redis, too"]


def test_a_decision_supersedes_a_learning_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "LEARNINGS.md").write_text(OLD.replace("Decision", "Lesson"))
    known = promotion.memory(str(tmp_path), LIMITS)
    text = "We no longer keep carts in Redis."
    (found,) = promotion.reversing([CANDIDATE._replace(title=text[:-1], text=text)], known)
    promotion.accept(str(tmp_path), [found], known, LIMITS, NOW)
    assert "**Supersedes**: Keep carts in Redis\n" in (tmp_path / "DECISIONS.md").read_text()
    assert f'Superseded by "{text[:-1]}"' in (tmp_path / "LEARNINGS.md").read_text()


def test_many_are_added_in_one_step_and_the_last_comes_first(tmp_path: Path) -> None:
    many = [CANDIDATE._replace(title=f"Rule {n}", source=f"sessions/a.jsonl#t{n}") for n in "123"]
    known = promotion.memory(str(tmp_path), LIMITS)
    names = promotion.accept(str(tmp_path), many, known, LIMITS, NOW)
    assert names == [f"DECISIONS.md#2026-05-01-10000{n}" for n in "012"]
    left = promotion.memory(str(tmp_path), LIMITS).durable
    assert [one.title for one in left] == ["Rule 3", "Rule 2", "Rule 1"]
