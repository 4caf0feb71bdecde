"""The check box and the labels of a task's line, by its state."""

import re
from typing import Literal

from ctx.text.checkbox import ITEM, LABELS, MARKS, STATUS

State = Literal["done", "start", "block", "skip", "todo"]  # the states of a task that can be set

_BOX = re.compile(rf"([ \t>]*(?:{ITEM}[ \t]+)?\[)([{MARKS}]?)(\](?=\s|$))")
_NAMED = rf"#(?:{'|'.join(LABELS)})(?![\w-])"
_LABEL = re.compile(rf"(?:(?<![ \t])[ \t]+|(?<![\w`])){_NAMED}", re.IGNORECASE)
_FIRST = re.compile(rf"([ \t]+)(?:{_NAMED}[ \t]+)+", re.IGNORECASE)  # labels behind the box
_OPEN = frozenset(mark for mark, status in STATUS.items() if not status)  # the status is a label's


_WRITTEN: dict[State, tuple[str, str]] = {  # the mark in the box, and the label behind the text
    "done": ("x", ""),
    "start": (" ", "#in-progress"),
    "block": (" ", "#blocked"),
    "skip": ("-", ""),
    "todo": (" ", ""),
}


def marked(line: str, state: State) -> str:
    """Return the line of a task in ``state``, but for box and labels as it was; empty for none."""
    box = _BOX.match(line)
    if not box:
        return ""
    mark, label = _WRITTEN[state]
    stays = mark in _OPEN and box[2] in _OPEN and state != "todo"
    head = line[: box.end()] if stays else f"{box[1]}{mark}{box[3]}"
    rest = line[box.end() :]
    first = _FIRST.match(rest)
    rest = _LABEL.sub("", first[1] + rest[first.end() :] if first else rest)
    if not label:
        return head + rest
    text = rest.rstrip()
    return f"{head}{text} {label}{rest[len(text) :]}"
