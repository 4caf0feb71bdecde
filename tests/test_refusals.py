"""Links out of the directory, ``..``, devices, pipes and huge files: each refused, and named.

Every call runs in a fork that may take 512 MB and ``HANGS`` seconds: who waits for a pipe, or reads
a device that never ends, fails. What lies outside holds a word that nothing says.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked import Ran, forked
from tests.hostile import HANGS, environment
from tests.imported import sessions_of
from tests.keeping import cache, make_repository, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices of POSIX")

Make = Callable[[Path], object]
PRIVATE = "XYZZYPRIVATE"
MOST = 1 << 29
HUGE = MOST + 100 * 1024**2
OUT = "is a link out of the context directory"
NO_FILE = "is not a regular file"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and beside it what is no business of anybody's."""
    root = tmp_path / "project" / ".context"
    for folder in (root / "sessions", tmp_path / "home"):
        folder.mkdir(parents=True)
    make_repository(root.parent)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (root / "CONSTITUTION.md").write_text("- Never lose a thing.\n", encoding="utf-8")
    (root / "TASKS.md").write_text("- [ ] A task.\n", encoding="utf-8")
    decision = "## [2026-01-01-000000] One\n\n**Decision**: yes.\n"
    (root / "DECISIONS.md").write_text(decision, encoding="utf-8")
    (sessions_of(root) / "a.jsonl").write_text(_turn("Hello."), encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    text = f"## [2026-02-01-000000] {PRIVATE}\n\n- [ ] {PRIVATE}\n- Never {PRIVATE}.\n"
    for name in ("x.md", "decisions-2026-02-01.md"):
        (outside / name).write_text(text, encoding="utf-8")
    (outside / "a.jsonl").write_text(_turn(PRIVATE), encoding="utf-8")
    (outside / "deep").mkdir()
    (outside / "deep" / "x.md").write_text(text, encoding="utf-8")
    return root.parent


def at(project: Path, name: str) -> Path:
    """Return where a file or folder lies that warnings call ``name``."""
    root = project / ".context"
    if name.startswith(".."):
        return project / name[3:]
    return (sessions_of(root).parent if name.startswith("sessions") else root) / name


def shown(name: str) -> str:
    """Return how warnings name ``name`` to somebody in the project."""
    if name.startswith("sessions"):
        return name
    return name[3:] if name.startswith("..") else os.path.normpath(f".context/{name}")


def _turn(text: str) -> str:
    return json.dumps({"id": "t1", "role": "user", "text": text}) + "\n"


def ctx(project: Path, *arguments: str, **variables: str) -> Ran:
    """Run ``ctx`` in ``project``; it says nothing of what lies outside, nor keeps it."""
    home = str(project.parent / "home")
    return forked(arguments, project, environment(HOME=home, **variables), first=_limited)


def _limited() -> None:
    held = int(Path("/proc/self/statm").read_text("utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST, held + MOST))
    signal.alarm(HANGS)


def says_nothing_of_it(ran: Ran, project: Path) -> None:
    assert PRIVATE.encode() not in ran.out
    assert PRIVATE not in ran.err
    kept = (cache(project / ".context"), state(project / ".context"))
    for path in (path for folder in kept for path in folder.rglob("*")):
        assert path.is_symlink() or not path.is_file() or PRIVATE.encode() not in path.read_bytes()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def _outside(path: Path) -> None:
    path.symlink_to(_of(path) / ("a.jsonl" if path.suffix == ".jsonl" else "x.md"))


def _up(path: Path) -> None:
    levels = "../" * (len(path.parts) - len(_of(path).parts))
    path.symlink_to(f"{levels}outside/{'a.jsonl' if path.suffix == '.jsonl' else 'x.md'}")


def _folder_outside(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.symlink_to(_of(path))


def _of(path: Path) -> Path:
    """Return what lies outside of the project that ``path`` is in."""
    place = path
    while place.name not in ("project", "state"):
        place = place.parent
    return place.parent / "outside"


# --- a packet -----------------------------------------------------------------------------

FILES = (
    "CONSTITUTION.md", "steering/a.md", "TASKS.md", "CONVENTIONS.md", "conventions/a.md",
    "DECISIONS.md", "decisions/a.md", "LEARNINGS.md", "learnings/a.md", "specs/a.md",
    "specs/b/a.md", "sessions/b.jsonl", "sessions/summaries/a.jsonl", "./sessions/b.jsonl",
    "../AGENTS.md",
)  # fmt: skip
FAULTS: dict[str, tuple[Make, str]] = {
    "pipe": (_pipe, NO_FILE), "device": (_device, NO_FILE), "huge": (_huge, "bytes"),
    "link": (_outside, "is a link out of the "), "link with ..": (_up, "is a link out of the "),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_packet_is_made_without_it(project: Path, fault: str) -> None:
    make, why = FAULTS[fault]
    for name in FILES[:: 3 if fault == "huge" else 1]:
        path = at(project, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        make(path)
        ran = ctx(project, "agent", "--budget", "4000", "--query", "one")
        assert ran.code == 0
        assert f"ctx: {shown(name)}: " in ran.err
        assert why in ran.err
        assert "left out" in ran.err
        assert (b"One" in ran.out) == (name != "DECISIONS.md")
        says_nothing_of_it(ran, project)
        path.unlink()
        if before is not None:
            path.write_bytes(before)


FOLDERS = (
    "steering", "conventions", "decisions", "learnings", "specs", "sessions", "sessions/summaries",
    "./sessions",
)  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_is_a_link_out_is_named_once(project: Path, name: str) -> None:
    _folder_outside(at(project, name))
    ran = ctx(project, "agent", "--budget", "4000", "--query", "one")
    assert ran.code == 0
    assert ran.err.count(f"ctx: {shown(name)}/: {OUT}") == 1
    assert "x.md" not in ran.err
    assert "deep" not in ran.err
    says_nothing_of_it(ran, project)


def test_a_folder_of_specs_that_is_a_link_is_named(project: Path) -> None:
    (project / ".context" / "specs").mkdir()
    (project / ".context" / "specs" / "sub").symlink_to(project.parent / "outside")
    ran = ctx(project, "agent", "--budget", "4000")
    assert ran.code == 0
    assert ran.err.count("ctx: .context/specs/sub/: is a link to a folder; left out") == 1
    says_nothing_of_it(ran, project)


def test_an_archive_that_is_a_link_out_is_not_searched(project: Path) -> None:
    _folder_outside(project / ".context" / "archive")
    ran = ctx(project, "search", PRIVATE.lower(), "--archive", "--json")
    assert ran.code == 0
    assert f".context/archive/: {OUT}" in ran.err
    says_nothing_of_it(ran, project)


@pytest.mark.parametrize("name", ["DECISIONS.md", "decisions", "steering", "specs"])
def test_links_are_followed_where_the_user_says_so(project: Path, name: str) -> None:
    path = project / ".context" / name
    path.unlink(missing_ok=True)
    (_outside if path.suffix else _folder_outside)(path)
    ran = ctx(project, "agent", "--budget", "4000", CTX_ALLOW_LINKS="1")
    assert (ran.code, ran.err) == (0, "")
    assert PRIVATE.encode() in ran.out


@pytest.mark.parametrize(
    ("name", "fault"),
    [("TASKS.md", "pipe"), ("decisions/a.md", "device"), ("sessions/b.jsonl", "huge")],
)
def test_devices_and_huge_files_are_never_read(project: Path, name: str, fault: str) -> None:
    make, why = FAULTS[fault]
    path = at(project, name)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    ran = ctx(project, "agent", CTX_ALLOW_LINKS="1")
    assert ran.code == 0
    assert f"ctx: {shown(name)}: " in ran.err
    assert why in ran.err


# --- the directory itself -----------------------------------------------------------------


@pytest.fixture
def elsewhere(project: Path) -> Path:
    """The directory, moved out of its project, with a link in its place."""
    real = project.parent / "elsewhere"
    (project / ".context").rename(real)
    (project / ".context").symlink_to(real)
    (real / "TASKS.md").write_text(f"- [ ] {PRIVATE}\n", encoding="utf-8")
    return real


def test_a_directory_that_is_a_link_out_of_its_project_is_not_followed(
    project: Path, elsewhere: Path
) -> None:
    for more in ((), ("--dir", ".")):
        ran = ctx(project, "agent", *more)
        assert (ran.code, ran.out) == (4, b"")
        assert ".context: is a link out of its project; not followed" in ran.err
        assert f"--dir {elsewhere} names it" in ran.err
        assert PRIVATE not in ran.err
    for ran in (
        ctx(project, "agent", "--dir", str(elsewhere)),
        ctx(project, "agent", "--dir", ".context"),
        ctx(project, "agent", CTX_ALLOW_LINKS="1"),
    ):
        assert ran.code == 0
        assert PRIVATE.encode() in ran.out


def test_a_directory_that_is_a_link_within_its_project_is_followed(project: Path) -> None:
    (project / ".context").rename(project / "notes")
    (project / ".context").symlink_to("notes")
    assert ctx(project, "agent").code == 0


# --- settings and tokenizers --------------------------------------------------------------


@pytest.mark.parametrize("fault", ["pipe", "device", "huge", "link"])
def test_settings_of_a_project_are_refused(project: Path, fault: str) -> None:
    FAULTS[fault][0](project / ".context" / "config.toml")
    ran = ctx(project, "agent")
    assert (ran.code, ran.out) == (6, b"")
    assert ran.err.startswith("ctx: .context/config.toml: ")
    assert ran.err.count("\n") == 1
    says_nothing_of_it(ran, project)


def test_settings_behind_a_link_are_read_where_the_user_says_so(project: Path) -> None:
    settings = project.parent / "outside" / "settings.toml"
    settings.write_text("budget = 3333\n", encoding="utf-8")
    (project / ".context" / "config.toml").symlink_to(settings)
    ran = ctx(project, "agent", CTX_ALLOW_LINKS="1")
    assert b"budget 3333." in ran.out


def test_settings_of_the_user_may_be_a_link(project: Path) -> None:
    folder = project.parent / "home" / ".config" / "ctx"
    folder.mkdir(parents=True)
    (project.parent / "dotfiles.toml").write_text("budget = 3333\n", encoding="utf-8")
    (folder / "config.toml").symlink_to(project.parent / "dotfiles.toml")
    assert b"budget 3333." in ctx(project, "agent").out


# --- paths that lead out ------------------------------------------------------------------


def test_an_authored_document_is_told_from_the_project(project: Path) -> None:
    outside = project.parent / "outside"
    for document in ("../outside/x.md", "docs/../../outside/x.md", f"{outside}/x.md"):
        settings = f'authored = "{document}"\n'
        (project / ".context" / "config.toml").write_text(settings, encoding="utf-8")
        ran = ctx(project, "agent")
        assert (ran.code, ran.out) == (2, b"")
        assert ".context/config.toml:1: authored: " in ran.err
        says_nothing_of_it(ran, project)


@pytest.mark.parametrize("session", ["../../../outside/a", "/etc/passwd"])
def test_a_session_is_a_name_and_no_path(project: Path, session: str) -> None:
    ran = ctx(project, "agent", "--session", session, "--delta")
    assert ran.code == 0
    says_nothing_of_it(ran, project)
    there = sorted(path.name for path in project.parent.iterdir())
    assert there == ["home", "outside", "project", "state"]
    for command in ("show", "tail"):
        ran = ctx(project, "session", command, session)
        assert ran.code == 2
        assert f"no session {session!r} is stored here" in ran.err
        says_nothing_of_it(ran, project)


def test_a_focus_elsewhere_is_a_name_and_not_read(project: Path) -> None:
    for focus in ("/etc/passwd", "../outside/x.md", "../outside"):
        ran = ctx(project, "agent", "--focus", focus, "--planner", "acs", "--format", "json")
        assert ran.code == 0
        says_nothing_of_it(ran, project)
        assert str(project.parent) not in ran.out.decode()


def test_what_an_entry_points_to_is_not_read(project: Path) -> None:
    front = "---\nrelated: [../../outside/x.md, /etc/passwd]\nsupersedes: ../../outside/x\n---\n"
    body = "See [x](../../outside/x.md), [[../../outside/x]], `../../outside/x.md`.\n"
    text = f"{front}## [2026-01-01-000000] One\n\n{body}"
    (project / ".context" / "DECISIONS.md").write_text(text, encoding="utf-8")
    ran = ctx(project, "agent", "--query", "one", "--planner", "acs")
    assert ran.code == 0
    says_nothing_of_it(ran, project)


def test_a_session_of_a_transcript_is_stored_inside(project: Path) -> None:
    transcript = project / "t.jsonl"
    turn = {"id": "1", "session": "../../evil", "role": "user", "text": "Hello."}
    transcript.write_text(json.dumps(turn) + "\n", encoding="utf-8")
    for more in ((), ("--session", "../../../evil")):
        assert ctx(project, "session", "import", "t.jsonl", *more).code == 0
    places = {path.parent for path in project.parent.rglob("*evil*")}
    assert places == {sessions_of(project / ".context")}


# --- commands that read what they are given -----------------------------------------------


@pytest.mark.parametrize("fault", ["pipe", "device", "huge"])
def test_what_a_command_is_given_is_refused(project: Path, fault: str) -> None:
    make = FAULTS[fault][0]
    make(project / "A.md")
    ran = ctx(project, "tiers", "A.md")
    assert (ran.code, ran.out) == (6, b"")
    assert ran.err.startswith("ctx: A.md: ")
    make(project / "tokenizer.json")
    ran = ctx(project, "agent", "--tokenizer", "tokenizer.json")
    assert (ran.code, ran.out) == (2, b"")
    assert "cannot read the tokenizer tokenizer.json: is " in ran.err
    make(project / ".gitignore")
    ran = ctx(project, "strategy", "a question", "--path", ".")
    assert ran.code == 0
    assert (".gitignore: cannot be read" in ran.err) == (fault == "huge")  # git takes no others
    folder = project.parent / "home" / ".config" / "ctx"
    folder.mkdir(parents=True)
    make(folder / "config.toml")
    ran = ctx(project, "agent")
    assert (ran.code, ran.out) == (6, b"")
    assert ran.err.startswith("ctx: ~/.config/ctx/config.toml: ")


def test_a_device_is_no_transcript(project: Path) -> None:
    for device in ("/dev/zero", "/dev/full"):
        ran = ctx(project, "session", "import", device)
        assert (ran.code, ran.out) == (6, b"")
        assert f"ctx: {device}: is a device, not a file" in ran.err


def test_a_huge_transcript_of_one_line_is_refused(project: Path) -> None:
    with (project / "t.jsonl").open("wb") as file:
        file.truncate(MOST * 3 // 2)  # more than the process may hold, and read to its end
    ran = ctx(project, "session", "import", "t.jsonl")
    assert (ran.code, ran.out) == (2, b"")
    assert "ctx: t.jsonl: not a transcript" in ran.err


def test_a_pipe_hands_over_a_transcript(project: Path) -> None:
    turn = json.dumps({"id": "1", "session": "piped", "role": "user", "text": "Hello."})
    _pipe(project / "pipe")
    with subprocess.Popen(["sh", "-c", 'printf "%s\\n" "$0" > pipe', turn], cwd=project):
        ran = ctx(project, "session", "import", "pipe")
    assert ran.code == 0
    assert (sessions_of(project / ".context") / "piped.jsonl").is_file()


# --- writing ------------------------------------------------------------------------------


def test_init_makes_no_file_through_a_link(project: Path) -> None:
    outside = project.parent / "outside"
    before = sorted(outside.iterdir())
    (project / ".context" / "LEARNINGS.md").symlink_to(outside / "made.md")
    assert ctx(project, "init").code == 0
    shutil.rmtree(project / ".context")
    (project / ".context").symlink_to(outside)
    ran = ctx(project, "init")
    assert (ran.code, ran.out) == (6, b"")
    assert ".context: not followed: the link " in ran.err
    assert sorted(outside.iterdir()) == before


@pytest.mark.parametrize("fault", FAULTS)
def test_who_writes_refuses_too(project: Path, fault: str) -> None:
    path = project / ".context" / "DECISIONS.md"
    path.unlink()
    FAULTS[fault][0](path)
    add = ("add", "decision", "A", "--context", "c", "--decision", "d", "--rationale", "r")
    for arguments in ((*add, "--consequence", "q"), ("archive",), ("session", "promote")):
        ran = ctx(project, *arguments)
        assert ran.code == 6
        assert "DECISIONS.md: " in ran.err
        assert FAULTS[fault][1] in ran.err
        says_nothing_of_it(ran, project)


SESSIONS = (("list",), ("status",), ("show", "b"), ("expand", "t1"), ("compact",), ("promote",))


@pytest.mark.parametrize("fault", ["pipe", "device", "link"])
def test_who_reads_sessions_refuses_too(project: Path, fault: str) -> None:
    FAULTS[fault][0](at(project, "sessions/b.jsonl"))
    for arguments in SESSIONS:
        ran = ctx(project, "session", *arguments)
        assert ran.code in (0, 6)
        assert "sessions/b.jsonl: " in ran.err
        assert FAULTS[fault][1] in ran.err
        says_nothing_of_it(ran, project)


def test_a_project_may_lie_deep(tmp_path: Path) -> None:
    """As Windows allows it with long paths on: over 260 characters, names of 100."""
    deep = tmp_path.joinpath(*("x" * 100 for _ in range(4)))
    deep.mkdir(parents=True)
    for arguments in (("init",), ("add", "rule", "Never log a card number"), ("check",)):
        assert forked(arguments, deep, environment(HOME=str(tmp_path))).code == 0
    ran = forked(("agent", "--budget", "2000"), deep, environment(HOME=str(tmp_path)))
    assert b"- Never log a card number" in ran.out
