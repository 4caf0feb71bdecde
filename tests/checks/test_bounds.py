"""What ``duplicate`` does not compare is named, and the same each time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.rank.hands import call

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_is_not_compared_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.checks.rules.duplicate.PAIRS", 1)
    root = tmp_path / ".context"
    root.mkdir()
    lines = (f"- Paint door number{n} in colour{n % 7}\n" for n in range(90))
    (root / "CONVENTIONS.md").write_text("# Conventions\n\n" + "".join(lines))
    done = call("check", "--dir", str(root), "--json")
    (left,) = json.loads(done.text)["left_out"]
    assert left["rule"] == "duplicate"
    assert "with the 1 nearest in length for each rare word" in left["what"]
    assert call("check", "--dir", str(root), "--json").text == done.text
    assert "ctx: duplicate: compared " in call("check", "--dir", str(root)).err
