"""The overhead of a packet and its hard tier: what is included whatever the budget."""

import os
import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ctx.fit.continuity import Suffixes
from ctx.fit.offer import Offer, hard_limit
from ctx.model import Document, Included, Measure, Request, Section, Selection
from ctx.text.levels import is_prose
from ctx.text.tokens import estimate
from ctx.typed import NamedTuple

POINTED = "pointed"  # the value of ``Request.rules`` by which rules are named only
READ_ORDER_SHARE = 0.01  # share of the budget for files to read
WARNINGS_SHARE = 0.02  # share of the budget for warnings; all of them go to stderr as well
_SURELY = 2
"""By how much rules that are counted one by one exceed a budget in which they surely have no room:
together they cost a token less for each line at most, and a line has several."""
_DIGITS = 20  # tokens more that a packet may cost which names a larger budget
_BINDING = {"forbidden": 0, "obligatory": 1}  # in this order rules are included if not all fit


class Overhead(NamedTuple):
    """A packet with only what must be included."""

    selection: Selection
    spent: int  # tokens of it as rendered
    full: bool  # whether there is no room for anything else
    tail: int  # how many of the session's last turns are in it


def overhead(
    request: Request, rules: Section, tails: Suffixes, choice: Offer, measure: Measure
) -> Overhead:
    """Return the overhead with all ``rules``, and the first of ``tails`` that fits.

    ``tails`` go from the mandatory one to none. Over the budget the read order and the warnings are
    left out, then the tail bundle by bundle; rules and instruction never are.
    """
    over_share = _over_share(request, rules)
    notice = ""
    if request.rules == POINTED and rules.included:
        files = named(rules.included, request, measure)
        over_share = notice = f"The rules cost {rules.used:,} tokens. {files}"
        rules = rules._replace(used=0, included=())
    bare = Selection((rules,), (), 0, "", (), notice=notice)

    def framed(selection: Selection, number: int, cut: str = "") -> tuple[Selection, int]:
        tail = tails[number]
        degraded = " ".join(filter(None, (over_share, cut or _cut(tails[0], tail))))
        sections = (rules, tail) if tail.included else (rules,)
        full = selection._replace(degraded=degraded, sections=sections)
        return full, measure.whole(full)

    def fits(number: int) -> bool:
        return framed(bare, number)[1] <= request.budget

    if rules.used > _SURELY * request.budget:  # thousands of rules are not rendered to see that
        return _overfull(request, bare, tails[0], measure)
    # The mandatory tail needs no notice of what was cut, which may cost more than a turn.
    number = 0 if fits(0) else bisect_left(range(len(tails)), 1, lo=1, key=fits)
    if number == len(tails):
        base = tails[0]
        # The shortest notice, as there is no room for more.
        notice = (
            f"no room for the last {len(base.included):,} turns, which cost {base.used:,} tokens."
        )
        selection, spent = framed(bare, number - 1, notice)
        if base.included and spent <= request.budget:
            return Overhead(selection, spent, full=False, tail=0)
        return _overfull(request, bare, base, measure)
    documents = choice.documents
    shown = _shown(documents, request.budget)
    whole = bare._replace(
        read_order=tuple(documents[:shown]),
        read_more=len(documents) - shown,
        warnings=_fitting(choice.warnings, request.budget),
    )
    selection, spent = framed(whole, number)
    for less in (whole._replace(warnings=()), bare):
        if spent > request.budget:
            selection, spent = framed(less, number)
    return Overhead(selection, spent, full=False, tail=len(tails[number].included))


def named(rules: Iterable[Included], request: Request, measure: Measure) -> str:
    """Return the sentence that names the files of ``rules`` as they open, and their sizes."""
    root = request.shown_root or os.path.basename(request.root)
    sizes: dict[str, int] = {}
    for rule in rules:
        path = posixpath.normpath(posixpath.join(root, rule.entry.source))
        sizes[path] = sizes.get(path, 0) + measure.unit(rule)
    files = ", ".join(f"{path} ({size:,} tokens)" for path, size in sizes.items())
    return f"Read them before anything else: {files}"


def cost_of(rules: Sequence[Included], measure: Measure) -> int:
    """Return the tokens of ``rules`` as rendered, with the headings and lead-ins over them."""
    entries = [rule.entry for rule in rules]
    groups = {(entry.source, entry.group): entry for entry in entries}
    runs = {(entry.source, entry.group, entry.lead, is_prose(entry)): entry for entry in entries}
    used = sum(map(measure.unit, rules)) + sum(map(measure.group, groups.values()))
    return used + sum(map(measure.run, runs.values()))


