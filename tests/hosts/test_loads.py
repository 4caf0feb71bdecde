"""What a host loads by itself: files dropped into ``tests/hosts/NAME/loads``.

Each adds ``files`` to those of ``project.json`` (``~/`` is the home folder), may name the
``version`` of the host, the ``agent`` that runs and the ``cwd`` in which it works, and ``loads``
when each file is loaded: at the ``start``, as the host reads a file (``read``), or as it reads or
edits one (``touch``).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctx import read
from ctx.hosts.sources import HOSTS, REGISTRY, chosen
from ctx.model import Host, Loads
from tests.read.samples import LIMITS, Nothing, write

FOLDER = Path(__file__).parent
PROJECT = json.loads((FOLDER / "project.json").read_text("utf-8"))
CASES = sorted(FOLDER.glob("*/loads/*.json"))


@pytest.mark.parametrize(
    "path", CASES, ids=[f"{path.parent.parent.name}-{path.stem}" for path in CASES]
)
def test_what_a_host_loads(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, name = json.loads(path.read_text("utf-8")), path.parent.parent.name
    project, home = tmp_path / "project", tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for file, text in {**PROJECT, **case["files"]}.items():
        write(home if file[:2] == "~/" else project, {file.removeprefix("~/"): text})
    host = Host(name, case.get("version", ""), case.get("cwd", ""), case.get("agent", ""))
    wanted = read.Wanted(
        chosen("all", (("AGENTS.md",), ("CLAUDE.md",))).origins, host=host, levels=("../lib", ".."),
    )  # fmt: skip
    limits = LIMITS._replace(project=str(project))
    found = read.read(str(project / ".context"), Nothing(), limits, wanted)
    assert {path.removeprefix("../"): at for path, at in found.moments.items()} == case["loads"]


def test_every_host_has_a_case_and_every_fact_its_page() -> None:
    assert {path.parent.parent.name for path in CASES} == set(HOSTS)
    for origin in REGISTRY:
        for loads in origin.loads:
            assert "20" in loads.page, (loads.host, origin.name)


@pytest.mark.parametrize(
    ("version", "moment"),
    [("", "read"), ("2.1.287", "read"), ("2.1.288", "touch"), ("2.10", "touch"), ("3.0", "read")],
)
def test_facts_of_a_source_add_up_by_version(tmp_path: Path, version: str, moment: str) -> None:
    """Of a version that is not known counts what holds for all."""
    write(tmp_path, {".claude/rules/a.md": "---\npaths: '**/*.go'\n---\n- Never a\n"})
    (origin,) = (each for each in REGISTRY if each.name == "claude-rules")
    facts = (
        Loads("claude-rules", ("start", "read"), host="claude"),
        Loads("claude-rules", ("edit",), host="claude", since="2.1.288", until="3"),
    )
    origins = (origin._replace(loads=facts),)
    wanted = read.Wanted(origins, host=Host("claude", version), levels=("..",))
    limits = LIMITS._replace(project=str(tmp_path))
    found = read.read(str(tmp_path / ".context"), Nothing(), limits, wanted)
    assert list(found.moments.values()) == [moment]
