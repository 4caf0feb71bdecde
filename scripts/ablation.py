"""What each function of the reader of rules is worth on labelled texts.

    python scripts/ablation.py [--data FILE …] [--without NAME …]

Each function that answers yes or no, or finds a rule, is switched off in turn; printed are, for
each FILE (JSON as in ``benchmarks/deontic.py``; by default those of ``benchmarks/``), how many
texts are then read right that were wrong, less those read wrong that were right: a function above
zero does harm. ``--without`` switches off several functions together and prints F1 before and
after.
"""

from __future__ import annotations

import argparse
import inspect
import json
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.read.authored.deontic.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, FunctionType

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
FILES = [
    BENCHMARKS / f"{name}.json"
    for name in ("deontic", "deontic-interop-dev", "deontic-interop-held-out")
]
MODULES = ("clause", "commands", "duties", "labels", "reading")
ANSWERS = ("bool", "Found | None", "Modality | None")
"""Types of results of which one, no, is the same as if the function were not there."""
Texts = list[tuple[str, bool]]


def functions() -> dict[str, FunctionType]:
    """Return the functions that can be switched off, by module and name."""
    found: dict[str, FunctionType] = {}
    for name in MODULES:
        module = import_module(f"ctx.read.authored.deontic.{name}")
        for called, function in inspect.getmembers(module, inspect.isfunction):
            annotation = function.__annotations__.get("return")
            if function.__module__ == module.__name__ and _shown(annotation) in ANSWERS:
                found[f"{name}.{called}"] = function
    return found


def _shown(annotation: object) -> str:
    """Return a type as code writes it, without its modules."""
    text = str(getattr(annotation, "__name__", annotation))
    return "Found | None" if text.endswith("Found | None") else text


def _nothing(*_given: object, **_named: object) -> None:
    """Take the place of a function that finds a rule."""


def _no(*_given: object, **_named: object) -> bool:
    """Take the place of a function that answers yes or no."""
    return False


@contextmanager
def off(*switched: FunctionType) -> Iterator[None]:
    """Have functions find nothing, wherever they are called from."""
    codes: list[CodeType] = [function.__code__ for function in switched]
    for function in switched:
        is_question = _shown(function.__annotations__["return"]) == "bool"
        function.__code__ = (_no if is_question else _nothing).__code__
    try:
        yield
    finally:
        for function, code in zip(switched, codes, strict=True):
            function.__code__ = code


def answers(texts: Texts) -> list[bool]:
    """Return of each text whether it is read as it is labelled."""
    return [bool(read(text).instructions) == rule for text, rule in texts]


def f1(texts: Texts) -> float:
    """Return the harmonic mean of precision and recall of the rules."""
    right = answers(texts)
    hits = sum(ok and rule for ok, (_, rule) in zip(right, texts, strict=True))
    return 2 * hits / (2 * hits + right.count(False)) if hits else 0.0


def loaded(path: Path) -> Texts:
    """Return the English texts of a file, with their labels."""
    return [
        (each["text"], each["rule"])
        for each in json.loads(path.read_text(encoding="utf-8"))
        if each.get("language", "en") == "en"
    ]


def lines(function: Callable[..., object]) -> int:
    """Return how long a function is."""
    return len(inspect.getsource(function).splitlines())


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, or F1 without some functions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", type=Path, default=FILES, metavar="FILE")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME")
    given = parser.parse_args(argv)
    sets = {path.stem: loaded(path) for path in given.data}
    every = functions()
    if given.without:
        before = {name: f1(texts) for name, texts in sets.items()}
        with off(*(every[name] for name in given.without)):
            for name, texts in sets.items():
                print(f"{name}: F1 {before[name]:.4f} -> {f1(texts):.4f}")
        print(f"{sum(lines(every[name]) for name in given.without)} lines")
        return 0
    right = {name: answers(texts) for name, texts in sets.items()}
    print(f"| function | lines | {' | '.join(sets)} |\n|---|---|{'---|' * len(sets)}")
    for name, function in every.items():
        row = []
        with off(function):
            for stem, texts in sets.items():
                row.append(sum(answers(texts)) - sum(right[stem]))
        print(f"| {name} | {lines(function)} | {' | '.join(f'{each:+}' for each in row)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
