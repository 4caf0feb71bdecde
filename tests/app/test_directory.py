"""What commands see that look at a directory without making a packet."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
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
    workspace = Workspace(PacketOptions(), World(), root=root)
    first = workspace.read(bodies)
    assert any("refund" in body for body in first.values())
    assert workspace.read(bodies) == first  # now from the store
    monkeypatch.setenv("CTX_NO_CACHE", "1")
    assert Workspace(PacketOptions(), World(), root=root).read(bodies) == first
