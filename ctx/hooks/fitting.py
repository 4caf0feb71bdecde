"""Fit a packet into what a hook may print, counted in the host's own form."""

from __future__ import annotations

from ctx.app.walk import pack, with_notice
from ctx.fit.delivery import current, level_digest, outdated
from ctx.fit.kv_cache import is_known
from ctx.fit.overhead import named
from ctx.model import Included, Scored, Section, Selection
from ctx.render import Costs, form
from ctx.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ctx.hooks.printed import Printed
    from ctx.model import Clock, Context, Library, Packet, Request

TRIES = 4  # budgets that are tried until the answer keeps its own
_JOINTS = 4  # tokens by which a part of a packet may cost more alone than within the whole


class Fitted(NamedTuple):
    """A packet, and the text of it that is sent."""

    packet: Packet
    text: str  # empty where nothing is new, or nothing fits
    outstanding: bool  # whether the session has to be sent more, although nothing else happens
    reason: str  # for the log


class Fitting:
    """One event's packet, until it fits."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a packet is made of
        self, context: Context, request: Request, counting: Printed, library: Library, clock: Clock,
        beside: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Take what a packet is made of; ``beside`` are ids of what is sent elsewhere now."""
        self._beside = beside
        self._context = context
        states, request = bool(request.note), with_notice(request, context, counting)
        self._request = request
        self._states = states and bool(request.note)  # whether its line is news by itself
        self._counting = counting
        self._library = library
        self._clock = clock
        rules = [
            Included(Scored(entry, 0.0, ()), "full")
            for source in context.sources
            for part in source.parts
            if part.kind == "rule"
            for entry in map(part.entry, range(len(part)))
            if entry.section == "rules"
        ]
        received = current(request.memory, request.now)
        new = [rule for rule in rules if not (received and is_known(received, *level_digest(rule)))]
        self._cost = self._cost_of(new)
        self._too_long = ""  # the line that is sent in place of rules that do not fit
        if new and self._cost > counting.room:
            self._too_long = (
                f"The rules cost {self._cost:,} tokens, and this hook may send {counting.room:,}. "
                + named(new, request, Costs(self._shown(), counting))
            )
        least = 0 if self._too_long or not new else self._cost + _JOINTS
        self._room = max(min(counting.room, request.budget), least)
        """Tokens that may be sent: as the window has room, but rules are sent whatever it has."""
        self._free = 0
        """Tokens of the plan that are not sent: of rules that the session has, or shall read.

        Only for a query: a session that begins is sent what fits beside its rules."""
        if request.query or self._too_long:
            all_rules = self._cost if new == rules else self._cost_of(rules)
            self._free = all_rules - (self._cost_of(()) if self._too_long else self._cost)

    def fitted(self) -> Fitted:
        """Return the packet whose answer keeps the budget."""
        budget = self._room + self._free
        if self._too_long:
            budget -= self._counting.count(f"> {self._too_long}\n\n") + _JOINTS
        for _ in range(TRIES):
            packet = self._packed(budget)
            text = self._text(packet.selection)
            if packet.selection.least and not text:
                break  # its own lines have no room
            over = self._counting.count(text) - self._room if text else 0
            if over <= 0 and (not text or self._counting.fits(text)):
                return self._fitted(packet, text)
            budget -= max(over, 0) + 1
        # Nothing else fits: which rules there are to read, if any.
        packet = self._packed(self._room)
        nothing = Selection((), (), 0, "", ())
        text = self._rendered(nothing._replace(notice=self._too_long)) if self._too_long else ""
        if not text or not self._counting.fits(text):
            # Without a selection: what had no room is not recorded as sent.
            unsent = packet._replace(selection=nothing, memory=None)
            return Fitted(unsent, "", outstanding=True, reason="no room")
        return self._fitted(packet, text)

    def _fitted(self, packet: Packet, text: str) -> Fitted:
        outstanding = any(outdated(self._context, packet.memory))
        reason = "rules pointed at" if self._too_long else "" if text else "nothing to say"
        return Fitted(packet, text, outstanding, reason)

    def _packed(self, budget: int) -> Packet:
        request = self._request._replace(budget=max(0, budget))
        if budget > self._room:  # shares are of what is sent
            part = self._room / budget
            settings = request.settings
            request = request.having(
                tasks_share=settings.tasks_share * part,
                conventions_share=settings.conventions_share * part,
                tail_share=settings.tail_share * part,
            )
        return pack(self._context, request, self._counting, self._library, self._clock)

    def _text(self, selection: Selection) -> str:
        if self._beside:
            left = (
                each._replace(
                    included=tuple(one for one in each.included if one.entry.id not in self._beside)
                )
                for each in selection.sections
            )
            selection = selection._replace(sections=tuple(one for one in left if one.entries))
        if self._too_long:
            sections = tuple(rule for rule in selection.sections if rule.name != "rules")
            return self._rendered(selection._replace(sections=sections, notice=self._too_long))
        # Templates hold nothing yet: which files there are is no news.
        # For a query, what is omitted is what has nothing to do with it.
        omitted = not self._request.query and any(rule.omitted for rule in selection.sections)
        holds = omitted or any(rule.included or rule.titles for rule in selection.sections)
        holds = holds or bool(selection.revoked or selection.degraded or selection.overshoot)
        holds = self._states or (holds and not selection.has_no_news)
        return self._rendered(selection) if holds else ""

    def _rendered(self, selection: Selection) -> str:
        return form("md").document(self._shown(), selection, 0)

    def _shown(self) -> Request:
        """Return the request with the budget that the packet names: that of the whole answer."""
        return self._request._replace(budget=self._counting.budget)

    def _cost_of(self, rules: Sequence[Included]) -> int:
        section = Section("rules", 0, 0, tuple(rules), (), 0, "")
        bare = Selection((section,), (), 0, "", ())
        return Costs(self._shown(), self._counting).whole(bare)
