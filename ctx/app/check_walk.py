"""Check a context directory: its files and the work tree around it, rules, findings."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from ctx import checks
from ctx.app import walk
from ctx.app.work_tree import WorkTree, is_worked_on
from ctx.checks.naming import Names
from ctx.checks.types import Dear, Document, Hard, Instructed, Piece, Subject
from ctx.checks.zones import zoned
from ctx.fit.offer import hard_limit
from ctx.model import FOREIGN
from ctx.read import Limits, files
from ctx.read.authored import deontic
from ctx.read.authored.partition import led
from ctx.read.directory import ARCHIVE
from ctx.read.files import decode
from ctx.read.markdown.blocks import normalise
from ctx.render import Costs
from ctx.text.checkbox import without_marker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx.checks.rules import Rule
    from ctx.checks.types import Finding
    from ctx.model import Context, Counter, Entry, Library, ParseCache, Request, Source
    from ctx.text.secrets import Secret


IMPORTED = "sessions/"
"""How sources are called that the user imported: they lie outside the directory."""
STORE = ".ctx"
"""What ctx itself keeps; made of what the other files hold."""
PIECE = 1024 * 1024
"""Bytes of a file that are looked at together."""
_PEEK = 8192
"""Bytes by which a file is taken for text or not."""
_OVER = frozenset({"superseded", "done", "skipped"})
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_TEXTS = (".md", ".jsonl", ".toml")
"""Endings of files that are read as text, whatever they hold."""
_SESSION = ".jsonl"
_HIDDEN = frozenset({STORE, ".git"})


def is_archived(source: str) -> bool:
    """Return whether a file holds what no packet says."""
    return source.startswith(f"{ARCHIVE}/")


def documents(context: Context, limits: Limits) -> list[Document]:
    """Return the Markdown files that packets say, and those of the root that they name."""
    real = {files.shown(path): path for path in paths(context.root)}
    sources = {one.path: one for one in context.sources if not is_archived(one.path)}
    markdown = [path for path in sources if path.lower().endswith(".md")]
    found = []
    for path in dict.fromkeys((*markdown, *context.read_order)):
        text = _text(context.root, real.get(path, path), limits)
        if text is not None:
            found.append(_document(path, text, sources.get(path)))
    return found


def _text(root: str, path: str, limits: Limits) -> str | None:
    """Return a file as it is parsed; None where it cannot be, of which the reader has warned."""
    try:
        files.inspect(root, path, limits)
        data = files.load(root, path, limits).data
    except files.RefusedError:
        return None
    return normalise(decode(path, data)[0])


def _document(path: str, text: str, source: Source | None) -> Document:
    entries = source.entries if source else []
    kind = source.parts[0].kind if source and source.parts else ""
    past = _lines(one for one in entries if one.status in _OVER)
    tasks = _lines(one for one in entries if one.kind == "task")
    return Document(path, kind, zoned(text), past, tasks)


def _lines(entries: Iterator[Entry]) -> frozenset[int]:
    return frozenset(line for one in entries for line in range(one.line, one.end_line + 1))


def paths(root: str) -> Iterator[str]:
    """Yield every file of a directory but the store's, relative to it, sorted by folder."""
    found = [path for path, is_folder in files.below(root, _HIDDEN) if not is_folder]
    yield from sorted(found, key=lambda path: (*path.rpartition("/")[::2],))


def pieces(context: Context, state: str, limits: Limits) -> Iterator[Piece]:
    """Yield all that is text of a directory and the documents beside it, in pieces.

    Those of imported sessions, which lie below ``state``, are named by their absolute paths.
    """
    beside = (one.path for one in context.sources if one.path.startswith("../"))
    imported = (one.path for one in context.sources if one.path.startswith(IMPORTED))
    for path in (*paths(context.root), *beside):
        yield from _pieces(context.root, path, limits)
    for path in imported:
        for piece in _pieces(state, path, limits):
            yield piece._replace(path=os.path.join(state, piece.path))


