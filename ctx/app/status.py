"""What a context directory holds, what each file costs in a packet, and what to mend first."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import NamedTuple

from ctx.app.check import HARD_TIER, Checked, check, is_large
from ctx.app.find import here, located
from ctx.app.packet import make
from ctx.app.settings import Loaded
from ctx.app.waiting import waiting
from ctx.app.workspace import Workspace
from ctx.checks.rules import RULES
from ctx.config import strays
from ctx.fit.offer import hard_limit
from ctx.hosts.sources import REGISTRY
from ctx.model import Context, JsonObject, Packet, Source
from ctx.render import Costs
from ctx.text.names import masked
from ctx.text.tokens import counter

_RULES = tuple(rule for rule in RULES if rule.name not in ("unreadable", HARD_TIER))
"""What is asked of a check: the status has more words for warnings and required rules."""
_WEEK, _WEEKS = 7, 2  # days of a week; weeks from which on an age is given in them
_DEAREST = 3  # files that advice on too many rules names


class Row(NamedTuple):
    """One file of the directory."""

    path: str
    bytes: int
    entries: int
    tokens: int  # of all its entries, by the heuristic counter
    hard: int  # of these, tokens that every packet holds
    newest: str  # date of its newest entry; empty where none is dated
    age_days: int | None  # age of that entry in days, negative for a day to come
    included_tokens: int  # tokens that its entries take of the packet, by the packet's own counter
    share: float  # the same as a share of the budget; 0 for a budget of 0

    source: str  # the name of its source in the registry; empty for files of the context directory


class Found(NamedTuple):
    """One source of the registry of which there are files; empty for the context directory."""

    name: str
    gives: str
    files: int
    entries: int  # with those for certain files, which are included where these are in focus
    tokens: int  # of all its entries, by the heuristic counter
    included_tokens: int  # tokens that its entries take of the packet, by the packet's own counter
    hosts: tuple[str, ...]  # hosts that load it by themselves
    repeats: tuple[tuple[str, int], ...]  # earlier sources, and how many of its entries they hold


class Status(NamedTuple):
    """What is shown."""

    root: str
    rows: list[Row]
    packet: Packet
    loaded: Loaded
    strays: tuple[str, ...] = ()  # ``CTX_*`` variables that are no settings: perhaps misspelt
    other: str = ""  # another program that the name ``ctx`` leads to on the PATH; empty for none
    passed_over: tuple[str, ...] = ()  # authored documents that another one displaces
    checked: Checked | None = None  # other findings of ``ctx check``; None if it takes too long
    cwd: str = ""  # the working directory; empty where it is gone
    sources: tuple[Found, ...] = ()  # what was found, in order of precedence
    waiting: tuple[int, bool] = (0, False)  # turns to propose, and whether there are more
    is_trusted: bool = True  # whether hooks may send more of the project than what their host loads
    was_trusted: bool = False  # whether another repository or folder at this path is, or was

    @property
    def precedence(self) -> list[str]:
        """The files that hold rules: where they contradict each other, the first one holds."""
        ruling = {
            source.path
            for source in self.packet.context.sources
            if any(part.kind == "rule" and len(part) for part in source.parts)
        }
        return [row.path for row in self.rows if row.path in ruling]

    def shown(self, path: str) -> str:
        """Return the path of a file of the directory as packets show it."""
        if self.packet.request.shown_root[:2] in (".", ".."):
            return here(self.root, path, self.cwd)
        return path.removeprefix("../")

    @property
    def everywhere(self) -> str:
        """The user's directory of what holds in every project; empty where nothing is in it."""
        shown = self.packet.request.everywhere[1]
        return shown if any(row.path.startswith(f"{shown}/") for row in self.rows) else ""

    @property
    def hard(self) -> int:
        """Tokens of all rules, included or not."""
        sections = self.packet.selection.sections
        return next(section.budget for section in sections if section.name == "rules")

    @property
    def hard_limit(self) -> int:
        """Tokens over which the packet is degraded."""
        request = self.packet.request
        return hard_limit(request.budget, request.settings.hard_share)

    def as_json(self) -> JsonObject:
        """Return the status as JSON has it."""
        packet, selection = self.packet, self.packet.selection
        return {
            "directory": masked(self.root),
            "files": [row._asdict() for row in self.rows],
            "sources": [
                {**each._asdict(), "name": each.name or None, "repeats": dict(each.repeats)}
                for each in self.sources
            ],
            "trusted": self.is_trusted,
            "was_trusted": self.was_trusted and not self.is_trusted,
            "waiting": self.waiting[0],
            "entries": sum(row.entries for row in self.rows),
            "tokens": sum(row.tokens for row in self.rows),
            "budget": packet.request.budget,
            "tokenizer": packet.request.settings.tokenizer,
            "packet_tokens": packet.tokens,
            "degraded": selection.degraded,
            "hard": {"tokens": self.hard, "limit": self.hard_limit},
            "sections": [
                {
                    "name": section.name,
                    "planned": section.budget,
                    "used": section.used,
                    "included": len(section.included),
                    "titles": len(section.titles),
                    "omitted": section.omitted,
                }
                for section in selection.sections
            ],
            "read_order": [*packet.context.read_order],
            "precedence": [*self.precedence],
            "global": self.everywhere or None,
            "settings": {
                name: {"value": value, "from": self.loaded.origins[name]}
                for name, value in self.loaded.settings._asdict().items()
            },
            "warnings": [*packet.warnings],
            "findings": None if self.checked is None else len(self.checked.findings),
            "advice": [*advice(self)],
        }


