"""``ctx session compact``: summaries of the turns before the tail; every turn stays."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import Annotated

import typer

from ctx.app.find import find
from ctx.app.library import embedder_of
from ctx.app.options import PacketOptions
from ctx.app.sessions import named, state_of, tails
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import Tally, complain_of_none, complain_of_stale, each, readable
from ctx.cli.terminal import progress
from ctx.config import Settings, whole_number
from ctx.errors import EmbedderError, ServiceError
from ctx.llm.summarisers import check, writer
from ctx.model import EmbeddingError, Json, Summary, SummaryError, VectorSpace
from ctx.read import stored
from ctx.read.lineage import Declined, Elevated
from ctx.read.sessions import FOLDER
from ctx.sessions import compaction
from ctx.sessions.compaction.abstractive import Abstractive
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import shown
from ctx.text.vector_space import EmbeddedSpace, TermSpace
from ctx.world import World

Session = Annotated[
    str | None, typer.Option(metavar="ID", help="Only this session, or the one whose id begins so.")
]
_MOST_KINDS = 3  # reasons of one kind that a line names


@taking(
    "summariser", "embedder", "budget", "dir", "json",
    helps={"budget": "Budget whose share the tail keeps (default: 8000)."},
)  # fmt: skip
def compact(
    options: PacketOptions,
    *,
    session: Session = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done; write nothing.")
    ] = False,
    size: Annotated[
        str | None, typer.Option(metavar="N", help="Turns that a summary covers (default: 20).")
    ] = None,
    json: bool = False,
) -> int:
    """Summarise the turns before the tail; all turns stay, and `ctx session expand` shows them.

    All sessions, unless one is named. An interrupted run continues where it stopped. Exit
    codes: 0 done, also where nothing was to do, 2 usage or no such session, 4 no context
    directory, 6 a file that cannot be read or written, 7 the embedder or the summariser
    cannot be used.
    """
    world = World()
    root = find(options.dir or "", world)
    settings = load(root, world, options).settings
    state = state_of(root, world)
    when = datetime.fromtimestamp(world.now_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")
    every = tails(state, settings)
    turns = _size(size)
    asked = {name: compaction.Settings(turns, tail, when) for name, tail in every.items()}
    check(settings.summariser)
    with readable(state):
        names = [named(state, session)] if session else [*asked]
    if not names:
        complain_of_none(root)
    means = _means(settings, world) if names and not dry_run else None
    results: list[Result] = []

    def do(name: str) -> None:
        if means is None:
            result = _planned(state, name, asked[name])
        else:
            result = _compacted(state, name, asked[name], means, world)
        results.append(result)
        if not json:
            write_lines([_line(result, dry=dry_run)])

    try:
        code = each(names, do)
    except KeyboardInterrupt:
        if means:
            complain("what is summarised is kept: running it again goes on from there")
        raise
    if json:
        sessions = [_object(result) for result in results]
        write_json({"dry_run": dry_run, "sessions": sessions}, ascii_only=True)
    return code


class SummariserError(ServiceError):
    """A summariser that cannot be used."""


class Result(Tally):
    """What became of one session."""

    def __init__(self, state: str, name: str) -> None:
        super().__init__()
        self.id = stored.identity(state, name)
        self.name = name
        self.tail = 0
        self.elevated = 0
        self.declined: Counter[str] = Counter()  # clusters without a summary, by why
        self.refused: Counter[str] = Counter()  # summaries that are not what was asked for, by why

    @property
    def summaries(self) -> int:
        """How many were made."""
        return self.levels.total()

    def take(self, event: compaction.Event) -> int:
        """Count an event; return how many turns are done with it."""
        done = 0
        match event:
            case Elevated():
                self.elevated += 1
                done = 1
            case Declined():
                self.declined[event.why] += 1
                done = event.turns if event.level == 1 else 0
            case Summary():
                self.count(event)
                self.refused.update([event.note] if event.note else [])
                done = event.turns if event.level == 1 else 0
            case compaction.Look():
                self.tail = event.tail
            case compaction.Silenced(why):
                complain(f"{shown(self.id)}: the summariser is not asked again: {why}")
            case compaction.Mended(what):
                complain(what)
            case _:
                pass
        return done


def _size(text: str | None) -> int:
    """Return the size that was asked for; 0, which means the usual one, for one below."""
    if text is None:
        return 0
    below = text.strip().startswith("-")
    size = whole_number("--size", text.strip().removeprefix("-"), "a whole number")
    return 0 if below else size


def _means(settings: Settings, world: World) -> compaction.Means:
    """Return what summaries are made with, asked once so that a fault shows before any is."""
    space: VectorSpace = TermSpace()
    if settings.embedder != "none":
        try:
            space = EmbeddedSpace(embedder_of(settings, world.environ))
            space.of(["What is this about?"])
        except EmbeddingError as error:
            raise EmbedderError(str(error)) from error
    try:
        made = writer(settings.summariser, world.environ, settings.summary_seconds)
    except SummaryError as error:
        raise SummariserError(str(error)) from error
    if made is None:
        return compaction.Means(space, None, settings.allow_secrets)
    return compaction.Means(space, Abstractive(made), settings.allow_secrets)


def _planned(state: str, name: str, asked: compaction.Settings) -> Result:
    result = Result(state, name)
    plan = compaction.plan(state, name, asked)
    result.tail = plan.tail
    result.summarised, result.elevated = plan.turns, plan.elevated
    result.levels[1] = plan.clusters
    return result


def _compacted(
    state: str, name: str, asked: compaction.Settings, means: compaction.Means, world: World
) -> Result:
    result = Result(state, name)
    complain_of_stale(state, name)
    events = compaction.compact(state, name, asked, means)
    done, show = 0, None
    try:
        with closing(events), ExitStack() as bar:
            for event in events:
                if isinstance(event, compaction.Began):
                    bar.close()
                    show = bar.enter_context(
                        progress(shown(result.id), event.left, world, counts="turns")
                    )
                    done = 0
                done += result.take(event)
                if show:
                    show(done)
    except EmbeddingError as error:
        raise EmbedderError(
            f"{shown(result.id)}: {error}", "what is summarised is kept: run it again to go on"
        ) from error
    return result


def _line(result: Result, *, dry: bool) -> str:
    name = shown(result.id)
    if not (result.summaries or result.elevated or result.declined):
        return f"{name}: nothing to do, {counted(result.tail, 'turn')} in the tail"
    if dry:
        rules = f", {result.elevated:,} elevated" if result.elevated else ""
        clusters = counted(result.levels[1], "cluster")
        return (
            f"{name}: {counted(result.summarised, 'turn')} in {clusters} would be summarised{rules}"
        )
    return f"{name}: {', '.join(_parts(result))}"


def _parts(result: Result) -> Iterator[str]:
    yield f"{counted(result.summarised, 'turn')} in {counted(result.levels[1], 'summary')}"
    if more := result.summaries - result.levels[1]:
        yield f"{counted(more, 'summary')} of summaries"
    if result.elevated:
        yield f"{result.elevated:,} elevated"
    if result.declined:
        yield f"{counted(result.declined.total(), 'cluster')} declined{_why(result.declined)}"
    if result.ratio is not None:
        yield f"{result.ratio:g} tokens in one"
        yield f"mean confidence {result.confidence:g}"
    if result.refused:
        yield f"{result.refused.total():,} not as asked for{_why(result.refused)}"


def _why(kinds: Counter[str]) -> str:
    reasons = [f"{count:,} {shown(why)}" for why, count in kinds.most_common(_MOST_KINDS)]
    return f" ({'; '.join(reasons)}{'; …' if len(kinds) > _MOST_KINDS else ''})"


def _object(result: Result) -> dict[str, Json]:
    return {
        "id": result.id,
        "file": f"{FOLDER}/{result.name}",
        "tail": result.tail,
        "turns": result.summarised,
        "summaries": {str(level): count for level, count in sorted(result.levels.items())},
        "elevated": result.elevated,
        "declined": dict(result.declined),
        "not_as_asked": dict(result.refused),
        "covered": result.turn_tokens,
        "tokens": result.summary_tokens,
        "ratio": result.ratio,
        "confidence": result.confidence,
    }
