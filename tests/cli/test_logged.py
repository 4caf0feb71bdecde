"""``--log-json``: the figures of a packet as one line on standard error, and never a text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import digest_of
from tests.hostile import environment
from tests.imported import sessions_of
from tests.rank.hands import Done, call

AS_OF = "2026-02-01"
NAMES = [
    "event", "request_id", "planner", "planner_ms", "candidate_count", "tokens_selected",
    "coverage_entities", "diversity_score", "mean_benefit", "top3", "hits", "misses", "evictions",
    "cache_hit_rate",
    "budget", "tokens", "degraded", "overshoot", "cached",
]  # fmt: skip
PLANNERS = ("tiered", "acs")


def _agent(*options: str) -> Done:
    return call("agent", "--as-of", AS_OF, *options, later=60)


def _line(done: Done) -> dict[str, object]:
    """Return the one line of JSON among the lines on standard error."""
    (line,) = [line for line in done.err.splitlines() if line.startswith("{")]
    found = json.loads(line)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("planner", "format_"), [("tiered", "md"), ("acs", "json")])
@pytest.mark.usefixtures("shop")
def test_it_is_exactly_one_line_of_json(planner: str, format_: str) -> None:
    options = ("--planner", planner, "--format", format_)
    done = _agent(*options, "--log-json")
    assert (done.code, done.err.count("\n"), done.err[-1]) == (0, 1, "\n")
    without = _agent(*options)
    assert (without.out, without.err) == (done.out, "")
    line = _line(done)
    assert list(line) == NAMES
    assert (line["event"], line["planner"], line["budget"]) == ("ctx.packet", planner, 8000)
    assert (line["degraded"], line["overshoot"], line["cached"]) == (False, False, False)


@pytest.mark.usefixtures("shop")
def test_figures_are_those_of_the_packet() -> None:
    done = _agent("--planner", "acs", "--format", "json", "--session", "s", "--log-json")
    line, said = _line(done), json.loads(done.out)
    assert line["tokens"] == said["tokens_used"]
    shared = set(said["metrics"]) & set(line)
    assert {name: line[name] for name in shared} == {name: said["metrics"][name] for name in shared}
    assert shared == set(said["metrics"])


@pytest.mark.usefixtures("shop")
def test_other_lines_stay_as_they_are() -> None:
    options = ("--budget", "300", "--context-length", "200000")
    plain, logged = _agent(*options), _agent(*options, "--log-json")
    assert plain.err.count("\n") == 2
    assert logged.err.startswith(plain.err)
    assert _line(logged)["degraded"] is True


@pytest.mark.usefixtures("shop")
def test_an_answer_from_the_store_says_so() -> None:
    options = ("--log-json", "--planner", "acs")
    first = _agent(*options)
    with mock.patch("ctx.app.packet.compose", side_effect=AssertionError("made anew")):
        second = _agent(*options)
    assert (second.code, second.out, second.err.count("\n")) == (0, first.out, 1)
    expected = {**_line(first), "cached": True, "planner_ms": 0.0}
    assert _line(second) == expected


@pytest.mark.usefixtures("shop")
def test_what_is_not_said_is_logged_all_the_same() -> None:
    options = ("--session", "s", "--delta", "--log-json")
    first, second = _agent(*options), _agent(*options)
    assert (second.out, _line(second)["misses"]) == (b"", 0)
    assert _line(second)["hits"] == _line(first)["misses"] != 0


def test_an_account_is_logged_too(shop: Path) -> None:
    done = _agent("--explain", "--log-json")
    assert _line(done)["tokens"]
    assert f"{shop}" not in done.err


# --- hashed ids ---------------------------------------------------------------------------


def test_hashed_ids_need_a_line_to_stand_in(shop: Path) -> None:
    done = _agent("--hash-ids")
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert "--log-json" in done.err
    assert shop.name == "shop"


@pytest.mark.usefixtures("shop")
def test_hashed_ids_are_the_ids_hashed() -> None:
    options = ("--log-json", "--planner", "acs")
    plain, hashed = (_line(_agent(*options, *more))["top3"] for more in ((), ("--hash-ids",)))
    assert isinstance(plain, list)
    assert len(plain) == 3
    assert hashed == [{**one, "id": digest_of(one["id"])} for one in plain]
    assert _line(_agent(*options, "--hash-ids"))["top3"] == hashed  # from the store


@pytest.mark.usefixtures("shop")
def test_hashed_ids_are_the_same_in_every_process() -> None:
    """Python salts its own hashes anew in each."""
    command = [sys.executable, "-m", "ctx", "agent", "--log-json", "--hash-ids", "--as-of", AS_OF]
    told = []
    for seed in ("1", "2"):
        done = subprocess.run(
            command,
            env=environment(HOME="/-", PYTHONHASHSEED=seed, CTX_NO_CACHE="1"),
            check=True,
            capture_output=True,
        )
        told.append(json.loads(done.stderr)["top3"])
    assert told[0] == told[1]
    assert all(len(one["id"]) == 16 for one in told[0])


# --- never a text -------------------------------------------------------------------------

_secrets = st.text("qxzj", min_size=6, max_size=12)


@given(
    words=st.lists(_secrets, min_size=8, max_size=8, unique=True),
    planner=st.sampled_from(PLANNERS),
    dated=st.booleans(),
    hashed=st.booleans(),
)
@settings(max_examples=10)
def test_no_text_is_in_the_line(words: list[str], planner: str, dated: bool, hashed: bool) -> None:
    """Titles neither, save in the ids of entries without a date, which are made of them."""
    rule, task, title, body, lesson, turn, query, file = words
    date = "[2026-01-31-120000] " if dated else ""
    with TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        root.mkdir(parents=True)
        (root / "CONSTITUTION.md").write_text(f"- {rule}\n")
        (root / "TASKS.md").write_text(f"- [ ] {task} #in-progress\n")
        (root / "DECISIONS.md").write_text(f"## {date}{title}\n\n{body} {query} `{file}.py`\n")
        (root / "LEARNINGS.md").write_text(f"## {date}{title}\n\n**Lesson**: {lesson}\n")
        row = {
            "id": "1",
            "role": "user",
            "session": "s",
            "ts": "2026-01-05T10:00:00Z",
            "text": turn,
        }
        (sessions_of(root) / "s.jsonl").write_text(json.dumps(row) + "\n")
        more = ("--hash-ids",) if hashed else ()
        done = call(
            "agent", "--dir", folder, "--log-json", "--planner", planner, "--query", query,
            "--focus", f"{file}.py", "--session", "s", *more,
        )  # fmt: skip
    assert done.code == 0
    for word in words:
        assert word in done.text or word in (query, file)
        assert word not in done.err or (word == title and not dated and not hashed)
