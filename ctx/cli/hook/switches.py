"""Switches by which a tool runs no hooks, whatever its settings hold.

They are looked at where the hooks themselves may stand: what an administrator sets elsewhere
is not seen. What each tool documents is in ``docs/hooks.md``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctx.config.layers import bounded
from ctx.edit.json_splice import ScanError, scan
from ctx.errors import CtxError
from ctx.hooks.settings_file import Change, File, look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.cli.hook.where import Settings

_NEAREST = ("local", "project", "global")
"""Scopes, in the order in which settings count before others."""


def switched_off(every: Sequence[Settings]) -> list[str]:
    """Return why hooks of a tool are not run, and what to do; ``every`` are its places here."""
    nearest = sorted(every, key=lambda one: _NEAREST.index(one.place.scope))
    looks = {"claude": _claude, "gemini": _gemini, "codex": _codex}
    name = every[0].tool.name if every else ""
    return list(looks[name](nearest)) if name in looks else []


def _claude(nearest: Sequence[Settings]) -> Iterator[str]:
    for settings in nearest:
        value = _of(settings).get("disableAllHooks")
        if isinstance(value, bool):  # the nearest that says so counts
            if value:
                yield (
                    f"{settings.shown}: disableAllHooks is true: no hooks are run; "
                    "set it to false, or take it out"
                )
            return


def _gemini(nearest: Sequence[Settings]) -> Iterator[str]:
    every = [(settings, _object(_of(settings).get("hooksConfig"))) for settings in nearest]
    for settings, config in every:
        value = config.get("enabled")
        if isinstance(value, bool):
            if not value:
                yield (
                    f"{settings.shown}: hooksConfig.enabled is false: no hooks are run; "
                    "set it to true, or take it out"
                )
            break
    for settings, config in every:
        names = config.get("disabled")
        if isinstance(names, list) and any(map(_is_own, names)):
            yield (
                f"{settings.shown}: hooksConfig.disabled names the hooks of ctx: they are not "
                "run; take them out of that list, or `/hooks enable ctx`"
            )


def _is_own(name: object) -> bool:
    """Whether Gemini CLI calls hooks of ctx by ``name``: by their own, or by their command."""
    return isinstance(name, str) and (name == "ctx" or " hook run gemini " in name)


def _codex(nearest: Sequence[Settings]) -> Iterator[str]:
    every = [(settings, *_toml_beside(settings)) for settings in nearest]
    for _, shown, config in every:
        features = _object(config.get("features"))
        said = [name for name in ("hooks", "codex_hooks") if isinstance(features.get(name), bool)]
        if said:
            if not features[said[0]]:
                yield (
                    f"{shown}: features.{said[0]} is false: no hooks are run; "
                    "set it to true, or take it out"
                )
            break
    for settings, shown, config in every:
        hooks = _object(config.get("hooks"))
        # What is no list is no event: Codex keeps there which hooks are trusted.
        if any(isinstance(one, list) for one in hooks.values()) and _of(settings).get("hooks"):
            yield (
                f"{settings.shown} and [hooks] in {shown} both hold hooks: Codex runs both, and "
                "warns at each start; move those of config.toml to hooks.json"
            )


# --- what the files say -------------------------------------------------------------------


def _of(settings: Settings) -> Mapping[str, object]:
    """Return what settings say; nothing where they cannot be read, which is said elsewhere."""
    try:
        node = scan(_text(settings.file))
    except (CtxError, ScanError, UnicodeDecodeError):
        return {}
    return _object(node.value if node else None)


def _toml_beside(settings: Settings) -> tuple[str, Mapping[str, object]]:
    """Return the ``config.toml`` beside settings, as messages name it, and what it says."""
    path = os.path.join(os.path.dirname(settings.file.path), "config.toml")
    shown = settings.shown.rpartition("/")[0] + "/config.toml"
    try:
        return shown, bounded(_text(settings.file._replace(path=path, kept="")))
    except (CtxError, ValueError, RecursionError):
        return shown, {}  # Codex says what is wrong with its own file


def _text(file: File) -> str:
    data = look(file, lambda data, _kept: Change(data, data)).before
    return (data or b"").decode("utf-8-sig")


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
