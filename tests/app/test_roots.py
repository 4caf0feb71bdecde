"""A package with a context directory of its own, in a repository that has one, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checks.faults import write
from tests.keeping import GIT_FILES
from tests.rank.hands import Done, call

PACKAGE = "packages/shop/"
FILES = {
    **GIT_FILES,
    ".context/CONSTITUTION.md": "# All\n\n- Never commit secrets.\n- Never skip a test.\n",
    ".context/DECISIONS.md": "## [2026-01-02] Orders are rows\n\n**Decision**: In postgres.\n",
    ".context/TASKS.md": "- [ ] Renew the certificate\n",
    ".context/ARCHITECTURE.md": "# Architecture\n\nA shop and a depot.\n",
    ".context/steering/api.md": "---\ninclusion: fileMatch\nfileMatchPattern: '**/*.py'\n---\n\n"
    "- Never print.\n",
    f"{PACKAGE}.context/CONSTITUTION.md": (
        "# Shop\n\n- Never round a price.\n- Never skip a test.\n"
    ),
    f"{PACKAGE}.context/DECISIONS.md": (
        "## [2026-01-03] Carts are rows\n\n**Decision**: In redis.\n\n"
        "## [2026-01-02] Orders are files\n\n**Decision**: In a folder.\n"
    ),
    f"{PACKAGE}src/a.py": "",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path / PACKAGE)
    return tmp_path / PACKAGE


def ctx(*arguments: str, **environ: str) -> Done:
    return call(*arguments, environ=environ)


def packet(*arguments: str) -> dict[str, Any]:
    done = ctx("agent", "--as-of", "2026-02-01", "--format", "json", *arguments)
    answer: dict[str, Any] = json.loads(done.text)
    return answer


def test_both_take_part_the_nearest_first(package: Path) -> None:
    found = packet()
    rules = "\n".join(found["constitution"])
    assert rules.index("round a price") < rules.index("commit secrets")
    assert rules.count("skip a test") == 1
    assert "certificate" in "".join(found["tasks"])
    assert len(found["decisions"]) == 3
    text = ctx("agent", "--as-of", "2026-02-01").text
    assert "../../.context/ARCHITECTURE.md" in text
    assert "../../.context/DECISIONS.md:1" in text
    assert "never print" not in text.lower()
    assert "never print" in ctx("agent", "--focus", str(package / "src/a.py")).text.lower()


def test_from_the_root_the_package_takes_no_part(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package.parent.parent)
    assert "round a price" not in "".join(packet()["constitution"])


def test_entries_of_both_are_found_by_ids_of_their_own(package: Path) -> None:
    found = json.loads(ctx("search", "orders", "--json").text)["results"]
    assert {one["id"] for one in found} == {
        "DECISIONS.md#2026-01-02", "../../../.context/DECISIONS.md#2026-01-02"
    }  # fmt: skip
    for one in found:
        assert one["id"] in ctx("show", one["id"]).text
    assert package.exists()


def test_a_change_in_either_is_seen(package: Path) -> None:
    before = packet()["constitution"]
    assert packet()["constitution"] == before
    outer = package.parent.parent / ".context/CONSTITUTION.md"
    outer.write_text(outer.read_text() + "- Never deploy on a Friday.\n")
    assert "Friday" in "".join(packet()["constitution"])
    between = package.parent / ".context"
    between.mkdir()
    (between / "CONSTITUTION.md").write_text("- Never rename a package.\n")
    assert "rename a package" in "".join(packet()["constitution"])


def test_a_nearer_entry_supersedes_one_above_and_none_the_other_way(package: Path) -> None:
    near, above = (folder / ".context/DECISIONS.md" for folder in (package, package.parent.parent))
    near.write_text(near.read_text() + "\n**Supersedes**: Orders are rows\n")
    above.write_text(above.read_text() + "\n**Supersedes**: Carts are rows\n")
    listed = ctx("list", "decisions", "--status", "superseded").text
    assert "Orders are rows" in listed
    assert "Carts are rows" not in listed


def test_a_check_and_the_status_cover_both(package: Path) -> None:
    outer = package.parent.parent / ".context/DECISIONS.md"
    outer.write_text(outer.read_text() + "\nSee [that](gone.md).\n")
    (line,) = json.loads(ctx("check", "--json").text)["findings"]
    assert (line["rule"], line["file"]) == ("dead-link", "../../../.context/DECISIONS.md")
    rows = [row["path"] for row in json.loads(ctx("status", "--json").text)["files"]]
    assert "../../../.context/TASKS.md" in rows


def test_what_leads_out_of_the_project_is_left_out(package: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "CONSTITUTION.md").write_text("- Never trust this.\n")
    (package.parent / ".context").symlink_to(outside)
    done = ctx("agent", "--as-of", "2026-02-01")
    assert "Never trust this" not in done.text
    assert "is a link out of the project" in done.err
    assert "commit secrets" in done.text


def test_what_is_added_is_the_package_s_own(package: Path) -> None:
    outer = (package.parent.parent / ".context/TASKS.md").read_bytes()
    assert ctx("add", "task", "Renew the certificate").code == 0
    assert "certificate" in (package / ".context/TASKS.md").read_text()
    assert (package.parent.parent / ".context/TASKS.md").read_bytes() == outer


def test_a_packet_names_files_as_they_open_from_a_folder_below(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        package.parent.parent, {f"{PACKAGE}AGENTS.md": "- Never sleep.\n", "AGENTS.md": "- Eat.\n"}
    )
    learned = "".join(f"## [2026-01-0{day}] Cat {day}\n\n{'Purrs. ' * 99}\n" for day in range(1, 9))
    write(package, {".context/LEARNINGS.md": learned, ".context/learnings/more.md": learned})
    (package / "src" / "deep").mkdir()
    monkeypatch.chdir(package / "src" / "deep")
    day = ("--as-of", "2026-02-01")
    text = ctx("agent", *day).text
    least = ctx("agent", *day, "--budget", "90").text
    pointed = ctx("agent", *day, "--query", "orders", "--rules", "pointed").text
    status = ctx("status").text
    above, own = "../../../../.context/", "../../.context/"
    for shown in (text, least, pointed, status):
        assert f"{own}CONSTITUTION.md" in shown
        assert f"{above}CONSTITUTION.md" in shown
        assert "../../AGENTS.md" in shown
    assert f"({own}DECISIONS.md:1)" in text
    assert f"{above}ARCHITECTURE.md" in text
    counts = ctx("agent", *day, "--budget", "400").text
    assert f" learnings: {own}LEARNINGS.md, {own}learnings/\n" in counts
    order = next(line for line in status.splitlines() if line.startswith("read order"))
    assert f" {own}CONSTITUTION.md, {own}DECISIONS.md" in order
    names = [word.strip("(),").partition(":")[0] for word in (text + least + order).split()]
    paths = [name for name in names if name.startswith("../")]
    assert len(paths) > 8
    assert all((package / "src" / "deep" / path).exists() for path in paths), paths
    assert "sleep" in ctx("show", "../../AGENTS.md:1").text
    assert '"source": "DECISIONS.md"' in ctx("search", "carts", "--json").text
