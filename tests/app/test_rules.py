"""``ctx rules``: which rules apply to files, in each of the dialects."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from ctx.app.options import PacketOptions
from ctx.app.rules import rules_for
from ctx.app.workspace import Workspace
from ctx.errors import NO_DIRECTORY, OK
from ctx.mcp.answer import call_tool
from ctx.mcp.tools import TOOLS
from ctx.world import World
from tests.keeping import make_repository
from tests.rank.hands import call
from tests.sampling import sampled

with mock.patch.dict(os.environ):  # benchmarks keep what ctx remembers elsewhere
    from benchmarks import scoped

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "bench" / "scoped"
PROJECT = SHARED / "corpora" / "interop" / "odh-dashboard"
FIELDS = ["source", "scoped", "dialect", "mode", "pattern", "title", "text"]
RULE = "Never push to main.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository as working directory."""
    make_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def listed(*arguments: str) -> list[dict[str, Any]]:
    """Return the rules that ``ctx rules`` lists."""
    done = call("rules", "--json", *arguments)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["rules"]
    return found


def sources(*arguments: str) -> list[str]:
    return [rule["source"] for rule in listed(*arguments)]


def claude(patterns: str, text: str = RULE) -> str:
    return f"---\npaths: {patterns}\n---\n{text}"


def test_a_document_in_a_hidden_folder_is_for_that_folder(project: Path) -> None:
    write(project, {".codex/AGENTS.md": RULE, "AGENTS.md": "- Ask first.\n"})
    assert sources(".codex/prompts/a.md") == [".codex/AGENTS.md", "AGENTS.md"]
    assert sources("codex/a.md") == ["AGENTS.md"]


def test_a_rule_is_listed_with_the_pattern_that_matched(project: Path) -> None:
    write(project, {
        ".claude/rules/py.md": claude("src/**, '*.py'", "# Python\n\nNever use `eval`.\n"),
        ".claude/rules/all.md": RULE,
        ".cursor/rules/web.mdc": "---\ndescription: Web\nglobs: *.ts, *.tsx\n---\n" + RULE,
        ".cursor/rules/ask.mdc": "---\ndescription: Releases\n---\n" + RULE,
        ".kiro/steering/hand.md": "---\ninclusion: manual\n---\n" + RULE,
    })  # fmt: skip
    first, second = listed("setup.py", "src/a.py")
    assert list(first) == FIELDS
    assert first == {
        "source": ".claude/rules/all.md", "scoped": False, "dialect": "claude", "mode": "always",
        "pattern": "", "title": "Never push to main.", "text": RULE.strip(),
    }  # fmt: skip
    assert (second["scoped"], second["pattern"]) == (True, "*.py")
    assert (second["title"], second["text"]) == ("Python", "# Python\n\nNever use `eval`.")
    assert [(rule["pattern"], rule["title"]) for rule in listed("a.ts")][1:] == [("*.ts", "Web")]
    everything = {rule["source"]: (rule["mode"], rule["pattern"]) for rule in listed()}
    assert everything == {
        ".claude/rules/all.md": ("always", ""),
        ".claude/rules/py.md": ("match", "src/**, *.py"),
        ".cursor/rules/ask.mdc": ("described", ""),
        ".cursor/rules/web.mdc": ("match", "*.ts, *.tsx"),
        ".kiro/steering/hand.md": ("manual", ""),
    }
    assert call("rules", "a.ts").text.splitlines() == [
        ".claude/rules/all.md   claude  always  Never push to main.",
        ".cursor/rules/web.mdc  cursor  *.ts    Web",
    ]


