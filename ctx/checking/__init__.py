"""The walk of a check: a directory and what is around it, rules, findings.

    files --read--> entries, documents, names --check--> findings

This is the only place where the room that reads meets the rules.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from ctx import check, packet
from ctx.checking import documents
from ctx.checking.tree import WorkTree, is_worked_on
from ctx.fit.shares import hard_limit
from ctx.model import FOREIGN
from ctx.read import Limits, deontic
from ctx.read.marks import without_marker
from ctx.read.partition import led
from ctx.render import Costs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx.check import Finding, Hard, Instructed, Rule, Secret
    from ctx.model import Context, Counter, Entry, Library, Request, Shelf

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
    """Files of the work tree that were left unread, told from its root, and why."""


class Asked(NamedTuple):
    """What to look for, and by what means."""

    request: Request
    """Where, and for which budget."""
    rules: Sequence[Rule]
    counter: Counter
    secrets: Callable[[str], Iterable[Secret]]
    told: Callable[[int], None] | None = None
    """Is told how many rules have been asked."""
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


def checked(asked: Asked, shelf: Shelf, library: Library) -> Checked:
    """Return what the rules find in a directory; raises as ``packet.assemble``."""
    request = asked.request
    context = packet.directory(request, shelf, archive=True, whole=True)
    limits = Limits(request.max_file_bytes, request.allow_links, request.project)
    sources = [one for one in context.sources if not documents.is_archived(one.path)]
    live = context._replace(sources=tuple(sources))
    entries = live.entries
    texts = documents.documents(context, limits)
    around = _around(request)
    wanted = {rule.name for rule in asked.rules}
    subject = check.Subject(
        [one._replace(source=_located(one.source, request.state)) for one in entries],
        check.Names(context.entries, documents.paths(request.root)),
        texts,
        lambda: documents.pieces(context, request.state, limits),
        tuple(_located(one, request.state) for one in context.warnings),
        tuple(instructed(entries)) if "contradiction" in wanted else (),
        documents.Places(request.root, around.project),
        around.seen,
        _hard(asked, live, library) if HARD_TIER in wanted else None,
        asked.secrets,
    )
    found = check.findings(subject, asked.rules, asked.told)
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
    return os.path.join(state, path) if path.startswith(documents.IMPORTED) else path


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
                yield check.Instructed(entry, one.modality, action, sentence)


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
    made = packet.packed(context, request, asked.counter, library)
    rules = next(one for one in made.selection.sections if one.name == "rules")
    unit = Costs(request, asked.counter).unit
    costs: dict[str, int] = dict.fromkeys((one.source for one in hard), 0)
    for said in (*rules.said, *rules.noted):
        if said.entry.source in costs:
            costs[said.entry.source] += unit(said)
    dearest = sorted((check.Dear(*one) for one in costs.items()), key=lambda one: -one.tokens)
    first = dearest[0].file
    return check.Hard(
        rules.used,
        hard_limit(request.budget, request.hard_share),
        request.budget,
        request.hard_share,
        dearest,
        next(one.line for one in hard if one.source == first),
        asked.typed(first),
    )
