"""Push what a project shares to the team's server, and pull what others share."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ctx import rank
from ctx.app.focus import asked as ask_git
from ctx.app.library import embedder_of
from ctx.app.options import PacketOptions
from ctx.app.sessions import named, state_of
from ctx.app.settings import load
from ctx.app.workspace import Workspace
from ctx.digest import blake2b
from ctx.edit import atomic
from ctx.errors import FileError, ServiceError, UsageError
from ctx.model import FOREIGN, SHARED, Context, EmbeddingError, Entry, Part
from ctx.read.sessions import FOLDER as SESSIONS
from ctx.share import Row, Shared, Stored, folder_of, source_of
from ctx.share.server import Server
from ctx.text import encodable
from ctx.text.secrets import REDACTED
from ctx.world import World

FORM = 1  # raised when rows are made otherwise: then all are pushed again
BATCH = 5_000  # entries of a transaction, or more where one session has more
_SHARED_KINDS = ("decision", "learning")
_REMOTE = re.compile(r"(?:[a-z+]+://(?:[^/@]*@)?[^/]+/|(?:[^/@]*@)?[^/:]+:)?/*(.+?)(?:\.git)?/*")
_ROLES = ("user", "assistant", "tool")
_PULLED = "_entries"  # the file of what was pulled that is no session


class Sent(NamedTuple):
    """What a push sends, or would send."""

    sessions: int  # sessions of which something is sent or taken back; other entries count each
    entries: int
    bytes: int  # of their texts
    masked: int  # secrets that are masked in them
    gone: int  # sessions and entries that are taken back
    refused: tuple[str, ...] = ()  # what was forgotten on the server


class Pulled(NamedTuple):
    """What a pull has changed."""

    repository: str
    sessions: int
    entries: int
    gone: int  # sessions that were removed


def connected(world: World, address: str = "") -> Server:
    """Return a connection to ``address``, else to the server of the settings; raises CtxError."""
    address = address or load("", world, PacketOptions()).settings.share_server
    if not address:
        raise UsageError(
            "no server is set up", "share_server in ~/.config/ctx/config.toml, or CTX_SHARE_SERVER"
        )
    return Server(address, world.environ)


_NOTED = ("repository", "server", "version", "pushed", "shared", "vectors")


def _stored(path: str) -> dict[str, Any]:
    """Return what a cursor's file holds; raises FileError where that is damaged."""
    with suppress(ValueError):
        stored = json.loads(atomic.read(path) or b"{}")
        if isinstance(stored, dict):
            return stored
    hint = "without it pushes and pulls begin anew, and sessions have to be named again"
    raise FileError(f"{path}: is damaged", hint)


class Cursor:
    """How far a repository is pushed and pulled: a file beside what was pulled."""

    def __init__(self, state: str, repository: str) -> None:
        """Read it, or begin anew."""
        self.repository = repository
        self.folder = os.path.join(state, SHARED, folder_of(repository))
        self._path = f"{self.folder}.json"
        self.server: list[Any] = []
        """Id of the server's database, and number of the repository there."""
        self.version = 0  # of the last change that was pulled
        self.pushed: dict[str, str] = {}
        """Digests of what was pushed, by session as it is called here."""
        self.shared: list[str] = []  # the files of sessions that the user shares
        self.vectors = True  # whether the server compares entries by meaning, as it was asked last
        stored = _stored(self._path)
        for name in _NOTED:
            value = stored.get(name)
            if isinstance(value, type(getattr(self, name))):
                setattr(self, name, value)

    def of(self, server: list[Any]) -> None:
        """Begin anew where this is another server, or another repository of that name."""
        if self.server != server:
            self.server, self.version, self.pushed = server, 0, {}

    def save(self) -> None:
        """Write it in one step; raises FileError."""
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        text = json.dumps({name: getattr(self, name) for name in _NOTED}, indent=1)
        with atomic.lock(self._path):
            atomic.write(self._path, text.encode())


def repository_of(workspace: Workspace, given: str = "") -> str:
    """Return what a project is called on the server: as ``given``, or by where git fetches from."""
    if given:
        return given
    project, question = workspace.project.root, ("config", "--get", "remote.origin.url")
    answer = ask_git(project, workspace.world, question)
    url = "" if isinstance(answer, str) else os.fsdecode(answer[0]).strip()
    found = _REMOTE.fullmatch(url)
    if not (found and "/" in found[1]) or os.path.isabs(url):
        raise UsageError(
            "the project has no remote `origin` that could name it on the server",
            "--repo NAME names it",
        )
    return found[1]


def followed(state: str) -> list[str]:
    """Return the repositories that were pulled or pushed here before."""
    with suppress(FileNotFoundError), os.scandir(os.path.join(state, SHARED)) as found:
        return sorted(
            str(_stored(entry.path).get("repository", ""))
            for entry in found
            if entry.name.endswith(".json")
        )
    return []


class _Leaving(NamedTuple):
    """A session or another entry that may have to be sent."""

    name: str  # as it is called here: a file of sessions, or the id of an entry
    digest: str
    make: Callable[[], Shared]


