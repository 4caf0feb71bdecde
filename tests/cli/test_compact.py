"""``ctx session compact``, ``expand`` and ``status``: what is said, and how errors end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli import calls
from tests.cli.test_session import environ
from tests.hostile import HANGS
from tests.imported import sessions_of
from tests.keeping import make_repository
from tests.sessions.compacting import session, turns

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    (home / ".context").mkdir(parents=True)
    make_repository(home)
    session(stored(home, "s"), turns(60))
    return home


def ctx(
    cwd: Path, *arguments: str, code: int = 0, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    return calls.ctx(cwd, "session", *arguments, code=code, environ=variables)


def stored(project: Path, name: str) -> Path:
    return sessions_of(project / ".context") / f"{name}.jsonl"


def summaries(project: Path, name: str = "s") -> Path:
    return sessions_of(project / ".context") / "summaries" / f"{name}.jsonl"


SMALL = ("--size", "2", "--budget", "400")


@pytest.fixture
def compacted(project: Path) -> Path:
    ctx(project, "compact", *SMALL)
    return project


def records(project: Path, kind: str = "summary") -> list[dict[str, object]]:
    every = [json.loads(line) for line in summaries(project).read_bytes().splitlines()]
    return [one for one in every if one["type"] == kind]


def lines_of(one: dict[str, object]) -> list[int]:
    spans = one["lines"]
    assert isinstance(spans, list)
    return [line for first, last in spans for line in range(first, last + 1)]


# --- compact --------------------------------------------------------------------------------


def test_json_tells_the_same(project: Path) -> None:
    (told,) = json.loads(ctx(project, "compact", *SMALL, "--json").stdout)["sessions"]
    low = [one for one in records(project) if one["level"] == 1]
    assert told["id"] == "s"
    assert told["file"] == "sessions/s.jsonl"
    assert told["turns"] == sum(len(lines_of(one)) for one in low)
    assert told["summaries"] == {"1": len(low), "2": len(records(project)) - len(low)}
    assert told["elevated"] == len(records(project, "elevated"))
    assert told["tokens"] == sum(int(str(one["tokens"])) for one in low)
    assert told["ratio"] == round(told["covered"] / told["tokens"], 2)
    mean = sum(float(str(one["confidence"])) for one in records(project)) / len(records(project))
    assert told["confidence"] == round(mean, 3)
    assert told["declined"] == told["not_as_asked"] == {}


def test_a_dry_run_writes_nothing_and_says_the_same(project: Path) -> None:
    before = sorted(os.walk(project / ".context"))
    dry = json.loads(ctx(project, "compact", *SMALL, "--dry-run", "--json").stdout)
    plain = ctx(project, "compact", *SMALL, "--dry-run").stdout.decode()
    assert sorted(os.walk(project / ".context")) == before
    (told,) = json.loads(ctx(project, "compact", *SMALL, "--json").stdout)["sessions"]
    (planned,) = dry["sessions"]
    assert dry["dry_run"] is True
    for name in ("turns", "elevated", "tail"):
        assert planned[name] == told[name]
    assert planned["summaries"] == {"1": told["summaries"]["1"]}
    assert plain == (
        f"s: {told['turns']} turns in {told['summaries']['1']} clusters would be summarised, "
        f"{told['elevated']} elevated\n"
    )


def test_one_session_is_named_by_how_it_begins(project: Path) -> None:
    session(stored(project, "other"), [{**one, "session": "other"} for one in turns(40)])
    done = ctx(project, "compact", "--session", "oth", *SMALL)
    assert done.stdout.startswith(b"other: ")
    assert os.listdir(summaries(project).parent) == ["other.jsonl"]
    done = ctx(project, "compact", "--session", "none", code=2)
    assert b"no session 'none' is stored here" in done.stderr


@pytest.mark.parametrize(("size", "wanted"), [("-3", 20), ("7", 7)])
def test_a_size_that_is_not_positive_is_twenty(project: Path, size: str, wanted: int) -> None:
    for mistake in ("x", "1.5", "", "--2"):
        done = ctx(project, "compact", f"--size={mistake}", code=2)
        assert b"is not a whole number" in done.stderr
        assert not summaries(project).exists()
    ctx(project, "compact", "--size", size, "--budget", "400")
    assert records(project, "run")[0]["size"] == wanted


def test_without_sessions_there_is_a_hint(tmp_path: Path) -> None:
    (tmp_path / ".context").mkdir()
    for command in ("compact", "status"):
        done = ctx(tmp_path, command)
        assert done.stdout == b""
        assert b"no sessions are stored here (`ctx session import FILE`" in done.stderr
    ctx(tmp_path / "..", "compact", "--dir", str(tmp_path / "none"), code=4)


def test_what_a_packet_says_as_tail_is_not_summarised(project: Path) -> None:
    ctx(project, "compact", *SMALL)
    covered = {line for one in records(project) for line in lines_of(one)}
    told = ctx(project, "tail", "s", "--budget", "400", "--json").stdout.splitlines()
    whole = stored(project, "s").read_bytes().splitlines()
    assert told
    assert not covered & {whole.index(line) + 1 for line in told}


def test_a_session_that_cannot_be_read_does_not_stop_the_others(project: Path) -> None:
    stored(project, "odd").mkdir()
    summaries(project).parent.mkdir()
    session(stored(project, "taken"), turns(40))
    summaries(project, "taken").mkdir()
    done = ctx(project, "compact", *SMALL, code=6)
    assert done.stdout.startswith(b"s: ")
    assert b"odd.jsonl: is a directory" in done.stderr
    assert b"taken.jsonl: is a directory" in done.stderr
    assert done.stderr.count(b"\n") == 2


def test_an_embedder_that_cannot_be_used_is_exit_7(project: Path) -> None:
    for name in ("local:/nowhere", "openai:m@http://127.0.0.1:9/v1"):
        done = ctx(project, "compact", "--embedder", name, code=7)
        assert done.stderr.count(b"\n") == 1
    ctx(project, "compact", "--embedder", "nonsense", code=2)
    assert not summaries(project).exists()


@posix
def test_a_summariser_that_fails_is_given_up_and_said(project: Path) -> None:
    done = ctx(project, "compact", *SMALL, "--summariser", "command:false")
    assert done.stderr.count(b"s: the summariser is not asked again: abstractive failed: ") == 1
    assert b" not as asked for (" in done.stdout
    assert {one["method"] for one in records(project)} <= {"extractive", "trivial"}


OBEYS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ctx.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""Who runs the tests in the background has them ignore interrupts."""


