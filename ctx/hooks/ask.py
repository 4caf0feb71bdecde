"""What an event asks for: its query, its session, the end of its transcript, its cache key."""

from __future__ import annotations

import os

from ctx.app import build
from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.digest import blake2b
from ctx.hosts.fields import tail

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.hooks.call import Call
    from ctx.hosts.host import Event, Hooks
    from ctx.world import World


LAST_CHARACTERS = 300  # characters of the end of the last message: a short prompt answers that


def last_said(tool: Hooks, lines: Sequence[bytes], prompt: str) -> str:
    """Return the end of the last message before ``prompt``, in whole words.

    Empty where there is none. Calls and output of tools are passed over, and so is what hosts write
    as if a user had: it begins with a tag.
    """
    from ctx.hosts.transcripts import latest  # only for short prompts

    for turn in latest(tool.name, lines):
        words = " ".join(turn.text.split())
        is_call = turn.role == "tool" or turn.bundle or words.startswith("[tool_use ")
        if not is_call and words[:1] not in {"", "<"} and words != " ".join(prompt.split()):
            end = words[-LAST_CHARACTERS:]
            return end if end == words else end.partition(" ")[2] or end
    return ""


CONTENT_WORDS = 4  # a prompt with fewer is about something only together with the message before it
_WORD = 3  # letters that a word of content has at least
_UNSPACED = 4  # characters that count as one word in scripts that put no spaces between them
_FIRST_UNSPACED = "\u0e00"  # scripts from here on, Thai to Chinese, put few spaces or none
MOST_ID = 200  # characters of a session's id that is kept as it is
ROOMY = (0.30, 0.50)  # shares of the window up to which only the row of pressure matters
STEPS = 50  # steps in which the use of the whole window is counted from there on
MOST_LENGTH = 10**9  # tokens of a window; more is no window
_MOST_DIGITS = 12
_PLACES = ("CTX_CACHE_DIR", "CTX_NO_CACHE", "CTX_STATE_DIR")  # where ctx keeps what it keeps
LENGTH_VARIABLE = "CTX_CONTEXT_LENGTH"  # length of the window, where hosts do not give it


class Ask:
    """What is asked, by whom, and where."""

    __slots__ = (
        "absent", "call", "compressed", "event", "key", "options", "recent", "root", "session",
        "tool",
    )  # fmt: skip

    def __init__(self, tool: Hooks, event: Event, root: str) -> None:
        self.tool = tool
        self.event = event
        self.root = root
        self.session = session_of(event)  # what its memory is kept under; empty for no id
        self.options = PacketOptions()  # options of ``ctx agent``
        self.recent = ""  # the end of the last message, where it is needed
        self.key = ""  # all that the answer depends on apart from files
        self.call = ""  # what its notes are under, to be taken back if it does not arrive
        self.compressed = ""  # what tells the last compaction, where no event does
        self.absent: frozenset[str] = frozenset()  # files that the host should load, and did not

    @property
    def host(self) -> tuple[str, str]:
        """The host by its name and version: what it loads by itself depends on both."""
        return self.tool.name, self.event.version

    @property
    def cooled(self) -> str:
        """The name that the cooldown is kept under: of the session, else of the directory."""
        return self.session or f"#{self.root}"


def ask(call: Call, tool: Hooks, event: Event, world: World) -> Ask:
    """Return what ``event`` asks for; ``world`` is where the event is from then on."""
    stores = event.moment == "ended" or event.name in tool.captures
    # A session is stored with its project, wherever its last command ran.
    folder = world.environ.get(tool.folder_variable, "") if stores else ""
    folder = folder if os.path.isabs(folder) and os.path.isdir(folder) else event.cwd
    if os.path.isabs(folder) and os.path.isdir(folder):
        world.cwd = folder
    event.cwd = world.cwd
    event.version = tool.version(world.environ)
    if stores and not event.transcript:
        event.transcript = tool.transcript(event.session, world.environ)
    if not tool.owns_environment:
        names = (name for name in world.environ if name[:4] != "CTX_" or name in _PLACES)
        world.environ = {name: world.environ[name] for name in names}
    found = Ask(tool, event, find(call.options.dir or "", world, quick=True))
    found.call = f"{world.now_ns:x}"
    if event.moment in ("files", "loaded", "emptied", "ended"):
        return found  # for which no packet is made
    prompt = event.prompt[: build.QUERY_CHARS]
    lines = tail(event.transcript) if event.transcript else []
    found.compressed = tool.compressed(lines) if lines else ""
    # What a transcript counted last was the window before this one.
    used, length = (None, None)
    if lines and not event.fresh:
        from ctx.hosts.transcripts import format_of  # only where the host names a transcript

        used, length = format_of(tool.name).usage(lines)
    found.recent = last_said(tool, lines, prompt) if lines and is_short(prompt) else ""
    found.options = PacketOptions(
        budget=call.options.budget,
        cooldown=call.options.cooldown,
        query=prompt,
        session=found.session or None,
        delta=bool(found.session),
        **_window(used, length, _length(call, world)),
    )
    more = (found.recent, *found.host, event.name)
    found.key = build.key_of(found.options, found.root, world, more)
    return found


def session_of(event: Event) -> str:
    """Return the session's id as it is kept: a long or odd one by its digest, blanks as none."""
    name = event.session if event.session.strip() else ""
    plain = len(name) <= MOST_ID and name.isascii() and name.isprintable() and name[:1] != "#"
    if plain and name == name.strip():
        return name
    return "#" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def is_short(prompt: str) -> bool:
    """Whether a prompt may be too little for a query, such as "yes, do that"."""
    prompt = prompt[: 4 * LAST_CHARACTERS]
    count = sum(map(str.isalnum, unspaced(prompt)))
    return len(content_words(prompt)) + count // _UNSPACED < CONTENT_WORDS


def content_words(prompt: str) -> set[str]:
    """Return the words of ``prompt`` that name a subject, in scripts with spaces."""
    from ctx.text.english import FUNCTION, words_of  # not for an event without a prompt

    empty = words_of(*FUNCTION, "rarer", "numbers", "talk", "going on")
    spaced = (char if char.isalnum() and char < _FIRST_UNSPACED else " " for char in prompt)
    return {word for word in "".join(spaced).lower().split() if len(word) >= _WORD} - empty


def unspaced(prompt: str) -> str:
    """Return what of ``prompt`` is in scripts that put no spaces between words."""
    if prompt.isascii():
        return ""
    return "".join(char if char >= _FIRST_UNSPACED else " " for char in prompt)


def _length(call: Call, world: World) -> int | None:
    """Return the length of the window that a person set: hosts may give only what is used."""
    text = call.options.context_length or world.environ.get(LENGTH_VARIABLE, "")
    text = text.replace("_", "").replace(",", "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS else None


def _window(used: int | None, length: int | None, typed: int | None) -> dict[str, str]:
    """Return how full the agent's window is, as options; none where either is not known."""
    length = length or typed
    if used is None or not length or length > MOST_LENGTH:
        return {}
    return {"context_length": str(length), "used_tokens": str(stepped(used, length))}


def stepped(used: int, length: int) -> int:
    """Return ``used`` rounded up, so that not every turn makes another call of the same prompt.

    Under half of the window to just under the next row of the table of pressure, from there on
    to the next fiftieth of the window; never to more than the whole.
    """
    for share in ROOMY:
        edge = -int(-share * length // 1)  # the first that is in the next row
        if used < edge:
            return edge - 1
    step = max(1, length // STEPS)
    return min(length, -(-used // step) * step)
