"""What functions and views name, who may do what, and what changes leave of what others wrote."""

import re
from pathlib import Path

import pytest

from ctx.errors import ServiceError
from ctx.share import Row, Shared
from tests.sampling import sampled
from tests.share.hostile import CALLS, REFUSED, Case, Hostile, cases
from tests.share.rights import FUNCTIONS, faults
from tests.share.servers import Cluster, Team, cluster, debian, team

__all__ = ["cluster", "debian", "team"]
SCHEMA = Path(__file__).parents[2] / "ctx" / "share" / "schema.sql"


def test_every_function_and_view_names_whose_relations_it_means(team: Team) -> None:
    with team.server() as admin:
        assert len(admin.ask(FUNCTIONS)) >= 20
        assert faults(admin.ask) == []


PLANTED = """
SET ROLE ctx_owner;
CREATE FUNCTION ctx.a() RETURNS int LANGUAGE sql SET search_path = pg_catalog AS 'SELECT 1';
CREATE FUNCTION ctx.b() RETURNS int LANGUAGE sql SET search_path = pg_temp, pg_catalog
    AS 'SELECT 1';
CREATE FUNCTION ctx.c() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION ctx.d() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS 'SELECT count(*) FROM pg_roles';
CREATE FUNCTION ctx.e() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, ctx, pg_temp
    AS $$ BEGIN EXECUTE 'DELETE FROM words'; END $$;
CREATE VIEW ctx.v AS SELECT text FROM ctx.entries;
RESET ROLE;
CREATE FUNCTION ctx.f() RETURNS int LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS 'SELECT 1';
"""


def test_one_that_does_not_is_noticed(team: Team) -> None:
    with team.server() as admin:
        admin.ask(PLANTED)
        assert faults(admin.ask) == [
            "ctx.a(): search_path = pg_catalog", "ctx.b(): search_path = pg_temp, pg_catalog",
            "ctx.c(): search_path = ", "ctx.d(): pg_roles without its schema",
            "ctx.e(): words without its schema", "ctx.f(): belongs to postgres",
            "ctx.f(): everybody may call it",
            "ctx.v: a view of ctx_owner, security_barrier False",
        ]  # fmt: skip


def test_parts_that_need_an_extension_have_the_same_search_path() -> None:
    made = re.findall(r"CREATE OR REPLACE FUNCTION (.*?) AS \$\$", SCHEMA.read_text(), re.DOTALL)
    assert len(made) >= 22
    for head in made:
        assert re.search(r"SET search_path = pg_catalog,( @\w+@,)? pg_temp\b", head), head


def decision(text: str, title: str = "Carts", speaker: str = "") -> Shared:
    row = Row("2026-01-02-100000", "carts", speaker, title, text, text.lower(), 0)
    return Shared("DECISIONS.md#carts", "decision", [row])


# --- an older server ----------------------------------------------------------------------

OLDER = """
DROP TABLE ctx.history;
DROP TYPE ctx.arriving CASCADE;
DROP FUNCTION ctx.push, ctx.forget, ctx.former, ctx.granted, ctx.recount;
DELETE FROM ctx.migrations WHERE number = 3;
GRANT SELECT, INSERT, UPDATE ON ctx.entries, ctx.sessions TO ctx_member;
GRANT SELECT ON ctx.words, ctx.forms, ctx.repositories, ctx.grants TO ctx_member;
GRANT EXECUTE ON FUNCTION ctx.begin TO ctx_member;
GRANT EXECUTE ON FUNCTION ctx.forget_vector TO PUBLIC;
CREATE POLICY add ON ctx.entries FOR INSERT TO ctx_member WITH CHECK (true);
CREATE POLICY change ON ctx.entries FOR UPDATE TO ctx_member USING (true);
CREATE POLICY change ON ctx.entries_1 FOR UPDATE TO ctx_member USING (true);
ALTER FUNCTION ctx.mine SET search_path = pg_catalog;
GRANT TEMP ON DATABASE {0} TO PUBLIC;
GRANT CREATE ON SCHEMA public TO PUBLIC
"""
RIGHTS = """
SELECT c.relname, c.relacl::text, ARRAY(SELECT polname::text FROM pg_policy
    WHERE polrelid = c.oid ORDER BY 1) FROM pg_class c
WHERE relnamespace = 'ctx'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1
"""


