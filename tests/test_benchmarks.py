"""The data that searches and packets are measured with, and whether the measures can fail."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import datasets, names, packet_contents, recall, relevance
from benchmarks.forms import AS_ASKED, FILES, OTHER_FILES, forms, framed, sentence
from benchmarks.work_sessions import sessions_of_work
from ctx.app.options import PacketOptions
from ctx.app.walk import directory, pack
from ctx.app.workspace import Workspace
from ctx.model import Entry, Library, Packet, ParseCache
from ctx.text.tokens import counter
from ctx.world import World

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
HERE = Path(relevance.__file__).parent
RUN = 8
"""Words in a row that no two frames share."""
HOSTS = ("alder", "rowan")
"""Names in ``hops.txt`` without a capital or a digit."""
LABELLED = json.loads((HERE / "relevance.json").read_text(encoding="utf-8"))
ASKED = {
    "labelled": [(row["question"], FILES[row["corpus"]]) for row in LABELLED],
    "others": [
        (text, OTHER_FILES) for name in relevance.OFF_TOPIC for text in relevance._others(name)
    ],
    "names": [
        (row["query"], FILES[row["dir"]])
        for row in json.loads(names.QUERIES.read_text(encoding="utf-8"))
    ],
}
present = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="corpora that are not part of the project"
)


# --- forms ----------------------------------------------------------------------------------


def test_two_forms_of_four_are_kept_aside() -> None:
    assert Counter(form.held for form in forms().values()) == {True: 2, False: 2}


@pytest.mark.parametrize("name", forms())
def test_a_form_has_many_frames_with_one_place_for_the_question(name: str) -> None:
    frames = forms()[name].frames
    assert len({*frames}) == len(frames) >= 25
    for frame in frames:
        assert frame.count("{q}") == 1, frame
        assert ("{p0}" in frame or "{p1}" in frame) == (name == "pasted"), frame
        assert not re.search(r"\{[qp][2-9]\}", frame), frame
        assert not re.search(r"\w@[a-z]+\.[a-z]{2}|\+?\d{3}[ -]\d{3}[ -]\d{3}", frame), frame
        if name == "task":
            assert 150 <= len(frame.split()) <= 400, frame


def test_no_frame_has_text_of_another() -> None:
    runs: dict[tuple[str, ...], str] = {}
    for name, form in forms().items():
        for frame in form.frames:
            words = re.findall(r"\w+", frame)
            for run in {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}:
                assert runs.setdefault(run, frame) == frame, (name, run)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", forms())
def test_a_question_is_whole_in_each_form_always_in_the_same_frame(asked: str, name: str) -> None:
    drawn = set()
    for question, files in ASKED[asked]:
        text = framed(name, question, files)
        assert question in text
        assert text == framed(name, question, files)
        assert len(text) > len(question) + 40
        assert not re.search(r"\{[qp]\d?\}", text)
        assert (name == "pasted") == any(file in text for file in files)
        drawn.add(text.replace(sentence(question), ""))
    assert len(drawn) >= 20


def test_there_are_two_hundred_questions_about_other_subjects() -> None:
    assert len(ASKED["others"]) >= 200
    assert framed(AS_ASKED, "Redis") == "Redis"


def test_what_is_kept_aside_is_not_shown() -> None:
    halves = {row["half"] for row in LABELLED}
    shown = {
        (half, name)
        for half in halves
        for name in (AS_ASKED, *forms())
        if not relevance._is_aside({"half": half}, name)
    }
    assert shown == {
        (half, name) for half in ("dev", "second") for name in (AS_ASKED, "filler", "pasted")
    }


# --- labels ---------------------------------------------------------------------------------


def _entries(root: Path) -> list[Entry]:
    workspace = Workspace(PacketOptions(query="?"), World(), root=str(root))
    request = workspace.request()

    def read(cache: ParseCache, library: Library) -> list[Entry]:  # noqa: ARG001
        parts = directory(request, cache, whole=True).parts
        return [part.entry(place) for part in parts for place in range(len(part))]

    return workspace.walk(read, request)


@pytest.mark.parametrize(
    "name",
    [
        "webshop",
        "ctx",
        *(
            pytest.param(each, marks=present)
            for each in sorted({*FILES} - {"adr-beis", "compass", "ctx", "webshop"})
        ),
    ],
)
def test_labels_name_entries_that_there_are(tmp_path: Path, name: str) -> None:
    entries = _entries(relevance._labelled(name, CORPORA, tmp_path))
    for row in LABELLED:
        if row["corpus"] == name:
            assert relevance._lost(row["entries"], entries) == []
            assert relevance._lost(row["entries"], []) == row["entries"]


def test_questions_that_gather_have_several_turns() -> None:
    asked = [each for one in sessions_of_work("gather") for each in one.questions]
    assert len(asked) >= 40
    assert {*Counter(each.kind for each in asked)} == {
        "which",
        "every",
        "develop",
        "compare",
        "list",
    }
    assert all(3 <= len(each.gold) <= 12 for each in asked)
    (case,) = datasets.SETS["gather"](HERE / "work-gather.txt")
    assert [one.gold for one in case.questions] == [each.gold for each in asked]


def test_each_two_hops_go_over_a_name_that_the_question_lacks(tmp_path: Path) -> None:
    *projects, together = datasets.SETS["hops"](HERE / "hops.txt")
    assert sum(len(case.questions) for case in projects) == len(together.questions) == 40
    together.write(tmp_path)
    entries = {entry.title: entry for entry in _entries(tmp_path)}
    for question in together.questions:
        assert len(question.gold) == 2
        first, second, asked = (
            set(re.findall(r"[\w-]+", text)) for text in (*question.gold, question.text)
        )
        names_ = {name for name in first & second if not name.islower() or name in HOSTS}
        assert names_ - asked, question
        assert question.gold <= {*entries}
        assert question.gold == {together.item(entries[title]) for title in question.gold}


def test_a_hundred_questions_are_asked_of_eight_directories() -> None:
    asked = packet_contents.questions()
    assert {*asked} <= {*packet_contents.ASKED}
    assert len(asked) == 8
    assert len({text for each in asked.values() for text in each}) == 100


# --- the measures can fail --------------------------------------------------------------------


def test_a_form_that_hides_the_question_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in LABELLED if row["corpus"] == "webshop" and row["entries"]][:3]
    options = argparse.Namespace(
        corpora=CORPORA, every=60, only=None, everywhere=False, misses=False, show_held=False
    )
    plain = relevance._in_form(AS_ASKED, rows, options, "none")
    assert plain.rejected == (1.0, 1.0)
    monkeypatch.setattr(
        relevance,
        "framed",
        lambda *given: "how is saffron harvested" if len(given) > 2 else "how are refunds booked?",
    )
    hidden = relevance._in_form("filler", rows, options, "none")
    assert hidden.found[0] == 0 < plain.found[0]
    assert hidden.nothing == (1.0, 1.0)
    assert hidden.rejected == (0.0, 0.0)


def _packets(root: Path, query: str, budgets: list[int]) -> list[Packet]:
    workspace = Workspace(PacketOptions(query=query, as_of="2026-03-02"), World(), root=str(root))
    request = workspace.request()

    def work(cache: ParseCache, library: Library) -> list[Packet]:
        context = directory(request, cache)
        count = counter("heuristic")
        return [pack(context, request._replace(budget=each), count, library) for each in budgets]

    return workspace.walk(work, request)


def test_falls_gaps_and_lacking_answers_are_counted(tmp_path: Path) -> None:
    (tmp_path / "DECISIONS.md").write_text(
        "# Decisions\n\n## [2026-03-01-080000] Refunds are bookings of their own\n\n"
        + "A refund points to its payment, and the payment is never edited. " * 12,
        encoding="utf-8",
    )
    (entry,) = _entries(tmp_path)
    said = packet_contents.answering(entry, {"payment": 1.0, "edit": 2.0})
    assert said.startswith("A refund points to its payment")
    assert packet_contents.answering(entry, {"book": 3.0}) == entry.title
    piece = packet_contents.Piece(entry, said, 30)
    packets = _packets(tmp_path, "refund payment", [4_000, 100])
    falling = packet_contents.first_hits("", [piece], packets)
    assert (falling.steps, falling.falls, falling.first) == (1, 1, {4_000: 1.0})
    assert falling.is_missed
    rising = packet_contents.first_hits("", [piece], packets[::-1])
    assert rising.falls == 0
    other = packet_contents.Piece(entry, "Nobody ever wrote down such a sentence anywhere", 30)
    lacking = packet_contents.first_hits("", [other], packets[:1])
    assert lacking.first == {4_000: 0.0}
    assert len(lacking.used) == 1
    assert lacking.used[0] < 0.5
    assert packet_contents.first_hits("", [], packets).unanswered == 1


def test_a_sentence_is_found_without_its_marks() -> None:
    text = packet_contents._plain("1. [ ] Print **labels** without an account\n   Blocked by all.")
    assert packet_contents.holds(text, "Print labels without an account #blocked @ann")
    assert not packet_contents.holds(text, "Print stamps with an account for every day")
    assert not packet_contents.holds(text, "label")


def test_a_baseline_that_finds_more_is_listed() -> None:
    scores = [recall.Score("which", "1,000", 0.5), recall.Score("which", "2,000", 0.9, 1)]
    more = [score._replace(recall=score.recall + 0.006) for score in scores[:1]] + scores[1:]
    assert recall._more(scores, scores) == []
    assert recall._more(more, scores) == [
        "all at 1,000: 0.506, here 0.500",
        "which at 1,000: 0.506, here 0.500",
    ]
    assert recall._folds([scores[0], scores[0]._replace(recall=0.7, case=1)], 2) == {
        "1,000": [0.6, 0.1, 0.5, 0.7]
    }


def test_plain_bm25_ranks_by_words_alone(tmp_path: Path) -> None:
    *_, together = datasets.SETS["hops"](HERE / "hops.txt")
    together.write(tmp_path)
    workspace = Workspace(PacketOptions(query="?"), World(), root=str(tmp_path))
    request = workspace.request()

    def work(cache: ParseCache, library: Library) -> list[str]:  # noqa: ARG001
        plain = recall._Plain(directory(request, cache).parts)
        return [entry.title for entry in plain.ranked('who signs with "Corvus" OR card?')]

    found = workspace.walk(work, request)
    assert found[0] in (
        "Prescriptions are signed with the Corvus module",
        "Corvus needs a card reader of class 3",
    )
    assert "Printers jam when the paper is from the cellar" not in found
