"""A context directory as entries: its files, the entries of each, and their order."""

import os
import posixpath
import stat
from collections.abc import Iterator, Sequence

from ctx.model import (
    FOREIGN,
    NO_FRONTMATTER,
    NOBODY,
    SHARED,
    CachedFile,
    Context,
    Document,
    Entry,
    Frontmatter,
    Host,
    Origin,
    ParseCache,
    SectionName,
    Source,
    Thread,
    section_of,
    session_file,
)
from ctx.read import files, sessions
from ctx.read.beside import Beside
from ctx.read.columns import (
    Archived,
    Columns,
    mark_superseded,
    mark_waiting,
    parts_of,
    remembered,
    without_repeats,
)
from ctx.read.loaded import Loading, Reached
from ctx.read.sessions import SUMMARIES, Session
from ctx.text.names import on_one_line, shown
from ctx.text.scopes import applies, steering_scope
from ctx.typed import NamedTuple


class Reader(NamedTuple):
    """Which files hold one kind of entry."""

    name: str  # the root file, in any case; empty for kinds without one
    folder: str  # the themed folder; empty for kinds without one
    kind: str  # the parser in ``card.PARSERS``, which is loaded when a file must be parsed
    deep: bool = False  # whether the folders in the folder are read, too


_USUAL = "/.config/ctx/context"  # end of the usual path for all projects: it need not exist

# The order is the order of reading and of precedence. A new kind is a line here.
CONSTITUTION = Reader("CONSTITUTION.md", "", "constitution")
STEERING = Reader("", "steering", "steering")
READERS = (
    CONSTITUTION,
    STEERING,
    Reader("TASKS.md", "", "tasks"),
    Reader("CONVENTIONS.md", "conventions", "conventions"),
    Reader("DECISIONS.md", "decisions", "decisions"),
    Reader("LEARNINGS.md", "learnings", "learnings"),
    Reader("", "specs", "sections", deep=True),
)
READ_FIRST = (  # read order; other files of the root follow by name
    "CONSTITUTION.md",
    "TASKS.md",
    "CONVENTIONS.md",
    "ARCHITECTURE.md",
    "DECISIONS.md",
    "LEARNINGS.md",
    "GLOSSARY.md",
    "AGENT_PLAYBOOK.md",
)

MOST_PLACES = 4  # paths of a section that a packet names; of more the folders that hold them
_MOST_FOLDERS = 1_000  # folders of one kind that are read
NO_ENTRIES = ("readme.md", "index.md")  # names of files that describe their themed folder
IMPORTED = "imported-from"  # key of the frontmatter: the file, from the root, that this one copies
ARCHIVE = "archive"  # the folder of archived entries, which no packet includes
KINDS = ("tasks", "decisions", "learnings")  # kinds of files from which entries are archived
_DATED = ("decision", "learning")
_USUAL_PRIORITY = 50  # of steering files that give none
_FOLDERS = tuple(reader.folder for reader in READERS if reader.folder)


def paths_of(root: str, reader: Reader, names: Sequence[str]) -> Iterator[str]:
    """Yield the files of one kind: those of ``names``, the root's files, then the themed ones.

    Raises OSError where the themed folder cannot be listed.
    """
    yield from (name for name in names if name.lower() == reader.name.lower())
    themed = files.names(os.path.join(root, reader.folder)) if reader.folder else []
    yield from (f"{reader.folder}/{name}" for name in themed if name.lower() not in NO_ENTRIES)


def kind_of(name: str) -> str:
    """Return the one of ``KINDS`` that the file ``name`` of an archive holds; empty for others."""
    stem = name.lower().removesuffix(".md")
    return next((kind for kind in KINDS if stem == kind or stem.startswith(f"{kind}-")), "")


