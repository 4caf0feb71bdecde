"""Whether a turn is worth an entry: specific, technical and new."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple, Self

from ctx.sessions.promotion import prose
from ctx.sessions.promotion.wording import construction, conversational
from ctx.text.regex import regex
from ctx.text.similarity import MEANT
from ctx.text.token_patterns import mentions

LEAST = 0.35  # a turn whose G is at least this is proposed
NEAREST = 3
"""Durable entries whose similarity is averaged in H. The source only says "the nearest": few,
since one entry makes a turn known, however many others are about something else."""
RECURS, RECURS_AMONG, RECURS_WHOLE = 0.80, 10, 5
"""F: similarity of a hit, nearest turns of the session that count, hits that make 1."""
HELD, HITS_AMONG, HELD_WHOLE = MEANT, 5, 3  # S: likewise for durable entries
UNLIKE = 0.30
"""Highest similarity of an entry that differs in what it denies, counts or names: an entry that
says the contrary in the same words does not make a turn known."""

_ERROR = regex(
    r"\b(?:E[A-Z]{4,14}|[A-Z]{2,8}-?\d{3,6}|HTTP[ /]?[1-5]\d\d|[45]\d\d (?:error|status|response)"
    r"|errno \d{1,3}|exit (?:code|status) \d{1,3}|0x[0-9a-fA-F]{2,16}"
    r"|[A-Z][A-Za-z]{2,40}(?:Error|Exception))\b"
)
_ENDPOINT = regex(
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) (/[\w./{}:-]{0,200})"
    r"|(?<![\w/])(/(?:api|v\d{1,2}|graphql|rest)(?:/[\w.{}:-]{1,60}){0,8})"
    r"|\b((?:localhost|(?:\d{1,3}\.){3}\d{1,3}):\d{2,5})\b"
)
_IDENTIFIERS = ("name", "flag")


def specifics(turn: prose.TurnText) -> float:
    """Return P: weighted counts of paths, error codes, endpoints and identifiers.

    Over max(tokens/100, 1), at most 1 (``compaction.md``, Promotion). Each distinct one counts,
    in prose and code spans: a listing has any number of them and states none.
    """
    found = {("error", code) for code in _ERROR.findall(turn.spoken)}
    called = {"".join(parts) for parts in _ENDPOINT.findall(turn.spoken)}
    found |= {("endpoint", endpoint) for endpoint in called}
    things = (thing for token in set(turn.spoken.split()) for thing in _concrete(token))
    found.update(thing for thing in things if thing[1] not in called)
    return turn.density(sum(prose.CONCRETE[kind] for kind, _ in sorted(found)))


def _concrete(token: str) -> Iterator[tuple[str, str]]:
    for mention in mentions(token.replace("`", " ").strip(), code="`" in token):
        if mention.form == "path":
            yield "path", mention.text
        elif mention.form in _IDENTIFIERS and not _ERROR.fullmatch(mention.text):
            yield "identifier", mention.text


_PATTERNS = {
    "fence": regex(r"(?m)^[ \t]{0,8}(?:`{3}|~{3})"),
    "trace": regex(
        r"(?m)^[ \t]*(?:Traceback \(most recent call last\)|File \"[^\"\n]{1,300}\", line \d"
        r"|at [\w$.<>]{1,200} ?\([^()\n]{1,200}:\d+\)|goroutine \d+ \[|panic: |Exception in thread"
        r"|thread '[^'\n]{1,100}' panicked|[\w.]{1,100}(?:Error|Exception): \S)"
    ),
    "definition": regex(
        r"(?m)^[ \t]*(?:(?:export |pub |public |private |static |async ){0,4}"
        r"(?:def|fn|func|function|class|interface|struct|enum|impl) [A-Za-z_$][\w$]*[ \t]*"
        r"(?:[(<:{]|extends|implements)|#include [<\"]|CREATE TABLE )"
    ),
    "shell": regex(
        r"(?m)(?:^|`)[ \t]*(?:\$ \S|(?:sudo |npx )?(?:git|npm|yarn|pnpm|pip3?|uv|cargo|go|docker"
        r"|kubectl|make|brew|apt(?:-get)?|curl|ssh|python3?|pytest|ctx) [a-z-][\w./-]*)"
    ),
}
_FORMS = {"path": "path", "commit": "hash", "url": "url"}
"""Forms of ``ctx.text.token_patterns``, by their names in the table."""


def technicality(turn: prose.TurnText) -> float:
    """Return T = min(1, weights of the technical patterns / 1.5).

    The patterns of the source (``compaction.md``, Promotion): code fence, path, function
    definition, shell command, address, stack trace, hash. Each counts once.
    """
    found = {name for name, pattern in _PATTERNS.items() if pattern.search(turn.text)}
    for token in set(turn.text.split()):
        found.update(_FORMS[each.form] for each in mentions(token) if each.form in _FORMS)
    return prose.unit(sum(prose.TECHNICAL[name] for name in sorted(found)) / prose.TECHNICAL_WHOLE)


def novelty(to_durable: Iterable[float]) -> float:
    """Return H = 1 − mean of the clamped similarities to the ``NEAREST`` durable entries.

    1 with an empty memory (``compaction.md``, Promotion). Fewer entries are all averaged.
    """
    near = nlargest(NEAREST, map(prose.unit, to_durable))
    return prose.unit(1 - sum(near) / len(near)) if near else 1.0


def without_differing(to_durable: Sequence[float], differs: Callable[[int], bool]) -> list[float]:
    """Return the greatest similarities, at most ``UNLIKE`` if the entry at a place differs.

    As many as H and S need; ``differs`` is called for no more entries than that takes.
    """
    like: list[float] = []
    unlike: list[float] = []
    for at in sorted(range(len(to_durable)), key=lambda at: -to_durable[at]):
        if len(like) >= HITS_AMONG:
            break
        near = to_durable[at]
        if near > UNLIKE and differs(at):
            unlike.append(UNLIKE)
        else:
            like.append(near)
    return like + unlike


def recurrence(to_session: Iterable[float]) -> float:
    """Return F: hits over .80 among the 10 nearest turns of its session, over 5; at most 1."""
    return _hits(to_session, RECURS, RECURS_AMONG, RECURS_WHOLE)


def saturation(to_durable: Iterable[float]) -> float:
    """Return S: hits over .85 among the 5 nearest durable entries, over 3; at most 1."""
    return _hits(to_durable, HELD, HITS_AMONG, HELD_WHOLE)


def _hits(cosines: Iterable[float], over: float, among: int, whole: int) -> float:
    near = nlargest(among, map(prose.unit, cosines))
    return prose.unit(sum(cosine > over for cosine in near) / whole)


class Parts(NamedTuple):
    """The signals of one turn, each in [0, 1]; the letters are the source's."""

    t: float = 0.0  # T: how technical it is
    h: float = 1.0  # H: how new it is
    f: float = 0.0  # F: how often its session repeats it
    s: float = 0.0  # S: how often memory repeats it
    r: float = 0.0  # R = F·(1 − S)
    d_nl: float = 0.0  # marks of knowledge in talk
    p: float = 0.0  # how concrete it is
    a: float = 0.0  # what it settles
    d_tech: float = 0.0  # marks of how things are built

    @property
    def g_conv(self) -> float:
        """.35·H + .40·R + .25·D_nl."""
        parts = (prose.NOVELTY * prose.unit(self.h), prose.RECURRENCE * prose.unit(self.r))
        return prose.unit(sum(parts) + prose.CONVERSATIONAL * prose.unit(self.d_nl))

    @property
    def g_tech(self) -> float:
        """.40·P + .35·A + .25·D_tech."""
        parts = (prose.SPECIFICS * prose.unit(self.p), prose.SETTLED * prose.unit(self.a))
        return prose.unit(sum(parts) + prose.CONSTRUCTION * prose.unit(self.d_tech))

    def with_cosines(self, to_durable: Sequence[float], to_session: Iterable[float]) -> Self:
        """Return these with H, F, S, and R = F·(1 − S), so that saturation vetoes."""
        f, s = recurrence(to_session), saturation(to_durable)
        return self._replace(h=novelty(to_durable), f=f, s=s, r=prose.unit(f * (1 - s)))


