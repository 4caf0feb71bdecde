"""Which authored documents belong to a project, and that a packet notices when they change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from ctx.app.workspace import levels_of, project_of
from ctx.errors import DEGRADED, NO_DIRECTORY, OK
from ctx.store import open_store, response_cache
from tests.hostile import Ran, in_process, without_store
from tests.keeping import cache, make_repository
from tests.rank.hands import Done, call

USUAL = "AGENTS.md, CLAUDE.md"

links = pytest.mark.skipif(os.name != "posix", reason="links need a privilege there")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a repository in it: ``~/repo/part/.context``."""
    make_repository(tmp_path / "home" / "repo")
    context = tmp_path / "home" / "repo" / "part" / ".context"
    context.mkdir(parents=True)
    (context / "TASKS.md").write_text("- [ ] A task\n", encoding="utf-8")
    return tmp_path / "home"


def context(home: Path) -> Path:
    return home / "repo" / "part" / ".context"


def rule(folder: Path, name: str, text: str = "") -> None:
    """Write a document whose only rule names where it is."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(
        f"<!-- ctx:hard -->\n- rule of {text or folder.name}/{name}\n", encoding="utf-8"
    )


def rules(home: Path, root: Path | None = None, **variables: str) -> list[str]:
    """Return the authored rules of the packet for the directory of ``home``."""
    ran = pack(home, root, **variables)
    assert ran.code == 0
    lines = ran.out.decode().split("\n")
    return [line.removeprefix("- rule of ") for line in lines if line.startswith("- rule of ")]


def pack(home: Path, root: Path | None = None, **variables: str) -> Ran:
    environ = {f"CTX_{name}": value for name, value in variables.items()}
    return without_store(root or context(home), home=str(home), environ=environ)


# --- where is looked ----------------------------------------------------------------------


def test_the_nearest_comes_first_up_to_the_root_of_the_repository(home: Path) -> None:
    rule(home, "AGENTS.md")
    assert rules(home) == []
    rule(home / "repo", "AGENTS.md")
    assert rules(home) == ["repo/AGENTS.md"]
    rule(home / "repo" / "part", "CLAUDE.md")
    assert rules(home) == ["part/CLAUDE.md", "repo/AGENTS.md"]
    rule(home / "repo" / "part", "AGENTS.md")
    assert rules(home) == ["part/AGENTS.md", "part/CLAUDE.md", "repo/AGENTS.md"]


def test_without_a_repository_only_beside(home: Path) -> None:
    shutil.rmtree(home / "repo" / ".git")
    rule(home, "AGENTS.md")
    rule(home / "repo", "AGENTS.md")
    assert rules(home) == []
    rule(home / "repo" / "part", "CLAUDE.md")
    assert rules(home) == ["part/CLAUDE.md"]


def test_never_above_home(home: Path) -> None:
    shutil.rmtree(home / "repo" / ".git")
    make_repository(home.parent)
    rule(home.parent, "AGENTS.md")
    rule(home, "AGENTS.md")
    assert rules(home) == []
    make_repository(home)
    assert rules(home) == ["home/AGENTS.md"]


def test_a_repository_within_another_ends_the_search(home: Path) -> None:
    (home / "repo" / "part" / ".git").write_text("gitdir: ../.git/modules/part\n", "utf-8")
    rule(home / "repo", "AGENTS.md")
    assert rules(home) == []


def test_a_directory_of_another_name(home: Path) -> None:
    root = home / "repo" / "notes"
    root.mkdir()
    (root / "TASKS.md").write_text("- [ ] A task\n", encoding="utf-8")
    rule(home / "repo", "AGENTS.md")
    rule(root, "AGENTS.md")  # inside: not a document of the project
    assert rules(home, root) == ["repo/AGENTS.md"]


def test_documents_are_looked_for_from_the_files_in_focus_to_the_root(home: Path) -> None:
    root = str(context(home))
    project = project_of(root, str(home))
    assert project.root == str(home / "repo")
    assert project.levels == ("..", "../..")
    assert set(project.absent) == {str(home / "repo" / "part" / ".git")}
    assert set(project.absent.values()) == {()}
    assert levels_of(root, project, []) == project.levels
    assert levels_of(root, project, ["a.ts", "part/x/y.ts", "../b.ts", "other/z.ts"]) == (
        "../x", "../../other", "..", "../..",
    )  # fmt: skip


# --- the setting --------------------------------------------------------------------------


def test_the_setting_names_the_documents(home: Path) -> None:
    for name in ("AGENTS.md", "CLAUDE.md", "docs/RULES.md"):
        rule(home / "repo" / "part", name)
    for setting, expected in (
        (USUAL, ["part/AGENTS.md", "part/CLAUDE.md"]),
        ("AGENTS.md|CLAUDE.md", ["part/AGENTS.md"]),
        ("CLAUDE.md|AGENTS.md", ["part/CLAUDE.md"]),
        ("AGENTS.md, CLAUDE.md", ["part/AGENTS.md", "part/CLAUDE.md"]),
        ("QWEN.md|docs/RULES.md, CLAUDE.md", ["part/docs/RULES.md", "part/CLAUDE.md"]),
        ("QWEN.md", []),
        ("none", []),
    ):
        assert rules(home, AUTHORED=setting) == expected
    (context(home) / "config.toml").write_text('authored = "docs/RULES.md"\n', encoding="utf-8")
    assert rules(home) == ["part/docs/RULES.md"]


def test_a_setting_cannot_lead_out(home: Path) -> None:
    for setting in ("../AGENTS.md", "/etc/AGENTS.md", "a/../../b.md", "secret"):
        (context(home) / "config.toml").write_text(f"authored = {setting!r}\n", encoding="utf-8")
        with pytest.raises(Exception, match="is not a path, relative and with /") as raised:
            pack(home)
        assert type(raised.value).__name__ == "SettingsError"


# --- links and odd things -----------------------------------------------------------------


@links
def test_a_link_within_the_project_is_followed(home: Path) -> None:
    rule(home / "repo" / "docs", "RULES.md")
    (home / "repo" / "part" / "AGENTS.md").symlink_to(home / "repo" / "docs" / "RULES.md")
    assert rules(home) == ["docs/RULES.md"]


@links
def test_without_a_repository_a_link_may_not_leave_the_folder(home: Path) -> None:
    shutil.rmtree(home / "repo" / ".git")
    rule(home / "repo", "RULES.md")
    (home / "repo" / "part" / "AGENTS.md").symlink_to(home / "repo" / "RULES.md")
    assert "is a link out of the project" in pack(home).err


@links
def test_what_cannot_be_read_gives_way_to_the_next(home: Path) -> None:
    agents = home / "repo" / "part" / "AGENTS.md"
    rule(home / "repo" / "part", "CLAUDE.md")
    rule(home, "RULES.md")
    makes: list[tuple[Callable[[], None], str]] = [
        (lambda: agents.symlink_to(home / "RULES.md"), "is a link out of the project; left out ("),
        (lambda: agents.symlink_to("gone.md"), "is a link that leads nowhere; left out"),
        (lambda: agents.symlink_to("AGENTS.md"), "is a link that leads nowhere; left out"),
        (lambda: os.mkfifo(agents), "is not a regular file; left out"),
        (agents.mkdir, "is a directory, not a file; left out"),
    ]
    for make, why in makes:
        make()
        ran = pack(home)
        assert rules(home) == ["part/CLAUDE.md"]
        assert f"/part/AGENTS.md: {why}" in ran.err  # as it opens from where the person is
        assert ran.err.count("\n") == 1
        (line,) = [line for line in status(home)["advice"] if why in line]
        assert "/part/AGENTS.md: " in line
        if "link out" in why:
            assert rules(home, ALLOW_LINKS="true") == ["home/RULES.md", "part/CLAUDE.md"]
        if make != agents.mkdir:
            agents.unlink()


def status(home: Path) -> dict[str, list[str]]:
    """Return what ``ctx status --json`` says."""
    done = call("status", "--json", "--dir", str(context(home)), home=str(home))
    found: dict[str, list[str]] = json.loads(done.out)
    return found


@links
def test_only_a_document_that_another_replaces_is_advice(home: Path) -> None:
    rule(home / "repo" / "part", "AGENTS.md")
    (home / "repo" / "part" / "CLAUDE.md").symlink_to("AGENTS.md")
    assert not [line for line in status(home)["advice"] if "is not read" in line]
    (home / "repo" / "part" / "CLAUDE.md").unlink()
    rule(home / "repo" / "part", "CLAUDE.md")
    (context(home) / "config.toml").write_text('authored = "AGENTS.md|CLAUDE.md"\n', "utf-8")
    (line,) = [line for line in status(home)["advice"] if "is not read" in line]
    assert "../CLAUDE.md" in line


def test_only_files_that_could_help_are_named(home: Path) -> None:
    (home / "repo" / "part" / "AGENTS.md").write_text("- Never use words\n" * 2000, "utf-8")
    (context(home) / "CONSTITUTION.md").write_text("- a\n", encoding="utf-8")
    named = [line for line in status(home)["advice"] if line.startswith("look at ")]
    assert ["/part/AGENTS.md, about " in line for line in named] == [True]


@links
def test_a_directory_that_is_a_link_has_the_documents_beside_the_link(home: Path) -> None:
    other = home / "repo" / "other"
    other.mkdir()
    (other / ".context").symlink_to(context(home))
    rule(home / "repo" / "part", "AGENTS.md")
    rule(other, "AGENTS.md")
    assert rules(home, other / ".context") == ["other/AGENTS.md"]


@links
def test_one_document_under_two_names_is_read_once(home: Path) -> None:
    rule(home / "repo" / "part", "AGENTS.md")
    (home / "repo" / "part" / "CLAUDE.md").symlink_to("AGENTS.md")
    assert rules(home, AUTHORED="AGENTS.md, CLAUDE.md") == ["part/AGENTS.md"]


# --- a packet that is remembered ----------------------------------------------------------


class Watched:
    """Packets with a store: each is that of a run without, and remembered."""

    def __init__(self, home: Path) -> None:
        self.home = home

    @property
    def calls(self) -> Path:
        """The folder of remembered packets: a repository that begins has one of its own."""
        return cache(context(self.home)) / response_cache.FOLDER

    def say(self) -> bytes:
        """Return the packet, as the store says it now and again."""
        right = pack(self.home)
        for _ in range(2):
            assert in_process(context(self.home), 60.0, home=str(self.home)) == right
        assert len(list(self.calls.iterdir())) == 1
        return right.out


@pytest.fixture
def watched(home: Path) -> Watched:
    return Watched(home)


@links
def test_a_document_that_appears_changes_or_goes_makes_a_packet_anew(
    home: Path, watched: Watched
) -> None:
    part = home / "repo" / "part"
    assert b"rule of" not in watched.say()
    rule(home / "repo", "AGENTS.md")
    assert b"rule of repo/AGENTS.md" in watched.say()
    rule(part, "CLAUDE.md")
    assert b"rule of part/CLAUDE.md" in watched.say()
    rule(part, "CLAUDE.md", "changed")
    assert b"rule of changed/CLAUDE.md" in watched.say()
    rule(part, "AGENTS.md", "better")
    assert b"rule of better/AGENTS.md" in watched.say()
    (part / "AGENTS.md").unlink()
    assert b"rule of changed/CLAUDE.md" in watched.say()
    (part / "CLAUDE.md").unlink()
    (part / "CLAUDE.md").symlink_to(home / "repo" / "AGENTS.md")
    rule(home / "repo", "AGENTS.md", "linked")
    assert b"rule of linked/AGENTS.md" in watched.say()


@links
def test_what_a_link_leads_to_is_watched(home: Path, watched: Watched) -> None:
    rule(home / "repo", "RULES.md")
    (home / "repo" / "part" / "AGENTS.md").symlink_to(home / "repo" / "RULES.md")
    before = watched.say()
    rule(home / "repo", "RULES.md", "changed")
    assert watched.say() != before


def test_a_repository_that_begins_makes_a_packet_anew(home: Path, watched: Watched) -> None:
    shutil.rmtree(home / "repo" / ".git")
    rule(home / "repo", "AGENTS.md")
    assert b"rule of" not in watched.say()
    make_repository(home / "repo")
    assert b"rule of repo" in watched.say()
    make_repository(home / "repo" / "part")
    assert b"rule of" not in watched.say()


@links
def test_a_link_that_leads_nowhere_is_remembered_with_the_packet(
    home: Path, watched: Watched
) -> None:
    (context(home) / "LEARNINGS.md").unlink(missing_ok=True)
    (context(home) / "LEARNINGS.md").symlink_to("gone.md")
    watched.say()
    (record,) = watched.calls.iterdir()
    before = record.stat().st_mtime_ns
    watched.say()
    assert record.stat().st_mtime_ns == before, "the packet was made again"


@links
def test_a_document_that_leads_to_the_constitution_is_read_once(home: Path) -> None:
    (context(home) / "CONSTITUTION.md").write_text("- one rule\n", encoding="utf-8")
    (home / "repo" / "part" / "AGENTS.md").symlink_to(".context/CONSTITUTION.md")
    assert pack(home).out.count(b"one rule") == 1


def test_a_setting_makes_a_packet_anew(home: Path, watched: Watched) -> None:
    rule(home / "repo" / "part", "AGENTS.md")
    rule(home / "repo" / "part", "CLAUDE.md")
    assert b"rule of part/AGENTS.md" in watched.say()
    (context(home) / "config.toml").write_text('authored = "CLAUDE.md"\n', encoding="utf-8")
    assert b"rule of part/CLAUDE.md" in watched.say()


def test_no_strict_is_no_repetition_of_a_call_that_the_settings_make_strict(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    (root / "CONSTITUTION.md").write_text("- Never lose a rule.\n")
    (root / "config.toml").write_text("strict = true\n")
    for strict, code in ((None, DEGRADED), (False, OK), (None, DEGRADED)):
        assert in_process(root, budget="0", strict=strict).code == code


# --- without a context directory ------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Return a repository without a context directory, in a home of its own: ``~/repo``."""
    make_repository(tmp_path / "home" / "repo")
    (tmp_path / "home" / "repo" / "src").mkdir()
    return tmp_path / "home" / "repo"


