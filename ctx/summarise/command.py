"""A program of the user's that reads a prompt and writes a summary.

It is started for each summary, without a shell. Of what it says about its failures the last
line is repeated, unless there are texts in it, and without what may be a key.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ctx.model import SummaryError
from ctx.net.deadline import Deadline
from ctx.summarise import process
from ctx.summarise.drafts import draft
from ctx.summarise.spec import CLIENT, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.model import Draft, Prompt

_SHOWN = 200
"""Characters of the errors' last line that are said."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
"""Names of variables whose values are not said."""
_SHORTEST_SECRET = 8
"""Characters; what is shorter stands in messages by chance."""
_QUOTED = 24
"""Characters in a row that errors and texts share only where errors quote them."""
_SIGNS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""Colours, and moves of a terminal's cursor."""


class Command:
    """A ``Writer`` that runs a program, with a time limit for each call."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], seconds: float) -> None:
        """Run ``argv`` in ``environ``; ``seconds``, over 0, limits a call of ask."""
        # Without the arguments: there may be keys among them.
        self.name = f"command:{os.path.basename(argv[0])}"
        self._argv = argv
        self._environ = environ
        self._seconds = seconds

    def ask(self, prompt: Prompt) -> Draft:
        """Return what the program writes, given instructions, a blank line and the material.

        Raises SummaryError.
        """
        asked = f"{prompt.instructions}\n\n{prompt.material}\n".encode("utf-8", "replace")
        deadline = Deadline(self.name, self._seconds, CLIENT)
        ended = process.run(self._argv, self._environ, asked, self.name, deadline)
        if not ended.code:
            return draft(ended.out.decode("utf-8", "replace"), self.name)
        how = f"with code {ended.code}" if ended.code > 0 else f"by signal {-ended.code}"
        said = _last_line(ended.errors.decode("utf-8", "replace"))
        why = "run it by hand to see why"
        if said and not _quotes(said, prompt.material):
            why = self._masked(said)
        raise SummaryError(f"{self.name}: ended {how}: {why}")

    def _masked(self, said: str) -> str:
        """Return ``said`` without what may be a key, and no longer than is shown."""
        for secret in self._secrets():
            said = said.replace(secret, "…")
        return said if len(said) <= _SHOWN else f"{said[: _SHOWN - 1]}…"

    def _secrets(self) -> list[str]:
        """Return what may be a key, the longest first: arguments, and values of variables."""
        found = {value for name, value in self._environ.items() if _SECRET.search(name.upper())}
        for argument in self._argv[1:]:
            found |= {argument, argument.partition("=")[2]}
        return sorted((one for one in found if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)


def load(argument: str, environ: Mapping[str, str], seconds: float) -> Command:
    """Return the writer of ``command:argument``; UsageError, SummaryError for no such program."""
    from shutil import which

    argv = words(argument, environ)
    # Not from where it is called: a repository must not bring the program.
    places = filter(os.path.isabs, environ.get("PATH", os.defpath).split(os.pathsep))
    found = which(argv[0], path=os.pathsep.join(places))
    if found is None or not os.path.isabs(found):
        name = os.path.basename(argv[0])
        raise SummaryError(
            f"command:{name}: there is no such program: install it, or write its whole path"
        )
    return Command([found, *argv[1:]], environ, seconds)


def _last_line(errors: str) -> str:
    """Return the last line that says something, without signs that move a terminal."""
    lines = ("".join(filter(str.isprintable, _SIGNS.sub("", line))) for line in errors.splitlines())
    return next((line.strip() for line in reversed(list(lines)) if line.strip()), "")


def _quotes(said: str, material: str) -> bool:
    """Return whether ``said`` repeats a part of the texts."""
    size = min(_QUOTED, len(material.strip()))
    starts = range(len(said) - size + 1) if size else ()
    return any(said[start : start + size] in material for start in starts)
