"""What a host of hooks has to offer: the protocol of the modules in ``ctx.hooks.hosts``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.hooks.host import Event, Place


class Tool(Protocol):
    """A tool with hooks: a module of this folder."""

    @property
    def name(self) -> str:
        """The name that ``ctx hook`` takes."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def events(self) -> tuple[str, ...]:
        """The events that are installed, by the tool's own names, in the order of a session."""

    @property
    def most_characters(self) -> int:
        """What of an answer reaches the model whole, at most, as ``size`` counts."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its hooks can be installed, the default for a project first."""

    @property
    def needed(self) -> Mapping[str, object]:
        """Members that the settings must have beside the hooks."""

    @property
    def next_step(self) -> str:
        """What a person has to do after installing, in one line."""

    @property
    def also_run_by(self) -> tuple[str, ...]:
        """Other tools (their names) that run the hooks of these places, too."""

    def size(self, packet: str, /) -> int:
        """Return the length of ``packet`` as the tool's limit counts it."""

    def entry(self, command: str, windows: str, /) -> Mapping[str, object]:
        """Return what stands in the list of an event's hooks so that ``command`` is run.

        ``windows`` is the same for a shell that is no POSIX shell, where the tool's form
        has a member for it.
        """

    def read(self, event: str, data: Mapping[str, object], /) -> Event | None:
        """Return what ``data`` tells of ``event``, or None where ``event`` is not the tool's.

        Never raises, whatever JSON values ``data`` holds.
        """

    def answer(self, event: str, packet: str, /) -> bytes:
        """Return the bytes on standard output that put ``packet`` in front of the model.

        ``event`` is the name of an ``Event``. Nothing where no answer to it reaches the model.
        """

    def usage(self, lines: Sequence[bytes], /) -> tuple[int | None, int | None]:
        """Return tokens in the window, and its length, from the last lines of a transcript.

        None where the transcript does not tell. Never raises.
        """
