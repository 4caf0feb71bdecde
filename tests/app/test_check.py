"""``ctx check`` as people and programs meet it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from ctx.app.check import check_as_json
from ctx.app.find import here
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.checks.rules import NAMES
from ctx.world import World
from tests.checks.faults import CLEAN, CONSTITUTION, DECISIONS, spoilt, write
from tests.checks.faults import Fault as Spoiling
from tests.hostile import deep, tree
from tests.keeping import GIT_FILES, cache
from tests.rank.hands import Done, call

LINK = Spoiling("dead-link", "", DECISIONS, "\nSee [that](gone.md).\n")
posix = pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, spoilt(LINK)[0])


def check(root: Path, *options: str, **environ: str) -> Done:
    return call("check", "--dir", str(root), *options, environ=environ)


def test_json_is_one_object_and_the_one_that_the_function_returns(root: Path) -> None:
    done = check(root, "--json")
    told = json.loads(done.text)
    world = World()
    world.environ, world.home = {}, "/-"
    assert told == check_as_json(Workspace(PacketOptions(), world, root=str(root)))
    assert (done.code, done.err) == (1, "")
    assert told["directory"] == str(root)
    assert (told["errors"], told["warnings"]) == (0, 1)
    assert [one["name"] for one in told["rules"]] == list(NAMES)
    assert told["findings"] == [
        {
            "rule": "dead-link",
            "severity": "warning",
            "file": "DECISIONS.md",
            "line": 22,
            "message": "'gone.md' leads nowhere",
            "remedy": "mend the link, or take it out",
            "path": here(str(root), "DECISIONS.md", os.getcwd()),
        }
    ]
    assert (told["not_looked_at"], told["why_not"]) == ([], "")


@pytest.mark.parametrize(
    ("folder", "expected"),
    [(".context", "DECISIONS.md"), ("src", "../.context/DE"), ("..", "shop/.context/DECISIONS.md")],
)
def test_files_are_named_from_where_somebody_stands(
    folder: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "shop", spoilt(LINK)[0])
    monkeypatch.chdir(root.parent / folder)
    assert check(root).text.startswith(expected.replace("/", os.sep))
    (finding,) = json.loads(check(root, "--json").text)["findings"]
    assert finding["path"].startswith(expected.replace("/", os.sep))
    assert finding["file"] == "DECISIONS.md"


def test_only_what_is_severe_enough_is_reported_and_counted(tmp_path: Path) -> None:
    files = {**spoilt(LINK)[0], CONSTITUTION: CLEAN[CONSTITUTION] + "\n##No space\n"}
    root = write(tmp_path, files)
    assert "1 error, 1 warning in 2 files" in check(root).err
    assert check(root, "--severity", "warning").text == check(root).text
    done = check(root, "--severity", "error")
    assert (done.code, done.text.count("\n"), "1 error, 0 warnings" in done.err) == (1, 1, True)
    told = json.loads(check(root, "--severity", "error", "--json").text)
    assert (told["errors"], told["warnings"], len(told["findings"])) == (1, 0, 1)
    assert {one["severity"] for one in told["rules"]} == {"error"}
    (root / "CONSTITUTION.md").write_text(CLEAN[CONSTITUTION])
    assert check(root, "--severity", "error").code == 0


def test_a_severity_that_there_is_not_or_that_leaves_no_rule_is_a_usage_error(root: Path) -> None:
    done = check(root, "--severity", "eror")
    assert (done.code, done.text) == (2, "")
    assert "--severity: unknown severity 'eror'" in done.err
    done = check(root, "--severity", "error", "--rule", "undated")
    assert (done.code, "no rule is left" in done.err) == (2, True)


OUTWARD = "\n- [ ] Build it as [the plan](../specs/plan.md) says\n"


def test_in_a_repository_links_are_followed_whatever_else_it_holds(tmp_path: Path) -> None:
    files = {**GIT_FILES, ".context/TASKS.md": f"# Tasks\n{OUTWARD}"}
    done = check(write(tmp_path, files))
    assert (done.code, "TASKS.md:3: warning: dead-link: '../specs/plan.md'" in done.text) == (
        1,
        True,
    )
    assert done.err.endswith(
        "; paths, commands and globs out of the directory were not looked at: "
        "no folder and no manifest beside it\n"
    )
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/plan.md").write_text("# Plan\n")
    done = check(tmp_path)
    assert (done.code, "not looked at" in done.err) == (0, False)


def test_without_a_project_what_is_not_looked_at_is_named(tmp_path: Path) -> None:
    root = write(tmp_path, {".context/TASKS.md": f"# Tasks\n{OUTWARD}"})
    done = check(root)
    assert done.code == 0
    assert done.err == (
        "ctx: nothing found: 1 entry in 1 document; links, paths, commands and globs out of the "
        "directory were not looked at: no project around it\n"
    )
    told = json.loads(check(root, "--json").text)
    assert told["not_looked_at"] == ["links", "paths", "commands", "globs"]
    assert told["why_not"] == "no project around it"
    assert "not looked at" not in check(root, "--rule", "cycle").err
    assert "; links out of the directory were" in check(root, "--rule", "dead-link").err


def test_a_project_of_too_many_files_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.app.work_tree.MOST", 3)
    told = json.loads(check(root, "--json").text)
    assert told["not_looked_at"] == ["paths", "commands", "globs"]
    assert told["why_not"] == "too many files around it, over 3"


@posix
def test_nothing_beside_the_directory_hangs(root: Path) -> None:
    project = root if (root / ".context").is_dir() else root.parent
    for name in ("Makefile", ".gitignore"):
        (project / name).unlink()
        os.mkfifo(project / name)
    (project / "package.json").write_text("[" * 100_000)
    (project / "justfile").write_bytes(b"a" * (2 << 20))
    (project / "circle").symlink_to("circle")
    (project / "src/up").symlink_to("..")
    with (project / ".context/TASKS.md").open("a") as file:
        file.write("\nMend it: run `make it`, then `just it`, then `npm run it`.\n")
    with deep(project), deep(project / ".context"):
        done = check(root)
    assert "missing-command" not in done.text
    lines = [line for line in done.err.splitlines() if "not read" in line]
    assert [line.split(": ")[1] for line in lines] == [".gitignore", "Makefile", "justfile"]
    assert lines[1].endswith("are not checked: is not a regular file")
    told = json.loads(check(root, "--json").text)
    assert [one["path"] for one in told["left_unread"]] == [".gitignore", "Makefile", "justfile"]
    status = call("status", "--dir", str(root), environ={}).text
    assert "do          note that Makefile is not checked: is not a regular file\n" in status


def test_only_the_rules_that_are_named_are_asked(root: Path) -> None:
    assert check(root, "--rule", "cycle", "--rule", "undated").code == 0
    told = json.loads(check(root, "--rule", "dead-link", "--json").text)
    assert [one["name"] for one in told["rules"]] == ["dead-link"]
    assert len(told["findings"]) == 1


def test_a_check_changes_no_file(root: Path) -> None:
    before = tree(root.parent)
    check(root)
    check(root, "--json", CTX_NO_CACHE="1")
    assert tree(root.parent) == before


def test_with_and_without_a_store_the_same_is_found(root: Path) -> None:
    cold = check(root, CTX_NO_CACHE="1").text
    assert not cache(root).exists()
    assert check(root).text == cold
    assert check(root).text == cold
    assert cache(root).exists()


def test_the_hard_tier_is_judged_by_the_configured_budget(root: Path) -> None:
    (root / "config.toml").write_text("budget = 100\n")
    told = json.loads(check(root, "--rule", "hard-tier", "--json").text)
    (finding,) = told["findings"]
    assert finding["severity"] == "error"
    assert "over their share of 40 (40% of 100)" in finding["message"]
    path = here(str(root), "CONSTITUTION.md", os.getcwd())
    assert f"`ctx tiers {path}`" in finding["remedy"]
    assert check(root, "--rule", "hard-tier", CTX_BUDGET="9000").code == 0


def test_all_files_that_share_the_blame_for_the_hard_tier_are_named(tmp_path: Path) -> None:
    rule = "- Never close depot {} before noon on a day.\n"
    files = {
        f".context/steering/{name}.md": "".join(rule.format(f"{name}{at}") for at in range(count))
        for name, count in (("a", 120), ("b", 160), ("c", 140), ("d", 130), ("e", 3))
    }
    root = write(tmp_path, {".context/TASKS.md": "", **files})
    told = json.loads(check(root, "--rule", "hard-tier", "--json").text)
    (finding,) = told["findings"]
    assert (finding["file"], finding["severity"]) == ("steering/b.md", "error")
    named = re.findall(r"steering/(.)\.md \(([\d,]+)\)", finding["message"])
    assert [name for name, _ in named] == ["b", "c", "d", "a"]
    assert finding["message"].endswith(", and in 1 other file")
    (whole,) = re.findall(r"cost ([\d,]+) tokens", finding["message"])
    costs = [int(count.replace(",", "")) for _, count in named]
    assert costs == sorted(costs, reverse=True)
    assert 0.9 < sum(costs) / int(whole.replace(",", "")) < 1


def test_a_file_with_a_hostile_name_is_named_harmlessly(tmp_path: Path) -> None:
    name = ".context/decisions/a\x1b[31m.md"
    root = write(tmp_path, {**CLEAN, name: "## [2026-01-05] Ends\n\nSee [that](gone.md).\n"})
    done = check(root)
    assert r"decisions/a\x1b[31m.md:3: warning: dead-link" in done.text
    assert "\x1b" not in done.text + done.err


def test_files_stand_in_reading_order_and_lines_in_theirs(tmp_path: Path) -> None:
    gone = "\nSee [that](gone.md).\n"
    files = {**CLEAN, DECISIONS: CLEAN[DECISIONS] + gone + "\n##No\n" + gone}
    files[CONSTITUTION] = CLEAN[CONSTITUTION] + gone
    files["AGENTS.md"] = CLEAN["AGENTS.md"] + gone
    told = json.loads(check(write(tmp_path, files), "--json").text)
    places = [(one["file"], one["line"]) for one in told["findings"]]
    decisions = [("DECISIONS.md", line) for line in (22, 24, 26)]
    assert places == [("CONSTITUTION.md", 7), ("../AGENTS.md", 6), *decisions]


def test_files_that_are_not_text_are_left_alone(tmp_path: Path) -> None:
    root = write(tmp_path, CLEAN)
    for name, data in (
        ("cart.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4),
        ("pad.enc", bytes(range(1, 256)) * 4),
        ("picture.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4),
        ("late.bin", b"text\x1a " * 2_000 + b"\0"),
    ):
        (root / name).write_bytes(data)
    assert json.loads(check(root, "--json").text)["findings"] == []
    (root / "odd.md").write_text("# A text\n\nwith one character\0 that nobody sees.\n")
    (finding,) = json.loads(check(root, "--json").text)["findings"]
    assert (finding["file"], finding["rule"]) == ("odd.md", "character")


# --- sources beside the directory -------------------------------------------------------------


def rules_of(folder: Path, files: dict[str, str]) -> list[str]:
    """Return rule, file and line of what is found in a project without a context directory."""
    write(folder, {**{path: CLEAN[path] for path in OTHERS}, **files})
    answer = json.loads(check(folder, "--json").text)
    return [f"{one['rule']} {one['file'][3:]}:{one['line']}" for one in answer["findings"]]


OTHERS = ("src/shop/money.py", "src/shop/cart.py", "package.json", ".git/HEAD")


def mdc(globs: str, text: str) -> str:
    return f"---\nglobs: {globs}\n---\n\n{text}\n"


def test_contrary_rules_of_scopes_with_a_file_in_common_are_found(tmp_path: Path) -> None:
    contrary = "- Never commit generated files.", "- Always commit generated files."
    for number, (globs, expected) in enumerate(
        (
            ("src/**/*.py", ["contradiction .cursor/rules/b.mdc:5"]),
            ("**/money.*", ["contradiction .cursor/rules/b.mdc:5"]),
            ("package.json", []),
        )
    ):
        files = {".cursor/rules/a.mdc": mdc("src/shop/*", contrary[0])}
        files[".cursor/rules/b.mdc"] = mdc(globs, contrary[1])
        assert rules_of(tmp_path / str(number), files) == expected


def test_files_of_every_source_are_looked_at(tmp_path: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "run it")
    files = {
        "CLAUDE.md": "# Shop\n\n@docs/gone.md\n",
        ".cursor/rules/a.mdc": mdc("src/**", f"Prices are cents.{hidden}"),
        ".clinerules": "Prices\u202e are cents.\n",
        "src/shop/AGENTS.md": "- Prices are [cents](gone.md).\n",
    }
    assert sorted(rules_of(tmp_path, files)) == [
        "character .clinerules:1", "character .cursor/rules/a.mdc:5",
        "dead-link src/shop/AGENTS.md:1", "unreadable CLAUDE.md:3",
    ]  # fmt: skip


def test_rules_for_certain_files_cost_nothing_of_the_packet_without_them(tmp_path: Path) -> None:
    rules = "\n".join(
        f"- Never close depot {number} before noon on a day." for number in range(400)
    )
    assert rules_of(tmp_path / "1", {".cursor/rules/a.mdc": mdc("src/**", rules)}) == []
    assert rules_of(tmp_path / "2", {"src/shop/AGENTS.md": rules, "AGENTS.md": "# Shop\n"}) == []
    assert rules_of(tmp_path / "3", {".cursorrules": rules}) == [
        "many-rules .cursorrules:1", "hard-tier .cursorrules:1"
    ]  # fmt: skip


def test_nor_do_documents_of_folders_that_git_lists(tmp_path: Path) -> None:
    rules = "\n".join(
        f"- Never close depot {number} before noon on a day." for number in range(400)
    )
    root = tmp_path / "shop"
    files = {"AGENTS.md": "# Shop\n", "src/AGENTS.md": rules, "src/a.py": ""}
    write(root, files)
    for command in (("init", "-q"), ("add", ".")):
        subprocess.run(["git", *command], cwd=root, check=True)
    assert json.loads(check(root, "--json").text)["findings"] == []


def test_a_glob_for_what_is_made_or_ignored_may_match_nothing(tmp_path: Path) -> None:
    globs = "dist/**, local/*.py, !src/none/**, lost/**"
    files = {".cursor/rules/a.mdc": mdc(globs, "Prices are cents."), ".gitignore": "/local/\n"}
    (line,) = json.loads(check(_written(tmp_path, files), "--json").text)["findings"]
    assert line["message"].startswith("'lost/**' matches no file")


def _written(folder: Path, files: dict[str, str]) -> Path:
    rules_of(folder, files)
    return folder
