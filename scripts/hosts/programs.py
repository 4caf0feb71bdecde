"""Hosts from npm, each version in a folder of the user's cache."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from scripts.hosts.host import Host

PATIENCE = 600.0
"""Seconds that an install may take."""


class NotThereError(Exception):
    """A host that cannot be run here; the message says why."""


def cache() -> Path:
    """Return the folder of all hosts."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ctx-hosts"


def installed(host: Host, version: str) -> Path:
    """Return the program of a host, installed where it was not; NotThereError where it cannot be."""
    folder = cache() / f"{host.name}@{version}"
    program = folder / "node_modules" / ".bin" / host.program
    if not program.exists():
        npm = shutil.which("npm")
        if not npm or not shutil.which("node"):
            raise NotThereError("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
        command = [npm, "install", "--no-audit", "--no-fund", "--silent", f"{host.package}@{version}"]
        try:
            subprocess.run(
                command, cwd=folder, check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            shutil.rmtree(folder, ignore_errors=True)
            raise NotThereError(f"npm does not install {host.package}@{version}") from None
    if not program.exists():
        raise NotThereError(f"{host.package}@{version} has no program for this system")
    return program
