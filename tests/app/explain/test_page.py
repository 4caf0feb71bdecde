"""The data of the page: all that it shows is made by ctx, and it stays small enough to open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctx.app.explain import page as explain_page
from ctx.app.explain.look import Looked, look
from ctx.app.explain.page import data_of, page_of, plain
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from tests.app.explain.test_explain import AS_OF, SHOP, world

MB = 1_000_000


def looked(root: str, budget: int = 1200, **more: str) -> Looked:
    given = PacketOptions(**{"as_of": AS_OF, "budget": str(budget), **more})
    return look(Workspace(given, world(), root=root))


def data(seen: Looked) -> dict[str, Any]:
    found = json.loads(json.dumps(data_of(seen)))
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def shop() -> Looked:
    return looked(SHOP, query="refund discount")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory with 1,000 learnings, each of about a hundred words."""
    root = tmp_path_factory.mktemp("many") / ".context"
    root.mkdir()
    words = "the retry policy of the payment queue asks for a limit and a pause " * 8
    blocks = [
        f"## [2026-01-{at % 28 + 1:02}-{at:06}] Number {at} of what we learnt\n\n{words}{at}\n"
        for at in range(1000)
    ]
    (root / "LEARNINGS.md").write_text("\n".join(blocks), "utf-8")
    return str(root)


def test_a_step_is_the_packet_of_its_budget(shop: Looked) -> None:
    told = data(shop)
    names = [section["name"] for section in told["sections"]]
    assert len(told["steps"]) == 65
    assert told["steps"][told["at"]]["budget"] == told["budget"] == 1200
    for step, of in zip(told["steps"], shop.steps, strict=True):
        assert (step["budget"], step["tokens"]) == (of.budget, of.tokens)
        shares = dict(zip(names, step["sections"], strict=True))
        assert {name: tuple(share) for name, share in shares.items() if share} == dict(of.shares)
        used = sum(share[1] for share in shares.values() if share)
        assert step["overhead"] + used == step["tokens"]  # where not all rules fit, too
        assert step["free"] == max(0, step["budget"] - step["tokens"])


def test_every_outcome_of_every_step_is_in_it(shop: Looked) -> None:
    told = data(shop)
    assert told["omitted"] == 0
    assert [one["id"] for one in told["entries"]] == [
        row.verdict.scored.entry.id for row in shop.rows
    ]
    signs = {"f": "full", "k": "key", "t": "title", ".": None}
    for one in told["entries"]:
        assert [signs[sign] for sign in one["levels"]] == [
            step.levels.get(one["id"]) for step in shop.steps
        ]
        for sign in set(one["levels"]) - {"."}:
            assert one["costs"]["fkt".index(sign)] > 0


def test_parts_stand_in_columns(shop: Looked) -> None:
    told = data(shop)
    names = [part["name"] for part in told["parts"]]
    assert len(set(names)) == len(names) > 5
    assert all(part["meaning"] for part in told["parts"])
    for one, row in zip(told["entries"], shop.rows, strict=True):
        parts = dict(row.verdict.scored.parts)
        values = dict(zip(names, one["parts"], strict=True))
        assert {name: value for name, value in values.items() if value is not None} == {
            name: pytest.approx(value, abs=1e-4) for name, value in parts.items()
        }


def test_it_tells_nothing_of_the_machine(shop: Looked, tmp_path: Path) -> None:
    """Pages are passed on: no path of who made it is in one."""
    assert SHOP not in page_of(shop)
    (tmp_path / ".context").mkdir()
    assert str(tmp_path.parent) not in page_of(looked(str(tmp_path / ".context")))


def test_a_thousand_entries_are_less_than_two_megabytes(many: str) -> None:
    seen = looked(many, 8000, query="retry policy")
    text = page_of(seen)
    assert data(seen)["omitted"] == 0
    assert len(seen.rows) == 1000
    assert len(text.encode()) < 2 * MB


def test_what_has_no_room_is_counted(many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = looked(many, 8000)
    monkeypatch.setattr(explain_page, "MOST_ENTRIES", 200)
    told = data(seen)
    assert (len(told["entries"]), told["omitted"]) == (200, 800)
    # Those that some packet says come before those that none does.
    assert all(one["levels"].strip(".") for one in told["entries"])
    monkeypatch.setattr(explain_page, "MOST_BYTES", 50_000)
    told = data(seen)
    assert len(json.dumps(told["entries"])) < 60_000
    assert len(told["entries"]) + told["omitted"] == 1000


def test_titles_are_plain() -> None:
    expected = {
        "**H-22b (renderer)** Update `core/`": "H-22b (renderer) Update core/",
        "**cut in the mid…": "cut in the mid…",
        "2 ** 3 and a*b and __init__": "2 ** 3 and a*b and __init__",
    }
    assert {title: plain(title) for title in expected} == expected
