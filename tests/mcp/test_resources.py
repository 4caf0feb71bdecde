"""What can be read by address, and what must not be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ctx.errors import FileError, NoDirectoryError, UsageError
from ctx.mcp import resources
from tests.hostile import plain

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name != "posix", reason="links, devices and pipes")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    plain(tmp_path / "project" / ".context")
    return tmp_path / "project" / ".context"


def _names(page: resources.Page) -> list[str]:
    return [one.name for one in page.files]


def test_files_are_listed_in_the_order_of_reading(root: Path) -> None:
    (root / "NOTES.md").write_text("Notes.\n")
    (root / ".hidden.md").write_text("Hidden.\n")
    (root / "sessions").mkdir()
    (root / "sessions" / "one.jsonl").write_text("")
    (root.parent / "AGENTS.md").write_text("# Agents\n\n- Never.\n")
    page = resources.page("", str(root))
    assert _names(page) == [
        "CONSTITUTION.md", "TASKS.md", "CONVENTIONS.md", "DECISIONS.md", "LEARNINGS.md",
        "NOTES.md", "decisions/themed.md",
    ]  # fmt: skip
    assert page.cursor == ""
    assert page.files[5] == resources.File("NOTES.md", 7)
    assert page.files[6].uri == "ctx://file/decisions/themed.md"


def test_a_project_without_a_directory_has_entries_and_no_files(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("- Never push.\n")
    assert resources.page("", str(tmp_path)) == resources.Page((), "")
    text = resources.text("ctx://entry/../AGENTS.md%23never-push", str(tmp_path))
    assert "Never push." in text


def test_many_files_are_listed_page_by_page(root: Path) -> None:
    for number in range(resources.PAGE * 2):
        (root / f"NOTE {number:03}%.md").write_text("Note.\n")
    found: list[str] = []
    cursor = ""
    for _ in range(3):
        page = resources.page(cursor, str(root))
        assert len(page.files) <= resources.PAGE
        found += _names(page)
        cursor = page.cursor
    assert cursor == ""
    assert len(found) == len(set(found)) == resources.PAGE * 2 + 6
    assert resources.text("ctx://file/NOTE%20007%25.md", str(root)) == "Note.\n"
    assert resources.File("NOTE 007%.md", 6).uri == "ctx://file/NOTE%20007%25.md"
    assert resources.page("999999", str(root)) == resources.Page((), "")
    for cursor in ("x", "-1", "1" * 99, "²"):
        with pytest.raises(UsageError, match="was given by no page"):
            resources.page(cursor, str(root))


def test_what_is_no_context_file_is_refused(root: Path) -> None:
    for name in ("../secret.md", ".hidden.md", "config.toml"):
        (root / name).write_text("secret\n")
    for path in (
        "../secret.md", "..%2Fsecret.md", "decisions/../../secret.md", "decisions%2F..%2F..%2Fs.md",
        "/etc/passwd.md", "%2Fetc%2Fpasswd.md", "./TASKS.md", "a//b.md", ".ctx/x.md", ".hidden.md",
        "config.toml", "sessions/one.jsonl", "", "%00.md", "TASKS.md%00.md", "..%5Csecret.md",
        "C:%5Csecret.md", "decisions", ".md",
    ):  # fmt: skip
        with pytest.raises(FileError, match="is no Markdown file of the context directory"):
            resources.text(f"ctx://file/{path}", str(root))


@posix
def test_links_out_devices_and_pipes_are_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "secret.md").write_text("secret\n")
    (root / "LINK.md").symlink_to(tmp_path / "secret.md")
    (root / "steering").symlink_to(tmp_path / "folder")
    (root / "NULL.md").symlink_to("/dev/zero")
    os.mkfifo(root / "PIPE.md")
    (root / "FOLDER.md").mkdir()
    for name, why in (
        ("LINK.md", "is a link out of the context directory"),
        ("steering/secret.md", "is a link out of the context directory"),
        ("NULL.md", "is not a regular file"),
        ("PIPE.md", "is not a regular file"),
        ("FOLDER.md", "is a directory"),
        ("GONE.md", "cannot be read"),
    ):
        with pytest.raises(FileError, match=why):
            resources.text(f"ctx://file/{name}", str(root))
        assert name not in _names(resources.page("", str(root)))


@posix
def test_a_link_within_is_followed_and_a_large_file_is_not_read(root: Path) -> None:
    (root / "LINK.md").symlink_to("TASKS.md")
    assert resources.text("ctx://file/LINK.md", str(root)).startswith("# Tasks")
    (root / "config.toml").write_text("max_file_mb = 1\n")
    (root / "BIG.md").write_bytes(b"a" * (1024 * 1024 + 1))
    with pytest.raises(FileError, match="1,048,577 bytes are over the limit"):
        resources.text("ctx://file/BIG.md", str(root))


def test_other_encodings_are_read(root: Path) -> None:
    (root / "WIDE.md").write_text("# Größe\n", encoding="utf-16")
    (root / "MARKED.md").write_text("# Größe\n", encoding="utf-8-sig")
    (root / "BROKEN.md").write_bytes(b"# Gr\xf6sse\n")
    assert resources.text("ctx://file/WIDE.md", str(root)) == "# Größe\n"
    assert resources.text("ctx://file/MARKED.md", str(root)) == "# Größe\n"
    assert resources.text("ctx://file/BROKEN.md", str(root)) == "# Gr\ufffdsse\n"


def test_secrets_are_redacted_unless_the_user_allows_them(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    (root / "KEYS.md").write_text(f"# Keys\n\n- Use {key} for the bucket.\n")
    text = resources.text("ctx://file/KEYS.md", str(root))
    assert key not in text
    assert text.startswith("# Keys\n\n- Use [")
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "true")
    assert key in resources.text("ctx://file/KEYS.md", str(root))


def test_entries_are_read_by_their_ids(root: Path) -> None:
    assert resources.text("ctx://entry/DECISIONS.md%232026-01-03", str(root)) == (
        "### [2026-01-03] Decision 3\n\n**Decision**: retry 3 times.\n"
    )
    for id_ in ("DECISIONS.md%232030-01-01", "", "DECISIONS.md", "..%2Fsecret.md%23a"):
        with pytest.raises(UsageError, match=r"no entry .* \(the tool search names ids\)"):
            resources.text(f"ctx://entry/{id_}", str(root))


def test_other_addresses_and_no_directory(root: Path, tmp_path: Path) -> None:
    for uri in ("file:///etc/passwd", "ctx://", "ctx://other/a", "", "http://a/b"):
        with pytest.raises(UsageError, match="unknown resource"):
            resources.text(uri, str(root))
    for ask in (resources.page, resources.text):
        with pytest.raises(NoDirectoryError):
            ask("ctx://file/TASKS.md" if ask is resources.text else "", str(tmp_path / "none"))
