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
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown_it.utils import read_fixture_file

from tests.read.samples import Memory, read_all, said, write

if TYPE_CHECKING:
    from ctx.model import Context, Entry

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "read"
FIELDS = ("timestamp", "status", "priority", "group", "lead", "supersedes")


def cases() -> list[object]:
    return [
        pytest.param(path.stem, text, expected, id=f"{path.stem}: {title}")
        for path in sorted(GOLDEN.glob("*.md"))
        for _, title, text, expected in read_fixture_file(path)
    ]


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
    assert len(cases()) > 60


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    context = read_all(write(tmp_path, files_of(kind, text)))
    assert shown(context, paths=text.startswith("===")) == expected


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_remembered(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    root = write(tmp_path, files_of(kind, text))
    shelf = Memory(trusting=True)
    read_all(root, shelf)
    assert shown(read_all(root, shelf), paths=text.startswith("===")) == expected


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_with_other_line_ends(
    tmp_path: Path, end: str, kind: str, text: str, expected: str
) -> None:
    files = {path: one.replace("\n", end) for path, one in files_of(kind, text).items()}
    context = read_all(write(tmp_path, files))
    assert shown(context, paths=text.startswith("===")) == expected


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_with_a_byte_order_mark(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    files = {path: f"\ufeff{one}" for path, one in files_of(kind, text).items()}
    context = read_all(write(tmp_path, files))
    assert shown(context, paths=text.startswith("===")) == expected


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_without_final_newline(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    files = {path: one.rstrip("\n") for path, one in files_of(kind, text).items()}
    context = read_all(write(tmp_path, files))
    assert shown(context, paths=text.startswith("===")) == expected


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_ids_are_unique(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    context = read_all(write(tmp_path, files_of(kind, text)))
    ids = [one.id for one in context.entries]
    assert len(set(ids)) == len(ids), expected


@pytest.mark.parametrize(("kind", "text", "expected"), cases())
def test_golden_read_twice_is_the_same(tmp_path: Path, kind: str, text: str, expected: str) -> None:
    root = write(tmp_path, files_of(kind, text))
    assert list(map(said, read_all(root).entries)) == list(map(said, read_all(root).entries))
    assert expected is not None
