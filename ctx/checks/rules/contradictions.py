"""Rules that oblige to what another one forbids.

Two instructions are of one action where the deontic reader gives both the same stems: condition,
subject, verb and objects. What stands under headings or in files that speak of different things
may hold side by side.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from ctx.checks.types import Fault, quoted
from ctx.text.entities import entities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.checks.types import Instructed, Subject
    from ctx.model import Entry

LEAST_WORDS = 2
"""Of an action: a verb alone may be of many things."""
_TURNING = r"bad|wrong|anti-?patterns?|exceptions?|instead|deprecated|unless|if|when|example|e\.g"
_TURNED = re.compile(rf"\b(?:not|never|no|don'?ts?|avoid|{_TURNING})\b", re.IGNORECASE)
"""What a heading says that turns around what stands below it."""
_LED = re.compile(rf"\b(?:{_TURNING})\b", re.IGNORECASE)
"""What an introduction says that does; the deontic reader knows denials."""
_PLACES = (
    "python go golang rust java kotlin swift typescript javascript js ts css html sql shell bash "
    "ruby php c scala elixir react vue front-?end back-?end server client mobile ios android web "
    "windows linux macos tests? testing docs? documentation prod production staging dev "
    "development local ci release hotfix scripts? examples? prototypes? spikes? legacy"
)
_SCOPES = re.compile(rf"\b(?:{'|'.join(_PLACES.split())})\b", re.IGNORECASE)
"""What a heading is about that has rules of its own."""
_OTHER = {"obligatory": "forbidden", "forbidden": "obligatory"}


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each rule that forbids what an earlier one obliges to, or the other way around."""
    told: dict[tuple[str, str], list[Instructed]] = defaultdict(list)
    for one in subject.instructed:
        if one.modality == "permitted" or not _is_plain(one):
            continue
        against = told[one.action, _OTHER[one.modality]]
        other = next((two for two in against if _meet(one.entry, two.entry)), None)
        if other is not None:
            yield _fault(one, other)
        told[one.action, one.modality].append(one)


def _is_plain(one: Instructed) -> bool:
    """Whether an instruction says by itself what it is about, nothing above turning it around."""
    turned = _TURNED.search(one.entry.group) or _LED.search(one.entry.lead)
    return len(one.action.split()) >= LEAST_WORDS and not turned


def _meet(one: Entry, two: Entry) -> bool:
    """Whether two entries speak of the same things."""
    if _scope(one.source) != _scope(two.source) and _scope(one.source) and _scope(two.source):
        return False
    if one.group == two.group:
        return True
    return not any(_SCOPES.search(group) or entities(group) for group in (one.group, two.group))


def _scope(source: str) -> str:
    """Return the file where it is about a theme of its own; empty for those about everything."""
    return source if "/" in source.lstrip("./") else ""


def _fault(one: Instructed, other: Instructed) -> Fault:
    verb = "forbids" if one.modality == "forbidden" else "obliges to"
    other_verb = "obliges to" if one.modality == "forbidden" else "forbids"
    where = f"{other.entry.source}:{other.entry.line}"
    return Fault(
        one.entry.source,
        one.entry.line,
        f"{quoted(one.said)} {verb} what {where} {other_verb}: {quoted(other.said)}",
        "keep one of them, or say under which condition each holds",
    )
