"""Pushing, pulling and searching what a team shares, as people do it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ctx.app import sync
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.edit import atomic
from ctx.errors import ServiceError
from ctx.share.server import Server
from ctx.text import secrets
from ctx.world import World
from tests.forked import Ran, forked, until
from tests.sampling import EVERY, sampled
from tests.share.servers import Team, cluster, dying, recovered, team

__all__ = ["cluster", "team"]
REPOSITORY = "acme/shop"
SECRET = "ghp_" + "x7Gq2LmZ9vTb4RwYc1Ns8KdPf3HjU6eAoViB"  # pragma: allowlist secret
DECISIONS = """# Decisions

## [2026-01-05-101500] Keep carts in Redis

**Context**: Carts are lost.

**Decision**: Carts are kept in Redis.
"""
TURNS = [
    ("user", "Why does the payment webhook of Acme Cloud retry forever?"),
    ("assistant", f"Because retry_policy has no upper bound; the token is {SECRET}"),
    ("user", "From now on, always set max_attempts."),
]


class Desk:
    """A person at a clone of a project."""

    def __init__(self, team: Team, who: str, folder: Path) -> None:
        self.root = folder / "shop"
        self.state = folder / "state"
        (self.root / ".context").mkdir(parents=True)
        git = self.root / ".git"
        for name in ("objects", "refs"):
            (git / name).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text(
            '[remote "origin"]\n\turl = git@code.example.org:acme/shop.git\n'
        )
        (self.root / ".context" / "DECISIONS.md").write_text(DECISIONS)
        self.environ = {
            **os.environ, "CTX_SHARE_SERVER": team.address(who), "CTX_SHARE_MS": "20000",
            "CTX_STATE_DIR": str(self.state), "CTX_CACHE_DIR": str(folder / "cache"),
        }  # fmt: skip
        self.state.mkdir()
        self.folder = folder
        self.clock: int | None = None
        """What the machine's clock shows, in days since 1970; None for the right time."""

    def ctx(self, *arguments: str, code: int = 0, **changes: str) -> Ran:
        clock = partial(showing, self.clock) if self.clock else tuple
        ran = forked(arguments, self.root, {**self.environ, **changes}, first=clock)
        assert ran.code == code, ran.err
        return ran

    def talk(self, session: str, turns: Sequence[tuple[str, str]], day: str = "2026-01-02") -> None:
        """Import a session."""
        lines = [
            {
                "id": f"t{n}",
                "session": session,
                "ts": f"{day}T10:0{n}:00",
                "role": role,
                "text": text,
            }
            for n, (role, text) in enumerate(turns)
        ]
        path = self.folder / "session.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        self.ctx("session", "import", str(path))

    def pulled(self) -> list[str]:
        """Return the lines of what was pulled, sorted."""
        found = (path for path in self.state.rglob("*.jsonl") if "shared" in path.parts)
        return sorted(line for path in found for line in path.read_text("utf-8").splitlines())


def showing(days: int) -> None:
    """Have this process read a clock that shows noon of a day."""
    now = (86_400 * days + 43_200) * 10**9
    patch = pytest.MonkeyPatch()  # in a fork that ends
    patch.setattr("time.time_ns", lambda: now)
    patch.setattr("time.time", lambda: now / 1e9)


@pytest.fixture
def desk(team: Team, tmp_path: Path) -> Callable[[str], Desk]:
    def at(who: str) -> Desk:
        return Desk(team, who, tmp_path / who)

    return at


@pytest.fixture
def alice(team: Team, desk: Callable[[str], Desk]) -> Desk:
    team.grant("alice", REPOSITORY)
    team.grant("bob", REPOSITORY, writes=False)
    alice = desk("alice")
    alice.talk("fix-login", TURNS)
    return alice


