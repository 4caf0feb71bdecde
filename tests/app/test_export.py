"""``ctx export``: a marked block of rules in another tool's file, and no other byte."""

import json
import os
from codecs import BOM_UTF8, BOM_UTF16_LE
from pathlib import Path

import pytest

from ctx.hosts.sources import REGISTRY
from ctx.model import Loads
from ctx.text.exported import marked, marked_blocks
from tests.hooks.conftest import git
from tests.keeping import make_repository
from tests.rank.hands import Done, call

RULES = (
    "# Constitution\n\nDo not:\n\n- push to main\n- skip tests\n\n## Errors\n\n- Name the file.\n"
)
FILES = {
    "agents": "AGENTS.md",
    "claude": "CLAUDE.md",
    "cursor": ".cursor/rules/ctx.mdc",
    "copilot": ".github/copilot-instructions.md",
    "gemini": "GEMINI.md",
}
BODY = [
    "", "## Required Rules", "", "Do not:", "", "- push to main", "- skip tests", "",
    "### Errors", "", "- Name the file.", "",
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_repository(tmp_path)
    write(tmp_path / ".context" / "CONSTITUTION.md", RULES)
    return tmp_path


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def export(project: Path, *words: str) -> Done:
    return call("export", *words, "--dir", str(project))


def block(tool: str, eol: str = "\n") -> str:
    note = f"by `ctx export {tool}`: edit the rules at their sources, not this block"
    return "".join(f"{line}{eol}" for line in marked(BODY, note))


@pytest.mark.parametrize("tool", FILES)
def test_a_new_file_holds_the_block_and_a_second_call_changes_nothing(
    project: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / FILES[tool]
    assert (done := export(project, tool, "--check")).code == 1, done
    assert not file.exists()
    assert export(project, tool).text == f"wrote 3 required rules to {FILES[tool]}\n"
    text = file.read_text("utf-8")
    assert text.endswith(block(tool))
    assert text.startswith("---\n" if tool == "cursor" else "<!-- ctx export begin ")
    assert export(project, tool).text == f"{FILES[tool]} is up to date: 3 required rules\n"
    assert export(project, tool, "--check").code == 0
    assert file.read_text("utf-8") == text
    assert [path.name for path in file.parent.glob(".*ctx*")] == []
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    assert export(project, tool).text.startswith(f"../{FILES[tool]} is up to date")


@pytest.mark.parametrize(
    ("before", "between"),
    [
        (b"# Mine\n\n- keep it\n", b"\n"),
        (b"# Mine\n\n- keep it", b"\n\n"),
        (b"# Mine\n\n", b""),
        (b"# Mine\r\n\r\n- keep it\r\n", b"\r\n"),
        (b"# Mine\r\n\r\n- keep it", b"\r\n\r\n"),
        (BOM_UTF8 + b"# Mine\n", b"\n"),
        (b"# \xff\xfe broken\n", b"\n"),
        (b"", b""),
    ],
)
def test_the_block_is_added_and_updated_and_all_other_bytes_stay(
    project: Path, before: bytes, between: bytes
) -> None:
    file = write(project / "AGENTS.md", before)
    eol = "\r\n" if b"\r\n" in before else "\n"
    assert export(project, "agents").code == 0
    assert file.read_bytes() == before + between + block("agents", eol).encode()
    after = b"\r\nMy own\n\nwords"
    write(file, file.read_bytes() + after)
    write(project / ".context" / "CONSTITUTION.md", "- Only this.\n")
    done = export(project, "agents", "--check")
    assert (done.code, done.text) == (1, "")
    assert "AGENTS.md: the block of rules is out of date (ctx export agents writes it)" in done.err
    assert export(project, "agents").code == 0
    data = file.read_bytes()
    assert data.startswith(before + between)
    assert data.endswith(f"- Only this.{eol}{eol}<!-- ctx export end -->{eol}".encode() + after)


def test_a_block_at_the_end_without_a_line_end_gets_none(project: Path) -> None:
    file = write(project / "AGENTS.md", "Mine\n\n" + block("agents").removesuffix("\n"))
    write(project / ".context" / "CONSTITUTION.md", "- Only this.\n")
    assert export(project, "agents").code == 0
    assert file.read_bytes().endswith(b"- Only this.\n\n<!-- ctx export end -->")


def test_a_file_in_utf_16_stays_one(project: Path) -> None:
    file = write(project / "AGENTS.md", BOM_UTF16_LE + "# Mine\n".encode("utf-16-le"))
    assert export(project, "agents").code == 0
    assert file.read_bytes().decode("utf-16") == "# Mine\n\n" + block("agents")
    assert export(project, "agents", "--check").code == 0


def test_a_block_that_a_fence_quotes_is_text(project: Path) -> None:
    quoted = f"Mine\n\n```md\n{block('agents').replace('push', 'pull')}```\n"
    file = write(project / "AGENTS.md", f"{quoted}\n~~~\n<!-- ctx export begin -->\n~~~\n")
    before = file.read_text("utf-8")
    assert export(project, "agents").code == 0
    assert file.read_text("utf-8") == f"{before}\n{block('agents')}"
    assert export(project, "agents", "--check").code == 0


@pytest.mark.parametrize("opened", ["```", "~~~~ md", "<!-- note", "<script>"])
def test_no_block_is_written_into_what_is_not_closed(project: Path, opened: str) -> None:
    file = write(project / "AGENTS.md", f"Mine\n\n{opened}\ncode\n")
    done = export(project, "agents")
    assert done.code == 6
    assert "AGENTS.md:3: a code fence, comment or HTML block is not closed" in done.err
    assert file.read_text("utf-8") == f"Mine\n\n{opened}\ncode\n"


def test_a_block_without_rules_is_taken_out_again(project: Path) -> None:
    file = write(project / "AGENTS.md", "Mine\n")
    export(project, "agents")
    write(project / ".context" / "CONSTITUTION.md", "# None\n")
    assert export(project, "agents").code == 0
    assert file.read_text("utf-8") == "Mine\n\n"
    done = export(project, "agents")
    assert done.code == 2
    assert "nothing to export: there are no required rules" in done.err


@pytest.mark.parametrize(
    ("text", "message", "under_check"),
    [
        (block("agents").replace("push", "pull"), "was edited by hand (move your lines out", 1),
        (block("agents") * 2, ":15: a second block of `ctx export` (delete one)", 6),
        (block("agents").replace("<!-- ctx export end -->", ""), ":1: a mark of `ctx export`", 6),
        ("<!-- ctx export end -->\n", ":1: a mark of `ctx export` without its counterpart", 6),
        ("<!-- ctx export begin -->\n" + block("agents"), ":2: a mark of `ctx export`", 6),
        ("<!-- ctx export begin -->\n\nx\n<!-- ctx export end -->\n", "was edited by hand", 1),
    ],
)
def test_a_block_that_is_not_as_ctx_wrote_it_is_refused(
    project: Path, text: str, message: str, under_check: int
) -> None:
    file = write(project / "AGENTS.md", text)
    done = export(project, "agents")
    assert (done.code, done.text) == (6, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert export(project, "agents", "--check").code == under_check
    assert file.read_text("utf-8") == text


def test_a_block_is_current_where_an_editor_took_white_space_from_its_lines(project: Path) -> None:
    write(project / ".context" / "CONSTITUTION.md", "- Never  \n  push.\n")
    export(project, "agents")
    assert "Never\n" in (project / "AGENTS.md").read_text("utf-8")
    assert export(project, "agents", "--check").code == 0


def test_a_block_is_never_read_as_a_source(project: Path) -> None:
    export(project, "agents")
    file = project / "AGENTS.md"
    write(file, f"- Never lie.\n\n{file.read_text('utf-8')}\n- Always ask.\n")
    listed = json.loads(call("list", "rules", "--dir", str(project), "--json").out)
    places = [(entry["file"], entry["line"]) for entry in listed["entries"]]
    assert places == [
        ("CONSTITUTION.md", 5), ("CONSTITUTION.md", 6), ("CONSTITUTION.md", 10),
        ("../AGENTS.md", 1), ("../AGENTS.md", 18),
    ]  # fmt: skip


def test_rules_of_the_file_itself_are_not_written_into_it(project: Path) -> None:
    write(project / "AGENTS.md", "- Never lie.\n")
    assert "Never lie" not in _exported(project, "agents")
    assert "Never lie" in _exported(project, "copilot")


def test_rules_for_certain_files_are_not_exported(project: Path) -> None:
    write(
        project / ".cursor" / "rules" / "a.mdc", "---\nglobs: '*.py'\n---\n- Never lie about a.\n"
    )
    write(
        project / ".cursor" / "rules" / "b.mdc", "---\ndescription: B\n---\n- Never lie about b.\n"
    )
    write(
        project / ".cursor" / "rules" / "c.mdc",
        "---\nalwaysApply: true\n---\n- Never lie about c.\n",
    )
    text = _exported(project, "claude")
    assert (
        "Never lie about a" in text,
        "Never lie about b" in text,
        "Never lie about c" in text,
    ) == (False, False, True)


def test_what_a_tool_loads_by_itself_is_not_written_for_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / ".windsurfrules", "- Never lie about w.\n")
    assert "Never lie about w" in _exported(project, "gemini")
    loads = (Loads("", host="gemini"), Loads("", host="claude", condition="sometimes"))
    origins = [
        origin._replace(loads=loads) if origin.name == "windsurf" else origin for origin in REGISTRY
    ]
    monkeypatch.setattr("ctx.app.export.REGISTRY", origins)
    assert "Never lie about w" not in _exported(project, "gemini")
    assert "Never lie about w" in _exported(project, "claude")


def _exported(project: Path, tool: str) -> str:
    assert export(project, tool).code == 0
    text = (project / FILES[tool]).read_text("utf-8")
    (found,) = marked_blocks(lines := text.split("\n"))
    return "\n".join(lines[found.first : found.end])


def test_a_link_within_the_project_is_followed_and_one_out_of_it_refused(project: Path) -> None:
    git(project, "init", "-q")
    write(project / "AGENTS.md", "- Never lie.\n")
    git(project, "add", "AGENTS.md")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "Never lie" not in _exported(project, "claude")
    assert (project / "CLAUDE.md").is_symlink()
    (project / "GEMINI.md").symlink_to(project.parent / "elsewhere.md")
    (project / ".cursor" / "rules").mkdir(parents=True)
    os.mkfifo(project / ".cursor" / "rules" / "ctx.mdc")
    for options in ((), ("--check",)):
        done = export(project, "gemini", *options)
        assert done.code == 6
        assert "not followed: the link " in done.err
        assert "is not a regular file" in export(project, "cursor", *options).err
    (project / ".github").symlink_to(project.parent)
    assert export(project, "copilot").code == 6
    assert not (project.parent / "copilot-instructions.md").exists()


def test_a_rule_that_holds_a_mark_is_not_written(project: Path) -> None:
    rule = "<!-- ctx:hard -->\n```\n<!-- ctx export end -->\n```\n"
    write(project / ".context" / "CONSTITUTION.md", rule)
    done = export(project, "agents")
    assert done.code == 6
    assert "AGENTS.md: nothing was written: a rule holds a mark of a block" in done.err
    assert not (project / "AGENTS.md").exists()


def test_a_tool_that_is_unknown_is_refused_with_what_is_known(project: Path) -> None:
    assert "did you mean claude?" in export(project, "claud").err
    assert "agents, claude, gemini, cursor, copilot" in export(project, "foo").err


def test_json_names_file_rules_and_state(project: Path) -> None:
    assert json.loads(export(project, "agents", "--json").out) == {
        "tool": "agents", "file": "AGENTS.md", "rules": 3, "state": "missing",
    }  # fmt: skip
    assert json.loads(export(project, "agents", "--json", "--check").out)["state"] == "current"
