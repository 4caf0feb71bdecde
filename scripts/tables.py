"""The tables of documents that are made from what is recorded of hosts and sources.

``scripts/generate.py`` writes them, between two comments: ``<!-- generated: NAME -->`` and ``END``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.hosts import GIT, GIT_EVENT, all_hooks
from ctx.hosts.sources import REGISTRY
from scripts import plugins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ctx.hosts.host import Hooks
    from ctx.model import Loads, Moment, Origin

END = "<!-- end of what is generated -->\n"
_KIB = 1024
_MOMENTS: Mapping[Moment, str] = {
    "start": "at its start",
    "read": "as it reads a file",
    "edit": "as it edits one",
    "shell": "as it names one in its shell",
    "subagent": "in subagents",
    "compaction": "after a compaction",
}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def code(text: str) -> str:
    """Return ``text`` as code."""
    return f"`{text}`"


def blocks() -> Mapping[str, Mapping[str, str]]:
    """Return what is made for each document, by the name of its place there."""
    made = [plugin for _, plugin in plugins.PLUGINS]
    links = [f"- {host}: `{link}`" for host, link in plugins.links().items()]
    return {
        "README.md": {"name of the server": f"<!-- mcp-name: {plugins.server_name()} -->\n"},
        "docs/files.md": {"sources": sources()},
        "docs/hooks.md": {"hosts": hosts(), "what hosts load": loads()},
        "docs/plugins.md": {
            "plugins": table(
                ("host", "folder", "brings", "add it"),
                [
                    (host.title, code(plugin.folder), plugin.brings, plugin.add)
                    for host, plugin in plugins.PLUGINS
                    if plugin.folder
                ],
            ),
            "links": "\n".join(links) + "\n",
            "forms": table(("file", "form", "source"), [plugin.form for plugin in made]),
        },
    }


def documents(root: Path) -> Mapping[str, str]:
    """Return the documents below ``root`` that hold such tables, with these made anew."""
    return {path: filled((root / path).read_text("utf-8"), made) for path, made in blocks().items()}


def filled(text: str, made: Mapping[str, str]) -> str:
    """Return ``text`` with what is made in its places; ValueError where a place is missing."""
    for name, block in made.items():
        start = f"<!-- generated: {name} -->\n"
        above, rest = text.split(start)
        _, below = rest.split(END, 1)
        text = f"{above}{start}\n{block}\n{END}{below}"
    return text


def sources() -> str:
    """Return the table of sources, by precedence."""
    head = ("source", "files", "what it gives", "hosts that load it")
    return table(head, [_source(origin) for origin in REGISTRY])


def _source(origin: Origin) -> Sequence[str]:
    files = ", ".join(map(code, origin.places)) + (", in every folder" if origin.leveled else "")
    gives = origin.gives if origin.usual else f'{origin.gives}, with `sources = "+{origin.name}"`'
    return code(origin.name), files, gives, ", ".join({each.host: "" for each in origin.loads})


def hosts() -> str:
    """Return the table of hosts that hooks can be installed for."""
    rows = [_host(hooks) for hooks in all_hooks()]
    rows.append((code(GIT), f"{code(GIT_EVENT)} of this repository", "–", "after a commit", "–"))
    return table(("host", "project", "global", "asks at", "then"), rows)


def _host(hooks: Hooks) -> Sequence[str]:
    also = f" (also {', '.join(map(code, hooks.aliases))})" if hooks.aliases else ""
    places: dict[str, str] = {}
    for place in hooks.places:
        path = code(f"~/{place.path}" if place.scope == "global" else place.path)
        places[place.scope] = f"{path}, `${place.variable}`" if place.variable else path
    project = f"{places['project']}, `--local`: {places['local']}" if "local" in places else ""
    return (
        f"{code(hooks.name)}{also}",
        project or places["project"],
        places["global"],
        ", ".join((*hooks.events, *hooks.others)),
        hooks.next_step,
    )


def loads() -> str:
    """Return the table of what each host loads by itself."""
    rows = [
        (hooks.title, *_loads(origin, each))
        for hooks in all_hooks()
        for origin in REGISTRY
        for each in origin.loads
        if each.host == hooks.name
    ]
    return table(("host", "loads", "when", "versions", "where that was read or seen"), rows)


def _loads(origin: Origin, each: Loads) -> Sequence[str]:
    files = ", ".join(map(code, each.places or origin.places))
    files += " with imports" if "imports" in each.resolves else ""
    files += f", {each.most_bytes // _KIB} KiB in all" if each.most_bytes else ""
    when = ", ".join(_MOMENTS[moment] for moment in each.moments)
    when += f" ({' and '.join(each.agents)})" if each.agents else ""
    when += f" (not {' and '.join(each.bare)})" if each.bare else ""
    when += f"; {each.condition}" if each.condition else ""
    bounds = [f"from {each.since}"] * bool(each.since) + [f"before {each.until}"] * bool(each.until)
    return files, when, " ".join(bounds) or "all", each.page
