"""How many turns wait to be proposed, counted as sessions grow."""

import json
import os
from pathlib import Path
from unittest import mock

import pytest

from ctx.app import promotion, waiting
from ctx.read import stored
from ctx.text.vector_space import TermSpace
from tests.app.test_promotion import DECIDED, LIMITS, TALK, store

FOUND = "The cause was the pool: it has ten connections, and the worker takes them all."
CALL = f"[tool_use Bash] {json.dumps({'command': f'echo {DECIDED}'})}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    turns = [{"text": text} for text in (TALK, DECIDED, FOUND, CALL)]
    store(tmp_path, "a", *turns, {"text": DECIDED, "role": "tool"})
    return tmp_path


def count(root: Path, most: int = waiting.MOST) -> int:
    return waiting.waiting(str(root), str(root), most)[0]


def test_turns_are_counted_that_promotion_may_propose(root: Path) -> None:
    assert count(root) == len(promotion.candidates(
        promotion.Sessions(str(root), ["a.jsonl"]), promotion.memory(str(root), LIMITS),
        TermSpace(),
    )) == 2  # fmt: skip


def test_what_was_skipped_or_cited_does_not_wait(root: Path) -> None:
    promotion.skip(str(root), "sessions/a.jsonl#t1")
    assert count(root) == 1
    (root / "DECISIONS.md").write_text("**Source**: sessions/a.jsonl#t2\n")
    assert count(root) == 0


def test_only_what_is_new_is_read_and_no_more_than_asked_for(root: Path) -> None:
    assert count(root) == 2
    with mock.patch.object(waiting, "_read", side_effect=AssertionError):
        assert count(root) == 2
    file = root / "sessions" / "a.jsonl"
    with file.open("a") as end:
        for at in range(3):
            end.write(json.dumps({"id": f"n{at}", "role": "user", "text": DECIDED}) + "\n")
        end.write('{"id": "torn", "role": "user"')
    found = [waiting.waiting(str(root), str(root), 1) for _ in range(4)]
    assert found == [(3, True), (4, True), (5, True), (5, False)]
    # Rewritten and shorter: it is read from its beginning.
    store(root, "a", {"text": DECIDED})
    assert count(root) == 1
    os.remove(file)
    assert count(root) == 0
    assert not stored.names(str(root))


@pytest.mark.parametrize("data", [b"[]", b"{", b'{"a.jsonl": 1}', b"\xff"])
def test_a_damaged_count_counts_nothing_and_raises_nothing(root: Path, data: bytes) -> None:
    (root / "waiting").write_bytes(data)
    assert count(root) in (0, 2)
