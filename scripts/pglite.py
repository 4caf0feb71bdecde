"""Check a team's memory with an index of BM25, on PGlite: PostgreSQL with pg_textsearch, from npm.

Nothing of it is kept. Without npm it says so and ends with 0. ``python3 scripts/dev.py pglite``
calls this, ``benchmarks/share.py --pglite`` measures there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.share.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.share.server import Clock

ROOT = Path(__file__).parent.parent
TESTS = "tests/share/test_pglite.py"
ADDRESS = "CTX_TEST_PGLITE"
"""The variable that tells the tests where it runs."""
VERSIONS = {
    "@electric-sql/pglite": "0.5.14",
    "@electric-sql/pglite-pg_textsearch": "0.0.16",
    "@electric-sql/pglite-pgvector": "0.0.15",
    "@electric-sql/pglite-socket": "0.2.17",
}
PROGRAM = """
import { PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

const db = await PGlite.create({ extensions: { pg_textsearch, vector } })
await new PGLiteSocketServer({ db, path: process.argv[2], maxConnections: 8 }).start()
console.log('ready')
"""


class Lite(Server):
    """A connection to it. All share one session, so each begins with the role that it is for."""

    def __init__(
        self,
        address: str,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        role: str = "postgres",
    ) -> None:
        """Connect as ``role``: it does not look at the one in the address."""
        super().__init__(address, environ, clock)
        self.ask(f'SET SESSION AUTHORIZATION "{role}"')


def is_missing() -> bool:
    """Tell, and say, whether npm is not there."""
    if shutil.which("npm") and shutil.which("node"):
        return False
    print("PGlite is not asked: npm is not installed")
    return True


@contextmanager
def running() -> Iterator[str]:
    """Run it, and give its address; raise OSError where npm installs nothing."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "package.json").write_text(json.dumps({"dependencies": VERSIONS}))
        (place / "server.mjs").write_text(PROGRAM)
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        if subprocess.run(install, cwd=folder, check=False).returncode:
            raise OSError("npm could not install PGlite")
        command = ["node", "server.mjs", str(place / ".s.PGSQL.5432")]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise OSError("PGlite does not start")
            try:
                yield f"postgresql://postgres@/postgres?host={folder}"
            finally:
                process.terminate()


def main() -> int:
    """Start it, and run the tests that need it."""
    if is_missing():
        return 0
    with running() as address:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", TESTS]
        environ = {**os.environ, ADDRESS: address}
        return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
