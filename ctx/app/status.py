"""What a context directory holds, what each file costs in a packet, and what to mend first."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.check import HARD_TIER
from ctx.app.find import here
from ctx.app.sessions import foreign
from ctx.checks.rules import RULES
from ctx.render import Costs
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.app.check import Checked
    from ctx.app.settings import Loaded
    from ctx.model import JsonObject, Packet, Source

_WEEK, _WEEKS = 7, 2
"""Days of a week; weeks from which on an age is said in them."""


SHOWN_RULES = tuple(rule for rule in RULES if rule.name not in ("unreadable", HARD_TIER))
"""What is asked of a check: the status has more words for warnings and required rules."""


_DEAREST = 3
"""Files that advice on too many rules names."""


class Row(NamedTuple):
    """One file of the directory."""

    path: str
    bytes: int
    entries: int
    tokens: int
    """Of all its entries, by the heuristic counter."""
    hard: int
    """Of these, tokens that every packet holds."""
    newest: str
    """Date of its newest entry; empty where none is dated."""
    age_days: int | None
    """Age of that entry in days; None where none is dated, negative for a day to come."""
    said_tokens: int
    """Tokens that its entries take of the packet, by the packet's own counter."""
    share: float
    """The same as a share of the budget; 0 for a budget of 0."""


class Status(NamedTuple):
    """What is shown."""

    root: str
    rows: list[Row]
    packet: Packet
    loaded: Loaded
    strays: tuple[str, ...] = ()
    """``CTX_*`` variables that are no settings: perhaps misspelt."""
    passed_over: tuple[str, ...] = ()
    """Authored documents that are there, and not read since another one comes first."""
    found: Checked | None = None
    """What ``ctx check`` finds beyond what is named here; None where that would take long."""
    cwd: str = ""
    """The working directory; empty where it is gone."""

    @property
    def precedence(self) -> list[str]:
        """The files that hold rules: where they contradict each other, the first one holds."""
        ruling = {
            source.path
            for source in self.packet.context.sources
            if any(part.kind == "rule" and len(part) for part in source.parts)
        }
        return [row.path for row in self.rows if row.path in ruling]

    @property
    def hard(self) -> int:
        """Tokens of all rules as the packet says them."""
        return next(one.used for one in self.packet.selection.sections if one.name == "rules")

    @property
    def hard_limit(self) -> int:
        """Tokens over which the packet is degraded."""
        request = self.packet.request
        return int(request.hard_share * request.budget)


def costs_by_file(packet: Packet) -> dict[str, int]:
    """Return by file what its entries cost in the packet, titles of others included."""
    costs = Costs(packet.request, counter(packet.request.tokenizer))
    taken: dict[str, int] = {}
    for section in packet.selection.sections:
        for one in (*section.included, *section.titles):
            source = one.entry.source
            taken[source] = taken.get(source, 0) + costs.unit(one)
    return taken


def row_of(source: Source, said: Mapping[str, int], packet: Packet) -> Row:
    """Return what a file holds, and what it costs in the packet."""
    entries = source.entries
    costs = [(entry.tier, entry.size + entry.title_size) for entry in entries]
    hard = sum(cost for tier, cost in costs if tier == "hard")
    tokens = sum(cost for _, cost in costs)
    today = packet.request.as_of
    days = (entry.timestamp[:10] for entry in entries)
    newest = max((day for day in days if _days(day, today) is not None), default="")
    taken, budget = said.get(source.path, 0), packet.request.budget
    return Row(
        source.path,
        source.size,
        len(entries),
        tokens,
        hard,
        newest,
        _days(newest, today),
        taken,
        round(taken / budget, 4) if budget else 0.0,
    )


def _days(day: str, today: date) -> int | None:
    """Return the days since ``day``; None for what is no day."""
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


def passed_over_documents(root: str, packet: Packet) -> tuple[str, ...]:
    """Return the authored documents that are there beside the one that is read.

    Not those that are the same file under another name, nor those that a warning names.
    """
    read = {_real(root, source.path) for source in packet.context.sources}
    warned = {warning.split(": ")[0] for warning in packet.warnings}
    return tuple(
        path
        for group in packet.request.authored
        for path in group
        if path not in warned
        and _real(root, path) not in read
        and os.path.isfile(_real(root, path))
    )


