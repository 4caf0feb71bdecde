"""``ctx status``: what is shown of each file, and what to do first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctx.app.status import age
from tests.checks.faults import CLEAN, DECISIONS, LEARNINGS, write
from tests.rank.hands import Done, call


def status(root: Path, *options: str, **environ: str) -> Done:
    return call("status", "--dir", str(root), *options, environ=environ)


def told(root: Path, *options: str, **environ: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(status(root, "--json", *options, **environ).text)
    return answer


def test_ages_are_told_in_days_and_weeks() -> None:
    ages = {None: "–", -3: "to come", 0: "today", 1: "1 day", 13: "13 days", 14: "2 weeks"}
    ages |= {20: "2 weeks", 21: "3 weeks", 7_007: "1,001 weeks"}
    assert {days: age(days) for days in ages} == ages


def test_the_age_of_a_file_is_that_of_its_newest_entry(tmp_path: Path) -> None:
    rows = {row["path"]: row for row in told(write(tmp_path, CLEAN))["files"]}
    assert rows["DECISIONS.md"]["newest"] == "2026-01-20"
    assert rows["DECISIONS.md"]["age_days"] > 0
    assert rows["CONSTITUTION.md"]["age_days"] is None


def test_the_newest_day_is_one_that_there_is(tmp_path: Path) -> None:
    text = "## [2026-02-31] No such day\n\nIt is so.\n\n## [2026-02-03] A day\n\nSo is it.\n"
    root = write(tmp_path, {**CLEAN, LEARNINGS: text})
    (row,) = (r for r in told(root)["files"] if r["path"] == "LEARNINGS.md")
    assert row["newest"] == "2026-02-03"
    assert "2026-02-31" not in status(root).text


def test_rules_over_their_share_are_said_to_be_over(tmp_path: Path) -> None:
    root = write(tmp_path, CLEAN)
    assert ", over: degraded" in status(root, CTX_BUDGET="100").text
    assert "degraded" not in status(root).text


def test_files_to_mend_are_named_from_where_somebody_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path, {**CLEAN, DECISIONS: CLEAN[DECISIONS] + "\n```\nleft open\n"})
    monkeypatch.chdir(tmp_path)
    advice = told(root, CTX_BUDGET="100")["advice"]
    assert "`ctx tiers .context/CONSTITUTION.md`" in "".join(advice)
    assert "`ctx tiers AGENTS.md`" in "".join(advice)
    assert advice[-1].startswith("mend .context/DECISIONS.md:22: ")


def test_shares_are_what_entries_take_of_the_packet(tmp_path: Path) -> None:
    answer = told(write(tmp_path, CLEAN))
    said = sum(row["included_tokens"] for row in answer["files"])
    assert 0 < said <= answer["packet_tokens"]
    for row in answer["files"]:
        assert row["share"] == pytest.approx(row["included_tokens"] / answer["budget"], abs=1e-4)


def test_a_budget_of_nothing_has_no_shares(tmp_path: Path) -> None:
    answer = told(write(tmp_path, CLEAN), CTX_BUDGET="0")
    assert {row["share"] for row in answer["files"]} == {0.0}
    assert status(tmp_path, CTX_BUDGET="0").code == 0


def test_the_findings_of_a_check_are_counted_by_rule(tmp_path: Path) -> None:
    gone = "\n[a](gone.md) [b](lost.md)\n\n## No date\n\nIt is so.\n"
    answer = told(write(tmp_path, {**CLEAN, DECISIONS: CLEAN[DECISIONS] + gone}))
    assert answer["findings"] == 3
    assert answer["advice"] == ["mend 3 findings of `ctx check`: 2 dead-link, 1 undated"]


def test_what_is_told_with_more_words_is_not_counted_again(tmp_path: Path) -> None:
    files = {**CLEAN, DECISIONS: CLEAN[DECISIONS] + "\n```\nleft open\n"}
    answer = told(write(tmp_path, files), CTX_BUDGET="100")
    assert answer["findings"] == 0
    assert [line.split()[0] for line in answer["advice"]] == ["shorten", "look", "look", "mend"]


def test_a_large_directory_is_not_checked_by_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctx.app.check._LARGE", 10)
    answer = told(write(tmp_path, CLEAN))
    assert answer["findings"] is None
    (advice,) = answer["advice"]
    assert advice.startswith("run `ctx check`")


def test_another_ctx_that_is_first_on_the_path_is_named(tmp_path: Path) -> None:
    other = tmp_path / "bin" / "ctx"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    root = write(tmp_path / "shop", CLEAN)
    (line,) = told(root, PATH=str(other.parent))["advice"]
    assert f"`ctx` leads to {other}, " in line
    assert told(root, PATH=str(tmp_path))["advice"] == []


# --- sources ----------------------------------------------------------------------------------


def test_each_source_has_its_precedence_and_its_cost(tmp_path: Path) -> None:
    files = {
        **CLEAN,
        "CLAUDE.md": "# Shop\n\n- Prices are whole cents.\n- Never round a price.\n",
        ".cursor/rules/a.mdc": "---\nglobs: src/**\n---\n\n- Never print in the shop.\n",
    }
    answer = told(write(tmp_path, files))
    sources = {source["name"]: source for source in answer["sources"]}
    assert [*sources] == [None, "agents", "claude", "cursor"]
    assert sources["claude"]["repeats"] == {"agents": 1}
    assert sources["claude"]["entries"] == 1
    assert "claude" in sources["claude"]["hosts"]
    assert sources["cursor"]["tokens"] > sources["cursor"]["included_tokens"] == 0
    assert sources["agents"]["included_tokens"] > 0
    assert {row["path"]: row["source"] for row in answer["files"]}["../CLAUDE.md"] == "claude"
    text = status(tmp_path / ".context").text
    assert "2  claude  1 file  " in text
    assert "; 1 entry as in agents, included once\n" in text


def test_a_file_without_entries_has_the_reason_beside_it(tmp_path: Path) -> None:
    rules = "- Never round a price.\n"
    write(tmp_path, {"AGENTS.md": rules, "CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": rules})
    lines = status(tmp_path / ".context").text.splitlines()
    rows = {line.split()[1]: line for line in lines if line.startswith("file ")}
    assert rows["CLAUDE.md"].endswith("  holds only headings, imports or placeholders")
    assert rows["GEMINI.md"].endswith("  all of it is in AGENTS.md")


def test_contrary_rules_are_to_be_decided_between(tmp_path: Path) -> None:
    text = "# Shop\n\n- Always commit generated files.\n"
    answer = told(write(tmp_path, {**CLEAN, "CLAUDE.md": text}))
    assert any("CLAUDE.md:3: 'Always commit" in line for line in answer["advice"])
