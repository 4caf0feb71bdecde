"""One connection to the server of a team's memory."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from struct import Struct
from typing import Any, NamedTuple, Self

from ctx.errors import ServiceError, UsageError, install
from ctx.model import Kind
from ctx.share import INIT, Shared, Stored, explained

SECONDS = 10.0  # most time to wait for a connection, except in a search
HANGING = 60  # seconds without a sign of life after which a connection is given up
MIGRATIONS = 3  # the last one that this version knows
OLDEST = 150_000  # the oldest version of PostgreSQL, as its clients number it
NEEDED = 3  # the last one that it cannot do without: 2 needs pgvector
MOST = 50_000
"""Entries that are looked at as they hold words, in all repositories, the rarest words first."""
HIT = Struct(">QHHB")
"""Number of a session and place (32 bits each), how often, words of the entry, dates in it."""
WORDS = 1_000  # that begin alike and are looked at
EXACT, NEAREST = 100_000, 1_000
"""Entries of a repository up to which all vectors are compared, and how many of more."""
INDEXED = 10_000
"""Entries of a repository from which on words get an index of pg_textsearch, where it is there."""
_EXTENSIONS = {
    "vector": "typname = 'halfvec'",
    # Before 1.4 everybody may ask how rare a word is in a repository of others.
    "pg_textsearch": """typname = 'bm25query'
        AND split_part(extversion, '.', 1)::int * 100 + split_part(extversion, '.', 2)::int >= 104
        AND has_schema_privilege('ctx_owner', n.oid, 'USAGE')
        AND NOT has_schema_privilege('ctx_member', n.oid, 'CREATE')
        AND coalesce(current_setting('pg_textsearch.allow_rls', true), 'on') = 'on'""",
}
"""What ``ctx`` uses where it is there, and what must be so, by the type that it needs of it."""
_SCHEMA_OF = """
SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
JOIN pg_type ON typnamespace = n.oid WHERE extname = %s AND {}
"""
_LOCAL = frozenset({"", "localhost", "127.0.0.1", "::1"})
_PATH = "-c search_path=pg_catalog,pg_temp"
"""For what is asked here: what members make in other schemas takes no part in it."""
_ALONE = """
SELECT quote_ident(current_database()) FROM pg_database
WHERE datname = current_database() AND pg_has_role(datdba, 'USAGE') AND NOT EXISTS (
    SELECT FROM (
        SELECT oid, tableoid, relnamespace AS place FROM pg_class
        WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        UNION ALL SELECT oid, tableoid, pronamespace FROM pg_proc
        UNION ALL SELECT oid, tableoid, typnamespace FROM pg_type WHERE typtype IN ('d', 'e', 'r')
    ) o JOIN pg_namespace n ON n.oid = place
    WHERE nspname <> 'ctx' AND nspname <> 'information_schema' AND nspname !~ '^pg_'
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE deptype = 'e'
            AND (d.classid, d.objid) = (o.tableoid, o.oid)))
"""
"""The database, where it is this role's and holds nothing but the schema and extensions."""


class Held(NamedTuple):
    """What holds a word."""

    held: int  # how many entries
    hits: bytes | None  # as ``HIT`` unpacks them; None where they are too many


NOTHING = Held(0, b"")
Spans = Sequence[tuple[str, int, int]]
"""Sessions, with a first and a last place of each, which is included."""


class Talk(NamedTuple):
    """A session, or another entry that stands for itself."""

    number: int
    session: str
    kind: Kind
    entries: int
    speakers: Sequence[str]
    steps: Sequence[int]  # places of calls of tools and the like


class Visible(NamedTuple):
    """A repository that this role may see."""

    number: int
    name: str
    version: int  # of its last change
    entries: int
    tokens: int  # words of all of them


class Pushed(NamedTuple):
    """What a push changed."""

    added: int
    gone: int
    refused: tuple[str, ...]  # sessions that were forgotten, and so are not taken again


