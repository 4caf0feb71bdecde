"""Train the model that finds standing instructions, and write ``ctx/read/instructing/weights.bin``.

    python benchmarks/train_instructing.py [--check] [--real FOLDER] [--dev forms-dev.jsonl]

Learns from the rows of ``benchmarks/talk`` that are marked ``fit``, and from sentences filled into
the forms of ``forms.txt``: a logistic regression, the same on each run. Prints what it finds in the
rows that are kept aside at several logits; with ``--real`` also how many sentences a thousand turns
of real sessions (``real_talk.py``) it takes. ``--check`` trains nothing. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.real_talk import people
from ctx.read.instructing import model
from ctx.read.instructing.reader import LONGEST, instructions, read
from ctx.read.instructing.register import LEAST

TALK = Path(__file__).parent / "talk"
WEIGHTS = Path(model.__file__).parent / "weights.bin"
CORE = ("obligation", "prohibition", "preference", "process")
TIMES, TASKS = 5, 400  # how often each form is filled in; turns of today, twice in English
SIZES, MIXED = (1, 1, 2, 2, 3, 4, 6), 0.2  # sentences of such a turn; how many hold a rule
MADE, L2, STEPS = 0.17, 0.7, 120
LOGITS = (0.0, 0.4, 0.8, 1.2, 1.6, 2.0)


def rows() -> list[dict[str, Any]]:
    """Return the labelled rows."""
    return [
        json.loads(line)
        for path in sorted(TALK.glob("rows-*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]


def made() -> list[dict[str, Any]]:  # noqa: C901 - a loop for each kind of form
    """Return rows made of forms: an instruction alone, beside a task, and what is none."""
    chance = random.Random(11)
    held: dict[str, list[str]] = {}
    for line in (TALK / "forms.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            head, _, forms = line.partition(": ")
            held[head] = forms.split("|")
    found: list[dict[str, Any]] = []

    def fill(form: str, names: list[str]) -> str:
        one, two = chance.sample(names, 2)
        return form.replace("{a}", one).replace("{b}", two)

    for language in dict.fromkeys(head.split()[0] for head in held):
        tasks, things = held[f"{language} task"], held[f"{language} things"]
        topics = held[f"{language} topics"]
        gap = "。" if language in ("zh", "ja") else ". "
        for form in held[f"{language} +"] * TIMES:
            text = span = fill(form, topics)
            if chance.random() < 0.45:
                task, between = (
                    fill(chance.choice(tasks), things),
                    chance.choice([gap, gap, "\n", ", "]),
                )
                text = (
                    f"{task}{between}{span}" if chance.random() < 0.6 else f"{span}{between}{task}"
                )
            found.append({"text": text, "spans": [{"text": span}]})
        found += [
            {"text": fill(form, topics), "spans": []} for form in held[f"{language} -"] * TIMES
        ]
        for tail in held[f"{language} tails"]:
            for opening in chance.sample(held[f"{language} before"], 6):
                text = f"{opening}{tail}" + chance.choice(["", ".", "!"])
                found.append({"text": text, "spans": [{"text": text}]})
            found += [{"text": f"{lead}{tail}", "spans": []} for lead in ("", "ok, ")]
        works = held[f"{language} works"]
        plain = [(form, things) for form in tasks] + [
            (form, works) for form in held[f"{language} work"]
        ]
        asked = [(form, topics) for form in held[f"{language} +"]]
        for number in range(TASKS * (2 if language == "en" else 1)):
            # Most sentences of a turn are of today, wherever they stand; few turns hold a rule.
            size = chance.choice(SIZES)
            some = [fill(*plain[(number * 7 + more) % len(plain)]) for more in range(size)]
            spans: list[dict[str, str]] = []
            if chance.random() < MIXED:
                span = fill(*chance.choice(asked))
                some.insert(chance.randrange(len(some) + 1), span)
                spans = [{"text": span}]
            text = some[0]
            for one in some[1:]:
                text += chance.choice([gap, gap, "\n", ", " if not spans else gap]) + one
            found.append({"text": text, "spans": spans})
    return found


def is_instruction(
    text: str, start: int, end: int, spans: list[dict[str, str]], *, clause: bool
) -> bool:
    """Whether a sentence or clause is what a row labels as an instruction."""
    for span in spans:
        at = text.find(span["text"])
        shared = min(end, at + len(span["text"])) - max(start, at)
        if shared >= 0.6 * (end - start) or (not clause and shared >= 0.5 * len(span["text"])):
            return True
    return False


def matrix(found: list[model.Features]) -> tuple[Any, Any, Any]:
    """Return row, column and value of what is not 0."""
    at: list[int] = []
    slots: list[int] = []
    values: list[float] = []
    for row, one in enumerate(found):
        share = model.share(len(one.lexical))
        slots += [model.slot(each) for each in (*sorted(one.dense), *sorted(one.lexical))]
        values += [1.0] * len(one.dense) + [share] * len(one.lexical)
        at += [row] * (len(one.dense) + len(one.lexical))
    return np.array(at), np.array(slots), np.array(values)


def train(
    found: list[model.Features], labels: list[bool], importance: list[float]
) -> tuple[float, Any]:
    """Return the bias and weights that explain the labels best (L-BFGS, weights kept small)."""
    at, slots, values = matrix(found)
    truth, counts = np.array(labels), np.array(importance)
    size = 1 << model.BITS

    def loss(point: Any) -> tuple[float, Any]:  # noqa: ANN401 - an array of numpy
        weights, bias = point[:-1], point[-1]
        z = np.bincount(at, values * weights[slots], len(found)) + bias
        signed = np.where(truth, z, -z)
        wrong = counts * (1 / (1 + np.exp(np.clip(signed, -30, 30))))
        pull = np.where(truth, -wrong, wrong)
        slope = np.bincount(slots, values * pull[at], size) + L2 * weights
        total = (counts * np.logaddexp(0, -signed)).sum() + L2 / 2 * (weights @ weights)
        return float(total), np.append(slope, pull.sum())

    point = np.zeros(size + 1)
    value, slope = loss(point)
    steps: list[tuple[Any, Any]] = []
    for _ in range(STEPS):
        way = slope.copy()
        kept = []
        for moved, turned in reversed(steps):
            factor = (moved @ way) / (moved @ turned)
            way -= factor * turned
            kept.append(factor)
        if steps:
            moved, turned = steps[-1]
            way *= (moved @ turned) / (turned @ turned)
        for (moved, turned), factor in zip(steps, reversed(kept), strict=True):
            way += moved * (factor - (turned @ way) / (moved @ turned))
        length = 1.0 if steps else 1 / max(1.0, float(np.abs(slope).sum()))
        while True:
            new = point - length * way
            new_value, new_slope = loss(new)
            if new_value <= value - 1e-4 * length * float(slope @ way) or length < 1e-9:
                break
            length /= 2
        if (new - point) @ (new_slope - slope) > 1e-10:
            steps = [*steps[-9:], (new - point, new_slope - slope)]
        is_done = value - new_value < 1e-5 * value
        point, value, slope = new, new_value, new_slope
        if is_done:
            break
    return float(point[-1]), point[:-1]


def main() -> int:
    """Train, write and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only print what the weights find")
    parser.add_argument("--real", type=Path, help="folder of real sessions (real_talk.py)")
    parser.add_argument("--dev", type=Path, help="further labelled rows, never learned from")
    asked = parser.parse_args()
    every = rows()
    if not asked.check:
        fit = [row for row in every if row["part"] == "fit"]
        found: list[model.Features] = []
        labels: list[bool] = []
        importance: list[float] = []
        for row in [*fit, *made()]:
            for one in read(row["text"]):
                for place, (features, unit) in enumerate(
                    zip(one.found, (one.unit, *one.clauses), strict=True)
                ):
                    found.append(features)
                    labels.append(
                        is_instruction(row["text"], *unit, row["spans"], clause=place > 0)
                    )
                    importance.append(1.0 if "id" in row else MADE)
        bias, weights = train(found, labels, importance)
        whole = np.clip(np.round(weights * model.SCALE), -127, 127).astype(np.int8)
        data = round(bias * model.SCALE).to_bytes(4, "big", signed=True) + whole.tobytes()
        WEIGHTS.write_bytes(zlib.compress(data, 9))
        model.weights.cache_clear()
        print(
            f"{len(found)} sentences and clauses, {sum(labels)} instruct; "
            f"{int((whole != 0).sum())} weights, {WEIGHTS.stat().st_size:,} bytes"
        )
    sets = {"kept aside": [row for row in every if row["part"] == "held"]}
    if asked.dev:
        sets["dev"] = [json.loads(line) for line in asked.dev.read_text("utf-8").splitlines()]
    for name, some in sets.items():
        report(name, some)
    if asked.real:
        for part in ("fit", "held"):
            turns = [turn for *_, each in people(asked.real, part) for turn in each]
            best = [logit for turn in turns for *_, logit in scored(turn)]
            print(
                f"{part}: {len(turns)} real turns, sentences a thousand: "
                + ", ".join(
                    f"{logit}: {1000 * sum(one >= logit for one in best) / len(turns):.1f}"
                    for logit in LOGITS
                )
            )
    return 0


