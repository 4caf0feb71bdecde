"""Compaction of stored sessions, and how far they are summarised: what was done, counted."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing

from ctx.app.library import space_of
from ctx.app.session_import import Drawing
from ctx.config import Settings
from ctx.errors import EmbedderError, ServiceError
from ctx.llm.summarisers import writer
from ctx.model import EmbeddingError, Json, Summary, SummaryError
from ctx.read import lineage, stored
from ctx.read.lineage import Declined, Elevated
from ctx.sessions import compaction
from ctx.sessions.compaction.abstractive import Abstractive
from ctx.text.names import shown
from ctx.world import World

Complain = Callable[[str], object]  # takes a line for the user on what is wrong, or was mended


class SummariserError(ServiceError):
    """A summariser that cannot be used."""


class Tally:
    """The summaries of one session, or of several."""

    def __init__(self, state: str = "", name: str = "") -> None:
        """Begin with none; ``name`` is that of the session's file in ``state``."""
        self.name = name
        self.id = stored.identity(state, name) if name else ""
        self.levels: Counter[int] = Counter()  # summaries, by level
        self.methods: Counter[str] = Counter()  # likewise, by how they were made
        self.tail = 0  # turns that are left alone, since a packet may include them as they are
        self.elevated = 0  # turns in which a user gave a rule
        self.summarised = 0  # turns that summaries cover
        self.turn_tokens = 0  # tokens of these turns
        self.summary_tokens = 0  # tokens of the summaries of level 1
        self.confidences = 0.0  # the sum of all summaries

    def count(self, record: lineage.Record) -> None:
        """Count a rule, or a summary."""
        if isinstance(record, Elevated):
            self.elevated += 1
        if not isinstance(record, Summary):
            return
        self.levels[record.level] += 1
        self.methods[record.method] += 1
        self.confidences += record.confidence
        if record.level == 1:
            self.summarised += record.turns
            self.turn_tokens += record.covered
            self.summary_tokens += record.tokens

    @property
    def ratio(self) -> float | None:
        """Tokens of the covered turns over those of their summaries; None without any."""
        return round(self.turn_tokens / self.summary_tokens, 2) if self.summary_tokens else None

    @property
    def confidence(self) -> float | None:
        """The mean of all summaries; None without any."""
        return round(self.confidences / self.levels.total(), 3) if self.levels else None

    @property
    def by_level(self) -> dict[str, Json]:
        """How many summaries each level has, lowest first."""
        return {str(level): count for level, count in sorted(self.levels.items())}


class Compacted(Tally):
    """What a compaction did to one session, or would do."""

    def __init__(self, state: str, name: str) -> None:
        super().__init__(state, name)
        self.declined: Counter[str] = Counter()  # clusters without a summary, by why
        self.refused: Counter[str] = Counter()  # summaries that are not what was asked for, by why

    def take(self, event: compaction.Event, complain: Complain) -> int:
        """Count an event; return how many turns are done with it."""
        match event:
            case Elevated():
                self.count(event)
                return 1
            case Declined():
                self.declined[event.why] += 1
                return event.turns if event.level == 1 else 0
            case Summary():
                self.count(event)
                self.refused.update([event.note] if event.note else [])
                return event.turns if event.level == 1 else 0
            case compaction.Look():
                self.tail = event.tail
            case compaction.Silenced(why):
                complain(f"{shown(self.id)}: the summariser is not asked again: {why}")
            case compaction.Mended(what):
                complain(what)
            case _:
                pass
        return 0


def means_of(settings: Settings, world: World) -> compaction.Means:
    """Return what summaries are made with, asked once so that a fault shows before any is.

    Raises EmbedderError and SummariserError.
    """
    try:
        space = space_of(settings, world.environ)
        if settings.embedder != "none":
            space.of(["What is this about?"])
        made = writer(settings.summariser, world.environ, settings.summary_seconds)
    except EmbeddingError as error:
        raise EmbedderError(str(error)) from error
    except SummaryError as error:
        raise SummariserError(str(error)) from error
    return compaction.Means(space, Abstractive(made) if made else None, settings.allow_secrets)


def planned(state: str, name: str, asked: compaction.Settings) -> Compacted:
    """Return what a compaction of the session in the file ``name`` would do."""
    result = Compacted(state, name)
    plan = compaction.plan(state, name, asked)
    result.tail, result.elevated = plan.tail, plan.elevated
    result.summarised, result.levels[1] = plan.turns, plan.clusters
    return result


def compacted(  # noqa: PLR0913 - which session, with what, and who looks on
    state: str, name: str, asked: compaction.Settings, means: compaction.Means, *,
    complain: Complain, drawing: Drawing,
) -> Compacted:  # fmt: skip
    """Compact the session in the file ``name``; return what was done.

    Raises EmbedderError, and what ``compaction.compact`` does: what was written before stays.
    """
    result = Compacted(state, name)
    for line in stale(state, name):
        complain(line)
    done, show = 0, None
    try:
        with closing(compaction.compact(state, name, asked, means)) as events, ExitStack() as bar:
            for event in events:
                if isinstance(event, compaction.Began):
                    bar.close()
                    show = bar.enter_context(drawing(shown(result.id), event.left))
                    done = 0
                done += result.take(event, complain)
                if show:
                    show(done)
    except EmbeddingError as error:
        raise EmbedderError(
            f"{shown(result.id)}: {error}", "what is summarised is kept: run it again to go on"
        ) from error
    return result


class State(Tally):
    """How far one session is summarised, or all of them."""

    def __init__(self, state: str = "", name: str = "") -> None:
        super().__init__(state, name)
        self.turns = 0
        self.declined = 0  # turns of clusters without a summary
        self.open = 0  # turns before the tail that no compaction has looked at

    def add(self, other: "State") -> None:
        """Add what another one counts."""
        for name, value in vars(other).items():
            if name not in ("id", "name"):
                setattr(self, name, getattr(self, name) + value)

    def figures(self) -> dict[str, Json]:
        """Return all of it as JSON has it."""
        return {
            "turns": self.turns,
            "tail": self.tail,
            "covered": self.summarised,
            "elevated": self.elevated,
            "declined": self.declined,
            "not_compacted": self.open,
            "summaries": self.by_level,
            "methods": dict(sorted(self.methods.items())),
            "covered_tokens": self.turn_tokens,
            "summary_tokens": self.summary_tokens,
            "ratio": self.ratio,
            "confidence": self.confidence,
        }


def state_of(folder: str, name: str, tail: compaction.Tail, complain: Complain) -> State:
    """Return how far the session in the file ``name`` of ``folder`` is summarised."""
    state = State(folder, name)
    known = lineage.Lineage()
    for record in lineage.counting(folder, name, known):
        state.count(record)
        if isinstance(record, Declined) and record.level == 1:
            state.declined += record.turns
    if known.odd:
        many = "line does" if known.odd == 1 else "lines do"
        complain(f"{lineage.FOLDER}/{shown(name)}: {known.odd:,} {many} not count")
    for line in stale(folder, name):
        complain(line)
    seen = compaction.look(folder, name, compaction.Settings(0, tail, ""))
    state.turns, state.tail, state.open = seen.turns, seen.tail, seen.pending
    return state


def stale(state: str, name: str) -> list[str]:
    """Return a line on summaries whose turns were edited since; raises as ``lineage.stale``."""
    changed = lineage.stale(state, name)
    many = "summary stands" if changed == 1 else "summaries stand"
    line = (
        f"{lineage.FOLDER}/{shown(name)}: {changed:,} {many} for turns that were edited since "
        "(delete this file, and `ctx session compact` makes it anew)"
    )
    return [line] if changed else []
