"""The sources that are read beside the context directory, put together from the files of hosts.

A source is an ``Origin``, in ``ORIGINS`` of a module here; what a host loads of it by itself, of
its own files or of others, is in ``LOADS`` of the host's ``loads.py``.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module

from ctx.hosts import PARTS
from ctx.model import Loads, Origin
from ctx.typed import NamedTuple

_MODULES = tuple(
    f"{name}.loads" if parts else name
    for name, parts in PARTS.items()
    if not parts or "loads" in parts
)
_ORDER = (
    "spec-kit", "agents", "claude", "gemini", "claude-rules", "cursor", "copilot", "kiro",
    "windsurf", "cline", "openspec-tasks", "adr", "openspec-archive", "memory-bank", "openspec",
    "openspec-changes", "skills", "docs",
)  # fmt: skip
"""The precedence: where two contradict each other, the first one holds. What is not listed comes
behind the others that give rules, or else that give knowledge."""


def _assembled() -> Iterator[Origin]:
    """Yield each source with what all hosts load of it, by precedence."""
    modules = [(name.partition(".")[0], import_module(f"ctx.hosts.{name}")) for name in _MODULES]
    origins: list[Origin] = [
        origin for _, module in modules for origin in getattr(module, "ORIGINS", ())
    ]
    loads: dict[str, list[Loads]] = {}
    for host, module in sorted(modules, key=lambda pair: pair[0]):
        for each in getattr(module, "LOADS", ()):
            loads.setdefault(each.source, []).append(each._replace(host=host))
    place = {name: number for number, name in enumerate(_ORDER)}
    for origin in sorted(origins, key=lambda each: (each.knows, place.get(each.name, len(place)))):
        yield origin._replace(loads=tuple(loads.get(origin.name, ())))


REGISTRY = tuple(_assembled())
"""All sources, by precedence."""
HOSTS = tuple(sorted({loads.host for origin in REGISTRY for loads in origin.loads}))
"""The hosts of which it is known what they load by themselves, as ``ctx hook`` names them."""
NEAR = tuple(place for each in REGISTRY if each.leveled and not each.knows for place in each.places)
"""The documents with rules that any folder of a project may hold."""
NAMES = tuple(origin.name for origin in REGISTRY)


class Chosen(NamedTuple):
    """The sources that a call reads."""

    origins: tuple[Origin, ...]
    warnings: tuple[str, ...]  # a line for each name in the setting that is none


def chosen(setting: str = "all", documents: Sequence[Sequence[str]] = ()) -> Chosen:
    """Return the sources that settings choose.

    ``setting`` is ``sources``: of ``-cursor, +docs, team/RULES.md`` the first switches a source
    off, the second one on, the third adds a document. ``documents`` is ``authored``: names of
    documents in groups, of which the first that exists in a folder is read; they replace
    AGENTS.md and CLAUDE.md, and a name that is a source's own is that source.
    """
    off, on, more, warnings = set[str](), set[str](), list[Origin](), list[str]()
    for item in map(str.strip, setting.split(",") if setting != "all" else ()):
        name = item[1:].strip().lower()
        if item[0] not in "+-":
            more.append(Origin("documents", (item,), "documents that settings name"))
        elif name in NAMES:
            (off if item[0] == "-" else on).add(name)
        else:
            warnings.append(f"sources: there is no source {name!r} (one of {', '.join(NAMES)})")
    origins = list[Origin]()
    for origin in REGISTRY:
        if origin.name == _AUTHORED[0]:
            origins += _documents(documents)
        elif origin.name not in _AUTHORED:
            origins.append(origin)
    usual = (origin for origin in origins if origin.usual or origin.name in on)
    read = (origin for origin in usual if origin.name not in off)
    return Chosen((*read, *more), tuple(warnings))


_AUTHORED = ("agents", "claude")  # the sources that the setting ``authored`` replaces


def _documents(groups: Sequence[Sequence[str]]) -> Iterator[Origin]:
    usual = [origin for origin in REGISTRY if origin.name in _AUTHORED]
    for names in groups:
        own = {origin.places[:1]: origin for origin in usual}.get(tuple(names))
        yield own or usual[0]._replace(name="documents", places=tuple(names), alternatives=True)