def test_sessions_are_private_until_they_are_shared(team: Team, alice: Desk) -> None:
    assert "would send 1 entry" in alice.ctx("sync", "push", "--dry-run").out.decode()
    assert team.held() == []
    alice.ctx("sync", "push")
    assert [session for _, session, *_ in team.held()] == ["DECISIONS.md#2026-01-05-101500"]
    out = alice.ctx("sync", "push", "--session", "fix-login", "--dry-run", "--json").out
    would = json.loads(out)
    assert (would["entries"], would["masked"]) == (3, 1)
    assert len(team.held()) == 1
    alice.ctx("sync", "push", "--session", "fix-login")
    alice.talk("fix-login", [*TURNS, ("assistant", "max_attempts is set.")])
    alice.talk("private", [("user", "My own affairs")])
    alice.ctx("sync", "push")
    assert len(team.held()) == 5
    assert "affairs" not in str(team.ask("SELECT * FROM ctx.entries"))
    assert b"nothing to send" in alice.ctx("sync", "push").out
    alice.ctx("session", "forget", "fix-login")
    assert b"took back 1" in alice.ctx("sync", "push").out
    assert len(team.held()) == 1
    team.check()


@pytest.mark.parametrize("allowed", ["false", "true"])
def test_no_secret_leaves_whatever_the_settings_say(team: Team, alice: Desk, allowed: str) -> None:
    alice.ctx("sync", "push", "--session", "fix-login", CTX_ALLOW_SECRETS=allowed)
    assert len(team.held()) == 4
    everything = str(team.ask("SELECT * FROM ctx.entries")) + str(team.ask("TABLE ctx.words"))
    assert "retry_policy" in everything
    assert SECRET not in everything
    assert SECRET.lower() not in everything.lower()


def test_nothing_leaves_where_secrets_cannot_be_looked_for(team: Team, alice: Desk) -> None:
    def broken() -> None:
        sys.modules.pop("ctx.text.secrets.detectors", None)
        vars(secrets).pop("detectors", None)
        known = [name for name in sys.modules if name.startswith("detect_secrets.")]
        sys.modules.update(dict.fromkeys(("detect_secrets", *known)))  # type: ignore[arg-type]

    ran = forked(("sync", "push"), alice.root, alice.environ, first=broken)
    assert ran.code == 7
    assert "nothing is sent" in ran.err
    assert team.held() == []


def test_a_dry_run_embeds_nothing_and_vectors_follow_where_pgvector_comes_later(
    team: Team, alice: Desk
) -> None:
    def broken() -> None:
        pytest.MonkeyPatch().setattr("ctx.store.cascade.quantised", None)

    static = alice.environ | {"CTX_EMBEDDER": "static"}
    dry = forked(("sync", "push", "--dry-run"), alice.root, static, first=broken)
    assert (dry.code, dry.out.decode()[:29]) == (0, "acme/shop: would send 1 entry")
    assert forked(("sync", "push"), alice.root, static, first=broken).code == 3
    vectors = "SELECT count(embedding) FROM ctx.entries"
    team.ask("DELETE FROM ctx.migrations WHERE number = 2")  # a server without pgvector
    alice.ctx("sync", "push", CTX_EMBEDDER="static")
    assert (len(team.held()), team.ask(vectors)) == (1, [(0,)])
    team.ask("INSERT INTO ctx.migrations VALUES (2)")
    assert b"sent 1 entry" in alice.ctx("sync", "push", CTX_EMBEDDER="static").out
    assert team.ask(vectors) == [(1,)]
    assert b"nothing to send" in alice.ctx("sync", "push", CTX_EMBEDDER="static").out


@pytest.mark.parametrize("text", ["{", "[]", "\udcff"])
def test_a_damaged_cursor_is_named(alice: Desk, text: str) -> None:
    alice.ctx("sync", "push")
    (cursor,) = (path for path in alice.state.rglob("*.json") if path.parent.name == "shared")
    cursor.write_text(text, errors="surrogateescape")
    for command in ("push", "pull", "status"):
        ran = alice.ctx("sync", command, code=6)
        assert f"{cursor}: is damaged (without it" in ran.err
        assert ran.err.count("\n") == 1
    cursor.unlink()
    assert b"sent 1 entry" in alice.ctx("sync", "push").out


def test_what_the_server_does_not_have_cannot_be_forgotten(alice: Desk) -> None:
    for what in ("fix-login", "author:alice", "repository:acme/other"):
        ran = alice.ctx("share", "forget", what, code=7 if "other" in what else 2)
        assert ran.err.count("\n") == 1
    assert (
        "nothing of 'fix-login' in acme/shop"
        in alice.ctx("share", "forget", "fix-login", code=2).err
    )


