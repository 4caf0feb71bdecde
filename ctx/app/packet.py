"""Make a packet: its request, the walk, and the record that the response cache keeps."""

from __future__ import annotations

import json
import os
import time
from datetime import date

from ctx.app.find import located
from ctx.app.walk import assemble
from ctx.app.workspace import Workspace
from ctx.config import whole_number
from ctx.errors import DEGRADED, OK, UsageError
from ctx.model import BY_BENEFIT, Memory, Request, digest_of
from ctx.store import Record, look
from ctx.text.names import shown
from ctx.text.tokens import counter
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.app.options import PacketOptions
    from ctx.config import Settings
    from ctx.model import Context, JsonObject, Library, Metrics, Packet, ParseCache
    from ctx.store import Store
    from ctx.world import World


WINDOW = ("context_length", "used_tokens", "threshold_tokens")  # how full the agent's window is
_FRESH = 600.0  # seconds for which a memory's times need not be true to the second


def compose(options: PacketOptions, root: str, world: World, key: str) -> Record:
    """Return what a new packet prints, and remember it for the call ``key``."""
    workspace = Workspace(options, world, root=root)
    settings, store = workspace.settings, workspace.store
    check(options, settings)
    log = store.log_of(settings.session)
    signature = look(log) if log else ()
    packet = make(workspace)
    record = _record(packet, workspace)
    count_included(store, packet, world)
    # What changes the memory of its session has to be made, and delivered, each time.
    if store.cache and packet.lasting and record.memory is None:
        seen = {**workspace.project.absent, **seen_of(packet.context, packet.request, workspace)}
        if log:
            seen[log] = signature
        again = _record(packet, workspace, cached=True) if options.log_json else record
        store.remember(key, again, seen, world.now_ns)
    return record


def check(options: PacketOptions, settings: Settings) -> None:
    """Raise UsageError for options that need or exclude each other."""
    for name in ("cooldown", "delta"):
        given = getattr(options, name)
        if given and not settings.session and (name == "delta" or settings.cooldown):
            raise UsageError(
                f"--{name}: is kept for a session, and none is named", "add --session ID"
            )
    if options.allow_overshoot:
        if settings.strict:
            raise UsageError("--allow-overshoot: --strict refuses it", "ask for one of the two")
        if settings.planner != BY_BENEFIT:
            raise UsageError(
                "--allow-overshoot: no other planner than acs is ever over budget",
                "add --planner acs",
            )
    if options.hash_ids and not options.log_json:
        raise UsageError("--hash-ids: hashes the ids of --log-json", "add --log-json")


def make(workspace: Workspace) -> Packet:
    """Return the packet that the workspace's options and settings ask for."""
    request = request_of(workspace)
    counting = counter(workspace.settings.tokenizer)

    def work(cache: ParseCache, library: Library) -> Packet:
        return assemble(request, counting, cache, library, time.perf_counter)

    return workspace.walk(work, request)


def request_of(workspace: Workspace) -> Request:
    """Return the request, as the agent's window and the session's memory allow it."""
    request = workspace.request()
    options, settings = workspace.options, workspace.settings
    if any(getattr(options, name) is not None for name in WINDOW):
        request = _under_pressure(request, options, settings)
    if settings.session:
        memory = Memory(settings.session, secrets=settings.allow_secrets)
        if workspace.store.state:
            received = workspace.store.received(settings.session)
            memory = received if received.secrets == settings.allow_secrets else memory
        request = request._replace(memory=memory, now=workspace.world.now_ns / 1e9)
    return request


def _under_pressure(request: Request, options: PacketOptions, settings: Settings) -> Request:
    """Return ``request`` as the agent's window has room (``strategy.md``); raises UsageError."""

    def figure(name: str) -> int | None:
        text = getattr(options, name)
        if text is None:
            return None
        return whole_number(f"--{name.replace('_', '-')}", str(text), "a whole number of tokens")

    length, used, threshold = map(figure, WINDOW)
    if length is None:
        name = next(name for name in WINDOW if getattr(options, name) is not None)
        raise UsageError(f"--{name.replace('_', '-')}: needs --context-length as well")
    from ctx.app import window

    full = window.pressure(length, used or 0, threshold or 0)
    allowed = window.limits(full)
    signals = [signal.strip() for signal in settings.memory_signals.split(",")]
    retrieves = window.retrieves(full, request.query, signals)
    rules_only = allowed.strategy == "skip"
    budget = min(request.budget, window.free_tokens(length, used or 0))
    if rules_only:
        what = "only the rules are included"
    elif retrieves:
        what = f"{allowed.entries} entries a section, trust {allowed.least_trust} and up"
    else:
        what = "nothing is retrieved, as no query asks for earlier work"
    return request._replace(
        budget=budget,
        rules_budget=request.budget,
        most_entries=allowed.entries if retrieves else 0,
        least_trust=allowed.least_trust,
        rules_only=rules_only,
        pressure=f"pressure {full:.2f}, {allowed.strategy}: {what}; budget {budget:,}",
    )


