"""The site has a page for each command and each host, and no link of it leads nowhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ctx.hosts import NAMES
from scripts import generate, site

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]+)")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return site.pages()


def test_each_command_and_each_host_has_a_page(pages: dict[str, str]) -> None:
    for command in generate.commands():
        page = pages[f"commands/{command.name.replace(' ', '-')}.md"]
        assert page.startswith(f"# {command.name}\n")
    for name in NAMES:
        assert f"$ ctx hook install {name}\n" in pages[f"hosts/{name}.md"]


def test_every_link_leads_to_a_page_or_a_file(pages: dict[str, str]) -> None:
    dead = [
        (page, target)
        for page, text in pages.items()
        for target in LINK.findall("".join(re.split(r"```.*?```|`[^`\n]*`", text, flags=re.DOTALL)))
        for there in (os.path.normpath(os.path.join(os.path.dirname(page), target)),)
        if there not in pages and not (ROOT / "docs" / there).is_file()
    ]
    assert dead == []


def test_every_page_has_a_place(pages: dict[str, str], tmp_path: Path) -> None:
    text = site.config(pages, tmp_path, tmp_path)
    assert all(f"- {page}\n" in text for page in pages)
    more = site.config({**pages, "new.md": ""}, tmp_path, tmp_path)
    assert more == f"{text}  - More:\n      - new.md\n"


def test_a_link_that_leads_nowhere_stays_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(site, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "other.txt").write_text("")
    page = tmp_path / "docs" / "a.md"
    page.write_text("[a](gone.md) [b](../other.txt) [c](a.md#x) `[d](a)` [e](https://e.org)")
    assert site._linked(page) == (
        "[a](gone.md) b (`other.txt`) [c](a.md#x) `[d](a)` [e](https://e.org)"
    )
