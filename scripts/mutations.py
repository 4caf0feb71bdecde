"""Change the program in many small ways, and count the changes that the tests notice.

    python scripts/mutations.py pick mutants.json
    python scripts/mutations.py run mutants.json result.json --coverage .coverage
    python scripts/mutations.py compare before.json after.json

A mutant is a line of ctx/ that occurs once, and its changed form. It is found by its text, so two
versions of the program and of its tests can be compared on the mutants that both have; with
``--checkout`` the other one is run. Which tests run a line is read from a record made by pytest-cov
(which has to be installed):

    python -m pytest --cov=ctx --cov-context=test --cov-report=

Of these tests one for each function runs first, then others, for 60 seconds at most. A mutant is
caught if a test fails.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60
MOST_TESTS = 120
SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(TypedDict):
    """A line of the program and what it is changed to."""

    room: str
    line: str
    changed: str


def changes(line: str) -> Iterator[str]:
    """Yield ``line`` (a statement, or the head of one) with one operator or value changed."""
    for text in (line, f"{line} pass"):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        source = line.encode()
        for node in ast.walk(tree):
            if (found := _operator(node, source) or _value(node)) is not None:
                start, end, new = found
                yield source[:start].decode() + new + source[end:].decode()
        return


def _operator(node: ast.AST, source: bytes) -> tuple[int, int, str] | None:
    """Return where an operator is and what replaces it, with the brackets around it."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            pass
        case ast.BoolOp(op=operator, values=[left, right, *_]):
            pass
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPPED:
            pass
        case _:
            return None
    start, end = left.end_col_offset or 0, right.col_offset
    between = source[start:end].decode()
    new = f" {SWAPPED[type(operator)]} "
    return start, end, ")" * between.count(")") + new + "(" * between.count("(")


def _value(node: ast.AST) -> tuple[int, int, str] | None:
    """Return where a value or a condition is and what replaces it."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return node.col_offset, operand.col_offset, ""
        case ast.Constant(value=bool(value)):
            return node.col_offset, node.end_col_offset or 0, str(not value)
        case ast.Constant(value=int(value)):
            return node.col_offset, node.end_col_offset or 0, str(value + 1)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            return value.col_offset, value.end_col_offset or 0, "None"
        case ast.If(test=test) | ast.While(test=test):
            return test.col_offset, test.end_col_offset or 0, f"not ({ast.unparse(test)})"
        case _:
            return None


def lines_of(checkout: Path) -> dict[str, tuple[Path, int]]:
    """Return file and number of each line of code that occurs once in ctx/, by its text."""
    where: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in sorted((checkout / "ctx").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        documents = {
            number
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            for number in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if not (number in documents or line.startswith(("#", "import ", "from ", "def ", "@"))):
                where[line].append((path.relative_to(checkout), number))
    return {line: places[0] for line, places in where.items() if len(places) == 1}


def pick(checkout: Path, per_room: int, seed: int) -> list[Mutant]:
    """Return mutants of each room, a line at most once; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    rooms: defaultdict[str, list[Mutant]] = defaultdict(list)
    for line, (path, _) in lines_of(checkout).items():
        room = path.parts[1].removesuffix(".py")
        if mutants := [Mutant(room=room, line=line, changed=new) for new in changes(line)]:
            rooms[room].append(chance.choice(mutants))
    for mutants in rooms.values():
        chance.shuffle(mutants)
    return [mutant for room in sorted(rooms) for mutant in rooms[room][:per_room]]


def tests_of(coverage: Path) -> dict[tuple[str, int], list[str]]:
    """Return the tests that run each line, by its file and number."""
    from coverage import CoverageData

    data = CoverageData(str(coverage))
    data.read()
    return {
        ("ctx/" + file.rpartition("/ctx/")[2], number): sorted(
            {name.rpartition("|")[0] for name in contexts if "|" in name}
        )
        for file in data.measured_files()
        for number, contexts in data.contexts_by_lineno(file).items()
    }


def chosen(tests: list[str]) -> list[str]:
    """Return the tests to run: one of each function first."""
    chance = random.Random(len(tests))  # noqa: S311 - as above
    shuffled = chance.sample(tests, len(tests))
    first = {test.partition("[")[0]: test for test in shuffled}
    others = [test for test in shuffled if test not in set(first.values())]
    return [*first.values(), *others][:MOST_TESTS]


def is_caught(copy: Path, place: tuple[Path, int], mutant: Mutant, tests: list[str]) -> bool:
    """Return whether a test fails once the line is changed in ``copy``."""
    file, number = copy / place[0], place[1]
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[number - 1] = lines[number - 1].replace(mutant["line"], mutant["changed"])
    ast.parse("\n".join(lines))
    file.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environ = {**os.environ, "PYTHONPATH": str(copy)}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environ, check=False, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return False
    else:
        if done.returncode not in (0, 1, 2, 3):  # 2 and 3: the change broke the import of a test
            raise SystemExit(f"pytest could not run {tests[0]} …: {done.stdout.decode()[-300:]}")
        return done.returncode != 0
    finally:
        file.write_text(text, encoding="utf-8")


def run(mutants: list[Mutant], checkout: Path, coverage: Path, result: Path) -> None:
    """Try each mutant that the checkout has, and write to ``result`` which were caught."""
    where, tests = lines_of(checkout), tests_of(coverage)
    results: dict[str, str] = json.loads(result.read_text()) if result.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".venv", ".git"))
        # Tests of shared data have the names that the record has only where these data are.
        if (shared := checkout.parent / "shared").is_dir():
            (copy.parent / "shared").symlink_to(shared)
        for mutant in mutants:
            key = f"{mutant['room']}: {mutant['line']} -> {mutant['changed']}"
            if key in results or (place := where.get(mutant["line"])) is None:
                continue
            names = chosen(tests.get((place[0].as_posix(), place[1]), []))
            try:
                caught = bool(names) and is_caught(copy, place, mutant, names)
            except SyntaxError:  # a head of a statement over several lines
                continue
            results[key] = "caught" if caught else "survived" if names else "not covered"
            result.write_text(json.dumps(results, indent=1), encoding="utf-8")
            print(f"{results[key]:12}{key}", flush=True)


def compare(before: Path, after: Path) -> None:
    """Print the share of mutants caught in each room, of those that both results have."""
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    rooms: defaultdict[str, list[str]] = defaultdict(list)
    for key in sorted(old.keys() & new.keys()):
        rooms[key.partition(":")[0]].append(key)
    print("room        mutants  before  after")
    for room, keys in sorted(rooms.items()):
        shares = [sum(side[key] == "caught" for key in keys) / len(keys) for side in (old, new)]
        print(f"{room:12}{len(keys):7}{shares[0]:8.0%}{shares[1]:7.0%}")


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["pick", "run", "compare"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--per-room", type=int, default=30)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--coverage", type=Path, default=Path(".coverage"))
    options = parser.parse_intermixed_args()
    checkout = options.checkout.resolve()
    match options.what:
        case "pick":
            picked = pick(checkout, options.per_room, options.seed)
            options.files[0].write_text(json.dumps(picked, indent=1), encoding="utf-8")
            print(Counter(mutant["room"] for mutant in picked))
        case "run":
            mutants = json.loads(options.files[0].read_text(encoding="utf-8"))
            run(mutants, checkout, options.coverage, options.files[1])
        case _:
            compare(*options.files)


if __name__ == "__main__":
    main()
