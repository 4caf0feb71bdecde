"""``ctx tiers``: how an authored document is partitioned, and what each tier of it costs."""

from collections.abc import Iterator

from ctx.app.find import find_any
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.app.tiers import (
    MB,
    Report,
    brief,
    inside,
    limit_line,
    listings,
    one_line,
    place,
    remark,
    text_of,
    totals,
)
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, screen_of
from ctx.model import Tier
from ctx.read.authored.document import document
from ctx.streams import complain, read_in, safe, write_json, write_lines
from ctx.text.names import shown
from ctx.text.tokens import counter
from ctx.world import World

STYLES: dict[Tier, str] = {"hard": "bold red", "soft": "yellow", "variant": "dim"}


@taking("json", "tokenizer")
def tiers(
    options: PacketOptions,
    file: str,
    *,
    json: bool = False,
) -> None:
    """Show the tier of each part of an authored document, and what each tier costs.

    Required rules (hard) are always included whole, guidelines (soft) from the top as far as
    their share goes, background (variant) as far as it matters now. Exit codes: 0 success,
    2 usage, 6 a file that is not there or cannot be read.
    """
    world = World()
    root = find_any(world)
    settings = load(root, world, options).settings
    path = place(file, root, world)
    data = text_of(path, settings.max_file_mb * MB, read_in)
    parts = document(
        shown(path), data, inside(path, root, world), redact_secrets=not settings.allow_secrets
    )
    count = counter(settings.tokenizer).count
    report = Report(path, parts, [count(leaf.text) for leaf in parts.leaves], settings)
    for warning in parts.warnings:
        complain(warning)
    if json:
        write_json(report.as_json())
    elif screen := screen_of(world):
        _draw(screen, report)
    else:
        write_lines(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"{'tier':<8}{'kind':<12}{'lines':<10}{'tokens':>7}  {'modality':<11}first line"
    for leaf, tokens in report.leaves:
        node = leaf.node
        span = f"{node.start + 1}-{node.end}"
        first = brief(leaf.text.strip().split("\n", 1)[0])
        yield (
            f"{node.tier:<8}{node.kind:<12}{span:<10}{tokens:>7,}  {remark(leaf) or '-':<11}{first}"
        )
    yield from _summary(report)


def _summary(report: Report) -> Iterator[str]:
    yield from totals(report)
    if report.always > report.limit:
        yield (
            f"the required rules are over {limit_line(report)}: shorten them, "
            "or put <!-- ctx:soft --> or <!-- ctx:variant --> before lists that only enumerate"
        )
    for heading, number, cost in listings(report):
        what = f"under {brief(heading)!r} " if heading else ""
        where = "the heading" if heading else "the list"
        yield (
            f"line {number}: the items {what}cost {cost:,} tokens and none "
            f"instructs: <!-- ctx:variant --> before {where} lets them give way"
        )
    for conflict in report.document.conflicts:
        yield (
            f"conflict at line {conflict.line}: {one_line(conflict.obliges)!r} "
            f"against {one_line(conflict.forbids)!r}"
        )


def _draw(screen: Screen, report: Report) -> None:
    for line in totals(report):
        screen.draw(line)
    for leaf, tokens in report.leaves:
        node = leaf.node
        gutter = f"{node.tier:<8}{tokens:>6,} {remark(leaf):<10}"
        for number, line in enumerate(leaf.text.split("\n")):
            first = gutter if not number else f"{'':<25}"
            head = f"{first}{node.start + number + 1:>5} │ "
            screen.draw((head, "dim"), (safe(line), STYLES[node.tier]))
    for line in _summary(report):
        screen.draw(line)