def scored(text: str) -> list[tuple[str, float]]:
    """Return each sentence of a turn with its logit."""
    found = []
    for one in read(text):
        logits = [model.logit(each) for each in one.found]
        score = (logits[0] + max(logits[1:])) / 2 if one.clauses else logits[0]
        if one.unit.end - one.unit.start <= LONGEST:
            found.append((text[one.unit.start : one.unit.end], score))
    return found


def listed(text: str) -> list[tuple[str, float]]:
    """Return the instructions of a turn as they are listed, weak ones too."""
    return [(text[one.start : one.end], one.score) for one in instructions(text)]


def report(name: str, some: list[dict[str, Any]]) -> None:
    """Print spans found and alarms at several logits, and as they are listed."""
    said = [scored(row["text"]) for row in some]
    for logit in LOGITS:
        count(f"{name} {logit}", some, said, logit)
    count(f"{name} as listed", some, [listed(row["text"]) for row in some], LEAST)
    if name != "dev":
        kept = [row for row in some if not row["id"].startswith("c")]
        count(
            f"{name}, other people, as listed", kept, [listed(row["text"]) for row in kept], LEAST
        )


def count(
    name: str, some: list[dict[str, Any]], said: list[list[tuple[str, float]]], logit: float
) -> None:
    """Print spans found and alarms at a logit."""
    spans, alarms, plain = Counter[str](), 0, 0
    for row, found in zip(some, said, strict=True):
        taken = [text for text, score in found if score >= logit]
        plain += not row["spans"]
        alarms += not row["spans"] and bool(taken)
        for span in row["spans"]:
            if span["kind"] in CORE:
                spans[row["lang"]] += 1
                spans["found " + row["lang"]] += any(alike(text, span["text"]) for text in taken)
    languages = [each for each in spans if " " not in each]
    print(
        f"{name}: {sum(spans[f'found {one}'] for one in languages)}"
        f"/{sum(spans[one] for one in languages)} spans, {alarms}/{plain} alarms;",
        *(f"{one} {spans[f'found {one}'] / spans[one]:.2f}" for one in sorted(languages)),
    )


def alike(one: str, two: str) -> bool:
    """Whether two texts share three fifths of the words of the shorter one, or of its signs."""
    first, second = (Counter(model.words_of(text.lower())) for text in (one, two))
    least = min(first.total(), second.total())
    return bool(least) and (first & second).total() >= 0.6 * least


if __name__ == "__main__":
    sys.exit(main())
