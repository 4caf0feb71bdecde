"""Make a packet: its request, the walk, and the record that the response cache keeps."""

from __future__ import annotations

import json
import os
import time
from contextlib import nullcontext
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from ctx.app.project import project_of
from ctx.app.settings import load, store_mark
from ctx.app.walk import asks_for_words, assemble
from ctx.config.numbers import whole
from ctx.errors import DEGRADED, OK, FileError, UsageError
from ctx.model import ForgottenError, Memory, Request, digest_of
from ctx.store import counts, response_cache
from ctx.store.no_cache import Fleeting, Forgetful
from ctx.store.places import places_of
from ctx.store.stat_trust import look
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from ctx.app.settings import Loaded
    from ctx.config import Settings
    from ctx.model import Context, Metrics, Packet, Shelf
    from ctx.model import Library as Answering
    from ctx.store.places import Places
    from ctx.world import World


WINDOW = ("context_length", "used_tokens", "threshold_tokens")
"""Options that tell how full the agent's window is."""


def press(request: Request, flags: Mapping[str, object], settings: Settings) -> Request:
    """Return ``request`` as the fullness of the agent's window allows (``strategy.md``).

    The budget is what is free at most; sections are limited and filtered by trust; near the
    end only the rules are said. UsageError for figures that are none.
    """
    length, used, threshold = (_tokens(flags, name) for name in WINDOW)
    if length is None:
        named = next((one for one in WINDOW[1:] if flags.get(one) is not None), None)
        if named:
            raise UsageError(f"--{named.replace('_', '-')}: needs --context-length as well")
        return request
    from ctx.fit import window

    full = window.pressure(length, used or 0, threshold or 0)
    allowed = window.limits(full)
    signals = [one.strip() for one in settings.memory_signals.split(",")]
    retrieved = window.retrieves(full, request.query, signals)
    budget = min(request.budget, window.free_tokens(length, used or 0))
    changed = request._replace(
        budget=budget,
        most_entries=allowed.entries if retrieved else 0,
        least_trust=allowed.least_trust,
        rules_only=allowed.strategy == "skip",
    )
    what = f"{allowed.entries} entries a section, trust {allowed.least_trust} and up"
    if not retrieved:
        what = "nothing is retrieved, as no query asks for what was said before"
    if changed.rules_only:
        what = "only the rules are said"
    told = f"pressure {full:.2f}, {allowed.strategy}: {what}; budget {budget:,}"
    return changed._replace(pressure=told)


def _tokens(flags: Mapping[str, object], name: str) -> int | None:
    text = flags.get(name)
    if text is None:
        return None
    return whole(f"--{name.replace('_', '-')}", str(text), "a whole number of tokens")


def line(packet: Packet, *, hashed: bool, replayed: bool) -> str:
    """Return the log line of ``packet``, which may have been ``replayed`` from the store.

    ``hashed`` ids are 16 hex digits each, the same for the same entry.
    """
    figures = packet.plan.metrics
    told: dict[str, object] = {
        "event": "ctx.packet",
        **figures_of(figures, hashed=hashed),
        "budget": packet.request.budget,
        "tokens": packet.tokens,
        "degraded": bool(packet.selection.degraded),
        "overshoot": bool(packet.selection.overshoot),
        "replayed": replayed,
    }
    if replayed:
        told["planner_ms"] = 0.0  # nothing was planned
    return json.dumps(told) + "\n"


def figures_of(figures: Metrics, *, hashed: bool = False) -> dict[str, object]:
    """Return metrics by name, as JSON has them."""
    top = [{"id": digest_of(id_) if hashed else id_, "score": score} for id_, score in figures.top3]
    return {**figures._asdict(), "top3": top}


_MB = 1024 * 1024


def compose(flags: dict[str, object], root: str, world: World, key: str) -> response_cache.Record:
    """Return what a new packet prints, and remember it for the call ``key``."""
    loaded = load(root, world, flags)
    check(flags, loaded.settings)
    places = world.prepare(root)
    kept = _memory_of(places.state, loaded.settings)
    known = look(kept) if kept else ()
    packet = make(flags, loaded.settings, root, places, world)
    record = _record(packet, loaded.settings, flags)
    note_said(places, packet, world)
    # What changes the memory of its session has to be made, and delivered, each time.
    if places.cache and packet.lasting and record.memory is None:
        absent = project_of(root, loaded.settings.authored, world.home).absent
        seen = {**absent, **seen_of(packet.context, packet.request, loaded)}
        if kept:
            seen[kept] = known
        again = record
        if flags.get("log_json"):
            again = _record(packet, loaded.settings, flags, replayed=True)
        response_cache.remember(places.cache, key, again, seen, world.now_ns)
    return record


