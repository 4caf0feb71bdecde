"""Making a new packet: settings, the walk through the rooms, and what to remember of it."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

from ctx import __version__
from ctx.cli.project import project_of
from ctx.cli.settings import load
from ctx.errors import DEGRADED, OK, FileError, UsageError
from ctx.model import ForgottenError, Request
from ctx.packet import assemble
from ctx.store import replay
from ctx.store.folder import prepare
from ctx.store.forgetful import Forgetful
from ctx.store.settled import look
from ctx.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.cli.settings import Loaded
    from ctx.cli.world import World
    from ctx.config import Settings
    from ctx.model import Counter, Packet

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
        absent = project_of(root, loaded.settings.authored, world.home).absent
        seen = {**absent, **_seen(packet, loaded)}
        replay.remember(store, key, record, seen, world.now_ns)
    return record


def make(
    flags: Mapping[str, object], settings: Settings, root: str, store: str, world: World
) -> Packet:
    """Return the packet that ``flags`` and ``settings`` ask for; ``store`` may be empty."""
    request = _request(flags, settings, root, world)
    return _assemble(request, counter(settings.tokenizer), store, world.now_ns)


def _request(flags: Mapping[str, object], settings: Settings, root: str, world: World) -> Request:
    project = project_of(root, settings.authored, world.home)
    return Request(
        root=root,
        as_of=_date(str(flags.get("as_of") or world.today)),
        project=project.root,
        authored=project.authored,
        session=settings.session,
        budget=settings.budget,
        format=settings.format,
        query=str(flags.get("query") or ""),
        tokenizer=settings.tokenizer,
        hard_share=settings.hard_share,
        tasks_share=settings.tasks_share,
        conventions_share=settings.conventions_share,
        tail_share=settings.tail_share,
        tail_turns=settings.tail_turns,
        ranker=settings.ranker,
        max_file_bytes=settings.max_file_mb * _MB,
        allow_links=settings.allow_links,
        explain=bool(flags.get("explain")),
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--as-of: {text!r} is not a date", "such as 2026-11-21") from None


def _assemble(request: Request, counting: Counter, store: str, now_ns: int) -> Packet:
    """Make the packet with the store's help where there is one, without where it fails."""
    try:
        if store:
            from ctx.store.index import Index  # loads SQLite

            try:
                with Index(store, __version__, now_ns) as index:
                    packet = assemble(request, counting, index)
                    index.forget_others()
                    return packet
            except ForgottenError:
                pass  # the damaged row is gone; what was remembered is read from the files
        return assemble(request, counting, Forgetful())
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