def score(parts: Parts) -> float:
    """Return G = (1 − T)·G_conv + T·G_tech, in [0, 1] and between the two."""
    t, conv, tech = prose.unit(parts.t), parts.g_conv, parts.g_tech
    mixed = (1 - t) * conv + t * tech
    # Rounding must not carry it beyond either of them.
    return min(max(mixed, min(conv, tech)), max(conv, tech))


def worth(parts: Parts) -> float:
    """Return G, or G_conv if that is greater and the turn states knowledge in so many words."""
    return max(score(parts), parts.g_conv if prose.unit(parts.d_nl) >= prose.PLAIN else 0.0)


def of_text(text: str) -> Parts:
    """Return the signals of a turn's text; the others are as with an empty memory.

    P, A and D_tech are left out where they decide nothing: in talk without marks of knowledge.
    """
    turn = prose.turn_text(text)
    talk = Parts(t=technicality(turn), d_nl=conversational(turn))
    if not talk.t and not says_something(talk):
        return talk
    return talk._replace(p=specifics(turn), a=prose.settled(turn), d_tech=construction(turn))


def says_something(parts: Parts) -> bool:
    """Return whether a turn has marks of knowledge: talk its own, a technical turn either's.

    With an empty memory H = 1, and H alone brings G to ``LEAST``: without this condition every
    greeting would be proposed.
    """
    tech = max(prose.unit(parts.a), prose.unit(parts.d_tech)) if parts.t > 0 else 0.0
    return max(prose.unit(parts.d_nl), tech) >= prose.FAINT


def passes(parts: Parts) -> bool:
    """Return whether a turn is proposed: it has marks of knowledge, and is worth ``LEAST``."""
    return says_something(parts) and worth(parts) >= LEAST


def may_pass(parts: Parts) -> bool:
    """Return whether a turn could be proposed if all were new and recurred: G is monotone."""
    return passes(parts._replace(h=1.0, r=1.0))