def count_included(store: Store, packet: Packet, world: World) -> None:
    """Count, for rankings of later days, the entries that were chosen for their content now."""
    store.count(
        [
            included.entry.id
            for section in packet.selection.sections
            for included in section.included  # not the titles
            if included.entry.tier == "variant" and section.name not in ("tasks", "tail")
        ],
        date.fromisoformat(world.today),
    )


def seen_of(context: Context, request: Request, workspace: Workspace) -> dict[str, tuple[int, ...]]:
    """Return everything that a packet is made from, by absolute path."""
    root = request.root
    seen = {os.path.normpath(os.path.join(root, path)): sig for path, sig in context.seen.items()}
    seen.update(workspace.loaded.seen)
    seen.update((path, look(path)) for path in workspace.surroundings.looked)
    if request.tokenizer.endswith(".json"):
        seen[os.path.abspath(request.tokenizer)] = look(request.tokenizer)
    return seen


def _record(packet: Packet, workspace: Workspace, *, cached: bool = False) -> Record:
    options, settings = workspace.options, workspace.settings
    err = "".join(f"ctx: {' '.join(note.split())}\n" for note in notes(packet, workspace))
    silent = packet.selection.has_no_news and packet.request.format == "md"
    out = "" if silent else packet.text
    if packet.request.explain:
        from ctx.render.explain import as_json, as_table  # only when asked why

        if packet.request.format == "json":
            out = as_json(packet)
        else:
            err += as_table(packet)
    if options.log_json:
        err += _log_line(packet, hashed=bool(options.hash_ids), cached=cached)
    if err:
        from ctx.text.visible import visible  # only where there is more than the packet

        err = visible(err)
    code = DEGRADED if settings.strict and packet.selection.degraded else OK
    record = Record(
        out.encode("utf-8", "replace"), err.encode(), code, settings.session, settings.cooldown
    )
    record.memory = worth_noting(packet)
    return record


def notes(packet: Packet, workspace: Workspace) -> Iterator[str]:
    """Yield what the person who asked should know."""
    settings, memory = workspace.settings, packet.request.memory
    yield from (located(line, workspace.root, workspace.world.cwd) for line in packet.warnings)
    if packet.request.pressure:
        yield packet.request.pressure
    # With cooldown and delta the session is the host's own, and need not be one that was
    # imported; one that received something before is no mistake either.
    if (
        settings.session
        and packet.context.thread is None
        and not (settings.cooldown or workspace.options.delta or (memory and memory.items))
    ):
        yield (
            f"no session {shown(settings.session)!r} is stored, so none of its turns is included "
            "(`ctx session list` names those that are)"
        )
    if packet.selection.degraded:
        yield f"degraded: {packet.selection.degraded}"
    if packet.selection.overshoot:
        yield f"overshoot: {packet.selection.overshoot}"
    if packet.selection.has_no_news:
        yield f"nothing new for session {settings.session!r}"


def worth_noting(packet: Packet) -> Memory | None:
    """Return what the session has received now, None where that is what is remembered already.

    A hook that asks again and again changes nothing but times and counts; those are written
    every ten minutes, so that the same answer can be given without being made anew.
    """
    before, after = packet.request.memory, packet.memory
    if before is None or after is None:
        return None
    old, new = (
        {key: (item.level, item.digest, item.pinned) for key, item in memory.items.items()}
        for memory in (before, after)
    )
    last = max((item.sent for item in before.items.values()), default=0.0)
    is_fresh = 0 <= packet.request.now - last < _FRESH
    return None if old == new and is_fresh else after


def _log_line(packet: Packet, *, hashed: bool, cached: bool) -> str:
    figures: JsonObject = {
        "event": "ctx.packet",
        **figures_of(packet.plan.metrics, hashed=hashed),
        "budget": packet.request.budget,
        "tokens": packet.tokens,
        "degraded": bool(packet.selection.degraded),
        "overshoot": bool(packet.selection.overshoot),
        "cached": cached,
    }
    if cached:
        figures["planner_ms"] = 0.0  # nothing was planned
    return json.dumps(figures) + "\n"


def figures_of(figures: Metrics, *, hashed: bool = False) -> JsonObject:
    """Return metrics by name as JSON has them; ``hashed`` ids are 16 hex digits each."""
    top = [{"id": digest_of(id_) if hashed else id_, "score": score} for id_, score in figures.top3]
    return {**figures._asdict(), "top3": top}
