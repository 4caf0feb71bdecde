"""The sources that are read beside the context directory, in order of precedence."""

from collections.abc import Iterator, Sequence

from ctx.read.registry.origin import Loads, Origin, applies, matched
from ctx.read.registry.sources import AGENTS, CLAUDE, REGISTRY, steering_scope
from ctx.typed import NamedTuple

__all__ = [
    "HOSTS", "NEAR", "REGISTRY", "Chosen", "Loads", "Origin", "applies", "chosen", "matched",
    "steering_scope",
]  # fmt: skip

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
    documents in groups, of which the first that exists in a folder is read; they replace AGENTS
    and CLAUDE, and a name that is a source's own is that source.
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
        if origin is AGENTS:
            origins += _documents(documents)
        elif origin is not CLAUDE:
            origins.append(origin)
    read = [
        origin
        for origin in origins
        if origin.name not in off and (origin.usual or origin.name in on)
    ]
    return Chosen((*read, *more), tuple(warnings))


def _documents(groups: Sequence[Sequence[str]]) -> Iterator[Origin]:
    """Yield the sources of ``authored``, each group's in turn."""
    for names in groups:
        own = {origin.places[:1]: origin for origin in (AGENTS, CLAUDE)}.get(tuple(names))
        yield own or AGENTS._replace(name="documents", places=tuple(names), alternatives=True)
