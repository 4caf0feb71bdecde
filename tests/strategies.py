"""Context directories as hypothesis makes them up: what people write, and what happens to files.

A directory is drawn small and written large: a few words, a few shapes of blocks, and how
often each is repeated. So one draw costs little and still covers a packet of 200,000 tokens.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

BOM = b"\xef\xbb\xbf"

WORDS = (
    # what people write
    "cache", "retry", "the", "payment", "index", "must", "never", "token", "budget", "Größe",
    "naïve", "Ærø", "żółć", "https://example.org/a?b=c&d=e", "`code`", "**bold**", "~~gone~~",
    "[link](target.md)", "[[wiki]]", "#in-progress", "#priority:high", "#added:2026-01-10", "@mira",
    "3.1415", "2026-01-10", "0xDEADBEEF", "snake_case_name", "CamelCaseName", "1,000,000",
    # every script
    "決済", "イベント", "결제", "支付", "платёж", "πληρωμή", "भुगतान", "การชำระเงิน", "𠮷野家", "ﬃ",
    "שלום", "مرحبا", "\u202eRTL\u202c", "e\u0301\u0323\u0307", "Z\u0351\u036b\u0343a\u0363lgo",
    # emoji, alone and joined
    "🎉", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "✅",
    # what JSON and Markdown have to escape
    '"quoted"', "back\\slash", "C:\\new\\table", "\\n", "\\u0041", "'", "</script>", "<b>", "&amp;",
    "{", "}", "[", "]", "|", "```", "---", "***", "<!--", "-->", "- [ ]", "##", ">", "1.", "$x$",
    # what no one meant to write
    "\x00", "\x1b[31m", "\x07", "\x7f", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\u200b",
    "\ufeff", "\ufffd", "\u0000", "\t", "  ", "<|endoftext|>", "[UNK]", "\U0010fffd", "\ue000",
    # what is data rather than prose
    "a" * 400, "=" * 300, "日" * 300, "🎉" * 60, "QUJDREVGR0g=" * 40, " " * 200,
    "\\" * 90, '"' * 90,
)  # fmt: skip
_TAME = tuple(word for word in WORDS[:56] if "`" not in word and "<" not in word)
_MOSTLY = 0.7
"""How often a large directory holds nothing but what people write."""
LONG_LINE = 70_000
DAY = 86_400
SHOWN = 9000
"""Characters of its files that a failing example shows."""

STAMPS = (
    "[2026-01-10-083000] ", "[2026-01-09] ", "[2025-12-01-235959] ", "[2025-06-30] ", "",
    "[2026-01-10 08:30] ", "[2025-13-45-999999] ", "[0001-01-01] ", "[9999-12-31] ", "[] ", "[x] ",
)  # fmt: skip
BOXES = (
    "- [ ] ", "* [ ] ", "+ [ ] ", "1. [ ] ", "2) [ ] ", "[] ", "- [x] ", "- [X] ", "- [-] ",
    "- [ ]", "-\t[ ] ", "  - [ ] ", "    - [ ] ", "- [?] ", "- ", "[ ] ",
)  # fmt: skip
HEADS = ("# ", "## ", "### ", "###### ", "####### ", "##", "  ## ", "## Themes", "## \t", "#\u00a0")
LABELS = ("", "**Decision**: ", "**Lesson**: ", "**Rationale**: ", "__Context__: ", "- ", "1. ")
SUPERSEDED = ("", "", "", "**Status**: Superseded by x", "~~Superseded: y~~", "Supersedes: z")
JUNK = (
    "```\n## [2026-01-10] fenced\n- [ ] fenced\n```", "```", "~~~~ text", "<!-- - [ ] gone -->",
    "<!--", "-->", "<div>\n\n- [ ] html\n</div>", "<script>", "<?php", "<![CDATA[", "<!DOCTYPE x>",
    "---", "***", "===", "| a | b |\n|---|---|\n| 1 | 2 |", "> quote\n> - [ ] quoted", "\t\tcode",
    "[ref]: http://example.org", "    indented", "Do not:", "You must never do this.", "\\", "",
    "trust: high", "<!-- one -->",
    "<!-- a\n\nb -->", "~~~\n# fenced\n~~~", "- - -",
    "1) one\n   2) two\n      - three", "Setext\n======", "&nbsp;",
)  # fmt: skip
FRONTS = (
    "", "", "", "", "---\nstatus: superseded\n---\n", "---\ntags: [a, b\ntrust: : x\n---\n",
    "---\nstatus: accepted\ntrust: 0.5\nscope: global\nextra: {a: [1, 2]}\n---\n", "---\nopen: x\n",
    "---\n---\n", "---\n- a list\n---\n",
)  # fmt: skip
SUFFIXES = (b"", b"", b"", b"\xff\xfe", b"\x00", b"\xe6\x97", b"\n\n\n", b"\r", b"\x80" * 40)

NAMES = (
    "TASKS.md", "CONVENTIONS.md", "DECISIONS.md", "LEARNINGS.md", "decisions/a.md",
    "decisions/B b.md", "learnings/ünïcode.md", "learnings/日本.md", "conventions/x.md",
    "decisions/README.md", "decisions/deep/er.md", "GLOSSARY.md", "ARCHITECTURE.md", "Notes.md",
    "tasks.MD", "z'\"\\.md", "config.txt", ".hidden.md",
)  # fmt: skip


class Directory(NamedTuple):
    """A context directory, before it is written."""

    files: tuple[tuple[str, bytes], ...]
    rules: tuple[str, ...]
    """Texts that stand in the constitution as plain list items: a packet says them all."""

    def write(self, root: Path, order: Sequence[int] = ()) -> Path:
        root.mkdir(parents=True, exist_ok=True)
        for age, place in enumerate(order or range(len(self.files))):
            name, data = self.files[place]
            path = root / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(data)
            os.utime(path, (age * DAY, age * DAY))
        return root

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        _ = cycle
        printer.text(f"Directory({dict(self.files)!r:.{SHOWN}}, rules={self.rules!r:.{SHOWN}})")


def _text(most: int) -> st.SearchStrategy[str]:
    """Return words in a row: mostly spaced, at times run together, now and then anything."""
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=most)
    tame = st.lists(st.sampled_from(_TAME), min_size=1, max_size=most)
    return st.one_of(
        tame.map(" ".join), tame.map(" ".join), words.map(" ".join), words.map("".join),
        st.text(max_size=30),
    )  # fmt: skip


_LINE = _text(8)
_BODY = st.one_of(
    _text(12),
    st.lists(_text(6), min_size=1, max_size=4).map("\n".join),
    st.lists(_text(6), min_size=1, max_size=3).map("\n\n".join),
    st.builds(lambda line, times: "\n\n".join([line] * times), _text(10), st.integers(1, 120)),
    st.builds(lambda word, times: word * times, st.sampled_from(WORDS), st.integers(1, 2000)),
)


def _dated(  # noqa: PLR0917 - in the order of the file
    stamp: str, title: str, status: str, label: str, body: str, times: int
) -> list[str]:
    return [
        f"## {stamp}{title}{f' {number}' if times > 1 else ''}\n\n{status}\n\n{label}{body}\n"
        for number in range(times)
    ]


def _tasks(box: str, line: str, note: str, times: int) -> list[str]:
    return [
        f"{box}{line}{f' {number}' if times > 1 else ''}\n{note and '  ' + note}"
        for number in range(times)
    ]


_TIMES = st.sampled_from((1, 1, 2, 7, 25, 80))
_DATED = st.builds(
    _dated, st.sampled_from(STAMPS), _LINE, st.sampled_from(SUPERSEDED),
    st.sampled_from(LABELS), _BODY, _TIMES,
)  # fmt: skip
_TASKS = st.builds(_tasks, st.sampled_from(BOXES), _LINE, st.one_of(st.just(""), _LINE), _TIMES)
_JUNK = st.sampled_from(JUNK).map(lambda text: [text])
_HEAD = st.builds(lambda head, line: [f"\n{head}{line}\n"], st.sampled_from(HEADS), _LINE)
_WILD = st.one_of(_JUNK, _HEAD, _BODY.map(lambda text: [text]))
_HUGE = st.sampled_from(("", "", "", "", "", "x" * LONG_LINE, "日 " * (LONG_LINE // 2)))


def _encoded(text: str, *, crlf: bool, bom: bool, suffix: bytes) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return (BOM if bom else b"") + (data.replace(b"\n", b"\r\n") if crlf else data) + suffix


@st.composite
def files(draw: st.DrawFn, likely: st.SearchStrategy[list[str]], least: int = 0) -> bytes:
    """Draw the bytes of one file that holds mostly ``likely`` blocks."""
    block = st.one_of(likely, likely, likely, likely, _WILD)
    blocks = draw(st.lists(block, min_size=least, max_size=least + 5))
    lines = [line for block in blocks for line in block]
    text = draw(st.sampled_from(FRONTS)) + "\n".join([*lines, draw(_HUGE)])
    crlf = draw(st.booleans())
    bom = draw(st.sampled_from((False, False, False, True)))
    suffix = draw(st.sampled_from(SUFFIXES))
    return _encoded(text, crlf=crlf, bom=bom, suffix=suffix)


_ANY = st.one_of(_DATED, _TASKS, _WILD)


def _sayable(text: str) -> bool:
    """Whether ``text`` stands in a file as it is and makes an item of a list."""
    if not text or len(text) > LONG_LINE - 10:
        return False
    return not {"\r", "\n", "\0", "\ufeff"} & set(text) and bool(text.strip("-*_ \t"))


def _as_rule(text: str) -> str:
    return text.strip()


@st.composite
def constitutions(draw: st.DrawFn) -> tuple[bytes, tuple[str, ...]]:
    """Draw a constitution: list items that have to be said, and what stands around them."""
    rules = draw(st.lists(_LINE.map(_as_rule).filter(_sayable), max_size=8))
    around = st.sampled_from(
        ("", "\n\n## Group\n\n", "\n\n<!-- - gone -->\n\n", "\n\nDo not:\n\n", "\n\n---\n\n",
         "\n\n```\n- fenced\n```\n\n", "\n\nAlways test it.\n\n")
    )  # fmt: skip
    marks = st.sampled_from(("- ", "* ", "- [ ] ", "+ ", "- [x] "))
    text = "# Constitution\n" + "".join(f"{draw(around)}\n{draw(marks)}{rule}" for rule in rules)
    data = _encoded(text + "\n", crlf=draw(st.booleans()), bom=draw(st.booleans()), suffix=b"")
    return data, tuple(rules)


def directories() -> st.SearchStrategy[Directory]:
    """Draw a whole context directory; most have more to say than most budgets hold."""
    drawn = st.builds(lambda made: Directory(*made), st.one_of(_plain(), _rich()))
    grown = st.integers(0, 2**32).map(grow)
    return st.one_of(drawn, grown)


def grow(seed: int) -> Directory:
    """Return a large directory that follows from ``seed``: hypothesis draws small ones."""
    random = Random(seed)  # noqa: S311 - a test case, not a secret
    tame = random.random() < _MOSTLY
    words = _TAME if tame else WORDS

    def text(most: int) -> str:
        return " ".join(random.choices(words, k=random.randint(1, most)))

    def body() -> str:
        return "\n\n".join(
            f"{random.choice(LABELS)}{text(14)}\n{text(14)}" for _ in range(random.randint(1, 9))
        )

    def dated() -> str:
        head = f"## {random.choice(STAMPS)}{text(8)}"
        return f"{head}\n\n{random.choice(SUPERSEDED)}\n\n{body()}\n"

    def task() -> str:
        return f"{random.choice(BOXES)}{text(12)}" + f"\n  {text(12)}" * random.randint(0, 2)

    rules = tuple(filter(_sayable, (_as_rule(text(9)) for _ in range(random.randint(0, 6)))))
    constitution = "# Rules\n\n" + "".join(f"- {rule}\n" for rule in rules)
    written = {
        "CONSTITUTION.md": constitution,
        "TASKS.md": "\n".join(task() for _ in range(random.randint(0, 80))),
        "CONVENTIONS.md": "\n".join(f"- {text(14)}" for _ in range(random.randint(0, 40))),
        "DECISIONS.md": "\n".join(dated() for _ in range(random.randint(0, 60))),
        "learnings/many.md": "\n".join(dated() for _ in range(random.randint(0, 60))),
        **{f"decisions/{name}.md": dated() for name in random.sample("abcdef", 3)},
        "learnings/more.md": dated(),
    }
    return Directory(tuple((name, text.encode()) for name, text in written.items()), rules)


_Drawn = tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]]


@st.composite
def _rich(draw: st.DrawFn) -> _Drawn:
    data, rules = draw(constitutions())
    drawn = {
        "CONSTITUTION.md": data,
        "TASKS.md": draw(files(_TASKS, 1)),
        "CONVENTIONS.md": draw(files(_TASKS)),
        "DECISIONS.md": draw(files(_DATED, 2)),
        "LEARNINGS.md": draw(files(_DATED, 1)),
        draw(st.sampled_from(NAMES[4:9])): draw(files(_DATED)),
    }
    return tuple(drawn.items()), rules


@st.composite
def _plain(draw: st.DrawFn) -> _Drawn:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    drawn = [(name, draw(files(_ANY))) for name in _without_twins(names)]
    kind = draw(st.sampled_from(("rules", "any", "none")))
    if kind == "rules":
        data, rules = draw(constitutions())
        return (("CONSTITUTION.md", data), *drawn), rules
    if kind == "any":
        drawn.insert(0, ("CONSTITUTION.md", draw(files(_ANY))))
    return tuple(drawn), ()


def _without_twins(names: list[str]) -> list[str]:
    """Drop names that are one file where case does not count."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.lower(), name)
    return list(kept.values())


def budgets() -> st.SearchStrategy[float]:
    """Draw a budget: tokens where it is whole, else a share of what saying everything costs."""
    share = st.sampled_from(range(2, 111)).map(lambda per_cent: per_cent / 100 + 0.003)
    edges = st.sampled_from((0, 1, 60, 100, 250, 500, 1000, 4000, 8000, 200_000))
    return st.one_of(st.integers(0, 200_000), st.integers(0, 2500), edges, share, share, share)


def pick(budget: float, everything: Callable[[], int]) -> int:
    """Return the tokens that a drawn ``budget`` means; ``everything`` is what all would cost."""
    return budget if isinstance(budget, int) else min(200_000, int(budget * everything()))
