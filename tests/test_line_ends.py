"""Files whose lines end as on Windows are read as those of any other system."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from ctx.hosts.sources import REGISTRY
from tests.hostile import REPOSITORY
from tests.imported import sessions_of
from tests.keeping import make_repository
from tests.rank.hands import call
from tests.read.samples import NO_CORPORA
from tests.sampling import sampled
from tests.sessions.test_transcripts import FIXTURES as TRANSCRIPTS

FIXTURES = ("odd", "themed", "webshop")
INTEROP = Path(REPOSITORY).parent / "shared" / "corpora" / "interop"
CORPORA = sorted(path for path in INTEROP.glob("*") if path.is_dir())
DAY = ("--as-of", "2026-11-21")
CALLS = (
    ("agent", *DAY, "--budget", "900000", "--focus", "src/a.py"),
    ("agent", *DAY, "--budget", "6000", "--format", "json", "--query", "tests error release"),
    ("agent", *DAY, "--budget", "3000", "--explain", "--format", "json"),
    ("search", "tests error release", "--all", "--archive", "--json"),
    ("rules", "src/a.py", "--json"),
    ("check", "--json"),
    ("list", "task", "--json"),
    ("import", "--dry-run", "--json"),
    ("export", "agents", "--check"),
    ("archive", "--dry-run", "--json"),
    ("tiers", "AGENTS.md"),
)
_FRONT = """\
---
description: Rules of {name}
globs: "src/*.py"
paths:
  - src/*.py
applyTo: src/*.py
inclusion: always
alwaysApply: true
status: accepted
---
"""
_TEXT = """\
# About {name}

You must run the tests of {name} before a release.

- Never push {name} to main.
- [ ] Write {name} #priority:high
  - with a part
- [x] Read {name}

## [2026-01-02-030405] Decide {name}

**Status**: Accepted

**Decision**: it is {name}, because of an error.\x20\x20
A hard break is above.

```sh
make {name}

~~~
```

| a | b |
|---|---|
| {name} | c |

<!-- a comment
of {name} -->

Setext heading
--------------

> quoted {name}
> password = "xK9vQ2mZ7{number}aB"

1. Always first
2. Prefer second

@docs/more-{number}.md
"""


def _everywhere(root: Path) -> None:
    """Write a file for every kind of place that ctx reads."""
    own = (
        "CONSTITUTION.md", "steering/one.md", "TASKS.md", "CONVENTIONS.md", "conventions/one.md",
        "DECISIONS.md", "decisions/one.md", "LEARNINGS.md", "learnings/one.md", "specs/a/one.md",
        "GLOSSARY.md", "ARCHITECTURE.md", "OTHER.md", "archive/decisions-2026-01-01.md",
        "archive/tasks-2026-01-01.md",
    )  # fmt: skip
    places = (place for origin in REGISTRY for place in origin.places)
    paths = [place.replace("**/*", "a/b").replace("**", "a").replace("*", "b") for place in places]
    paths.remove(".clinerules")  # is a folder here
    for number, path in enumerate((*(f".context/{name}" for name in own), *paths)):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        front = _FRONT if "/" in path else ""
        name = f"{file.stem.strip('.')}-{number}"
        file.write_text((front + _TEXT).format(name=name, number=number), "utf-8", newline="\n")
    more = root / "docs" / "more-3.md"
    more.write_text("# More\n\n- Never do more.\n\n@also.md\n", "utf-8", newline="\n")
    settings = root / ".context" / "config.toml"
    text = '# Mine\nsources = """\n+docs"""\nhard_share = 0.5\n'
    settings.write_text(text, "utf-8", newline="\n")


def _windows(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _answers(source: Path, root: Path, form: Callable[[bytes], bytes]) -> list[str]:
    """Return what every call answers in a copy of ``source`` whose files ``form`` has made."""
    shutil.copytree(source, root, symlinks=True)
    make_repository(root)
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.write_bytes(form(path.read_bytes()))
    return [_answer(root, *call) for call in CALLS]


def _answer(root: Path, *arguments: str) -> str:
    with chdir(root):
        done = call(*arguments, home=str(root.parent))
    text = done.text
    if (
        text and arguments[0] == "check"
    ):  # hosts count all bytes of a file, and so does what they cut off
        found = json.loads(text)["findings"]
        text = json.dumps([each for each in found if each["rule"] != "truncated"])
    return f"{done.code}\n{text}{done.err}".replace(str(root), "PROJECT")


def _differing(source: Path, tmp_path: Path) -> list[tuple[str, ...]]:
    plain, windows = (
        _answers(source, tmp_path / form.__name__.strip("_") / "p", form)
        for form in (_plain, _windows)
    )
    assert any(len(answer) > 200 for answer in plain)
    return [call for call, one, other in zip(CALLS, plain, windows, strict=True) if one != other]


def test_every_source_is_read_alike(tmp_path: Path) -> None:
    _everywhere(tmp_path / "project")
    assert _differing(tmp_path / "project", tmp_path) == []


@pytest.mark.parametrize("name", FIXTURES)
def test_the_fixtures_are_read_alike(name: str, tmp_path: Path) -> None:
    assert _differing(Path(REPOSITORY) / "fixtures" / name, tmp_path) == []


@pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
@pytest.mark.parametrize("source", sampled(CORPORA, 5), ids=lambda path: path.name)
def test_the_corpora_are_read_alike(source: Path, tmp_path: Path) -> None:
    assert _differing(source, tmp_path) == []


@pytest.mark.parametrize("source", sorted(TRANSCRIPTS.iterdir()), ids=lambda path: path.name)
def test_transcripts_are_imported_alike(source: Path, tmp_path: Path) -> None:
    answers, stored = [], []
    for form in (_plain, _windows):
        root = tmp_path / form.__name__.strip("_") / "p"
        (root / ".context").mkdir(parents=True)
        (root / source.name).write_bytes(form(source.read_bytes()))
        answers.append(_answer(root, "session", "import", "--session", "talk", source.name))
        files = sorted(sessions_of(root / ".context").glob("*.jsonl"))
        stored.append({path.name: path.read_bytes() for path in files})
        answers[-1] += _answer(root, "session", "promote")
        for name in stored[-1]:
            session = name.removesuffix(".jsonl")
            answers[-1] += _answer(root, "session", "show", session)
            answers[-1] += _answer(root, "session", "show", session, "--work")
            answers[-1] += _answer(root, "agent", *DAY, "--session", session)
    assert stored[0]
    assert stored[0] == stored[1]
    assert answers[0] == answers[1]