class Wanted(NamedTuple):
    """What is read beside the files that every context directory has."""

    origins: tuple[Origin, ...] = ()  # sources of the project that are read, by precedence
    session: str = ""  # the session that the packet is for; empty without one
    archive: bool = False  # whether archived tasks, decisions and learnings are read, too
    state: str = ""  # the folder whose ``sessions/`` holds the imported sessions; empty for none
    foreign: bool = False  # whether sessions that came with the repository are read, too
    rules_only: bool = False  # whether only rules are read, since there is no time for more
    everywhere: tuple[str, str] = ("", "")  # the user's directory for all projects, and as shown
    host: Host = NOBODY  # whom the packet is for
    query: bool = True  # whether steering files for questions are read: they hold background then
    documents: bool = False  # whether the root's files that hold no entries are looked into
    levels: tuple[str, ...] = ()  # folders of documents, relative to the root, nearest first
    focus: tuple[str, ...] = ()  # files that are being worked on, relative to the project
    roots: tuple[str, ...] = ()  # context directories above (``../../.context``), nearest first
    whole: bool = True  # whether rules for certain files are read, whatever is in focus
    cwd: str = ""  # absolute path of the folder from which texts show files; empty for the root


_NOTHING_MORE = Wanted()


def read(
    root: str, cache: ParseCache, limits: files.Limits, wanted: Wanted = _NOTHING_MORE
) -> Context:
    """Read the context directory at ``root``, and what is ``wanted`` beside it.

    Files that cannot be read become warnings. Raises OSError only where ``root`` itself cannot be
    listed, and CacheLossError as the cache does.
    """
    seen = {path: files.look(root, path) for path in ("", *_FOLDERS)}
    reading = _Reading(root, cache, limits, seen)
    reading.cwd = wanted.cwd
    names = files.names(root)
    readers = READERS[:2] if wanted.rules_only else READERS
    for reader in readers:
        reading.kind(reader, names, wanted)
        if reader is CONSTITUTION and wanted.levels:
            reading.beside(wanted, knowledge=False)
    if wanted.levels and not wanted.rules_only:
        reading.beside(wanted, knowledge=True)
    nearest = list(reading.dated)
    above = [name for outer in wanted.roots for name in reading.above(outer, readers, wanted)]
    loading = Loading(wanted.host, wanted.origins, limits.project, reading.look)
    reading.sources = [
        source for source in reading.sources if loading.may_be_sent(source, reading.reached)
    ]
    reading.mark(nearest)
    if wanted.everywhere[0]:
        reading.everywhere(wanted, readers)
    parts = [part for source in reading.sources for part in source.parts if part.kind == "task"]
    mark_waiting([part for part in parts if isinstance(part, Columns)])
    if wanted.archive:
        reading.archived()
    thread, standing = None, list[Entry]()
    if not wanted.rules_only:
        thread = (
            reading.sessions(wanted.state, wanted.session, wanted.host) if wanted.state else None
        )
        standing = _standing(reading.talks, wanted.host) if reading.talks else []
        if wanted.foreign:
            reading.of_others(wanted)
    every = (*reading.warnings, *(line for source in reading.sources for line in source.warnings))
    warnings = _redacted(tuple(map(on_one_line, every)), limits)
    rank = {name.lower(): number for number, name in enumerate(READ_FIRST)}
    order = sorted(names, key=lambda name: (rank.get(name.lower(), len(rank)), name))
    read_order = tuple(map(shown, order))
    documents = list[Document]()
    if wanted.documents:
        from ctx.read.documents import documents_of  # patterns that only packets need

        entries = {reader.name.lower() for reader in READERS}
        others = [
            name for name in (*order, *above) if posixpath.basename(name).lower() not in entries
        ]
        described = (each for each in reading.described if each.path not in reading.copied)
        documents = [*loading.documents(described), *documents_of(root, others, limits, seen)]
    if not wanted.host.trusted:
        read_order, documents = (), []
    copied = tuple(source for source in reading.sources if source.path in reading.copied)
    moments = loading.moments(reading.reached, reading.sources)
    loaded = {path for path, moment in moments.items() if moment == "start"}
    # What the host has comes first: others that repeat it need not be sent, either.
    own = sorted(
        (source for source in reading.sources if source.path not in reading.copied),
        key=lambda source: source.path not in loaded,
    )
    first = [source.path for source in own if source.path in loaded]
    left = tuple(source.path for source in own[: len(first)] if any(map(len, source.parts)))
    sources = tuple(without_repeats(own, together=not wanted.whole)[len(first) :])
    bases = {path: frozenset(found.bases) for path, found in reading.reached.items()}
    return Context(
        root, sources, read_order, warnings, seen, thread, standing, tuple(documents), copied, left,
        moments, bases,
    )  # fmt: skip


