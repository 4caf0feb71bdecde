"""What an answer costs as it is printed: in the tool's form, escapes and all."""

from __future__ import annotations

import re
from json import JSONEncoder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.hooks.host import Tool
    from ctx.model import Counter

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
        form = counter.count(head) + counter.count(tail) + _JOINTS
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
_JOINTS = 2
"""Tokens by which the whole may cost more than its form and the packet apart."""


def _escape(said: Callable[[str], str], head: str, tail: str) -> Callable[[str], str]:
    """Return what makes of a text what stands of it in an answer between ``head`` and ``tail``."""
    encode = JSONEncoder(ensure_ascii=False).encode

    def as_json(text: str) -> str:
        return encode(text)[1:-1]

    if said(_TELLING) == f"{head}{as_json(_TELLING)}{tail}":
        return as_json  # thousands of pieces are counted
    return lambda text: said(text)[len(head) : -len(tail) or None]
