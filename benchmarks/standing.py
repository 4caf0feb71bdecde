"""Whether the register holds the standing instructions of talk about other subjects.

    python benchmarks/standing.py [FILE] [--list]

Reads dialogues with labelled turns (``standing.txt``, which describes its form), each as a session,
and prints for each and for all: *current* (share of instructions in force that the register has in
force), *stale* (share of replaced ones that it has in force), *other* (share of turns without an
instruction that it holds). ``--list`` prints what is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctx.read import Limits, Wanted, read
from ctx.store.no_cache import NoCache

LINE = re.compile(r"(\w+)(?: \[(\w+)\])?: (.*)")
LIMITS = Limits(1 << 20, allow_links=False, project="", allow_secrets=False)
WRONG = {"on": "superseded", "part": "superseded", "off": "", "": ""}
"""By label the status that is wrong."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    own = Path(__file__).parent / "standing.txt"
    parser.add_argument("file", nargs="?", type=Path, default=own, help="labelled dialogues")
    parser.add_argument("--list", action="store_true", help="print each turn that is wrong")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for dialogue in options.file.read_text(encoding="utf-8").split("\n== ")[1:]:
        title, *lines = dialogue.strip().split("\n")
        found = measured(lines, f"{title}: " if options.list else "")
        print(shown(title, found))
        total += found
    print(shown("all", total))
    return 0


def measured(lines: list[str], shown_as: str = "") -> Counter[str]:
    """Return how many turns have each label, and of how many the register is wrong."""
    turns = [found.groups("") for found in map(LINE.fullmatch, lines) if found]
    with tempfile.TemporaryDirectory() as folder:
        sessions = Path(folder, "sessions")
        sessions.mkdir()
        stored = [
            {
                "id": f"t{place}", "session": "talk", "ts": f"2026-01-01T00:{place:02}:00Z",
                "role": "assistant" if who == "bot" else "user", "speaker": who, "text": text,
            }
            for place, (who, _, text) in enumerate(turns)
        ]  # fmt: skip
        (sessions / "talk.jsonl").write_text("\n".join(map(json.dumps, stored)), "utf-8")
        Path(folder, "context").mkdir()
        wanted = Wanted(state=folder)
        standing = read(f"{folder}/context", NoCache(), LIMITS, wanted).standing
    counts: Counter[str] = Counter()
    for place, (_, label, text) in enumerate(turns):
        own = {one.status for one in standing if one.turn_id.rpartition("#")[2] == f"t{place}"}
        in_force = bool(own & {"", "partly superseded"})
        is_wrong = own == set() if label == "back" else in_force == (label not in ("on", "part"))
        counts[label] += 1
        counts[f"{label} wrong"] += is_wrong
        if is_wrong and shown_as:
            print(f"  {shown_as}{label or 'none'}, {own or '{}'}: {text}")
    return counts


def shown(title: str, found: Counter[str]) -> str:
    """Return a line with the shares."""
    turns = sum(found[label] for label in ("on", "part", "off", "back", ""))
    kept = found["on"] + found["part"]
    current = 1 - (found["on wrong"] + found["part wrong"]) / max(kept, 1)
    stale, other = (found[f"{one} wrong"] / max(found[one], 1) for one in ("off", ""))
    return f"{title:32} current {current:.2f} stale {stale:.2f} other {other:.2f} of {turns}"


if __name__ == "__main__":
    sys.exit(main())