def push(
    workspace: Workspace,
    repository: str,
    sessions: Sequence[str] = (),
    connect: Callable[[], Server] | None = None,
) -> Sent:
    """Send what has changed of what a project shares; without ``connect`` only count it.

    ``sessions`` are shared from now on, too. Secrets are redacted before rows are made. Raises
    CtxError; what was sent until then is noted.
    """
    _check_detector()
    state = state_of(workspace.root, workspace.world, make=True)
    cursor = Cursor(state, repository)
    chosen = [*cursor.shared, *(named(state, session) for session in sessions)]
    cursor.shared = sorted(set(chosen))
    safe = workspace.having(workspace.settings._replace(allow_secrets=False))
    if connect is None:
        return safe.read(lambda context: _send(context, safe, cursor, None), own=True)
    with connect() as server:
        identity, who = server.identity()
        visible = server.visible([repository])
        if not visible:
            raise ServiceError(
                f"the team's server: shows you no repository {repository!r}",
                f"an administrator gives it: `ctx share grant {who} {repository}`",
            )
        cursor.of([identity, visible[0].number])
        cursor.vectors = server.has_vectors()
        cursor.save()
        return safe.read(lambda context: _send(context, safe, cursor, (server, who)), own=True)


def _check_detector() -> None:
    """Raise ServiceError where secrets cannot be found: then nothing is sent."""
    try:
        from ctx.text.secrets import detectors  # noqa: F401 - whether it can be loaded
    except Exception as error:
        raise ServiceError(
            f"nothing is sent: secrets cannot be looked for ({type(error).__name__})",
            "is detect-secrets installed?",
        ) from error


def _send(
    context: Context, workspace: Workspace, cursor: Cursor, to: tuple[Server, str] | None
) -> Sent:
    embed = _embedding(workspace) if cursor.vectors else _NO_EMBEDDING
    if to is None:
        embed = embed._replace(vectors=_NO_EMBEDDING.vectors)
    every = list(_leaving(context, workspace, cursor, embed))
    here = {leaving.name for leaving in every}
    missing = [
        _Leaving(name, "", lambda: Shared("", "turn", ()))
        for name in cursor.pushed
        if name not in here
    ]
    new = [leaving for leaving in every if cursor.pushed.get(leaving.name) != leaving.digest]
    entries = size = masked = waiting = 0
    refused: list[str] = []
    batch: list[tuple[_Leaving, Shared]] = []

    def flush() -> None:
        if to is None or not batch:
            batch.clear()
            return
        server, who = to
        done = server.push(cursor.repository, [_for(who, *pair) for pair in batch], embed.name)
        refused.extend(done.refused)
        for leaving, _ in batch:
            cursor.pushed[leaving.name] = leaving.digest
            if not leaving.digest:
                del cursor.pushed[leaving.name]
        cursor.save()
        batch.clear()

    for leaving in (*new, *missing):
        shared = leaving.make()
        entries += len(shared.rows)
        size += sum(len(row.text.encode()) for row in shared.rows)
        masked += sum(row.text.count(REDACTED) for row in shared.rows)
        batch.append((leaving, shared))
        waiting += len(shared.rows)
        if waiting >= BATCH:
            flush()
            waiting = 0
    flush()
    return Sent(len(new), entries, size, masked, len(missing), tuple(refused))


def _for(who: str, leaving: _Leaving, shared: Shared) -> Shared:
    """Return a session as the server knows it: two people may have sessions of one name."""
    name = leaving.name
    is_talk = name.startswith(f"{SESSIONS}/")
    if is_talk:
        name = f"{who}/{name.removeprefix(f'{SESSIONS}/').removesuffix('.jsonl')}"
    kind = "turn" if is_talk else shared.kind
    return shared._replace(session=name, kind=kind)


class _Embedding(NamedTuple):
    name: str  # empty for none
    vectors: Callable[[Sequence[str]], Iterable[Sequence[int]]]


_NO_EMBEDDING = _Embedding("", lambda texts: [()] * len(texts))


def _embedding(workspace: Workspace) -> _Embedding:
    if workspace.settings.embedder == "none":
        return _NO_EMBEDDING
    from ctx.store.cascade import quantised

    try:
        made = embedder_of(workspace.settings, workspace.world.environ)
    except EmbeddingError as error:
        raise ServiceError(str(error)) from error
    return _Embedding(made.name, lambda texts: quantised(made.embed(texts)).tolist())


def _leaving(
    context: Context, workspace: Workspace, cursor: Cursor, embed: _Embedding
) -> Iterator[_Leaving]:
    stamp = f"{FORM} {embed.name}"
    for source in context.sources:
        talk = [part for part in source.parts if part.kind == "turn"]
        if talk and source.path.startswith(f"{SESSIONS}/"):
            name = source.path.removeprefix(f"{SESSIONS}/")
            if workspace.settings.share_sessions or name in cursor.shared:
                digests = b"".join(part.digest for part in talk)
                yield _Leaving(source.path, _digest(stamp, digests), _session(talk, embed))
        elif not source.path.startswith((FOREIGN, SHARED)):
            for entry in source.entries:
                if entry.kind in _SHARED_KINDS and entry.is_current:
                    text = f"{entry.title}\0{entry.timestamp}\0{entry.body}"
                    yield _Leaving(
                        entry.id, _digest(stamp, text.encode()), partial(_shared, [entry], embed)
                    )


