"""A day of work, replayed: what `--delta` saves, and what a provider's prompt cache would reuse.

    python benchmarks/replay.py --git REPO [--last N]
    python benchmarks/replay.py --session TRANSCRIPT --dir DIRECTORY [--last N]
    python benchmarks/replay.py --day DIRECTORY [--steps N]
                                [--budget N …] [--planner P] [--as-of DATE] [--full-only] [--json]

Steps are the commits that touch a repository's ``.context``; the turns of a user in a
transcript, each asked as ``--query`` when what was said before it is imported; or a made day
on a copy of a directory, on which only tasks change. At each step ``ctx agent`` is asked
twice, with and without ``--delta``, otherwise alike, each in a copy of its own.

*unknown* counts, over all steps, entries that a packet without ``--delta`` says and that the
session was never told so fully, in their present words; it is read from the text that was
sent, not from what ``ctx`` remembers. *prefix* is the share of a packet's bytes, without
``--delta``, that it has in common with the packet before it from the first byte on. Exit code
1 when less than 60 % is saved, anything is unknown, or, on a made day, the mean prefix is
under 80 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.days import Step
from ctx.model import Entry, Level, Packet

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.days import DAY, MOST_BYTES, NAME, run, steps_of
from ctx import read as files
from ctx.app.options import PacketOptions
from ctx.app.packet import make
from ctx.app.workspace import Workspace
from ctx.hosts.sources import chosen
from ctx.model import LEVELS, Included, Scored
from ctx.render.markdown import unit
from ctx.store.no_cache import NoCache
from ctx.text.levels import key_lines
from ctx.text.tokens import counter
from ctx.world import World

Words = dict["Level", str]
"""What an entry says at each of its levels, fullest first."""
LEAST_SAVED = 0.60
LEAST_PREFIX = 0.80


class Figures(NamedTuple):
    """What a day cost at one budget."""

    budget: int
    steps: int
    full: int
    """Tokens sent without ``--delta``."""
    delta: int | None
    """Tokens sent with it; None where it was not asked."""
    unknown: int
    prefix: float
    """Mean share of bytes in common with the packet before, in [0, 1]."""
    least: float

    @property
    def saved(self) -> float:
        """Share of the tokens that ``--delta`` saves."""
        return 0.0 if self.delta is None else 1 - self.delta / max(1, self.full)


def main() -> int:
    """Replay at each budget, print, and judge."""
    options = _options()
    figures = []
    for budget in options.budget:
        with tempfile.TemporaryDirectory() as folder:
            figures.append(
                _replay(steps_of(Path(folder, "state"), options), budget, folder, options)
            )
    _print(figures, options)
    kept = (
        one.unknown == 0
        and (one.delta is None or one.saved >= LEAST_SAVED)
        and (not options.day or one.prefix >= LEAST_PREFIX)
        for one in figures
    )
    return 0 if all(kept) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--git", type=Path, metavar="REPO", help="commits that touch .context")
    source.add_argument("--session", type=Path, metavar="FILE", help="turns of a transcript")
    source.add_argument("--day", type=Path, metavar="DIR", help="a made day on a copy of DIR")
    parser.add_argument("--dir", type=Path, help="context directory to copy, for --session")
    parser.add_argument("--last", type=int, default=0, help="only the last N steps")
    parser.add_argument("--steps", type=int, default=DAY, help="steps of a made day")
    parser.add_argument("--budget", type=int, nargs="+", default=[8_000])
    parser.add_argument("--planner", help="as ctx agent takes it")
    parser.add_argument("--as-of", default="", help="day that ages are counted from")
    parser.add_argument("--full-only", action="store_true", help="do not ask with --delta")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    if options.session and not options.dir:
        parser.error("--session needs --dir")
    return options


# --- asking -------------------------------------------------------------------------------


def _replay(
    steps: Iterable[Step], budget: int, folder: str, options: argparse.Namespace
) -> Figures:
    # Packets hold the names of folders: these cost as much.
    state, plain, news = (Path(folder, name) for name in ("state", "one", "two"))
    count = counter("heuristic").count
    told: dict[str, Told] = {}
    full = delta = unknown = 0
    shares: list[float] = []
    before = b""
    number = 0
    for step in steps:
        number += 1
        _mirror(state, plain)
        packet = _packet(plain / NAME, step, budget, options)
        full += packet.tokens
        text = packet.text.encode()
        if before:
            shares.append(_common(before, text) / len(text))
        before = text
        if not options.full_only:
            _mirror(state, news)
            said = run("agent", "--delta", *_arguments(news / NAME, step, budget, options))
            delta += count(said) if said else 0
            unknown += _unknown(packet, said, told)
    return Figures(
        budget,
        number,
        full,
        None if options.full_only else delta,
        unknown,
        sum(shares) / len(shares) if shares else 1.0,
        min(shares, default=1.0),
    )


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts have in common from the first on."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def _mirror(state: Path, copy: Path) -> None:
    """Make ``copy`` hold the files of ``state``; what ctx keeps in either stays there."""
    wanted = _files(state)
    for name in _files(copy) - wanted:
        (copy / name).unlink()
    for name in wanted:
        data = (state / name).read_bytes()
        if not (copy / name).is_file() or (copy / name).read_bytes() != data:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(data)


def _files(folder: Path) -> set[Path]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {name for name in found if ".ctx" not in name.parts}


def _asked(step: Step, budget: int, options: argparse.Namespace) -> dict[str, str]:
    """Return the options of a call, by name, those that are not empty."""
    asked = {
        "session": step.session,
        "budget": str(budget),
        "as-of": options.as_of or step.day or date.today().isoformat(),  # noqa: DTZ011
        "query": step.query,
        "planner": options.planner or "",
    }
    return {name: value for name, value in asked.items() if value}


def _arguments(root: Path, step: Step, budget: int, options: argparse.Namespace) -> list[str]:
    asked = _asked(step, budget, options)
    return ["--dir", str(root), *(f"--{name}={value}" for name, value in asked.items())]


def _packet(root: Path, step: Step, budget: int, options: argparse.Namespace) -> Packet:
    asked = _asked(step, budget, options).items()
    given = PacketOptions(**{name.replace("-", "_"): value for name, value in asked})
    return make(Workspace(given, World(), root=str(root)))


# --- what the session knows ---------------------------------------------------------------


class Told(NamedTuple):
    """How an entry was told last."""

    level: Level
    words: Words
    """What it said at each level, then."""


def _unknown(packet: Packet, sent: str, told: dict[str, Told]) -> int:
    """Take note of what was ``sent``; count what ``packet`` says beyond all that was."""
    present: dict[str, Words] = {}
    for entry in _entries(packet):
        words = present[entry.id] = _words(entry)
        level = _heard(entry, words, f"\n{sent}")
        last = told.get(entry.id)
        if level and not (last and last.words == words and _covers(last.level, level)):
            told[entry.id] = Told(level, words)
    sections = packet.selection.sections
    return sum(
        not _knows(told.get(said.entry.id), said.level, present[said.entry.id])
        for section in sections
        for said in (*section.included, *section.titles)
    )


def _entries(packet: Packet) -> list[Entry]:
    """Return all entries of a directory, read once more: a packet's own may be closed."""
    asked = packet.request
    limits = files.Limits(MOST_BYTES, allow_links=asked.settings.allow_links, project=asked.project)
    origins = chosen(asked.settings.sources, asked.authored).origins
    wanted = files.Wanted(origins, asked.session, levels=asked.levels, focus=asked.focus)
    return files.read(asked.root, NoCache(), limits, wanted).entries