@posix
def test_who_interrupts_it_is_told_that_it_goes_on(project: Path) -> None:
    session(stored(project, "s"), turns(1_200, 60))
    with subprocess.Popen(
        [sys.executable, "-c", OBEYS, "session", "compact", *SMALL],
        cwd=project,
        env=environ(project),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None:
            if summaries(project).exists() and summaries(project).stat().st_size > 5_000:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert err == (
        b"ctx: what is summarised is kept: running it again goes on from there\nctx: interrupted\n"
    )
    data = summaries(project).read_bytes()
    assert data.endswith(b"\n")
    assert all(json.loads(line) for line in data.splitlines())
    ctx(project, "compact", *SMALL)
    assert summaries(project).read_bytes().startswith(data)


# --- expand ---------------------------------------------------------------------------------


def test_all_expanded_and_the_rest_is_the_session(compacted: Path) -> None:
    whole = stored(compacted, "s").read_bytes().splitlines(keepends=True)
    found: dict[int, bytes] = {}
    for one in records(compacted):
        shown = ctx(compacted, "expand", str(one["id"]), "--json").stdout
        assert shown == b"".join(whole[line - 1] for line in lines_of(one))
        if one["level"] == 1:
            found |= dict(zip(lines_of(one), shown.splitlines(keepends=True), strict=True))
    rest = {number: line for number, line in enumerate(whole, 1) if number not in found}
    assert len(found) > 30
    assert b"".join(line for _, line in sorted({**found, **rest}.items())) == b"".join(whole)


def test_how_an_id_begins_is_enough_where_only_one_does(compacted: Path) -> None:
    top = next(one for one in records(compacted) if one["level"] == 2)
    assert ctx(compacted, "expand", "s2").stdout == ctx(compacted, "expand", str(top["id"])).stdout
    many = ctx(compacted, "expand", "s1-", code=2).stderr.decode()
    assert "more than one is called so, or begins so: s#s1-" in many
    assert many.endswith(", …\n")
    wrong = str(top["id"])[:-1] + "x"
    close = ctx(compacted, "expand", wrong, code=2).stderr.decode()
    assert f"(close to it: {top['id']}" in close
    none = ctx(compacted, "expand", "zzzzzz", code=2).stderr.decode()
    assert "no summary and no turn 'zzzzzz' is stored here (`ctx session status`" in none
    ctx(compacted, "expand", "", code=2)


def test_an_id_as_packets_say_it_is_understood(compacted: Path) -> None:
    one = records(compacted)[0]
    wanted = ctx(compacted, "expand", str(one["id"])).stdout
    for where in ("sessions/summaries/s.jsonl", "sessions/s.jsonl", "s"):
        assert ctx(compacted, "expand", f"{where}#{one['id']}").stdout == wanted
    turn = ctx(compacted, "expand", "sessions/s.jsonl#t5", "--json").stdout
    assert turn == stored(compacted, "s").read_bytes().splitlines(keepends=True)[5]


def test_a_session_that_has_changed_is_said_and_shown(compacted: Path) -> None:
    low, top = records(compacted)[0], next(one for one in records(compacted) if one["level"] == 2)
    path = stored(compacted, "s")
    whole = path.read_bytes().splitlines(keepends=True)
    at = lines_of(low)[0] - 1
    whole[at] = b"torn\n"
    path.write_bytes(b"".join(whole))
    for one in (low, top):
        done = ctx(compacted, "expand", str(one["id"]), "--json", code=6)
        assert done.stdout == b"".join(whole[line - 1] for line in lines_of(one))
        assert done.stderr.decode() == (
            f"ctx: sessions/s.jsonl: has changed since {one['id']} was made: these are not the "
            "turns that it was made of\n"
        )
    assert b"```\ntorn\n```" in ctx(compacted, "expand", str(low["id"]), code=6).stdout
    ctx(compacted, "expand", str(records(compacted)[1]["id"]))
    path.write_bytes(b"".join(whole[: at + 1]))
    ctx(compacted, "expand", str(top["id"]), code=6)


def test_a_session_that_is_gone_is_said(compacted: Path) -> None:
    one = records(compacted)[0]
    session(stored(compacted, "b"), turns(9))
    many = ctx(compacted, "expand", "t5", code=2).stderr.decode()
    assert many.endswith("begins so: b#t5, s#t5\n")
    stored(compacted, "s").unlink()
    done = ctx(compacted, "expand", str(one["id"]), code=6)
    assert done.stdout == b""
    assert done.stderr.decode().startswith(
        f"ctx: sessions/s.jsonl: is gone, and with it the {one['turns']} turns that {one['id']} "
    )
    ctx(compacted, "expand", str(one["id"]), "--lineage")
    status = ctx(compacted, "status").stderr.decode()
    assert "sessions/summaries/s.jsonl: summarises a session that is gone" in status


def test_lineage_leads_up_and_down(compacted: Path) -> None:
    low = records(compacted)[0]
    top = next(one for one in records(compacted) if one["level"] == 2)
    told = json.loads(ctx(compacted, "expand", str(low["id"]), "--lineage", "--json").stdout)
    assert (told["kind"], told["level"], told["session"]) == ("summary", 1, "s")
    assert told["sources"] == low["sources"]
    assert [one["id"] for one in told["parents"]] == [top["id"]]
    text = ctx(compacted, "expand", str(low["id"]), "--lineage").stdout.decode()
    assert text.startswith(f"summary {low['id']} · level 1 · extractive · confidence 0.")
    assert f"\npart of: {top['id']} · level 2 · extractive · " in text
    assert "\nsources: " in text
    over = json.loads(ctx(compacted, "expand", "s2", "--lineage", "--json").stdout)
    assert over["parents"] == []
    assert low["id"] in over["sources"]


def test_the_lineage_of_a_turn_says_what_became_of_it(compacted: Path) -> None:
    def state(turn: str) -> dict[str, object]:
        told: dict[str, object] = json.loads(
            ctx(compacted, "expand", turn, "--lineage", "--json").stdout
        )
        return told

    low = records(compacted)[0]
    covered = state("line-1" if lines_of(low)[0] == 1 else f"t{lines_of(low)[0] - 1}")
    assert covered["state"] == "covered"
    parents = covered["parents"]
    assert isinstance(parents, list)
    assert [one["level"] for one in parents] == [1, 2]
    assert parents[0]["id"] == low["id"]
    assert (state("t13")["state"], state("t13")["parents"]) == ("elevated", [])
    assert state("t59")["state"] == "not compacted"
    text = ctx(compacted, "expand", "t59", "--lineage").stdout.decode()
    assert text == "turn t59 · line 60 of s (sessions/s.jsonl)\nstate: not compacted\n"


# --- status ---------------------------------------------------------------------------------


def test_status_adds_up(compacted: Path) -> None:
    session(stored(compacted, "b"), [{**one, "session": "b"} for one in turns(30)])
    told = json.loads(ctx(compacted, "status", "--json", CTX_BUDGET="400").stdout)
    other, one = told["sessions"]
    assert (one["id"], other["id"]) == ("s", "b")
    assert one["turns"] == 60
    assert one["turns"] == one["tail"] + one["covered"] + one["elevated"] + one["declined"]
    assert one["not_compacted"] == 0
    assert other["turns"] == other["tail"] + other["not_compacted"]
    assert other["not_compacted"] > 0
    assert one["summaries"]["2"] == 1
    assert sum(one["methods"].values()) == sum(one["summaries"].values())
    assert one["ratio"] == round(one["covered_tokens"] / one["summary_tokens"], 2)
    assert (other["ratio"], other["confidence"]) == (None, None)
    for name in ("turns", "tail", "covered", "elevated", "declined", "not_compacted"):
        assert told["total"][name] == one[name] + other[name]
    assert told["total"]["sessions"] == 2
    assert told["total"]["confidence"] == one["confidence"]
    lines = ctx(compacted, "status", CTX_BUDGET="400").stdout.decode().splitlines()
    assert lines[0].startswith("b: 30 turns, ")
    assert "not compacted yet" in lines[0]
    assert f"{one['covered']} summarised" in lines[1]
    assert lines[2].startswith("2 sessions: 90 turns, ")
    (only,) = ctx(compacted, "status", "--session", "s").stdout.decode().splitlines()
    assert only.startswith("s: 60 turns, ")


def test_status_counts_lines_that_do_not_count(compacted: Path) -> None:
    before = json.loads(ctx(compacted, "status", "--json").stdout)["sessions"]
    data = summaries(compacted).read_bytes()
    doubled = next(line for line in data.splitlines() if b'"type": "summary"' in line)
    summaries(compacted).write_bytes(data + doubled + b"\ntorn\n")
    done = ctx(compacted, "status", "--json")
    assert json.loads(done.stdout)["sessions"] == before
    assert b"sessions/summaries/s.jsonl: 2 lines do not count\n" in done.stderr


def test_a_summariser_that_is_not_there_is_exit_7_and_writes_nothing(project: Path) -> None:
    done = ctx(project, "compact", "--summariser", "command:no-such-program", code=7)
    assert b"there is no such program" in done.stderr
    assert not summaries(project).exists()


def test_only_the_newest_session_keeps_a_whole_tail(project: Path) -> None:
    for name, day in (("old", "2026-01-01"), ("new", "2026-03-01")):
        rows = [{**one, "session": name, "ts": f"{day}T00:00:00Z"} for one in turns(40)]
        session(stored(project, name), rows)
    told = json.loads(ctx(project, "status", "--json").stdout)
    tails = {one["id"]: one["tail"] for one in told["sessions"]}
    assert tails["old"] == tails["s"] == 4
    assert tails["new"] > 4


def test_a_run_that_would_be_cut_otherwise_now_ends_and_a_new_one_goes_on(project: Path) -> None:
    rows = [{**one, "session": "r"} for one in turns(100)]
    for row in rows:
        row.pop("bundle", None)
    session(stored(project, "r"), rows)
    ctx(project, "compact", "--session", "r", "--budget", "0")
    path = summaries(project, "r")
    lines = path.read_bytes().splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if b'"summary"' in line)
    path.write_bytes(b"".join(lines[: first + 1]))
    for row in rows[12:26]:
        row["bundle"] = "one"
    stored(project, "r").unlink()
    session(stored(project, "r"), rows)
    done = ctx(project, "compact", "--session", "r", "--budget", "0")
    assert b"a bug" not in done.stderr
    told = [json.loads(line) for line in path.read_bytes().splitlines()]
    melted = [one for one in told if "lines" in one and one.get("level", 1) == 1]
    covered = [at for one in melted for at in lines_of(one)]
    elevated = [one["line"] for one in told if one["type"] == "elevated"]
    assert sorted(covered + elevated) == list(range(1, 97))
