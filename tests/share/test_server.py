"""What the server holds, and for whom."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from ctx.errors import CtxError, ServiceError
from ctx.share import Row, Shared
from ctx.share.server import HIT, MIGRATIONS, Clock, Server, is_local
from tests.share.rights import faults
from tests.share.servers import Cluster, Debian, Team, cluster, debian, recovered, team

__all__ = ["cluster", "debian", "team"]


def row(text: str, title: str = "") -> Row:
    return Row("2026-01-02-100000", text[:9], "ann", title, text, text.lower(), 0)


def talk(session: str, *texts: str) -> Shared:
    return Shared(session, "turn", [row(text) for text in texts], ["carts", "refunds"])


ONE = talk("alice/one", "Carts live in Redis", "Refunds are bookings", "Who pays?")
TWO = talk("alice/two", "Labels are printed twice")


def test_init_is_repeated_and_keeps_what_is_there(team: Team) -> None:
    team.grant("alice", "acme/shop")
    with team.server("alice") as alice:
        alice.push("acme/shop", [ONE])
    before = team.held()
    with team.server() as admin:
        assert admin.init() == []
    assert team.held() == before
    assert len(before) == 3


def test_a_schema_of_another_version_is_named(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.ask("INSERT INTO ctx.migrations VALUES (%s)", MIGRATIONS + 1)
    with team.server("alice") as alice, pytest.raises(ServiceError, match="update ctx"):
        alice.identity()
    team.ask("DELETE FROM ctx.migrations")
    with team.server("alice") as alice, pytest.raises(ServiceError, match="ctx share init"):
        alice.identity()
    team.ask("DROP SCHEMA ctx CASCADE")
    with team.server("alice") as alice, pytest.raises(ServiceError, match="ctx share init"):
        alice.identity()


def test_a_push_makes_sessions_what_they_are_and_nothing_twice(team: Team) -> None:
    team.grant("alice", "acme/shop")
    with team.server("alice") as alice:
        assert alice.push("acme/shop", [ONE, TWO])[:2] == (4, 0)
        assert alice.push("acme/shop", [ONE, TWO])[:2] == (0, 0)
        cut = ONE._replace(rows=ONE.rows[1:])
        assert alice.push("acme/shop", [cut])[:2] == (2, 3)
        team.check()
        assert alice.push("acme/shop", [ONE])[:2] == (3, 2)
        assert alice.push("acme/shop", [TWO._replace(rows=())])[:2] == (0, 1)
    team.check()
    assert [text for *_, text in team.held()] == [each.text for each in ONE.rows]


def test_blocks_of_many_pushes_are_joined_and_closed(team: Team) -> None:
    team.grant("alice", "acme/shop")
    blocks = "SELECT count(*) FILTER (WHERE block < 0), count(*) FILTER (WHERE block >= 0), "
    blocks += "max(length(hits)) FROM ctx.words WHERE word = 'carts'"
    with team.server("alice") as alice:
        for number in range(40):
            texts = [f"Carts carts {number}"] * 20
            alice.push("acme/shop", [talk(f"alice/{number % 35}", *texts)])
        team.check()
        fresh, closed, longest = team.ask(blocks)[0]
        assert fresh < 20
        assert closed >= 1
        assert longest >= 13 * 20
        for _ in range(64):  # what is appended to a large block goes into another one
            alice.push("acme/shop", [talk("alice/long", *["Carts"] * 500)])
            alice.push("acme/shop", [talk("alice/long", "Labels")])
        alice.push("acme/shop", [talk("alice/long", *["Carts"] * 1000)])
        for number in range(64):
            alice.push("acme/shop", [talk(f"alice/more{number}", "Carts")])
        assert team.ask(blocks)[0][1] >= 2
        team.check()
        held = alice.holders(["acme/shop"], ["carts", "label", "gone"])["acme/shop"]
        assert list(held) == ["carts"]
        assert held["carts"].held == 20 * 35 + 1000 + 64
        assert len(held["carts"].hits or b"") == HIT.size * held["carts"].held


def test_two_people_push_the_same_decision(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.grant("bob", "acme/shop")
    decision = Shared("DECISIONS.md#d1", "decision", [row("Keep carts", title="Carts")])
    for who in ("alice", "bob"):
        with team.server(who) as server:
            server.push("acme/shop", [decision])
    assert len(team.held()) == 1
    with team.server("bob") as bob:
        newer = decision._replace(rows=[row("Keep carts in Redis", title="Carts")])
        assert bob.push("acme/shop", [newer])[:2] == (1, 1)
    assert [text for *_, text in team.held()] == ["Keep carts in Redis"]
    team.check()


AS_ALICE = """
INSERT INTO ctx.entries (repository, kind, day, session, place, id, author, anchor, speaker,
    title, text, stems, tokens, anchors, version)
