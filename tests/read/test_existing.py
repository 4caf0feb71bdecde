"""Whether there is something at a path that an entry names."""

import os
from pathlib import Path

import pytest

from ctx.read import Existing

posix = pytest.mark.skipif(os.name != "posix", reason="links of POSIX")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a context directory, beside something else."""
    (tmp_path / "shop" / ".context" / "decisions").mkdir(parents=True)
    (tmp_path / "shop" / ".context" / "TASKS.md").touch()
    (tmp_path / "shop" / "src").mkdir()
    (tmp_path / "shop" / "src" / "Größe 1.py").touch()
    (tmp_path / "outside.py").touch()
    return tmp_path / "shop"


def _existing(project: Path) -> Existing:
    return Existing(str(project / ".context"), str(project))


def test_what_is_there(project: Path) -> None:
    (project / "link").symlink_to("nowhere")
    paths = (
        "src", "src/", "./src", "src/Größe 1.py", "src//Größe 1.py", "src/./Größe 1.py",
        ".context/TASKS.md", "TASKS.md", "decisions", ".", "link",
    )  # fmt: skip
    assert [path for path in paths if not _existing(project)(path)] == []


def test_what_is_not_there_or_not_to_be_looked_at(project: Path) -> None:
    paths = (
        "gone.py", "src/gone.py", "tasks/TASKS.md", "src/Größe 1.py/x",
        "../outside.py", "src/../../outside.py", "..", "src/..", "../shop/src",
        str(project / "src"), "/", "\0", "src\0", "src/\ud83d.py",
        "\udcff.py", "a" * 5_000, "a/" * 5_000,
    )  # fmt: skip
    assert [path for path in paths if _existing(project)(path)] == []


@posix
def test_what_stands_beyond_a_link_out_of_the_project_is_not_told(project: Path) -> None:
    (project / "up").symlink_to(project.parent)
    (project / "in").symlink_to(project / "src")
    existing = _existing(project)
    assert not existing("up/outside.py")
    assert existing("in/Größe 1.py")


def test_every_place_that_was_looked_at_is_remembered_with_what_was_seen(project: Path) -> None:
    existing = _existing(project)
    existing("src")
    existing("gone.py")
    existing("src")
    seen = {
        str(Path(place).relative_to(project)): bool(sig) for place, sig in existing.seen.items()
    }
    assert seen == {"src": True, "gone.py": False, ".context/gone.py": False}


def test_a_link_to_a_folder_of_a_similar_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop-secret").mkdir()
    (tmp_path / "shop-secret" / "x.py").write_text("")
    (tmp_path / "shop" / "link").symlink_to("../shop-secret")
    existing = Existing(str(tmp_path / "shop" / ".context"), str(tmp_path / "shop"))
    assert not existing("link/x.py")
