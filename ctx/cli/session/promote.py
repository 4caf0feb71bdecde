"""``ctx session promote``: turns that deserve to become entries, and adding those accepted."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ctx.app import promotion
from ctx.app.editor import EditorError
from ctx.app.editor import edit as _edit
from ctx.app.library import embedder_of
from ctx.app.session_state import named, state_of
from ctx.app.settings import load
from ctx.cli.progress import progress
from ctx.cli.session.state import complain_of_none
from ctx.config.numbers import whole
from ctx.errors import OK, UNREADABLE, CtxError, EmbedderError, FileError
from ctx.model import EmbeddingError
from ctx.read.files import Limits, RefusedError, shown
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.sessions.promotion.gate import LEAST
from ctx.streams import answers as _reads_terminal
from ctx.streams import complain, safe, safe_json, write_err, write_out
from ctx.text.vector_space import EmbeddedSpace, TermSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.app.options import PacketOptions
    from ctx.app.promotion import Candidate, Memory
    from ctx.config import Settings
    from ctx.model import VectorSpace
    from ctx.sessions.promotion.near_duplicates import Twin, Twins
    from ctx.world import World

_SECONDS = 600.0
"""Most time for one batch of texts: a model that is loaded for the first time may need it."""
_MB = 1024 * 1024
_DIGITS = 4
_ASKED = "accept, edit, skip or quit? [a/e/s/q] "
_ANSWERS = {"accept": "accept", "yes": "accept", "edit": "edit", "skip": "skip", "no": "skip",
            "quit": "quit"}  # fmt: skip
_CHOICES = "a (accept), e (edit), s (skip) or q (quit)"
_HINT = "<!-- The first line is the title, the rest the text. Leave nothing to skip it. -->"


class Options(NamedTuple):
    """What was asked for beside the settings, as typed."""

    session: str | None = None
    """None: all sessions."""
    limit: str | None = None
    """None: all proposals."""
    yes: bool = False
    as_json: bool = False


class Repeated(NamedTuple):
    """A candidate that says what an entry says, or another candidate."""

    candidate: Candidate
    twin: Twin


class Outcome:
    """What became of the candidates."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.open: list[Candidate] = []
        """Proposed, and neither added nor refused."""
        self.added: list[tuple[Candidate, str]] = []
        """Each with the id of its entry."""
        self.refused: list[Repeated] = []
        """Those that repeat an entry, of the files or added just now."""
        self.again: list[Repeated] = []
        """Those of a listing that say what another one says; the twin is that turn."""
        self.skipped = 0
        self.failed: CtxError | None = None
        """Why no more was added."""

    @property
    def proposed(self) -> int:
        """How many were proposed, whatever became of them."""
        return len(self.open) + len(self.again) + len(self.added) + self.skipped


def run(root: str, options: Options, given: PacketOptions, world: World) -> int:
    """Propose turns, and add those that are accepted; return the exit code.

    On a terminal each is asked about, otherwise all are added with ``yes`` and none without.
    Each is written at once: what was accepted stays, however this ends. A file that cannot be
    read is named and left out, and the code says so.
    """
    settings = load(root, world, given).settings
    limit = promotion.MOST_PROPOSED
    if options.limit is not None:
        limit = whole("--limit", options.limit, least=1)
    state = state_of(root, world)
    names = _names(state, options.session)
    limits = Limits(
        settings.max_file_mb * _MB, settings.allow_links, allow_secrets=settings.allow_secrets
    )
    known = promotion.memory(root, limits)
    unreadable: list[str] = []

    def refuse(why: str) -> None:
        complain(why)
        unreadable.append(why)

    for warning in known.warnings:
        refuse(warning)
    if not names:
        complain_of_none(root)
    try:
        space = _space(settings, world)
        with progress("sessions", sum(_size(state, name) for name in names), world) as show:
            listener = promotion.Listener(show or promotion.SILENT.done, refuse)
            sessions = promotion.Sessions(state, names, settings.allow_secrets)
            found = promotion.candidates(sessions, known, space, limit, listener)
        twins = promotion.twins(known, found, space)
    except EmbeddingError as error:
        raise EmbedderError(str(error)) from error
    work = _Work(root, known, limits, world)
    asks = world.at_terminal() and _reads_terminal() and not (options.yes or options.as_json)
    outcome = work.ask(found, twins) if asks else work.take(found, twins, add=options.yes)
    _say(outcome, options, asked=asks)
    if outcome.failed:
        raise outcome.failed
    return UNREADABLE if unreadable else OK


