"""Fitting a packet into what a hook may say, counted as it is printed.

Tools take little from a hook: the rules of a project may be more than that alone. What a
session holds of them already costs nothing, so that prompts have all of the room; and what it
does not hold, and is too long, is not cut: the packet says so, and where to read it.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.packet import packed
from ctx.cli.hook.rules import is_outstanding, rules_of, section_of, unknown
from ctx.model import Selection
from ctx.render import Costs, form
from ctx.render.layout import INSTRUCTION, READ_WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.cli.hook.printed import Printed
    from ctx.model import Clock, Context, Library, Packet, Request, Said

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
    held = any(one.said or one.noted or one.unsaid for one in selection.sections)
    return held or bool(selection.gone or selection.degraded or selection.overshoot)


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

    def _unsaid(self, rules: list[Said], new: list[Said]) -> int:
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
        elif selection.is_silent or not _holds_something(selection):
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
            return Fitted(_untold(packet), "", True, "no room")
        return self._said(packet, text)

    def _said(self, packet: Packet, text: str) -> Fitted:
        outstanding = is_outstanding(self._context, packet.memory)
        reason = "rules pointed at" if self._too_long else ""
        return Fitted(packet, text, outstanding, reason if text else reason or _NOTHING)

    def _cost_of(self, rules: Sequence[Said]) -> int:
        """Return what a packet of ``rules`` and nothing else costs."""
        bare = Selection((section_of(rules),), (), 0, "", ())
        return Costs(self._shown(), self._counting).whole(bare)

    def _named(self, rules: Sequence[Said]) -> str:
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
