"""Whether the rules of certain files are found for them, and no others, in each dialect.

    python benchmarks/scoped.py --data DIRECTORY --project PROJECT [--json]

``dev.jsonl`` has the files of commits and the rules of ``--project`` that apply to them. The same
rules are written in four dialects, each as a project without a context directory, and asked for
commit by commit as ``ctx rules`` does: commits whose rules are found exactly, precision and recall
over pairs of commit and rule. ``cases.jsonl`` has single cases of the tools' own pages. Exit code 1
where anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctx.app.options import PacketOptions
from ctx.app.rules import rules_for
from ctx.app.workspace import Workspace
from ctx.read import frontmatter
from ctx.world import World

PLACES = {
    "claude": ".claude/rules/{}.md",
    "cursor": ".cursor/rules/{}.mdc",
    "copilot": ".github/instructions/{}.instructions.md",
    "kiro": ".kiro/steering/{}.md",
}
"""The file of a rule in each dialect."""


class Score(NamedTuple):
    """What was found for all commits in one dialect."""

    commits: int
    exact: int
    right: int
    """Pairs of commit and rule that are found and expected."""
    found: int
    expected: int

    @property
    def precision(self) -> float:
        """Share of what is found that is expected."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of what is expected that is found."""
        return self.right / self.expected if self.expected else 1.0


def head(dialect: str, patterns: Sequence[str], description: str = "") -> str:
    """Return the frontmatter of a rule for ``patterns``; of one that always applies without any."""
    joined = ",".join(patterns)
    lines = [f"description: {json.dumps(description)}"] if description else []
    if dialect == "claude":
        lines += ["paths:", *(f"  - {json.dumps(each)}" for each in patterns)] if patterns else []
    elif dialect == "cursor":
        lines += [f"globs: {', '.join(patterns)}", f"alwaysApply: {str(not patterns).lower()}"]
    elif dialect == "copilot":
        lines += [f"applyTo: '{joined or '**'}'"]
    elif patterns:
        lines += ["inclusion: fileMatch", f"fileMatchPattern: {json.dumps([*patterns])}"]
    return "".join(f"{line}\n" for line in ("---", *lines, "---")) if lines else ""


def write(project: Path, root: Path, dialect: str) -> None:
    """Write the rules of ``project`` in ``dialect`` below ``root``."""
    for file in sorted((project / ".claude" / "rules").glob("*.md")):
        parts = frontmatter.split(file.read_text(encoding="utf-8"))
        given = parts.front.extra.get("paths")
        patterns = [str(pattern) for pattern in given] if isinstance(given, list) else []
        about = str(parts.front.extra.get("description") or "")
        place = root / PLACES[dialect].format(file.stem)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head(dialect, patterns, about) + parts.text.lstrip("\n"), encoding="utf-8")


class Asked:
    """A project that is asked again and again for the rules of its files."""

    def __init__(self, root: Path) -> None:
        """Take the project's folder."""
        self.root = root

    def rules(self, paths: Sequence[str]) -> dict[str, tuple[str, bool]]:
        """Return by source the mode and the scoped rules that apply to ``paths``."""
        focus = [str(self.root / path) for path in paths]
        options = PacketOptions(focus=focus or None)
        # The world of each call: files that are as new as its clock are parsed again.
        found = rules_for(Workspace(options, World(), root=str(self.root / ".context")))
        return {rule.path.removeprefix("../"): (rule.mode, rule.scoped) for rule in found.rules}


def of_commits(data: Path, project: Path, dialect: str, most: int | None = None) -> Score:
    """Return the score of the first ``most`` commits in ``dialect``."""
    lines = (data / "dev.jsonl").read_text(encoding="utf-8").splitlines()[:most]
    commits = exact = right = found_ = expected_ = 0
    with tempfile.TemporaryDirectory() as folder:
        write(project, Path(folder), dialect)
        asked = Asked(Path(folder))
        for line in lines:
            commit = json.loads(line)
            names = (Path(rule).stem for rule in commit["rules"])
            expected = {PLACES[dialect].format(name) for name in names}
            rules = asked.rules(commit["paths"])
            always = {path for path, (_, scoped) in rules.items() if scoped}
            # `applyTo: '**'` is how Copilot writes a rule for all files.
            found = always - {PLACES["copilot"].format(name) for name in _unscoped(project)}
            commits, exact = commits + 1, exact + (found == expected)
            right += len(found & expected)
            found_, expected_ = found_ + len(found), expected_ + len(expected)
    return Score(commits, exact, right, found_, expected_)


def _unscoped(project: Path) -> Iterator[str]:
    for file in (project / ".claude" / "rules").glob("*.md"):
        if not frontmatter.split(file.read_text(encoding="utf-8")).front.extra.get("paths"):
            yield file.stem


def of_cases(file: Path) -> tuple[int, list[str]]:
    """Return how many cases a file has, and a line for each that is answered otherwise."""
    wrong = []
    cases = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            name = PLACES[case["dialect"]].format("rule")
            place = Path(folder) / name
            place.parent.mkdir(parents=True)
            front = f"---\n{case['frontmatter']}---\n" if case["frontmatter"] else ""
            place.write_text(f"{front}Never push to main.\n", encoding="utf-8")
            asked = Asked(Path(folder))
            found = asked.rules([case["path"]]).get(name)
            mode = found[0] if found else asked.rules([])[name][0]
            answer = "no" if mode == "match" and not found else mode
            if answer != case["expect"]:
                wrong.append(f"{answer} instead of {case['expect']}: {json.dumps(case)}")
    return len(cases), wrong


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="dev.jsonl and cases.jsonl")
    parser.add_argument("--project", type=Path, required=True, help="whose rules dev.jsonl names")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    scores = {dialect: of_commits(given.data, given.project, dialect) for dialect in PLACES}
    count, wrong = of_cases(given.data / "cases.jsonl")
    if given.json:
        figures = {
            dialect: {**score._asdict(), "precision": score.precision, "recall": score.recall}
            for dialect, score in scores.items()
        }
        print(json.dumps({"commits": figures, "cases": count, "wrong": wrong}, indent=1))
    else:
        for dialect, score in scores.items():
            print(
                f"{dialect:8} exact {score.exact} of {score.commits}"
                f"  precision {score.precision:.3f}  recall {score.recall:.3f}"
            )
        print(f"cases    right {count - len(wrong)} of {count}", *wrong, sep="\n")
    return int(bool(wrong) or any(score.exact < score.commits for score in scores.values()))


if __name__ == "__main__":
    sys.exit(main())