def within(folder: Path, *arguments: str) -> Done:
    """Run ``ctx`` in ``folder``, which is the repository of ``bare`` or in it, or its home."""
    home = next(each for each in (folder, *folder.parents) if each.name == "home")
    with chdir(folder):
        return call(*arguments, home=str(home))


def test_a_repository_is_read_as_it_is_and_nothing_is_made_in_it(bare: Path) -> None:
    rule(bare, "AGENTS.md")
    before = sorted(bare.glob("*"))
    for cwd, place in ((bare, b" AGENTS.md:2"), (bare / "src", b" ../AGENTS.md:2")):
        done = within(cwd, "agent")
        assert done.code == OK
        assert b"rule of repo/AGENTS.md" in done.out
        assert b"\n###" + place in done.out
    for asked in (("search", "rule"), ("status",), ("explain",), ("list", "rules")):
        assert b"AGENTS.md" in within(bare, *asked).out
    for asked in (("show", "AGENTS.md:2"), ("check",), ("plan",), ("hook", "status")):
        assert within(bare, *asked).code == OK
    assert sorted(bare.glob("*")) == before


def test_only_where_there_is_nothing_at_all_it_ends(bare: Path) -> None:
    done = within(bare, "agent")
    assert done.code == NO_DIRECTORY
    assert "looked for .specify/memory/constitution.md, AGENTS.md, CLAUDE.md," in done.err
    rule(bare / "src", "AGENTS.md")
    asked = ("agent", "--focus", "src/a.ts")
    assert b"rule of src" in within(bare, *asked).out
    assert b"src/AGENTS.md" in within(bare, "rules", "src/a.ts").out
    rule(bare.parent, "CLAUDE.md")  # of the user: it makes no project of a home
    assert within(bare.parent, "agent").code == NO_DIRECTORY


