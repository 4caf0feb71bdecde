"""The page about a team's memory leads from nothing to a colleague's answer: its walk is run.

On the PostgreSQL of the tests and on the system's, with a socket in the place of the server's name;
``sudo`` only says who asks, and ``gh`` is a code host of three lines.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctx.share.server import Server
from tests.forked import Ran
from tests.share.servers import Cluster, cluster, debian
from tests.test_transcripts import Place, at_once, prepare

__all__ = ["cluster", "debian"]
PAGE = Path(__file__).resolve().parent.parent / "docs" / "team.md"
SUDO = """#!/bin/sh
[ "$1" = -u ] || exit 0
export PGUSER="$2"
shift 2
exec "$@"
"""
GH = """#!/bin/sh
case "$3" in
orgs/*) printf 'acme/shop\\nacme/payments\\n' ;;
*/acme/shop/*) printf 'alice acme/shop true\\ncarol acme/shop false\\n' ;;
*) printf 'carol acme/payments true\\n' ;;
esac
"""
ANSWER = "logged out when they open a second tab"

pytestmark = pytest.mark.skipif(
    os.name != "posix" or shutil.which("bash") is None, reason="needs bash"
)


def commands(heading: str, language: str = "console") -> list[str]:
    """Return the commands below the heading that has ``heading`` in it; a script is one."""
    sections = PAGE.read_text("utf-8").split("\n## ")
    section = next(text for text in sections if heading in text.partition("\n")[0])
    bodies = re.findall(rf"```{language}\n(.*?)\n```", section, re.DOTALL)
    assert bodies
    if language != "console":
        return bodies
    return [line.removeprefix("$ ") for body in bodies for line in body.split("\n")]


def desk(base: Path, who: str, environ: dict[str, str]) -> Place:
    """Return a clone of acme/shop, and what somebody has at hand there."""
    place = prepare(base, "empty")
    git = place.cwd / ".git"
    (git / "config").write_text('[remote "origin"]\n\turl = git@code.example.org:acme/shop.git\n')
    shutil.copy(base / "webshop" / "fix-login.jsonl", place.cwd)
    for name, script in (("sudo", SUDO), ("gh", GH)):
        (base / "bin" / name).write_text(script)
        (base / "bin" / name).chmod(0o755)
    path = f"{base / 'bin'}{os.pathsep}{environ['PATH']}"
    own = {"PATH": path, "PGUSER": who, "USER": who}
    return place._replace(environ=place.environ | environ | own)


def one(text: str, place: Place) -> str:
    """Return what a command or a script prints; it has to end well."""
    ran = at_once(text, place)
    if ran is None:
        done = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", text],
            cwd=place.cwd, env=place.environ, check=False, stdin=subprocess.DEVNULL,
            capture_output=True,
        )  # fmt: skip
        ran = Ran(done.stdout, done.stderr.decode(), done.returncode)
    assert ran.code == 0, f"{text}: {ran.err}"
    return ran.out.decode()


@pytest.fixture(params=["cluster", "debian"])
def walk(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., str]:
    """Return what runs a text as a person at a desk of their own, and returns what it prints."""
    cluster: Cluster = request.getfixturevalue(request.param)
    with Server(cluster.address("postgres", "postgres"), {}) as admin:
        place_of_sockets = admin.ask("SELECT current_setting('unix_socket_directories')")[0][0]
        port = admin.ask("SELECT current_setting('port')")[0][0]
        # Those of the server's version: others refuse to make a backup.
        programs = admin.ask("SELECT setting FROM pg_config WHERE name = 'BINDIR'")[0][0]
        for name in ("memory", "restored"):
            admin.ask(f"DROP DATABASE IF EXISTS {name}")
        admin.ask("DROP ROLE IF EXISTS keeper")
    desks: dict[str, Place] = {}
    environ = {
        "PGHOST": place_of_sockets, "PGPORT": port, "CTX_SHARE_MS": "600000",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip

    def run(who: str, *texts: str) -> str:
        if who not in desks:
            desks[who] = desk(tmp_path / who, who, environ)
        return "".join(one(text.replace("@db.example.org/", "@/"), desks[who]) for text in texts)

    return run


def test_the_walk_leads_from_nothing_to_an_answer(walk: Callable[..., str]) -> None:
    assert "acme/shop: 0 entries; alice, auditors (read), bob" in walk(
        "keeper", *commands("makes the server")
    )
    sent = walk("alice", *commands("Alice shares"))
    assert re.search(r"acme/shop: would send (\d+ entries).*\nacme/shop: sent \1", sent)
    before, pulled, after = walk("bob", *commands("first answer")).partition("pulled")
    assert ANSWER in before  # the server's, and then his own
    assert ANSWER in after
    assert pulled

    kept = walk("keeper", *commands("keeps it"))
    assert re.findall(r"forgot (\d+)", kept) == ["6", "1", "0"]
    count = "SELECT count(*) FROM ctx.entries WHERE gone = ''"
    counted = [walk("keeper", f"psql -At {name} -c {count!r}") for name in ("memory", "restored")]
    assert [int(text) for text in counted] == [0, 7]
    assert ANSWER not in walk("bob", "ctx sync pull", "ctx search 'customers logged out'")


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_grants_follow_the_code_host(walk: Callable[..., str]) -> None:
    walk("keeper", *commands("makes the server"))
    (script,) = commands("follow the code host", "sh")
    walk("keeper", f"echo 'ci acme/shop true' > always\n{script}")
    expected = [
        ["acme/payments", "carol", True], ["acme/shop", "alice", True],
        ["acme/shop", "carol", False], ["acme/shop", "ci", True],
    ]  # fmt: skip
    assert granted(walk) == expected
    with pytest.raises(AssertionError):  # the host does not answer: nothing is taken away
        walk("keeper", f"gh() {{ false; }}\n{script}")
    assert granted(walk) == expected


def granted(walk: Callable[..., str]) -> list[list[Any]]:
    """Return repository, role and whether it writes, of all grants."""
    grants = json.loads(walk("keeper", "ctx share status --json"))["grants"]
    return [[each["repository"], each["role"], each["writes"]] for each in grants]