def note_said(places: Places, packet: Packet, world: World) -> None:
    """Count, for rankings of later days, what ``packet`` says for what it is worth now."""
    if places.state:
        counts.note(places.state, _told(packet), _date(world.today))


def check(flags: Mapping[str, object], settings: Settings) -> None:
    """Raise UsageError for options that need or exclude each other."""
    for name in ("cooldown", "delta"):
        if flags.get(name) and not settings.session and (name == "delta" or settings.cooldown):
            raise UsageError(
                f"--{name}: is kept for a session, and none is named", "add --session ID"
            )
    if flags.get("allow_overshoot"):
        if settings.strict:
            raise UsageError("--allow-overshoot: --strict refuses it", "ask for one of the two")
        if settings.planner != "acs":
            raise UsageError(
                "--allow-overshoot: no other planner than acs ever passes the budget",
                "add --planner acs",
            )
    if flags.get("hash_ids") and not flags.get("log_json"):
        raise UsageError("--hash-ids: hashes the ids of --log-json", "add --log-json")


def _memory_of(store: str, settings: Settings) -> str:
    """Return the file that holds what the session was told; empty where nothing is kept."""
    if not (store and settings.session):
        return ""
    from ctx.store import delivery_log

    return delivery_log.path(store, settings.session)


def make(
    flags: Mapping[str, object], settings: Settings, root: str, places: Places, world: World
) -> Packet:
    """Return the packet that ``flags`` and ``settings`` ask for."""
    request = asked(flags, settings, root, places, world)
    counting = counter(settings.tokenizer)

    def walk(shelf: Shelf, library: Answering) -> Packet:
        return assemble(request, counting, shelf, library, time.perf_counter)

    return with_store(walk, settings, request, places, world)


def asked(
    flags: Mapping[str, object], settings: Settings, root: str, places: Places, world: World
) -> Request:
    """Return the same as a request, as the agent's window and the session's memory have it."""
    request = request_of(flags, settings, root, world)
    if any(flags.get(name) is not None for name in WINDOW):
        request = press(request, flags, settings)
    if settings.session:
        known = Memory(settings.session, secrets=settings.allow_secrets)
        if places.state:
            from ctx.store import delivery_log

            kept = delivery_log.recall(places.state, settings.session)
            known = kept if kept.secrets == settings.allow_secrets else known
        request = request._replace(memory=known, now=world.now_ns / 1e9)
    return request


def request_of(flags: Mapping[str, object], settings: Settings, root: str, world: World) -> Request:
    """Return what ``flags`` and ``settings`` ask for."""
    query = str(flags.get("query") or "")
    project = project_of(root, settings.authored, world.home)
    focus = _focus(flags, project.root)
    return Request(
        root=root,
        state=places_of(root, world.environ, world.home).state,
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
        ranker=_ranker(settings, "".join((query, *focus))),
        planner=settings.planner,
        allow_overshoot=bool(flags.get("allow_overshoot")),
        focus=focus,
        news_only=bool(flags.get("delta")),
        figures=bool(flags.get("log_json") or flags.get("figures")),
        max_file_bytes=settings.max_file_mb * _MB,
        allow_links=settings.allow_links,
        allow_secrets=settings.allow_secrets,
        explain=bool(flags.get("explain")),
    )


