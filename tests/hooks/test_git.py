"""Which commits look like decisions, and the block in a hook of git."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.errors import FileError
from ctx.hooks.git import MANY, headings, moment, reminder
from ctx.hooks.git_block import block, holds, installing, uninstalling
from tests.hooks.golden import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

CASES = sorted((FOLDER / "git").iterdir())


@pytest.mark.parametrize(
    ("subject", "why"),
    [
        ("Switch from MySQL to Postgres", "it says 'switch'"),
        ("switched the worker over to asyncio", "it says 'switched'"),
        ("Replace moment with date-fns", "it says 'replace'"),
        ("Replaces Celery by arq", "it says 'replaces'"),
        ("feat!: migrate to pnpm", "it says 'migrate'"),
        ("Adopt ruff", "it says 'adopt'"),
        ("Decide on one queue per tenant", "it says 'decide'"),
        ("We decided against GraphQL", "it says 'decided'"),
        ("Decision: no ORM", "it says 'decision'"),
        ("Use httpx instead of requests", "it says 'use'"),
        ("Move from REST to gRPC", "it says 'move'"),
        ("Move away from Heroku", "it says 'move'"),
        ("Standardise on UTC", "it says 'standardise'"),
        ("Deprecate the v1 API", "it says 'deprecate'"),
        ("Drop Python 3.10 support", "it says 'drop'"),
        ("Rewrite the parser in Rust", "it says 'rewrite'"),
        ("Chose SQLite", "it says 'chose'"),
        ("We deprecate the v1 API", "it says 'deprecate'"),
        ("refactor(ui)!: replace Redux with Zustand", "it says 'replace'"),
        ("Migrate the orders service from MySQL to Postgres", "it says 'migrate'"),
        ("Migration off Heroku", "it says 'migration'"),
        ("Use uv instead of pip", "it says 'use'"),
        ("Drop support for IE11", "it says 'drop'"),
        ("Opt for server-sent events over polling", "it says 'opt'"),
        ("Standardize on JSON logs", "it says 'standardize'"),
        ("Rewrite the worker in Go", "it says 'rewrite'"),
        ("Adopt trunk-based development", "it says 'adopt'"),
        ("Fix migration test", ""),
        ("Fixes the switch from MySQL to Postgres", ""),
        ("fix(db): use a pool instead of Postgres connections", ""),
        ("hotfix: replace Redis with a stub", ""),
        ("Test that we migrate from MySQL to Postgres", ""),
        ("Add tests for migration from Redis", ""),
        ("Replace tabs with spaces", ""),
        ("Replace the old logo with a new one", ""),
        ("Replace magic numbers with constants", ""),
        ("Replace for loop by a list comprehension", ""),
        ("use the lock instead of sleeping in test", ""),
        ("Use single quotes instead of double quotes", ""),
        ("Switch the theme to dark mode", ""),
        ("Switch order of arguments", ""),
        ("Move helpers from utils to their own module", ""),
        ("Choose the right column", ""),
        ("Add migration for the users table", ""),
        ("Remove deprecated calls", ""),
        ("Silence deprecation warnings of pytest", ""),
        ("Clean up after the migration to Postgres", ""),
        ("Fix typo in README", ""),
        ("Replace tabs", ""),
        ("A test holds that words decide", ""),
        ("Use a shorter name", ""),
        ("Move the button", ""),
        ("Add a switch", ""),
        ("Undecided colours in the theme", ""),
        ('Revert "Switch to Postgres"', ""),
        ("Merge branch 'migrate-to-pnpm'", ""),
        ("fixup! Switch to Postgres", ""),
        ("Bump httpx from 0.27 to 0.28", ""),
        ("chore(deps): replace dependency a with b", ""),
        ("docs: migrate to the new template", ""),
        ("v2.0.0", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_subject_tells_of_a_choice(subject: str, why: str) -> None:
    assert reminder(subject, [("M", "src/a.py")]) == why


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("A", "pyproject.toml"), "it changes what it depends on: pyproject.toml"),
        (("A", "web/package.json"), "it changes what it depends on: web/package.json"),
        (("D", "requirements-dev.txt"), "it changes what it depends on: requirements-dev.txt"),
        (("M", "pyproject.toml"), ""),
        (("A", "package.json.bak"), ""),
        (("A", "db/migrations/0007_add.py"), "it changes the schema: db/migrations/0007_add.py"),
        (("M", "api/schema.graphql"), "it changes the schema: api/schema.graphql"),
        (("M", "proto/a.proto"), "it changes the schema: proto/a.proto"),
        (("A", "Dockerfile"), "it changes how it runs: Dockerfile"),
        (("M", "Dockerfile"), ""),
        (("A", "infra/main.tf"), "it changes how it runs: infra/main.tf"),
        (("A", "docs/adr/0001-queue.md"), "it changes the architecture: docs/adr/0001-queue.md"),
        (("M", "docs/architecture.md"), ""),
        (("A", "src/designer.py"), ""),
        (("M", "src/a.py"), ""),
    ],
)
def test_a_path_tells_what_others_build_on(change: tuple[str, str], why: str) -> None:
    assert reminder("Improve it", [("M", "b.py"), change]) == why


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


@pytest.mark.parametrize(
    ("heading", "when"),
    [
        ("## [2026-01-31-143005] Postgres", "2026-01-31 14:30:05"),
        ("### [2026-01-31 14:30:05] Postgres", "2026-01-31 14:30:05"),
        ("## [2026-01-31] Postgres", ""),
        ("## Postgres", ""),
    ],
)
def test_an_entry_tells_when_it_was_written(heading: str, when: str) -> None:
    assert moment(heading) == when


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=2), st.text(max_size=20))))
def test_any_commit_is_looked_at(subject: str, changes: list[tuple[str, str]]) -> None:
    assert isinstance(reminder(subject, changes), str)
    assert all(isinstance(moment(one), str) for one in headings(subject))


def test_a_long_subject_takes_no_long_time() -> None:
    """Words that begin a choice and never end it, ten thousand times."""
    for word in ("replace x ", "move x ", "drop x ", "use x ", "switch "):
        assert reminder(word * 10_000, []) == ""


# --- the block ----------------------------------------------------------------------------


def put(data: bytes | None, command: str = "ctx", *, husky: bool = False) -> bytes:
    change = installing(command, "post-commit", "hook", executable=True, husky=husky)(data, None)
    assert change.after is not None
    return change.after


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_hook_comes_back_to_the_byte(path: Path) -> None:
    before = path.read_bytes()
    after = put(before)
    assert holds(after)
    assert not holds(before)
    assert put(after) == after
    assert uninstalling()(after, None).after == before


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_the_block_stands_behind_the_line_of_the_interpreter(path: Path) -> None:
    """A hook may end in ``exit`` or ``exec``: what stood behind that would not be run."""
    before = path.read_bytes()
    after = put(before)
    lines = after.replace(b"\r", b"").split(b"\n")
    first = 1 if before.startswith(b"#!") else 0
    assert lines[first].startswith(b"# >>> ctx >>>")
    assert lines[first + 1] == (
        b"command -v ctx >/dev/null 2>&1 && ctx hook run git post-commit || :"
    )
    if first:
        assert lines[0] == before.replace(b"\r", b"").split(b"\n")[0]


def test_a_new_hook_is_a_script_that_can_be_run_and_goes_again() -> None:
    change = installing("ctx", "post-commit", "hook", executable=True, husky=False)(None, None)
    assert change.after is not None
    assert change.after.startswith(b"#!/bin/sh\n")
    assert change.mode == 0o755
    assert uninstalling()(change.after, None).after is None


def test_a_new_hook_stays_when_a_person_wrote_into_it() -> None:
    data = put(None) + b"echo mine\n"
    assert uninstalling()(data, None).after == b"#!/bin/sh\necho mine\n"


def test_a_hook_that_was_bare_before_stays_bare() -> None:
    """It is not removed: ctx had not made it."""
    assert uninstalling()(put(b"#!/bin/sh\n"), None).after == b"#!/bin/sh\n"


def test_a_hook_of_husky_needs_no_interpreter() -> None:
    assert put(None, husky=True).startswith(b"# >>> ctx >>>")


def test_the_block_is_renewed_where_the_command_is_another() -> None:
    old = put(b"#!/bin/sh\necho a\n", "'/old place/ctx'")
    assert b"command -v '/old place/ctx' >/dev/null" in old
    assert put(old, "ctx") == put(b"#!/bin/sh\necho a\n", "ctx")


@pytest.mark.parametrize(
    "data",
    [
        b"#!/usr/bin/env python3\nprint(1)\n",
        b"#!/usr/bin/node\n",
        b"#!/usr/bin/env -S fish\n",
        b"\x7fELF\x02\x01\0\0",
        b"#!/bin/sh\n\0",
        b"#!\n",
    ],
)
def test_what_is_no_shell_script_is_refused_with_the_line_to_add(data: bytes) -> None:
    with pytest.raises(FileError, match=re.escape("hook: is no shell script")) as caught:
        put(data)
    assert caught.value.hint == "let it run: ctx hook run git post-commit"


@pytest.mark.parametrize(
    "first",
    [
        b"#!/bin/bash -e",
        b"#! /usr/bin/env -S bash -eu",
        b"#!/usr/bin/env FOO=1 zsh",
        b"#!C:\\x\\sh.exe",
    ],
)
def test_shells_are_known_by_their_names(first: bytes) -> None:
    assert holds(put(first + b"\necho\n"))


def test_a_hook_that_git_does_not_run_is_not_made_to() -> None:
    with pytest.raises(FileError, match="is not executable: git does not run it"):
        installing("ctx", "post-commit", "hook", executable=False, husky=False)(
            b"#!/bin/sh\n", None
        )


@given(st.lists(st.sampled_from(["echo a", "# <<< ctx <<<", "", "\texit 1", "é"]), max_size=6),
       st.sampled_from(["\n", "\r\n"]), st.booleans())  # fmt: skip
def test_any_script_comes_back_to_the_byte(lines: list[str], eol: str, ends: bool) -> None:
    before = (eol.join(["#!/bin/sh", *lines]) + (eol if ends else "")).encode()
    assert uninstalling()(put(before), None).after == before


def test_the_lines_are_few() -> None:
    assert block("ctx", "post-commit").count(b"\n") == 3
