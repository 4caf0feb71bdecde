"""Whether names are found by their parts, beginnings, other spellings and aliases.

    python benchmarks/names.py [--corpora PATH] [--half dev|held] [--misses] [--off-topic] [--json]
                               [--form NAME …]

Asks the labelled queries of ``names.json`` of copies of real directories and of the sample project.
Prints the share of queries whose first hit, or one of whose first three, matches what was
expected: a pattern that the title or the text of the entry holds. Nothing was fitted to queries
of the half ``held``. ``--form`` asks them in these forms too, ``sentence`` or one of ``forms.txt``,
and ends with exit code 1 where fewer than ``LEAST`` of all queries have the expected hit first.
``--misses`` lists no query of a form that is kept aside.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.forms import AS_ASKED, FILES, SENTENCE, forms, framed
from ctx.app.options import SearchOptions
from ctx.app.search import find_entries
from ctx.app.workspace import Workspace
from ctx.world import World

QUERIES = Path(__file__).with_name("names.json")
FIXTURES = Path(__file__).parent.parent / "fixtures"
COMPASS = "interop/languages-compass/templates/coding/compass/i18n"
CORPORA = {
    "activememory": ("activememory/.context", "*"),
    "adr-beis": ("interop/adr-beis/doc/architecture/decisions", "specs/*"),
    "compass": (COMPASS, "specs/*"),
}
"""Where a directory is below the corpora, and below which folder its documents are put."""
DAY = "2026-06-30"
LEAST = {AS_ASKED: 0.95, **dict.fromkeys((SENTENCE, *forms()), 0.93)}
"""The least share of queries, plain and in each form, whose first hit is expected."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    parser.add_argument("--half", choices=("dev", "held"), help="only these queries")
    parser.add_argument("--misses", action="store_true", help="list queries of dev without a hit")
    parser.add_argument("--off-topic", action="store_true", help="count corrections of others")
    parser.add_argument(
        "--form", nargs="+", choices=[SENTENCE, *forms()], default=[], help="in these, too"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    ranks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    whole: dict[str, list[int]] = defaultdict(list)
    halves = [options.half] if options.half else ["dev", "held"]
    with tempfile.TemporaryDirectory() as folder:
        if options.off_topic:
            return _off_topic(_directory({"dir": "activememory"}, Path(folder), options.corpora))
        for row in json.loads(QUERIES.read_text(encoding="utf-8")):
            half = row["half"]
            for form in (AS_ASKED, *options.form) if half in halves else ():
                rank = _rank(row, _directory(row, Path(folder), options.corpora), form)
                whole[form].append(rank)
                is_aside = half == "held" or (form in forms() and forms()[form].held)
                if options.misses and not is_aside and rank > 1:
                    expected = f"{row['query']!r} expects {row['expected']!r}: rank {rank}"
                    print(f"{form}, {row['dir']}: {expected}")
                if form == AS_ASKED:
                    ranks[half][row["group"]].append(rank)
                    ranks[half]["all"].append(rank)
    code = int(bool(options.form) and any(_share(whole[name], 1) < LEAST[name] for name in whole))
    figures = {
        half: {
            group: {f"hit@{most}": _share(found_at, most) for most in (1, 3)}
            | {"queries": len(found_at)}
            for group, found_at in ranks[half].items()
        }
        for half in halves
    }
    if options.form:
        figures["in forms"] = {
            form: {f"hit@{most}": _share(found_at, most) for most in (1, 3)}
            | {"queries": len(found_at)}
            for form, found_at in whole.items()
        }
    if options.json:
        print(json.dumps(figures, indent=1))
        return code
    for half, groups in figures.items():
        print(f"{half:12}{'queries':>8}{'hit@1':>8}{'hit@3':>8}")
        for group, row in groups.items():
            print(f"  {group:10}{row['queries']:8}{row['hit@1']:8.2f}{row['hit@3']:8.2f}")
    return code


def _off_topic(root: Path) -> int:
    """Print in how many questions about other subjects a word is corrected."""
    questions = QUERIES.with_name("off-topic.txt").read_text(encoding="utf-8").splitlines()
    corrected = sum("corrections" in _results(question, root) for question in questions)
    print(f"a word is corrected in {corrected} of {len(questions)} questions")
    return 0


def _share(ranks: list[int], most: int) -> float:
    return sum(rank <= most for rank in ranks) / len(ranks)


def _directory(row: dict[str, object], folder: Path, corpora: Path) -> Path:
    """Return a copy of the directory that a query is asked of, with the files that it writes."""
    name, more = str(row["dir"]), row.get("write", {})
    root = folder / f"{name}-{abs(hash(str(more)))}" / ".context"
    if root.exists():
        return root
    if name in CORPORA:
        place, target = CORPORA[name]
        for path in sorted((corpora / place).rglob("*.md")):
            kept = root / target.replace("*", str(path.relative_to(corpora / place)))
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
    else:
        shutil.copytree(FIXTURES / name, root.parent)
    for file, text in dict(more).items():  # type: ignore[call-overload]
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return root


def _rank(row: dict[str, object], root: Path, form: str = AS_ASKED) -> int:
    """Return the place of the first expected hit, from 1; 99 without one."""
    results = _results(framed(form, str(row["query"]), FILES[str(row["dir"])]), root)
    expected = re.compile(str(row["expected"]), re.IGNORECASE)
    texts = [f"{hit['source']}\n{hit['title']}\n{hit['text']}" for hit in results["results"]]
    return next((at for at, text in enumerate(texts, 1) if expected.search(text)), 99)


def _results(query: str, root: Path) -> dict[str, Any]:
    given = SearchOptions(query=query, as_of=DAY, format="json", budget="200000", limit="10")
    results: dict[str, Any] = json.loads(
        find_entries(given, Workspace(given, World(), root=str(root))).text
    )
    return results


if __name__ == "__main__":
    sys.exit(main())