def _pieces(root: str, path: str, limits: Limits) -> Iterator[Piece]:
    """Yield the pieces of one file; none of what cannot be read, or is no text."""
    if path.endswith(_SESSION):
        limits = limits._replace(max_bytes=sys.maxsize)  # as the reader has it
    line = 1
    try:
        files.inspect(root, path, limits)
        with files.opened(files.place(root, path)) as file:
            head = file.read(_PEEK)
            wide = head.startswith(_BOMS)
            if b"\0" in head and not wide and not path.lower().endswith(_TEXTS):
                return
            file.seek(0)
            while data := file.read() if wide else b"".join(file.readlines(PIECE)):
                text = decode(path, data)[0].replace("\r\n", "\n").replace("\r", "\n")
                yield Piece(files.shown(path), line, text)
                line += text.count("\n")
    except (files.RefusedError, OSError):
        return  # the reader has warned of what a packet would say of it


class Places:
    """Tells whether there is something at a path, as far as the project goes."""

    def __init__(self, root: str, project: str) -> None:
        """Look below ``root``, and below ``project`` unless that is empty."""
        self._root = root
        self._project = os.path.join(os.path.realpath(project), "") if project else ""
        self._known: dict[str, bool | None] = {}

    def __call__(self, path: str) -> bool | None:
        """Return whether there is something at ``path``, relative to the context directory.

        None for what lies outside of it where there is no project, or outside of the project.
        """
        if path not in self._known:
            self._known[path] = self._look(path)
        return self._known[path]

    def _look(self, path: str) -> bool | None:
        place = os.path.normpath(os.path.join(self._root, path))
        inside = place.startswith(os.path.join(os.path.normpath(self._root), ""))
        if not inside and place != os.path.normpath(self._root):
            real = os.path.realpath(place)
            if not self._project or not os.path.join(real, "").startswith(self._project):
                return None
        try:
            return os.path.lexists(place)
        except (ValueError, UnicodeEncodeError):
            return False  # no file can be called so


HARD_TIER = "hard-tier"
"""The rule for which a packet has to be made."""


class Checked(NamedTuple):
    """What was found."""

    findings: list[Finding]
    """File by file in reading order, and by line within each."""
    files: int
    """Documents that were looked at."""
    entries: int
    unseen: tuple[str, ...] = ()
    """What of the rules' concerns was not looked at where it leads out of the directory."""
    why: str = ""
    """Why it was not; empty where all was looked at."""
    left: tuple[tuple[str, str], ...] = ()
    """Files of the work tree that were left unread, relative to its root, and why."""


class Asked(NamedTuple):
    """What to look for, and by what means."""

    request: Request
    """Where, and for which budget."""
    rules: Sequence[Rule]
    counter: Counter
    secrets: Callable[[str], Iterable[Secret]]
    tick: Callable[[int], None] | None = None
    """Is called with the number of rules that have run."""
    typed: Callable[[str], str] = str
    """Gives a file of the directory as somebody can type it where they stand."""


class _Around(NamedTuple):
    """What is around a context directory."""

    project: str
    """The folder in which links may lead; empty where there is no project."""
    tree: WorkTree | None
    why: str
    """Why there is no work tree, or not all of it; empty where all of it was read."""

    @property
    def seen(self) -> WorkTree | None:
        """The work tree, where all of its names are known."""
        return None if self.why else self.tree


_OUTWARD = {"dead-link": "links", "missing-path": "paths", "missing-command": "commands"}
"""What rules follow out of the directory; links need a project, all else a work tree."""