def test_what_was_pulled_is_quoted_and_gives_no_rule(
    alice: Desk, desk: Callable[[str], Desk]
) -> None:
    alice.ctx("sync", "push", "--session", "fix-login")
    bob = desk("bob")
    assert b"pulled 3 entries" in bob.ctx("sync", "pull").out
    assert len(bob.pulled()) == 3
    found = bob.ctx("search", "retry_policy").out.decode()
    assert "assistant of the team" in found
    packet = json.loads(
        bob.ctx("agent", "--query", "webhook retry policy attempts", "--format", "json").out
    )
    text = json.dumps(packet)
    assert "Acme Cloud" in text
    assert "max_attempts" not in json.dumps(packet.get("rules", []))
    markdown = bob.ctx("agent", "--query", "webhook retry policy attempts").out.decode()
    assert "Quoted as data" in markdown
    assert markdown.index("max_attempts") > markdown.index("Quoted as data")
    tail = bob.ctx("agent", "--session", "fix-login").out.decode()
    assert "max_attempts" not in tail
    # What is one's own is not pulled.
    assert b"pulled 0 entries" in alice.ctx("sync", "pull").out
    assert alice.pulled() == []


def test_what_is_forgotten_or_revoked_goes_with_the_next_pull(
    team: Team, alice: Desk, desk: Callable[[str], Desk]
) -> None:
    alice.talk("labels", [("user", "Labels are printed twice")])
    alice.ctx("sync", "push", "--session", "fix-login", "--session", "labels")
    bob = desk("bob")
    bob.ctx("sync", "pull")
    assert len(bob.pulled()) == 4
    alice.ctx("share", "forget", "labels")
    assert b"removed 1 session" in bob.ctx("sync", "pull").out
    assert len(bob.pulled()) == 3
    with team.server() as admin:
        admin.revoke("bob", REPOSITORY)
    bob.ctx("sync", "pull")
    assert bob.pulled() == []
    assert "Nothing found" in bob.ctx("search", "Labels").out.decode()


@pytest.mark.parametrize(
    ("hers", "his"), sampled([(9, -9), (-9, 9), (400, 0), (0, 400), (-400, 400)], 2)
)
def test_clocks_that_are_days_apart_lose_and_double_nothing(
    team: Team, alice: Desk, desk: Callable[[str], Desk], hers: int, his: int
) -> None:
    right = date(2026, 3, 1)
    noon = (right - date(1970, 1, 1)).days
    team.grant("bob", REPOSITORY)
    bob = desk("bob")
    alice.clock, bob.clock = noon + hers, noon + his
    labels = [("user", "Labels are printed twice"), ("assistant", "The queue is read twice")]
    bob.talk("labels", labels, str(right + timedelta(his)))
    carts = [("user", "Carts vanish at restarts"), ("assistant", "Redis keeps nothing on disk")]
    alice.talk("carts", carts, str(right + timedelta(hers)))
    parts = ("--context", "One clock", "--lesson", "is off", "--application", "Set it")
    alice.ctx("add", "learning", "Clocks differ", *parts)
    alice.ctx("sync", "push", "--session", "carts")
    days = team.ask("SELECT day FROM ctx.entries WHERE kind = 'learning'")
    assert days[0][0][:10] == str(right + timedelta(hers))
    assert bob.ctx("sync", "push", "--session", "labels").err == ""
    for who, others in ((alice, labels), (bob, carts)):
        assert b"pulled 2 entries" in who.ctx("sync", "pull").out
        pulled = [json.loads(line) for line in who.pulled()]
        assert {each["text"] for each in pulled} == {text for _, text in others}
        assert b"pulled 0 entries" in who.ctx("sync", "pull").out
        word = "Labels" if who is alice else "Carts"
        for shared in ((), ("--shared",)):
            found = json.loads(who.ctx("search", word, "--json", *shared).out)["results"]
            assert [hit["source"].partition("/")[0] for hit in found].count("shared") == 2
        assert others[0][1] in who.ctx("agent", "--query", f"{word} {others[0][1]}").out.decode()
    held = team.held()
    assert len(held) == len(set(held)) == 6  # the decision that both have is there once
    # Her clock is put right, and his goes to the other side.
    alice.clock, bob.clock = noon, noon - his
    assert b"nothing to send" in alice.ctx("sync", "push").out
    grown = [*carts, ("user", "Then carts go to disk")]
    alice.talk("carts", grown, str(right + timedelta(hers)))
    assert b"sent 3 entries" in alice.ctx("sync", "push").out
    bob.ctx("session", "forget", "labels")
    assert b"took back 1" in bob.ctx("sync", "push").out
    assert b"removed 1 session" in alice.ctx("sync", "pull").out
    assert alice.pulled() == []
    assert b"pulled 3 entries" in bob.ctx("sync", "pull").out
    assert sorted(json.loads(line)["text"] for line in bob.pulled()) == sorted(
        text for _, text in grown
    )
    # What is forgotten on the server does not come back, whatever a clock says.
    alice.ctx("share", "forget", "carts")
    alice.talk("carts", [*grown, ("user", "Again")], str(right + timedelta(hers)))
    assert "carts: was forgotten on the server; not sent" in alice.ctx("sync", "push").err
    assert b"removed 1 session" in bob.ctx("sync", "pull").out
    assert bob.pulled() == []
    assert len(team.held()) == 2
    team.check()


