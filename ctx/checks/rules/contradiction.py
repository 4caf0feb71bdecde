"""Rules that require what another one forbids.

Two instructions are of one action where the deontic reader gives both the same stems: condition,
subject, verb and objects. Instructions under headings or in files about different things do not
contradict each other, unless their files are for the same files of the work tree.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from ctx.checks.types import Fault, Instruction, Subject, Tree, quoted
from ctx.model import Entry
from ctx.text.entities import entities

LEAST_WORDS = 2  # of an action: a verb alone may be of many things
_TURNING = r"bad|wrong|anti-?patterns?|exceptions?|instead|deprecated|unless|if|when|example|e\.g"
_TURNED = re.compile(rf"\b(?:not|never|no|don'?ts?|avoid|{_TURNING})\b", re.IGNORECASE)
"""Words of a heading that reverse what is below it."""
_DENIED = re.compile(r"\b(?:not|never|don'?ts?)\b", re.IGNORECASE)
_LED = re.compile(rf"\b(?:{_TURNING})\b", re.IGNORECASE)  # the same, of an introduction
_PLACES = (
    "python go golang rust java kotlin swift typescript javascript js ts css html sql shell bash "
    "ruby php c scala elixir react vue front-?end back-?end server client mobile ios android web "
    "windows linux macos tests? testing docs? documentation prod production staging dev "
    "development local ci release hotfix scripts? examples? prototypes? spikes? legacy"
)
_SCOPES = re.compile(rf"\b(?:{'|'.join(_PLACES.split())})\b", re.IGNORECASE)
"""Words of a heading about something that has rules of its own."""
_OTHER = {"obligatory": "forbidden", "forbidden": "obligatory"}


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each rule that forbids what an earlier one requires, or the other way around."""
    earlier: dict[tuple[str, str], list[Instruction]] = defaultdict(list)
    for rule in subject.instructions:
        if rule.modality == "permitted" or len(rule.action.split()) < LEAST_WORDS:
            continue
        if rule.modality == "obligatory" and _DENIED.search(rule.sentence):
            continue  # "Tags: never add them": who reads it knows better
        if _TURNED.search(rule.entry.group) or _LED.search(rule.entry.lead):
            continue
        against = earlier[rule.action, _OTHER[rule.modality]]
        met = (other for other in against if _meet(rule.entry, other.entry, subject.tree))
        if (other := next(met, None)) is not None:
            yield _fault(rule, other)
        earlier[rule.action, rule.modality].append(rule)


def _meet(one: Entry, two: Entry, tree: Tree | None) -> bool:
    if _scope(one.source) != _scope(two.source) and _scope(one.source) and _scope(two.source):
        scopes = one.front.applies, two.front.applies
        if not all(scope and scope.mode == "match" for scope in scopes):
            return False
        return tree is not None and tree.meets(*filter(None, scopes))
    if one.group == two.group:
        return True
    return not any(_SCOPES.search(group) or entities(group) for group in (one.group, two.group))


def _scope(source: str) -> str:
    return source if "/" in source.lstrip("./") else ""


def _fault(rule: Instruction, other: Instruction) -> Fault:
    verbs = ("forbids", "obliges to")
    verb, other_verb = verbs if rule.modality == "forbidden" else verbs[::-1]
    where = f"{other.entry.path}:{other.entry.line}"
    what = f"what {where} {other_verb}: {quoted(other.sentence)}"
    remedy = "keep one of them, or write under which condition each holds"
    message = f"{quoted(rule.sentence)} {verb} {what}"
    return Fault(rule.entry.source, rule.entry.line, message, remedy)