def test_an_older_server_gets_functions_rights_and_policies_of_today(team: Team) -> None:
    team.grant("alice", "acme/shop")
    with team.server() as admin:
        admin.init()
    rights, functions = team.ask(RIGHTS), team.ask(FUNCTIONS)
    name = team.ask("SELECT current_database()")[0][0]
    with team.server("alice") as alice:
        alice.push("acme/shop", [decision("Carts live in Redis")])
    before = team.held()
    with team.server() as admin:
        admin.ask(OLDER.format(name))
        with pytest.raises(ServiceError, match="has schema 2, 3 is needed"):
            admin.identity()
        assert admin.init() == [3]
        assert admin.init() == []
        assert faults(admin.ask) == []
    assert team.ask(RIGHTS) == rights
    assert team.ask(FUNCTIONS) == functions
    assert team.held() == before
    with team.server("alice") as alice:
        assert alice.push("acme/shop", [decision("Carts live in Redis")])[:2] == (0, 0)
        for query in ("CREATE TEMP TABLE x (y int)", "CREATE TABLE public.x (y int)"):
            with pytest.raises(ServiceError, match="permission denied"):
                alice.ask(query)


def test_a_database_that_holds_more_keeps_its_rights(team: Team) -> None:
    team.ask("CREATE TABLE public.orders (number int)")
    name = team.ask("SELECT current_database()")[0][0]
    team.ask(f"GRANT TEMP ON DATABASE {name} TO PUBLIC")
    team.grant("alice", "acme/shop")
    with team.server() as admin:
        admin.init()
    with team.server("alice") as alice:
        alice.ask("CREATE TEMP TABLE x (y int)")


def test_a_schema_that_somebody_else_made_is_not_filled(team: Team) -> None:
    team.ask("DROP SCHEMA ctx CASCADE")
    team.ask("DO $$ BEGIN CREATE ROLE mallory; EXCEPTION WHEN duplicate_object THEN END $$")
    team.ask("CREATE SCHEMA ctx AUTHORIZATION mallory")
    with team.server() as admin, pytest.raises(ServiceError, match="belongs to mallory"):
        admin.init()


def test_nobody_keeps_an_administrator_waiting_by_a_lock_that_everybody_may_take(
    team: Team,
) -> None:
    team.grant("alice", "acme/shop")
    with team.server("alice") as alice, team.server() as admin:
        alice.ask("SELECT pg_advisory_lock(hashtext('ctx share init'))")
        alice.ask("BEGIN")
        alice.visible()
        admin.ask("SET lock_timeout = '60s'")
        assert admin.init() == []


def test_functions_in_a_schema_of_everybody_are_not_asked_by_an_administrator(team: Team) -> None:
    """Where a schema of the usual search path lets members make functions, as older servers do."""
    team.grant("alice", "acme/shop")
    team.ask("GRANT CREATE ON SCHEMA public TO PUBLIC")
    planted = "CREATE FUNCTION public.{}({}) RETURNS {} LANGUAGE plpgsql AS $$ BEGIN "
    planted += "RAISE 'taken'; END $$"
    with team.server("alice") as alice:
        for made in (("quote_ident", "name", "text"), ("pg_has_role", "text, text", "boolean")):
            alice.ask(planted.format(*made))
    with team.server() as admin:
        assert admin.init() == []
        assert admin.forget("author", ["nobody"]) is None


# --- who wrote what -----------------------------------------------------------------------


AUTHORS = "SELECT author, title, text, speaker FROM ctx.entries WHERE gone = ''"


