"""Making a hook's answer: a packet that keeps the budget as it is printed, and what to note.

Runs apart from the process that the host waits for, which may end it at any moment: what a
session received is recorded only after that process has reported that it was printed.
"""

from __future__ import annotations

import os
import time

from ctx.app import packet
from ctx.app.options import HookOptions, PacketOptions
from ctx.app.walk import directory
from ctx.app.workspace import Workspace
from ctx.errors import CtxError
from ctx.hooks import kept, unproven
from ctx.hooks.ask import ask, content_words, unspaced
from ctx.hooks.call import Call
from ctx.hooks.deadline import Answer
from ctx.hooks.fitting import Fitting
from ctx.hooks.printed import CHARACTERS_A_TOKEN, Printed, harmless
from ctx.hooks.table import name_of, scoped, seen_of, table
from ctx.hosts import NAMES
from ctx.hosts.host import Event
from ctx.model import BY_AGE, Memory, digest_of, session_file
from ctx.store import Record, given, mark
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.streams import counted
from ctx.text.secrets import mask
from ctx.text.tokens import counter
from ctx.text.words import term_ids
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.hooks.ask import Ask
    from ctx.hooks.fitting import Fitted
    from ctx.hosts.host import Hooks
    from ctx.model import Context, Library, ParseCache, Part, Request
    from ctx.world import World

COOLDOWN = 600  # seconds in which a hook does not repeat itself, where nobody sets others
_START = "#start"  # noted of a session whose rules its starts are sent, as no host keeps them
_JUST_NOW = 2.0  # seconds: of two hosts that run each other's hooks, both ask about one start
_EMPTIED = ("clear", "compact")  # why a window is new in the middle of a session
_GO_ON = ("compact", "fork")  # sources of a start that goes on with a session
UNTRUSTED = (  # the line at the head of a session's first answer in a project that is not trusted
    "The user has not trusted this project, so ctx sends only what its host loads anyway: run"
    " `ctx trust` in it to have the rest."
)
WAITING = (  # the line at the head of a session's first answer, once a day
    "{} of past sessions may be worth an entry: tell the user once that `ctx session promote`"
    " proposes them."
)
MOST_JUDGED = 64 * 1024  # bytes of talk that are judged for this line
_DAILY = "#waiting"  # the name under which the store keeps the days of that line
_FRESH = "#fresh"  # noted of a session that began with an empty window
_FIXED = frozenset({"rule", "convention", "task"})  # kinds that are included whatever is asked


def answer(asked: Ask, world: World, within: Callable[[float], float]) -> Answer:
    """Return what to print; ``within`` takes the settings' deadline, returns seconds left.

    The rules are kept ready before all that takes longer: they are what is sent if that is late.
    """
    start = asked.event.name in asked.tool.unkept.values()
    alone = start or bool(asked.event.agent)  # which are sent rules alone
    making = Making(asked, world, within, rules_only=alone)
    if start:
        return making.start()
    return making.rules() if alone else making.answer()


def keep(tool: Hooks, root: str, world: World) -> None:
    """Keep the rules of a project, and their table, ready for ``tool``; raises CtxError."""
    cwd = world.cwd
    for moment in ("", "files"):
        event = Event(tool.events[0], cwd=os.path.dirname(root))
        event.moment = moment
        asked = ask(Call(tool.name, event.name, HookOptions(dir=root)), tool, event, world)
        table(asked, world) if moment else Making(asked, world, float, rules_only=True).kept()
    world.cwd = cwd


