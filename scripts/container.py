"""Build the container without a registry of images, and use it as its document says.

    python3 scripts/container.py

Needs root on Debian with ``buildah`` and ``debootstrap``; without them it says so and ends with 0.
A Debian with Python takes the place of the image that the Dockerfile names, which only a registry
has: the steps of the Dockerfile are tried, not that image.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("buildah", "debootstrap")
BASE = "docker.io/library/python:3.13-slim"  # as the Dockerfile names it
PACKAGES = "ca-certificates,python3,python3-pip,python3-venv"
OWN = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")  # how this machine fetches packages
ENVIRON = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
PORT = 8321
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"try","version":"0"}}}'
)


def run(*command: str | Path) -> str:
    """Run ``command``; return what it prints. CalledProcessError where it fails."""
    done = subprocess.run(command, env=ENVIRON, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def base(folder: Path) -> None:
    """Make the image that takes the place of ``BASE``."""
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", folder)
    (folder / "usr" / "bin" / "python").symlink_to("python3")
    for path in filter(os.path.exists, OWN):
        shutil.copyfile(path, f"{folder}{path}")
    container = run("buildah", "from", "scratch")
    run("buildah", "copy", "--quiet", container, folder, "/")
    run("buildah", "commit", "--quiet", "--rm", container, BASE)


def answer() -> bytes:
    """Return what the MCP server says to a client; waits for it for up to 20 seconds."""
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/mcp", INITIALIZE, kinds)
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310 - ours, above
                return bytes(response.readline() + response.readline())
        except urllib.error.URLError:
            time.sleep(0.2)
    raise SystemExit("the MCP server in the container does not answer")


def main() -> int:
    """Build, then print a packet, ask who runs it, and serve MCP at a port."""
    if missing := [name for name in NEEDED if not shutil.which(name)]:
        print(f"not tried: {', '.join(missing)} not installed", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as name:
        base(Path(name) / "base")
    run("buildah", "build", "--pull=false", "--network=host", "--tag=ctx", ROOT)
    container = run("buildah", "from", "--pull=false", "localhost/ctx")
    project = f"{ROOT / 'fixtures' / 'webshop'}:/project:ro"
    inside = ("buildah", "run", "--network=host", f"--volume={project}", container, "--")
    try:
        packet = run(*inside, "ctx", "agent", "--budget", "900")
        user = run(*inside, "id", "-u")
        serve = (*inside, "ctx", "mcp", "--http", str(PORT))
        with subprocess.Popen(serve, env=ENVIRON, stderr=subprocess.DEVNULL) as server:
            try:
                served = b"serverInfo" in answer()
            finally:
                subprocess.run(("pkill", "-f", f"ctx mcp --http {PORT}"), check=False)
                server.wait(timeout=20)
    finally:
        run("buildah", "rm", container)
    if "## Constitution" not in packet or user == "0" or not served:
        raise SystemExit(f"the container fails: user {user}, MCP {served}, packet:\n{packet}")
    print(f"the container: a packet of {len(packet):,} characters, user {user}, MCP at a port")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
