"""Statements that a member of a team's server could try, each with what must come of it.

Alice wrote everything: in ``acme/shop``, which bob writes and rita reads, and in ``acme/pay``,
which is hers alone. Nora is a member who has lost her only grant, otto a login that was granted
nothing.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import count, product
from typing import Any, NamedTuple, Self

from ctx.share import Row, Shared
from ctx.share.server import Server
from tests.share.servers import Cluster

REFUSED, NOTHING, OWN, WORKS = "refused", "nothing", "own", "works"
"""What must come of it: an error; no change; what bob may change; rows, which a member does see."""


class Case(NamedTuple):
    """Statements of one connection."""

    who: str
    what: str
    statements: Sequence[str]
    must: str


ROLES = ("alice", "bob", "rita", "nora", "otto")
HIDDEN = {"bob": "pay", "rita": "pay", "nora": "", "otto": ""}
"""What a role must not see of ``acme/`` and of ``secretly``; empty for all of it."""
DECISION, LEARNING, TALK = "DECISIONS.md#carts", "learnings/logins.md#tabs", "alice/one"
_NUMBERS = count()


def _row(text: str, title: str = "") -> Row:
    return Row("2026-01-02-100000", text[:9], "", title, text, text.lower(), 0, (1, 0, 2))


def _push(
    session: str, text: str, kind: str = "decision", to: str = "acme/shop", **more: str
) -> str:
    """Return a call of ``ctx.push``, with no rows for no ``text``, and with ``more`` in a row."""
    row = {"day": "", "anchor": "", "speaker": "", "title": "T", "text": text, "stems": "x"}
    sent = {
        "session": session, "kind": kind or None, "speakers": ["alice"], "forms": ["xs"],
        "steps": [], "rows": [{**row, "anchors": 0, **more}] if text else [],
    }  # fmt: skip
    return (
        PUSH.replace("REPO", to)
        .replace("MODEL", MODEL if "vector" in more else "")
        .replace("SENT", json.dumps([sent]))
    )


def _forget(which: str, by_author: str = "false", repository: str = "acme/shop") -> str:
    return FORGET.replace("REPO", repository).replace("HOW", by_author).replace("WHICH", which)


PUSH = "SELECT * FROM ctx.push('REPO', 'MODEL', 'SENT')"
FORGET = "SELECT * FROM ctx.forget('REPO', HOW, ARRAY['WHICH'])"
MODEL = "other"
ENTRY = (
    "INSERT INTO ctx.entries (repository, kind, day, session, place, id, author, anchor, speaker, "
    "title, text, stems, tokens, anchors, version) VALUES ({}, '{}', '', '{}', 7, "
    "gen_random_uuid(), '{}', '', '', '', 'said', 'said', 1, 0, 1)"
)
AS_ALICE = (
    (
        "CREATE TEMP TABLE pg_roles AS SELECT 'alice'::name AS rolname, oid, true AS rolsuper "
        "FROM pg_catalog.pg_roles WHERE rolname = session_user"
    ),
    "GRANT SELECT ON pg_roles TO PUBLIC",
)
"""Takes the place of the catalogue of roles, where temporary relations are looked for first."""
TYPE = (
    (
        "CREATE FUNCTION pg_temp.taken() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN "
        "IF current_user = 'ctx_owner' THEN UPDATE ctx.server SET id = gen_random_uuid(); END IF; "
        "RETURN true; END $$"
    ),
    "CREATE DOMAIN pg_temp.{0} AS pg_catalog.{0} CHECK (pg_temp.taken())",
)
"""Runs as whoever names this type without its schema."""
CALLS = (
    "SELECT * FROM ctx.visible(NULL)", "SELECT * FROM ctx.visible(ARRAY['acme/pay'])",
    "SELECT ctx.mine() + 900000 WHERE 2 IN (SELECT ctx.mine())",
    "SELECT * FROM ctx.holders(ARRAY['acme/pay'], ARRAY['secretly'], 99)",
    "SELECT * FROM ctx.begun(ARRAY['acme/pay'], ARRAY['secret'], 99)",
    "SELECT * FROM ctx.phrase('acme/pay', 'secretly', ARRAY['alice/one'], ARRAY[0])",
    "SELECT * FROM ctx.parts(ARRAY['acme/pay'])", "SELECT * FROM ctx.changed('acme/pay', 0)",
    "SELECT * FROM ctx.spans('acme/pay', ARRAY['alice/one'], ARRAY[0], ARRAY[9], true)",
    "SELECT * FROM ctx.near('acme/pay', 'static', '[1,0,2]', 99, 9)",
    "SELECT * FROM ctx.vectors('acme/pay', 'static', ARRAY['alice/one'], ARRAY[0], ARRAY[9])",
    "SELECT * FROM ctx.former('acme/pay')", "SELECT * FROM ctx.granted()",
    "SELECT * FROM ctx.begin('acme/pay')", "SELECT text FROM ctx.entries",
    "SELECT session, kind, speakers FROM ctx.sessions", "SELECT word FROM ctx.words",
    "SELECT name FROM ctx.repositories", "SELECT who, repository FROM ctx.grants",
    "UPDATE ctx.entries SET title = 'changed' WHERE repository = 2",
    ENTRY.format(2, "decision", "DECISIONS.md#new", "bob"),
    _push("DECISIONS.md#new", "said", to="acme/pay"),
    _forget(TALK, repository="acme/pay"), _forget("alice", "true", "acme/pay"),
)  # fmt: skip
"""What reads or writes; of ``acme/pay`` it must give nobody anything."""
WRITES = (
    "UPDATE ctx.entries SET text = 'said' WHERE kind = 'decision'",
    "UPDATE ctx.entries SET author = 'bob' WHERE kind = 'decision'",
    "UPDATE ctx.entries SET author = 'carol', title = 'x' WHERE kind = 'learning'",
    "UPDATE ctx.entries SET author = session_user, gone = 'forgotten' WHERE kind = 'decision'",
    "UPDATE ctx.entries SET repository = 2 WHERE kind = 'decision'",
    "UPDATE ctx.entries SET kind = 'turn', session = 'alice/one' WHERE kind = 'decision'",
    "UPDATE ctx.entries SET stems = 'nothing', embedding = NULL WHERE kind = 'decision'",
    "UPDATE ctx.entries SET version = 9000000000000000000 WHERE kind = 'decision'",
    "UPDATE ctx.entries_1 SET text = 'said'",
    "UPDATE ctx.sessions SET author = session_user WHERE kind = 'decision'",
    "UPDATE ctx.sessions SET forgotten = true WHERE kind = 'decision'",
    "UPDATE ctx.sessions SET version = 9000000000000000000, entries = 0 WHERE kind = 'learning'",
    "UPDATE ctx.repositories SET version = 0", "UPDATE ctx.words SET hits = ''",
    "UPDATE ctx.server SET id = gen_random_uuid()", "UPDATE ctx.grants SET writes = true",
    "INSERT INTO ctx.grants VALUES (2, session_user, true)",
    "INSERT INTO ctx.migrations VALUES (99)",
    ENTRY.format(1, "decision", "DECISIONS.md#new", "alice"),
    ENTRY.format(1, "turn", "alice/one", "alice"), ENTRY.format(1, "turn", "alice/one", "bob"),
    ENTRY.format(1, "decision", DECISION, "bob"),
    ("INSERT INTO ctx.sessions (repository, session, kind, author, version, entries, speakers, "
    "forms) VALUES (1, 'alice/two', 'decision', session_user, 1, 0, '{}', '{}')"),
    "DELETE FROM ctx.entries", "DELETE FROM ctx.sessions", "TRUNCATE ctx.words",
    ("MERGE INTO ctx.entries e USING (SELECT 1) x ON e.kind = 'decision' "
    "WHEN MATCHED THEN UPDATE SET text = 'said'"),
    "SELECT text FROM ctx.entries WHERE kind = 'decision' FOR UPDATE",
    "COPY ctx.entries TO STDOUT", "COPY ctx.sessions TO STDOUT",
    "BEGIN; LOCK TABLE ctx.entries IN ACCESS EXCLUSIVE MODE",
    "BEGIN; LOCK TABLE ctx.sessions IN SHARE ROW EXCLUSIVE MODE", "BEGIN; LOCK TABLE ctx.words",
    "SELECT nextval('ctx.repositories_repository_seq')",
    "SELECT nextval(pg_get_serial_sequence('ctx.sessions', 'number'))",
)  # fmt: skip
"""What a member has no right to at all."""
POWERS = (
    "SET ROLE ctx_owner", "SET ROLE alice", "SET SESSION AUTHORIZATION alice",
    "GRANT ctx_owner TO bob", "ALTER ROLE bob SUPERUSER", "SET session_replication_role = replica",
    "CREATE TABLE ctx.own (x int)", "CREATE SCHEMA own", ("CREATE FUNCTION ctx.own() RETURNS int "
    "LANGUAGE sql AS 'SELECT 1'"), "CREATE TABLE public.own (x int)",
    "CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = text, FUNCTION = nameeqtext)",
    "CREATE INDEX ON ctx.entries (text)", "CREATE POLICY mine ON ctx.entries USING (true)",
    "CREATE RULE mine AS ON SELECT TO ctx.words DO INSTEAD SELECT 1",
    "CREATE TRIGGER mine AFTER INSERT ON ctx.entries EXECUTE FUNCTION ctx.count_entries()",
    "ALTER TABLE ctx.entries DISABLE ROW LEVEL SECURITY", "ALTER TABLE ctx.entries OWNER TO bob",
    "ALTER FUNCTION ctx.mine(boolean) SECURITY INVOKER", "DROP FUNCTION ctx.near",
    "ALTER FUNCTION ctx.mine(boolean) RESET ALL", "DROP SCHEMA ctx CASCADE",
    "ALTER DATABASE hostile SET search_path = pg_temp", "COMMENT ON TABLE ctx.entries IS 'x'",
    "SELECT ctx.repository('acme/pay')", "SELECT ctx.settle(2)",
    "SELECT * FROM ctx.begin('acme/shop')",
    "SELECT ctx.guard('ctx.entries')", "SELECT ctx.best(2, ARRAY['secretly'], ARRAY['secretly'])",
    "SELECT ctx.recount(1, ARRAY['alice/one'], 1)", "SELECT ctx.count_entries()",
    "SELECT lo_import('/etc/passwd')", "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('PG_VERSION')", "LOAD 'auto_explain'",
    "EXPLAIN (ANALYZE) SELECT FROM ctx.words WHERE word = 'secretly'",
    "EXPLAIN SELECT FROM ctx.words WHERE word = 'secretly'",
    "EXPLAIN (ANALYZE) SELECT FROM ctx.entries WHERE session = 'alice/one'",
    "EXPLAIN (ANALYZE) SELECT FROM ctx.sessions WHERE session = 'alice/one'",
    "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT text FROM ctx.entries",
    "PREPARE p AS SELECT text FROM ctx.entries; EXECUTE p",
)  # fmt: skip
LOOKS = (
    "SELECT * FROM pg_stats WHERE schemaname = 'ctx'", "SELECT * FROM pg_stats_ext",
    "SELECT relname, pg_get_expr(relpartbound, oid) FROM pg_class", "SELECT * FROM pg_policies",
    "SELECT * FROM pg_stat_activity", "SELECT * FROM pg_locks", "SELECT * FROM pg_prepared_xacts",
    "SELECT query_to_xml('SELECT text FROM ctx.entries', true, true, '')",
    "SELECT database_to_xml(true, true, '')", "LISTEN ctx", "NOTIFY ctx, 'x'",
    "SELECT pg_advisory_lock(hashtext('ctx share init'))", "SELECT lo_create(0) > 0",
    "SELECT 1 / (CASE WHEN text LIKE '%secretly%' THEN 0 ELSE 1 END) FROM ctx.entries",
    "SELECT text::int FROM ctx.entries WHERE repository = 2",
    "SELECT session::int FROM ctx.changed('acme/pay', 0)",
    "SELECT set_config('row_security', 'off', false), count(*) FROM ctx.entries",
    "SELECT set_config('role', 'ctx_owner', false)",
    "SELECT * FROM ctx.spans('pay'' OR true --', ARRAY['alice/one'], ARRAY[0], ARRAY[9], true)",
    "SELECT * FROM ctx.near('acme/shop', 'static', '[1,0,2]) FROM ctx.entries_2 --', 99, 9)",
    "SELECT * FROM ctx.phrase('acme/pay', NULL, NULL, NULL)",
    "SELECT * FROM ctx.begun(NULL, ARRAY['secret'], 2147483647) WHERE name = 'acme/pay'",
    "SELECT * FROM ctx.parts(NULL) WHERE name = 'acme/pay'",
)  # fmt: skip
TEMPORARY = (
    ("a function", (("CREATE FUNCTION pg_temp.pg_has_role(name, oid, text) RETURNS boolean "
     "LANGUAGE sql AS 'SELECT true'"),)),
    ("an operator", (("CREATE OPERATOR pg_temp.= (LEFTARG = text, RIGHTARG = text, "
     "FUNCTION = textne)"),)),
    ("transition tables", ("CREATE TEMP TABLE after AS SELECT * FROM pg_catalog.pg_class",
     "CREATE TEMP TABLE before AS SELECT * FROM pg_catalog.pg_class",
     "GRANT ALL ON after, before TO PUBLIC")),
    ("policies", ("CREATE TEMP TABLE pg_policy AS TABLE pg_catalog.pg_policy",
     "CREATE TEMP TABLE pg_class AS TABLE pg_catalog.pg_class")),
    ("a search path", ("SET search_path = pg_temp, pg_catalog, ctx",)),
    *((f"the type {name}", tuple(each.format(name) for each in TYPE))
      for name in ("text", "int4", "int8", "uuid", "name", "oid", "bytea", "json", "bool", "float8",
                   "smallint")),
)  # fmt: skip
"""Objects that come before others where the search path lets them."""
PUSHES = (
    ("in a repository of others", _push("DECISIONS.md#new", "said", to="acme/pay"), NOTHING),
    ("the talk of another", _push(TALK, "said", "turn"), REFUSED),
    ("talk under the name of another", _push("alice/two", "said", "turn"), REFUSED),
    ("talk of another, taken back", _push(TALK, "", "turn"), REFUSED),
    ("a decision in the place of talk", _push(TALK, "said"), REFUSED),
    ("a decision in the place of talk to come", _push("alice/two", "said"), REFUSED),
    ("talk in the place of a decision", _push(DECISION, "said", "turn"), REFUSED),
    ("a rule", _push("AGENTS.md#rule", "said", "rule"), REFUSED),
    ("no kind", _push(DECISION, "said", ""), REFUSED),
    ("no list", PUSH.replace("REPO", "acme/shop").replace("SENT", "7"), REFUSED),
    ("nothing", "SELECT * FROM ctx.push('acme/shop', '', NULL)", OWN),
    ("a decision changed", _push(DECISION, "said"), OWN),
    (
        "a decision changed and changed back",
        f"{_push(DECISION, 'said')};{_push(DECISION, 'Carts secretly in shop', title='Carts')}",
        OWN,
    ),
    ("a decision taken back", _push(DECISION, ""), OWN),
    ("an author", _push(DECISION, "said", author="alice"), OWN),
    ("a speaker", _push(DECISION, "said", speaker="alice"), OWN),
    ("an id", _push(DECISION, "said", id="00000000-0000-0000-0000-000000000000"), OWN),
    (
        "the vector of another",
        _push(DECISION, "Carts secretly in shop", title="Carts", vector="[9,9,9]"),
        OWN,
    ),
    ("talk of his own", _push("bob/one", "said", "turn"), OWN),
    ("a decision forgotten", _forget(DECISION), OWN),
    ("a decision changed and forgotten", f"{_push(DECISION, 'said')};{_forget(DECISION)}", OWN),
    ("the talk of another forgotten", _forget(TALK), OWN),
    ("another forgotten", _forget("alice", "true"), OWN),
)
"""What a writer may do, and nearly may: the last word is that he changes only what is his."""
SEEN = (
    "SELECT name FROM ctx.visible(NULL)", "SELECT * FROM ctx.granted()",
    "SELECT * FROM ctx.spans('acme/shop', ARRAY['alice/one'], ARRAY[0], ARRAY[9], true)",
    "SELECT * FROM ctx.holders(ARRAY['acme/shop'], ARRAY['secretly'], 99)",
    "SELECT id FROM ctx.server", "SELECT * FROM ctx.parts(ARRAY['acme/shop'])",
)  # fmt: skip
"""What a member with a grant sees: whatever refuses everything is no protection."""


def cases() -> Iterator[Case]:
    """Yield every case."""
    for who in ("bob", "rita", "nora", "otto"):
        yield from _cases_of(who)
    for who in ("bob", "rita"):
        yield from (Case(who, "what is theirs to see", [query], WORKS) for query in SEEN)


def _cases_of(who: str) -> Iterator[Case]:
    is_bob = who == "bob"
    must = REFUSED if who == "otto" else NOTHING
    for call in CALLS:
        yield Case(who, "as he is", [call], must)
        yield Case(who, "with roles of his own", [*AS_ALICE, call], must)
    asked = CALLS[0], CALLS[8], _push("bob/one", "said", "turn"), CALLS[21]
    for (what, made), call in product(TEMPORARY, asked):
        yield Case(who, f"with {what}", [*made, call], OWN if is_bob else NOTHING)
    for what, queries, come in (
        ("only functions do that", WRITES, REFUSED), ("powers", POWERS, REFUSED),
        ("looks", LOOKS, NOTHING),
    ):  # fmt: skip
        yield from (Case(who, what, [query], come) for query in queries)
    yield from (
        Case(who, what, [query], come if is_bob else NOTHING) for what, query, come in PUSHES
    )


STATE = """
SELECT 'grants', g.*::text FROM ctx.grants g UNION ALL SELECT 'server', s.*::text FROM ctx.server s
UNION ALL SELECT 'roles', r.*::text FROM pg_auth_members r
UNION ALL SELECT 'functions', p.*::text FROM pg_proc p WHERE pronamespace = 'ctx'::regnamespace
UNION ALL SELECT 'relations', c.oid || c.relname || c.relowner || coalesce(c.relacl::text, '')
    || c.relrowsecurity FROM pg_class c WHERE relnamespace = 'ctx'::regnamespace