class Clock:
    """Counts the time that a server lets its client wait, and no other."""

    def __init__(self, seconds: float) -> None:
        """Allow ``seconds``."""
        self._left = seconds
        self._since: float | None = None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what is done within."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._left, self._since = self.left(), None

    def left(self) -> float:
        """Return the seconds that are left; below 0 where there are none."""
        since = self._since
        return self._left - (0.0 if since is None else time.monotonic() - since)


def is_local(parameters: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Return whether all hosts of an address are this machine."""
    if parameters.get("service") or environ.get("PGSERVICE"):
        return False  # a file names them
    keys = ("host", "hostaddr")
    named = (parameters.get(key) or environ.get(f"PG{key.upper()}", "") for key in keys)
    return all(host in _LOCAL or host[0] == "/" for hosts in named for host in hosts.split(","))


class Server:
    """A connection; a context manager. All its methods raise ServiceError."""

    def __init__(
        self, address: str, environ: Mapping[str, str], clock: Clock | None = None
    ) -> None:
        """Connect to ``address``; ``clock`` counts how long the server lets its client wait.

        Raises UsageError for an address that cannot be one, or that does not say who answers.
        """
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as error:
            raise ServiceError(
                "a team's memory needs psycopg, which is not installed", install("share")
            ) from error
        try:
            parameters = conninfo_to_dict(address)
        except psycopg.Error:
            raise UsageError(
                "the address of the team's server cannot be read", "such as postgresql://host/name"
            ) from None  # which may hold a password
        if not is_local(parameters, environ):
            mode = parameters.setdefault("sslmode", "verify-full")
            if mode != "verify-full":
                raise UsageError(
                    f"the team's server: sslmode={mode} does not show who answers",
                    "leave it out: other machines have to prove their name (verify-full)",
                )
        limited = f"-c statement_timeout={max(1, int(clock.left() * 1000))}" if clock else ""
        given = f"{parameters.pop('options', None) or ''} {_PATH} {limited}".strip()
        usual: dict[str, Any] = {
            "connect_timeout": 2 if clock else int(SECONDS),  # the least that libpq knows
            "application_name": "ctx",
            "keepalives_idle": HANGING // 2, "keepalives_interval": HANGING // 6,
            "keepalives_count": 3, "tcp_user_timeout": HANGING * 1000,
        }  # fmt: skip
        self._clock = clock or Clock(SECONDS)
        with explained(), self._clock.waiting():
            # Statements are not prepared: a pool between may give each call another backend.
            self._connection: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(
                autocommit=True, prepare_threshold=None, **{**usual, **parameters, "options": given}
            )
        if (version := self._connection.info.server_version) < OLDEST:
            self._connection.close()
            raise ServiceError(
                f"the team's server: is PostgreSQL {version // 10_000}", "15 or later is needed"
            )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the connection."""
        with suppress(Exception):  # it may be gone
            self._connection.close()

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of ``query``, which is one of ours."""
        with explained(), self._clock.waiting():
            # A text of several statements has no values, and cannot have binary results.
            binary = bool(values)
            cursor = self._connection.execute(query.encode(), values or None, binary=binary)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def _transaction(self, role: str = "") -> Iterator[None]:
        with explained(), self._connection.transaction():
            if role:
                self.ask(f"SET LOCAL ROLE {role}")
            yield

    # --- who asks, and what there is ------------------------------------------------------

    def identity(self) -> tuple[str, str]:
        """Return the id of the server's database, and the name of this role on it.

        Raises ServiceError where the schema is not one that this version knows.
        """
        rows = self.ask(
            "SELECT id::text, session_user::text, (SELECT max(number) FROM ctx.migrations) "
            "FROM ctx.server"
        )
        known = rows[0][2] or 0
        if known > MIGRATIONS:
            raise ServiceError(
                f"the team's server: has schema {known}, and this ctx knows {MIGRATIONS}",
                "update ctx",
            )
        if known < NEEDED:
            raise ServiceError(f"the team's server: has schema {known}, {NEEDED} is needed", INIT)
        return rows[0][0], rows[0][1]

    def visible(self, names: Sequence[str] | None = None) -> list[Visible]:
        """Return the repositories that this role may see, or those of ``names``."""
        asked = None if names is None else [*names]
        rows = self.ask("SELECT * FROM ctx.visible(%s) ORDER BY name", asked)
        return [Visible(*row) for row in rows]

    # --- what a search asks -----------------------------------------------------------------

    def holders(self, names: Sequence[str], words: Sequence[str]) -> dict[str, dict[str, Held]]:
        """Return by repository and word what holds it; words that nothing holds are missing."""
        found: dict[str, dict[str, Held]] = {name: {} for name in names}
        query, most = "SELECT * FROM ctx.holders(%s, %s, %s)", MOST // max(1, len(names))
        for name, word, held, hits in self.ask(query, [*names], [*words], most):
            found[name][word] = Held(held, hits)
        return found

    def begun(self, names: Sequence[str], beginnings: Sequence[str]) -> dict[str, list[str]]:
        """Return by repository the words that begin so, stemmed and before."""
        found: dict[str, list[str]] = {name: [] for name in names}
        query = "SELECT * FROM ctx.begun(%s, %s, %s)"
        for name, word in self.ask(query, [*names], [*beginnings], WORDS) if beginnings else ():
            found[name].append(word)
        return found

    def phrase(
        self, name: str, phrase: str, places: Sequence[tuple[str, int]]
    ) -> list[tuple[Any, ...]]:
        """Return session, place, how often, words and dates of what holds a phrase."""
        columns = ([*column] for column in zip(*places, strict=True))
        return self.ask("SELECT * FROM ctx.phrase(%s, %s, %s, %s)", name, phrase, *columns)

    def parts(self, names: Sequence[str]) -> dict[str, list[Talk]]:
        """Return by repository its sessions, in order."""
        found: dict[str, list[Talk]] = {}
        for name, *talk in self.ask("SELECT * FROM ctx.parts(%s)", [*names]):
            found.setdefault(name, []).append(Talk(*talk))
        return found

    def spans(self, every: Sequence[tuple[str, Spans, bool]]) -> list[list[Any]]:
        """Return what is in spans of repositories' sessions, with its texts where that is true."""
        asked = [(name, *_columns(spans), whole) for name, spans, whole in every]
        return self._each("spans", asked)

    def indexed(self) -> set[int]:
        """Return the numbers of the repositories whose words have an index of pg_textsearch."""
        rows = self.ask(
            "SELECT repository FROM ctx.visible(NULL) "
            "WHERE to_regclass('ctx.bm25_' || repository) IS NOT NULL"
        )
        return {number for (number,) in rows}

    def has_vectors(self) -> bool:
        """Return whether the server compares entries by meaning."""
        return bool(self.ask("SELECT 1 FROM ctx.migrations WHERE number = 2"))

    def near(self, names: Sequence[str], model: str, vector: Sequence[int]) -> list[list[Any]]:
        """Return by session places and cosines of all entries, or of the nearest of very many."""
        asked = f"[{','.join(map(str, vector))}]"
        return self._each("near", [(name, model, asked, EXACT, NEAREST) for name in names])

    def vectors(self, model: str, every: Sequence[tuple[str, Spans]]) -> list[list[Any]]:
        """Return the vectors in spans of repositories' sessions, as pgvector sends them."""
        return self._each("vectors", [(name, model, *_columns(spans)) for name, spans in every])

    def _each(self, function: str, every: Sequence[tuple[object, ...]]) -> list[list[Any]]:
        """Return what a function gives for each of several questions, asked in one statement."""
        found: list[list[Any]] = [[] for _ in every]
        if every:
            call = f"ctx.{function}({', '.join(['%s'] * len(every[0]))})"
            calls = (f"SELECT {n}, f.* FROM {call} f" for n in range(len(every)))  # noqa: S608
            query = " UNION ALL ".join(calls)
            for number, *row in self.ask(query, *chain.from_iterable(every)):
                found[number].append(tuple(row))
        return found

    # --- administration -------------------------------------------------------------------

    def init(self) -> list[int]:
        """Make schema and roles, or bring them up to date; return the migrations that were run."""
        path = os.path.join(os.path.dirname(__file__), "schema.sql")
        with open(path, encoding="utf-8") as file:
            schema = file.read()
        done = []
        with self._transaction():
            for role in ("ctx_owner", "ctx_member"):
                if not self.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", role):
                    self.ask(f"CREATE ROLE {role} NOLOGIN")
            if not self.ask("SELECT 1 FROM pg_roles WHERE rolname = current_user AND rolsuper"):
                self.ask("GRANT ctx_owner TO current_user")
            self.ask("CREATE SCHEMA IF NOT EXISTS ctx AUTHORIZATION ctx_owner")
            self._check_owner()
            schemas = {name: self._schema_of(name) for name in _EXTENSIONS}
            self.ask("SET LOCAL ROLE ctx_owner")
            self.ask(
                "CREATE TABLE IF NOT EXISTS ctx.migrations "
                "(number int PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())"
            )
            # Another init waits here, and nobody else can make it wait.
            self.ask("LOCK TABLE ctx.migrations IN SHARE ROW EXCLUSIVE MODE")
            applied = {number for (number,) in self.ask("SELECT number FROM ctx.migrations")}
            for place, value in {**schemas, "exact": EXACT, "indexed": INDEXED}.items():
                schema = schema.replace(f"@{place}@", str(value))
            for part in schema.split("\n-- part ")[1:]:
                title, statements = part.split("\n", 1)
                name, _, needs = title.partition(" ")
                number = int(name) if name.isdigit() else 0
                if number in applied or (needs and not schemas[needs]):
                    continue
                self.ask(statements)
                if number:
                    self.ask("INSERT INTO ctx.migrations VALUES (%s)", number)
                    done.append(number)
            self.ask("RESET ROLE")
            self._close()
        return done

    def _check_owner(self) -> None:
        """Raise ServiceError where somebody made the schema before, who could change all of it."""
        query = "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'ctx'"
        if (owner := self.ask(query)[0][0]) != "ctx_owner":
            raise ServiceError(
                f"the team's server: its schema `ctx` belongs to {owner}",
                "use another database, or drop that schema",
            )

    def _close(self) -> None:
        """Let members make nothing of their own in a database that is for this alone."""
        for (database,) in self.ask(_ALONE):
            self.ask(f"REVOKE TEMP, CREATE ON DATABASE {database} FROM PUBLIC, ctx_member")
            if self.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'public'"):
                self.ask("REVOKE CREATE ON SCHEMA public FROM PUBLIC, ctx_member")

    def _schema_of(self, extension: str) -> str:
        """Return where an extension is, installed where that is possible; empty without it."""
        with suppress(ServiceError), self._transaction():
            self.ask(f"CREATE EXTENSION IF NOT EXISTS {extension} SCHEMA public")
        rows = self.ask(_SCHEMA_OF.format(_EXTENSIONS[extension]), extension)
        return str(rows[0][0]) if rows else ""

    def grant(self, who: str, repository: str, *, writes: bool) -> bool:
        """Let ``who`` see a repository, and write to it; return whether the role was made."""
        from psycopg import sql

        with self._transaction():
            made = not self.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", who)
            role = sql.Identifier(who).as_string()
            if made:
                self.ask(f"CREATE ROLE {role} LOGIN")
            self.ask(f"GRANT ctx_member TO {role}")
            self.ask("SET LOCAL ROLE ctx_owner")
            self.ask(
                "INSERT INTO ctx.grants VALUES (ctx.repository(%s), %s, %s) "
                "ON CONFLICT (repository, who) DO UPDATE SET writes = excluded.writes",
                repository, who, writes,
            )  # fmt: skip
        return made

    def revoke(self, who: str, repository: str) -> bool:
        """Take a grant back; return whether there was one."""
        with self._transaction("ctx_owner"):
            taken = self.ask(
                "DELETE FROM ctx.grants g USING ctx.repositories r "
                "WHERE g.repository = r.repository AND g.who = %s AND r.name = %s RETURNING 1",
                who, repository,
            )  # fmt: skip
        return bool(taken)

    def grants(self) -> list[tuple[Any, ...]]:
        """Return repository, role and whether it may write, of all grants that are visible."""
        return self.ask("SELECT * FROM ctx.granted()")

    def forget_repository(self, name: str) -> int | None:
        """Drop a repository with all that it holds; return how many entries, None without it."""
        with self._transaction("ctx_owner"):
            rows = self.ask("DELETE FROM ctx.repositories WHERE name = %s RETURNING *", name)
            for number, *_ in rows:
                self.ask(f"DROP TABLE ctx.entries_{int(number)}")
                self.ask("DELETE FROM ctx.sessions WHERE repository = %s", number)
                self.ask("DELETE FROM ctx.words WHERE repository = %s", number)
                self.ask("DELETE FROM ctx.forms WHERE repository = %s", number)
                self.ask("DELETE FROM ctx.history WHERE repository = %s", number)
        return int(rows[0][3]) if rows else None

    def forget(
        self, column: str, values: Sequence[str], repositories: Sequence[str] | None = None
    ) -> int | None:
        """Erase a ``session`` or all of an ``author`` in ``repositories``, in all without them.

        Returns how many entries were erased, None where there is nothing of these ``values``;
        they are not taken again. What this role may not change stays: what others wrote, unless it
        is an administrator's, and repositories to which it may not write.
        """
        erased = sessions = 0
        names = repositories or [each.name for each in self.visible()]
        with self._transaction():
            for name in sorted(names):
                query = "SELECT * FROM ctx.forget(%s, %s, %s)"
                found = self.ask(query, name, column == "author", [*values])[0]
                if None not in found:
                    erased, sessions = erased + found[0], sessions + found[1]
                elif repositories:
                    raise _refusal(name)
        return erased if erased or sessions else None

    # --- push and pull --------------------------------------------------------------------

    def push(self, repository: str, every: Sequence[Shared], embedder: str = "") -> Pushed:
        """Make the sessions of ``every`` what they are here, in one statement.

        Entries that are there already stay as they are. Raises ServiceError where this role may not
        write, or where one of the sessions is somebody else's.
        """
        sent = json.dumps([*map(_session, every)])
        added, gone, refused = self.ask(
            "SELECT * FROM ctx.push(%s, %s, %s)", repository, embedder, sent
        )[0]
        if refused is None:
            raise _refusal(repository)
        return Pushed(added, gone, tuple(sorted(refused)))

    def changed(self, repository: str, since: int) -> list[tuple[Any, ...]]:
        """Return session, kind, version and number of entries of what has changed since."""
        return self.ask("SELECT * FROM ctx.changed(%s, %s)", repository, since)

    def sessions(self, repository: str, names: Sequence[str]) -> list[Stored]:
        """Return all entries of the sessions ``names``, in order."""
        (rows,) = self.spans([(repository, [(name, 0, 2**31 - 1) for name in names], True)])
        stored = (
            Stored(session, place, day, anchor, speaker, author, title, text)
            for session, place, day, _, anchor, speaker, _, _, author, title, text in rows
        )
        return sorted(stored, key=lambda each: each[:2])


def _columns(spans: Spans) -> list[list[object]]:
    return [[span[n] for span in spans] for n in range(3)]


def _refusal(repository: str) -> ServiceError:
    return ServiceError(
        f"the team's server: you may not write to {repository!r}, or there is none",
        "`ctx share grant` gives it",
    )


def _session(shared: Shared) -> dict[str, object]:
    return {
        "session": shared.session, "kind": shared.kind, "forms": sorted(set(shared.forms)),
        "speakers": sorted({row.speaker for row in shared.rows} - {""}),
        "steps": [place for place, row in enumerate(shared.rows) if row.is_step],
        "rows": [
            {
                "day": row.day, "anchor": row.anchor, "speaker": row.speaker, "title": row.title,
                "text": row.text, "stems": row.stems, "anchors": row.anchors,
                "vector": f"[{','.join(map(str, row.vector))}]" if any(row.vector) else None,
            }
            for row in shared.rows
        ],
    }  # fmt: skip