def test_the_server_and_the_directory_are_searched_at_once(
    alice: Desk, desk: Callable[[str], Desk]
) -> None:
    alice.ctx("sync", "push", "--session", "fix-login")
    bob = desk("bob")
    found = json.loads(bob.ctx("search", "retry_policy", "--shared", "--json").out)["results"]
    assert {hit["source"].partition("/")[0] for hit in found} == {"shared"}
    found = json.loads(bob.ctx("search", "carts Redis", "--shared", "--json").out)["results"]
    assert [hit["source"] for hit in found] == ["DECISIONS.md"]  # which the server has as well
    bob.ctx("search", "retry_policy", "--repo", "acme/other", code=2)
    bob.ctx("search", "retry_policy", "--shared", code=2, CTX_SHARE_SERVER="")


@pytest.mark.parametrize(
    "address", ["postgresql://x@127.0.0.1:1/x", "postgresql://x@/x?host=/nowhere"]
)
def test_a_server_that_is_gone_costs_a_line(alice: Desk, address: str) -> None:
    alone = alice.ctx("search", "retry_policy")
    without = alice.ctx("search", "retry_policy", "--shared", CTX_SHARE_SERVER=address)
    assert without.out == alone.out
    (line,) = set(without.err.splitlines()) - set(alone.err.splitlines())
    assert "the team's server" in line
    for command in (("sync", "push"), ("sync", "pull"), ("share", "status")):
        ran = alice.ctx(*command, code=7, CTX_SHARE_SERVER=address)
        assert ran.err.count("\n") == 1


