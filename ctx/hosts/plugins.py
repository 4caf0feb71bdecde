"""What is recorded of a host's plugin; ``scripts/plugins.py`` alone asks for it, to write it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from ctx.hosts import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ctx.model import JsonObject

    Files = Mapping[str, JsonObject | str]  # what is no text is written as JSON


class Kit(NamedTuple):
    """What the plugins of all hosts are made of."""

    about: JsonObject  # name, version and description
    author: JsonObject  # author and licence
    keywords: JsonObject
    server: JsonObject  # the command that starts the MCP server
    command: Callable[[str], str]  # the text of a command, by what the host has for its words
    skill: str
    readme: str

    @property
    def name(self) -> str:
        """The name of the plugin, of its command and of its MCP server."""
        return str(self.about["name"])

    @property
    def description(self) -> str:
        """What it is, in a line."""
        return str(self.about["description"])


class Plugin(NamedTuple):
    """The plugin of a host, or the link that adds the MCP server to it."""

    form: tuple[str, str, str]  # for documents: its files, their form, and where that was read
    folder: str = ""  # below the repository's root; empty where there is only a link
    root: str = ""  # what the host replaces in commands by the folder of the plugin
    brings: str = ""  # what it brings and how it is added, for documents
    add: str = ""
    files: Callable[[Kit], Files] | None = None  # its files but for the hooks
    listings: Callable[[Kit], Files] | None = None  # files at the repository's root that name it
    link: tuple[str, Callable[[Kit], str]] | None = None  # for whom, and the address


def plugins() -> Iterator[tuple[str, Plugin]]:
    """Yield the plugins with the names of their hosts."""
    for name in NAMES:
        if find_spec(f"ctx.hosts.{name}.plugin"):
            yield name, import_module(f"ctx.hosts.{name}.plugin").PLUGIN
