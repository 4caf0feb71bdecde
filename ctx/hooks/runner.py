"""``ctx hook run``: what hosts call before sessions and prompts.

Nothing that goes wrong disturbs the host: the exit code is 0, nothing is printed that is no
packet, and one line in ``hook.log`` shows what became of the call. An event with nothing new is
answered from the store here, as ``ctx agent`` is; for another one a fork imports what it needs.
"""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from json import loads

from ctx.app.find import find
from ctx.app.options import HookOptions
from ctx.errors import OK, CtxError, FileError, UsageError
from ctx.hooks import call as log
from ctx.hooks import deadline
from ctx.hooks.ask import Ask, ask
from ctx.hooks.call import SECONDS, Call, Fault, read_call, seconds
from ctx.hosts import EXAMPLE, hooks_of
from ctx.hosts.host import about
from ctx.store import folder, given
from ctx.streams import complain, safe

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.hooks.deadline import Answer, Deliver, Within, Work
    from ctx.store import Store
    from ctx.world import World

_STDOUT = 1
_LAST_START = "#last start"  # under which the last session that started is kept, if it went on
_WINDOW = repr(("", None, ""))  # of a window of which an event says nothing
STORING = 8.0  # seconds for what stores turns, and answers nothing: less than hosts wait for a hook
WRITING = 1.0  # seconds in which a host writes the end of a transcript while a hook runs
_EXAMPLE = f"""echo '{{"prompt": "refund"}}' | ctx hook run {" ".join(EXAMPLE)}"""


def call_of(arguments: Sequence[str]) -> Call | None:
    """Return the call in ``arguments``; None for help, or a mistake that is made at a terminal."""
    if arguments[:1] == ["git"] or "--help" in arguments:
        return None
    call = read_call(arguments)
    if call is None and not _asked_by_hand():
        tool_name, event_name, *_ = [*arguments, "", ""]
        call = Call(tool_name, event_name, HookOptions())
        call.ends("fault", "options are not understood")
    return call


def run(call: Call, world: World) -> int:
    """Answer the event on standard input; return 0. UsageError where a person types it."""
    if _asked_by_hand():
        raise UsageError("the event is read from standard input", _EXAMPLE)
    Hook(call, world).run()
    return OK


def _asked_by_hand() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


