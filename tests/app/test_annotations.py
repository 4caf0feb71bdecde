"""What ``ctx check`` finds, as GitHub and readers of SARIF take it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from ctx.app.annotations import github, sarif
from ctx.app.check import Checked
from ctx.checks.rules import RULES
from ctx.checks.types import Finding
from tests.checks.faults import CLEAN, DECISIONS, LEARNINGS, write
from tests.rank.hands import call

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "tests/golden/sarif.schema.json").read_text("utf-8"))
"""The part of the schema of SARIF 2.1.0 that has what is written; no other member is allowed."""
COMMAND = re.compile(r"::(error|warning) file=([^,:]+),line=(\d+),title=([^,:]+)::([^\r\n]+)")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a directory below the top of a repository, with two faults."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    faults = {
        DECISIONS: CLEAN[DECISIONS] + "\nSee [100%, or not](gone%2C.md).\n",
        LEARNINGS: CLEAN[LEARNINGS] + "\nIt says AKIAIOSFODNN7EXAMPLF.\n",
    }
    root = write(tmp_path / "pkg, 1:2%", {**CLEAN, **faults})
    shutil.rmtree(root.parent / ".git")
    return root


def check(root: Path, form: str, *options: str) -> str:
    done = call("check", "--dir", str(root), "--format", form, *options)
    assert done.code == 1
    assert "1 error, 1 warning in 2 files" in done.err
    return done.text


def test_a_command_of_github_names_file_line_and_rule(root: Path) -> None:
    lines = check(root, "github").splitlines()
    told = [COMMAND.fullmatch(line) for line in lines]
    assert all(told), lines
    assert {(one[1], one[2], one[4]) for one in told if one} == {
        ("warning", "pkg%2C 1%3A2%25/.context/DECISIONS.md", "ctx check%3A dead-link"),
        ("error", "pkg%2C 1%3A2%25/.context/LEARNINGS.md", "ctx check%3A secret"),
    }


def test_a_log_of_sarif_is_valid_and_says_the_same(root: Path) -> None:
    log = json.loads(check(root, "sarif"))
    jsonschema.validate(log, SCHEMA)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.name for rule in RULES]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    assert {one["artifactLocation"]["uri"] for one in places} == {
        "pkg%2C%201%3A2%25/.context/DECISIONS.md", "pkg%2C%201%3A2%25/.context/LEARNINGS.md",
    }  # fmt: skip
    lines = [one["region"]["startLine"] for one in places]
    assert [
        f",line={line}," in text
        for line, text in zip(lines, check(root, "github").splitlines(), strict=True)
    ] == [True, True]


def test_the_schema_refuses_what_is_none() -> None:
    finding = Finding("secret", "error", "A.md", 1, "no", "mend it")
    (text,) = sarif(Checked([finding], 1, 1), RULES, "/shop/.context")
    for wrong in ('"level": "fatal"', '"level": "error",\n    "severity": 1'):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(text.replace('"level": "error"', wrong)), SCHEMA)


def test_a_file_out_of_the_repository_is_absolute_and_no_text_begins_a_command() -> None:
    text = "a\n::set-output name=x::%y"
    finding = Finding("secret", "error", "/state/s.jsonl", 0, text, "mend it")
    (line,) = github(Checked([finding], 1, 1), RULES, "/shop/.context")
    assert "file=/state/s.jsonl," in line
    assert COMMAND.fullmatch(line)
    (log,) = sarif(Checked([finding], 1, 1), RULES, "/shop/.context")
    assert '"uri": "file:///state/s.jsonl"' in log
    assert '"startLine": 1' in log


def test_an_unknown_form_is_refused(root: Path) -> None:
    for command in ("check", "status"):
        done = call(command, "--dir", str(root), "--format", "xml")
        assert (done.code, done.err.startswith("ctx: --format: unknown format 'xml'")) == (2, True)


def test_the_report_is_a_table_in_which_names_are_code(tmp_path: Path) -> None:
    root = write(tmp_path, {**CLEAN, "notes/a`@x|b.md": "# A note\n\nSome text.\n"})
    text = call("status", "--dir", str(root), "--format", "md").text
    assert re.search(r"^[\d,]+ of 8,000 tokens \(\d+%\)\.$", text, re.MULTILINE)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert any(re.fullmatch(r"\| `DECISIONS\.md` \| \d+ \| \d+ \| \d+ \|", row) for row in rows)
    assert all(row.count("`") == 2 for row in rows)


def test_what_a_rule_did_not_compare_is_in_both_forms() -> None:
    checked = Checked([], 1, 1, bounded=(("duplicate", "compared 9 of 10 texts\nwith 100% of 2"),))
    (line,) = github(checked, RULES, "/shop/.context")
    assert (
        line == "::notice title=ctx check%3A duplicate::compared 9 of 10 texts%0Awith 100%25 of 2"
    )
    (log,) = sarif(checked, RULES, "/shop/.context")
    (ended,) = json.loads(log)["runs"][0]["invocations"]
    (notice,) = ended["toolExecutionNotifications"]
    assert notice["associatedRule"] == {"id": "duplicate"}
    assert "9 of 10" in notice["message"]["text"]
    jsonschema.validate(json.loads(log), SCHEMA)
