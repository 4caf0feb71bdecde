"""Record what every command prints on every directory at hand, and compare two records.

    python scripts/oracle.py record before.json                  # of this checkout
    python scripts/oracle.py record --checkout ../old old.json   # of another one
    python scripts/oracle.py compare before.json after.json

A change that should not be seen is compared with a record made before it. Each directory (of
fixtures/, and of ../shared/corpora where that is there) is copied to one place, with a home of
its own; the commands run there one after the other, each in a process of its own. Days, durations
and the sizes of SQLite's files are left out, as they differ from run to run.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PLACE = Path(tempfile.gettempdir()) / "ctx-oracle"
"""Where the copies are: at the same place in each record, as messages name it."""
CONTEXT_FILES = ("CONSTITUTION.md", "TASKS.md", "DECISIONS.md", "LEARNINGS.md")
AUTHORED = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
PROMPT = '{"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "prompt": "fix the tests"}'
START = '{"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup"}'
QUERIES = ("how are errors reported", "release checklist", "zebra quantum")
READING = """\
--version
--help
agent
agent --budget 500
agent --budget 1200 --strict
agent --budget 30
agent --budget 3000 --format json
agent --budget 3000 --explain --format json
agent --budget 2000 --planner acs --query {q0}
agent --budget 2000 --query {q0}
agent --budget 4000 --query {q1} --format json --ranker hybrid
agent --budget 2000 --query {q2} --ranker lexical
agent --budget 2000 --query {q1} --embedder static
agent --budget 2000 --focus src/main.py --allow-overshoot --planner acs
agent --budget 2500 --context-length 20000 --used-tokens 15000 --log-json --hash-ids
agent --budget 2500 --context-length 20000 --used-tokens 19900
agent --session s-1 --delta --budget 2000
agent --session s-1 --delta --budget 2000
agent --session s-1 --cooldown 10m --budget 2000
agent --tokenizer o200k --budget 1500
agent --as-of 2026-02-01 --budget 1500
agent --budget none
agent --nonsense
agent --ranker nobody
plan --query {q0} --budget 2000
plan --json --planner tiered --budget 1500
explain --budget 2000
explain --json --query {q0} --budget 1500
strategy 'Is it safe to rename the table?' --chars 300000
strategy 'research how caching works' --path . --json
search {q0}
search {q0} --json
search {q1} --budget 600 --ranker lexical
search {q2}
search {q0} --since 2026-01-01 --kind decision --embedder static
status
status --json
list rules
list tasks --json
list decisions
list learnings
list conventions
list nothing
show tests
show nothing-of-this-name
check
check --json
tiers {authored}
tiers --json {authored}
index
index --status --json
index --embedder static
cache
session list
session show nobody
hook status
hook status --json"""
WRITING = """\
init
init --minimal
add decision 'Keep carts in Redis' --context 'Carts were lost.' --decision 'Redis holds carts.' \
--rationale 'Fast.' --consequence 'One more server.'
add learning 'Redis needs a password' --context 'It was open.' --lesson 'Set one.' --application ''
add task 'Write the runbook' --priority high
add rule 'Never log a password.'
add convention 'Tests are named for what they hold.'
add nothing 'at all'
task start 'Write the runbook'
task done 'Write the runbook'
task reopen 'Write the runbook'
task skip 'Write the runbook'
task done 'nothing like it'
list tasks --status open
session import {transcript} --id talk
session import {transcript} --id talk
session list --json
session show talk
session tail talk
session status talk
session compact talk --dry-run
session compact talk
session status talk --json
session expand talk
session promote talk
agent --session talk --budget 2000
search {q0} --kind turn
archive --dry-run
archive
agent --budget 2000
search {q0} --archive
hook install claude
hook install claude --dry-run
hook install cursor
hook install codex
hook install gemini
hook install copilot
hook install git
hook status
hook run claude <{start}
hook run claude <{prompt}
hook run claude <{prompt}
hook run nobody <{prompt}
hook uninstall claude
hook uninstall cursor
hook uninstall git
cache --json
cache --clear
check
status"""
VOLATILE = (
    (re.compile(r"\b\d+(?:\.\d+)?(?:ms| ms| s\b| seconds)"), "<time>"),
    (re.compile(r'("(?:seconds|ms|latency_ms|elapsed_ms|bytes)": )[\d.]+'), r"\1<figure>"),
    (re.compile(r"\d[\d.,]* ?(?:KB|MB|KiB|MiB|bytes)\b"), "<size>"),
    (re.compile(r'("planner_ms": )[\d.]+'), r"\1<figure>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d-\d{4,6}\b"), "<stamp>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?"), "<moment>"),
    (re.compile(r"\b[0-9a-f]{16,64}\b"), "<digest>"),
)


def directories() -> Iterator[tuple[str, Path]]:
    """Yield the name and the place of each directory that has something to read."""
    for above in (ROOT / "fixtures", ROOT.parent / "shared" / "corpora"):
        for folder, names, files in os.walk(above):
            place = Path(folder)
            found = ".context" in names or set(files) & {*CONTEXT_FILES, *AUTHORED}
            if found and not place.name.startswith("."):
                names.clear()
                yield place.relative_to(above.parent).as_posix(), place


def record(checkout: Path) -> dict[str, str]:
    """Return what each command prints in each directory, by both."""
    out: dict[str, str] = {}
    for name, place in sorted(directories()):
        shutil.rmtree(PLACE, ignore_errors=True)
        shutil.copytree(place, PLACE / "project", symlinks=True)
        (PLACE / "home").mkdir()
        for command in (READING + "\n" + WRITING).splitlines():
            key = f"{name}: {command}"
            while key in out:  # the same again, of what has changed
                key += " (again)"
            out[key] = printed(command, checkout)
        print(f"{name}: {len(out)} outputs so far", file=sys.stderr, flush=True)
    return out


def printed(command: str, checkout: Path) -> str:
    """Return what ``command`` prints, with its exit code."""
    project = PLACE / "project"
    fields = {f"q{number}": f"'{text}'" for number, text in enumerate(QUERIES)}
    authored = next((name for name in AUTHORED if (project / name).exists()), "AGENTS.md")
    files = {"start": START, "prompt": PROMPT}
    for name, text in files.items():
        (PLACE / name).write_text(text)
    shell = command.format(
        **fields,
        authored=authored,
        transcript=ROOT / "fixtures" / "transcripts" / "claude-code.jsonl",
        **{name: PLACE / name for name in files},
    )
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(PLACE / "home"),
        "PYTHONPATH": str(checkout),
        "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(  # what is run stands above
        ["bash", "-c", f'exec "$0" -m ctx {shell}', sys.executable],
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    parts = (done.stdout, done.stderr)
    text = "\n-- stderr\n".join(part.decode(errors="replace") for part in parts)
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    return f"{text}\n-- exit {done.returncode}"


def compare(before: dict[str, str], after: dict[str, str]) -> int:
    """Print what differs; return how many outputs do."""
    different = 0
    for key in sorted({*before, *after}):
        old, new = before.get(key, "(not recorded)"), after.get(key, "(not recorded)")
        if old != new:
            different += 1
            print(f"=== {key}")
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
            print("\n".join(list(lines)[2:40]))
    print(f"{different} of {len({*before, *after})} outputs differ")
    return different


def main() -> int:
    """Return 0 where a record was made, or two are the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chore", choices=("record", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    options = parser.parse_args()
    if options.chore == "record":
        (target,) = options.files
        target.write_text(json.dumps(record(options.checkout.resolve()), indent=1))
        return 0
    before, after = (json.loads(path.read_text()) for path in options.files)
    return bool(compare(before, after))


if __name__ == "__main__":
    raise SystemExit(main())