def _digest(stamp: str, data: bytes) -> str:
    return blake2b(stamp.encode() + data, digest_size=16).hexdigest()


def _session(talk: Sequence[Part], embed: _Embedding) -> Callable[[], Shared]:
    places = [(part, at) for part in talk for at in range(len(part))]
    return lambda: _shared(
        [part.entry(at) for part, at in places], embed, [at in part.steps for part, at in places]
    )


def _shared(entries: Sequence[Entry], embed: _Embedding, steps: Sequence[bool] = ()) -> Shared:
    forms: set[str] = set()
    rows = []
    vectors = embed.vectors([rank.text(entry) for entry in entries])
    steps = steps or [False] * len(entries)
    for entry, vector, is_step in zip(entries, vectors, steps, strict=True):
        title, body, changed, dates = rank.fields(entry)
        forms.update(changed.split())
        is_talk = entry.kind == "turn"
        rows.append(
            Row(
                entry.timestamp, _plain(entry.id.partition("#")[2]), entry.speaker,
                "" if is_talk else _plain(entry.title), _plain(entry.body),
                body if is_talk else f"{title} | {body}", dates, vector, is_step,
            )
        )  # fmt: skip
    return Shared("", entries[0].kind if entries else "turn", rows, sorted(forms))


def _plain(text: str) -> str:
    """Return a text as a database takes it."""
    return encodable(text).replace("\0", "\ufffd")


def pull(workspace: Workspace, repository: str, server: Server) -> Pulled:
    """Bring what was pulled of ``repository`` up to date; raises CtxError.

    What may not be seen any more is removed.
    """
    state = state_of(workspace.root, workspace.world, make=True)
    cursor = Cursor(state, repository)
    identity, who = server.identity()
    visible = server.visible([repository])
    before: list[str] = []
    with suppress(FileNotFoundError):
        before = [os.path.join(cursor.folder, name) for name in os.listdir(cursor.folder)]
    if visible:
        known = [identity, visible[0].number]
        if cursor.server != known or cursor.version > visible[0].version:
            cursor.of(known)
            cursor.version = 0
    if not visible or not cursor.version:
        _remove(before)
    if not visible:
        cursor.server = []
        cursor.save()
        return Pulled(repository, 0, 0, len(before))
    is_own = False
    with suppress(UsageError):
        is_own = repository == repository_of(workspace)
    sessions = entries = gone = 0
    os.makedirs(cursor.folder, mode=0o700, exist_ok=True)
    changed = server.changed(repository, cursor.version)
    others = False
    for session, kind, _, count in changed:
        if kind != "turn":
            others = others or not is_own  # one's own come with git
        elif not _is_here(state, session, who):
            stored = server.sessions(repository, [session]) if count else []
            path = os.path.join(
                cursor.folder, os.path.basename(source_of(repository, session, "turn"))
            )
            gone += _write(path, [_line(each) for each in stored])
            sessions, entries = sessions + bool(stored), entries + len(stored)
    if others:
        names = [
            talk.session
            for talk in server.parts([repository]).get(repository, ())
            if talk.kind != "turn"
        ]
        stored = server.sessions(repository, names)
        _write(os.path.join(cursor.folder, f"{_PULLED}.jsonl"), [_line(each) for each in stored])
        entries += len(stored)
    cursor.version = max((version for *_, version, _ in changed), default=cursor.version)
    cursor.save()
    return Pulled(repository, sessions, entries, gone)


def _is_here(state: str, session: str, who: str) -> bool:
    """Return whether a session of the server is one of those that were imported here."""
    author, _, name = session.partition("/")
    return author == who and os.path.exists(os.path.join(state, SESSIONS, f"{name}.jsonl"))


def _line(stored: Stored) -> bytes:
    """Return an entry as a line of a session."""
    day = stored.day
    clock = f"T{day[11:13]}:{day[13:15]}:{day[15:17]}" if day[11:] else ""
    text = f"{stored.title}\n\n{stored.text}" if stored.title else stored.text
    role = stored.speaker if stored.speaker in _ROLES else "user"
    fields = {
        "id": stored.anchor if not stored.title else stored.session, "ts": f"{day[:10]}{clock}",
        "role": role, "speaker": "" if role == stored.speaker else stored.speaker or stored.author,
        "text": text,
    }  # fmt: skip
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def _write(path: str, lines: Sequence[bytes]) -> int:
    """Write a file of what was pulled, or remove it; return how many were removed."""
    if lines:
        atomic.write(path, b"".join(lines))
        return 0
    is_there = os.path.exists(path)
    _remove([path] if is_there else [])
    return int(is_there)


def _remove(paths: Sequence[str]) -> None:
    for path in paths:
        with atomic.explained(path, "removed"):
            os.unlink(path)
