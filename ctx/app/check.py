"""Check a context directory: its files and the work tree around it, rules, findings."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from ctx import checks
from ctx.app.find import here
from ctx.app.rules import FOLDER
from ctx.app.walk import directory, limits_of, pack
from ctx.app.work_tree import WorkTree, is_worked_on
from ctx.app.workspace import Project, Workspace, documents_of, levels_of
from ctx.checks.rules import NAMES, RULES, Rule
from ctx.checks.types import (
    Document,
    Finding,
    Instruction,
    Names,
    Piece,
    RuleCost,
    RuleFile,
    Rules,
    Subject,
)
from ctx.checks.zones import zoned
from ctx.errors import UsageError
from ctx.fit.offer import hard_limit
from ctx.hosts.sources import REGISTRY
from ctx.model import (
    FOREIGN,
    Context,
    Entry,
    JsonObject,
    Library,
    Packet,
    ParseCache,
    Request,
    Source,
)
from ctx.read import files
from ctx.read.authored.deontic import reading as deontic
from ctx.read.authored.partition import led
from ctx.read.directory import ARCHIVE
from ctx.read.files import decode
from ctx.read.markdown.blocks import normalise
from ctx.render import Costs
from ctx.repository import git_dir
from ctx.text.checkbox import without_marker
from ctx.text.names import masked, shown
from ctx.text.scopes import applies
from ctx.text.secrets import find as secrets
from ctx.text.tokens import counter

HARD_TIER = "hard-tier"  # the rule for which a packet has to be made
_RULES = ("rule", "convention")  # kinds of entries that instruct agents
LEAST = {"error": ("error",), "warning": ("error", "warning")}  # by ``--severity``
IMPORTED = "sessions/"  # the beginning of imported sources, which are outside the directory
PIECE = 1024 * 1024  # bytes of a file that are looked at together
_LARGE = 4 * 1024 * 1024  # bytes of a directory whose check takes a second or more
_MANY = 10_000  # the same of files and folders
_PEEK = 8192  # bytes by which a file is taken for text or not
_ODD = 3  # a file is no text if over 1/3 of it is control characters or no UTF-8
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r\x1b"})
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_TEXTS = (".md", ".jsonl", ".toml")  # endings of files that may hold a NUL and be text
_SESSION = ".jsonl"
_HIDDEN = frozenset({".ctx", ".git"})
_DISTINCT = re.compile(
    r"`[^`]+`|\"[^\"]+\"|“[^“”]+”|(?<![\w.,:/+-])[\w.,:/+-]*\d[\w.,:/+-]*\w"
    r"|(?<![\w.-])[\w.-]*/[\w./-]+"
)
"""Code, quotations and figures, which the deontic reader takes for one word each."""


class Checked(NamedTuple):
    """What was found."""

    findings: list[Finding]  # file by file in reading order, and by line within each
    files: int  # documents that were looked at
    entries: int
    unseen: tuple[str, ...] = ()  # concerns of rules that lead out of the directory: not looked at
    why: str = ""  # why it was not; empty where all was looked at
    left: tuple[tuple[str, str], ...] = ()  # files of the work tree that were not read, and why
    bounded: tuple[tuple[str, str], ...] = ()  # rules that did not compare everything, and what

    def count(self, severity: str) -> int:
        """Return how many findings have this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def as_json(self, workspace: Workspace, rules: Sequence[Rule]) -> JsonObject:
        """Return the findings of ``rules`` as JSON has them."""
        root, cwd = workspace.root, workspace.world.cwd
        return {
            "directory": masked(root),
            "findings": [
                {**each._asdict(), "path": here(root, each.file, cwd)} for each in self.findings
            ],
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "rules": [
                {"name": rule.name, "severity": rule.severity, "help": rule.help} for rule in rules
            ],
            "not_looked_at": [*self.unseen],
            "why_not": self.why,
            "left_unread": [{"path": path, "why": why} for path, why in self.left],
            "left_out": [{"rule": rule, "what": what} for rule, what in self.bounded],
        }


