"""What belongs to a host is in ``ctx/hosts/``: no other file of ctx names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ctx.hosts import all_hooks, transcripts
from ctx.hosts.sources import REGISTRY

CTX = Path(__file__).resolve().parents[2] / "ctx"
ENDINGS = {".py", ".js", ".css", ".html", ".sql", ".md"}
HOSTS = {
    word.lower()
    for words in (
        *((each.name, each.title, *each.aliases) for each in all_hooks()),
        *((each.name, each.tool) for each in REGISTRY if each.tool),
        transcripts.NAMES,
    )
    for word in words
    if word
}
_ANY = "|".join(re.escape(word).replace(r"\-", "[- ]") for word in sorted(HOSTS))
WORD = re.compile(rf"(?<![a-z0-9])(?:{_ANY})(?![a-z0-9])", re.IGNORECASE)
INNOCENT = {
    "app/sync.py": ("cursor", "how far a sync has come"),
    "cli/sync.py": ("cursor", "the same"),
    "share/server.py": ("cursor", "of a database"),
    "mcp/resources.py": ("cursor", "where the next page begins, in the words of MCP"),
    "mcp/server.py": ("cursor", "the same"),
    "llm/summarisers/command.py": ("cursor", "of a terminal"),
    "cli/shell/__init__.py": ("cursor", "of a terminal"),
    "render/page/page.css": ("cursor", "the pointer"),
    "serve/page/app.js": ("vs code, vscode, cursor", "editors in which a page opens a file"),
    "llm/embedders/rows.py": ("gemini", "a family of models of embeddings"),
    "read/authored/deontic/lexicon.py": ("claude, codex, copilot", "words for who is told to act"),
    "model/settings.py": ("claude", "names of documents: the default of a setting"),
    "text/scopes.py": ("kiro", "the dialect of steering files, which `ctx rules` shows"),
}
"""The files that hold such a word, which words, and what they mean there."""


def named() -> Iterator[tuple[str, str]]:
    """Yield the files outside of ``hosts`` with each host that they name, in small letters."""
    for path in sorted(CTX.rglob("*")):
        name = path.relative_to(CTX).as_posix()
        if path.suffix in ENDINGS and not name.startswith("hosts/"):
            for word in WORD.findall(path.read_text("utf-8")):
                yield name, word.lower()


def test_no_file_outside_of_hosts_names_a_host() -> None:
    assert {"claude", "claude code", "kiro", "openspec", "github-copilot"} <= HOSTS
    found: dict[str, set[str]] = {}
    for name, word in named():
        found.setdefault(name, set()).add(word)
    assert found == {name: set(words.split(", ")) for name, (words, _) in INNOCENT.items()}


def test_a_host_that_is_named_is_found() -> None:
    for text in (
        "host == 'claude'",
        "CLAUDE.md",
        "_CURSOR = 1",
        "claude_code",
        "as VS Code has it",
    ):
        assert WORD.search(text), text
    for text in ("precursor", "cursors", "geminian", "clause"):
        assert not WORD.search(text), text
