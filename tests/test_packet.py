"""The walk through the rooms as a whole."""

from datetime import date
from pathlib import Path

import pytest

from ctx.app.walk import assemble
from ctx.model import Request
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.text.tokens import counter

LONG = "a title of so many words that a small packet has no room left for it at its end"


def _root(folder: Path, entries: int) -> str:
    """Write learnings with long titles, and last one with the shortest."""
    titles = [f"## {LONG} {number}\n\nA body.\n" for number in range(entries - 1)]
    (folder / "LEARNINGS.md").write_text("\n".join([*titles, "## x\n"]), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(("entries", "budget"), [(150, 90), (150, 400), (1_100, 110), (1_100, 120)])
def test_asking_why_does_not_change_the_packet(tmp_path: Path, entries: int, budget: int) -> None:
    request = Request(_root(tmp_path, entries), date(2026, 1, 1), budget=budget)
    plain = assemble(request, counter("heuristic"), NoCache(), WordsInMemory())
    asked = assemble(
        request._replace(explain=True), counter("heuristic"), NoCache(), WordsInMemory()
    )
    assert asked.text == plain.text
    assert len(asked.verdicts) == entries
