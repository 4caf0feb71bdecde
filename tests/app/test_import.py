"""``ctx import``: copies of other tools' files, every line accounted for, sources untouched."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.keeping import make_repository
from tests.rank.hands import Done, call

OLD = """\
# 3. Keep sessions in cookies

Date: 2020-03-01

## Status

Superceded by [6. Keep sessions in Postgres](0006-keep-sessions-in-postgres.md)

## Decision

Use cookies.
"""
NEW = """\
---
status: accepted
date: 2020-03-17
deciders: [ann, bob]
---
<!-- a remark
on two lines -->
# 6. Keep sessions in Postgres

## Status

Accepted

Supersedes [3. Keep sessions in cookies](0003-keep-sessions-in-cookies.md)

## Context

Cookies are [too small][1].

### Columns

```sh
#### no heading
```

## Decision

Use a table.

[1]: https://example.org/cookies
"""
CURSOR = "---\ndescription: Python\nglobs: **/*.py, *.pyi\nalwaysApply: false\n---\n- Never lie.\n"
FILES = {
    "docs/adr/0003-keep-sessions-in-cookies.md": OLD,
    "docs/adr/0006-keep-sessions-in-postgres.md": NEW,
    "memory-bank/progress.md": "# Progress\r\n\r\n## Done\r\n\r\nCarts.\r\n",
    ".cursor/rules/python.mdc": CURSOR,
    ".cursor/rules/sub/all.mdc": "---\nalwaysApply: true\nowner: ann\n---\n- Never push.\n",
    ".cursor/rules/asked.mdc": "---\ndescription: About: it\n---\n- Never guess.\n",
    ".github/copilot-instructions.md": "- Never commit secrets.\n",
    ".github/instructions/web.instructions.md": "---\napplyTo: 'web/**'\n---\n- Never block.\n",
    "AGENTS.md": "- Never delete.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_repository(tmp_path)
    (tmp_path / ".context").mkdir()
    for path, text in FILES.items():
        write(tmp_path / path, text)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def run(project: Path, *words: str) -> Done:
    return call("import", *words, "--dir", str(project))


def states(project: Path, *words: str) -> dict[str, Any]:
    done = run(project, *words, "--json")
    return {file["source"]: file for file in json.loads(done.out)["files"]}


def entries(project: Path) -> list[tuple[str, ...]]:
    """Return rules and decisions by what they hold, wherever that is."""
    listed = [
        json.loads(call("list", kind, "--status", which, "--dir", str(project), "--json").out)
        for kind in ("rules", "decisions")
        for which in ("open", "superseded")
    ]
    fields = ("kind", "title", "timestamp", "status")
    return sorted(
        tuple(str(entry.get(field)) for field in fields)
        for kind in listed
        for entry in kind["entries"]
    )


def applying(project: Path) -> list[str]:
    """Return the texts of the rules that apply to two files."""
    paths = (str(project / "a.py"), str(project / "web" / "x.ts"))
    done = call("rules", *paths, "--dir", str(project), "--json")
    return sorted(rule["text"].strip() for rule in json.loads(done.out)["rules"])


def tree(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def test_files_become_entries_that_are_read_in_place_of_them(project: Path) -> None:
    before, applied, sources = entries(project), applying(project), tree(project)
    done = run(project)
    assert (done.code, done.err) == (0, "")
    assert done.text.splitlines()[-1] == "8 files copied, 0 as before, 1 left"
    # Rules that apply by description are background in steering files.
    assert entries(project) == [entry for entry in before if entry[1] != "Never guess."]
    assert applying(project) == applied
    assert len(applied) == 5
    after = tree(project)
    assert {path: after[path] for path in sources} == sources
    assert sorted(set(after) - set(sources)) == [
        ".context/decisions/0003-keep-sessions-in-cookies.md",
        ".context/decisions/0006-keep-sessions-in-postgres.md",
        ".context/specs/memory-bank/progress.md",
        ".context/steering/copilot-instructions.md",
        ".context/steering/copilot-web.md",
        ".context/steering/cursor-asked.md",
        ".context/steering/cursor-python.md",
        ".context/steering/cursor-sub-all.md",
    ]
    packet = call("agent", "--dir", str(project), "--focus", str(project / "a.py")).text
    assert packet.count("Never lie.") == packet.count("Never push.") == 1
    assert ".cursor/rules" not in packet
    again = tree(project)
    assert run(project).text.splitlines()[-1] == "0 files copied, 8 as before, 1 left"
    assert tree(project) == again


def test_a_decision_keeps_its_words_and_names_its_source(project: Path) -> None:
    found = states(project)["docs/adr/0006-keep-sessions-in-postgres.md"]
    assert found == {
        "source": "docs/adr/0006-keep-sessions-in-postgres.md",
        "target": "decisions/0006-keep-sessions-in-postgres.md",
        "state": "new", "moved": 13,
        "left": [
            {"lines": [2, 3], "why": "date and status, which the entry has by itself"},
            {"lines": [6, 7], "why": "a comment"},
        ],
        "why": "",
    }  # fmt: skip
    text = (project / ".context" / found["target"]).read_text("utf-8")
    head, _, body = text.partition("\n---\n")
    assert head.startswith(
        '---\nimported-from: "../docs/adr/0006-keep-sessions-in-postgres.md"\nimported-digest: '
    )
    assert head.endswith("\ndeciders: [ann, bob]")
    assert body == (
        "## [2020-03-17] 6. Keep sessions in Postgres\n\n"
        "**Supersedes**: 3. Keep sessions in cookies\n\n"
        "**Status**: Accepted\n"
        "Supersedes [3. Keep sessions in cookies](0003-keep-sessions-in-cookies.md)\n\n"
        "**Context**: Cookies are [too small][1].\n\n### Columns\n\n"
        "```sh\n#### no heading\n```\n\n**Decision**: Use a table.\n\n"
        "[1]: https://example.org/cookies\n\n"
        "**Source**: docs/adr/0006-keep-sessions-in-postgres.md\n"
    )


def test_rules_keep_the_files_that_they_are_for(project: Path) -> None:
    run(project)
    steering = project / ".context" / "steering"
    texts = {path.name: path.read_text("utf-8").split("\n")[3:] for path in steering.iterdir()}
    assert texts["cursor-python.md"] == [
        "inclusion: fileMatch", 'fileMatchPattern: ["**/*.py", "*.pyi"]', 'description: "Python"',
        "---", "- Never lie.", "",
    ]  # fmt: skip
    assert texts["cursor-sub-all.md"] == ["owner: ann", "---", "- Never push.", ""]
    assert texts["cursor-asked.md"][:2] == ["inclusion: auto", 'description: "About: it"']
    assert texts["copilot-web.md"][:2] == ["inclusion: fileMatch", 'fileMatchPattern: ["web/**"]']
    assert texts["copilot-instructions.md"] == ["---", "- Never commit secrets.", ""]


def test_a_dry_run_writes_nothing_and_says_the_same(project: Path) -> None:
    before = tree(project)
    planned = states(project, "--dry-run")
    assert tree(project) == before
    assert states(project) == planned


def test_a_copy_follows_its_source_until_it_is_edited(project: Path) -> None:
    run(project)
    source = project / ".cursor" / "rules" / "python.mdc"
    copy = project / ".context" / "steering" / "cursor-python.md"
    write(source, CURSOR + "- Never steal.\n")
    assert states(project)[".cursor/rules/python.mdc"]["state"] == "updated"
    assert copy.read_text("utf-8").endswith("- Never lie.\n- Never steal.\n")
    edited = copy.read_bytes() + b"- Mine.\n"
    copy.write_bytes(edited)
    found = states(project)[".cursor/rules/python.mdc"]
    assert (found["state"], found["why"]) == (
        "left", "steering/cursor-python.md was edited since it was imported",
    )  # fmt: skip
    assert copy.read_bytes() == edited


def test_a_file_of_that_name_is_not_overwritten(project: Path) -> None:
    mine = project / ".context" / "steering" / "cursor-python.md"
    write(mine, "- Mine.\n")
    found = states(project)[".cursor/rules/python.mdc"]
    assert (found["state"], found["why"]) == ("left", "steering/cursor-python.md is there already")
    assert mine.read_text("utf-8") == "- Mine.\n"


def test_a_target_that_is_no_file_is_named(project: Path) -> None:
    (project / ".context" / "decisions").mkdir()
    os.mkfifo(project / ".context" / "decisions" / "0003-keep-sessions-in-cookies.md")
    for options in ((), ("--dry-run",)):
        done = run(project, *options)
        assert done.code == 6
        assert "is not a regular file" in done.err


def test_paths_choose_and_take_what_is_left_otherwise(project: Path) -> None:
    assert set(states(project, str(project / "docs"), "--dry-run")) == {
        "docs/adr/0003-keep-sessions-in-cookies.md", "docs/adr/0006-keep-sessions-in-postgres.md",
    }  # fmt: skip
    found = states(project, str(project / "AGENTS.md"))
    assert found["AGENTS.md"]["target"] == "steering/agents-AGENTS.md"
    done = run(project, str(project / "src"))
    assert done.code == 2
    assert "holds nothing to import (`ctx status` lists" in done.err


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("docs/adr/0009-x.md", "<!-- nothing -->\n", "holds no decision"),
        ("docs/adr/0009-x.md", "# X\n\n### [2020-01-01] Y\n\nZ.\n", "as one decision"),
        (".cursor/rules/bad.mdc", "---\nglobs: 'a/**'\nx: [\n---\n- Never.\n", ""),
    ],
)
def test_what_cannot_be_copied_whole_is_left_with_a_reason(
    project: Path, path: str, text: str, why: str
) -> None:
    write(project / path, text)
    found = states(project)[path]
    assert why in found["why"]
    assert found["state"] == ("left" if why else "new")
    if not why:
        assert [lines["lines"] for lines in found["left"]] == [[2, 3]]


def test_a_file_with_a_secret_is_left(project: Path) -> None:
    secret = f"ghp_{'a1B2c3D4e5' * 3}F6g7H8"
    write(project / "docs" / "adr" / "0010-x.md", f"# X\n\nUse {secret} there.\n")
    assert states(project)["docs/adr/0010-x.md"]["why"].startswith("line 3 holds a secret: ")
    copies = (project / ".context").rglob("*.md")
    assert not any(secret in copy.read_text("utf-8") for copy in copies)


@pytest.mark.parametrize("name", ["a\x1b[31mred.md", f"ghp_{'a1B2c3D4e5' * 3}F6g7H8.md"])
def test_a_file_whose_name_cannot_be_written_is_left_and_the_rest_copied(
    project: Path, name: str
) -> None:
    write(project / ".claude" / "rules" / name, "- Never.\n")
    found = states(project)
    assert name not in str(found)
    (left,) = (file for file in found.values() if "its name holds" in file["why"])
    assert left["state"] == "left"
    assert "new" in [file["state"] for file in found.values()]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes all")
def test_a_folder_that_cannot_be_written_is_named(project: Path) -> None:
    (project / ".context").chmod(0o500)
    done = run(project)
    assert done.code == 6


def test_without_a_context_directory_nothing_is_written(project: Path) -> None:
    (project / ".context").rmdir()
    assert run(project, "--dry-run").code == 0
    done = run(project)
    assert done.code == 4
    assert "`ctx init` makes one" in done.err