def _focus(flags: Mapping[str, object], project: str) -> tuple[str, ...]:
    given = flags.get("focus")
    if not isinstance(given, list):
        return ()
    from ctx.app.focus import told_from

    return told_from(project, given)


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
    places: Places,
    world: World,
) -> _Answer:
    """Take a walk with the store's help where there is one, without where it fails."""

    def library(store: str) -> AbstractContextManager[Answering]:
        if not asks_for_words(request):
            return nullcontext(Fleeting())  # which is not asked
        from ctx.app.library import Library

        return Library(store, places.state, settings, world.environ, request.as_of)

    try:
        if places.cache:
            from ctx.store.parse_cache import Index

            try:
                mark = store_mark(settings)
                with (
                    Index(places.cache, mark, world.now_ns) as index,
                    library(places.cache) as means,
                ):
                    answer = walk(index, means)
                    index.forget_others(request.root)
                    return answer
            except ForgottenError:
                pass  # the damaged row is gone; what was remembered is read from the files
        with library("") as means:
            return walk(Forgetful(), means)
    except OSError as error:
        raise FileError(f"{request.root}: cannot be read: {error.strerror}") from error


def _record(
    packet: Packet, settings: Settings, flags: Mapping[str, object], *, replayed: bool = False
) -> response_cache.Record:
    err = "".join(f"ctx: {' '.join(note.split())}\n" for note in notes(packet, settings, flags))
    silent = packet.selection.is_silent and packet.request.format == "md"
    out = "" if silent else packet.text
    if packet.request.explain:
        from ctx.render.explain import as_json, as_table  # only when asked why

        if packet.request.format == "json":
            out = as_json(packet)
        else:
            err += as_table(packet)
    if flags.get("log_json"):
        err += line(packet, hashed=bool(flags.get("hash_ids")), replayed=replayed)
    if err:
        from ctx.text.visible import visible  # only where something is said beside the packet

        err = visible(err)
    code = DEGRADED if settings.strict and packet.selection.degraded else OK
    record = response_cache.Record(
        out.encode("utf-8", "replace"),
        err.encode(),
        code,
        settings.session,
        settings.cooldown,
    )
    record.memory = worth_noting(packet)
    return record


def notes(packet: Packet, settings: Settings, flags: Mapping[str, object]) -> Iterator[str]:
    """Yield what the person who asked should know."""
    yield from packet.warnings
    if packet.request.pressure:
        yield packet.request.pressure
    if (
        settings.session
        and packet.context.thread is None
        and not (settings.cooldown or flags.get("delta") or _was_told(packet))
    ):
        # With these the session is the host's own, and need not be one that was imported.
        yield (
            f"no session {settings.session!r} is stored, so none of its turns are said "
            "(`ctx session list` names those that are)"
        )
    if packet.selection.degraded:
        yield f"degraded: {packet.selection.degraded}"
    if packet.selection.overshoot:
        yield f"overshoot: {packet.selection.overshoot}"
    if packet.selection.is_silent:
        yield f"nothing new for session {settings.session!r}"


def _was_told(packet: Packet) -> bool:
    """Whether the session was told something before: then its name is no mistake."""
    return packet.request.memory is not None and bool(packet.request.memory.items)


def worth_noting(packet: Packet) -> Memory | None:
    """Return what the session knows now, None where that is what is remembered already.

    A hook that asks again and again changes nothing but times and counts; those are written
    every ten minutes, so that the same answer can be given without being made anew.
    """
    before, after = packet.request.memory, packet.memory
    if before is None or after is None:
        return None
    known, knows = (
        {key: (item.level, item.digest, item.pinned) for key, item in one.items.items()}
        for one in (before, after)
    )
    last = max((item.told for item in before.items.values()), default=0.0)
    fresh = 0 <= packet.request.now - last < _FRESH
    return None if known == knows and fresh else after


_FRESH = 600.0
"""Seconds for which a memory's times need not be true to the second."""


def _told(packet: Packet) -> list[str]:
    """Return the ids of what was chosen for what it says now, and said, not only mentioned."""
    return [
        one.entry.id
        for section in packet.selection.sections
        for one in section.said
        if one.entry.tier == "variant" and section.name not in ("tasks", "tail")
    ]


def seen_of(context: Context, request: Request, loaded: Loaded) -> dict[str, tuple[int, ...]]:
    """Return everything that a packet is made from, by absolute path."""
    root = request.root
    seen = {os.path.normpath(os.path.join(root, path)): sig for path, sig in context.seen.items()}
    seen.update(loaded.seen)
    if request.tokenizer.endswith(".json"):
        seen[os.path.abspath(request.tokenizer)] = look(request.tokenizer)
    return seen