def test_a_client_killed_at_any_statement_loses_and_doubles_nothing(
    team: Team, alice: Desk, desk: Callable[[str], Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = desk("bob")
    for who, command in (
        (alice, ("sync", "push", "--session", "fix-login")),
        (bob, ("sync", "pull")),
    ):
        for name, value in who.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(who.root)
        status, statement, step = 0, 0, min(EVERY, 4)
        for statement in range(0, 400, step):
            status, _ = until(partial(_dies, statement), *command)
            team.check()
            if status != -signal.SIGKILL:
                break
        assert status == 0
        assert statement > step
        assert who.ctx(*command).code == 0
    assert len(team.held()) == 4
    assert len(bob.pulled()) == 3


def test_a_server_killed_at_any_statement_of_a_pull_costs_a_line_and_nothing_else(
    team: Team, alice: Desk, desk: Callable[[str], Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.talk("labels", [("user", "Labels are printed twice")])
    alice.ctx("sync", "push", "--session", "fix-login", "--session", "labels")
    bob = desk("bob")
    for name, value in bob.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(bob.root)
    died = 0
    for statement in range(100):
        workspace = Workspace(PacketOptions(), World())
        with team.server("bob") as bobs, dying(bobs, statement) as left:
            try:
                sync.pull(workspace, REPOSITORY, bobs)
            except ServiceError:
                died += 1
        recovered(team)
        if left[0] >= 0:
            break
        assert len(bob.pulled()) <= 4
    assert died >= 4
    bob.ctx("sync", "pull")
    assert len(bob.pulled()) == 4


def _dies(moment: int) -> None:
    """Kill this process before or after a statement."""
    left, run = [moment], Server.ask

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(self: Server, query: str, *values: object) -> object:
        count()
        rows = run(self, query, *values)
        count()
        return rows

    pytest.MonkeyPatch().setattr(Server, "ask", counted)  # in a fork that is to die


def test_a_project_cannot_choose_where_talk_goes(alice: Desk) -> None:
    (alice.root / ".context" / "config.toml").write_text('share_server = "postgresql://evil/x"\n')
    assert b"sent 1 entry" in alice.ctx("sync", "push").out  # to the user's server
    del alice.environ["CTX_SHARE_SERVER"]
    assert "a project cannot set share_server" in alice.ctx("sync", "push", code=2).err


def test_a_hook_pushes_in_the_background_only_where_the_user_asks_for_it(
    team: Team, alice: Desk, tmp_path: Path
) -> None:
    transcript = tmp_path / "agent.jsonl"
    turn = {"type": "user", "sessionId": "s1", "timestamp": "2026-01-02T10:00:00Z", "uuid": "u1",
            "message": {"role": "user", "content": "Carts are lost at restarts."}}  # fmt: skip
    transcript.write_text(json.dumps(turn) + "\n")
    event = json.dumps({"session_id": "s1", "transcript_path": str(transcript)}).encode()
    stop = [sys.executable, "-m", "ctx", "hook", "run", "claude", "Stop"]
    alice.environ |= {"CTX_CAPTURE": "on", "CTX_SHARE_SESSIONS": "true"}
    (alice.root / ".context" / "config.toml").write_text("share_push = true\n")
    subprocess.run(stop, cwd=alice.root, env=alice.environ, input=event, check=True)
    (alice.root / ".context" / "config.toml").unlink()
    subprocess.run(stop, cwd=alice.root, env=alice.environ, input=event, check=True)
    assert team.held() == []
    state = next(path.parent for path in alice.state.rglob("sessions"))
    (state / "shared").mkdir(exist_ok=True)
    with atomic.lock(str(state / "shared" / "push")):
        assert alice.ctx("sync", "push", "--background").out == b""  # another one runs
    assert team.held() == []
    asked = alice.environ | {"CTX_SHARE_PUSH": "true"}
    subprocess.run(stop, cwd=alice.root, env=asked, input=event, check=True)
    for _ in range(600):
        if len(team.held()) >= 5:
            break
        signal.sigtimedwait([], 0.05)
    assert sorted({session for _, session, *_ in team.held()})[-2:] == [
        "alice/fix-login",
        "alice/s1",
    ]


def test_a_push_in_the_background_ends_within_its_limit(
    alice: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"postgresql://alice@127.0.0.1:{silent.getsockname()[1]}/x"
        environ = alice.environ | {"CTX_SHARE_SERVER": address}
        monkeypatch.setattr("ctx.cli.sync.LIMIT", 0.2)
        assert forked(("sync", "push", "--background"), alice.root, environ).code == 7


EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")


def test_packets_and_hooks_do_not_import_psycopg(alice: Desk) -> None:
    alice.ctx("sync", "push", "--session", "fix-login")
    alice.ctx("sync", "pull")
    for arguments in (
        ["agent"],
        ["agent", "--query", "webhook"],
        *(["hook", "run", "claude", event] for event in EVENTS),
        ["search", "webhook"],
    ):
        code = f"import sys; from ctx.cli.main import main; main({arguments!r})"
        done = subprocess.run(
            [sys.executable, "-c", f"{code}; assert 'psycopg' not in sys.modules"],
            cwd=alice.root, env=alice.environ, check=False, input=b'{"prompt": "webhook"}',
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0


def test_a_pull_while_it_is_forgotten_leaves_nothing_behind(
    team: Team, alice: Desk, desk: Callable[[str], Desk]
) -> None:
    alice.ctx("sync", "push", "--session", "fix-login")
    bob = desk("bob")

    def forgets() -> None:
        """Forget the session after the pull has heard of it, and before it asks for it."""
        sessions = Server.sessions

        def late(self: Server, *asked: Any) -> object:  # noqa: ANN401 - as it is asked
            with team.server() as admin:
                admin.forget("author", ["alice"])
            return sessions(self, *asked)

        pytest.MonkeyPatch().setattr(Server, "sessions", late)

    ran = forked(("sync", "pull"), bob.root, bob.environ, first=forgets)
    assert ran.code == 0, ran.err
    assert bob.pulled() == []
    bob.ctx("sync", "pull")
    assert bob.pulled() == []
    assert team.held() == []
