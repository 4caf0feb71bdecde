"""Secrets in the files of other tools, of every kind: no command prints one, unless allowed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctx.hosts.sources import REGISTRY
from ctx.mcp import FILE
from ctx.mcp.resources import text
from ctx.mcp.tool import Call, arguments_of
from ctx.mcp.tools import TOOLS
from ctx.model import KINDS, JsonObject
from ctx.text.secrets import mask
from ctx.world import World
from tests.imported import sessions_of
from tests.keeping import make_repository
from tests.sampling import sampled
from tests.test_redaction import AGENT, SEARCH, call, leaked
from tests.text.secret_kinds import kinds, written

FORMS = ("prose", "list", "table", "fence", "title", "yaml")
"""Each secret is written in one of these, another one in each file."""
AROUND = {"list": ("- ", ""), "title": ("## ", ""), "fence": ("```sh\n", "\n```")}
SCOPES = "---\npaths: src/*\nglobs: src/*\napplyTo: src/*\n---\n"


def _files() -> Iterator[str]:
    for origin in REGISTRY:
        yield origin.places[0].replace("**/*.", "one/two.").replace("**", "one").replace("*", "two")


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the secrets in the files of a project, which is the working directory."""
    root = tmp_path / "project"
    for folder in (root / ".context", root / "src", tmp_path / "home"):
        folder.mkdir(parents=True)
    make_repository(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CTX_SOURCES", "+docs")
    monkeypatch.setattr("ctx.app.explain.sweep.EFFORT", 1)  # secrets are no matter of budgets
    monkeypatch.chdir(root)
    used = list[str]()
    for number, path in enumerate((*_files(), ".context/CONSTITUTION.md", ".context/TASKS.md")):
        text = "# Rules\n\n"
        for place, kind in enumerate(sampled(kinds(path), 10, number % 10)):
            form = FORMS[(place + number) % len(FORMS)]
            line = written(kind, form)
            if kind.secret in mask(line):
                continue  # no command finds it
            before, after = AROUND.get(form, ("", ""))
            text += f"{before}{line}{after}\n\n"
            used.append(kind.secret)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text((SCOPES if "/" in path else "") + text, "utf-8")
    (root / "src" / "a.py").write_text("", "utf-8")
    turns = []
    for number, kind in enumerate(sampled(kinds("talk"), 3)):
        line = f"Always use this from now on: {written(kind, 'prose')}"
        if kind.secret not in mask(line):
            more = {"password": f"{kind.secret[:3]}xK9vQ2mZ7"}
            turns.append({"id": f"t{number}", "role": "user", "text": line, "more": more})
            used += [kind.secret, more["password"]]
    (sessions_of(root / ".context") / "talk.jsonl").write_text("\n".join(map(json.dumps, turns)))
    return used


def _calls() -> Iterator[tuple[str, ...]]:
    for path in _files():
        yield from (("tiers", path), ("tiers", path, "--json"), ("import", path, "--dry-run"))
    for kind in (*KINDS, "session"):
        yield from (("list", kind), ("list", kind, "--json"))
    for asked in (
        ("rules",), ("rules", "src/a.py"), ("check",), ("status",), ("explain", "--all"), SEARCH,
        ("import", "--dry-run"), ("export", "agents", "--check"), ("plan",),
        ("archive", "--dry-run"), *(("session", name) for name in ("list", "rules", "status")),
        ("session", "promote"), ("session", "show", "talk"), ("session", "tail", "talk"),
        ("session", "expand", "t0"), ("show", "AGENTS.md:3"),
    ):  # fmt: skip
        yield from (asked, (*asked, "--json"))
    yield from (AGENT, (*AGENT, "--focus", "src/a.py"), ("explain", "--html", "-"))


def test_no_command_prints_a_secret_of_any_source(secrets: list[str]) -> None:
    for arguments in _calls():
        assert leaked(secrets, call(*arguments)) == [], arguments


def test_no_tool_of_the_server_gives_one(secrets: list[str]) -> None:
    given: dict[str, JsonObject] = {
        "packet": {}, "search": {"query": "token password key"}, "show": {"id": "AGENTS.md:3"},
        "rules_for": {"paths": ["src/a.py"]}, "explain": {}, "check": {},
    }  # fmt: skip
    for name, arguments in given.items():
        tool = TOOLS[name]
        answer = tool.answer(Call(arguments_of(tool.arguments, arguments), "", World()))
        assert leaked(secrets, json.dumps(answer, ensure_ascii=False)) == [], name
    assert leaked(secrets, text(f"{FILE}CONSTITUTION.md", "")) == []


def test_who_allows_secrets_sees_them(secrets: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "1")
    for arguments in (("tiers", "AGENTS.md"), ("session", "show", "talk")):
        for form in ((), ("--json",)):
            assert leaked(secrets, call(*arguments, *form)), arguments
