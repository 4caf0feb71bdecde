"""Every error that a user can meet, and the exit code that it ends in.

A message is one line: what went wrong and where; the hint is what to try next. Values to choose
from follow in lines of their own.
"""

from __future__ import annotations

OK = 0
"""Success."""
FINDINGS = 1
"""``ctx check`` found something; ``ctx export --check``: a file is not up to date."""
USAGE = 2
"""The call or the settings are wrong."""
BUG = 3
"""ctx itself is wrong; the message contains what to report."""
NO_DIRECTORY = 4
"""There is no context directory here."""
DEGRADED = 5
"""``--strict``, and the rules are over their limits or a session's last turns do not fit."""
UNREADABLE = 6
"""A file cannot be read or written."""
SERVICE = 7
"""An outside service cannot be used, or failed: an embedder, a summariser, the team's server."""
INTERRUPTED = 130
"""Stopped from the keyboard."""


def install(extra: str) -> str:
    """Return what to type for the libraries of ``extra``, as the README has it.

    Not by the package's name: until that is reserved on an index it may be somebody else's.
    """
    return f"in a clone of ctx: pip install '.[{extra}]'"


class CtxError(Exception):
    """Base of all errors that ctx explains to its user."""

    exit_code = USAGE

    def __init__(self, message: str, hint: str = "", details: tuple[str, ...] = ()) -> None:
        """Take what went wrong and where, what to try, and the values to choose from."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details

    @property
    def line(self) -> str:
        """Message and hint as one line."""
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __str__(self) -> str:
        """Return message and hint as one line, and below it the values to choose from."""
        return "\n  ".join((self.line, *self.details))


class UsageError(CtxError):
    """An option or argument that cannot be taken."""


class SettingsError(CtxError):
    """A settings file or variable that cannot be taken."""


class NoDirectoryError(CtxError):
    """No context directory where one was looked for."""

    exit_code = NO_DIRECTORY


class TokenizerError(CtxError):
    """A tokenizer that is unknown, not installed, or damaged."""


class ServiceError(CtxError):
    """An outside service that cannot be used, where that is what was asked for."""

    exit_code = SERVICE


class EmbedderError(ServiceError):
    """Such an embedder."""


class FileError(CtxError):
    """A file that cannot be read or written."""

    exit_code = UNREADABLE