def _standing(talks: Sequence[Sequence[Columns]], host: Host) -> list[Entry]:
    from ctx.read.instructing.register import register  # only where there are sessions

    entries = [given.entry() for given in register(talks)]
    own = shown(f"{sessions.FOLDER}/{host.own}") if host.own else ""
    return [
        each
        for each in entries
        if (each.source != own and host.own != "*") or each.timestamp < host.emptied
    ]


def _redacted(warnings: tuple[str, ...], limits: files.Limits) -> tuple[str, ...]:
    """Return warnings without the secrets in what they name, such as the path of an import."""
    if not warnings or limits.allow_secrets:
        return warnings
    from ctx.text.secrets import mask  # only where something is wrong

    return tuple(mask("\n".join(warnings)).split("\n"))


class _Reading:
    def __init__(
        self,
        root: str,
        cache: ParseCache,
        limits: files.Limits,
        seen: dict[str, tuple[int, ...]],
        shown: str = "",
    ) -> None:
        self.root = root
        self._shown_root = shown  # how ``root`` is shown before its files; empty for the project's
        self.cwd = ""  # ``Wanted.cwd``
        self.cache = cache
        self.limits = limits
        self.seen = seen
        self.sources: list[Source] = []
        self.warnings: list[str] = []
        self.dated: list[Columns] = []  # files whose entries may supersede others
        self.talks: list[Sequence[Columns]] = []  # the pieces of each imported session of the user
        self.copied: set[str] = set()  # files of the project that ``ctx import`` has copied here
        self.reached: dict[str, Reached] = {}  # how files beside the directory are reached, by path
        self.described: list[Document] = []  # files of rules that somebody has to ask for

    def paths(self, reader: Reader, names: Sequence[str], outer: str = "") -> list[str]:
        """Return the files of one kind: the root file first, then the themed ones by name."""
        own = f"{outer}{reader.name}".lower()
        paths = [name for name in names if name.lower() == own]
        if not reader.folder:
            return paths
        folders = [f"{outer}{reader.folder}"]
        for folder in folders:  # which grows
            paths += [
                f"{folder}/{name}"
                for name in self._names(folder, ".md")
                if name.lower() not in NO_ENTRIES
            ]
            if reader.deep and len(folders) < _MOST_FOLDERS:
                folders += self._folders(folder)
        return paths

    def _folders(self, folder: str) -> list[str]:
        """Return the folders in ``folder`` without links, which could lead in a circle."""
        try:
            files.check_folder(self.root, folder, self.limits)
        except files.RefusedError:
            return []  # there is a warning since its files were listed
        names, links = files.folders(files.place(self.root, folder))
        self.warnings += [
            f"{shown(f'{folder}/{name}')}/: is a link to a folder; left out (links to files "
            "are followed)"
            for name in links
        ]
        paths = [f"{folder}/{name}" for name in names]
        self.seen.update((path, files.look(self.root, path)) for path in paths)
        return paths

    def _names(self, folder: str, ending: str, root: str = "") -> list[str]:
        root = root or self.root
        try:
            files.check_folder(root, folder, self.limits)
            return files.names(files.place(root, folder), ending)
        except files.RefusedError as refused:
            self.warnings.append(str(refused))
            return []
        except OSError as error:
            self.warnings.append(f"{folder}/: cannot be read: {error.strerror}")
            return []

    def kind(self, reader: Reader, names: Sequence[str], wanted: Wanted, outer: str = "") -> None:
        """Read the files of one kind; ``outer`` begins their paths in a folder above."""
        first = len(self.sources)
        for path in self.paths(reader, names, outer):
            self.file(path, reader.kind, outer)
        if reader is STEERING:
            self.sources[first:] = _steering(self.sources[first:], wanted)

    def above(self, root: str, readers: Sequence[Reader], wanted: Wanted) -> list[str]:
        """Read the context directory of a folder above; return the paths of its root's files."""
        self.seen[root] = files.look(self.root, root)
        if not self.seen[root]:
            return []
        names = [f"{root}/{name}" for name in self._names(root, ".md")]
        for reader in readers:
            if reader.folder:
                self._look(self.root, f"{root}/{reader.folder}")
            self.kind(reader, names, wanted, f"{root}/")
        return names

    def beside(self, wanted: Wanted, *, knowledge: bool) -> None:
        """Read the project's sources of rules, or those of ``knowledge``, which come last."""
        origins = (
            origin
            for origin in wanted.origins
            if origin.knows == knowledge and (wanted.whole or not origin.searched)
        )
        beside = Beside(self.root, self.limits, self.opened, self.seen, self.warnings)
        self.sources += beside.read(origins, wanted.levels, wanted.focus, whole=wanted.whole)
        self.described += beside.documents
        self.reached |= beside.reached

    def everywhere(self, wanted: Wanted, readers: Sequence[Reader]) -> None:
        """Read the user's directory for all projects: it supersedes nothing of the project's."""
        root, shown = wanted.everywhere
        self.seen[root] = files.look("", root)
        if not self.seen[root] and shown.endswith(_USUAL):
            return
        names: list[str] = []
        why = ""
        try:
            status = os.stat(root)
            names = files.names(root)
            if not stat.S_ISDIR(status.st_mode):
                why = "is not a directory; left out"
            elif not files.is_own(status):
                why = "others may write there; left out"
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
        if why:
            self.warnings.append(f"{shown}/: {why}")
            return
        # It is the user's own, and may be kept elsewhere by links.
        limits = self.limits._replace(allow_links=True)
        other = _Reading(root, self.cache, limits, {}, shown)
        for reader in readers:
            other.seen[reader.folder] = files.look(root, reader.folder)
            other.kind(reader, names, wanted)
        self.seen |= {os.path.join(root, path): found for path, found in other.seen.items()}
        self.warnings += (f"{shown}/{warning}" for warning in other.warnings)
        self.sources += other.sources
        self._superseding([*self.dated, *other.dated], self.dated)

    def mark(self, nearest: Sequence[Columns]) -> None:
        """Mark what is superseded; of what is ``nearest`` only by what is so as well."""
        mark_superseded(nearest)
        if len(self.dated) > len(nearest):
            self._superseding(self.dated, nearest)

    def _superseding(self, every: Sequence[Columns], own: Sequence[Columns]) -> None:
        """Mark what is superseded in ``every`` file but its ``own``, which are marked already."""
        live = [(file, set(file.superseded)) for file in own]
        mark_superseded(every)
        for file, superseded in live:
            file.superseded = superseded

    def file(self, path: str, kind: str, outer: str = "") -> None:
        self.seen[path] = files.look(self.root, path)
        opened = self.opened(path, kind)
        if opened is None:
            return
        size, file = opened
        if self._shown_root and file.front.scope == NO_FRONTMATTER.scope:
            file.front = file.front._replace(scope="global")
        copied = posixpath.join(outer, str(file.front.extra.get(IMPORTED)))
        self.copied.add(posixpath.normpath(copied) if outer else copied)
        if kind == STEERING.kind:
            file.front = file.front._replace(applies=steering_scope(file.front, path))
        parts, applying = parts_of(file), file.front.applies
        self.sources.append(Source(file.source, size, parts, file.warnings, scope=applying))

    def look(self, path: str) -> None:
        self.seen[path] = files.look("", path)

    def opened(self, path: str, kind: str) -> tuple[int, Columns] | None:
        """Return a file's size and entries; None and a warning where it is refused."""
        try:
            size, file = self._open(path, kind)
        except files.RefusedError as refused:
            self.warnings.append(str(refused))
            return None
        if file.kind in _DATED:
            self.dated.append(file)
        if self.cwd:
            shown = os.path.relpath(os.path.join(self.root, file.source), self.cwd)
            file.front = file.front._replace(shown=shown.replace(os.sep, "/"))
        return size, file

    def _open(self, path: str, kind: str) -> tuple[int, Columns]:
        """Return a file's size and its entries: from the cache where that has them, else parsed."""
        status = files.inspect(self.root, path, self.limits)
        place, name = path, path
        if self._shown_root:
            if not files.is_own(status):
                raise files.RefusedError(path, "others may write to it; left out")
            place, name = f"{self._shown_root}/{path}", os.path.join(self.root, path)
        known = remembered(place, name, self.cache)
        if known is not None and self.cache.signature(name) == files.signature(status):
            return status.st_size, known
        data, signature = files.load(self.root, path, self.limits)
        redact_secrets = not self.limits.allow_secrets
        if known is not None and known.digest == files.digest_of(
            data, redact_secrets=redact_secrets
        ):
            self.cache.touch(name, signature)
            return len(data), known
        from ctx.read import card, record  # all that parsing needs: only where a file has changed

        def keep(cached: CachedFile, text: bytes) -> None:
            self.cache.put(name, (), cached, text)

        place = shown(place)
        cached, text = record.record(
            place, data, card.parser_of(kind), known, redact_secrets=redact_secrets, keep=keep
        )
        self.cache.put(name, signature, cached, text)
        return len(data), Columns(place, name, cached, lambda: text)

    def archived(self) -> None:
        """Read archived entries; these supersede nothing that is not archived."""
        self.seen[ARCHIVE] = files.look(self.root, ARCHIVE)
        live = list(self.dated)
        first = len(self.sources)
        for name in self._names(ARCHIVE, ".md"):
            if kind := kind_of(name):
                self.file(f"{ARCHIVE}/{name}", kind)
        self._superseding(self.dated, live)
        self.sources[first:] = [
            source._replace(parts=tuple(map(Archived, source.parts)))
            for source in self.sources[first:]
        ]

    def sessions(self, state: str, wanted: str, host: Host) -> Thread | None:
        """Read all imported sessions; return the turns of the ``wanted`` one, if any.

        What is in the window of ``host`` is not read.
        """
        for folder in (sessions.FOLDER, SUMMARIES):
            self._look(state, folder)
        thread, names_of_wanted = None, (session_file(wanted), f"{wanted}.jsonl") if wanted else ()
        summarised = frozenset(self._names(SUMMARIES, ".jsonl", state))
        names = self._names(sessions.FOLDER, ".jsonl", state)
        self.warnings += [
            f"{SUMMARIES}/{shown(name)}: its session is not there; left out (delete it, too)"
            for name in sorted(summarised.difference(names))
        ]
        for name in names:
            if (session := self._session(state, f"{sessions.FOLDER}/{name}")) is None:
                continue
            self.talks.append(session.parts)
            place = len(self.sources) - 1
            if name in summarised and (host.own not in (name, "*") or host.emptied):
                self._summaries(state, session, name)
            length = None
            if host.own in (name, "*"):
                before = sessions.until(session.parts, host.emptied)
                self.sources[place] = self.sources[place]._replace(parts=before)
                length = sum(map(len, sessions.until(session.parts, host.emptied, in_force=True)))
            if name in names_of_wanted[: 2 if thread is None else 1]:
                thread = sessions.Turns(sessions.in_force(session.parts), length)
        return thread

    def of_others(self, wanted: Wanted) -> None:
        """Read sessions that others wrote: no instructions, and without summaries."""
        folders: list[tuple[str, str]] = []
        if wanted.state:
            self._look(wanted.state, SHARED)
            shared = files.folders(files.place(wanted.state, SHARED))[0]
            folders = [(wanted.state, f"{SHARED}/{name}") for name in shared]
        if wanted.host.trusted:
            folders.append((self.root, FOREIGN))
        for root, folder in folders:
            self._look(root, folder)
            for name in self._names(folder, ".jsonl", root):
                self._session(root, f"{folder}/{name}")

    def _look(self, root: str, path: str) -> None:
        self.seen[path if root == self.root else os.path.join(root, path)] = files.look(root, path)

    def _session(self, root: str, path: str) -> Session | None:
        """Read a session, or the summaries of one; None and a warning where it is refused."""
        self._look(root, path)
        try:
            session = sessions.read_session(root, path, self.cache, self.limits)
        except files.RefusedError as refused:
            self.warnings.append(str(refused))
            return None
        self.sources.append(Source(session.path, session.size, session.parts, session.warnings))
        return session

    def _summaries(self, state: str, session: Session, name: str) -> None:
        summaries = self._session(state, f"{SUMMARIES}/{name}")
        if summaries and not sessions.covered(session, summaries):
            self.sources.pop()
            self.warnings.append(
                f"{summaries.path}: its session has changed since; left out "
                "(delete it, and `ctx session compact` makes it anew)"
            )