def status_of(workspace: Workspace) -> Status:
    """Return the status; makes the packet, and checks what is not large. Raises CtxError."""
    root, world = workspace.root, workspace.world
    packet = make(workspace)
    costs = Costs(packet.request, counter(packet.request.settings.tokenizer))
    named, is_own = world.named()
    taken: Counter[str] = Counter()
    for included in packet.selection.entries:
        taken[included.entry.source] += costs.unit(included)
    return Status(
        root,
        [_row(source, taken, packet) for source in packet.context.sources],
        packet,
        workspace.loaded,
        strays(world.environ),
        "" if is_own else named,
        tuple(_passed_over(root, packet)),
        None if is_large(root) else check(workspace, _RULES),
        world.cwd,
        workspace.read(lambda context: tuple(_found(context, taken))),
        waiting(workspace.store.shared, root),
        workspace.store.is_trusted(),
        workspace.store.was_trusted(),
    )


def _found(context: Context, taken: Mapping[str, int]) -> Iterator[Found]:
    files = [source for source in context.sources if not source.path.endswith(".jsonl")]
    names = {source.path: source.origin for source in files}
    for name in dict.fromkeys(names.values()):
        own = [source for source in files if source.origin == name]
        entries = [entry for source in own for entry in source.entries]
        origin = next((each for each in REGISTRY if each.name == name), None)
        repeats = Counter[str]()
        for path, count in (each for source in own for each in source.repeats):
            repeats[names[path] or ".context"] += count
        yield Found(
            name,
            origin.gives if origin else "rules, tasks and knowledge of its own" if not name else "",
            len(own),
            len(entries),
            sum(entry.size + entry.title_size for entry in entries),
            sum(taken[source.path] for source in own if source.path in taken),
            tuple(dict.fromkeys(each.host for each in origin.loads)) if origin else (),
            tuple(each for each in repeats.items() if each[0] != (name or ".context")),
        )


