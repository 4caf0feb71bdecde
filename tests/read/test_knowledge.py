"""Sources of decisions, background, tasks and titles beside the context directory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctx import read
from ctx.hosts.sources import chosen
from ctx.model import Context
from tests.rank.hands import call
from tests.read.samples import LIMITS, Nothing, write

ADR = "# {}\n\nDate: 2020-01-0{}\n\n## Status\n\n{}\n\n## Decision\n\n{}\n"
TREE = {
    "docs/adr/0001-keep-sessions-in-redis.md": ADR.format(
        "1. Keep sessions in Redis", 1, "Accepted", "Use Redis."
    ),
    "docs/adr/0002-keep-sessions-in-postgres.md": ADR.format(
        "2. Keep sessions in Postgres", 2,
        "Accepted\n\nSupersedes [1](0001-keep-sessions-in-redis.md)", "Use a table.",
    ),
    "docs/adr/README.md": "# All decisions\n\nAn index.\n",
    "docs/adr/adr-template.md": "# {title}\n\nWords.\n",
    "doc/adr/0001-a.md": "# A\n\nWords.\n",
    "memory-bank/projectbrief.md": "# Brief\n\n## Goal\n\nA shop.\n",
    "memory-bank/activeContext.md": "# Now\n\n## Focus\n\nReturns.\n",
    "memory-bank/progress.md": "# Progress\n\n## Done\n\nCarts.\n",
    "memory-bank/features/deep.md": "# Deep\n\nA feature.\n",
    "openspec/project.md": "# Shop\n\n## Stack\n\nPython.\n",
    "openspec/specs/carts/spec.md": (
        "# carts\n\n## Requirements\n\n### Requirement: Locks\n\nIt SHALL lock.\n\n"
        "#### Scenario: Two\n\n- WHEN two\n\n### Requirement: Ends\n\nIt SHALL end.\n"
    ),
    "openspec/changes/add-labels/proposal.md": "## Why\n\nNobody knows.\n",
    "openspec/changes/add-labels/design.md": "# Design of labels\n\nPaper.\n",
    "openspec/changes/add-labels/tasks.md": "## 1. Print\n\n- [ ] 1.1 Print\n- [x] 1.2 Cut\n",
    "openspec/changes/archive/2025-01-11-add-carts/proposal.md": "## Why\n\nPeople buy.\n",
    "openspec/changes/archive/2025-01-11-add-carts/tasks.md": "- [ ] Never done\n",
    ".claude/skills/label/SKILL.md": (
        "---\nname: label\ndescription: Prints labels.\n---\nSecret.\n"
    ),
    "README.md": "# Shop\n\n## Use\n\nBuy.\n",
    "docs/guide/start.md": "# Start\n\n## First\n\nCarts.\n",
}  # fmt: skip


def context(
    project: Path, *, sources: str = "all", whole: bool = False, rules_only: bool = False
) -> Context:
    wanted = read.Wanted(
        chosen(sources, (("AGENTS.md",),)).origins,
        levels=("..",), whole=whole, rules_only=rules_only,
    )  # fmt: skip
    limits = LIMITS._replace(project=str(project))
    return read.read(str(project / ".context"), Nothing(), limits, wanted)


def said(context: Context) -> list[tuple[str, str, str, str]]:
    return [
        (entry.kind, entry.source.removeprefix("../"), entry.title, entry.status)
        for entry in context.entries
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, TREE)
    return tmp_path


def test_each_source_gives_what_it_is(project: Path) -> None:
    found = context(project)
    assert said(found) == [
        ("task", "openspec/changes/add-labels/tasks.md", "1.1 Print", ""),
        ("task", "openspec/changes/add-labels/tasks.md", "1.2 Cut", "done"),
        ("decision", "docs/adr/0001-keep-sessions-in-redis.md", "1. Keep sessions in Redis",
         "superseded"),
        ("decision", "docs/adr/0002-keep-sessions-in-postgres.md", "2. Keep sessions in Postgres",
         ""),
        ("decision", "doc/adr/0001-a.md", "A", ""),
        ("decision", "openspec/changes/archive/2025-01-11-add-carts/proposal.md", "Add carts", ""),
        ("lore", "memory-bank/activeContext.md", "Focus", ""),
        ("lore", "memory-bank/progress.md", "Done", ""),
        ("lore", "memory-bank/projectbrief.md", "Goal", ""),
        ("lore", "memory-bank/features/deep.md", "Deep", ""),
        ("lore", "openspec/project.md", "Stack", ""),
        ("lore", "openspec/specs/carts/spec.md", "Requirement: Locks", ""),
        ("lore", "openspec/specs/carts/spec.md", "Requirement: Ends", ""),
        ("lore", "openspec/changes/add-labels/proposal.md", "Add labels", ""),
        ("lore", "openspec/changes/add-labels/design.md", "Design of labels", ""),
        ("lore", ".claude/skills/label/SKILL.md", "label", ""),
    ]  # fmt: skip
    assert not found.warnings
    bodies = {entry.title: entry.body for entry in found.entries}
    assert bodies["label"] == "Prints labels."
    assert bodies["Requirement: Locks"].endswith("- WHEN two")
    assert [entry.timestamp for entry in found.entries if entry.title == "Add carts"] == [
        "2025-01-11"
    ]


def test_documentation_is_read_where_it_is_asked_for_and_only_for_a_search(project: Path) -> None:
    pages = {"README.md", "docs/guide/start.md"}
    assert pages.isdisjoint(source for _, source, *_ in said(context(project, whole=True)))
    assert pages.isdisjoint(source for _, source, *_ in said(context(project, sources="+docs")))
    found = said(context(project, sources="+docs", whole=True))
    assert pages <= {source for _, source, *_ in found}
    assert sum(source.startswith("docs/adr/0002") for _, source, *_ in found) == 1


def test_where_there_is_time_for_rules_alone_nothing_of_it_is_read(project: Path) -> None:
    write(project, {"AGENTS.md": "- Never lie.\n"})
    assert said(context(project, rules_only=True)) == [("rule", "AGENTS.md", "Never lie.", "")]


@pytest.mark.parametrize("off", ["adr", "memory-bank", "openspec", "openspec-tasks", "skills"])
def test_a_source_can_be_switched_off(project: Path, off: str) -> None:
    assert off in {source.origin for source in context(project).sources}
    assert off not in {source.origin for source in context(project, sources=f"-{off}").sources}


@pytest.mark.parametrize(
    ("text", "entries"),
    [("", 0), ("---\nname: [\n---\n", 1), ("no frontmatter\n", 0), ("---\nname: x\n---\n", 1)],
)
def test_a_skill_in_any_form_never_gives_its_body(tmp_path: Path, text: str, entries: int) -> None:
    write(tmp_path, {".claude/skills/x/SKILL.md": f"{text}Secret words.\n"})
    found = context(tmp_path).entries
    assert len(found) == entries
    assert not any("Secret" in entry.title + entry.body for entry in found)


def test_a_search_finds_a_decision_on_disk_without_a_context_directory(project: Path) -> None:
    done = call("search", "postgres", "--dir", str(project), "--json")
    (first, *_) = json.loads(done.out)["results"]
    assert first["id"].endswith(
        "docs/adr/0002-keep-sessions-in-postgres.md#" + first["id"].split("#")[1]
    )
    assert (first["kind"], first["timestamp"]) == ("decision", "2020-01-02")
    shown = json.loads(call("show", first["id"], "--dir", str(project), "--json").out)
    assert shown["links"] == [
        "../docs/adr/0001-keep-sessions-in-redis.md#0001-keep-sessions-in-redis"
    ]
    packet = call("agent", "--dir", str(project)).text
    assert "### [2020-01-02] 2. Keep sessions in Postgres" in packet
    assert packet.index("Focus") < packet.index("Done") < packet.index("Goal")
