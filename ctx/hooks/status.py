"""``ctx hook status``: which tools ask ctx, from where, what came of it, and what to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import find
from ctx.errors import OK, CtxError, NoDirectoryError
from ctx.hooks import call, git
from ctx.hooks import places as where
from ctx.hooks.install import switched_off
from ctx.hooks.settings import program_of
from ctx.hooks.settings_file import holding, look, to_install
from ctx.hosts import GIT, GIT_EVENT, NAMES
from ctx.repository import main_checkout
from ctx.streams import write_json, write_lines
from ctx.text.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.hooks.places import Settings
    from ctx.hosts.host import Hooks
    from ctx.world import World

_BAD = ("fault", "deadline")  # outcomes of a call after which a person should look


class Place(NamedTuple):
    """The hooks of ctx in one file of settings."""

    scope: str
    path: str  # as messages name it
    file: str
    events: tuple[str, ...] = ()  # at which the tool asks ctx, in the order of the file
    missing: tuple[str, ...] = ()  # at which it does not, though ctx would have it
    by_hand: tuple[str, ...] = ()  # events whose hook a person wrote
    program: str = ""  # what the commands call, as it is written there
    found: bool = True  # whether that is found on the PATH of this shell
    current: bool = True  # whether the hooks are what `install` would write now
    problem: str = ""  # why the settings cannot be read; empty where they can


class Report(NamedTuple):
    """What is known of one tool."""

    tool: str
    title: str
    places: tuple[Place, ...]
    last: dict[str, str]  # the last call, by ``log.FIELDS``; empty where there was none
    advice: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether the tool asks ctx anywhere."""
        return any(place.events for place in self.places)


def status(named: str, world: World) -> list[Report]:
    """Return what is known of every tool, in the order of the registry. Changes nothing."""
    folder = where.project(named, world)
    calls = _calls(named, world)
    every = {name: _places(where.tool_named(name), folder, world) for name in NAMES}
    found = {name: tuple(_place(one, world) for one in every[name]) for name in NAMES}
    reports = []
    for name, places in found.items():
        tool = where.tool_named(name)
        also = (one for one in tool.also_run_by if any(place.events for place in found[one]))
        others = [where.tool_named(one).title for one in also]
        last = calls.get(name, {})
        is_used = any(place.events for place in places)
        off = switched_off(every[name], folder, world) if is_used else []
        asking = [one.place for one, at in zip(every[name], places, strict=True) if at.events]
        below = where.not_run(tool, asking, folder, world)
        advice = (*off, *below, *_advice(tool, places, others, last))
        reports.append(Report(name, tool.title, places, last, advice))
    reports.append(_git(folder, calls.get(GIT, {}), world))
    return reports


def _places(tool: Hooks, folder: str, world: World) -> list[Settings]:
    """Return the places of a tool, with those of the main checkout that count in this one."""
    main, found = folder and main_checkout(folder), where.places(tool, folder, world)
    if os.path.realpath(main) != os.path.realpath(folder):
        for place in tool.places:
            if place.reach == "everywhere":
                there = where.settings(tool, place, main, world)
                found.append(there._replace(shown=where.from_home(there.file.path, world)))
    return found


def run(named: str, world: World, *, as_json: bool) -> int:
    """Print the status; return the exit code."""
    reports = status(named, world)
    if not as_json:
        write_lines(_lines(reports))
        return OK
    tools = [
        {
            **report._asdict(),
            "places": [
                {**place._asdict(), "file": shown(place.file), "path": shown(place.path)}
                for place in report.places
            ],
            "last": report.last or None,
        }
        for report in reports
    ]
    write_json({"tools": tools}, ascii_only=True)
    return OK


def _calls(named: str, world: World) -> dict[str, dict[str, str]]:
    try:
        root = find(named, world)
    except NoDirectoryError:
        return {}
    state = world.store(root).state
    lines = call.last(state) if state else {}
    return {tool: dict(zip(call.FIELDS, line, strict=True)) for tool, line in lines.items()}


