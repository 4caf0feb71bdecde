"""A tool: its name, what it takes, how long its result may be, and what answers it."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctx.cli.find import find
from ctx.cli.mcp.arguments import Argument
from ctx.cli.world import World

if TYPE_CHECKING:
    from ctx.cli.settings import Loaded


class Call(NamedTuple):
    """One call of a tool: what was given, and the world as it is now."""

    given: Mapping[str, object]
    """Arguments by name, each of the type that the tool says."""
    dir: str
    """What ``ctx mcp --dir`` named; empty to look from the working directory."""
    world: World

    @property
    def root(self) -> str:
        """The context directory; NoDirectoryError where there is none."""
        return find(self.dir, self.world)

    def loaded(self, flags: Mapping[str, object]) -> "Loaded":
        """Return the settings as they are now, with ``flags`` over them."""
        from ctx.cli.settings import load

        return load(self.root, self.world, flags)

    def text(self, name: str) -> str:
        """Return a text argument; empty where it was not given."""
        return str(self.given.get(name) or "")

    def typed(self, name: str) -> str | None:
        """Return an argument as somebody would type it; None where it was not given."""
        value = self.given.get(name)
        return None if value is None else str(value)

    def texts(self, name: str) -> list[str]:
        """Return an argument that is an array; empty where it was not given."""
        value = self.given.get(name)
        return [str(one) for one in value] if isinstance(value, list) else []


class Tool(NamedTuple):
    """What a client can call."""

    name: str
    help: str
    """One line; every word costs each session tokens."""
    arguments: tuple[Argument, ...]
    answer: Callable[[Call], Mapping[str, object] | str]
    """Returns an object, or a text that keeps its bound itself; raises CtxError."""
    most: int = 0
    """Tokens that the result costs at most; 0 where the caller says it, as a budget."""
    run: str = ""
    """The member of the object that gives way: a list by its rows, a text by its lines."""
    hint: str = ""
    """How to ask for what was left out; see ``bound.NEXT``."""
    writes: bool = False
    """Whether it changes what people keep: then it adds, and takes nothing away."""

    @property
    def description(self) -> str:
        """What the client tells its model."""
        return f"{self.help} At most {self.most} tokens." if self.most else self.help
