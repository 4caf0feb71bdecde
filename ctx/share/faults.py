"""What to say where the server of a team's memory fails: one line, with what to try."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ctx.errors import ServiceError

LONGEST = 300  # characters of a server's message that are shown
INIT = "`ctx share init` makes it, or brings it up to date"
_HINTS = (
    (r"password authentication failed|no password supplied", "~/.pgpass holds the password"),
    (r'database "[^"]*" does not exist',
     "the address ends in the database's name; `createdb` makes it"),
    (r'role "[^"]*" does not exist', "`ctx share grant` makes it"),
    (r"no pg_hba\.conf entry", "an administrator lets you in: docs/team.md, section 2"),
    (r"does not support SSL", "an administrator gives it a certificate: docs/team.md, section 2"),
    (r"root certificate file", "it holds the certificate of the server's authority"),
    (r"does not match host name", "the address names the host as its certificate does"),
    (r"verify failed",
     "root.crt is another authority's, the certificate has expired or the clock is wrong"),
    (r"connection to server |resolve host|translate host name",
     "does it run, and is the address right? run it again later"),
)  # fmt: skip
"""What to try, by what the message of a connection that failed holds: libpq gives no codes."""


@contextmanager
def explained() -> Iterator[None]:
    """Raise ServiceError, of one line, for what psycopg raises."""
    import psycopg
    from psycopg import errors

    try:
        yield
    except psycopg.ProgrammingError as error:
        if isinstance(error, errors.InsufficientPrivilege):
            hint = "`ctx share grant` gives it"
        elif isinstance(
            error, errors.UndefinedTable | errors.UndefinedFunction | errors.InvalidSchemaName
        ):
            hint = INIT
        else:
            hint = "see docs/team.md"
        raise ServiceError(f"the team's server: {_line(error)}", hint) from error
    except psycopg.Error as error:
        took_long = isinstance(error, errors.QueryCanceled)
        message = "took too long" if took_long else _line(error)
        raise ServiceError(f"the team's server: {message}", _hint(message)) from error


def _hint(message: str) -> str:
    otherwise = "what was done until then is kept; run it again later"
    return next((hint for reason, hint in _HINTS if re.search(reason, message)), otherwise)


def _line(error: Exception) -> str:
    """Return the message of an error on one line, as it may be shown."""
    text = " ".join(str(error).split()).removeprefix("connection failed: ")
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
