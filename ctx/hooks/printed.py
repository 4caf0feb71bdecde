"""Count a text by what it costs in the answer of a hook, in the host's own form."""

from __future__ import annotations

from json import JSONEncoder

from ctx.text.regex import regex

TYPE_CHECKING = False  # rules for files are fitted on the path of every hook
if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.hosts.host import Hooks
    from ctx.model import Counter

CHARACTERS_A_TOKEN = 4  # by which a tool's limit of characters becomes one of tokens
_HOSTS_TAG = regex(  # the beginnings of the tags that hosts put around the answer of a hook
    r"(?i)<(?=/?(?:system[-_]reminder|hook_context|additional_context|user_query|user-prompt))"
)
_PROBE = "packet"
_FORM = 32
"""Tokens that are reserved for a tool's form. Hosts run each other's hooks: so both have the same
room, and the one that asks later does not get what just fits into its shorter form."""
_ODD = 'a"\n\\é\x01'  # a text that shows whether a tool's answer is JSON
_FORM_JOINTS = 2  # tokens by which the whole may cost more than its form and the packet apart


def harmless(packet: str) -> str:
    """Return ``packet`` so that nothing quoted in it ends the tag that a host puts around it."""
    return _HOSTS_TAG.sub("&lt;", packet) if "<" in packet else packet


class Printed:
    """Counts a text by what it costs in a tool's answer: a counter for the budget guard."""

    def __init__(self, counter: Counter, tool: Hooks, event: str, budget: int) -> None:
        """Lower ``budget`` to what the tool's limit of characters allows."""
        self._counter = counter
        self._tool = tool
        self._event = event
        self.budget = min(budget, tool.most_characters // CHARACTERS_A_TOKEN)
        """Tokens that the answer may cost, its form included."""
        self.name = counter.name
        head, _, tail = self._answer(_PROBE).partition(_PROBE)
        self._escaped = self._escape(head, tail)
        form = counter.count(head) + counter.count(tail) + _FORM_JOINTS
        self.room = max(0, self.budget - max(form, _FORM))  # what the packet may cost

    def _answer(self, packet: str) -> str:
        return self._tool.answer(self._event, packet).decode("utf-8", "replace")

    def _escape(self, head: str, tail: str) -> Callable[[str], str]:
        """Return what gives the form of a text between ``head`` and ``tail`` of an answer."""
        encode = JSONEncoder(ensure_ascii=False).encode
        if self._answer(_ODD) == f"{head}{encode(_ODD)[1:-1]}{tail}":
            return lambda text: encode(text)[1:-1]  # thousands of pieces are counted
        return lambda text: self._answer(text)[len(head) : -len(tail) or None]

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
        return self._counter.count(self._answer(packet)) <= self.budget