def test_nothing_is_written_before_there_is_a_directory(bare: Path) -> None:
    rule(bare, "AGENTS.md")
    done = within(bare, "add", "task", "Do it")
    assert done.code == NO_DIRECTORY
    assert "`ctx init` makes one" in done.err
    assert not (bare / ".context").exists()


def test_a_directory_that_is_made_later_keeps_what_was_noted(bare: Path) -> None:
    rule(bare, "AGENTS.md")
    root = bare / ".context"
    assert b"trusted: " in within(bare, "trust").out
    before = cache(root)
    assert b"AGENTS.md" in within(bare, "init").out
    assert cache(root) == before
    assert within(bare, "add", "task", "Do it").code == OK
    packed = within(bare, "agent").out
    assert b"Do it" in packed
    assert b"rule of repo" in packed


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_documents_of_all_folders_are_known_where_git_lists_them(bare: Path) -> None:
    rule(bare, "AGENTS.md")
    rule(bare / "src" / "deep", "CLAUDE.md")
    rule(bare / "src" / "new", "CLAUDE.md")
    assert b"deep" not in within(bare, "list", "rules").out  # .git is an empty folder
    shutil.rmtree(bare / ".git")
    for command in (("init", "-q"), ("add", "src/deep")):
        subprocess.run(["git", *command], cwd=bare, check=True, capture_output=True)
    for asked in (("list", "rules"), ("rules",)):
        assert b"deep/CLAUDE.md" in within(bare, *asked).out
    assert b"rule of deep" in within(bare, "show", "src/deep/CLAUDE.md:2").out
    assert b"new/CLAUDE.md" not in within(bare, "list", "rules").out
    assert b"deep" not in within(bare, "agent").out


