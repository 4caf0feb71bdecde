"""Starting ``ctx mcp``: what it needs, and what it loads."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ctx.errors import UsageError
from ctx.mcp.serve import run
from tests.hostile import HANGS, REPOSITORY, environment
from tests.mcp.talking import INITIALIZE, Line, call

if TYPE_CHECKING:
    from pathlib import Path


def test_a_port_that_cannot_be_meant() -> None:
    for http, port, why in (
        (False, "8321", r"PORT: is for --http \(ctx mcp --http 8321\)"),
        (True, "x", "PORT: 'x' is not a whole number"),
        (True, "-1", "PORT: "),
        (True, "65536", "PORT: 65536 is over 65535"),
    ):
        with pytest.raises(UsageError, match=why):
            run("", http=http, port=port)


def _without(tmp_path: Path, *names: str) -> dict[str, str]:
    """Return an environment in which packages cannot be imported, as where they are missing."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nfor name in {names!r}:\n    sys.modules[name] = None\n"
    )
    return environment(PYTHONPATH=f"{tmp_path}:{REPOSITORY}")


@pytest.mark.skipif(sys.platform == "win32", reason="the path above")
def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ctx", "mcp", "--http"],
        cwd=tmp_path, env=_without(tmp_path, "mcp", "mcp_types"), stdin=subprocess.DEVNULL,
        capture_output=True, check=False, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"ctx: the MCP SDK is not installed")
    assert done.stderr.endswith(b"(in a clone of ctx: pip install '.[mcp]')\n")
    assert done.stderr.count(b"\n") == 1


OF_PACKETS = (
    "ctx.app.walk",
    "ctx.read",
    "ctx.rank",
    "ctx.fit",
    "ctx.render",
    "ctx.store",
    "sqlite3",
)


def test_a_handshake_loads_nothing_that_makes_packets(shop: Path) -> None:
    pytest.importorskip("mcp")
    watched = shop / "watched"
    watched.mkdir()
    listed = shop / "modules.txt"
    (watched / "sitecustomize.py").write_text(
        "import atexit, sys\n"
        f"atexit.register(lambda: open({str(listed)!r}, 'w').write(' '.join(sys.modules)))\n"
    )
    path = f"{watched}:{REPOSITORY}"
    with Line(shop, path) as line:
        assert "result" in line.greet().ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert line.end()[0] == 0
    loaded = set(listed.read_text().split())
    assert "mcp" in loaded
    assert not loaded & {*OF_PACKETS, "numpy", "rich", "rapidfuzz", "yaml"}
    with Line(shop, path) as line:
        assert line.ask(INITIALIZE)["id"] == "hello"
        assert "result" in line.ask(call("packet", 2))
        assert line.end()[0] == 0
    assert {"ctx.app.walk", "sqlite3"} <= set(listed.read_text().split())
