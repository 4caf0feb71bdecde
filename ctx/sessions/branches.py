"""Which turns of a transcript a person took back: those that are not on the way to its last one."""

from ctx.model import Turn
from ctx.model.transcripts import Found, Node, Rewound


class Branches:
    """The tree of a transcript's messages, as far as it was read."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._turns: dict[str, list[Turn]] = {}  # by message
        self._prompts: list[str] = []
        self._last = ""
        self.is_straight = True
        """Whether each prompt follows the message before it."""

    def take(self, what: Found) -> None:
        """Add what was found next."""
        match what.what:
            case Node(id_, parent, is_prompt):
                if id_ not in self._parents:
                    self._parents[id_] = self._last if parent is None else parent
                if is_prompt:
                    self._prompts.append(id_)
                    self.is_straight &= self._parents[id_] == self._last
                self._last = id_
            case Rewound(to):
                self.is_straight = False
                self._last = self._parents.get(to, self._last)
            case Turn() as turn if turn.id:
                self._turns.setdefault(self._last, []).append(turn._replace(text=""))
            case _:
                pass

    def taken_back(self) -> dict[str, list[str]]:
        """Return by session the ids of turns from each prompt on that was left for another way.

        Only prompts are judged: results of calls that were made at once are not in one line.
        """
        path = dict.fromkeys(self._way(self._last))
        ways = {prompt: self._way(prompt) for prompt in self._prompts if prompt not in path}
        left = {prompt for prompt, way in ways.items() if any(each in path for each in way)}
        gone = [node for node in self._turns if left & set(self._way(node))] if left else []
        found: dict[str, list[str]] = {}
        for turn in (turn for node in gone for turn in self._turns[node]):
            found.setdefault(turn.session, []).append(turn.id)
        return found

    def _way(self, node: str) -> list[str]:
        way: dict[str, None] = {}
        while node and node not in way:
            way[node] = None
            node = self._parents.get(node, "")
        return list(way)
