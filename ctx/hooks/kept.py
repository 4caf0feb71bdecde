"""The rules that are kept ready, for an event whose answer is not made by its deadline.

They are in the user's cache: the files that they were made from are looked at, and not read. One
that changed since is named. What is damaged, foreign or of other trust is as good as nothing.
"""

from __future__ import annotations

import os
from json import dumps, loads
from zlib import crc32

from ctx.hooks.deadline import Answer
from ctx.store import folder, given

TYPE_CHECKING = False  # this module is on the path of a hook that is late: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ctx.hooks.ask import Ask
    from ctx.store import Store
    from ctx.world import World

    Body = dict[str, Any]  # what ``ctx.hooks.answer`` and ``ctx.hooks.table`` keep
    Seen = Mapping[str, tuple[tuple[int, ...], str]]

FOLDER = "rules"  # the folder of the cache
PATH = 60  # bytes of a path in the line about files that changed
ROOM = 40 + 2 * PATH  # tokens of that line at most: a byte and its escape are two
_RECORDS = folder.Records(FOLDER, b"ctx-rules-1", 64)  # of hosts, directories and settings
_CHANGED = "> These are the rules as of {}. What changed since, ctx had no time to read: {}.\n\n"


def key_of(ask: Ask, world: World, cwd: str) -> str:
    """Return all that the rules depend on apart from their files, the trust and the day."""
    is_table = ask.event.moment == "files"  # of rules for files
    variables = sorted(item for item in world.environ.items() if item[0][:4] == "CTX_")
    config = (os.path.join(world.home, ".config", "ctx"), ask.root)
    settings = [folder.look(os.path.join(path, "config.toml")) for path in config]
    asked = (ask.root, *ask.host, ask.event.agent, ask.options.budget, cwd * (not is_table))
    digest = crc32(folder.encoded(repr((variables, settings, world.home))))
    return repr((asked, is_table, digest))


def save(store: Store, key: str, body: Body, seen: Seen, now_ns: int) -> None:
    """Keep ``body`` under ``key``; ``seen`` are signature and name of what it was made from.

    They are by path. What was written within a tick of the clock counts as changed.
    """
    body["seen"] = [
        (path, _mark(path, known if folder.settled(known, now_ns) else (-1,)), name)
        for path, (known, name) in seen.items()
    ]
    if store.cache:
        data = dumps({**body, "key": key}, ensure_ascii=False)
        _RECORDS.put(store.cache, key, folder.encoded(data))


def load(store: Store, key: str) -> Body:
    """Return what is kept under ``key``; empty for nothing that holds here."""
    if not (body := _RECORDS.get(store.cache, key)):
        return {}
    found: Body = loads(body.decode("utf-8", "surrogatepass"))
    return found if found["key"] == key and found["trusted"] == store.is_trusted() else {}


def changed(body: Body) -> dict[str, str]:
    """Return what changed since ``body`` was made: how each path is shown."""
    seen = ((path, name, known, folder.look(path)) for path, known, name in body["seen"])
    return {path: name for path, name, known, now in seen if _mark(path, now) != known}


def answer(ask: Ask, store: Store, world: World) -> Answer | None:
    """Return the rules that are kept, empty where the session has them; None for none."""
    own, top = (key_of(ask, world, cwd) for cwd in (world.cwd, os.path.dirname(ask.root)))
    body = load(store, own) or load(store, top)
    news = changed(body) if body else {}
    if not body or (news and not body["trusted"]):
        return None
    if ask.event.moment == "files":
        from ctx.hooks import touched, unproven

        for row in body["table"]["rules"]:  # of a file that changed, which is to be read
            if unproven.path_of(ask, row["id"]) in news:
                row["left"], row["pieces"] = max(1, row["left"]), []
        return touched.answer(ask, store, dumps(body["table"]).encode(), made=True)
    if not body["text"]:
        return None
    # A start that is answered beside the first prompt is sent them.
    names = [given.FIRST] if ask.event.name in ask.tool.unkept else []
    beside = ask.session and given.unsent(store.state, ask.cooled, names)
    holds = ask.session and not given.unsent(store.state, ask.cooled, body["given"])
    if (holds or beside) and not ask.event.fresh:
        return Answer(b"", 0, "the session has the rules")
    text, why = body["text"], "the rules alone"
    if news:
        more = f", and {len(news) - 1:,} more" if len(news) > 1 else ""
        text = _CHANGED.format(body["day"], next(iter(news.values())) + more) + text
        why = f"the rules as of {body['day']}"
    note_ = lambda: note(ask, store, world, body)  # noqa: E731 - it is called later
    out = ask.tool.answer(ask.event.name, text)
    return Answer(out, body["cooldown"], f"{why}: the rest was not ready", note_)


def note(ask: Ask, store: Store, world: World, body: Body) -> None:
    """Note what the session received: the next event sends the rest."""
    from ctx.model import Delivered

    if ask.event.fresh:
        store.empty(ask.session, ask.cooled)
    given.claim(store.state, ask.cooled, body["given"], ask.call)
    if not ask.session or not store.state or ask.event.agent:
        return
    memory = store.received(ask.session)
    items = memory.items if memory.secrets == body["secrets"] else {}
    new = (Delivered(*item)._replace(sent=world.now_ns / 1e9) for item in body["items"])
    items = {**items, **{item.id: item for item in new}}
    store.note_received(memory._replace(items=items, secrets=body["secrets"]))


def _mark(path: str, found: tuple[int, ...]) -> list[int]:
    """Return what tells that a file changed: ``found``, but of a folder which names it holds."""
    if not found or not os.path.isdir(path):
        return [*found]
    return [crc32(repr(sorted(os.listdir(path))).encode())]
