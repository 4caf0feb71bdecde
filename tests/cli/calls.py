"""Calls of ``ctx`` from a folder, in this process, that end as a process does."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess

from tests.rank.hands import call


def ctx(
    cwd: Path,
    *arguments: str | Path,
    stdin: bytes = b"",
    code: int = 0,
    environ: Mapping[str, str] | None = None,
) -> CompletedProcess[bytes]:
    """Run ``ctx`` in ``cwd``, which is the home, too; it has to end with ``code``."""
    with chdir(cwd):
        done = call(*map(str, arguments), stdin=stdin, environ=environ, home=str(cwd))
    assert done.code == code, done.err
    return CompletedProcess([], done.code, done.out, done.err.encode())
