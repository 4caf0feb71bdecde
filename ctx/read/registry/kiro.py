"""Steering files of Kiro; those of the context directory have the same keys."""

from ctx.model import Frontmatter, Mode, Scope
from ctx.read.registry.origin import Origin, described, matching, strings

_MODES: dict[str, Mode] = {"manual": "manual", "auto": "described"}


def scope(front: Frontmatter, _path: str) -> Scope | None:
    """Return the scope that ``inclusion`` and ``fileMatchPattern`` give a steering file."""
    inclusion = front.inclusion or str(front.extra.get("mode") or "").strip().lower()
    patterns = strings(front.extra.get("fileMatchPattern"))
    if inclusion == "filematch" and patterns:
        return matching("kiro", front, patterns)
    return Scope("kiro", _MODES.get(inclusion, "always"), description=described(front))


KIRO = Origin(
    "kiro", (".kiro/steering/*.md",),
    "rules, rules for the files of `fileMatchPattern`, and titles", scope=scope,
)  # fmt: skip
