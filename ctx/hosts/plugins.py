"""What is recorded of a host's plugin; ``scripts/plugins.py`` alone asks for it, to write it."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from ctx.hosts import NAMES
from ctx.model import JsonObject

Files = Mapping[str, JsonObject | str]  # by path; what is no text is written as JSON


class Kit(NamedTuple):
    """What the plugins of all hosts are made of."""

    name: str  # of the plugin, of its command and of its MCP server
    description: str
    about: JsonObject  # name, version and description
    author: JsonObject  # author and licence
    keywords: JsonObject
    server: JsonObject  # how the MCP server is started
    command: str  # the text of the command, with ``{words}`` for what a user adds
    skill: str
    readme: str


class Plugin(NamedTuple):
    """The plugin of a host, or the link that adds the MCP server to it."""

    form: tuple[str, str, str]  # for documents: its files, their form, and where that was read
    folder: str = ""  # below the repository's root; empty where there is only a link
    root: str = ""  # what the host replaces in commands by the folder of the plugin
    brings: str = ""  # what it brings and how it is added, for documents
    add: str = ""
    files: Callable[[Kit], Files] | None = None  # but for hooks; ``/x`` is at the repository's root
    link: tuple[str, Callable[[Kit], str]] | None = None  # for whom, and the address


def plugins() -> Iterator[tuple[str, Plugin]]:
    """Yield the plugins with the names of their hosts."""
    for name in NAMES:
        if find_spec(f"ctx.hosts.{name}.plugin"):
            yield name, import_module(f"ctx.hosts.{name}.plugin").PLUGIN
