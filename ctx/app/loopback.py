"""A port of this machine, which no other machine can reach."""

import socket
import sys

from ctx.config import whole_number
from ctx.errors import UsageError

HOST = "127.0.0.1"
_PORTS = 65_535


def listening(flag: str, port: str | None) -> socket.socket:
    """Return a socket at ``port`` of this machine, any without one; UsageError names ``flag``."""
    wanted = whole_number(flag, port) if port is not None else 0
    if wanted > _PORTS:
        raise UsageError(f"{flag}: {wanted} is over {_PORTS}", "0 takes any that is free")
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would share the port with whoever has it
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, wanted))
        found.listen()
    except OSError as error:
        found.close()
        raise UsageError(
            f"port {wanted}: cannot be served: {error.strerror}",
            "name another, or 0 for a free one",
        ) from error
    return found


def names(port: int) -> list[str]:
    """Return the names of this machine with ``port``: a page could make another name lead here."""
    return [f"{name}:{port}" for name in (HOST, "localhost")]
