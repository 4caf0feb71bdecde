"""The rules that are kept ready, for an event whose answer is not made by its deadline.

They are in the user's cache: what one file of the project holds is not asked for them, only whether
it is as it was. A file that changed since is named, to be read. What is damaged, of another form
or made under another trust is as good as nothing.
"""

from __future__ import annotations

import os
from json import dumps, loads
from zlib import crc32

from ctx.hooks.deadline import Answer
from ctx.store import folder, given

TYPE_CHECKING = False  # this module is on the path of a hook that is late: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ctx.hooks.ask import Ask
    from ctx.store import Store
    from ctx.world import World

    Body = dict[str, Any]  # what ``ctx.hooks.answer`` and ``ctx.hooks.table`` keep

FOLDER = "rules"  # the folder of the cache
KEEP = 64  # rules in it: of hosts, working directories and settings; the oldest go first
PATH = 60  # characters of a path in the line about files that changed
_LINE = 60  # tokens of that line at most, without the path
_STALE = 86_400.0  # seconds after which a session may have lost what it received
_MAGIC = b"ctx-rules-1"
_CHANGED = "> These are the rules as of {}. What changed since, ctx had no time to read: {}.\n\n"


def key_of(ask: Ask, world: World, cwd: str) -> str:
    """Return all that the rules depend on apart from files and the day."""
    is_table = ask.event.moment == "files"
    settings = sorted(
        item
        for item in world.environ.items()
        if item[0].startswith("CTX_") and not item[0].endswith("_KEY")
    )
    asked = (ask.root, ask.tool.name, ask.event.agent, ask.options.budget, world.home, settings)
    return repr((asked, is_table or cwd, is_table))


def seal(
    key: str, body: Body, seen: Mapping[str, tuple[int, ...]], names: Mapping[str, str],
    now_ns: int,
) -> bytes:  # fmt: skip
    """Return ``body`` as it is kept, with what it was made from: ``seen`` are signatures by path.

    Where something else changes than what has one of ``names``, the body counts no more. A file
    that was written within a tick of the clock counts as changed.
    """
    marks = [
        (path, _signature(path, known if folder.settled(known, now_ns) else (-1,)), names.get(path))
        for path, known in seen.items()
    ]
    data = dumps({**body, "key": key, "seen": marks}, ensure_ascii=False)
    return folder.sealed(_MAGIC, folder.encoded(data))


def save(store: Store, key: str, data: bytes) -> None:
    """Keep ``data`` under ``key`` for the next call; without a cache nothing is kept."""
    if store.cache:
        folder.save(store.cache, FOLDER, key, data, KEEP)


def load(store: Store, keys: Iterable[str]) -> Body:
    """Return what is kept under the first of ``keys`` that has something; empty for nothing."""
    for key in keys if store.cache else ():
        found = _body(folder.contents(folder.path_of(store.cache, FOLDER, key)) or b"")
        if found.get("key") == key and found["trusted"] == store.is_trusted():
            return found
    return {}


def changed(body: Body) -> list[str]:
    """Return the names of what changed since ``body`` was made, empty for what has none."""
    seen = ((path, name, known, folder.look(path)) for path, known, name in body["seen"])
    return [name or "" for path, name, known, now in seen if _signature(path, now) != known]


def room(names: Iterable[str]) -> int:
    """Return tokens for the line about files that changed: none costs more than its bytes."""
    return _LINE + max((len(dumps(name).encode()) for name in names), default=0)


def shown(path: str) -> str:
    """Return a path as the line shows it, its end where it is long."""
    return path if len(path) <= PATH else f"…{path[1 - PATH :]}"


def answer(ask: Ask, store: Store, world: World, made: bytes) -> Answer | None:
    """Return the rules that are kept, or were ``made`` just now; empty where the session has them.

    None where there are none, or they do not hold here any more.
    """
    keys = (key_of(ask, world, cwd) for cwd in (world.cwd, os.path.dirname(ask.root)))
    body = _body(made) or load(store, keys)
    news = changed(body) if body else []
    if not body or not all(news) or (news and not body["trusted"]):
        return None
    if ask.event.moment == "files":
        return _of_table(ask, store, body, news)
    if not ask.event.fresh and _holds(ask, store, world, body["items"]):
        return Answer(b"", 0, "the session has the rules")
    text = _CHANGED.format(body["day"], _few(news)) if news else ""
    out = ask.tool.answer(ask.event.name, text + body["text"]) if body["text"] else b""
    why = f"the rules as of {body['day']}" if news else "the rules alone"
    note = lambda: _note(ask, store, world, body)  # noqa: E731 - it is called later
    return Answer(out, body["cooldown"], f"{why}: the rest was not ready", note)


def _few(names: list[str]) -> str:
    more = f", and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"{names[0]}{more}; read {'them' if more else 'it'}"


def _of_table(ask: Ask, store: Store, body: Body, news: list[str]) -> Answer | None:
    """Return the rules for files by a table; those of a file that changed are named alone."""
    from ctx.hooks import touched

    table = body["table"]
    for row in table["rules"]:
        if row["path"] in news:
            row["left"], row["pieces"] = max(1, row["left"]), []
    return touched.answer(ask, store, dumps(table).encode(), made=True)


def _holds(ask: Ask, store: Store, world: World, items: list[Any]) -> bool:
    """Whether the session has received all of ``items``, as they are."""
    log = store.log_of(ask.session)
    if not (log and items and os.path.exists(log)):
        return False
    known = store.received(ask.session).items
    last = max((item.sent for item in known.values()), default=0.0)
    return world.now_ns / 1e9 - last <= _STALE and all(
        (item := known.get(id_)) and item.digest_at(level) == digest
        for id_, level, digest, *_ in items
    )


def _note(ask: Ask, store: Store, world: World, body: Body) -> None:
    """Note what the session received: the next event sends the rest."""
    from ctx.model import Delivered

    if ask.event.fresh:
        store.empty(ask.session, ask.cooled)
    given.claim(store.state, ask.cooled, body["given"])
    if not (ask.session and store.state) or ask.event.agent:
        return
    memory = store.received(ask.session)
    if memory.secrets != body["secrets"]:
        memory = memory._replace(items={}, secrets=body["secrets"])
    new = (Delivered(*item)._replace(sent=world.now_ns / 1e9) for item in body["items"])
    store.note_received(memory._replace(items={**memory.items, **{item.id: item for item in new}}))


def _body(data: bytes) -> Body:
    """Return what ``seal`` was given; empty where it is damaged, or of another form."""
    body = folder.unsealed(_MAGIC, data)
    found = loads(body.decode("utf-8", "surrogatepass")) if body else {}
    return found if isinstance(found, dict) else {}


def _signature(path: str, found: tuple[int, ...]) -> list[int]:
    """Return what tells that a file changed: ``found``, but of a folder which names it holds."""
    try:
        names = sorted(os.listdir(path)) if found and os.path.isdir(path) else None
    except OSError:
        names = None
    return [*found] if names is None else [len(names), crc32("\0".join(map(repr, names)).encode())]
