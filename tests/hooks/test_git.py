"""Which commits look like decisions, and the block in a hook of git."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.errors import FileError
from ctx.hooks.git import holds, to_install, to_uninstall
from ctx.hooks.reminder import MANY, headings, reminder, seconds_of

CASES = sorted((Path(__file__).parents[1] / "golden" / "hooks" / "git").iterdir())


CHOICES = {
    "switch": "Switch from MySQL to Postgres",
    "switched": "switched the worker over to asyncio",
    "replace": "refactor(ui)!: replace Redux with Zustand",
    "replaces": "Replaces Celery by arq",
    "migrate": "feat!: migrate to pnpm",
    "migration": "Migration off Heroku",
    "adopt": "Adopt trunk-based development",
    "decide": "Decide on one queue per tenant",
    "decided": "We decided against GraphQL",
    "decision": "Decision: no ORM",
    "use": "Use httpx instead of requests",
    "move": "Move away from Heroku",
    "standardise": "Standardise on UTC",
    "standardize": "Standardize on JSON logs",
    "deprecate": "We deprecate the v1 API",
    "drop": "Drop Python 3.10 support",
    "rewrite": "Rewrite the parser in Rust",
    "chose": "Chose SQLite",
    "opt": "Opt for server-sent events over polling",
}
"""Subjects of commits, by the word that tells of a choice."""
NO_CHOICE = (
    "Fix migration test", "Fixes the switch from MySQL to Postgres", "",
    "fix(db): use a pool instead of Postgres connections", "hotfix: replace Redis with a stub",
    "Test that we migrate from MySQL to Postgres", "Add tests for migration from Redis",
    "Replace tabs with spaces", "Replace magic numbers with constants", "Replace tabs",
    "Replace for loop by a list comprehension", "use the lock instead of sleeping in test",
    "Use single quotes instead of double quotes", "Switch the theme to dark mode",
    "Switch order of arguments", "Move helpers from utils to their own module",
    "Choose the right column", "Add migration for the users table", "Remove deprecated calls",
    "Silence deprecation warnings of pytest", "Clean up after the migration to Postgres",
    "A test holds that words decide", "Use a shorter name", "Move the button", "Add a switch",
    "Undecided colours in the theme", 'Revert "Switch to Postgres"',
    "Merge branch 'migrate-to-pnpm'", "fixup! Switch to Postgres",
    "Bump httpx from 0.27 to 0.28", "chore(deps): replace dependency a with b",
    "docs: migrate to the new template", "v2.0.0",
)  # fmt: skip


def test_a_subject_tells_of_a_choice() -> None:
    files = [("M", "src/a.py")]
    told = {word: reminder(subject, files) for word, subject in CHOICES.items()}
    assert told == {word: f"it says '{word}'" for word in CHOICES}
    assert [subject for subject in NO_CHOICE if reminder(subject, files)] == []


def test_a_path_tells_what_others_build_on() -> None:
    expected = {
        ("A", "pyproject.toml"): "it changes what it depends on: pyproject.toml",
        ("A", "web/package.json"): "it changes what it depends on: web/package.json",
        ("D", "requirements-dev.txt"): "it changes what it depends on: requirements-dev.txt",
        ("A", "db/migrations/0007_add.py"): "it changes the schema: db/migrations/0007_add.py",
        ("M", "api/schema.graphql"): "it changes the schema: api/schema.graphql",
        ("M", "proto/a.proto"): "it changes the schema: proto/a.proto",
        ("A", "Dockerfile"): "it changes how it runs: Dockerfile",
        ("A", "infra/main.tf"): "it changes how it runs: infra/main.tf",
        ("A", "docs/adr/0001-queue.md"): "it changes the architecture: docs/adr/0001-queue.md",
    }
    names = ("pyproject.toml", "Dockerfile", "docs/architecture.md", "src/a.py")
    expected |= {("M", name): "" for name in names}
    expected |= {("A", name): "" for name in ("package.json.bak", "src/designer.py")}
    assert expected == {
        change: reminder("Improve it", [("M", "b.py"), change]) for change in expected
    }


def test_many_files_change_the_shape_of_a_project() -> None:
    files = [("M", f"src/{number}.py") for number in range(MANY)]
    assert reminder("Improve it", files) == f"it changes {MANY} files"
    assert reminder("Improve it", files[1:]) == ""
    assert reminder("Format everything", files) != ""
    assert reminder("reformat", files) == ""
    assert reminder("style: black", files) == ""


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        (["tests/test_a.py", "web/a.spec.ts"], ""),
        (["tests/migrations/0001.py", "pkg/a_test.go", "conftest.py"], ""),
        (["tests/test_a.py", "src/a.py"], "it says 'switch'"),
        (["src/testing.py"], "it says 'switch'"),
        ([], "it says 'switch'"),
    ],
)
def test_nothing_is_decided_in_tests_alone(paths: list[str], why: str) -> None:
    assert reminder("Switch from MySQL to Postgres", [("A", path) for path in paths]) == why


def test_entries_are_told_from_what_a_template_teaches() -> None:
    text = (
        "# Decisions\n\n<!--\n## [2026-01-31-143000] An example\n-->\n\n## [2026-02-01] Mine \r\n"
    )
    assert headings(text) == {"## [2026-02-01] Mine"}
    assert headings("<!-- never closed\n## [2026-01-31-143000] An example\n") == set()


def test_an_entry_tells_when_it_was_written() -> None:
    at = time.mktime((2026, 1, 31, 14, 30, 0, 0, 0, -1))
    for date in ("2026-01-31-143000", "2026-01-31 14:30:00", "2026-01-31-1430"):
        assert seconds_of(f"### [{date}] Postgres") == at
    assert seconds_of("## [2026-01-31] Postgres") is seconds_of("## Postgres") is None


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=2), st.text(max_size=20))))
def test_any_commit_is_looked_at(subject: str, changes: list[tuple[str, str]]) -> None:
    assert isinstance(reminder(subject, changes), str)
    assert all(isinstance(seconds_of(one), float | None) for one in headings(subject))


def test_a_long_subject_takes_no_long_time() -> None:
    """Words that begin a choice and never end it, ten thousand times."""
    for word in ("replace x ", "move x ", "drop x ", "use x ", "switch "):
        assert reminder(word * 10_000, []) == ""


# --- the block ----------------------------------------------------------------------------


def put(data: bytes | None, command: str = "ctx", *, husky: bool = False) -> bytes:
    change = to_install(command, "post-commit", "hook", executable=True, husky=husky)(data)
    assert change.after is not None
    return change.after


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_hook_comes_back_to_the_byte(path: Path) -> None:
    """The block is first: what is behind an ``exit`` or ``exec`` would not be run."""
    before = path.read_bytes()
    after = put(before)
    assert holds(after)
    assert not holds(before)
    assert put(after) == after
    assert to_uninstall()(after).after == before
    lines = after.replace(b"\r", b"").split(b"\n")
    first = 1 if before.startswith(b"#!") else 0
    assert lines[first].startswith(b"# >>> ctx >>>")
    assert lines[first + 1] == (
        b"command -v ctx >/dev/null 2>&1 && ctx hook run git post-commit || :"
    )
    if first:
        assert lines[0] == before.replace(b"\r", b"").split(b"\n")[0]


def test_a_new_hook_is_a_script_that_can_be_run_and_goes_again() -> None:
    change = to_install("ctx", "post-commit", "hook", executable=True, husky=False)(None)
    assert change.after is not None
    assert change.after.startswith(b"#!/bin/sh\n")
    assert change.mode == 0o755
    assert to_uninstall()(change.after).after is None


def test_a_new_hook_stays_when_a_person_wrote_into_it() -> None:
    """Nor is one removed that was bare before: ctx had not made it."""
    data = put(None) + b"echo mine\n"
    assert to_uninstall()(data).after == b"#!/bin/sh\necho mine\n"
    assert to_uninstall()(put(b"#!/bin/sh\n")).after == b"#!/bin/sh\n"


def test_the_block_is_renewed_where_the_command_is_another() -> None:
    old = put(b"#!/bin/sh\necho a\n", "'/old place/ctx'")
    assert b"command -v '/old place/ctx' >/dev/null" in old
    assert put(old, "ctx") == put(b"#!/bin/sh\necho a\n", "ctx")


def test_what_is_no_shell_script_is_refused_with_the_line_to_add() -> None:
    for data in (
        b"#!/usr/bin/env python3\nprint(1)\n", b"#!/usr/bin/node\n", b"#!/usr/bin/env -S fish\n",
        b"\x7fELF\x02\x01\0\0", b"#!/bin/sh\n\0", b"#!\n",
    ):  # fmt: skip
        with pytest.raises(FileError, match=re.escape("hook: is no shell script")) as caught:
            put(data)
        assert caught.value.hint == "let it run: ctx hook run git post-commit"


def test_shells_are_known_by_their_names() -> None:
    for first in (
        b"#!/bin/bash -e", b"#! /usr/bin/env -S bash -eu", b"#!/usr/bin/env FOO=1 zsh",
        b"#!C:\\x\\sh.exe",
    ):  # fmt: skip
        assert holds(put(first + b"\necho\n"))


def test_a_hook_that_git_does_not_run_is_not_made_to() -> None:
    with pytest.raises(FileError, match="is not executable: git does not run it"):
        to_install("ctx", "post-commit", "hook", executable=False, husky=False)(b"#!/bin/sh\n")


@given(st.lists(st.sampled_from(["echo a", "# <<< ctx <<<", "", "\texit 1", "é"]), max_size=6),
       st.sampled_from(["\n", "\r\n"]), st.booleans())  # fmt: skip
def test_any_script_comes_back_to_the_byte(lines: list[str], eol: str, ends: bool) -> None:
    before = (eol.join(["#!/bin/sh", *lines]) + (eol if ends else "")).encode()
    assert to_uninstall()(put(before)).after == before
