"""What the commands of ``ctx session`` share."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.app.sessions import foreign, state_of
from ctx.errors import OK, FileError
from ctx.read import lineage
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.streams import complain
from ctx.text.names import shown
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx.app.options import PacketOptions
    from ctx.model import Summary


def locate(options: PacketOptions) -> tuple[World, str, str]:
    """Return the world, the context directory, and the folder that its sessions lie below."""
    world = World()
    root = find(options.dir or "", world)
    return world, root, state_of(root, world)


@contextmanager
def readable(state: str) -> Iterator[None]:
    """Raise FileError for what of the sessions in ``state`` cannot be read."""
    try:
        yield
    except RefusedError as error:
        raise FileError(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error


def each(names: Sequence[str], do: Callable[[str], None]) -> int:
    """Call ``do`` with each session; name those that fail; return the exit code."""
    code = OK
    for name in names:
        try:
            do(name)
        except (FileError, RefusedError) as error:
            complain(str(error))
            code = FileError.exit_code
        except BrokenPipeError:
            raise
        except OSError as error:
            complain(f"{FOLDER}/{shown(name)}: cannot be read: {error.strerror}")
            code = FileError.exit_code
    return code


def complain_of_none(root: str) -> None:
    """Complain that no session is stored, and of what lies in the repository instead."""
    complain("no sessions are stored here (`ctx session import FILE` stores one)")
    if line := foreign(root):
        complain(line)


def complain_of_stale(state: str, name: str) -> None:
    """Complain of summaries whose turns were edited since; raises as ``lineage.stale`` does."""
    changed = lineage.stale(state, name)
    if changed:
        many = "summary stands" if changed == 1 else "summaries stand"
        complain(
            f"{lineage.FOLDER}/{shown(name)}: {changed:,} {many} for turns that were edited since "
            "(delete this file, and `ctx session compact` makes it anew)"
        )


class Tally:
    """Counts summaries."""

    def __init__(self) -> None:
        self.levels: Counter[int] = Counter()  # summaries, by level
        self.summarised = 0  # turns that they cover
        self.turn_tokens = 0  # tokens of these turns
        self.summary_tokens = 0  # tokens of the summaries of level 1
        self.confidences = 0.0  # the sum of all summaries

    def count(self, summary: Summary) -> None:
        """Count one more."""
        self.levels[summary.level] += 1
        self.confidences += summary.confidence
        if summary.level == 1:
            self.summarised += summary.turns
            self.turn_tokens += summary.covered
            self.summary_tokens += summary.tokens

    @property
    def ratio(self) -> float | None:
        """Tokens of the covered turns over those of their summaries; None without any."""
        return round(self.turn_tokens / self.summary_tokens, 2) if self.summary_tokens else None

    @property
    def confidence(self) -> float | None:
        """The mean of all summaries; None without any."""
        return round(self.confidences / self.levels.total(), 3) if self.levels else None