def _steering(sources: Sequence[Source], wanted: Wanted) -> list[Source]:
    """Return steering files for this host by priority; those for questions may give rules alone."""
    found = []
    for source in sorted(sources, key=_priority):
        front = source.parts[0].front
        is_near = front.applies is None or front.applies.mode != "match"
        is_near = is_near or wanted.whole or applies(front.applies, wanted.focus)
        if is_near and _is_for(front, wanted.host.name):
            holds = wanted.query or front.inclusion in ("", "always")
            rules = tuple(part for part in source.parts if part.kind == "rule" and len(part))
            found.append(source if holds else source._replace(parts=rules))
    return found


def _is_for(front: Frontmatter, host: str) -> bool:
    """Return whether a file is for ``host``, or for any; so is each file for an unknown host."""
    tools = front.extra.get("tools")
    named = tools if isinstance(tools, list) else str(tools or "").split(",")
    names = [name for each in named if (name := str(each).strip().lower())]
    return not host or not names or any(host in name for name in names)


def _priority(source: Source) -> float:
    given = source.parts[0].front.extra.get("priority")
    return given if isinstance(given, int | float) else _USUAL_PRIORITY


def places(context: Context) -> dict[SectionName, str]:
    """Return the files and folders of each section: ``DECISIONS.md, decisions/``."""
    by_section: dict[SectionName, dict[str, None]] = {}
    for source in context.sources:
        folder, slash, _ = source.path.rpartition("/")
        is_alone = folder.startswith("..") and "/." not in folder  # among files of all kinds
        path = next((part.front.shown for part in source.parts), "")
        path = path or source.path.removeprefix("../")
        path = path if is_alone or not slash else f"{path.rpartition('/')[0]}/"
        for section in _sections(source):
            by_section.setdefault(section, {})[path] = None
    return {section: ", ".join(few(list(paths))) for section, paths in by_section.items()}


def few(paths: list[str]) -> list[str]:
    """Return ``paths``, the deepest as the folders that hold them until ``MOST_PLACES`` remain."""

    def depth(path: str) -> int:
        return path.rstrip("/").count("/")

    while len(paths) > MOST_PLACES and (deepest := max(map(depth, paths))):
        above = (f"{path.rstrip('/').rpartition('/')[0]}/" for path in paths)
        pairs = zip(paths, above, strict=True)
        shorter = (folder if depth(path) == deepest else path for path, folder in pairs)
        paths = list(dict.fromkeys(shorter))
    return paths


def _sections(source: Source) -> set[SectionName]:
    sections: set[SectionName] = set()
    for part in filter(len, source.parts):
        if part.kind == "rule":  # its section depends on the tier
            sections.update(part.entry(place).section for place in range(len(part)))
        elif part.kind != "summary":  # its size counts as that of its turns
            sections.add(section_of(part.kind, "variant"))
    return sections