def is_large(root: str) -> bool:
    """Return whether a check of ``root`` takes long enough to be seen."""
    size = 0
    for count, (path, _) in enumerate(files.below(root)):
        with suppress(OSError):
            size += os.lstat(os.path.join(root, path)).st_size
        if size > _LARGE or count > _MANY:
            return True
    return False


def named(names: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of these names, all without any; UsageError for an unknown one."""
    for name in names:
        if name not in NAMES:
            raise UsageError(f"--rule: there is no rule {name!r}", f"one of {', '.join(NAMES)}")
    return tuple(rule for rule in RULES if not names or rule.name in names)


def of_severity(rules: Sequence[Rule], severity: str) -> tuple[Rule, ...]:
    """Return the ``rules`` that are of ``severity`` or worse; UsageError where there are none."""
    if severity not in LEAST:
        raise UsageError(f"--severity: unknown severity {severity!r}", f"one of {', '.join(LEAST)}")
    left = tuple(rule for rule in rules if rule.severity in LEAST[severity])
    if not left:
        raise UsageError(
            f"--severity {severity}: no rule is left to ask", "leave out --rule or --severity"
        )
    return left


def check_as_json(workspace: Workspace, names: Sequence[str] = ()) -> JsonObject:
    """Return what the named rules find, all without any, as ``ctx check --json`` writes it."""
    rules = named(names)
    return check(workspace, rules).as_json(workspace, rules)


def check(
    workspace: Workspace,
    rules: Sequence[Rule] = RULES,
    *,
    tick: Callable[[int], None] | None = None,
) -> Checked:
    """Return what ``rules`` find in the directory; ``tick`` gets the number that have run.

    Raises FileError for a directory that cannot be listed, or TokenizerError.
    """
    settings = workspace.settings._replace(session="", embedder="none", planner="tiered")
    workspace = workspace.having(settings)
    request = workspace.whole()._replace(everywhere=("", ""))
    near = workspace.request()
    counting = counter(settings.tokenizer)
    wanted = {rule.name for rule in rules}

    def work(cache: ParseCache, library: Library) -> Checked:
        around = _around(request)
        bounded = list[tuple[str, str]]()
        context = directory(_below(request, around.tree), cache, archive=True, whole=True)
        sources = [source for source in context.sources if not _is_archived(source.path)]
        live = context._replace(sources=tuple(sources))
        entries = live.entries
        limits = limits_of(request)
        texts = _documents(context, limits)
        usual = [source for source in sources if _is_usual(source, near)]
        hard = None
        if HARD_TIER in wanted and any(_is_required(each) for s in usual for each in s.entries):
            packet = pack(live._replace(sources=tuple(usual)), request, counting, library)
            hard = _hard(packet, Costs(request, counting))
            typed = here(request.root, hard.files[0].file, workspace.world.cwd)
            hard = hard._replace(typed=shlex.quote(typed))
        subject = Subject(
            [entry._replace(source=_located(entry.source, request.state)) for entry in entries],
            Names(context.entries, _paths(request.root)),
            texts,
            lambda: _pieces(context, request.state, limits),
            tuple(_located(warning, request.state) for warning in context.warnings),
            tuple(_instructed(entries)) if "contradiction" in wanted else (),
            looking_up(request.root, around.project),
            around.seen,
            hard,
            [
                _ruling(source, usual=source in usual)
                for source in sources
                if source.scope or any(part.kind in _RULES and len(part) for part in source.parts)
            ],
            secrets,
            lambda rule, what: bounded.append((rule, what)),
        )
        findings = checks.findings(subject, rules, tick)
        unseen = tuple(
            rule.outward
            for rule in RULES
            if rule.name in wanted
            and rule.outward
            and not (around.project if rule.outward == "links" else around.seen)
        )
        why = around.why if unseen else ""
        left = around.left
        return Checked(findings, len(texts), len(entries), unseen, why, left, tuple(bounded))

    return workspace.walk(work, request)


def _is_archived(source: str) -> bool:
    return source.startswith(f"{ARCHIVE}/")


def _located(path: str, state: str) -> str:
    if path.startswith(FOREIGN):
        return path.removeprefix("./")
    return os.path.join(state, path) if path.startswith(IMPORTED) else path


def _paths(root: str) -> list[str]:
    paths = (path for path, is_folder in files.below(root, _HIDDEN) if not is_folder)
    return sorted(paths, key=lambda path: (*path.rpartition("/")[::2],))


def _documents(context: Context, limits: files.Limits) -> list[Document]:
    """Return the Markdown files that packets include, and those of the root that they name."""
    spelled = {shown(path): path for path in _paths(context.root)}
    sources = {source.path: source for source in context.sources if not _is_archived(source.path)}
    markdown = [path for path in sources if path.lower().endswith(".md") or path[:3] == "../"]
    documents = []
    for path in dict.fromkeys((*markdown, *context.read_order)):
        name = spelled.get(path, path)
        try:
            data = files.checked(context.root, name, limits)
        except files.RefusedError:
            continue  # the reader has warned of it
        if not _is_text(data, path):
            continue
        text = normalise(decode(name, data)[0])
        documents.append(_document(path, text, sources.get(path)))
    return documents


def _document(path: str, text: str, source: Source | None) -> Document:
    entries = source.entries if source else []
    kind = source.parts[0].kind if source and source.parts else ""

    def lines(entries: Iterable[Entry]) -> frozenset[int]:
        return frozenset(
            line for entry in entries for line in range(entry.line, entry.end_line + 1)
        )

    past = lines(entry for entry in entries if not entry.is_current)
    tasks = lines(entry for entry in entries if entry.kind == "task")
    return Document(path, kind, zoned(text), past, tasks)


def _pieces(context: Context, state: str, limits: files.Limits) -> Iterator[Piece]:
    """Yield all texts of a directory and beside it; imported sessions by absolute paths."""
    sources = [source.path for source in context.sources]
    for path in (*_paths(context.root), *(path for path in sources if path.startswith("../"))):
        yield from _pieces_of(context.root, path, limits)
    for path in (path for path in sources if path.startswith(IMPORTED)):
        for piece in _pieces_of(state, path, limits):
            yield piece._replace(path=os.path.join(state, piece.path))


def _pieces_of(root: str, path: str, limits: files.Limits) -> Iterator[Piece]:
    if path.endswith(_SESSION):
        limits = limits._replace(max_bytes=sys.maxsize)  # as the reader has it
    line = 1
    try:
        files.inspect(root, path, limits)
        with files.opened(files.place(root, path)) as file:
            head = file.read(PIECE)
            wide = head.startswith(_BOMS)
            if not _is_text(head, path):
                return
            file.seek(0)
            while data := file.read() if wide else b"".join(file.readlines(PIECE)):
                text = decode(path, data)[0].replace("\r\n", "\n").replace("\r", "\n")
                yield Piece(shown(path), line, text)
                line += text.count("\n")
    except (files.RefusedError, OSError):
        return  # the reader has warned of what a packet would include of it


def _is_text(data: bytes, path: str) -> bool:
    if data.startswith(_BOMS):
        return True
    if b"\0" in data and not path.lower().endswith(_TEXTS):
        return False
    head = data[:_PEEK]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return _ODD * (controls + head.decode("utf-8", "replace").count("\ufffd")) <= len(head)


def looking_up(root: str, project: str) -> Callable[[str], bool | None]:
    """Return what tells whether a path exists; None where it lies out of both folders."""
    top = os.path.normpath(root)
    around = os.path.join(os.path.realpath(project), "") if project else ""

    @cache
    def exists(path: str) -> bool | None:
        place = os.path.normpath(os.path.join(root, path))
        if place != top and not place.startswith(os.path.join(top, "")):
            real = os.path.realpath(place)
            if not around or not os.path.join(real, "").startswith(around):
                return None
        try:
            return os.path.lexists(place)
        except (ValueError, UnicodeEncodeError):
            return False  # no file can be called so

    return exists


class _Around(NamedTuple):
    project: str  # the folder in which links may lead; empty where there is no project
    tree: WorkTree | None
    why: str  # why there is no work tree, or not all of it; empty where all of it was read

    @property
    def seen(self) -> WorkTree | None:
        """The work tree, where all of its names are known."""
        return None if self.why else self.tree

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        """What of the work tree was left unread, and why."""
        if self.tree is None:
            return ()
        whole = (("the work tree", self.why),) if self.why else ()
        return (*whole, *sorted(self.tree.left.items()))


def _around(request: Request) -> _Around:
    """Return what is around the directory: a repository is a project, whatever it holds so far."""
    is_repository = bool(git_dir(request.project))
    if not is_worked_on(request.root):
        why = "no folder and no manifest beside it" if is_repository else "no project around it"
        return _Around(request.project if is_repository else "", None, why)
    tree = WorkTree.around(request.root, request.project)
    return _Around(request.project, tree, tree.why)


def _below(request: Request, tree: WorkTree | None) -> Request:
    """Return ``request`` with the folders of all documents in the work tree.

    Those of other repositories and work trees below it are not this project's to mend.
    """
    paths = [*tree.named(*documents_of(request))] if tree else []
    if refuses := request.refuses:
        root = os.path.realpath(request.project)
        paths = [one for one in paths if not refuses(os.path.dirname(f"{root}/{one}"), 0)]
    project = Project(request.project, request.levels, {})
    return request._replace(levels=levels_of(request.root, project, paths))


def _is_usual(source: Source, request: Request) -> bool:
    """Return whether packets include the rules of a file whatever is in focus."""
    if source.scope and source.scope.dialect == FOLDER:
        folder = os.path.join(request.project, source.scope.base)
        return any(files.place(request.root, level) == folder for level in request.levels)
    return applies(source.scope, ())


def _ruling(source: Source, *, usual: bool) -> Rules:
    loads = next((each.loads for each in REGISTRY if each.name == source.origin), ())
    rules = [each for each in source.entries if each.kind in _RULES and each.is_current]
    return Rules(
        source.path, source.origin, source.size, source.scope, rules if usual else (),
        {each.host: each.most_bytes for each in loads if each.most_bytes},
    )  # fmt: skip


def _instructed(entries: Iterable[Entry]) -> Iterator[Instruction]:
    """Yield what rules and conventions in force tell to do, each with what introduces it."""
    for entry in entries:
        if entry.kind not in _RULES or entry.status == "superseded":
            continue
        text = led(entry.lead, without_marker(entry.body))
        for each in deontic.read(text).instructions:
            if each.action:
                sentence = text[each.start : each.end]
                action = f"{each.action} {' '.join(sorted(_DISTINCT.findall(sentence)))}".strip()
                yield Instruction(entry, each.modality, action, sentence)


def _is_required(entry: Entry) -> bool:
    return entry.kind == "rule" and entry.tier == "hard"


def _hard(packet: Packet, measure: Costs) -> RuleCost:
    request = packet.request
    required = list(filter(_is_required, packet.context.entries))
    rules = next(each for each in packet.selection.sections if each.name == "rules")
    costs = dict.fromkeys((entry.source for entry in required), 0)
    for included in rules.entries:
        if included.entry.source in costs:
            costs[included.entry.source] += measure.unit(included)
    dearest = sorted((RuleFile(*item) for item in costs.items()), key=lambda file: -file.tokens)
    return RuleCost(
        rules.budget,
        hard_limit(request.budget, request.settings.hard_share),
        request.budget,
        request.settings.hard_share,
        dearest,
        next(entry.line for entry in required if entry.source == dearest[0].file),
        dearest[0].file,
    )
