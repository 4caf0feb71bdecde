"""Golden cases of reading: what people write, and the entries that it is.

A case is a title, a dot, the text, a dot, the entries, a dot. The name of its file says which
file of a context directory it stands for: ``tasks-markers.md`` is a TASKS.md. A text that
starts with ``=== PATH`` holds several files.

    LINES KIND TIER | TITLE
      field: value
      > the body

Only fields with a value are shown. Warnings follow, with an exclamation mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it.utils import read_fixture_file

from ctx.model import Context, Entry
from tests.read.samples import Memory, read_all, said, write

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "read"
FIELDS = ("timestamp", "status", "priority", "group", "lead", "supersedes")


NAMED = {
    f"{path.stem}: {title}": (path.stem, text, expected)
    for path in sorted(GOLDEN.glob("*.md"))
    for _, title, text, expected in read_fixture_file(path)
}
CASES = NAMED.values()


def files_of(kind: str, text: str) -> dict[str, str]:
    parts = re.split(r"^=== (\S+)\n", text, flags=re.MULTILINE)
    if len(parts) == 1:
        return {f"{kind.partition('-')[0].upper()}.md": text}
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def shown(context: Context, *, paths: bool) -> str:
    lines = [line for one in context.entries for line in entry_lines(one, path=paths)]
    return "".join(f"{line}\n" for line in [*lines, *(f"! {w}" for w in context.warnings)])


def entry_lines(one: Entry, *, path: bool) -> list[str]:
    span = f"{one.line}" if one.line == one.end_line else f"{one.line}-{one.end_line}"
    place = f"{one.source}:{span}" if path else span
    fields = [(name, getattr(one, name)) for name in FIELDS]
    return [
        f"{place} {one.kind} {one.tier} | {one.title}",
        *(f"  {name}: {' / '.join(str(value).splitlines())}" for name, value in fields if value),
        *(f"  > {line}".rstrip() for line in one.body.split("\n") if one.body),
    ]


def test_there_are_cases() -> None:
    assert len(CASES) > 60


@pytest.mark.parametrize(("kind", "text", "expected"), CASES, ids=NAMED)
def test_golden(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    context = read_all(write(tmp_path, files_of(kind, text)))
    assert shown(context, paths=text.startswith("===")) == expected


FORMS: dict[str, Callable[[str], str]] = {
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "line ends of old": lambda text: text.replace("\n", "\r"),
    "a byte order mark": lambda text: f"\ufeff{text}",
    "no final newline": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_golden_in_another_form(tmp_path: Path, form: str) -> None:
    for number, (kind, text, expected) in enumerate(CASES):
        files = {path: FORMS[form](one) for path, one in files_of(kind, text).items()}
        context = read_all(write(tmp_path / str(number), files))
        assert shown(context, paths=text.startswith("===")) == expected, (kind, text)


def test_golden_read_again(tmp_path: Path) -> None:
    """Remembered or not, the same entries; and no two have the same id."""
    for number, (kind, text, expected) in enumerate(CASES):
        root = write(tmp_path / str(number), files_of(kind, text))
        shelf = Memory(trusting=True)
        first = read_all(root, shelf).entries
        assert len({one.id for one in first}) == len(first), (kind, text)
        assert list(map(said, first)) == list(map(said, read_all(root).entries)), (kind, text)
        assert shown(read_all(root, shelf), paths=text.startswith("===")) == expected, (kind, text)
