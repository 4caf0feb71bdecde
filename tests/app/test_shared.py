"""Searching the team's server: the same entries and scores as at home, and what a fault costs."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ctx.app.options import SearchOptions
from ctx.app.search import _request
from ctx.app.shared import Asking
from ctx.app.walk import find
from ctx.app.workspace import Workspace
from ctx.share.server import Server
from ctx.world import World
from tests.app.test_sync import REPOSITORY, Desk, alice, desk
from tests.sampling import sampled
from tests.share.servers import Team, cluster, team

__all__ = ["alice", "cluster", "desk", "team"]
SUBJECTS = (
    "retry_policy", "the invoice of Acme Cloud", "carts in Redis", "labels", "the checkout page",
    "getUserName", "refunds since May 2025", "os.path", "webhooks", "支付接口",
)  # fmt: skip
VERBS = ("broke", "was fixed", "needs a review", "is slow", "was decided", "should be documented")
QUESTIONS = (
    "Why is retry_policy slow?", "When was the checkout page fixed?", "carts Redis", "getUserName",
    "refunds in May", "What did Ann decide about labels?", "Acme Cloud invoice", "os.path",
    "webhok",
    "支付", "should I document the webhooks?", "what was decided?", "user name",
)  # fmt: skip


def spoken(number: int) -> list[tuple[str, str]]:
    """Return the turns of a session, the same ones each time."""
    turns = []
    for n in range(30):
        subject = SUBJECTS[(number * 7 + n * 3) % len(SUBJECTS)]
        verb = VERBS[(number + n * 5) % len(VERBS)]
        text = f"{subject} {verb}" + ("?" if n % 4 == 0 else f", as {SUBJECTS[n % 9]} is in #{n}.")
        if n % 11 == 5:
            text = f"[tool_use Read] src/{number}.py"
        turns.append((("user", "assistant")[n % 2], text))
    return turns


@pytest.fixture
def talkative(alice: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Return a desk with sessions, all of them shared."""
    alice.environ |= {"CTX_SHARE_SESSIONS": "true", "CTX_SHARE_MS": "60000"}
    for number in range(6):
        alice.talk(f"talk-{number}", spoken(number))
    monkeypatch.chdir(alice.root)
    for name, value in alice.environ.items():
        monkeypatch.setenv(name, value)
    return alice


@pytest.mark.parametrize("embedder", ["none", "static"])
def test_the_server_finds_what_the_directory_finds(
    talkative: Desk, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    monkeypatch.setenv("CTX_EMBEDDER", embedder)
    talkative.ctx("sync", "push", CTX_EMBEDDER=embedder)
    (talkative.root / ".context" / "DECISIONS.md").write_text("")  # a file of its own there
    talkative.ctx("sync", "push", CTX_EMBEDDER=embedder)
    found = 0
    for question in QUESTIONS:
        workspace = Workspace(SearchOptions(query=question), World())
        asked = _request(SearchOptions(query=question), workspace)
        own = workspace.walk(
            lambda cache, library: [
                (each.entry.id.rpartition("#")[2], each.entry.body, round(each.score, 6))
                for each in find(asked, cache, library).scored  # noqa: B023 - called at once
            ],
            asked.request,
        )
        answers, why = Asking(asked, workspace.settings, workspace.world, [REPOSITORY]).found()
        assert why == ""
        theirs = [
            (each.entry.id.rpartition("#")[2], each.entry.body, round(each.score, 6))
            for answer in answers
            for each in answer.scored
        ]
        assert theirs[:10] == own[:10]
        found += len(own)
    assert found > 60


@pytest.mark.parametrize("embedder", ["none", "static"])
def test_several_repositories_give_what_each_one_gives_in_a_few_statements(
    team: Team, talkative: Desk, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    names = [f"acme/part{number}" for number in range(3)]
    team.grant("alice", *names)
    monkeypatch.setenv("CTX_EMBEDDER", embedder)
    for number, name in enumerate(names):
        for n in range(6):
            talkative.talk(f"talk-{n}", spoken(20 * number + n))
        talkative.ctx("sync", "push", "--repo", name, CTX_EMBEDDER=embedder)
    statements, run = [0], Server.ask

    def counted(self: Server, query: str, *values: object) -> object:
        statements[0] += 1
        return run(self, query, *values)

    monkeypatch.setattr(Server, "ask", counted)
    for start, examined in enumerate((500, 200)):
        monkeypatch.setattr("ctx.share.asked.CANDIDATES", examined)
        same = total = 0
        for question in sampled(QUESTIONS, 2, start):
            statements[0] = 0
            together = first(question, *names)
            assert statements[0] < 60, question
            alone = {
                source: hits for name in names for source, hits in first(question, name).items()
            }
            if embedder == "none":
                assert together == alone
            for source, hits in together.items():
                total += len(hits)
                same += len(hits.keys() & alone[source].keys())
        assert total >= 30 * (len(sampled(QUESTIONS, 2, start)) - 1)  # one finds nothing
        # With vectors fewer entries are examined, and what is usual among them is another.
        assert same >= 0.95 * total


def first(question: str, *repositories: str) -> dict[str, dict[str, float]]:
    """Return the first ten results of each repository, and their scores."""
    options = SearchOptions(query=question)
    workspace = Workspace(options, World())
    asked = _request(options, workspace)
    answers, why = Asking(asked, workspace.settings, workspace.world, repositories).found()
    assert why == ""
    return {
        each.scored[0].entry.source.split("/")[1]: {
            one.entry.id: round(one.score, 6) for one in each.scored[:10]
        }
        for each in answers
        if each.scored
    }


# --- faults -------------------------------------------------------------------------------


@pytest.fixture
def silent() -> Iterator[str]:
    """Return the address of a server that takes connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield f"postgresql://alice@127.0.0.1:{server.getsockname()[1]}/x"


def test_a_server_that_does_not_answer_costs_what_was_allowed(alice: Desk, silent: str) -> None:
    own = alice.ctx("search", "retry_policy")
    late = alice.ctx(
        "search", "retry_policy", "--shared", CTX_SHARE_SERVER=silent, CTX_SHARE_MS="300"
    )
    assert late.out == own.out
    (line,) = set(late.err.splitlines()) - set(own.err.splitlines())
    assert line == "ctx: the team's server: no answer in 300 ms"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="tells which processes are the server's")
def test_a_server_that_is_stopped_costs_no_more(team: Team, alice: Desk) -> None:
    alice.ctx("sync", "push", "--session", "fix-login")
    own = alice.ctx("search", "retry_policy")
    pid = team.cluster.run()
    family = children(pid)
    try:
        for process in (pid, *family):
            os.kill(process, signal.SIGSTOP)
        late = alice.ctx("search", "retry_policy", "--shared", CTX_SHARE_MS="300")
    finally:
        for process in (pid, *family):
            os.kill(process, signal.SIGCONT)
    assert late.out == own.out
    assert "the team's server" in late.err
    assert alice.ctx("search", "retry_policy", "--shared").code == 0


def children(pid: int) -> list[int]:
    """Return the processes of a server."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            found.append(int(path.parent.name))
    return found