VALUES (1, 'turn', '', 'alice/one', 9, gen_random_uuid(), 'alice', '', '', '', 'x', 'x', 1, 0, 1)
"""


def test_nobody_changes_the_talk_of_another(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.grant("bob", "acme/shop")
    with team.server("alice") as alice:
        alice.push("acme/shop", [ONE])
    before = team.held()
    with team.server("bob") as bob:
        with pytest.raises(ServiceError):
            bob.push("acme/shop", [talk("alice/one", "I never said that")])
        bob.forget("author", ["alice"])
        for query in (
            "UPDATE ctx.entries SET text = 'x', author = 'bob'",
            "DELETE FROM ctx.entries",
            "UPDATE ctx.words SET held = 9",
            "INSERT INTO ctx.grants VALUES (1, 'bob', true)",
            AS_ALICE,
        ):
            try:
                bob.ask(query)
            except ServiceError:
                continue
    assert team.held() == before
    team.check()


def test_what_is_forgotten_is_erased_and_not_taken_again(team: Team) -> None:
    team.grant("alice", "acme/shop", "acme/pay")
    with team.server("alice") as alice:
        alice.push("acme/shop", [ONE, TWO])
        near = [each._replace(vector=(1, 0, 2)) for each in ONE.rows]
        alice.push("acme/pay", [ONE._replace(rows=near)], "static")
        vectors = "SELECT count(*) FROM ctx.entries WHERE embedding IS NOT NULL"
        assert team.ask(vectors) == [(3,)]
        assert alice.forget("session", ["alice/one"], ["acme/shop"]) == 3
        assert alice.push("acme/shop", [ONE]) == (0, 0, ("alice/one",))
        team.check()
        assert len(team.held()) == 4
    with team.server() as admin:
        assert admin.forget("author", ["alice"]) == 4
        assert team.held() == []
        everything = team.ask("SELECT * FROM ctx.entries")
        assert "Redis" not in str(everything)
        assert team.ask(vectors) == [(0,)]  # which tell what a text was about
        assert "refunds" not in str(team.ask("SELECT * FROM ctx.sessions"))
        assert team.ask("SELECT * FROM ctx.words") == []
        admin.forget_repository("acme/pay")
        assert [each.name for each in admin.visible()] == ["acme/shop"]
        assert team.ask("SELECT DISTINCT repository FROM ctx.entries") == [(1,)]


def test_an_administrator_sees_all_and_forgets_what_is_empty(team: Team) -> None:
    team.grant("alice", "acme/shop", "acme/empty")
    team.grant("carol", "acme/read", writes=False)
    team.grant("carol", "acme/shop")
    with team.server("carol") as carol:
        carol.push("acme/shop", [talk("carol/one", "Labels are printed twice")])
        assert carol.forget("author", ["carol"]) == 1  # though acme/read is read-only
        assert carol.forget("session", ["carol/nine"]) is None
        with pytest.raises(ServiceError, match="may not write to 'acme/read'"):
            carol.forget("author", ["carol"], ["acme/read"])
        with pytest.raises(ServiceError):
            carol.forget_repository("acme/shop")
    with team.server() as admin:
        assert [each.name for each in admin.visible()] == ["acme/empty", "acme/read", "acme/shop"]
        assert admin.forget_repository("acme/empty") == 0
        assert admin.forget_repository("acme/empty") is None
        assert admin.forget("author", ["nobody"]) is None


def test_another_embedder_replaces_the_vectors_of_the_one_before(team: Team) -> None:
    team.grant("alice", "acme/shop")
    held = "SELECT DISTINCT embedder, embedding::text FROM ctx.entries ORDER BY 1"
    with team.server("alice") as alice:
        for embedder, vector, shown in (
            ("", (), ("", None)), ("one", (1, 0, 2), ("one", "[1,0,2]")),
            ("two", (3, 4), ("two", "[3,4]")), ("", (), ("two", "[3,4]")),
        ):  # fmt: skip
            rows = [each._replace(vector=vector) for each in ONE.rows]
            alice.push("acme/shop", [ONE._replace(rows=rows)], embedder)
            assert team.ask(held) == [shown]
            team.check()


def test_of_very_many_entries_the_nearest_are_found_by_an_index(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctx.share.server.EXACT", 100)
    monkeypatch.setattr("ctx.share.server.NEAREST", 10)
    team.grant("alice", "acme/shop")
    rows = [row(f"Turn {n}")._replace(vector=(n + 1, 200 - n, 7)) for n in range(200)]
    used = "SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE indexrelname = 'near_1'"
    with team.server("alice") as alice:
        alice.push("acme/shop", [Shared("alice/one", "turn", rows)], "static")
        (((_, places, cosines),),) = alice.near(["acme/shop"], "static", (100, 100, 7))
        best = sorted(zip(cosines, places, strict=True), reverse=True)[:10]
        assert len(places) == 10  # by a scan: there is no index yet
        assert team.ask(used) == []
        with team.server() as admin:
            admin.init()
        alice.ask("SET enable_seqscan = off")
        alice.ask("SET enable_sort = off")
        (((_, places, cosines),),) = alice.near(["acme/shop"], "static", (100, 100, 7))
        assert sorted(zip(cosines, places, strict=True), reverse=True) == best
        assert alice.near(["acme/shop"], "other", (100, 100, 7)) == [[]]
        alice.ask("SELECT pg_stat_force_next_flush()")
    assert team.ask(used) == [(True,)]


def test_without_pg_textsearch_the_most_frequent_words_are_not_looked_for(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.grant("alice", "acme/shop")
    monkeypatch.setattr("ctx.share.server.MOST", 2)
    monkeypatch.setattr("ctx.share.server.INDEXED", 0)
    with team.server("alice") as alice:
        alice.push("acme/shop", [talk("alice/one", "Carts in Redis", "Carts in files", "Carts")])
        with team.server() as admin:
            assert admin.init() == []
        assert alice.indexed() == set()
        held = alice.holders(["acme/shop"], ["carts", "redis"])["acme/shop"]
        assert {word: (count, hits and len(hits)) for word, (count, hits) in held.items()} == {
            "redis": (1, HIT.size), "carts": (3, None),
        }  # fmt: skip
        with pytest.raises(ServiceError, match="permission denied"):
            alice.ask("SELECT * FROM ctx.best(1, ARRAY['carts'], ARRAY['carts'])")


# --- several servers ----------------------------------------------------------------------


def test_two_databases_behind_plproxy_give_the_same_answers(debian: Debian) -> None:
    page = (Path(__file__).parents[2] / "docs" / "team.md").read_text("utf-8")
    front = page.partition("CREATE EXTENSION IF NOT EXISTS plproxy;")[2].partition("```")[0]
    where = f"host={debian.folder} port={debian.address('', '').rpartition('=')[2]}"
    for n in (1, 2):
        front = front.replace(f"host=db{n}.example.org dbname=memory sslmode=verify-full",
                              f"{where} dbname=memory{n}")  # fmt: skip
    names = ("whole", "memory1", "memory2", "front")
    with Server(debian.address("postgres", "postgres"), {}) as admin:
        known = admin.ask("SELECT 1 FROM pg_available_extensions WHERE name = 'plproxy'")
        if not known:
            pytest.skip("PL/Proxy (apt install postgresql-15-plproxy) is not installed")
        for name in names:
            admin.ask(f"DROP DATABASE IF EXISTS {name}")
            admin.ask(f"CREATE DATABASE {name}")
    for name in names:
        with Server(debian.address(name, "postgres"), {}) as admin:
            admin.init()
            if name == "front":
                admin.ask("CREATE EXTENSION plproxy")
                admin.ask(front)
                admin.ask(f"CREATE USER MAPPING FOR alice SERVER team {ALICE}")
            else:
                for number, repository in enumerate(("acme/shop", "acme/pay")):
                    if name in ("whole", f"memory{number + 1}"):
                        admin.grant("alice", repository, writes=True)
                        admin.grant("bob", repository, writes=False)
                        with Server(debian.address(name, "alice"), {}) as alice:
                            alice.push(repository, [ONE, talk("alice/os", f"os path {number}")])

    with Server(debian.address("front", "postgres"), {}) as admin:
        assert faults(admin.ask) == []

    def answers(server: Server) -> list[object]:
        every = [each.name for each in server.visible()]
        parts = server.parts(every)
        numbers = [(name, talk.number) for name in every for talk in parts[name]]
        held = {  # numbers of sessions are a server's own
            (name, word): sorted(
                (numbers.index((name, entry >> 32)), entry & 0xFFFFFFFF, *rest)
                for entry, *rest in HIT.iter_unpack(hits or b"")
            )
            for name, words in server.holders(every, ["carts", "os"]).items()
            for word, (_, hits) in words.items()
        }
        return [
            every, held, server.begun(every, ["ref"]), server.phrase(every[0], "os path", PLACE),
            server.spans([(name, [("alice/one", 0, 9)], True) for name in every]),
            [each[:2] for each in server.changed(every[1], 0)],
            [[talk._replace(number=0) for talk in parts[name]] for name in every],
        ]  # fmt: skip

    with (
        Server(debian.address("front", "alice"), {}) as proxy,
        Server(debian.address("whole", "alice"), {}) as whole,
    ):
        assert answers(proxy) == answers(whole)
        assert proxy.identity()[1] == "alice"
        assert [len(each.name) for each in proxy.visible(["acme/pay"])] == [8]


ALICE = "OPTIONS (user 'alice', password 'none')"
PLACE = [("alice/os", 0)]


# --- isolation ----------------------------------------------------------------------------

REPOSITORIES = [f"team{number}/service" for number in range(300)]
SEEN = REPOSITORIES[8::8][:36]


@pytest.fixture
def many(team: Team) -> Team:
    """Return a database of many repositories, of which ``bob`` sees a few."""
    team.grant("alice", *REPOSITORIES)
    team.grant("bob", *SEEN, writes=False)
    with team.server("alice") as alice:
        for name in REPOSITORIES:
            secret = f"secret{name.partition('/')[0]}"
            alice.push(name, [talk("alice/one", f"Common words of {secret}", "More common words")])
    return team


def test_a_role_sees_its_repositories_and_no_others(many: Team) -> None:
    with many.server("bob") as bob:
        assert [each.name for each in bob.visible()] == sorted(SEEN)
        assert {name for name, *_ in bob.grants()} == set(SEEN)
        found = bob.begun(REPOSITORIES, ["secret"])
        hidden = [name for name in REPOSITORIES if name not in SEEN]
        expected = {name: [f"secret{name.partition('/')[0]}"] for name in SEEN}
        assert found == expected | {name: [] for name in hidden}
        held = bob.holders(REPOSITORIES, ["common"])
        assert sorted(name for name in held if held[name]) == sorted(SEEN)
        assert {held[name]["common"].held for name in SEEN} == {2}
        assert sorted(bob.parts(REPOSITORIES)) == sorted(SEEN)
        for name in REPOSITORIES:
            shown = name in SEEN
            assert bool(bob.changed(name, 0)) is shown
        spans = bob.spans([(name, [("alice/one", 0, 9)], True) for name in REPOSITORIES])
        assert [bool(found) for found in spans] == [name in SEEN for name in REPOSITORIES]


def test_no_query_of_a_role_reaches_what_it_may_not_see(many: Team) -> None:
    hidden = [name for name in REPOSITORIES if name not in SEEN]
    tables = many.ask(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
        "WHERE nspname = 'ctx' AND relkind IN ('r', 'p', 'i', 'I', 'S')"
    )
    assert len(tables) > len(REPOSITORIES)
    queries = [f"TABLE {name}" for (name,) in tables] + [
        "SELECT count(*), min(text), max(stems) FROM ctx.entries",
        "SELECT * FROM ctx.entries WHERE text LIKE '%secret%'",
        "SELECT word, sum(held) FROM ctx.words GROUP BY word",
        "SELECT 1 / (CASE WHEN text LIKE '%secretteam1 %' THEN 0 ELSE 1 END) FROM ctx.entries",
        "SELECT text::int FROM ctx.entries WHERE repository = 2",
        "SELECT * FROM pg_stats WHERE schemaname = 'ctx'",
        "SELECT relname, pg_get_expr(relpartbound, oid) FROM pg_class",
        "SELECT ctx.repository('team1/service')",
        "SELECT * FROM ctx.begin('team1/service')",
        "SET ROLE ctx_owner", "SET SESSION AUTHORIZATION alice",
        "CREATE TABLE ctx.mine_now (x int)",
        "CREATE TEMP TABLE mine AS SELECT * FROM ctx.entries",
    ]  # fmt: skip
    with many.server() as admin:
        admin.ask("ANALYZE")
    said = ""
    with many.server("bob") as bob:
        for query in queries:
            try:
                said += str(bob.ask(query))
            except ServiceError as error:
                said += str(error)
    with many.server() as admin:  # the policies hold where somebody lets members select
        admin.ask("GRANT SELECT ON ALL TABLES IN SCHEMA ctx TO ctx_member")
    with many.server("bob") as bob:
        for query in queries:
            with suppress(ServiceError):
                said += str(bob.ask(query))
        rows = bob.ask("SELECT count(*), count(DISTINCT repository) FROM ctx.entries")
        assert rows == [(2 * len(SEEN), len(SEEN))]
    assert "secretteam8" in said
    for name in hidden:
        assert name not in said
        assert f"secret{name.partition('/')[0]} " not in f"{said} ".replace("'", " ")


def test_a_group_role_gives_its_members_what_it_was_granted(many: Team) -> None:
    role = "carol"
    with many.server() as admin:
        for name in (role, "payments"):
            if not admin.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", name):
                admin.ask(f"CREATE ROLE {name} LOGIN")
        admin.grant("payments", SEEN[0], writes=True)
        admin.ask(f"GRANT payments TO {role}")
    with many.server(role) as carol:
        assert [each.name for each in carol.visible()] == [SEEN[0]]
    with many.server() as admin:
        assert admin.revoke("payments", SEEN[0])
        assert not admin.revoke("payments", SEEN[0])
    with many.server(role) as carol:
        assert carol.visible() == []


# --- what may go wrong --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ({}, True), ({"host": "/run/postgresql"}, True), ({"host": "localhost,127.0.0.1"}, True),
        ({"host": "db.example.org"}, False), ({"host": "localhost,db"}, False),
        ({"host": "localhost", "hostaddr": "10.0.0.1"}, False), ({"service": "x"}, False),
    ],
)  # fmt: skip
def test_other_machines_have_to_prove_their_name(address: dict[str, str], local: bool) -> None:
    assert is_local(address, {}) is local
    assert not is_local({}, {"PGHOST": "db.example.org"})
    for mode in ("disable", "prefer", "require", "verify-ca"):
        if not local and "service" not in address:
            words = " ".join(f"{key}={value}" for key, value in address.items())
            with pytest.raises(CtxError, match="does not show who answers"):
                Server(f"{words} sslmode={mode}", {})


def test_an_address_with_a_password_is_not_repeated() -> None:
    for address in ("postgresql://a:hunter2@[bad", "postgresql://a:hunter2@127.0.0.1:1/x"):
        with pytest.raises(CtxError) as failed:
            Server(address, {})
        assert "hunter2" not in str(failed.value)
        assert "\n" not in failed.value.line


def refused(address: str) -> str:
    with pytest.raises(ServiceError) as failed:
        Server(address, {"PGPASSFILE": os.devnull})
    assert "\n" not in str(failed.value)
    return failed.value.line


def test_what_keeps_from_connecting_is_one_line_with_what_to_try(debian: Debian) -> None:
    with Server(debian.address("postgres", "postgres"), {}) as admin:
        admin.ask("DROP ROLE IF EXISTS dora")
        admin.ask("CREATE ROLE dora LOGIN PASSWORD 'right'")
    with Server(debian.tcp("postgres", "dora", password="right"), {}) as dora:  # noqa: S106
        assert dora.ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [(True,)]
    for changes, fault, hint in (
        ({"password": "wrong"}, "password authentication failed", "~/.pgpass"),
        ({"password": ""}, "no password supplied", "~/.pgpass"),
        ({"dbname": "gone"}, 'database "gone" does not exist', "createdb"),
        ({"host": "other.example.org"}, "does not match host name", "names the host"),
        ({"sslrootcert": f"{debian.folder}/other.crt"}, "verify failed", "root.crt"),
        ({"sslrootcert": "/nowhere.crt"}, "root certificate file", "authority"),
        ({"port": "1"}, "Connection refused", "does it run"),
    ):
        line = refused(debian.tcp("postgres", "dora", **({"password": "right"} | changes)))
        assert fault in line
        assert hint in line.rpartition("(")[2]
    assert "grant" in refused(debian.address("postgres", "nobody-here"))
    plain = debian.tcp("postgres", "dora", host="127.0.0.1", hostaddr="", sslmode="disable")
    assert "section 2" in refused(plain)  # pg_hba.conf lets in nobody without TLS
    right = debian.tcp("postgres", "dora", password="right")  # noqa: S106
    try:
        debian.restart(ssl_cert_file=str(debian.folder / "server-1.crt"))
        assert "the clock is wrong" in refused(right)  # or it has expired, as here
        debian.restart(ssl="off")
        assert "gives it a certificate" in refused(right)
    finally:
        debian.restart()


def test_an_older_postgresql_is_named(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.share.server.OLDEST", 990_000)
    assert "is PostgreSQL 18 (15 or later is needed)" in refused(team.address("postgres"))


WAITING = """
CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$
"""
WAITS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.parametrize(
    ("event", "table"),
    [
        ("UPDATE", "repositories"), ("UPDATE", "sessions"), ("INSERT", "sessions"),
        ("UPDATE", "entries"), ("UPDATE", "words"), ("INSERT", "entries"), ("INSERT", "words"),
    ],
)  # fmt: skip
def test_a_server_killed_at_any_step_of_a_push_holds_all_or_nothing(
    event: str, table: str, team: Team
) -> None:
    team.grant("alice", "acme/shop")
    with team.server("alice") as alice:
        alice.push("acme/shop", [ONE])
    newer = [ONE._replace(rows=(*ONE.rows[1:], row("Ann pays"))), TWO]
    before = team.held()
    team.ask(WAITING)
    team.ask(f"CREATE TRIGGER waits BEFORE {event} ON ctx.{table} EXECUTE FUNCTION public.waits()")

    def push() -> None:
        with team.server("alice") as alice:
            alice.push("acme/shop", newer)

    with ThreadPoolExecutor(1) as pool, team.server() as admin:
        admin.ask("SELECT pg_advisory_lock(7)")
        pushed = pool.submit(push)
        while not (waiting := admin.ask(WAITS)):
            assert not pushed.done()
            signal.sigtimedwait([], 0.01)
        os.kill(waiting[0][0], signal.SIGKILL)
        with pytest.raises(ServiceError):
            pushed.result()
    assert recovered(team) == before
    team.ask("DROP FUNCTION public.waits CASCADE")
    push()
    team.check()
    assert len(team.held()) == 4


def test_a_hung_server_costs_no_more_than_the_clock_allows() -> None:
    clock = Clock(0.05)
    with clock.waiting():
        signal.sigtimedwait([], 0.06)
        assert clock.left() < 0
    assert clock.left() < 0
    other = Clock(5.0)
    signal.sigtimedwait([], 0.01)
    assert other.left() == 5.0


def test_a_cluster_runs(cluster: Cluster) -> None:
    assert cluster.run() > 0


def test_two_pushes_of_the_same_at_once_leave_it_once(team: Team) -> None:
    team.grant("alice", "acme/shop")
    every = [talk(f"alice/{number}", "Carts live in Redis", "Who pays?") for number in range(20)]

    def push(turn: int) -> int:
        with team.server("alice") as alice:
            return sum(alice.push("acme/shop", [each]).added for each in every[:: 1 - 2 * turn])

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(push, range(2))) == 2 * len(every)
    assert len(team.held()) == 2 * len(every)
    team.check()


FULL = """
CREATE FUNCTION public.filled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE disk_full USING MESSAGE = 'could not extend file: No space left'; END $$;
CREATE TRIGGER filled BEFORE INSERT ON ctx.sessions FOR EACH ROW EXECUTE FUNCTION public.filled()
"""


def test_a_push_to_a_full_disk_is_undone_and_named(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.ask(FULL)
    with team.server("alice") as alice:
        with pytest.raises(ServiceError, match="No space left") as failed:
            alice.push("acme/shop", [ONE])
        assert failed.value.exit_code == 7
        assert "\n" not in failed.value.line
        assert team.held() == []
        team.ask("DROP TRIGGER filled ON ctx.sessions")
        assert alice.push("acme/shop", [ONE]).added == 3
    team.check()
