"""What holds for all tests: whose home they run in, and settings of the property tests."""

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ctx.hosts import sessions
from tests.hostile import REPOSITORY
from tests.imported import at_shop
from tests.keeping import make_repository
from tests.sampling import ALL

# No property is judged by the time it takes, nor by how many of the examples that were drawn by
# chance were large or of no use; and an example that shares a folder with another empties it.
settings.register_profile(
    "desk",
    deadline=None,
    max_examples=100 if ALL else 25,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)
# At a desk every run draws other examples and may find what nobody thought of. Where CI
# judges a change, the examples follow from the test alone, so that it judges the change.
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

_NUMBERS = count()

LONG = (
    "serve/test_pages.py", "test_page.py", "test_transcripts.py", "test_patterns.py",
    "app/explain/test_explain.py", "test_docs.py", "test_law.py", "test_hostile.py",
)  # fmt: skip
"""The files that take longest: they begin, lest one of them is the last to end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; workers take files in this order."""
    ranks = {Path(__file__).parent / name: place for place, name in enumerate(LONG)}
    assert all(map(Path.exists, ranks))
    items.sort(key=lambda item: ranks.get(item.path, len(LONG)))


def pytest_collection_finish() -> None:
    """Spare collections what the tests do not make themselves: they would take a 25th of all."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for what ctx keeps while tests run."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="session", autouse=True)
def _at_no_real_home(homes: Path) -> None:
    """Take from all tests, and from what they start, home and session of who runs them."""
    for name in sessions():
        os.environ.pop(name, None)
    (homes / "home").mkdir(mode=0o700)
    os.environ["HOME"] = os.environ["USERPROFILE"] = str(homes / "home")


@pytest.fixture(scope="session", autouse=True)
def _without_waits_for_the_disk() -> Iterator[None]:
    """Let ``os.fsync`` say only whether a file is open: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture(autouse=True)
def keeps(homes: Path) -> Iterator[Path]:
    """Return the folder that holds what ctx keeps in this test: ``cache/ctx`` and ``state/ctx``."""
    folder = homes / str(next(_NUMBERS))
    with pytest.MonkeyPatch.context() as patch:  # not that of the tests, which they may undo
        # Not by variables of ctx, which many tests take from what they start.
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("LOCALAPPDATA", str(folder / "state"))
        yield folder


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the sample project, as working directory."""
    ignored = shutil.ignore_patterns(".ctx")
    place = tmp_path / "shop"
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", place, ignore=ignored)
    make_repository(place)
    monkeypatch.chdir(place)
    return at_shop(place)


# Who runs the tests in the background has them ignore interrupts, and so what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
