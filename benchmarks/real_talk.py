"""How many standing instructions a thousand turns of real sessions hold, as the reader finds them.

    python benchmarks/real_talk.py FOLDER [--part fit|held] [--sample N] [--weak]

FOLDER holds a folder a person, each with histories as SpecStory or Aider writes them (``*.md``).
No text of theirs is kept here: ``docs/benchmarks.md`` says from which repositories they were read.
Prints turns, people and instructions a thousand turns; with ``--sample`` also that many of them,
evenly spread, to be read by a person. ``fit`` and ``held`` are halves of the people, by their name.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast
from zlib import crc32

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctx.read.instructing.reader import rows
from ctx.read.instructing.register import Given, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.read.columns import Columns

_HEADING = re.compile(r"^_\*\*(\w+)(?: \([^)\n]*\))?\*\*_\s*$")
_NO_TEXT = re.compile(
    r"/[a-z-]+(?: .*)?|!.*|y|n|yes|no|/?(?:add|run|exit|clear)\b.*", re.IGNORECASE
)


def turns_of(text: str) -> Iterator[str]:
    """Yield the turns of a user in a history of SpecStory or Aider."""
    if "# aider chat started" in text:
        for block in re.findall(r"(?:^#### .*\n?)+", text, re.MULTILINE):
            turn = re.sub(r"^#### ?", "", block, flags=re.MULTILINE).strip()
            if turn and not _NO_TEXT.fullmatch(turn.split("\n")[0]):
                yield turn
        return
    held: list[str] = []
    speaker, fence = "", ""
    for line in [*text.split("\n"), "_**End**_"]:
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        found = _HEADING.match(line)
        if found:
            fence = ""
            turn = re.sub(r"\n\s*---\s*\Z", "", "\n".join(held).rstrip()).strip()
            if speaker == "User" and turn:
                yield turn
            speaker, held = found[1], []
        else:
            held.append(line)


def people(folder: Path, part: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield person, session and the turns of each history of a half of the people."""
    seen: set[str] = set()
    for person in sorted(path for path in folder.iterdir() if path.is_dir()):
        if part and part != ("fit" if crc32(person.name.lower().encode()) % 2 else "held"):
            continue
        for path in sorted(person.glob("*.md")):
            turns = list(turns_of(path.read_text("utf-8", "replace")))
            new = [turn for turn in turns if turn not in seen]
            seen.update(turn for turn in turns if len(turn) > 20)  # a history continued elsewhere
            if new:
                yield person.name, path.name, new


class Body(NamedTuple):
    """A turn as the register compares it."""

    body: str


class Talk(NamedTuple):
    """The turns of a session as the register reads them."""

    standing: dict[str, list[list[object]]]
    timestamps: list[str]
    speakers: list[str]
    outdated: set[int]
    texts: list[str]

    def id_of(self, place: int) -> str:
        """Return a name for a turn."""
        return str(place)

    def entry(self, place: int) -> Body:
        """Return a turn."""
        return Body(self.texts[place])


def given(folder: Path, part: str) -> tuple[int, int, list[tuple[str, Given]]]:
    """Return turns and people, and each instruction in force with its person."""
    sessions: dict[str, list[list[Talk]]] = {}
    turns = 0
    for person, _, texts in people(folder, part):
        standing = {
            str(place): said
            for place in range(len(texts))
            if (said := [list(row) for row in rows([texts[place]], 0)])
        }
        turns += len(texts)
        day = [f"2026-01-01-{len(sessions.get(person, [])):06}"] * len(texts)
        sessions.setdefault(person, []).append([Talk(standing, day, [], set(), texts)])
    found = [
        (person, one)
        for person, each in sessions.items()
        for one in register(cast("list[list[Columns]]", each))
        if not one.status
    ]
    return turns, len(sessions), found


def main() -> int:
    """Count and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a folder a person")
    parser.add_argument("--part", choices=("fit", "held"), default="", help="half of the people")
    parser.add_argument("--sample", type=int, default=0, help="list that many to be read")
    parser.add_argument("--weak", action="store_true", help="list weak ones")
    asked = parser.parse_args()
    turns, persons, found = given(asked.folder, asked.part)
    strong = [(who, one) for who, one in found if one.is_strong]
    weak = [(who, one) for who, one in found if not one.is_strong]
    print(
        f"{turns:,} turns of {persons} people: {len(strong)} strong, {len(weak)} weak; a thousand "
        f"turns {1000 * len(strong) / turns:.1f} and {1000 * len(weak) / turns:.1f}"
    )
    listed = weak if asked.weak else strong
    step = max(1.0, len(listed) / max(1, asked.sample))
    for number in range(min(asked.sample, len(listed))):
        who, one = listed[int(number * step)]
        print(f"{one.strength:5.2f} x{one.times} {who[:8]:8} {one.said.text[:220]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
