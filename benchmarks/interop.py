"""What ctx makes of real repositories: status, a packet, a question and a check of each.

    python benchmarks/interop.py [--corpora ../shared/corpora/interop] [--budget 4000] [TREE ...]

Each tree is copied into a new git repository. A row has: exit codes of ``ctx status``, ``ctx
agent``, ``ctx search`` and ``ctx check`` (1 where it finds something, 4 where there is nothing to
read), files of each source, required rules, guidelines, tasks, decisions and background entries of
the packet, its tokens by both counters, and findings. With names of trees their packets are
printed, too. Exit code 1 where a call fails, or a packet is over its budget.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ctx.text.tokens import counter

QUERY = "how are tests run"
COLUMNS = (
    "tree", "exits", "sources", "rules", "guidelines", "tasks", "decisions", "background",
    "heuristic", "o200k", "findings",
)  # fmt: skip
SECTIONS = ("constitution", "conventions", "tasks", "decisions", "lore")


def main() -> int:
    """Ask every tree, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora/interop"))
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("trees", nargs="*", metavar="TREE")
    options = parser.parse_args()
    every = sorted(path.name for path in options.corpora.iterdir() if path.is_dir())
    print(" ".join(COLUMNS))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in options.trees or every:
            tree = Path(folder, name)
            shutil.copytree(options.corpora / name, tree, symlinks=True)
            subprocess.run(["git", "init", "-q", tree], check=True)
            failed |= _row(tree, options.budget, show=bool(options.trees))
    return int(failed)


def _row(tree: Path, budget: int, *, show: bool) -> bool:
    """Print what a tree gives; return whether a call failed."""
    limit = ("--budget", str(budget), "--as-of", "2026-11-20")
    status = _ctx(tree, "status", "--json")
    packet = _ctx(tree, "agent", "--format", "json", *limit)
    text = _ctx(tree, "agent", *limit)
    exact = _ctx(tree, "agent", "--tokenizer", "o200k", *limit)
    found = _ctx(tree, "search", QUERY)
    check = _ctx(tree, "check", "--json")
    held, seen, checked = (json.loads(each.stdout or "{}") for each in (packet, status, check))
    sources = [f"{each['name'] or '.context'}:{each['files']}" for each in seen.get("sources", ())]
    findings = Counter(each["rule"] for each in checked.get("findings", ()))
    tokens = [counter("heuristic").count(text.stdout), counter("o200k").count(exact.stdout)]
    exits = [each.returncode for each in (status, text, found, check)]
    print(
        tree.name, ",".join(map(str, exits)), ",".join(sources) or "-",
        *(len(held.get(section, ())) for section in SECTIONS), *tokens,
        ",".join(f"{name}:{count}" for name, count in findings.items()) or "-",
    )  # fmt: skip
    if show:
        print(text.stdout, text.stderr, found.stdout, sep="\n")
    is_empty = exits == [4] * len(exits)
    return not is_empty and (exits[:3] != [0, 0, 0] or exits[3] > 1 or max(tokens) > budget)


def _ctx(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ctx", *arguments]
    environ = {**os.environ, "CTX_NO_CACHE": "1", "CTX_GLOBAL_DIR": "none"}
    return subprocess.run(
        command, cwd=tree, env=environ, capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    sys.exit(main())