def checked(asked: Asked, shelf: ParseCache, library: Library) -> Checked:
    """Return what the rules find in a directory; raises as ``packet.assemble``."""
    request = asked.request
    context = walk.directory(request, shelf, archive=True, whole=True)
    limits = Limits(request.max_file_bytes, request.allow_links, request.project)
    sources = [one for one in context.sources if not is_archived(one.path)]
    live = context._replace(sources=tuple(sources))
    entries = live.entries
    texts = documents(context, limits)
    around = _around(request)
    wanted = {rule.name for rule in asked.rules}
    subject = Subject(
        [one._replace(source=_located(one.source, request.state)) for one in entries],
        Names(context.entries, paths(request.root)),
        texts,
        lambda: pieces(context, request.state, limits),
        tuple(_located(one, request.state) for one in context.warnings),
        tuple(instructed(entries)) if "contradiction" in wanted else (),
        Places(request.root, around.project),
        around.seen,
        _hard(asked, live, library) if HARD_TIER in wanted else None,
        asked.secrets,
    )
    found = checks.findings(subject, asked.rules, asked.tick)
    unseen = tuple(_unseen(wanted, around))
    return Checked(
        found, len(texts), len(entries), unseen, around.why if unseen else "", _left(around)
    )


def _located(path: str, state: str) -> str:
    """Return what begins with the path of a session with that of its file.

    Relative to the context directory where it came with the repository, else absolute.
    """
    if path.startswith(FOREIGN):
        return path.removeprefix("./")
    return os.path.join(state, path) if path.startswith(IMPORTED) else path


def _around(request: Request) -> _Around:
    """Return what is around the directory: a repository is a project, whatever it holds so far."""
    is_repository = os.path.exists(os.path.join(request.project, ".git"))
    if not is_worked_on(request.root):
        why = "no folder and no manifest beside it" if is_repository else "no project around it"
        return _Around(request.project if is_repository else "", None, why)
    tree = WorkTree.around(request.root, request.project)
    return _Around(request.project, tree, tree.why)


def _unseen(wanted: set[str], around: _Around) -> Iterator[str]:
    for rule, what in _OUTWARD.items():
        if rule in wanted and not (around.project if what == "links" else around.seen):
            yield what


def _left(around: _Around) -> tuple[tuple[str, str], ...]:
    """Return what of the work tree was left unread, and why."""
    if around.tree is None:
        return ()
    whole = (("the work tree", around.why),) if around.why else ()
    return (*whole, *sorted(around.tree.left.items()))


def instructed(entries: Iterable[Entry]) -> Iterator[Instructed]:
    """Yield what rules and conventions in force tell to do, each with what introduces it."""
    for entry in entries:
        if entry.kind not in ("rule", "convention") or entry.status == "superseded":
            continue
        said = without_marker(entry.body)
        text = led(entry.lead, said)
        for one in deontic.read(text).instructions:
            if one.action:
                sentence = text[one.start : one.end]
                action = f"{one.action} {' '.join(_particular(sentence))}".strip()
                yield Instructed(entry, one.modality, action, sentence)


def _particular(sentence: str) -> list[str]:
    """Return code, quotations and figures, which the deontic reader takes for one word each."""
    return sorted(_PARTICULAR.findall(sentence))


_PARTICULAR = re.compile(
    r"`[^`]+`|\"[^\"]+\"|“[^“”]+”|(?<![\w.,:/+-])[\w.,:/+-]*\d[\w.,:/+-]*\w"
    r"|(?<![\w.-])[\w.-]*/[\w./-]+"
)


def _hard(asked: Asked, context: Context, library: Library) -> Hard | None:
    """Return what the rules of a packet without a query cost; None without any."""
    hard = [one for one in context.entries if one.kind == "rule" and one.tier == "hard"]
    if not hard:
        return None
    request = asked.request
    made = walk.packed(context, request, asked.counter, library)
    rules = next(one for one in made.selection.sections if one.name == "rules")
    unit = Costs(request, asked.counter).unit
    costs: dict[str, int] = dict.fromkeys((one.source for one in hard), 0)
    for said in (*rules.included, *rules.titles):
        if said.entry.source in costs:
            costs[said.entry.source] += unit(said)
    dearest = sorted((Dear(*one) for one in costs.items()), key=lambda one: -one.tokens)
    first = dearest[0].file
    return Hard(
        rules.used,
        hard_limit(request.budget, request.hard_share),
        request.budget,
        request.hard_share,
        dearest,
        next(one.line for one in hard if one.source == first),
        asked.typed(first),
    )