def _place(settings: Settings, world: World) -> Place:
    place = Place(settings.place.scope, settings.shown, settings.file.path)
    tool = settings.tool
    try:
        hooks = holding(settings.file, tool.name, settings.shown)
        own = [hook for hook in hooks if hook.own]
        program = program_of(own[0].command) if own else ""
        head = own[0].command.partition(" hook run ")[0] if own else ""
        called = head.rpartition("; ")[2].strip()
        captures = any(hook.event in tool.captures for hook in own)
        plan = to_install(settings.wanted(called, captures=captures), settings.shown)
        current = not own or not look(settings.file, plan).changes
    except CtxError as error:
        return place._replace(problem=str(error))
    there = tuple(dict.fromkeys(hook.event for hook in hooks))
    wanted = (*tool.events, *tool.others) if there else ()
    return place._replace(
        events=there,
        missing=tuple(event for event in wanted if event not in there),
        by_hand=tuple(hook.event for hook in hooks if not hook.own),
        program=program,
        found=not program or where.finds(program, world),
        current=current,
    )


def _git(folder: str, last: dict[str, str], world: World) -> Report:
    found = git.state(folder, world) if folder else None
    if found is None:
        return Report(GIT, "git", (), last, ())
    hook, asks = found
    place = Place("project", hook.shown, hook.file.path, (GIT_EVENT,) if asks else ())
    advice = []
    if asks and not (hook.executable or hook.husky):
        advice.append(f"{hook.shown} is not executable: git does not run it")
    advice += _bad(last)
    return Report(GIT, "git", (place,), last, tuple(advice))


def _advice(
    tool: Hooks, places: Sequence[Place], others: Sequence[str], last: dict[str, str]
) -> Iterator[str]:
    asking = [place for place in places if place.events]
    for place in places:
        if place.problem:
            yield place.problem
        elif not place.current:
            yield f"{place.path}: of another release; ctx hook install {tool.name} --{place.scope}"
        elif place.missing:
            missing = " and ".join(place.missing)
            yield f"{place.path}: not at {missing}; ctx hook install {tool.name} --{place.scope}"
        if not place.found:
            yield f"{place.path}: {shown(place.program)} is not found on the PATH of this shell"
    doubled = [event for event in tool.events if sum(event in one.events for one in asking) > 1]
    if doubled:
        more = asking[-1]
        yield (
            f"{' and '.join(doubled)}: asked from {' and '.join(one.path for one in asking)}, "
            f"which costs two calls; ctx hook uninstall {tool.name} --{more.scope}"
        )
    if asking and others:
        yield (
            f"{' and '.join(others)} can run the hooks of {tool.title}, too, and ask ctx by "
            "hooks of their own: what was sent once is not sent again"
        )
    if asking:
        yield from _bad(last)


def _bad(last: dict[str, str]) -> Iterator[str]:
    if last.get("outcome") in _BAD:
        why = "took too long" if last["outcome"] == "deadline" else "went wrong"
        reason = "" if last["reason"] in ("-", "") else f" ({shown(last['reason'])})"
        yield (
            f"the last call {why}{reason}, so nothing was sent; "
            f"{call.NAME} has the others (`ctx cache` shows where)"
        )


def _lines(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        if report.asks or report.advice:
            yield f"{report.title}"
            for place in report.places:
                if place.events:
                    hand = ", by a hook of your own" if place.by_hand else ""
                    yield f"  {place.scope}: {place.path} ({', '.join(place.events)}{hand})"
            if report.last:
                one = report.last
                why = "" if one["reason"] == "-" else f": {shown(one['reason'])}"
                yield (
                    f"  last: {shown(one['time'])} {shown(one['event'])}, "
                    f"{shown(one['outcome'])}{why}, {shown(one['took'])}"
                )
            for line in report.advice:
                yield f"  ! {line}"
    silent = [report.tool for report in reports if not report.asks]
    if silent:
        yield f"not asked by: {', '.join(silent)} (ctx hook install TOOL)"