def test_documents_of_folders_apply_below_them_nearest_first(project: Path) -> None:
    names = ("AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md", "c/AGENTS.md")
    write(project, {name: f"# {name}\n\n- Never use {name[0]}{len(name)}.\n" for name in names})
    assert sources("a/b/c.py") == ["a/b/AGENTS.md", "a/AGENTS.md", "AGENTS.md"]
    assert sources("a/c.py", "c/d/e.py") == ["a/AGENTS.md", "c/AGENTS.md", "AGENTS.md"]
    (project / "a" / "b" / "c").mkdir()
    assert sources("a/b/") == sources("a/b") == sources("a/b/c") == sources("a/b/c.py")
    rule = listed("a/c.py")[0]
    assert (rule["dialect"], rule["pattern"], rule["scoped"]) == ("folder", "a/**", False)


def test_a_file_whose_rules_another_one_holds_is_listed_too(project: Path) -> None:
    write(project, {
        "AGENTS.md": RULE, "GEMINI.md": RULE, ".claude/rules/a.md": claude("'*.py'", RULE),
        ".github/instructions/a.instructions.md": f"---\napplyTo: '*.py'\n---\n{RULE}",
        "docs/adr/0001-x.md": "# 1. X\n\n## Status\n\nAccepted\n\n## Decision\n\nNever push.\n",
        ".claude/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nNever push.\n",
        "memory-bank/progress.md": "# Progress\n\nNever push.\n",
        ".context/CONSTITUTION.md": "# Constitution\n\n- Never push twice.\n",
        ".context/TASKS.md": "# Tasks\n\n- [ ] Never push.\n",
    })  # fmt: skip
    found = sources("a.py")
    assert found == sources()
    assert sorted(found) == [
        ".claude/rules/a.md", ".context/CONSTITUTION.md", ".github/instructions/a.instructions.md",
        "AGENTS.md", "GEMINI.md",
    ]  # fmt: skip
    assert packet("--focus", "a.py").count("Never push to main.") == 1


