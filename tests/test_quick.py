"""What ``--quick`` leaves out, and that the tests have a root of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import forked
from tests.keeping import is_inside, make_repository, root_outside
from tests.quick import starts


def _by_a_helper() -> None:
    subprocess.run([sys.executable], check=True)


def _nested() -> object:
    return [subprocess.run([sys.executable], check=True) for _ in range(2)]


class _Server:
    def start(self) -> None:
        _nested()


def _by_a_class() -> _Server:
    return _Server()


@pytest.mark.parametrize("function", [_by_a_helper, _nested, _by_a_class, forked])
def test_what_starts_a_process_is_not_quick(function: object) -> None:
    assert starts(function)


@pytest.mark.parametrize("function", [lambda: sys.executable, root_outside, make_repository])
def test_what_starts_none_is_quick(function: object) -> None:
    assert not starts(function)


@pytest.mark.parametrize("real", [False, True], ids=["an empty .git", "a repository"])
def test_a_root_inside_a_repository_is_another_one(tmp_path: Path, real: bool) -> None:
    outer, free = tmp_path / "outer", tmp_path / "free"
    given = outer / "deep" / "temporary"
    given.mkdir(parents=True)
    free.mkdir()
    assert root_outside(given, [free]) == given
    if real:
        make_repository(outer)
    (outer / ".git").mkdir(exist_ok=True)
    assert root_outside(given, [given, tmp_path / "none", free]).parent == free


def test_the_tests_run_outside_of_the_repository_that_their_root_is_in(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert not is_inside(tmp_path_factory.getbasetemp())
    make_repository(tmp_path)
    inner = f"{__file__}::test_a_root_inside_a_repository_is_another_one"
    options = ("-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "inside"))
    command = [sys.executable, "-m", "pytest", *options, inner]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[1], capture_output=True)
    assert not (tmp_path / "inside").exists()
