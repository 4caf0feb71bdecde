"""What packets hold: the budget used, and what of it is not the user's own text.

    python benchmarks/packets.py [--dir DIRECTORY] [--as-of DATE]

For each budget and format: tokens by the default counter, the share of the budget, tokens
by o200k (where the extra ``tokenizers`` is installed), the share that is neither entries
nor their headings (title, read order, section names, counts, instruction),
and how many entries are included in full, by title, and omitted. Exit code 1 when a packet that
is not degraded is over budget by either count.
"""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from ctx.model import Counter, Format, Packet

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctx.app.walk import assemble
from ctx.errors import TokenizerError
from ctx.model import Request
from ctx.render import Costs
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.text import tokens

FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop" / ".context"
BUDGETS = (0, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 20_000, 200_000)
FORMATS: tuple[Format, ...] = ("md", "json")


def main() -> int:
    """Print the table; return 1 where the law of the budget is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dir", type=Path, default=FIXTURE, help="context directory")
    parser.add_argument("--as-of", type=date.fromisoformat, default=date.today())  # noqa: DTZ011
    options = parser.parse_args()
    exact = _exact()
    print("format  budget    used   share   o200k  overhead    full  titles   omitted")
    broken = 0
    for format_ in FORMATS:
        for budget in BUDGETS:
            request = Request(str(options.dir), options.as_of, budget=budget, format=format_)
            heuristic = tokens.counter("heuristic")
            broken += _print(assemble(request, heuristic, NoCache(), WordsInMemory()), exact)
    return 1 if broken else 0


def _exact() -> Counter | None:
    try:
        return tokens.counter("o200k")
    except TokenizerError as error:
        print(f"no exact count: {error}", file=sys.stderr)
        return None


def _print(packet: Packet, exact: Counter | None) -> bool:
    """Print one row; return whether the packet is over budget without being marked as degraded."""
    request, sections = packet.request, packet.selection.sections
    costs = Costs(request, tokens.counter("heuristic"))
    entries = sum(
        costs.unit(item) for section in sections for item in (*section.included, *section.titles)
    )
    grouped = [item.entry for section in sections[:3] for item in section.included]
    groups = {(entry.source, entry.group): entry for entry in grouped}
    runs = {(entry.source, entry.group, entry.lead): entry for entry in grouped}
    entries += sum(map(costs.group, groups.values())) + sum(map(costs.run, runs.values()))
    counted = exact.count(packet.text) if exact else 0
    share = f"{packet.tokens / request.budget:.1%}" if request.budget else "–"
    print(
        f"{request.format:6}{request.budget:8,}{packet.tokens:8,}{share:>8}{counted:8,}"
        f"{(packet.tokens - entries) / packet.tokens:10.1%}"
        f"{sum(len(section.included) for section in sections):8}"
        f"{sum(len(section.titles) for section in sections):8}"
        f"{sum(section.omitted for section in sections):10}"
        f"{'  degraded' if packet.selection.degraded else ''}"
    )
    return not packet.selection.degraded and max(packet.tokens, counted) > request.budget


if __name__ == "__main__":
    raise SystemExit(main())
