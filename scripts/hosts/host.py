"""What differs between hosts: how one is set up, called, and asked to do a thing."""

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from scripts.hosts.stand_in import Answer, Api, Call, StandIn
from scripts.hosts.trial import Screen, Trial

NEW, OLD, CHANGED = "x = 1\n", "return cents", "return 1"
"""What a model writes, and what it changes into what."""
TASK = "Look at it ({task})"
"""What it asks of a subagent."""
LOOKED = "It was looked at."
Tools = dict[str, tuple[str, dict[str, Any]]]
"""The tool for a verb, and its arguments."""
ACTION = re.compile(r"(?P<verb>[a-z]+)(?: (?P<words>[^\[]+?))?(?: \[(?P<inner>.*)\])?")


class Action(NamedTuple):
    """What the model is to do: ``read src/pay.py``, ``agent Explore [read src/pay.py]``."""

    verb: str
    words: str = ""
    inner: tuple["Action", ...] = ()
    """What a subagent is to do."""


class Prompt(NamedTuple):
    """A prompt, and the session in which it is given."""

    text: str
    session: str
    how: str
    """``start``, ``resume``, ``fork``, or ``rewind``: to behind the first answer."""
    origin: str = ""
    """Of a fork: the session from which it comes."""


class Host(ABC):
    """A host, without state."""

    name: ClassVar[str]
    title: ClassVar[str]
    package: ClassVar[str]
    """On npm."""
    program: ClassVar[str]
    """Its file in ``node_modules/.bin``."""
    versions: ClassVar[tuple[str, ...]]
    """Those under test, oldest first."""
    api: ClassVar[type[Api]]
    can: ClassVar[frozenset[str]]
    """Verbs of scenarios that it has a way for."""
    agents: ClassVar[tuple[str, ...]] = ()
    """Kinds of subagents."""
    scenes: ClassVar[frozenset[str]] = frozenset()
    """The scenarios that are of use for it; empty: all."""
    tools: ClassVar[Tools] = {}
    """The tool and its arguments for an action; others are commands of a shell, as ``run``.

    ``{path}`` is the whole path of a file, ``{words}`` what stands behind the verb, ``{kind}`` the
    kind of a subagent, ``{task}`` its key.
    """
    full = 990_000
    """Tokens that an answer claims where the host is to compact its window."""
    background: ClassVar[dict[str, Any]] = {}
    """The arguments by which a subagent works in the background."""
    installs: ClassVar[str] = ""
    """The name by which ``ctx hook install`` knows it; empty where there are no hooks for it."""
    own: ClassVar[re.Pattern[str]] = re.compile(r"(?!)")
    """Lines that the host itself prints about hooks that run."""
    reasons: ClassVar[dict[str, str]] = {}
    """Of marks that the host itself sends twice or never: why, by ``MARK`` or ``SCENARIO MARK``."""
    repeats: ClassVar[str] = ""
    """Why one result of a tool is in a message twice; empty where it never is."""

    forgets: ClassVar[str] = ""
    """Why rules that the host shows with a file are gone once a session goes on, and come with the
    next file, whatever the window holds by then; empty where they stay."""

    @abstractmethod
    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""

    @abstractmethod
    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt and ends with the answer."""

    def call(self, trial: Trial, action: Action, task: str, /) -> Call:
        """Return the call of a tool for an action; ``task`` is the key for a subagent."""
        shown = f"cat {action.words}" if action.verb == "cat" else action.words
        kind, _, background = action.words.partition(" ")
        places = {"words": shown, "path": str(trial.project / action.words), "task": task}
        places["kind"] = kind
        name, given = self.tools[action.verb if action.verb in self.tools else "run"]
        arguments = {
            field: value.format(**places) if isinstance(value, str) else value
            for field, value in given.items()
        }
        if background and action.verb == "agent":
            arguments |= self.background
        return Call(name, arguments)

    def waits(self, action: Action, /) -> tuple[Call, ...]:  # noqa: ARG002 - of others
        """Return the calls by which the model waits for a subagent that it started."""
        return ()

    def done(self, kind: str, /) -> Answer:  # noqa: ARG002 - of others
        """Return the last answer of a subagent of a kind."""
        return Answer(LOOKED)

    def live(self, trial: Trial, prompt: Prompt, /) -> list[str]:  # noqa: ARG002 - of others
        """Return the call of a process that is sent one prompt after another; empty: none is."""
        return []

    def kept(self, prompt: str, /) -> str:
        """Return a prompt as the host keeps it."""
        return prompt

    def compact(self, trial: Trial, prompt: Prompt, /) -> Screen:
        """Compact the window of a session, as a person asks for it."""
        return trial.run(*self.command(trial, prompt))

    def rewind(self, trial: Trial, prompt: Prompt, /) -> None:  # noqa: B027 - as most
        """Go back to behind the first answer, where that is no option of the call."""

    def terminal(self, trial: Trial, /) -> list[str]:  # noqa: ARG002 - of others
        """Return the call of the host on a terminal, after what it asks at a first start."""
        return []

    def plug(self, trial: Trial, /) -> None:  # noqa: B027 - as most
        """Install the plugin in place of hooks; a host that ``can`` this has a way."""

    def imported(self, trial: Trial, /) -> None:  # noqa: B027 - as most
        """Have ctx read the sessions, where no hook does."""

    def ready(self, trial: Trial, options: dict[str, object], /) -> None:  # noqa: B027 - as most
        """Do what a person does once hooks are installed, such as trusting them."""

    def after(self, trial: Trial, prompt: Prompt, screen: Screen, /) -> None:  # noqa: B027 - as most
        """Note what is known after a call, such as the id that the host gave to the session."""


def actions(text: str) -> tuple[Action, ...]:
    """Read actions, separated by semicolons outside of brackets."""
    parts = re.split(r";\s*(?![^\[]*\])", text)
    found = []
    for part in filter(None, map(str.strip, parts)):
        match = ACTION.fullmatch(part)
        if not match:
            raise ValueError(f"no action: {part!r}")
        inner = actions(match["inner"]) if match["inner"] else ()
        found.append(Action(match["verb"], match["words"] or "", inner))
    return tuple(found)
