"""Make the table of the rules that can apply to files: see ``ctx.hooks.touched``."""

from __future__ import annotations

import json
import os
import posixpath

from ctx.app import packet
from ctx.app.rules import title_of
from ctx.app.walk import directory
from ctx.app.workspace import Workspace
from ctx.hooks import kept
from ctx.hooks.printed import Printed
from ctx.hooks.touched import key_of
from ctx.hosts.sources import NEAR
from ctx.model import BY_AGE, Included, Scored
from ctx.render import form
from ctx.store import Record
from ctx.text.names import shown, shown_line
from ctx.text.structure import as_heading
from ctx.text.tokens import counter
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.hooks.ask import Ask
    from ctx.hooks.touched import Row
    from ctx.model import Context, Library, ParseCache, Request, Source
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
    host = request.host._replace(name=name, version=version, agent=ask.event.agent)
    host = host._replace(trusted=store.is_trusted())
    request = request._replace(host=host, ranker=BY_AGE, query="")
    counting, tokens = counter(workspace.settings.tokenizer), workspace.settings.rule_tokens
    printed = Printed(counting, ask.tool, ask.event.name, tokens)

    def walk(cache: ParseCache, _: Library) -> tuple[Context, list[Row]]:
        context = directory(request, cache, whole=True, rules=True)
        some = {source.path for source in scoped(context)}
        return context, [
            _row(source, context, request, printed, always=source.path not in some)
            for source in context.sources
            if source.path in some or _is_for_all(source)
        ]

    context, rows = workspace.walk(walk, request)
    project = workspace.project.root
    levels = (os.path.normpath(os.path.join(request.root, level)) for level in request.levels)
    found = {
        "project": project,
        "names": [place.partition("/*")[0] for place in NEAR],
        "folders": [os.path.relpath(level, project).replace(os.sep, "/") for level in levels],
        "counter": counting.name,
        "tokens": tokens,
        "rules": [row for row in rows if row["pieces"]],
    }  # fmt: skip
    data = json.dumps(found).encode()
    body = {"trusted": request.host.trusted, "table": found}
    kept.save(store, kept.key_of(ask, world, ""), body, seen_of(context, request), world.now_ns)
    seen = {**workspace.project.absent, **packet.seen_of(context, request, workspace)}
    seen |= store.trust_seen()
    store.remember(key, Record(data, b"", 0, "", 0), seen, world.now_ns)
    return data


def seen_of(context: Context, request: Request) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return signature and name, as it is shown, of what a context was made from, by path."""
    return {
        os.path.normpath(os.path.join(request.root, path)): (
            known, shown(_path(path, request), kept.PATH)
        )
        for path, known in context.seen.items()
    }  # fmt: skip


def _path(path: str, request: Request) -> str:
    return posixpath.normpath(posixpath.join(request.shown_root.replace(os.sep, "/"), path))


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


def _row(
    source: Source, context: Context, request: Request, printed: Printed, *, always: bool
) -> Row:  # fmt: skip
    """Return the row of a file; its pieces are what an answer holds, required rules first."""
    path = shown(_path(source.path, request))
    title = as_heading(shown_line(title_of(source)))
    if len(title) > _TITLE:
        title = f"{title[:_TITLE].rpartition(' ')[0] or title[:_TITLE]} …"
    entries = sorted(source.entries, key=lambda entry: entry.section != "rules")
    markdown, pieces, room, lead = form("md"), list[tuple[int, str]](), printed.room, ""
    for entry in entries:
        above = markdown.around_run(entry)[0] if entry.lead != lead else ""
        text = above + markdown.unit(Included(Scored(entry, 0.0, ()), "full"))
        cost = printed.count(text)
        if cost <= room:
            room, lead = room - cost, entry.lead
            pieces.append((cost, text))
    is_rule = any(title in text for _, text in pieces)  # a file without headings
    title = path if is_rule else f"{title} ({path})"
    scope = source.scope
    found = context.bases.get(source.path, ()) if scope and scope.base else ()
    bases = sorted(f"{base}/" if base else "" for base in found) or [""]
    return {
        "id": name_of(source), "bases": [""] if always else bases, "always": always,
        "patterns": [*scope.patterns] if scope and not always else ["**"],
        "ignores": bool(scope and scope.ignores and not always),
        "moment": context.moments.get(source.path, ""),
        "title": title, "path": path, "head": printed.count(f"\n## {title}\n\n"),
        "name": printed.count(f", {path}"), "pieces": pieces, "left": len(entries) - len(pieces),
    }  # fmt: skip
