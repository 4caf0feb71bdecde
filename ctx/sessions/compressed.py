"""Transcripts that hosts compress once they are old: files whose names end in ``.zst``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from shutil import which
from subprocess import DEVNULL, PIPE, Popen
from typing import BinaryIO, cast

ENDING = ".zst"
HINT = "install zstd, or the Python package zstandard"
_MODULES = ("compression.zstd", "zstandard")


class MissingError(OSError):
    """Nothing here can decompress the file."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a transcript for reading, decompressed; raises OSError, and MissingError of these."""
    if not path.endswith(ENDING):
        with open(path, "rb") as file:
            yield file
        return
    for name in _MODULES:
        with suppress(ImportError):
            with import_module(name).open(path, "rb") as stream:
                yield stream
            return
    program = which("zstd")
    if program is None:
        raise MissingError(f"it is compressed: {HINT}")
    # What the program cannot read is cut off, as a transcript may be.
    with (
        open(path, "rb") as file,
        Popen([program, "-dcq"], stdin=file, stdout=PIPE, stderr=DEVNULL) as process,  # noqa: S603
    ):
        try:
            yield cast("BinaryIO", process.stdout)
        finally:
            process.kill()


def stem(path: str) -> str:
    """Return the name of a transcript without its endings."""
    return os.path.splitext(os.path.basename(path).removesuffix(ENDING))[0]