UNION ALL SELECT 'policies', p.*::text FROM pg_policies p
UNION ALL SELECT 'repositories', r.*::text FROM ctx.repositories r WHERE {0}
UNION ALL SELECT 'entries', e.*::text FROM ctx.entries e WHERE {0} OR {1}
UNION ALL SELECT 'sessions', s.*::text FROM ctx.sessions s WHERE {0} OR {1}
UNION ALL SELECT 'words', w.*::text FROM ctx.words w WHERE {0} ORDER BY 1, 2
"""
KEPT = "repository = 2", "session = 'alice/one'"
"""What bob must not change."""
FOREIGN = """
SELECT session, author, 'wrote what she did not' FROM ctx.entries
WHERE repository = 1 AND gone = '' AND author <> 'bob'
    AND (author <> 'alice'
         OR (session, title, text) NOT IN (SELECT session, title, text FROM public.wrote))
UNION ALL SELECT session, author, 'is lost' FROM public.wrote w WHERE NOT EXISTS (
    SELECT FROM (SELECT session, author, title, text FROM ctx.entries {0}) e
    WHERE (e.session, e.author, e.title, e.text) = (w.session, w.author, w.title, w.text))
UNION ALL SELECT session, author, 'is in the talk of another' FROM ctx.entries
WHERE session LIKE 'alice/%' AND author <> 'alice'
UNION ALL SELECT session, author, 'has a speaker' FROM ctx.entries
WHERE kind <> 'turn' AND speaker <> ''
UNION ALL SELECT session, embedder, 'has the vector of another' FROM ctx.entries
WHERE author = 'alice' AND gone = '' AND embedder NOT IN ('static', '')
UNION ALL SELECT session, author, 'is no longer hers' FROM ctx.sessions
WHERE session IN (SELECT session FROM public.wrote) AND (author <> 'alice' OR forgotten)
"""
HISTORY = "UNION ALL SELECT session, author, title, text FROM ctx.history"


class Hostile:
    """A database that is attacked, and made anew when something has changed; to be closed."""

    def __init__(self, cluster: Cluster, *, temporary: bool, planted: str = "") -> None:
        """Make it, with what is ``planted``; ``temporary`` lets members make temporary objects."""
        self._cluster = cluster
        self._name = f"hostile{next(_NUMBERS)}"
        self._temporary = temporary
        with Server(cluster.address("postgres", "postgres"), {}) as admin:
            admin.ask(f"CREATE DATABASE {self._name}base")
            for role in ROLES:
                if not admin.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", role):
                    admin.ask(f"CREATE ROLE {role} LOGIN")
        base = cluster.address(f"{self._name}base", "postgres")
        with Server(base, {}) as admin:
            admin.init()
            for who, name, writes in (
                ("alice", "shop", True), ("alice", "pay", True), ("bob", "shop", True),
                ("rita", "shop", False), ("nora", "shop", True),
            ):  # fmt: skip
                admin.grant(who, f"acme/{name}", writes=writes)
            admin.revoke("nora", "acme/shop")
            may = "SELECT has_database_privilege('bob', current_database(), 'TEMP')"
            self.version = admin.ask("SHOW server_version_num")[0][0][:2]
            self.is_closed = not admin.ask(may)[0][0]
        with Server(cluster.address(f"{self._name}base", "alice"), {}) as alice:
            for name in ("shop", "pay"):
                every = [
                    Shared(DECISION, "decision", [_row(f"Carts secretly in {name}", "Carts")]),
                    Shared(LEARNING, "learning", [_row(f"Tabs secretly in {name}", "Tabs")]),
                    Shared(TALK, "turn", [_row(f"Talk secretly in {name}"), _row("Who pays?")]),
                ]
                alice.push(f"acme/{name}", every, "static")
        with Server(base, {}) as admin:
            self._has_history = bool(admin.ask("SELECT 1 WHERE to_regclass('ctx.history') > 0"))
            admin.ask("CREATE TABLE public.wrote AS SELECT session, author, title, text "
                      "FROM ctx.entries WHERE repository = 1")  # fmt: skip
            admin.ask(f"ANALYZE; {planted}")
        self._admin: Server | None = None
        self._renew()
        self._before = self._state()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection of its administrator."""
        if self._admin:
            self._admin.__exit__(*error)

    def _renew(self) -> None:
        if self._admin:
            self._admin.__exit__()
        with Server(self._cluster.address("postgres", "postgres"), {}) as admin:
            admin.ask(f"DROP DATABASE IF EXISTS {self._name} WITH (FORCE)")
            admin.ask(f"CREATE DATABASE {self._name} TEMPLATE {self._name}base")
            if self.is_closed and not self._temporary:  # a copy has not the rights of its template
                admin.ask(f"REVOKE TEMP ON DATABASE {self._name} FROM PUBLIC")
        self._admin = Server(self._cluster.address(self._name, "postgres"), {})

    def _state(self) -> list[list[tuple[Any, ...]]]:
        """Return all that is there, then what bob must not change, then what is false of alice."""
        foreign = FOREIGN.format(HISTORY if self._has_history else "")
        questions = STATE.format("true", "true"), STATE.format(*KEPT), foreign
        assert self._admin
        return [self._admin.ask(question) for question in questions]

    def tried(self, case: Case) -> str:
        """Return what is wrong with what came of a case; empty for nothing."""
        shown, failed = self._run(case)
        after = self._state()
        wrong = ""
        if after != self._before:
            changed = [row for row in after[0] if row not in self._before[0]]
            if case.must != OWN:
                wrong = f"changed {str(changed)[:300]}"
            elif after[1:] != self._before[1:]:
                wrong = f"changed what is not his {str(after[2] or changed)[:300]}"
            self._renew()
        hidden = HIDDEN[case.who]
        shown = shown.replace("acme/shop", "") if hidden else shown
        if f"acme/{hidden}" in shown or f"secretly in {hidden}" in shown + failed:
            wrong = f"shown {shown[:200]}"
        if case.must == REFUSED and not failed:
            wrong = wrong or "not refused"
        if case.must == WORKS and (failed or not shown):
            wrong = f"refused: {failed}"
        return wrong

    def _run(self, case: Case) -> tuple[str, str]:
        """Return the rows of all statements, and the last error."""
        import psycopg

        shown, failed = "", ""
        address = self._cluster.address(self._name, case.who)
        with psycopg.connect(address, autocommit=True) as connection:
            for statement in case.statements:
                failed = ""
                try:
                    cursor = connection.cursor()
                    if statement.startswith("COPY") and "STDOUT" in statement:
                        with cursor.copy(statement.encode()) as copy:
                            shown += "".join(bytes(part).decode() for part in copy)
                        continue
                    cursor.execute(statement.encode())
                    rows = cursor.fetchall() if cursor.description else []
                    shown += "".join(str(row) for row in rows if any(row))
                except psycopg.Error as error:
                    failed = str(error)
        return shown, failed