def _real(root: str, path: str) -> str:
    """Return where a file's links lead; ``..`` is what a person reads it as."""
    return os.path.realpath(os.path.normpath(os.path.join(root, path)))


def advice(status: Status) -> list[str]:
    """Return what to do, most urgent first; empty when all is well."""
    packet = status.packet
    found = []
    if packet.selection.degraded:
        found.append(f"shorten the rules or raise the budget: {packet.selection.degraded}")
        least = sum(row.hard for row in status.rows) / 10
        dear = sorted(status.rows, key=lambda row: -row.hard)[:_DEAREST]
        found += [
            f"look at {row.path}, about {row.hard:,} tokens of rules: "
            f"`ctx tiers {shlex.quote(here(status.root, row.path, status.cwd))}` shows which lines"
            for row in dear
            if row.hard and row.hard >= least
        ]
    found += [
        f"note that {path} is not read: {status.loaded.settings.authored!r} takes the nearest and "
        "the first"
        for path in status.passed_over
    ]
    found += [f"mend {_placed(warning, status)}" for warning in packet.warnings]
    found += _to_mend(status.found)
    if os.path.isdir(os.path.join(status.root, ".ctx")):
        found += [f"look at {line}" for line in (foreign(status.root),) if line]
        found.append(
            f"delete {here(status.root, '.ctx', status.cwd)}: an older version kept things there, "
            "and nothing reads it now"
        )
    found += [f"look at {name}: ctx has no setting of that name" for name in status.strays]
    for name in ("CONSTITUTION.md", "TASKS.md", "DECISIONS.md", "LEARNINGS.md"):
        if not any(path.lower() == name.lower() for path in packet.context.read_order):
            found.append(f"write {name}: `ctx init` makes one that shows the form")
    return found


_PLACE = re.compile(r"(.+?)(?=(?::\d+)?: )")
"""The file that a warning begins with."""


def _placed(warning: str, status: Status) -> str:
    """Return a warning with its file as it can be typed here."""
    found = _PLACE.match(warning)
    if not found or not os.path.lexists(os.path.join(status.root, found[1])):
        return warning
    return f"{here(status.root, found[1], status.cwd)}{warning[found.end() :]}"


def _to_mend(found: Checked | None) -> list[str]:
    """Return what ``ctx check`` has to say, or that nobody has asked it."""
    if found is None:
        return ["run `ctx check`: the directory is too large to check it by the way"]
    many = len(found.findings)
    what = f"{many:,} finding{'' if many == 1 else 's'}"
    mend = [f"mend {what} of `ctx check`: {_rules_of(found)}"] if many else []
    return mend + [f"note that {path} is not checked: {why}" for path, why in found.left]


def _rules_of(found: Checked) -> str:
    """Return the rules by what they find, most first: ``3 dead-link, 1 undated``."""
    counts = Counter(one.rule for one in found.findings)
    return ", ".join(f"{count:,} {rule}" for rule, count in counts.most_common())


def as_object(status: Status) -> JsonObject:
    """Return the status as JSON has it."""
    packet, selection = status.packet, status.packet.selection
    return {
        "directory": status.root,
        "files": [row._asdict() for row in status.rows],
        "entries": sum(row.entries for row in status.rows),
        "tokens": sum(row.tokens for row in status.rows),
        "budget": packet.request.budget,
        "tokenizer": packet.request.tokenizer,
        "packet_tokens": packet.tokens,
        "degraded": selection.degraded,
        "hard": {"tokens": status.hard, "limit": status.hard_limit},
        "sections": [
            {
                "name": section.name,
                "planned": section.budget,
                "used": section.used,
                "said": len(section.included),
                "titles": len(section.titles),
                "left_out": section.omitted,
            }
            for section in selection.sections
        ],
        "read_order": [*packet.context.read_order],
        "precedence": [*status.precedence],
        "settings": {
            name: {"value": value, "from": status.loaded.origins[name]}
            for name, value in status.loaded.settings._asdict().items()
        },
        "warnings": [*packet.warnings],
        "findings": None if status.found is None else len(status.found.findings),
        "advice": [*advice(status)],
    }