class Hook:
    """One call, from the event to the line in the log."""

    def __init__(self, call: Call, world: World) -> None:
        self._call = call
        self._world = world
        self._root = self._again = ""
        self._child: deadline.Child | None = None
        self._asks: Ask | None = None  # what is answered by the rules alone, if it must be
        self._is_printing = self._is_late = False
        typed = seconds(call.options.deadline or "")
        known = typed or seconds(world.environ.get("CTX_HOOK_SECONDS", ""))  # before files are read
        self._deadline = deadline.Deadline(call.began, known or SECONDS, fixed=bool(typed))

    def run(self) -> None:
        """Answer, and log what became of it; raises nothing."""
        _open_all()
        if not deadline.FORKS:
            self._run_in_thread()
            return
        try:
            self._deadline.ring(self._rang)
            self._guarded()
            self._deadline.stop()
        except deadline.Late:
            self._ends_late()
            self._deadline.stop()
        self._log()

    def _rang(self) -> None:
        """Leave whatever goes on: an import cannot be gone into twice. The next time end here."""
        if self._is_late:
            self._late()
        self._is_late = True
        self._deadline.grace(SECONDS)
        raise deadline.Late

    def _ends_late(self) -> None:
        """Print the rules that are kept, where the session does not hold them."""
        asked, self._asks = self._asks, None
        try:
            if asked and not self._is_printing:
                from ctx.hooks import kept  # only where it is late

                store = self._world.store(asked.root)
                found = kept.answer(asked, store, self._world)
                self._deadline.grace()  # nobody waits for a host that does not read
                if found and not found.out:
                    self._call.reason = found.reason
                elif found and self._deliver(found, asked, store):
                    found.note()
        except Exception as error:  # noqa: BLE001 - never fail the host
            self._call.reason = deadline.fault_of(error)
        if self._call.outcome == "fault":  # what was printed counts, though its noting is late
            self._call.ends("deadline", self._call.reason)

    def _late(self) -> None:
        """End at once: the host has waited long enough."""
        if self._child:
            self._child.end()
        self._ends_late()
        self._log()
        os._exit(OK)

    def _run_in_thread(self) -> None:
        """Answer where nothing rings: this thread waits for another, and no longer."""
        import threading

        worker = threading.Thread(target=self._guarded, daemon=True)
        worker.start()
        worker.join(self._deadline.left())
        if worker.is_alive():
            self._late()
        self._log()

    def _guarded(self) -> None:
        try:
            self._answer()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - never fail the host
            self._call.ends("fault", deadline.fault_of(error))
        finally:
            if self._child:
                self._child.end()

    def _answer(self) -> None:
        asked = self._asked()
        if asked is None:
            return
        world = self._world
        store = world.store(asked.root)
        if asked.event.moment == "ended" or asked.event.name in asked.tool.captures:
            self._capture(asked)
            return
        if asked.event.source == "compact":  # what it took away is quoted now
            with suppress(CtxError, Fault, OSError):
                self._capture(asked)
        if silent := self._noted(asked, store):
            self._call.ends("silent", silent)
            return
        self._asks = asked
        self._check(asked, store)
        if asked.event.moment == "files":
            self._touch(asked, store)
            return
        record = None if asked.event.fresh else store.recall(asked.key)

        def deliver(found: Answer) -> bool:
            made = store if record else world.store(asked.root)  # its id may be new
            return self._deliver(found, asked, made)

        def work(within: Within) -> Answer:
            from ctx.hooks.answer import answer  # all that makes a packet

            return answer(asked, world, within)

        if record:
            deliver(deadline.Answer(record.out, record.cooldown, "known"))
        else:
            self._make(work, deliver)

    def _check(self, asked: Ask, store: Store) -> None:
        """Have what did not arrive sent again."""
        awaits = os.path.exists(store.unproven(asked.session))
        if awaits and asked.event.transcript and not asked.event.fresh:
            from ctx.hooks import unproven  # only where a session was answered just now

            if unproven.check(asked, store):
                self._again = "; what did not arrive is sent again"

    def _noted(self, asked: Ask, store: Store) -> str:
        """Note what an event says of its window; return why nothing is sent, empty where it may be.

        One hook answers a moment: hosts may run several at once.
        """
        event, state = asked.event, store.state
        noted = [given.STARTED, given.FIRST]  # of an emptied window: its next packet has the rules
        if event.name in asked.tool.unkept.values():  # nor is what it showed with files kept
            given.retract(state, asked.session, given.LOADED)
        if event.moment == "loaded":
            from ctx.hooks import unproven  # only where a host reports it

            names = [unproven.LOADS, *map(unproven.loaded, event.files)]
            given.claim(state, unproven.reports_of(asked.session), names)
            return "noted what the host has loaded"
        if event.moment == "emptied":
            store.empty(asked.session, asked.cooled)
            given.claim(state, asked.session, noted, asked.call)
            return "the window is compacted"
        self._follow(asked, store, noted)
        if event.agent and event.parent:
            return "the subagent has the window of its session"
        if event.turn and event.moment != "files" and asked.session:
            turn = f"{event.name.lower()} {event.turn}"
            if not given.claim(state, f"{asked.session} #turns", [turn]):
                return "another hook answers this moment"
        return ""

    def _follow(self, asked: Ask, store: Store, noted: list[str]) -> None:
        """Note of which window this one is a copy, what it lost, or that it was compacted."""
        event, state = asked.event, store.state
        event.parent = event.parent or (state and self._origin(asked, state))
        window = repr((event.parent, event.until, asked.compressed))
        if given.claim(state, f"{asked.session} #window", [window] * (window != _WINDOW)):
            if event.until is not None:
                store.take_back(asked.session, asked.cooled, event.until, event.since)
            elif event.parent:
                store.inherit(event.parent, asked.session, asked.cooled)
            else:
                store.empty(asked.session, asked.cooled)
                given.claim(state, asked.session, noted, asked.call)
        elif asked.compressed and event.fresh:
            from ctx.hooks import unproven  # where a host tells a compaction twice, at two starts

            event.fresh = not unproven.is_empty(asked)

    def _origin(self, asked: Ask, state: str) -> str:
        """Return of which session, whose start the host told in its place, this is a copy."""
        event, last = asked.event, folder.path_of(state, given.FOLDER, _LAST_START)
        start, *prompts = asked.tool.events
        if not (asked.tool.proves and prompts):
            return ""  # it tells no starts, or copies cannot be known
        if event.name == start:
            folder.replace(last, asked.session.encode() if event.source == "resume" else b"")
        is_new = event.transcript and not os.path.exists(event.transcript)
        unknown = is_new and given.unsent(state, asked.session, [given.FIRST])
        return (folder.contents(last) or b"").decode() if unknown else ""

    def _capture(self, asked: Ask) -> None:
        event, done = asked.event, "no transcript is named"
        compacts = event.source == "compact"
        if not compacts:  # before what takes long on a busy machine
            self._deadline.within(STORING)
        from ctx.app.capture import capture  # not for packets
        from ctx.app.options import PacketOptions
        from ctx.app.settings import load

        try:
            settings = load(asked.root, self._world, PacketOptions()).settings
            if event.transcript:
                if event.name == asked.tool.late:
                    self._await(event.transcript)
                done = capture(
                    asked.root, event.transcript, event.session, self._world, settings,
                    self._deadline.left, compacts=compacts,
                )  # fmt: skip
        except FileError as error:
            raise Fault("not stored: ctx session import shows why") from error
        self._call.ends("silent", done)
        if settings.share_push and settings.share_server:
            self._push(asked.root)

    def _await(self, path: str) -> None:
        """Wait until ``path`` was written to since this call began, ``WRITING`` at most."""
        from time import monotonic, sleep, time

        began, until = time() - (monotonic() - self._call.began), self._call.began + WRITING
        with suppress(OSError):
            while os.stat(path).st_mtime < began and monotonic() < until:
                sleep(0.02)

    def _push(self, root: str) -> None:
        """Start a push that nobody waits for."""
        from subprocess import DEVNULL, Popen

        argv = (sys.executable, "-m", "ctx", "sync", "push", "--background", "--dir", root)
        Popen(  # noqa: S603 - ctx itself
            argv, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL,
            env=dict(self._world.environ), start_new_session=True,
        )  # fmt: skip

    def _touch(self, asked: Ask, store: Store) -> None:
        from ctx.hooks import touched  # not for packets

        record = store.recall(touched.key_of(asked, self._world))
        known = touched.answer(asked, store, record.out) if record else None

        def deliver(made: Answer) -> bool:
            there = self._world.store(asked.root)  # its id may be new
            found = touched.answer(asked, there, made.out, made=True)
            return found is not None and self._deliver(found, asked, there)

        def work(_within: Within) -> Answer:
            from ctx.hooks.table import table  # all that makes a packet

            return deadline.Answer(table(asked, self._world), 0, "")

        if known:
            self._deliver(known, asked, store)
        else:
            self._make(work, deliver)

    def _make(self, work: Work, deliver: Deliver) -> None:
        """Deliver what is made, in a process that can be ended where there can be one."""
        if deadline.FORKS:
            self._child = deadline.Child(work, self._deadline)
            self._child.deliver(deliver)
            return
        found = work(self._deadline.within)
        if deliver(found):
            found.note()

    def _asked(self) -> Ask | None:
        """Return what is asked for, None where nothing is; raises Fault and CtxError."""
        call, world = self._call, self._world
        try:
            self._root = find(call.options.dir or "", world, quick=True)
        except CtxError:
            self._root = ""  # the event may name another folder
        if call.reason:
            raise Fault(call.reason)
        if sys.stdout is None:
            raise Fault("standard output is closed")
        host = hooks_of(call.tool)
        if host is None:
            raise Fault("no such tool")
        if call.options.deadline and not seconds(call.options.deadline):
            raise Fault("--deadline is no number of seconds")
        data = log.read_event()
        host = hooks_of(host.runner(data, world.environ)) or host
        found = host.read(call.event, data)
        if found is None:
            call.ends("ignored", "no such event")
            return None
        about(found, data)
        asked = ask(call, host, found, world)
        self._root = asked.root
        return asked

    def _deliver(self, found: Answer, asked: Ask, store: Store) -> bool:
        """Print an answer, unless it was printed a moment ago; return whether it counts."""
        if not found.out:
            self._call.ends("silent", found.reason)
            return True
        now = self._world.now_ns / 1e9
        # A person looks at the answer, and no session receives it.
        is_watched = not asked.session and self._world.at_terminal()
        quiet = found.cooldown > 0 and bool(store.state) and not is_watched
        if quiet:
            ago = store.seconds_since(asked.cooled, found.out, now)
            if ago is not None and ago < found.cooldown:
                self._call.ends("quiet", "sent a moment ago")
                return False
        from ctx.hooks import unproven  # only where there is an answer

        self._is_printing = True
        _print(_readable(found.out) if self._world.at_terminal() else found.out)
        self._call.ends("answered", found.reason + self._again)
        unproven.note(asked, store, _text(found.out), call=asked.call)
        if quiet:
            store.note_packet(asked.cooled, found.out, now)
        return True

    def _log(self) -> None:
        call = self._call
        if self._root:
            log.note(call, self._root, self._world)
        if call.outcome != "answered" and sys.stderr is not None and sys.stderr.isatty():
            complain(f"hook: {call.outcome}{f': {call.reason}' if call.reason else ''}")


def _open_all() -> None:
    """Open standard streams that are closed, so that no other file takes their numbers."""
    for stream, descriptor in ((sys.stdin, 0), (sys.stdout, 1), (sys.stderr, 2)):
        if stream is None and os.open(os.devnull, os.O_RDWR) > descriptor:
            return  # it is open, and Python does not use it


def _readable(out: bytes) -> bytes:
    return f"{safe(_text(out)).rstrip()}\n".encode("utf-8", "replace")


def _text(out: bytes) -> str:
    """Return the text in an answer that the agent gets; all of it where it is no JSON."""
    try:
        text = loads(out)
    except ValueError:
        text = out.decode("utf-8", "replace")
    while isinstance(text, dict) and text:
        text = max(text.values(), key=lambda value: len(str(value)))  # beside names of events
    return str(text)


def _print(data: bytes) -> None:
    sys.stdout.flush()
    while data:
        try:
            data = data[os.write(_STDOUT, data) :]
        except BlockingIOError:  # a host's own pipe, which does not wait
            select.select([], [_STDOUT], [])
        except OSError:
            raise Fault("standard output cannot be written") from None