def _row(source: Source, taken: Mapping[str, int], packet: Packet) -> Row:
    entries = source.entries
    costs = [(entry.tier, entry.size + entry.title_size) for entry in entries]
    today, budget = packet.request.as_of, packet.request.budget
    days = (entry.timestamp[:10] for entry in entries)
    newest = max((day for day in days if _days(day, today) is not None), default="")
    tokens = taken.get(source.path, 0)
    return Row(
        source.path,
        source.size,
        len(entries),
        sum(cost for _, cost in costs),
        sum(cost for tier, cost in costs if tier == "hard"),
        newest,
        _days(newest, today),
        tokens,
        round(tokens / budget, 4) if budget else 0.0,
        source.origin,
    )


def _days(day: str, today: date) -> int | None:
    try:
        return (today - date.fromisoformat(day)).days
    except ValueError:
        return None


def age(days: int | None) -> str:
    """Return an age as people say it: ``today``, ``3 days``, ``5 weeks``; a dash for none."""
    if days is None:
        return "–"
    if days <= 0:
        return "today" if not days else "to come"
    weeks = days // _WEEK
    count, noun = (weeks, "week") if weeks >= _WEEKS else (days, "day")
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _passed_over(root: str, packet: Packet) -> Iterator[str]:
    """Yield other authored documents that exist, but those that a warning names."""

    def real(path: str) -> str:
        return os.path.realpath(os.path.normpath(os.path.join(root, path)))

    read = {real(source.path) for source in packet.context.sources}
    warned = {warning.split(": ")[0] for warning in packet.warnings}
    for level in packet.request.levels:
        for path in (f"{level}/{name}" for group in packet.request.authored for name in group):
            if path not in warned and real(path) not in read and os.path.isfile(real(path)):
                yield path


def advice(status: Status) -> list[str]:
    """Return what to do, most urgent first; empty when all is well."""
    packet = status.packet
    lines = []
    if packet.selection.degraded:
        lines.append(f"shorten the rules or raise the budget: {packet.selection.degraded}")
        least = sum(row.hard for row in status.rows) / 10
        lines += [
            f"look at {path}, about {row.hard:,} tokens of rules: `ctx tiers {shlex.quote(path)}` "
            "shows which lines"
            for row in sorted(status.rows, key=lambda row: -row.hard)[:_DEAREST]
            if row.hard and row.hard >= least
            for path in (here(status.root, row.path, status.cwd),)
        ]
    lines += [
        f"note that {path} is not read: {status.loaded.settings.authored!r} takes the nearest and "
        "the first"
        for path in status.passed_over
    ]
    lines += [f"mend {located(warning, status.root, status.cwd)}" for warning in packet.warnings]
    lines += [
        f"decide at {here(status.root, each.file, status.cwd)}:{each.line}: {each.message}"
        for each in (status.checked.findings if status.checked else ())
        if each.rule == "contradiction"
    ][:_DEAREST]
    lines += _to_mend(status.checked)
    lines += [f"look at {name}: ctx has no setting of that name" for name in status.strays]
    if status.other:
        lines.append(
            f"put the folder of this program first on the PATH: `ctx` leads to {status.other}, and "
            "hooks call it by that name (`ctx-packet` is this program, too)"
        )
    if not os.path.isdir(status.root):
        return [*lines, "run `ctx init` where tasks, decisions and learnings are to be kept"]
    for name in ("CONSTITUTION.md", "TASKS.md", "DECISIONS.md", "LEARNINGS.md"):
        if not any(path.lower() == name.lower() for path in packet.context.read_order):
            lines.append(f"write {name}: `ctx init` makes one that shows the form")
    return lines


def _to_mend(checked: Checked | None) -> list[str]:
    if checked is None:
        return ["run `ctx check`: the directory is too large to check it by the way"]
    many = len(checked.findings)
    counts = Counter(finding.rule for finding in checked.findings).most_common()
    rules = ", ".join(f"{count:,} {rule}" for rule, count in counts)
    mend = [f"mend {many:,} finding{'' if many == 1 else 's'} of `ctx check`: {rules}"]
    unread = [f"note that {path} is not checked: {why}" for path, why in checked.left]
    return [*(mend if many else []), *unread]
