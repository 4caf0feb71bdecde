"""What commands see that look at a directory without making a packet."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.app.directory import in_directory
from ctx.app.settings import load
from ctx.world import World

if TYPE_CHECKING:
    import pytest

    from ctx.model import Context

WEBSHOP = Path(__file__).resolve().parents[2] / "fixtures" / "webshop" / ".context"


def bodies(context: Context) -> dict[str, str]:
    return {entry.id: entry.body for entry in context.entries}


def test_every_entry_is_seen_with_its_body_with_and_without_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(shutil.copytree(WEBSHOP, tmp_path / ".context"))
    world = World()
    loaded = load(root, world, {})
    first = in_directory(bodies, root, loaded, world)
    assert any("refund" in body for body in first.values())
    assert in_directory(bodies, root, loaded, world) == first  # now from the store
    monkeypatch.setenv("CTX_NO_CACHE", "1")
    assert in_directory(bodies, root, loaded, World()) == first
