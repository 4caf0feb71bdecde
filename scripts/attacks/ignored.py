"""``.gitignore``: every pattern against every name, as ctx reads them and as git does."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.text.ignored import Rules
from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CLASSES = (
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit", "nope", "",
)  # fmt: skip
PATTERNS = (
    "[z-a]", "[z-a]*", "x[z-a]", "[9-0]", "*[z-a]*", "[^a]*", "[!a]*", "[a", "[a-", "[]-a]", "[]]",
    "[!]]", "[a-]", "[-a]", r"[\]]", r"[\d]", r"[a\-z]", r"[\a-\c]", "[a-c-e]", "[--0]", "[!!]",
    "[^^]", "[[]", "[[]]", "[[a]", "[a&&b]", "[a--b]", "[a||b]", "[a~~b]", "[[.a.]]", "[[=a=]]",
    "[[:digit:]", "[:digit:]", "[[:digit]]", "[a[:digit:]b]", "[[:upper:]][[:lower:]]",
    "[![:digit:]]*", "[é]", "[à-ü]", "é", "?", "??", "a?b", "*", "*a*b", "**", "***", "a**b", "**a",
    "**/a", "a/**", "a/**/b", "D/**/c", "**/b/c", "/**", "/*", "*/", "!*/", "*/b", "/a", "D/",
    "/D/", "D/b/", "/D/*/c", "D//b", ".", "..", "./a", "/", "//", "\\", r"\a", r"\!a", "!a", r"\#a",
    "#a", r"a\ ", "a  ", " a", "a\r", r"\*", r"\?", r"[\\]", "*.[oa]", "*.py/", "{a,b}", "(a)",
    "a+", "^a", "a$", "$", "~", "|", "\xa0", "à", "a\xa0",
)  # fmt: skip
NAMES = (
    "a", "b", "c", "z", "1", "12", "9z", "ax", "Ab", "AB", "a.py", "f.o", "f.a", "x", "xq", "a b",
    "a ", " a", "#a", "!a", "*", "?", "a*b", "axb", "a?b", "\\", "[", "]", "[a", "[a-", "a-", "-",
    "^", "^a", "$", "a$", "~", "{a,b}", "(a)", "a+", "é", "ü", "à", "\xa0", "a\xa0", "\t", "\x01",
    "_a", "foo", "&", "|", "=", "[z-a]", "[[:nope:]]", "[:digit:]", "a[", "D/a", "D/b/a", "D/b/c/a",
    "D/b/c/c", "dir/1/a", "dir/a.py",
)  # fmt: skip
MADE = 20_000  # patterns made of pieces, in a full run
_PIECES = (
    "a", "b", "D", "1", "/", "*", "**", "?", "[", "]", "!", "^", "-", "\\", " ", ".", "[a-c]", "[:",
    "[[:digit:]]", "é", "#",
)  # fmt: skip


def attack(*, full: bool) -> Iterator[Result]:
    """Yield what ctx and git make of patterns that people write, and of some that nobody does."""
    named = [f"[[:{name}:]]" for name in CLASSES] + [f"*[![:{name}:]_]" for name in CLASSES]
    yield _compared("patterns that people write, and odd ones", [*PATTERNS, *named])
    chance = random.Random(34)  # noqa: S311 - the same patterns each time
    made = [
        "".join(chance.choices(_PIECES, k=chance.randint(1, 6)))
        for _ in range(MADE if full else 300)
    ]
    yield _compared("patterns made of pieces by chance", made)
    pairs = ["\n".join(pair) for pair in itertools.product(("*", "D", "D/b"), ("!a", "!D/", "!b"))]
    yield _compared("lines that let in again", pairs)


def _compared(what: str, patterns: Sequence[str]) -> Result:
    failed = []
    with tempfile.TemporaryDirectory() as base, warnings.catch_warnings():
        warnings.simplefilter("error")
        subprocess.run(["git", "init", "-q", base], check=True)
        for name in NAMES:
            path = Path(base, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        folders = [f"{path.relative_to(base)}" for path in Path(base).glob("[Dd]*/**/")]
        names = [*NAMES, *folders]
        for pattern in patterns:
            data = pattern.encode() + b"\n"
            Path(base, ".gitignore").write_bytes(data)
            wanted = _of_git(base, names)
            try:
                rules = Rules(data)
            except Exception as error:  # noqa: BLE001 - a pattern that cannot be read is one line less
                failed.append(f"{pattern!r}: {error!r}")
                continue
            if rules.left and "**" in pattern:
                continue  # too slow to be tried, as the documents say
            failed += [
                f"{pattern!r} {name!r}: git {name in wanted}"
                for name in names
                if _ignores(base, rules, name) != (name in wanted)
            ]
    return Result(what, len(patterns) * len(names), tuple(failed))


def _ignores(base: str, rules: Rules, name: str) -> bool:
    """Return what a walk finds, which enters no folder that is ignored."""
    parts = name.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(
        rules.verdict(path, is_folder=os.path.isdir(os.path.join(base, path))) for path in above
    )


def _of_git(base: str, names: Sequence[str]) -> set[str]:
    done = subprocess.run(
        ["git", "-C", base, "check-ignore", "-z", "--no-index", "--stdin"],
        input="\0".join(names).encode(),
        capture_output=True,
        check=False,
    )
    return {*os.fsdecode(done.stdout).split("\0")} - {""}
