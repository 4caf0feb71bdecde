"""Which hooks Codex CLI runs: of a folder that is trusted those that a person has reviewed.

Both are kept in the person's ``config.toml``. A hook is known by its file, its event and its place
there, and by a digest of its definition (seen in 0.171.0: SHA-256 of its JSON, members in order,
with the defaults that are left out): one that is not is passed over, and nothing says so.
"""

from __future__ import annotations

import os
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING

from ctx.hosts.fields import inner, objects, string

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.hosts.here import Contents, Here
    from ctx.model import JsonObject

_SECONDS = 600  # the time of a hook that names none
_REVIEW = "start codex here and trust them (/hooks lists them)"


def untrusted(nearest: Sequence[Contents], here: Here) -> list[str]:
    """Return which hooks of ctx are not run for want of trust, and what to do."""
    person = next(each for each in nearest if each.scope == "global")
    config = person.beside("config.toml").data if person.beside else {}
    projects, found = inner(config, "projects"), list[str]()
    levels = [inner(projects, each).get("trust_level") for each in (here.project, here.main)]
    for each in nearest:
        path, data = each.path, each.data
        if here.main and each.scope == "project":
            path = os.path.join(here.main, ".codex", "hooks.json")
            data = here.read(path)
            found.append(
                f"{here.project} is a linked work tree: Codex runs the hooks of {path}, "
                "where this one has a .codex folder, and not its own"
            )
        if each.scope == "project" and data.get("hooks") and "trusted" not in levels:
            found.append(
                f"{each.shown}: Codex does not trust this folder, so it runs none of these hooks; "
                "start codex here and trust the folder"
            )
        states = inner(inner(config, "hooks"), "state")
        by_why: dict[str, list[str]] = {}
        for event, key, digest in _hooks(path, inner(data, "hooks")):
            known = string(inner(states, key), "trusted_hash")
            others = (name for name in states if name.startswith(key.rpartition(":")[0][:-2]))
            moved = any(string(inner(states, name), "trusted_hash") == digest for name in others)
            if known != digest:
                why = "moved" if moved else "changed" if known else "not reviewed"
                by_why.setdefault(why, []).append(event)
        found += [
            f"{each.shown}: {', '.join(events)}: {why}, so Codex does not run them, and says "
            f"nothing; {_REVIEW}"
            for why, events in by_why.items()
        ]
    return found


def _hooks(path: str, hooks: JsonObject) -> Iterator[tuple[str, str, str]]:
    """Yield event, key and digest of each hook of ctx in the file at ``path``."""
    for event in hooks:
        name = "".join(f"_{one}" if one.isupper() else one for one in event).strip("_").lower()
        for group, item in enumerate(objects(hooks, event)):
            for place, hook in enumerate(objects(item, "hooks")):
                if " hook run codex " in string(hook, "command"):
                    yield event, f"{path}:{name}:{group}:{place}", _digest(name, item, hook)


def _digest(event: str, group: JsonObject, hook: JsonObject) -> str:
    own: JsonObject = {
        "type": "command", "command": string(hook, "command"), "async": False,
        "timeout": hook.get("timeout", _SECONDS),
    }  # fmt: skip
    whole: JsonObject = {"event_name": event, "hooks": [own]}
    if matcher := string(group, "matcher"):
        whole["matcher"] = matcher
    text = dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
