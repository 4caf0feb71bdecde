"""What holds for all tests: whose home they run in, and settings of the property tests."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ctx.hosts import sessions
from tests.hostile import REPOSITORY
from tests.imported import at_shop
from tests.keeping import make_repository, root_outside
from tests.quick import LONG, is_quick, is_slow
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


_ROOTS = ("/tmp", "/var/tmp", "/dev/shm", "~")  # noqa: S108 - where ``mkdtemp`` makes a folder


@pytest.hookimpl(tryfirst=True)  # before pytest makes its temporary folder
def pytest_configure(config: pytest.Config) -> None:
    """Give the tests a root outside of all repositories, whatever lies above the usual one."""
    given = Path(config.option.basetemp or tempfile.gettempdir())
    root = root_outside(given, (Path(place).expanduser() for place in _ROOTS))
    if root != given:
        config.add_cleanup(partial(shutil.rmtree, root, ignore_errors=True))
        config.option.basetemp = root / "pytest"
        os.environ["TMPDIR"] = tempfile.tempdir = str(root)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick``."""
    parser.addoption("--quick", action="store_true", help="only what runs in a minute")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare a quick run the import of files that it has no tests of."""
    return True if config.option.quick and is_slow(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first; workers take files in this order."""
    if config.option.quick:
        rest = [item for item in items if not is_quick(item)]
        items[:] = [item for item in items if is_quick(item)]
        config.hook.pytest_deselected(items=rest)
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
