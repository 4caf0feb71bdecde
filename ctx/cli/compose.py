"""Making a new packet: settings, the walk through the rooms, and what to remember of it."""

from __future__ import annotations

import os
from contextlib import nullcontext
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from ctx import __version__
from ctx.cli.project import project_of
from ctx.cli.settings import load
from ctx.errors import DEGRADED, OK, FileError, UsageError
from ctx.model import ForgottenError, Request
from ctx.packet import asks_for_words, assemble
from ctx.store import counts, replay
from ctx.store.folder import prepare
from ctx.store.forgetful import Fleeting, Forgetful
from ctx.store.settled import look
from ctx.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from ctx.cli.settings import Loaded
    from ctx.cli.world import World
    from ctx.config import Settings
    from ctx.model import Library as Answering
    from ctx.model import Packet, Shelf

_MB = 1024 * 1024


def compose(flags: dict[str, object], root: str, world: World, key: str) -> replay.Record:
    """Return what a new packet prints, and remember it for the call ``key``."""
    loaded = load(root, world, flags)
    if flags.get("cooldown") and loaded.settings.cooldown and not loaded.settings.session:
        raise UsageError("--cooldown: is kept for a session, and none is named", "add --session ID")
    store = "" if world.environ.get("CTX_NO_CACHE") else prepare(root)
    packet = make(flags, loaded.settings, root, store, world)
    record = _record(packet, loaded.settings)
    if store:
        counts.note(store, _told(packet), _date(world.today))
    if store and packet.lasting:
        absent = project_of(root, loaded.settings.authored, world.home).absent
        seen = {**absent, **_seen(packet, loaded)}
        replay.remember(store, key, record, seen, world.now_ns)
    return record


def make(
    flags: Mapping[str, object], settings: Settings, root: str, store: str, world: World
) -> Packet:
    """Return the packet that ``flags`` and ``settings`` ask for; ``store`` may be empty."""
    request = request_of(flags, settings, root, world)
    counting = counter(settings.tokenizer)

    def walk(shelf: Shelf, library: Answering) -> Packet:
        return assemble(request, counting, shelf, library)

    return with_store(walk, settings, request, store, world)


def request_of(flags: Mapping[str, object], settings: Settings, root: str, world: World) -> Request:
    """Return what ``flags`` and ``settings`` ask for."""
    query = str(flags.get("query") or "")
    project = project_of(root, settings.authored, world.home)
    return Request(
        root=root,
        as_of=_date(str(flags.get("as_of") or world.today)),
        project=project.root,
        authored=project.authored,
        session=settings.session,
        budget=settings.budget,
        format=settings.format,
        query=query,
        tokenizer=settings.tokenizer,
        hard_share=settings.hard_share,
        tasks_share=settings.tasks_share,
        conventions_share=settings.conventions_share,
        tail_share=settings.tail_share,
        tail_turns=settings.tail_turns,
        ranker=_ranker(settings, query),
        max_file_bytes=settings.max_file_mb * _MB,
        allow_links=settings.allow_links,
        explain=bool(flags.get("explain")),
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--as-of: {text!r} is not a date", "such as 2026-11-21") from None


def _ranker(settings: Settings, query: str) -> str:
    """Return the ranker that ``auto`` stands for: by age where there is nothing to go by."""
    if settings.ranker != "auto":
        return settings.ranker
    return "discovery" if query or settings.embedder != "none" else "brackets"


_Answer = TypeVar("_Answer")


def with_store(
    walk: Callable[[Shelf, Answering], _Answer],
    settings: Settings,
    request: Request,
    store: str,
    world: World,
) -> _Answer:
    """Take a walk with the store's help where there is one, without where it fails."""

    def library(store: str) -> AbstractContextManager[Answering]:
        if not asks_for_words(request):
            return nullcontext(Fleeting())  # which is not asked
        from ctx.cli.library import Library

        return Library(store, settings, world.environ, request.as_of)

    try:
        if store:
            from ctx.store.index import Index

            try:
                with Index(store, __version__, world.now_ns) as index, library(store) as means:
                    answer = walk(index, means)
                    index.forget_others()
                    return answer
            except ForgottenError:
                pass  # the damaged row is gone; what was remembered is read from the files
        with library("") as means:
            return walk(Forgetful(), means)
    except OSError as error:
        raise FileError(f"{request.root}: cannot be read: {error.strerror}") from error


def _record(packet: Packet, settings: Settings) -> replay.Record:
    notes = [f"ctx: {' '.join(warning.split())}\n" for warning in packet.warnings]
    if settings.session and packet.context.thread is None and not settings.cooldown:
        # With a cooldown the session is the host's own, and need not be one that was imported.
        notes.append(
            f"ctx: no session {settings.session!r} is stored, so none of its turns are said "
            "(`ctx session list` names those that are)\n"
        )
    if packet.selection.degraded:
        notes.append(f"ctx: degraded: {packet.selection.degraded}\n")
    out = packet.text
    if packet.request.explain:
        from ctx.render.explain import as_json, as_table  # only when asked why

        if packet.request.format == "json":
            out = as_json(packet)
        else:
            notes.append(as_table(packet))
    code = DEGRADED if settings.strict and packet.selection.degraded else OK
    return replay.Record(
        out.encode("utf-8", "replace"),
        "".join(notes).encode("utf-8", "backslashreplace"),
        code,
        settings.session,
        settings.cooldown,
    )


def _told(packet: Packet) -> list[str]:
    """Return the ids of what was chosen for what it says now, and said, not only mentioned."""
    return [
        one.entry.id
        for section in packet.selection.sections
        for one in section.said
        if one.entry.tier == "variant" and section.name not in ("tasks", "tail")
    ]


def _seen(packet: Packet, loaded: Loaded) -> dict[str, tuple[int, ...]]:
    """Return everything the packet was made from, by absolute path."""
    root = packet.request.root
    seen = {
        os.path.normpath(os.path.join(root, path)): sig for path, sig in packet.context.seen.items()
    }
    seen.update(loaded.seen)
    if packet.request.tokenizer.endswith(".json"):
        seen[os.path.abspath(packet.request.tokenizer)] = look(packet.request.tokenizer)
    return seen