def test_what_another_wrote_stays_readable_with_its_author(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.grant("bob", "acme/shop")
    with team.server("alice") as alice, team.server("bob") as bob:
        alice.push("acme/shop", [decision("Carts live in Redis")])
        bob.push("acme/shop", [decision("Carts live in Redis")])  # nothing new: still hers
        assert team.ask(AUTHORS) == [("alice", "Carts", "Carts live in Redis", "")]
        bob.push("acme/shop", [decision("Carts live in files", speaker="alice")])
        assert team.ask(AUTHORS) == [("bob", "Carts", "Carts live in files", "")]
        alice.push("acme/shop", [decision("Carts live in Redis")])
        bob.push("acme/shop", [decision("Carts live in Redis")._replace(rows=())])
        assert team.ask(AUTHORS) == []
        bob.push("acme/shop", [decision("Carts live in Redis")])  # which is what he says now
        assert team.ask(AUTHORS) == [("bob", "Carts", "Carts live in Redis", "")]
        former = "SELECT author, text, ended_by FROM ctx.former('acme/shop')"
        assert alice.ask(former) == [
            ("alice", "Carts live in Redis", "bob"), ("bob", "Carts live in files", "alice"),
            ("alice", "Carts live in Redis", "bob"),
        ]  # fmt: skip
        assert alice.ask("SELECT bool_and(ended <= now()) FROM ctx.former('acme/shop')") == [
            (True,)
        ]
    team.check()


def test_a_title_that_changed_alone_is_a_change(team: Team) -> None:
    team.grant("alice", "acme/shop")
    with team.server("alice") as alice:
        alice.push("acme/shop", [decision("Carts live in Redis")])
        assert alice.push("acme/shop", [decision("Carts live in Redis", "Baskets")])[:2] == (1, 1)
    assert team.ask(AUTHORS) == [("alice", "Baskets", "Carts live in Redis", "")]
    team.check()


def test_a_member_forgets_what_he_wrote_and_an_administrator_all_of_it(team: Team) -> None:
    team.grant("alice", "acme/shop")
    team.grant("bob", "acme/shop")
    with team.server("alice") as alice, team.server("bob") as bob:
        alice.push("acme/shop", [decision("Carts live in Redis")])
        assert bob.forget("session", ["DECISIONS.md#carts"]) is None
        bob.push("acme/shop", [decision("Carts live in files")])
        assert bob.forget("session", ["DECISIONS.md#carts"]) == 1
        team.check()
        assert alice.ask("SELECT author FROM ctx.former('acme/shop')") == [("alice",)]
        assert alice.push("acme/shop", [decision("Carts live in Redis")]).refused == ()
        assert bob.push("acme/shop", [decision("Carts live in files")])[:2] == (0, 1)
        team.check()  # what was forgotten is not taken again, and counts nothing
    with team.server() as admin:
        admin.forget("session", ["DECISIONS.md#carts"])
        assert admin.ask("SELECT * FROM ctx.history") == []
        assert "Redis" not in str(admin.ask("SELECT * FROM ctx.entries"))
    with team.server("alice") as alice:
        refused = alice.push("acme/shop", [decision("Carts live in Redis")]).refused
        assert refused == ("DECISIONS.md#carts",)
    team.check()


# --- attacks ------------------------------------------------------------------------------

EVERY = [*cases()]


@pytest.mark.parametrize(
    ("which", "temporary", "start"),
    [("cluster", False, 0), ("cluster", True, 2), ("debian", False, 4), ("debian", True, 6)],
)
def test_statements_of_members_come_to_what_they_must(
    which: str, temporary: bool, start: int, request: pytest.FixtureRequest
) -> None:
    with Hostile(request.getfixturevalue(which), temporary=temporary) as hostile:
        assert hostile.is_closed
        every = sampled(EVERY, 8, start)
        assert [(case, found) for case in every if (found := hostile.tried(case))] == []


PLANTED_HOLE = """
DO $$ BEGIN EXECUTE replace(replace(pg_get_functiondef('ctx.visible'::regproc),
    'pg_catalog.pg_roles', 'pg_roles'), ', ''pg_temp''', ''); END $$
"""


def test_there_are_enough_statements_and_one_that_gets_through_is_noticed(
    cluster: Cluster,
) -> None:
    assert len({case.statements[-1] for case in EVERY}) >= 120
    through = [case for case in EVERY if case[:2] == ("bob", "with roles of his own")]
    with Hostile(cluster, temporary=True, planted=PLANTED_HOLE) as hostile:
        found = {case.statements[-1] for case in through if hostile.tried(case)}
        assert CALLS[1] in found
        allowed = Case("bob", "a right of his", ["SELECT 1"], REFUSED)
        assert hostile.tried(allowed) == "not refused"
