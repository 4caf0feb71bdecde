"""Fit a packet into what a hook may print, counted in the host's own form."""

from __future__ import annotations

import os
import posixpath
import re
from json import JSONEncoder
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.walk import packed
from ctx.fit.delivery import current, level_digest, outdated
from ctx.fit.kv_cache import is_known
from ctx.model import Included, Scored, Section, Selection
from ctx.render import Costs, form
from ctx.render.layout import INSTRUCTION, READ_WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.hooks.host import Tool
    from ctx.model import Clock, Context, Counter, Library, Memory, Packet, Request


CHARACTERS_A_TOKEN = 4
"""By which a tool's limit of characters is one of tokens."""
_HOSTS_TAG = re.compile(
    r"<(?=/?(?:system[-_]reminder|hook_context|additional_context|user_query|user-prompt))",
    re.IGNORECASE,
)
"""How the tags begin that hosts put around what a hook says."""


def harmless(packet: str) -> str:
    """Return ``packet`` so that nothing quoted in it ends the tag that a host puts around it.

    A turn may hold such a tag; what stood behind it would pass for the host's own words.
    """
    return _HOSTS_TAG.sub("&lt;", packet) if "<" in packet else packet


class Printed:
    """Counts a text by what it costs in a tool's answer: a counter of the law of the budget."""

    def __init__(self, counter: Counter, tool: Tool, event: str, budget: int) -> None:
        """Count with ``counter`` for ``event`` of ``tool``, of which ``budget`` tokens are wanted.

        ``budget`` is lowered to what the tool's limit of characters allows.
        """
        self._counter = counter
        self._tool = tool
        self._event = event
        self.budget = min(budget, tool.most_characters // CHARACTERS_A_TOKEN)
        """Tokens that the answer may cost, its form included."""
        self.name = counter.name
        head, _, tail = self._said(_PROBE).partition(_PROBE)
        self._escaped = _escape(self._said, head, tail)
        form = counter.count(head) + counter.count(tail) + _FORM_JOINTS
        self.room = max(0, self.budget - max(form, _FORM))
        """Tokens that the packet may cost, as ``count`` tells them."""

    def _said(self, packet: str) -> str:
        return self._tool.answer(self._event, packet).decode("utf-8", "replace")

    def answer(self, packet: str) -> bytes:
        """Return the bytes to print."""
        return self._tool.answer(self._event, harmless(packet))

    def count(self, text: str) -> int:
        """Return what ``text`` adds to the answer: its tokens, or its share of the characters."""
        packet = harmless(text)
        by_size = -(-self._size(packet) // CHARACTERS_A_TOKEN)
        return max(self._counter.count(self._escaped(packet)), by_size)

    def _size(self, packet: str) -> int:
        return len(packet) if packet.isascii() else self._tool.size(packet)

    def fits(self, packet: str) -> bool:
        """Whether the answer with ``packet`` keeps the budget and the tool's limit."""
        packet = harmless(packet)
        if self._size(packet) > self._tool.most_characters:
            return False
        return self._counter.count(self._said(packet)) <= self.budget


_PROBE = "packet"
_FORM = 32
"""Tokens that are kept for a tool's form. Hosts run each other's hooks: so that both have the same
room, and the one that asks later is not told what just fits into its shorter form."""
_TELLING = 'a"\n\\é\x01'
_FORM_JOINTS = 2
"""Tokens by which the whole may cost more than its form and the packet apart."""


def _escape(said: Callable[[str], str], head: str, tail: str) -> Callable[[str], str]:
    """Return what makes of a text what stands of it in an answer between ``head`` and ``tail``."""
    encode = JSONEncoder(ensure_ascii=False).encode

    def as_json(text: str) -> str:
        return encode(text)[1:-1]

    if said(_TELLING) == f"{head}{as_json(_TELLING)}{tail}":
        return as_json  # thousands of pieces are counted
    return lambda text: said(text)[len(head) : -len(tail) or None]


def rules_of(context: Context) -> list[Included]:
    """Return the rules of a directory as a packet says them."""
    return [
        Included(Scored(entry, 0.0, ()), "full")
        for source in context.sources
        for part in source.parts
        if part.kind == "rule"
        for entry in map(part.entry, range(len(part)))
        if entry.section == "rules"
    ]


def unknown(rules: Sequence[Included], request: Request) -> list[Included]:
    """Return those of ``rules`` that the session of ``request`` does not hold as they are now."""
    memory = current(request.memory, request.now)
    if memory is None:
        return list(rules)
    return [one for one in rules if not is_known(memory, *level_digest(one))]


def section_of(rules: Sequence[Included]) -> Section:
    """Return ``rules`` as the section of a packet."""
    return Section("rules", 0, 0, tuple(rules), (), 0, "")


def is_outstanding(context: Context, memory: Memory | None) -> bool:
    """Whether a session that holds ``memory`` has to hear of something that is not so any more."""
    return any(outdated(context, memory))


TRIES = 4
"""Budgets that are tried until the answer keeps its own."""
_JOINTS = 4
"""Tokens by which what is said may cost more than the packet without what is not."""


_NOTHING = "nothing to say"


class Fitted(NamedTuple):
    """A packet, and what of it is said."""

    packet: Packet
    text: str
    """Empty where nothing is new, or nothing fits."""
    outstanding: bool
    """Whether the session has to be told more, although nothing else happens."""
    reason: str
    """What the log says of it."""


def _holds_something(selection: Selection) -> bool:
    """Whether a packet says more than which files there are: templates hold nothing yet."""
    held = any(one.included or one.titles or one.omitted for one in selection.sections)
    return held or bool(selection.revoked or selection.degraded or selection.overshoot)


class Fitting:
    """One event's packet, until it fits."""

    def __init__(
        self, context: Context, request: Request, counting: Printed, library: Library, clock: Clock
    ) -> None:
        """Fit what ``request`` asks for into what ``counting`` says that there is room for."""
        self._context = context
        self._request = request
        self._counting = counting
        self._library = library
        self._clock = clock
        rules = rules_of(context)
        new = unknown(rules, request)
        self._cost = self._cost_of(new)
        self._too_long = self._named(new) if new and self._cost > counting.room else ""
        """What is said in place of rules that do not fit."""
        self._instructs = len(rules) > (len(new) if self._too_long else 0)
        """Whether the session has rules above, here or from before, that it is to keep."""
        least = 0 if self._too_long or not new else self._cost + _JOINTS
        self._room = max(min(counting.room, request.budget), least)
        """Tokens that may be said: as the window has room, but rules are said whatever it has."""
        self._free = self._unsaid(rules, new) if request.query or self._too_long else 0
        """Tokens of the plan that are not said: of rules that the session holds, or shall read.

        Only for what is asked: a session that begins is told what fits beside its rules."""

    def fitted(self) -> Fitted:
        """Return the packet whose answer keeps the budget."""
        budget = self._room + self._free
        if self._too_long:
            budget -= self._counting.count(f"> Degraded: {self._too_long}\n\n") + _JOINTS
        for _ in range(TRIES):
            packet = self._packed(budget)
            text = self._text(packet)
            over = self._counting.count(text) - self._room if text else 0
            if over <= 0 and (not text or self._counting.fits(text)):
                return self._said(packet, text)
            budget -= max(over, 0) + 1
        return self._least()

    def _unsaid(self, rules: list[Included], new: list[Included]) -> int:
        """Return what the rules cost that are not said."""
        said = self._cost_of(()) if self._too_long else self._cost
        return (self._cost if new == rules else self._cost_of(rules)) - said

    def _packed(self, budget: int) -> Packet:
        request = self._request._replace(budget=max(0, budget))
        if budget > self._room:  # shares are of what is said
            part = self._room / budget
            request = request._replace(
                tasks_share=request.tasks_share * part,
                conventions_share=request.conventions_share * part,
                tail_share=request.tail_share * part,
            )
        return packed(self._context, request, self._counting, self._library, self._clock)

    def _text(self, packet: Packet) -> str:
        """Return what is said of ``packet``: empty where it has no news."""
        selection = packet.selection
        if self._too_long:
            sections = tuple(one for one in selection.sections if one.name != "rules")
            selection = selection._replace(sections=sections, degraded=self._too_long)
        elif selection.has_no_news or not _holds_something(selection):
            return ""
        return self._rendered(selection)

    def _rendered(self, selection: Selection) -> str:
        text = form("md").document(self._shown(), selection, 0)
        if self._instructs:
            return text
        head, _, tail = text.rpartition(INSTRUCTION)
        return f"{head}{READ_WHOLE}{tail}"

    def _shown(self) -> Request:
        """Return the request as the packet speaks of it: by what may be said."""
        return self._request._replace(budget=self._counting.budget)

    def _least(self) -> Fitted:
        """Return what is said where nothing else fits: which rules there are to read, if any."""
        packet = self._packed(self._room)
        text = ""
        if self._too_long:
            text = self._rendered(Selection((), (), 0, self._too_long, ()))
        if not text or not self._counting.fits(text):
            return Fitted(_untold(packet), "", outstanding=True, reason="no room")
        return self._said(packet, text)

    def _said(self, packet: Packet, text: str) -> Fitted:
        outstanding = is_outstanding(self._context, packet.memory)
        reason = "rules pointed at" if self._too_long else ""
        return Fitted(packet, text, outstanding, reason if text else reason or _NOTHING)

    def _cost_of(self, rules: Sequence[Included]) -> int:
        """Return what a packet of ``rules`` and nothing else costs."""
        bare = Selection((section_of(rules),), (), 0, "", ())
        return Costs(self._shown(), self._counting).whole(bare)

    def _named(self, rules: Sequence[Included]) -> str:
        """Return the line that says where to read ``rules``."""
        folder = os.path.basename(self._request.root)
        sources = dict.fromkeys(one.entry.source for one in rules)
        names = ", ".join(posixpath.normpath(posixpath.join(folder, one)) for one in sources)
        return (
            f"the rules cost {self._cost:,} tokens, and this hook may say {self._counting.room:,}. "
            f"Read them before anything else: {names}"
        )


def _untold(packet: Packet) -> Packet:
    """Return ``packet`` as one that says nothing: what had no room is not to be noted as told."""
    return packet._replace(selection=Selection((), (), 0, "", ()), memory=None)
