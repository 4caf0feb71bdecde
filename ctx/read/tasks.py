"""TASKS.md: check-box items, each with its notes and sub-tasks."""

from collections.abc import Iterator
from itertools import chain, pairwise

from ctx.read.card import Card, Parser, dedent, slug, title_of
from ctx.read.markdown.block import Item, by_heading, group_of
from ctx.read.markdown.blocks import blocks
from ctx.text.checkbox import LABELS, STATUS, check_mark, is_bare_box, without_marker
from ctx.text.needs import without_notes
from ctx.text.regex import regex

_STATUS = regex(rf"(?i)(?<![\w`])#({'|'.join(LABELS)})\b")
_PRIORITY = regex(r"(?i)(?<![\w`])#priority:(high|medium|low)\b")
_PRIORITIES = {"high": 3, "medium": 2, "low": 1}
_TIME = regex(r"(?i)#(?:added|started):`?(\d{4}-\d{2}-\d{2}(?:-\d{4,6})?)")
_LABEL = regex(r"(?i)(?:^|\s)`?#[a-z][\w-]*(?::[^\s`]*)?`?")


def _tasks(text: str) -> Iterator[Card]:
    """Yield the tasks of one chunk; a plain item above check boxes is their introduction."""
    lines = text.split("\n")
    for run in by_heading(blocks(text)):
        group = group_of(run)
        for block in run:
            for item in block.items:
                yield from _cards(lines, item, item.end, group, "")
            if block.kind == "paragraph":
                yield from _boxes(lines, block.start, block.end, group)


def _cards(lines: list[str], item: Item, stop: int, group: str, lead: str) -> Iterator[Card]:
    stop = min(stop, item.end)
    if item.start >= stop:
        return  # it belongs to a box further out
    end = _without_stragglers(lines, item, stop)
    body = dedent(lines[item.start : end])
    if check_mark(body) is None:
        introduction = title_of(without_marker(body))
        for child in chain.from_iterable(item.lists):
            yield from _cards(lines, child, end, group, introduction)
    elif without_marker(body).strip():
        yield _card(body, item.start, group, lead)
    yield from _boxes(lines, end, stop, group)


def _without_stragglers(lines: list[str], item: Item, stop: int) -> int:
    """Return where the item ends for people: at a check box further out."""
    indent = _indent(lines[item.start])
    for number in range(item.start + 1, stop):
        if _indent(lines[number]) <= indent and is_bare_box(lines[number]):
            return number
    return stop


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _boxes(lines: list[str], start: int, end: int, group: str) -> Iterator[Card]:
    """Yield tasks that have no bullet: Markdown reads a paragraph, people read tasks."""
    starts = [number for number in range(start, end) if is_bare_box(lines[number])]
    for begin, stop in pairwise([*starts, end]):
        body = dedent(lines[begin:stop])
        if without_marker(body).strip():
            yield _card(body, begin, group, "")


def _card(body: str, line: int, group: str, lead: str) -> Card:
    labels = _STATUS.search(body)
    status = STATUS[check_mark(body) or " "] or (labels[1].lower() if labels else "")
    priority = _PRIORITY.search(body)
    time = _TIME.search(body)
    text = without_marker(without_notes(body))
    title = title_of(_LABEL.sub("", text)) or title_of(text)  # a task may be labels only
    return Card(
        slug(title), "variant", title, line, line + body.count("\n"), body,
        timestamp=time[1] if time else "",
        status=status,
        priority=_PRIORITIES[priority[1].lower()] if priority else 0,
        group=group,
        lead=lead,
    )  # fmt: skip


TASKS = Parser("task", _tasks, cut_level=6)
