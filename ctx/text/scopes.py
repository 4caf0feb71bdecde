"""The scope of rules: how frontmatter limits them to some files, and whether they apply to one."""

from collections.abc import Collection, Mapping, Sequence

from ctx.model import Frontmatter, Json, Mode, Scope
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.model import ScopeOf


def strings(value: Json) -> tuple[str, ...]:
    """Return patterns as a list or one text holds them, separated by commas outside of braces."""
    if value is None:
        return ()
    from ctx.text.globs import split  # patterns that few projects need

    if isinstance(value, list):
        return tuple(pattern for item in value for pattern in strings(item))
    return tuple(part.strip("\"'") for part in split(str(value)))


def described(front: Frontmatter) -> str:
    """Return the description of a file; empty without one."""
    return " ".join(str(front.extra.get("description") or "").split())


def matching(dialect: str, front: Frontmatter, patterns: tuple[str, ...]) -> Scope:
    """Return the scope of rules for files that match ``patterns``, or of all without any."""
    mode: Mode = "match" if patterns else "always"
    return Scope(dialect, mode, patterns, description=described(front))


def scope_by(dialect: str, key: str) -> "ScopeOf":
    """Return what scopes rules by the patterns of ``key``; without any they always apply."""
    return lambda front, _path: matching(dialect, front, strings(front.extra.get(key)))


def ignoring_by(dialect: str, key: str) -> "ScopeOf":
    """Return ``scope_by`` for patterns as a ``.gitignore`` has them; ``**`` alone is none."""

    def scope(front: Frontmatter, _path: str) -> Scope:
        patterns = strings(front.extra.get(key))
        found = matching(dialect, front, () if patterns == ("**",) else patterns)
        return found._replace(ignores=True)

    return scope


def by_mode(
    dialect: str, front: Frontmatter, name: str, key: str, modes: Mapping[str, Mode]
) -> Scope:
    """Return the scope of a mode's name, with the patterns of ``key``; without any it is always."""
    mode = modes.get(name, "always")
    if mode == "match":
        return matching(dialect, front, strings(front.extra.get(key)))
    return Scope(dialect, mode, description=described(front))


def steering_scope(front: Frontmatter, _path: str) -> Scope | None:
    """Return the scope that ``inclusion`` and ``fileMatchPattern`` give a steering file."""
    mode = front.inclusion or str(front.extra.get("mode") or "").strip().lower()
    modes: dict[str, Mode] = {"filematch": "match", "manual": "manual", "auto": "described"}
    return by_mode("kiro", front, mode, "fileMatchPattern", modes)


def matched(scope: Scope, path: str) -> str:
    """Return the pattern by which a scope of mode ``match`` applies to ``path``, or nothing."""
    base = f"{scope.base}/" if scope.base else ""
    if not path.startswith(base):
        return ""
    inside = path[len(base) :] or "/"  # of the folder itself
    return first_match(scope.patterns, inside, ignores=scope.ignores)


def first_match(patterns: Sequence[str], path: str, *, ignores: bool) -> str:
    """Return the first of ``patterns`` that matches ``path``, relative to their folder."""
    if ignores:
        from ctx.text.ignored import first_ignoring

        return first_ignoring(patterns, path)
    from ctx.text.globs import matching as first  # as above

    return first(patterns, path)


def applies(scope: Scope | None, focus: Collection[str]) -> bool:
    """Return whether rules of this scope belong to a packet for ``focus``, or to any packet."""
    if scope is None or scope.is_for_all:
        return True
    return scope.mode == "match" and any(matched(scope, path) for path in focus)
