"""How well, and how fast, the deontic reader tells rules from prose.

    python -m benchmarks.deontic [--data FILE…] [--language CODE…] [--figures] [--linear] [--json]

FILE is JSON: a list of objects with ``name``, ``text`` and ``rule`` (true or false), perhaps
``language`` (``en`` where it is missing); without one it is ``deontic.json`` beside this script,
whose texts were written and labelled by somebody who had not seen the reader. Printed are, for
each file, precision, recall, F1, both error rates, and every text that is misread, unless only
``--figures`` are asked for. ``--linear`` times generated text of 1.25 to 10 MB; the ratio is that
of time a byte, largest to smallest, so linear time shows as about 1.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ctx.read.authored.deontic.reading import read

OWN = Path(__file__).with_name("deontic.json")
SIZES = (1_250_000, 2_500_000, 5_000_000, 10_000_000)  # bytes
PROSE = (
    "The parser reads one file at a time. If you change the schema, run the migration tests. "
    "Nobody remembers why the queue is called `kiln` (it was a joke). Agents must not push to "
    "the release branch, and every commit shall carry a ticket number. "
)
KINDS = {
    "prose": PROSE,
    "no full stop": PROSE.replace(".", "").lower(),
    "if": "if ",
    "you": "you ",
    "not": "not ",
    "fences": "``` ",
    "ticks": "`",
    "quotes": '"a ',
    "open quotes": "“",
    "brackets": "(",
    "full stops": ".",
    "dashes": "-",
    "white space": " ",
    "line ends": "\n ",
    "one word": "a-",
}


class Misread(NamedTuple):
    """A text that was read otherwise than it is labelled."""

    name: str
    text: str
    expected: bool


class Figures(NamedTuple):
    """How well a labelled set was read."""

    precision: float
    recall: float
    f1: float
    false_positive_rate: float
    """Of the texts that are no rules, the share that was called one."""
    false_negative_rate: float
    """Of the rules, the share that was missed."""
    rules: int
    others: int
    misread: list[Misread]


class Speed(NamedTuple):
    """What reading one kind of text costs."""

    kind: str
    seconds: list[float]
    """One for each of ``SIZES``."""
    ratio: float
    """Time a byte of the largest text, in that of the smallest."""


def main() -> int:
    """Measure what was asked for and print it; return 0."""
    options = _options()
    for path in options.data:
        samples = json.loads(path.read_text("utf-8"))
        figures = _figures(
            [one for one in samples if one.get("language", "en") in options.language]
        )
        if len(options.data) > 1 and not options.json:
            print(f"# {path.name}")
        shown = figures._replace(misread=[]) if options.figures else figures
        _print_figures(shown, as_json=options.json)
    if options.linear:
        _print_speeds((_speed(kind, unit) for kind, unit in KINDS.items()), as_json=options.json)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", default=[OWN], help="labelled texts")
    parser.add_argument("--language", nargs="+", default=["en", "other"], help="only these")
    parser.add_argument("--figures", action="store_true", help="no misread texts")
    parser.add_argument("--linear", action="store_true", help="time generated text")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return parser.parse_args()


def _figures(samples: list[dict[str, str | bool]]) -> Figures:
    counts = {(said, rule): 0 for said in (True, False) for rule in (True, False)}
    misread = []
    for sample in samples:
        said, rule = bool(read(str(sample["text"])).instructions), bool(sample["rule"])
        counts[said, rule] += 1
        if said != rule:
            misread.append(Misread(str(sample["name"]), str(sample["text"]), rule))
    hits, alarms, missed = counts[True, True], counts[True, False], counts[False, True]
    rules, others = hits + missed, alarms + counts[False, False]
    return Figures(
        _share(hits, hits + alarms),
        _share(hits, rules),
        _share(2 * hits, 2 * hits + alarms + missed),
        _share(alarms, others),
        _share(missed, rules),
        rules,
        others,
        misread,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _print_figures(figures: Figures, *, as_json: bool) -> None:
    if as_json:
        misread = [one._asdict() for one in figures.misread]
        print(json.dumps({**figures._asdict(), "misread": misread}))
        return
    for name, value in zip(Figures._fields[:-1], figures[:-1], strict=True):
        print(f"{name.replace('_', ' '):22}{value:8.4g}")
    for one in figures.misread:
        print(f"{'missed rule' if one.expected else 'false alarm'}  {one.name}: {one.text}")


def _speed(kind: str, unit: str) -> Speed:
    seconds = [_seconds(unit * (size // len(unit))) for size in SIZES]
    ratio = (seconds[-1] / SIZES[-1]) / (seconds[0] / SIZES[0])
    return Speed(kind, seconds, ratio)


def _seconds(text: str) -> float:
    start = time.perf_counter()
    read(text)
    return time.perf_counter() - start


def _print_speeds(speeds: Iterable[Speed], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"bytes": SIZES, "speeds": [one._asdict() for one in speeds]}))
        return
    print(f"{'seconds for':14}{''.join(f'{size / 1e6:7g} MB' for size in SIZES)}{'ratio':>8}")
    for one in speeds:
        print(
            f"{one.kind:14}{''.join(f'{took:10.2f}' for took in one.seconds)}{one.ratio:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    raise SystemExit(main())