def _overfull(request: Request, bare: Selection, tail: Section, measure: Measure) -> Overhead:
    """Return the overhead that exceeds the budget with all rules: those that fit, and a notice.

    What is for the files in focus comes first; then prohibitions, commands, the rest, each in
    authored order, up to the first that does not fit. A line counts the omitted ones and names
    their files; without room for that beside the packet's own lines it is all that is left.
    """
    (rules,) = bare.sections
    least = len(_BINDING)

    def order(rule: Included) -> tuple[bool, int]:
        return not rule.entry.is_for_files, _BINDING.get(rule.entry.modality, least)

    ranked = sorted(rules.included, key=order)
    room = max(request.budget, request.rules_budget)
    rest = measure.whole(bare._replace(sections=(rules._replace(used=0, included=()),)))

    cost = f"a packet without rules costs {rest:,} tokens"
    if ranked:
        cost = f"the rules cost {rules.used:,} tokens, the rest of the packet {rest:,}"

    def first(count: int) -> Selection:
        chosen = {rule.entry.id for rule in ranked[:count]}
        kept = tuple(rule for rule in rules.included if rule.entry.id in chosen)
        files = dict.fromkeys(rule.entry.path for rule in ranked[count:])
        left = len(ranked) - count
        section = rules._replace(
            used=cost_of(kept, measure), included=kept, omitted=left, omitted_files=", ".join(files)
        )
        lacking = [f"{left:,} of {len(ranked):,} rules"] if left else []
        lacking += ["the session's last turns"] if tail.included else []
        where = f"no room for {' and '.join(lacking)} in" if lacking else "over"
        remedy = " --rules pointed names their files instead." if request.query and left else ""
        why = f"{where} the budget of {request.budget:,}: {cost}.{remedy}"
        return bare._replace(degraded=why, sections=(section,))

    # How many fit is found by halves: more of them cost more.
    sums = [*accumulate(map(measure.unit, ranked))]
    counts = range(min(len(ranked), bisect_right(sums, _SURELY * room) + 1) + 1)
    count = bisect_left(counts, 1, key=lambda count: measure.whole(first(count)) > room) - 1
    selection = first(max(0, count))
    if count < 0:
        needed = measure.whole(selection) + _DIGITS
        selection = selection._replace(least=needed, notice="")
    if not measure.whole(selection):  # not even for the line that counts them
        none = rules._replace(used=0, included=(), omitted=0, omitted_files="")
        selection = selection._replace(sections=(none,))
    return Overhead(selection, measure.whole(selection), full=True, tail=0)


def _cut(base: Section, tail: Section) -> str:
    """Return the notice that mandatory turns are omitted; empty if none is."""
    if len(tail.included) == len(base.included):
        return ""
    count = len(tail.included)
    share = f"{count:,} of them {'is' if count == 1 else 'are'}" if count else "none is"
    return (
        f"the session's last {len(base.included):,} turns cost {base.used:,} tokens, for which "
        f"there is no room beside the rules; {share} included."
    )


def _over_share(request: Request, rules: Section) -> str:
    """Return by how much the rules exceed their share of the budget; empty if they do not."""
    share = hard_limit(request.budget, request.hard_share)
    if rules.used <= share:
        return ""
    return (
        f"the rules cost {rules.used:,} tokens, over their share of {share:,} "
        f"({request.hard_share:.0%} of {request.budget:,}); all are included."
    )


def _shown(documents: Sequence[Document], budget: int) -> int:
    room = int(READ_ORDER_SHARE * budget)
    for shown, document in enumerate(documents):
        room -= estimate(f"- {document.path} ({document.tokens:,} tokens): {document.about}\n")
        if room < 0:
            return shown
    return len(documents)


def _fitting(warnings: Sequence[str], budget: int) -> tuple[str, ...]:
    room = int(WARNINGS_SHARE * budget)
    kept: list[str] = []
    for warning in warnings:
        room -= estimate(warning) + 2
        if room < 0:
            kept.append(f"… and {len(warnings) - len(kept)} more on stderr")
            break
        kept.append(warning)
    return tuple(kept)