def _words(entry: Entry) -> Words:
    levels: Sequence[Level] = LEVELS if key_lines(entry) else ("full", "title")
    return {level: unit(Included(Scored(entry, 0.0, ()), level)) for level in levels}


def _heard(entry: Entry, words: Words, sent: str) -> Level | None:
    """Return the best level at which an entry is in a text, with the line that introduces it."""
    for level, text in words.items():
        if f"\n{text}" in sent and (level == "title" or entry.lead in sent):
            return level
    return None


def _covers(one: Level, other: Level) -> bool:
    """Whether ``one`` says all that ``other`` does."""
    return LEVELS.index(one) <= LEVELS.index(other)


def _knows(last: Told | None, level: Level, words: Words) -> bool:
    if last is None or not _covers(last.level, level):
        return False
    return last.words.get(level) == words[level]


# --- the table ----------------------------------------------------------------------------


def _print(figures: Sequence[Figures], options: argparse.Namespace) -> None:
    if options.json:
        rows = [
            {
                **one._asdict(),
                "saved": None if one.delta is None else round(one.saved, 4),
                "prefix": round(one.prefix, 4),
                "least": round(one.least, 4),
            }
            for one in figures
        ]
        print(json.dumps(rows, indent=1))
        return
    print("budget   steps  tokens full  tokens delta   saved  unknown  prefix mean   least")
    for one in figures:
        delta = "–" if one.delta is None else f"{one.delta:,}"
        saved = "–" if one.delta is None else f"{one.saved:.1%}"
        unknown = "–" if one.delta is None else one.unknown
        print(
            f"{one.budget:6,}{one.steps:8}{one.full:13,}{delta:>14}{saved:>8}{unknown:>9}"
            f"{one.prefix:13.1%}{one.least:8.1%}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