def _names(state: str, session: str | None) -> list[str]:
    """Return the files of the sessions that are asked for."""
    try:
        if session is not None:
            return [named(state, session)]
        return stored.names(state)
    except RefusedError as error:
        raise FileError(str(error)) from error
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error


def _space(settings: Settings, world: World) -> VectorSpace:
    if settings.embedder == "none":
        return TermSpace()
    return EmbeddedSpace(embedder_of(settings, world.environ, _SECONDS))


def _size(state: str, name: str) -> int:
    try:
        return os.stat(os.path.join(state, FOLDER, name)).st_size
    except OSError:
        return 0  # it is named when it is read


# --- accepting ----------------------------------------------------------------------------


class _Work:
    """Adds entries to one directory."""

    def __init__(self, root: str, known: Memory, limits: Limits, world: World) -> None:
        self._root = root
        self._known = known
        self._limits = limits
        self._environ = world.environ
        # The local time: entries are dated by the days that people live by.
        self._now = datetime.fromtimestamp(world.now_ns // 10**9).astimezone()

    def take(self, found: Sequence[Candidate], twins: Twins, *, add: bool) -> Outcome:
        """Add all that repeat nothing, or, without ``add``, only say which those are."""
        outcome = Outcome()
        listed = {one.source for one in found}
        for place, one in enumerate(found):
            twin = twins.of(place)
            if twin:
                above = not add and twin.id in listed
                (outcome.again if above else outcome.refused).append(Repeated(one, twin))
            elif not add:
                outcome.open.append(one)
                twins.accept(place, one.source)
            else:
                try:
                    twins.accept(place, self._add(one, outcome))
                except CtxError as error:
                    outcome.failed = error
                    outcome.open += found[place:]
                    break
        return outcome

    def _add(self, one: Candidate, outcome: Outcome) -> str:
        name = promotion.accept(self._root, one, self._known, self._limits, self._now)
        outcome.added.append((one, name))
        return name

    def ask(self, found: Sequence[Candidate], twins: Twins) -> Outcome:
        """Ask about each; one that repeats an entry is named and passed over."""
        outcome = Outcome()
        for place, one in enumerate(found):
            twin = twins.of(place)
            if twin:
                outcome.refused.append(Repeated(one, twin))
                _tell(f"{_refusal(one, twin)}\n")
                continue
            _tell(f"\n{place + 1} of {len(found)}: {_shown(one)}")
            answer, wanted = _answer(one, self._environ)
            if answer == "quit":
                outcome.open += found[place:]
                break
            if wanted is None:
                outcome.skipped += 1
                continue
            name = self._add(wanted, outcome)
            twins.accept(place, name)
            _tell(f"added {name}\n")
        return outcome


def _tell(text: str) -> None:
    """Show a text to who is asked: quoted material, so nothing in it is obeyed."""
    write_err(safe(text).encode("utf-8", "backslashreplace"))


def _answer(one: Candidate, environ: Mapping[str, str]) -> tuple[str, Candidate | None]:
    """Return what a person wants of a candidate, and it as they want it; None to skip it."""
    while True:
        _tell(_ASKED)
        line = sys.stdin.readline()
        if not line:
            _tell("\n")
            return "quit", None
        said = line.strip().lower()
        answers = {answer for word, answer in _ANSWERS.items() if said and word.startswith(said)}
        answer = answers.pop() if len(answers) == 1 else ""
        if not answer:
            _tell(f"answer {_CHOICES}\n")
        elif answer != "edit":
            return answer, one if answer == "accept" else None
        else:
            try:
                return answer, _edited(one, environ)
            except EditorError as error:
                _tell(f"{error}\n")


def _edited(one: Candidate, environ: Mapping[str, str]) -> Candidate | None:
    """Return a candidate as somebody edits it; None where they leave nothing."""
    changed = _edit(f"{one.title}\n\n{one.text}\n\n{_HINT}\n", environ, complain)
    title, _, rest = changed.replace(_HINT, "").strip().partition("\n")
    if not title.strip():
        return None
    return one._replace(title=title.strip(), text=rest.strip() or title.strip())


# --- saying -------------------------------------------------------------------------------


def _say(outcome: Outcome, options: Options, *, asked: bool) -> None:
    """Say what became of the candidates; who was asked was told of each already."""
    if options.as_json:
        text = safe_json(f"{json.dumps(_object(outcome), ensure_ascii=False, indent=1)}\n")
    else:
        text = safe("".join(_lines(outcome, asked=asked)))
    write_out(text.encode("utf-8", "replace"))


def _lines(outcome: Outcome, *, asked: bool) -> Iterator[str]:
    if not asked:
        yield from (f"{_shown(one)}\n" for one in outcome.open)
        yield from (f"{_above(*one)}\n" for one in outcome.again)
        yield from (f"added {name}: {one.title} ({one.source})\n" for one, name in outcome.added)
        yield from (f"{_refusal(*one)}\n" for one in outcome.refused)
    yield f"{', '.join(_figures(outcome, asked=asked))}\n"
    if outcome.open and not outcome.added and not outcome.failed and not asked:
        yield "nothing was written: --yes adds them, a terminal asks about each\n"


def _figures(outcome: Outcome, *, asked: bool) -> Iterator[str]:
    again = f" ({len(outcome.again):,} as another above)" if outcome.again else ""
    yield f"{outcome.proposed:,} proposed{again}"
    yield f"{len(outcome.added):,} added"
    if asked:
        yield f"{outcome.skipped:,} skipped"
    if outcome.open and (asked or outcome.failed):
        yield f"{len(outcome.open):,} left"
    yield f"{len(outcome.refused):,} refused as repeating an entry"


def _shown(one: Candidate) -> str:
    who = f"{one.role} ({one.speaker})" if one.speaker else one.role
    when = f", {one.ts}" if one.ts else ""
    parts = ", ".join(f"{name} {getattr(one.parts, field):.2f}" for field, name in _WORDS.items())
    quoted = "\n".join(f"  > {line}" for line in one.text.split("\n"))
    return (
        f"{one.kind}: {one.title}\n  {shown(f'{one.source}, {who}{when}')}\n"
        f"  score {one.score:.2f} (from {LEAST} on): {parts}\n{quoted}\n"
    )


def _above(one: Candidate, twin: Twin) -> str:
    return f"{one.kind}: {one.title}\n  {one.source}, as {twin.id} above ({_like(twin)})\n"


def _refusal(one: Candidate, twin: Twin) -> str:
    return f"refused {one.source}: {one.title}: repeats {twin.id} ({_like(twin)})"


def _like(twin: Twin) -> str:
    return f"{twin.how} {twin.likeness:.2f}"


_WORDS = {
    "t": "technical", "h": "new", "f": "repeated", "s": "already known", "d_nl": "states",
    "p": "concrete", "a": "settles", "d_tech": "explains",
}  # fmt: skip
"""What a person reads of the parts of a score, all that others do not follow from."""
_NAMES = {
    "t": "T", "g_conv": "G_conv", "h": "H", "f": "F", "s": "S", "r": "R", "d_nl": "D_nl",
    "g_tech": "G_tech", "p": "P", "a": "A", "d_tech": "D_tech",
}  # fmt: skip
"""What the source calls the parts of a score."""


def _parts(one: Candidate) -> dict[str, float]:
    return {name: round(getattr(one.parts, field), _DIGITS) for field, name in _NAMES.items()}


def _object(outcome: Outcome) -> dict[str, object]:
    return {
        "proposed": [_told(one) for one in outcome.open],
        "added": [{"id": name, **_told(one)} for one, name in outcome.added],
        "again": [_beside(*one) for one in outcome.again],
        "refused": [_beside(*one) for one in outcome.refused],
    }


def _beside(one: Candidate, twin: Twin) -> dict[str, object]:
    likeness = round(twin.likeness, _DIGITS)
    return {**_told(one), "twin": twin.id, "how": twin.how, "likeness": likeness}


def _told(one: Candidate) -> dict[str, object]:
    fields = one._asdict()
    fields["score"] = round(one.score, _DIGITS)
    fields["parts"] = _parts(one)
    return fields