def test_paths_are_those_of_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {".claude/rules/r.md": claude("'/*.py'"), "sub/x": ""})
    monkeypatch.chdir(project / "sub")
    assert sources("../a.py") == ["../.claude/rules/r.md"]
    for path in ("a.py", "../../a.py", "/a.py", "~/a.py"):
        assert sources(path) == []
    monkeypatch.chdir(project)
    assert sources("./sub/../a.py", "--dir", ".") == [".claude/rules/r.md"]
    assert sources(str(project / "a.py")) == [".claude/rules/r.md"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_means_the_changed_files(project: Path) -> None:
    shutil.rmtree(project / ".git")
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    subprocess.run(["git", "config", "core.excludesFile", "none"], check=True)
    (project / ".git" / "info").mkdir(exist_ok=True)
    (project / ".git" / "info" / "exclude").write_text(".claude\n")
    write(project, {".claude/rules/r.md": claude("'*.py'"), ".claude/rules/all.md": RULE})
    assert sources("git") == [".claude/rules/all.md"]
    write(project, {"a.py": ""})
    assert sources("git") == [".claude/rules/all.md", ".claude/rules/r.md"]
    assert len(sources(".")) == len(sources()) == 2


def test_a_folder_without_rules_and_files_without_rules_are_no_error(project: Path) -> None:
    write(project, {".claude/rules/r.md": claude("'*.py'")})
    done = call("rules", "a.ts")
    assert (done.code, done.out, done.err) == (0, b"", "ctx: no rules apply\n")
    (project / ".claude" / "rules" / "r.md").unlink()
    done = call("rules")
    assert (done.code, done.err) == (0, "ctx: no file holds rules\n")
    shutil.rmtree(project / ".claude")
    assert call("rules").code == 4


def test_what_cannot_be_read_gets_a_line_and_the_rest_is_listed(project: Path) -> None:
    write(project, {
        ".claude/rules/a.md": claude("'[a, *.py'"),
        ".claude/rules/b.md": claude("{a,b}" * 2_000),
        ".claude/rules/c.md": claude("**/*.py"),
        ".claude/rules/d.md": "---\npaths: [a\nx: {\n---\n" + RULE,
    })  # fmt: skip
    done = call("rules", "x/a.py")
    found = [line.split()[0] for line in done.text.splitlines()]
    assert found == [f".claude/rules/{name}.md" for name in "acd"], "Claude Code loads no d.md"
    assert done.code == 0
    lines = done.err.splitlines()
    assert len(lines) == 3
    assert all(len(line) < 300 for line in lines)


def test_texts_come_without_secrets(project: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    write(project, {".claude/rules/a.md": f"Never use {secret}.\n"})
    assert secret not in call("rules", "--json").text
    assert listed()[0]["text"] == "Never use [secret redacted]."


def test_a_tool_gives_the_texts_of_the_rules_that_apply(project: Path) -> None:
    long = "".join(f"- Never use number {number}.\n" for number in range(2_000))
    write(project, {".claude/rules/a.md": RULE, ".claude/rules/b.md": claude("'*.py'", long)})

    def asked(**given: object) -> dict[str, object]:
        text = call_tool(TOOLS["rules_for"], {**given}, str(project))  # type: ignore[dict-item]
        found: dict[str, object] = json.loads(text)
        return found

    found = asked(paths=["a.ts"])
    assert found["text"] == f"# .claude/rules/a.md\n\n{RULE}\n"
    found = asked(paths=["a.py"])
    assert [rule["pattern"] for rule in found["rules"]] == ["*.py", ""]  # type: ignore[attr-defined]
    assert "read the files" in str(found["truncated"])
    assert str(found["text"]).startswith("# .claude/rules/b.md\n\n- Never use number 0.")
    assert asked()["text"] == ""


# --- the same in each dialect -----------------------------------------------------------------

# Pages of the tools: code.claude.com/docs/en/memory, cursor.com/docs/context/rules,
# docs.github.com "Adding repository custom instructions", kiro.dev/docs/steering.
FRONTS = [
    # Claude Code: one text and several, quoted or not, with commas or as a list.
    ("claude", "paths: src/**", "src/a", "match"),
    ("claude", "paths: '**/*.ts, **/*.tsx'", "x/a.tsx", "match"),
    ("claude", "paths: **/*.ts, **/*.tsx", "x/a.tsx", "match"),
    ("claude", "paths:\n  - **/*.ts\n  - *.md", "a.md", "match"),
    ("claude", "paths: [src/**, '*.md']", "a.md", "match"),
    ("claude", "paths: {src,lib}/**/*.ts", "lib/a.ts", "match"),
    ("claude", "paths: *.{ts,tsx}", "a.tsx", "match"),
    ("claude", "paths: **, !**/*.ts", "a.ts", "no"),
    ("claude", "paths: {src,lib/{a,b}}/*.ts", "lib/b/x.ts", "match"),
    ("claude", "paths:\n  - src/**\n  - !src/**/*.test.ts", "src/a", "match"),
    ("claude", "paths:\n  - src/**\n  - !src/**/*.test.ts", "src/a.test.ts", "no"),
    ("claude", "paths: []", "a.ts", "always"),
    ("claude", "paths:", "a.ts", "always"),
    ("claude", "globs: *.py", "a.ts", "always"),
    # Cursor: commas, normally without quotes; alwaysApply goes first, then globs.
    ("cursor", "globs: *.ts, *.tsx", "a.tsx", "match"),
    ("cursor", "globs: *.ts,*.tsx\nalwaysApply: false", "a.tsx", "match"),
    ("cursor", 'globs: ["**/*.ts", "docs/**"]', "docs/a", "match"),
    ("cursor", "globs:\n  - *.ts\n  - src/**/*.{js,jsx}", "src/a/b.jsx", "match"),
    ("cursor", 'globs: "*.ts", "*.tsx"', "a.tsx", "match"),
    ("cursor", "globs: '*.ts' ,'*.{js,jsx}'", "a.jsx", "match"),
    ("cursor", "globs: [*.ts, 'src/**', \"*.js\"]", "src/a", "match"),
    ("cursor", "globs: [*.ts, 'src/**', \"*.js\"]", "a.js", "match"),
    ("cursor", "globs:\t*.ts\r\nalwaysApply: false\r", "a.ts", "match"),
    ("cursor", "globs: *.ts # pages\nalwaysApply: true # all", "a.py", "always"),
    ("cursor", "globs: *.js,src/*.tsx  # pages", "src/a.tsx", "match"),
    ("cursor", "globs:\n  *.ts, # types\n# and\n  *.tsx\nalwaysApply: false", "a.tsx", "match"),
    ("cursor", "description: it's {a}: [x]\nglobs: [\n  **/*.{a,b},\n  *.js\n]", "x/a.b", "match"),
    ("cursor", "globs: []\nalwaysApply: true", "a", "always"),
    ("cursor", "globs: []\ndescription: d", "a", "described"),
    ("cursor", "description: Rule: of colons\nglobs: *.ts", "a.ts", "match"),
    ("cursor", "", "a", "manual"),
    # Copilot.
    ("copilot", "applyTo: **", "x/.y", "match"),
    ("copilot", "applyTo: ['*']", "x/a", "no"),
    ("copilot", "applyTo: '**/*.{ts,js}, **/package.json'", "x/package.json", "match"),
    ("copilot", "applyTo: **.go, go.mod", "go.mod", "match"),
    ("copilot", 'applyTo: "**/${input:file}"', "file", "no"),
    ("copilot", "", "a", "manual"),
    # Kiro.
    ("kiro", "inclusion: fileMatch\nfileMatchPattern: **/*.py", "a/b.py", "match"),
    ("kiro", "inclusion: fileMatch\nfileMatchPattern:\n  - '*.py'\n  - src/**", "src/a", "match"),
    ("kiro", "inclusion: FileMatch\nfileMatchPattern: 'a/**'", "a/b", "match"),
    ("kiro", "title: x", "a", "always"),
    ("kiro", "inclusion: auto\ndescription: d", "a", "described"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "front", "path", "expected"), FRONTS)
def test_the_frontmatter_of_each_dialect(
    project: Path, dialect: str, front: str, path: str, expected: str
) -> None:
    name = scoped.PLACES[dialect].format("rule")
    write(project, {name: (f"---\n{front}\n---\n" if front else "") + RULE})
    asked = scoped.Asked(project)
    found = asked.rules([path]).get(name)
    mode = found[0] if found else asked.rules([])[name][0]
    assert ("no" if mode == "match" and not found else mode) == expected


@pytest.mark.skipif(not DATA.exists(), reason="the shared benchmark is not on this machine")
def test_all_cases_of_the_benchmark() -> None:
    count, wrong = scoped.of_cases(DATA / "cases.jsonl")
    assert count > 80
    # Claude Code takes patterns as git does: "*.md" is any such file, as its releases were seen to.
    (case,) = (json.loads(one.partition(": ")[2]) for one in wrong)
    assert (case["dialect"], case["path"], case["expect"]) == ("claude", "docs/README.md", "no")


@pytest.mark.skipif(not PROJECT.exists(), reason="the shared corpora are not on this machine")
@pytest.mark.parametrize("dialect", sampled([*scoped.PLACES], 2))
def test_the_rules_of_each_commit_in_each_dialect(dialect: str) -> None:
    score = scoped.of_commits(DATA, PROJECT, dialect, most=40)
    assert (score.exact, score.precision, score.recall) == (40, 1.0, 1.0)


def test_the_rules_of_a_call_are_the_same_twice(project: Path) -> None:
    write(project, {f".claude/rules/{name}.md": claude("'*.py'") for name in "cab"})
    options = PacketOptions(focus=[str(project / "a.py")])
    found = [
        rules_for(Workspace(options, World(), root=str(project / ".context"))) for _ in range(2)
    ]
    assert found[0] == found[1]
    assert [rule.source for rule in found[0].rules] == [
        f".claude/rules/{name}.md" for name in "abc"
    ]


# --- in packets ---------------------------------------------------------------------------------


def packet(*arguments: str) -> str:
    done = call("agent", "--as-of", "2026-11-21", *arguments, later=60)
    assert done.code == 0, done.err
    return done.text


@pytest.fixture
def shop(project: Path) -> Path:
    """A project with rules for certain files, conventions and decisions."""
    advice = "".join(
        f"- Prefer way {number} of writing pages over all others.\n" for number in range(60)
    )
    decided = "".join(
        f"## [2026-11-{day:02}-100000] Pages have {day} parts\n\n**Context**: pages\n\n"
        for day in range(1, 20)
    )
    write(project, {
        ".context/CONVENTIONS.md": "# Conventions\n\n" + "- Keep pages small and quick.\n" * 3,
        ".context/DECISIONS.md": f"# Decisions\n\n{decided}",
        ".claude/rules/go.md": claude("'**/*.go'", "- Never use cgo.\n- Prefer small packages.\n"),
        ".claude/rules/py.md": claude("**/*.py", "- Never use eval.\n- Prefer short functions.\n"),
        ".cursor/rules/ask.mdc": "---\ndescription: How to release\n---\nNever release on a day.\n",
        ".kiro/steering/all.md": advice,
        "cmd/AGENTS.md": "- Never print in commands.\n",
    })  # fmt: skip
    return project


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("planner", ["tiered", "acs"])
@pytest.mark.parametrize("query", [[], ["--query", "pages of many parts"]])
def test_a_packet_has_the_rules_for_the_files_in_focus_alone(
    planner: str, query: list[str]
) -> None:
    both = ["--planner", planner, "--budget", "900", *query]
    text = packet("--focus", "cmd/a.go", *both)
    for part in ("Never use cgo.", "Prefer small packages.", "Never print in commands."):
        assert part in text, part
    for part in ("eval", "short functions", "Never release"):
        assert part not in text, part
    assert "Prefer small packages." not in packet(*both)
    text = packet("--focus", "cmd/a.go", "--focus", "x.py", *both)
    assert all(part in text for part in ("cgo", "small packages", "eval", "short functions"))


@pytest.mark.usefixtures("shop")
def test_a_rule_that_is_chosen_by_its_description_is_a_title() -> None:
    text = packet("--focus", "cmd/a.go", "--budget", "6000")
    assert "- .cursor/rules/ask.mdc (100 tokens): How to release" in text
    assert "Never release" not in text


@pytest.mark.usefixtures("shop")
def test_no_budget_takes_away_a_guideline_for_the_file_in_focus() -> None:
    included = [
        "Prefer small packages." in packet("--focus", "a.go", "--budget", str(budget))
        for budget in range(200, 1_600, 100)
    ]
    assert included == sorted(included)
    assert included[3]


def test_where_not_all_rules_fit_those_for_the_file_in_focus_come_first(shop: Path) -> None:
    rules = "".join(f"- Never do number {number} of a hundred.\n" for number in range(100))
    write(shop, {"AGENTS.md": rules, ".claude/rules/go.md": claude("'*.go'", "- Always vet.\n")})
    text = packet("--focus", "a.go", "--budget", "400")
    assert "Always vet." in text
    assert "Always vet." not in packet("--focus", "a.py", "--budget", "400")


def test_documents_that_are_only_in_folders_make_a_project(project: Path) -> None:
    write(project, {"packages/a/AGENTS.md": "# A\n\n- Never log a token.\n", "b.py": ""})
    assert call("status").code == NO_DIRECTORY
    shutil.rmtree(project / ".git")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=project, check=True)
    assert "packages/a/AGENTS.md:3" in call("search", "token").text
    assert sources() == sources("packages/a/x.py") == ["packages/a/AGENTS.md"]
    assert call("agent").code == call("status").code == call("check").code == OK
    assert "log a token" not in call("agent").text