def test_trust_is_kept_for_one_repository_and_not_for_its_copies(bare: Path) -> None:
    rule(bare, "AGENTS.md")
    home = str(bare.parent)

    def is_trusted(folder: Path) -> bool:
        environ = {name: value for name, value in os.environ.items() if name[:4] != "CTX_"}
        return open_store(str(folder / ".context"), environ, home).is_trusted()

    with chdir(bare):
        assert not is_trusted(bare)
        call("agent", home=home)
        assert not is_trusted(bare)
        assert call("trust", home=home).code == OK
        assert is_trusted(bare)
        copy = bare.parent / "copy"
        shutil.copytree(bare, copy)
        assert not is_trusted(copy)
        assert call("trust", "--revoke", home=home).out.startswith(b"no longer trusted: ")
        assert not is_trusted(bare)


@pytest.mark.parametrize("made", [True, False], ids=["directory", "none"])
@pytest.mark.parametrize(("cwd", "named"), [("", "CLAUDE.md:3"), ("src", "../CLAUDE.md:3")])
def test_warnings_name_files_as_they_open(bare: Path, cwd: str, named: str, made: bool) -> None:
    rule(bare, "CLAUDE.md", "\n@lost.md\n")
    if made:
        (bare / ".context").mkdir()
    expected = f"{named}: @lost.md: is not there"
    for asked in (("agent",), ("rules",), ("search", "rule")):
        assert f"ctx: {expected}" in within(bare / cwd, *asked).err
    assert f"mend {expected}".encode() in within(bare / cwd, "status").out
