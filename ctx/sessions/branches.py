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
        path, node = set[str](), self._last
        while node and node not in path:
            path.add(node)
            node = self._parents.get(node, "")
        joined = self._behind(path)
        gone = self._behind({one for one in self._prompts if one in joined and one not in path})
        found: dict[str, list[str]] = {}
        for turn in (turn for node in self._turns if node in gone for turn in self._turns[node]):
            found.setdefault(turn.session, []).append(turn.id)
        return found

    def _behind(self, first: set[str]) -> set[str]:
        """Return the messages ``first`` and all that follow them."""
        known = {"": False, **dict.fromkeys(first, True)}
        for node in self._parents:
            way = []
            while node not in known:
                known[node] = False  # if they follow each other in a circle
                way.append(node)
                node = self._parents.get(node, "")  # noqa: PLW2901 - up the way
            known.update(dict.fromkeys(way, known[node]))
        return {node for node, is_behind in known.items() if is_behind}
