"""``ctx session promote``: turns that deserve to become entries, and adding those accepted."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import typer

from ctx.app import promotion
from ctx.app.editing import limits_of
from ctx.app.editor import EditorError, edit
from ctx.app.find import find
from ctx.app.library import embedder_of
from ctx.app.links import links_of
from ctx.app.options import PacketOptions
from ctx.app.promotion import Candidate, Memory
from ctx.app.sessions import named, state_of
from ctx.app.settings import load
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, readable
from ctx.cli.session.compact import Session
from ctx.cli.terminal import progress
from ctx.config import whole_number
from ctx.errors import OK, UNREADABLE, CtxError, EmbedderError
from ctx.model import EmbeddingError, Json, VectorSpace
from ctx.read import stored
from ctx.read.files import Limits
from ctx.read.sessions import FOLDER
from ctx.sessions.promotion.gate import LEAST
from ctx.sessions.promotion.near_duplicates import NearDuplicate, NearDuplicates
from ctx.streams import answers, complain, prompt, write_json, write_lines
from ctx.text.names import masked, masked_all, shown
from ctx.text.vector_space import EmbeddedSpace, TermSpace
from ctx.world import World

_DIGITS = 4
_ASKED = "accept, edit, skip or quit? [a/e/s/q] "
_ANSWERS = {"accept": "accept", "yes": "accept", "edit": "edit", "skip": "skip", "no": "skip",
            "quit": "quit"}  # fmt: skip
_CHOICES = "a (accept), e (edit), s (skip) or q (quit)"
_HINT = "<!-- The first line is the title, the rest the text. Leave nothing to skip it. -->"


class Options(NamedTuple):
    """What was asked for beside the settings, as typed."""

    session: str | None = None  # None: all sessions
    limit: str | None = None  # None: all proposals
    yes: bool = False
    as_json: bool = False
    skipped: bool = False  # also what was skipped before


class Repeated(NamedTuple):
    """A candidate that repeats an entry, or another candidate."""

    candidate: Candidate
    same: NearDuplicate


class Outcome:
    """What became of the candidates."""

    def __init__(self) -> None:
        self.open: list[Candidate] = []  # proposed, and neither added nor refused
        self.added: list[tuple[Candidate, str]] = []  # each with the id of its entry
        self.refused: list[Repeated] = []  # repeat an entry, old or added just now
        self.again: list[Repeated] = []  # repeat another one of a listing, ``same``
        self.skipped = 0
        self.failed: CtxError | None = None  # why no more was added

    @property
    def proposed(self) -> int:
        """How many were proposed, whatever became of them."""
        return len(self.open) + len(self.again) + len(self.added) + self.skipped


@taking(
    "limit", "embedder", "dir", "json",
    helps={"limit": "Most proposals, best first (default: all)."},
)  # fmt: skip
def promote(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    *,
    session: Session = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Accept every proposal without asking.")
    ] = False,
    skipped: Annotated[
        bool, typer.Option("--skipped", help="Also turns that you skipped before.")
    ] = False,
    limit: str | None = None,
    json: bool = False,
) -> int:
    """Propose turns that deserve to become entries, and add those you accept.

    Standing instructions of users that are in force are proposed as conventions, other turns
    as decisions or learnings. On a terminal each is shown with its score: accept, edit or
    skip; what you skip is not proposed again without --skipped. In a pipe nothing is added
    without --yes. Exit codes: 0 done, 2 usage or no such session, 4 no context directory, 6 a
    file that cannot be read or written, 7 the embedder cannot be used.
    """
    world = World()
    asked = Options(session, limit, yes=yes, as_json=json, skipped=skipped)
    return run(find(options.dir or "", world), asked, options, world)


def run(root: str, options: Options, given: PacketOptions, world: World) -> int:
    """Propose turns, and add those that are accepted; return the exit code.

    On a terminal each is asked about, otherwise all are added with ``yes`` and none without.
    Each is written at once: what was accepted stays, however this ends. A file that cannot be
    read is named and left out, and shows in the code.
    """
    settings = load(root, world, given).settings
    limit = promotion.MOST_PROPOSED
    if options.limit is not None:
        limit = whole_number("--limit", options.limit, least=1)
    state = state_of(root, world)
    with readable(state):
        names = stored.names(state) if options.session is None else [named(state, options.session)]
    limits = limits_of(settings)._replace(allow_secrets=settings.allow_secrets)
    links = links_of(os.path.dirname(root), world, allow=settings.allow_links)
    known = promotion.memory(root, limits)._replace(links=links)
    unreadable: list[str] = []

    def refuse(why: str) -> None:
        complain(why)
        unreadable.append(why)

    if not options.skipped:
        known = known._replace(cited=known.cited | promotion.skipped(state))
    for warning in known.warnings:
        refuse(warning)
    if not names:
        complain_of_none(root)
    sessions = promotion.Sessions(state, names, settings.allow_secrets)
    rules, quoted = Workspace(given, world, root=root).read(
        lambda context: promotion.conventions(context, sessions, known.cited)
    )
    try:
        space: VectorSpace = TermSpace()
        if settings.embedder != "none":
            space = EmbeddedSpace(embedder_of(settings, world.environ))
        with progress("sessions", sum(_size(state, name) for name in names), world) as show:
            listener = promotion.Listener(show or promotion.SILENT.done, refuse)
            settled = known._replace(cited=known.cited | quoted)
            most = max(limit - len(rules), 0)
            found = rules[:limit] + promotion.candidates(sessions, settled, space, most, listener)
        found = promotion.reversing(found, known)
        near = promotion.duplicates(known, found, space)
    except EmbeddingError as error:
        raise EmbedderError(str(error)) from error
    work = _Work(root, state, known, limits, world)
    asks = world.at_terminal() and answers() and not (options.yes or options.as_json)
    outcome = work.ask(found, near) if asks else work.take(found, near, add=options.yes)
    _write(outcome, options, asked=asks)
    if outcome.failed:
        raise outcome.failed
    return UNREADABLE if unreadable else OK


def _size(state: str, name: str) -> int:
    try:
        return os.stat(os.path.join(state, FOLDER, name)).st_size
    except OSError:
        return 0  # it is named when it is read


class _Work:
    def __init__(self, root: str, state: str, known: Memory, limits: Limits, world: World) -> None:
        self._root, self._state = root, state
        self._known = known
        self._limits = limits
        self._environ = world.environ
        # The local time: entries are dated by the days that people live by.
        self._now = datetime.fromtimestamp(world.now_ns // 10**9).astimezone()

    def take(self, found: Sequence[Candidate], near: NearDuplicates, *, add: bool) -> Outcome:
        """Add all that repeat nothing, or, without ``add``, only list them."""
        outcome = Outcome()
        listed = {candidate.source for candidate in found}
        for place, candidate in enumerate(found):
            if same := near.of(place):
                above = not add and same.id in listed
                (outcome.again if above else outcome.refused).append(Repeated(candidate, same))
            else:
                outcome.open.append(candidate)
                near.accept(place, candidate.source)
        if add and outcome.open:
            self._add_all(outcome)
        return outcome

    def _add_all(self, outcome: Outcome) -> None:
        """Add what is open: all of a kind at once, and one by one where that is refused."""
        kinds = dict.fromkeys(candidate.kind for candidate in outcome.open)
        runs = [[each for each in outcome.open if each.kind == kind] for kind in kinds]
        for run in runs:
            try:
                self._add(run, outcome)
            except CtxError:
                try:
                    for candidate in run:
                        self._add([candidate], outcome)
                except CtxError as error:
                    outcome.failed = error
                    break
        names = {candidate.source: name for candidate, name in outcome.added}
        order = [candidate.source for candidate in outcome.open]
        outcome.added.sort(key=lambda added: order.index(added[0].source))
        outcome.open = [each for each in outcome.open if each.source not in names]
        outcome.refused = [
            Repeated(each, same._replace(id=names.get(same.id, same.id)))
            for each, same in outcome.refused
        ]

    def _add(self, candidates: Sequence[Candidate], outcome: Outcome) -> list[str]:
        names = promotion.accept(self._root, candidates, self._known, self._limits, self._now)
        outcome.added += zip(candidates, names, strict=True)
        return names

    def ask(self, found: Sequence[Candidate], near: NearDuplicates) -> Outcome:
        outcome = Outcome()
        for place, candidate in enumerate(found):
            same = near.of(place)
            if same:
                outcome.refused.append(Repeated(candidate, same))
                prompt(f"{_refusal(candidate, same)}\n")
                continue
            prompt(f"\n{place + 1} of {len(found)}: {_shown(candidate)}")
            answer, wanted = _answer(candidate, self._environ)
            if answer == "quit":
                outcome.open += found[place:]
                break
            if wanted is None:
                promotion.skip(self._state, candidate.source)
                outcome.skipped += 1
                continue
            (name,) = self._add([wanted], outcome)
            near.accept(place, name)
            prompt(f"added {shown(name)}\n")
        return outcome


def _answer(candidate: Candidate, environ: Mapping[str, str]) -> tuple[str, Candidate | None]:
    """Return what a person wants of a candidate, and it as they want it; None to skip it."""
    while True:
        prompt(_ASKED)
        line = sys.stdin.readline()
        if not line:
            prompt("\n")
            return "quit", None
        typed = line.strip().lower()
        answers = {answer for word, answer in _ANSWERS.items() if typed and word.startswith(typed)}
        answer = answers.pop() if len(answers) == 1 else ""
        if not answer:
            prompt(f"answer {_CHOICES}\n")
        elif answer != "edit":
            return answer, candidate if answer == "accept" else None
        else:
            try:
                return answer, _edited(candidate, environ)
            except EditorError as error:
                prompt(f"{error}\n")


def _edited(candidate: Candidate, environ: Mapping[str, str]) -> Candidate | None:
    texts = dict.fromkeys((candidate.title, candidate.text, _HINT))  # a convention is its title
    changed = edit("\n\n".join(texts) + "\n", environ, complain)
    title, _, rest = changed.replace(_HINT, "").strip().partition("\n")
    if not title.strip():
        return None
    return candidate._replace(title=title.strip(), text=rest.strip() or title.strip())


def _write(outcome: Outcome, options: Options, *, asked: bool) -> None:
    if options.as_json:
        write_json(_object(outcome))
    else:
        write_lines(_lines(outcome, asked=asked))


def _lines(outcome: Outcome, *, asked: bool) -> Iterator[str]:
    if not asked:
        yield from map(_shown, outcome.open)
        yield from (_above(*repeated) for repeated in outcome.again)
        for each, name in outcome.added:
            yield f"added {shown(name)}: {each.title} ({shown(each.source)})"
        yield from (_refusal(*repeated) for repeated in outcome.refused)
    yield ", ".join(_figures(outcome, asked=asked))
    if outcome.open and not outcome.added and not outcome.failed and not asked:
        yield "nothing was written: --yes adds them, a terminal asks about each"


def _figures(outcome: Outcome, *, asked: bool) -> Iterator[str]:
    again = f" ({len(outcome.again):,} as another above)" if outcome.again else ""
    yield f"{outcome.proposed:,} proposed{again}"
    yield f"{len(outcome.added):,} added"
    if asked:
        yield f"{outcome.skipped:,} skipped"
    if outcome.open and (asked or outcome.failed):
        yield f"{len(outcome.open):,} left"
    yield f"{len(outcome.refused):,} refused as repeating an entry"


def _shown(candidate: Candidate) -> str:
    who = f"{candidate.role} ({candidate.speaker})" if candidate.speaker else candidate.role
    when = f", {candidate.ts}" if candidate.ts else ""
    head = f"{candidate.kind}: {candidate.title}\n  {shown(f'{candidate.source}, {who}{when}')}\n"
    if candidate.supersedes:
        head += f"  supersedes {shown(candidate.supersedes)}, which is marked so when it is added\n"
    if candidate.kind == "convention":
        return f"{head}  score {candidate.score:.2f}: how clearly it is to hold from then on\n"
    scores = candidate.parts
    parts = ", ".join(f"{name} {getattr(scores, field):.2f}" for field, name in _WORDS.items())
    quoted = "\n".join(f"  > {line}" for line in candidate.text.split("\n"))
    return f"{head}  score {candidate.score:.2f} (from {LEAST} on): {parts}\n{quoted}\n"


def _above(candidate: Candidate, same: NearDuplicate) -> str:
    where = f"{shown(candidate.source)}, as {shown(same.id)} above ({_like(same)})"
    return f"{candidate.kind}: {candidate.title}\n  {where}\n"


def _refusal(candidate: Candidate, same: NearDuplicate) -> str:
    where = f"repeats {shown(same.id)} ({_like(same)})"
    return f"refused {shown(candidate.source)}: {candidate.title}: {where}"


def _like(same: NearDuplicate) -> str:
    return f"{same.how} {same.likeness:.2f}"


_WORDS = {  # what a person reads of the parts of a score, all that others do not follow from
    "t": "technical", "h": "new", "f": "repeated", "s": "already known", "d_nl": "states",
    "p": "concrete", "a": "settles", "d_tech": "explains",
}  # fmt: skip
_NAMES = {  # what the source calls the parts of a score
    "t": "T", "g_conv": "G_conv", "h": "H", "f": "F", "s": "S", "r": "R", "d_nl": "D_nl",
    "g_tech": "G_tech", "p": "P", "a": "A", "d_tech": "D_tech",
}  # fmt: skip


def _parts(candidate: Candidate) -> dict[str, float]:
    if candidate.kind == "convention":
        return {}
    return {name: round(getattr(candidate.parts, field), _DIGITS) for field, name in _NAMES.items()}


def _object(outcome: Outcome) -> dict[str, Json]:
    return {
        "proposed": [_described(candidate) for candidate in outcome.open],
        "added": [{"id": masked(name), **_described(each)} for each, name in outcome.added],
        "again": [_beside(*repeated) for repeated in outcome.again],
        "refused": [_beside(*repeated) for repeated in outcome.refused],
    }


def _beside(candidate: Candidate, same: NearDuplicate) -> dict[str, Json]:
    beside = {"near_duplicate": masked(same.id), "how": same.how}
    return {**_described(candidate), **beside, "likeness": round(same.likeness, _DIGITS)}


def _described(candidate: Candidate) -> dict[str, Json]:
    fields = candidate._asdict() | {"parts": _parts(candidate)}
    fields |= {name: masked_all(fields[name]) for name in fields.keys() - {"title", "text"}}
    fields["score"] = round(candidate.score, _DIGITS)
    return fields
