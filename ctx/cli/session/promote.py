"""``ctx session promote``: turns that deserve to become entries, and adding those accepted."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial

from ctx.app.editor import EditorError, edit
from ctx.app.options import PacketOptions
from ctx.app.promoting import Outcome, Proposals, Repeated
from ctx.app.promotion import MOST_PROPOSED, Candidate, Sessions
from ctx.app.sessions import named
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, locate, readable
from ctx.cli.terminal import progress
from ctx.config import whole_number
from ctx.errors import OK, UNREADABLE
from ctx.model import Json
from ctx.read import stored
from ctx.sessions.promotion.gate import LEAST
from ctx.sessions.promotion.near_duplicates import NearDuplicate
from ctx.streams import answers, complain, prompt, write_json, write_lines
from ctx.text.names import masked, masked_all, shown

_DIGITS = 4
_ASKED = "accept, edit, skip or quit? [a/e/s/q] "
_ANSWERS = {"accept": "accept", "yes": "accept", "edit": "edit", "skip": "skip", "no": "skip",
            "quit": "quit"}  # fmt: skip
_CHOICES = "a (accept), e (edit), s (skip) or q (quit)"
_HINT = "<!-- The first line is the title, the rest the text. Leave nothing to skip it. -->"


@taking("limit", "embedder", "dir", "json")
def promote(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    *,
    session: str | None = None,
    yes: bool = False,
    skipped: bool = False,
    limit: str | None = None,
    json: bool = False,
) -> int:
    """Propose turns that deserve to become entries, and add those you accept.

    Standing instructions of users that are in force are proposed as conventions, weak ones
    marked, and so is what an agent noted (MCP tool remember); other turns as decisions or
    learnings. On a terminal each is shown with its score: accept, edit or skip; what you skip
    is not proposed again without --skipped. In a pipe nothing is added without --yes, and notes
    of an agent only if a turn of the user contains them. Exit codes: 0 done, 2 usage or no such
    session, 4 no context directory, 6 a file that cannot be read or written, 7 the embedder
    cannot be used.
    """
    # Each is written at once: what was accepted stays, however this ends.
    world, root, state = locate(options)
    settings = load(root, world, options).settings
    most = MOST_PROPOSED if limit is None else whole_number("--limit", limit, least=1)
    with readable(state):
        names = stored.names(state) if session is None else [named(state, session)]
    unreadable: list[str] = []

    def refuse(why: str) -> None:
        complain(why)
        unreadable.append(why)

    if not names:
        complain_of_none(root)
    proposals = Proposals(
        options, world, Sessions(state, names, settings.allow_secrets, session is None), most,
        root=root,
        skipped=skipped, refuse=refuse, drawing=partial(progress, world=world),
    )  # fmt: skip
    asks = world.at_terminal() and answers() and not (yes or json)
    outcome = _asked(proposals, world.environ) if asks else proposals.take(add=yes)
    if json:
        write_json(_object(outcome))
    else:
        write_lines(_lines(outcome, asked=asks))
    if outcome.failed:
        raise outcome.failed
    return UNREADABLE if unreadable else OK


def _asked(proposals: Proposals, environ: Mapping[str, str]) -> Outcome:
    """Ask about each proposal; return what was done."""
    outcome, every = Outcome(), proposals.found
    for place, candidate in proposals.each(outcome):
        if isinstance(candidate, Repeated):
            prompt(f"{_refusal(*candidate)}\n")
            continue
        prompt(f"\n{place + 1} of {len(every)}: {_shown(candidate)}")
        answer, wanted = _answer(candidate, environ)
        if answer == "quit":
            outcome.open += every[place:]
            break
        if wanted is None:
            proposals.skip(place, outcome)
        else:
            prompt(f"added {shown(proposals.accept(place, wanted, outcome))}\n")
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
    if any(each.note for each in outcome.open) and not asked:
        yield "what an agent noted is added on a terminal alone, once you accept it there"


def _figures(outcome: Outcome, *, asked: bool) -> Iterator[str]:
    again = f" ({len(outcome.again):,} as another above)" if outcome.again else ""
    yield f"{outcome.proposed:,} proposed{again}"
    yield f"{len(outcome.added):,} added"
    if asked:
        yield f"{outcome.skipped:,} skipped"
    if outcome.open and (asked or outcome.failed or outcome.added):
        yield f"{len(outcome.open):,} left"
    yield f"{len(outcome.refused):,} refused as repeating an entry"


def _shown(candidate: Candidate) -> str:
    who = f"{candidate.role} ({candidate.speaker})" if candidate.speaker else candidate.role
    when = f", {candidate.ts}" if candidate.ts else ""
    head = f"{candidate.kind}: {candidate.title}\n  {shown(f'{candidate.source}, {who}{when}')}\n"
    if candidate.supersedes:
        head += f"  supersedes {shown(candidate.supersedes)}, which is marked so when it is added\n"
    if candidate.kind == "convention":
        if candidate.note:
            return f"{head}  no packet but those of its session sends it until you accept it\n"
        how = "how clearly it is to hold from then on"
        weak = ", weak, said once: no packet sends it" if candidate.is_weak else ""
        return f"{head}  score {candidate.score:.2f}: {how}{weak}\n"
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
    if candidate.kind == "convention":
        fields["strength"] = "weak" if candidate.is_weak else "strong"
    fields["noted"] = bool(fields.pop("note"))
    fields |= {name: masked_all(fields[name]) for name in fields.keys() - {"title", "text"}}
    fields["score"] = round(candidate.score, _DIGITS)
    return fields
