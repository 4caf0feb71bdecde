"""Draw the tables of docs/benchmarks.md: what its pictures show is what a command printed.

A picture belongs to the last table of bare starts above it; ``scripts/dev.py docs`` draws it.
"""

from __future__ import annotations

import re
from html import escape
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
WIDTH, LEFT, RIGHT, TOP, ROW = 760, 230, 40, 40, 26
STYLE = """\
svg { background: #fbfaf7 }
text { font: 13px system-ui, sans-serif; fill: #1d2327 } .soft { fill: #566069 }
.grid { stroke: #d9d6ce } .range { stroke: #14606b; stroke-width: 3 } circle { fill: #14606b }
.goal { stroke: #7a3e00; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  svg { background: #14181a }
  text { fill: #e5e9ea } .soft { fill: #a3adb2 } .grid { stroke: #353d41 }
  .range { stroke: #86cad4 } circle { fill: #86cad4 } .goal { stroke: #f0b97a }
}"""
_BLOCK = re.compile(
    r"^bare starts  +median   least    most  goal[^\n]*\n(.*?)^```"
    r"|^!\[[^\]\n]*\]\((pictures/[\w-]+\.svg)\)$",
    re.MULTILINE | re.DOTALL,
)
_TICKS = tuple(digit * 10**power for power in range(4) for digit in (1, 2, 5))


class Figure(NamedTuple):
    """A row of a table, in bare starts."""

    name: str
    median: float
    least: float
    most: float
    goal: float | None


def outputs() -> dict[str, str]:
    """Return each picture of the page by its path, drawn from the table above it."""
    made, table = {}, ""
    for rows, picture in _BLOCK.findall(PAGE.read_text("utf-8")):
        table = rows or table
        if picture:
            made[f"docs/{picture}"] = drawn([*figures(table)])
    return made


def figures(table: str) -> Iterator[Figure]:
    """Yield the rows of a table, whose columns are those of ``benchmarks/measure.py``."""
    for line in table.splitlines():
        median, least, most = (float(line[at : at + 8]) for at in (34, 42, 50))
        goal = line[58:64].strip()
        yield Figure(line[:34].strip(), median, least, most, float(goal) if goal else None)


def drawn(rows: list[Figure]) -> str:
    """Return figures as SVG: the median as a dot, a line from least to most, a mark at the goal."""
    ends = [row.most for row in rows] + [row.goal for row in rows if row.goal]
    most = next(tick for tick in _TICKS if tick >= max(ends))

    def x(value: float) -> str:
        part = log10(max(value, 1)) / log10(most)
        return f"{LEFT + part * (WIDTH - LEFT - RIGHT):.1f}"

    bottom = TOP + ROW * len(rows)
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {bottom + 12}" xmlns="http://www.w3.org/2000/svg" role="img">',
        f"<title>{escape('; '.join(f'{row.name} {row.median:g}' for row in rows))}</title>",
        f"<style>{STYLE}</style>",
        '<text class="soft" x="8" y="20">bare starts of Python</text>',
    ]
    for tick in (tick for tick in _TICKS if tick <= most):
        at = x(tick)
        lines += [
            f'<line class="grid" x1="{at}" x2="{at}" y1="{TOP - 12}" y2="{bottom}"/>',
            f'<text class="soft" x="{at}" y="20" text-anchor="middle">{tick}</text>',
        ]
    for number, row in enumerate(rows):
        y = TOP + ROW * number + ROW // 2
        lines += [
            f'<text x="8" y="{y + 4}">{escape(row.name)}</text>',
            f'<line class="range" x1="{x(row.least)}" x2="{x(row.most)}" y1="{y}" y2="{y}"/>',
            f'<circle cx="{x(row.median)}" cy="{y}" r="6"/>',
        ]
        if row.goal:
            at = x(row.goal)
            lines += [f'<line class="goal" x1="{at}" x2="{at}" y1="{y - 9}" y2="{y + 9}"/>']
    return "\n".join([*lines, "</svg>", ""])
