"""Golden cases of reading: what people write, and the entries that it is.

A case is a title, a dot, the text, a dot, the entries, a dot. The name of its file says which
file of a context directory it stands for: ``tasks-markers.md`` is a TASKS.md. A text that
starts with ``=== PATH`` holds several files.

    LINES KIND TIER | TITLE
      field: value
      > the body

Only fields with a value are shown. Warnings follow, with an exclamation mark.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it.utils import read_fixture_file

from ctx.model import Context, Entry
from tests.read.samples import Memory, read_all, said, write

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "read"
FIELDS = ("timestamp", "status", "priority", "group", "lead", "supersedes")


class Case(NamedTuple):
    title: str
    text: str
    expected: str


CASES = {
    path.stem: [Case(title, text, entries) for _, title, text, entries in read_fixture_file(path)]
    for path in sorted(GOLDEN.glob("*.md"))
}


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
    assert sum(map(len, CASES.values())) > 60


def differing(folder: Path, kind: str, form: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return title and entries of the cases that are not read as expected."""
    found = []
    for number, case in enumerate(CASES[kind]):
        files = {path: form(text) for path, text in files_of(kind, case.text).items()}
        root, shelf = write(folder / str(number), files), Memory(trusting=True)
        first, again = read_all(root, shelf), read_all(root, shelf)
        assert len({one.id for one in first.entries}) == len(first.entries), case.title
        assert list(map(said, first.entries)) == list(map(said, again.entries)), case.title
        for context in (first, again):
            entries = shown(context, paths=case.text.startswith("==="))
            if entries != case.expected:
                found.append((case.title, entries))
    return found


@pytest.mark.parametrize("kind", CASES)
def test_golden(tmp_path: Path, kind: str) -> None:
    assert differing(tmp_path / "plain", kind, str) == []
    windows = differing(
        tmp_path / "windows", kind, lambda text: "\ufeff" + text.rstrip("\n").replace("\n", "\r\n")
    )
    assert windows == []
    assert differing(tmp_path / "old", kind, lambda text: text.replace("\n", "\r")) == []
