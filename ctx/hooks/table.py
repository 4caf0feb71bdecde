"""Make the table of the rules that can apply to files: see ``ctx.hooks.touched``."""

from __future__ import annotations

import json
import os
import posixpath

from ctx.app import packet
from ctx.app.rules import title_of
from ctx.app.walk import directory
from ctx.app.workspace import Workspace
from ctx.hooks.fitting import harmless
from ctx.hooks.touched import key_of
from ctx.hosts.sources import NEAR
from ctx.model import BY_AGE, Included, Scored
from ctx.render import form
from ctx.store import Record
from ctx.text.tokens import counter
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.hooks.ask import Ask
    from ctx.hooks.touched import Row
    from ctx.model import Context, Counter, Library, ParseCache, Request, Source
    from ctx.world import World


def table(ask: Ask, world: World) -> bytes:
    """Return the table for ``ask``, its folders included, and keep it; raises CtxError."""
    key, files = key_of(ask, world), [os.path.join(ask.event.cwd, name) for name in ask.event.files]
    if before := world.store(ask.root).recall(key):
        old = json.loads(before.out)
        files += [os.path.join(old["project"], folder, "x") for folder in old["folders"]]
    options = ask.options.replace(focus=[*map(os.path.normpath, files)])
    workspace = Workspace(options, world, root=ask.root)
    store = workspace.store
    request = workspace.request()
    name, version = ask.host
    host = request.host._replace(name=name, version=version, trusted=store.is_trusted())
    request = request._replace(host=host, ranker=BY_AGE, query="")
    counting = counter(workspace.settings.tokenizer)
    tokens = workspace.settings.rule_tokens

    def walk(cache: ParseCache, _: Library) -> tuple[Context, list[Row]]:
        context = directory(request, cache, whole=True, rules=True)
        some = {source.path for source in scoped(context)}
        return context, [
            _row(source, context, request, counting, tokens, always=source.path not in some)
            for source in context.sources
            if source.path in some or _is_for_all(source)
        ]

    context, rows = workspace.walk(walk, request)
    project = workspace.project.root
    levels = (os.path.normpath(os.path.join(request.root, level)) for level in request.levels)
    data = json.dumps({
        "project": project,
        "names": NEAR,
        "folders": [os.path.relpath(level, project).replace(os.sep, "/") for level in levels],
        "tokens": tokens,
        "rules": [row for row in rows if row["pieces"]],
    }).encode()  # fmt: skip
    seen = {**workspace.project.absent, **packet.seen_of(context, request, workspace)}
    seen |= store.trust_seen()
    store.remember(key, Record(data, b"", 0, "", 0), seen, world.now_ns)
    return data


def scoped(context: Context) -> Iterator[Source]:
    """Yield the files of rules that are for certain files alone."""
    for source in context.sources:
        scope = source.scope
        if scope and scope.mode == "match" and (scope.base or not scope.is_for_all):
            yield source


def name_of(source: Source) -> str:
    """Return the name by which a session notes that it has the rules of a file, as they are."""
    return f"{source.path} {[part.digest for part in source.parts[:1]]}"


_TITLE = 60  # characters of a title


def _is_for_all(source: Source) -> bool:
    mode = source.scope.mode if source.scope else "always"
    return mode not in ("described", "manual") and any(
        part.kind in ("rule", "convention") and len(part) for part in source.parts
    )


def _row(  # noqa: PLR0913 - the file, what it is read with, and the measure
    source: Source, context: Context, request: Request, counting: Counter, most: int,
    *, always: bool,
) -> Row:  # fmt: skip
    """Return the row of a file; its pieces are what ``most`` tokens hold, required rules first."""
    path = posixpath.normpath(posixpath.join(request.shown_root.replace(os.sep, "/"), source.path))
    title = harmless(title_of(source))
    title = title if len(title) <= _TITLE else f"{title[:_TITLE].rpartition(' ')[0]} …"
    entries = sorted(source.entries, key=lambda entry: entry.section != "rules")
    markdown, pieces, room, lead = form("md"), list[tuple[int, str]](), most, ""
    for entry in entries:
        above = markdown.around_run(entry)[0] if entry.lead != lead else ""
        text = harmless(above + markdown.unit(Included(Scored(entry, 0.0, ()), "full")))
        cost = counting.count(text)
        if cost <= room:
            room, lead = room - cost, entry.lead
            pieces.append((cost, text))
    scope = source.scope
    found = context.bases.get(source.path, ()) if scope and scope.base else ()
    bases = sorted(f"{base}/" if base else "" for base in found) or [""]
    return {
        "id": name_of(source), "bases": [""] if always else bases, "always": always,
        "patterns": [*scope.patterns] if scope and not always else ["**"],
        "moment": context.moments.get(source.path, ""),
        "title": title, "path": path, "head": counting.count(f"\n## {title} ({path})\n\n"),
        "name": counting.count(f", {path}"), "pieces": pieces, "left": len(entries) - len(pieces),
    }  # fmt: skip