class Making:
    """One answer that is being made."""

    def __init__(
        self, ask: Ask, world: World, within: Callable[[float], float], *, rules_only: bool = False
    ) -> None:
        self._ask = ask
        self._world = world
        self._now = world.now_ns / 1e9
        # The names under which the store keeps the last start and question that were answered.
        self._starts, self._repeats = f"#start {ask.cooled}", f"#same {ask.cooled}"
        workspace = Workspace(ask.options, world, root=ask.root)
        self._store = workspace.store
        # Before anything can go wrong: a session whose log is kept would miss its rules.
        self._is_answered = ask.event.fresh and not rules_only and not self._forget()
        first = ask.event.name in (ask.tool.events[0], *ask.tool.unkept) and ask.session
        noted = not first or not given.unsent(self._store.state, ask.cooled, [given.FIRST])
        self._beside = set[str]()  # the ids of rules that another event is sent now
        self._is_first = ask.event.fresh or not noted  # whether the window had no packet
        # Without secrets: it may go to an embedder's server.
        self._prompt, self._recent = ask.options.query or "", mask(ask.recent)
        # It is for a model to read.
        options = ask.options.replace(query=self._prompt or self._recent, format="md")
        workspace = workspace.having(options=options)
        self._wrong = ""
        workspace = self._sound(workspace)
        loaded = workspace.loaded
        # Half of what is left: what is ranked by words alone has to be made, too.
        seconds = min(loaded.settings.embed_seconds, within(loaded.settings.hook_seconds) / 2)
        self._workspace = workspace.having(loaded.settings._replace(embed_seconds=seconds))
        self._settings = self._workspace.settings
        usual = loaded.origins["cooldown"] == "default"
        self._cooldown = COOLDOWN if usual else loaded.settings.cooldown

    def _sound(self, workspace: Workspace) -> Workspace:
        """Return ``workspace``, without the project's settings where these are wrong."""
        try:
            self._counter = counter(workspace.settings.tokenizer)
        except CtxError:
            workspace = workspace.having(reads_project=False)
            self._counter = counter(workspace.settings.tokenizer)
            self._wrong = "without the project's settings: ctx agent shows what is wrong"
        return workspace

    def answer(self) -> Answer:
        """Return what to print, and what to note then."""
        ask, settings = self._ask, self._settings
        if self._is_answered:
            return Answer(b"", 0, "sent a moment ago")
        self._body = self.kept()
        counting = Printed(self._counter, ask.tool, ask.event.name, settings.budget)
        request = self._request()

        def walk(cache: ParseCache, library: Library) -> tuple[Context, Fitted | None]:
            context = directory(request, cache)
            if self._is_repeated(context):
                return context, None
            asked = request
            if self._prompt:
                asked = request._replace(query=query_of(self._prompt, self._recent, context))
            fitting = Fitting(context, asked, counting, library, time.perf_counter, self._beside)
            return context, fitting.fitted()

        context, fitted = self._workspace.walk(walk, request)
        out = counting.answer(fitted.text) if fitted and fitted.text else b""
        reason = self._wrong or (fitted.reason if fitted else "the same again")
        note = lambda: self._note(request, context, fitted, out)  # noqa: E731 - it is called later
        return Answer(out, self._cooldown, reason, note if self._store.state else None)

    def rules(self) -> Answer:
        """Return the rules alone, as they are kept; a subagent has received them then."""
        body, state = self.kept(), self._store.state
        text = body["text"]
        out = self._ask.tool.answer(self._ask.event.name, text) if text else b""
        names = body["given"] if text else [given.STARTED]
        given.forget(state, self._ask.session)
        note = lambda: given.claim(state, self._ask.cooled, names)  # noqa: E731 - called later
        return Answer(out, self._cooldown, self._wrong or "rules for a subagent", note)

    def start(self) -> Answer:
        """Return the rules alone at each start, unless prompts of the session hold them."""
        ask, body, state = self._ask, self.kept(), self._store.state
        names = [_START, given.STARTED]
        if not body["text"] or given.unsent(state, ask.cooled, names) == names[:1]:
            return Answer(b"", 0, "the session has the rules")
        out = ask.tool.answer(ask.event.name, body["text"])

        def note() -> None:
            given.claim(state, ask.cooled, [_START])
            kept.note(ask, self._store, self._world, body)

        return Answer(out, 0, self._wrong or "rules for a start", note)

    def kept(self) -> kept.Body:
        """Return the rules alone, as any session is sent them that has none; keep them ready."""
        asked, world = self._ask, self._world
        key = kept.key_of(asked, world, world.cwd)
        old = kept.load(self._store, key)
        if old and old["day"] == world.today and not kept.changed(old):
            return old
        workspace = self._workspace.having(options=PacketOptions(budget=asked.options.budget))
        request = self._for_host(workspace.request())
        request = request._replace(
            ranker=BY_AGE, planner="tiered", fill="none", format="md", session="", news_only=True,
            note="" if request.host.trusted else UNTRUSTED, now=self._now,
            memory=Memory("", secrets=request.settings.allow_secrets),
        )  # fmt: skip
        context = directory(request, NoCache(), rules=True)
        most = min(request.budget, asked.tool.most_characters // CHARACTERS_A_TOKEN) - kept.ROOM
        forms = (Printed(self._counter, asked.tool, name, most) for name in asked.tool.events)
        counting = min(forms, key=lambda form: form.room)
        fitted = Fitting(context, request, counting, WordsInMemory(), time.perf_counter).fitted()
        items = [*fitted.packet.memory.items.values()] if fitted.packet.memory else []
        names = [given.STARTED, digest_of(repr([each[:3] for each in items]))]
        names += [] if request.host.trusted else [UNTRUSTED]
        body = {
            "day": world.today, "trusted": request.host.trusted, "cooldown": self._cooldown,
            "text": harmless(fitted.text), "given": [*map(name_of, scoped(context)), *names],
            "items": items, "secrets": request.settings.allow_secrets,
        }  # fmt: skip
        if not self._wrong:
            kept.save(self._store, key, body, seen_of(context, request), world.now_ns)
        return body

    def _for_host(self, request: Request) -> Request:
        """Return ``request`` without the share of the rules, which is for who writes them."""
        trusted, agent = self._store.is_trusted(), self._ask.event.agent
        name, version = self._ask.host
        host = request.host._replace(name=name, version=version, agent=agent, trusted=trusted)
        host = host._replace(absent=self._ask.absent)
        return request.having(hard_share=1.0)._replace(host=host)

    def _forget(self) -> bool:
        """Forget what the session received: the host's window holds nothing of it any more.

        False where another hook has just answered the same start; its packet is in the window.
        That the same tool asks about the same twice happens at the first start alone, where its
        hooks are in two files: a window that is emptied again holds nothing again.
        """
        ask, store = self._ask, self._store
        if ask.session and store.state:
            own = ask.tool.name
            others = [name for name in NAMES if name != own or ask.event.source not in _EMPTIED]
            times = (
                store.seconds_since(self._starts, self._start(name), self._now) for name in others
            )
            if any(ago is not None and ago < _JUST_NOW for ago in times):
                return False
        store.empty(ask.session, ask.cooled)
        if ask.event.source in _EMPTIED:
            given.forget(store.state, unproven.reports_of(ask.session))
        return True

    def _start(self, tool: str) -> bytes:
        """Return the start that ``tool`` asks about: hosts call the first by different words."""
        source = self._ask.event.source
        return f"{source if source in _EMPTIED else 'start'} {tool}".encode()

    def _request(self) -> Request:
        """Return the request; the last turns are for what has no prompt, which follows them."""
        ask = self._ask
        request = packet.request_of(self._workspace)
        if self._settings.fill == "auto" and not self._is_first:
            request = request._replace(fill="none")
        request, store = self._for_host(request), self._store
        trusted = request.host.trusted
        # Also where a session goes on: what it has received is not sent again, and keeps its room.
        starts = self._is_first or (ask.event.name == ask.tool.events[0] and not ask.event.prompt)
        resumes = starts and ask.event.source not in _GO_ON and not ask.event.parent
        request = request._replace(resume=resumes)
        # A text that is in the window is dropped: right for a fork, which has noted nothing yet.
        if starts and not ask.event.fresh and request.memory and request.memory.items:
            clock = time.strftime(" %H:%M:%S", time.localtime(self._now))
            request = request._replace(clock=clock)
        own, emptied = self._own(request.state)
        request = request._replace(host=request.host._replace(own=own, emptied=emptied))
        if not trusted:
            is_new = bool(given.unsent(store.state, ask.cooled, [UNTRUSTED]))
            request = request._replace(note=UNTRUSTED if is_new else "")
        elif self._is_first and given.unsent(store.state, _DAILY, [self._world.today]):
            from ctx.app.waiting import waiting  # once a day

            given.claim(store.state, _DAILY, [self._world.today])
            count, _ = waiting(store.shared, ask.root, MOST_JUDGED)
            if count:
                request = request._replace(note=WAITING.format(counted(count, "turn")))
        if (
            trusted
            and self._is_first
            and ask.session
            and os.path.exists(os.path.join(store.shared or ".", "noted"))
        ):
            from ctx.app.noting import lines_of  # where an agent calls tools of MCP

            redact = not request.settings.allow_secrets
            lines = lines_of(store.shared, ask.session, self._now, redact=redact)
            request = request._replace(remarks=lines)
        if ask.event.fresh and request.memory:  # whatever could not be forgotten, or came since
            request = request._replace(memory=request.memory._replace(items={}))
        if request.memory and self._is_first and ask.event.name in ask.tool.unkept:
            # Its start is sent the rules at the same time; whether that was, the next prompt sees.
            self._beside = {item[0] for item in self._body["items"]}
            self._body["given"] = []
        return request if ask.event.fresh and starts else request._replace(session="")

    def _own(self, state: str) -> tuple[str, str]:
        """Return the file of the stored session, and when the window was emptied last."""
        event = self._ask.event
        if not (event.session and os.path.isdir(os.path.join(state, "sessions"))):
            return "", ""
        from ctx.app.capture import stored_as  # only where sessions are stored
        from ctx.read.turns import stamp

        names = [_FRESH, given.COPIED]
        known = event.fresh or given.unsent(self._store.state, self._ask.cooled, names) == names[1:]
        if not known and event.transcript and not os.path.exists(event.transcript):
            return "*", ""  # a copy of another session, which its host has yet to write
        name = session_file(stored_as(state, event.transcript, event.parent or event.session))
        if self._ask.tool.keeps_prompts:
            return name, ""
        if event.fresh:
            now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self._now))
            return name, stamp(unproven.last_answer(self._ask) or now)
        return name, stamp(unproven.window(self._ask)[0])

    def _is_repeated(self, context: Context) -> bool:
        if not (self._store.state and self._ask.session) or self._ask.event.fresh:
            return False
        ago = self._store.seconds_since(self._repeats, self._same(context), self._now)
        return ago is not None and ago < self._cooldown

    def _same(self, context: Context) -> bytes:
        """Return all that decides the answer: by content, as times of files may not differ yet."""
        parts = [(part.name, part.digest) for one in context.sources for part in one.parts]
        known = mark(self._store.log_of(self._ask.session))
        asked = (
            self._ask.options.given(), self._ask.recent, self._workspace.loaded.settings,
            self._world.today,
        )  # fmt: skip
        return repr((asked, parts, context.documents, known)).encode("utf-8", "backslashreplace")

    def _note(self, request: Request, context: Context, fitted: Fitted | None, out: bytes) -> None:
        """Note what the session received, and that the same event has no news again."""
        store, ask = self._store, self._ask
        names = self._body["given"] if out or self._beside else [given.STARTED]
        names = [*names, given.FIRST, *[_FRESH] * ask.event.fresh]
        given.claim(store.state, ask.cooled, names, ask.call)
        if ask.event.fresh and (loaded := [unproven.path_of(ask, path) for path in context.loaded]):
            unproven.note(ask, store, files=loaded)
        if fitted:
            packet.count_included(store, fitted.packet, self._world)
            knows = packet.worth_noting(fitted.packet)
            if knows and self._beside:
                own = {key: knows.items[key] for key in knows.items if key not in self._beside}
                knows = knows._replace(items={**store.received(ask.session).items, **own})
            if knows is not None and not store.note_received(knows):
                return  # full: it is sent once more
            context = fitted.packet.context
        if ask.session and ask.event.fresh and out:
            store.note_packet(self._starts, self._start(ask.tool.name), self._now)
        if ask.session and not (fitted and fitted.outstanding):
            store.note_packet(self._repeats, self._same(context), self._now)
        if fitted is None and self._settings.planner != "tiered":
            return  # others look at more files than were read
        if fitted and (fitted.outstanding or not fitted.packet.lasting):
            return
        seen = {
            **self._workspace.project.absent,
            **packet.seen_of(context, request, self._workspace),
            **store.trust_seen(),
        }
        if ask.session:
            log = store.log_of(ask.session)
            seen[log] = mark(log)
        record = Record(b"" if ask.session else out, b"", 0, ask.cooled, self._cooldown)
        store.remember(ask.key, record, seen, self._world.now_ns)


def query_of(prompt: str, recent: str, context: Context) -> str:
    """Return the query: the prompt, with ``recent`` where it finds nothing by itself.

    Most words of both together are of ``recent``: it must not hide what is asked now.
    """
    if recent and not _finds(prompt, context):
        return f"{prompt}\n{recent}"
    return prompt


def _finds(prompt: str, context: Context) -> bool:
    """Whether an entry holds all words of ``prompt`` that say what it is about."""
    terms = set(term_ids(" ".join((*content_words(prompt), unspaced(prompt)))))
    return bool(terms) and any(
        _holds_all(part, terms)
        for source in context.sources
        for part in source.parts
        if part.kind not in _FIXED
    )


def _holds_all(part: Part, terms: set[int]) -> bool:
    found: set[int] | None = None
    count = 0
    for _, places in part.holding(terms):
        found = set(places) if found is None else found.intersection(places)
        count += 1
    return count == len(terms) and bool(found)
