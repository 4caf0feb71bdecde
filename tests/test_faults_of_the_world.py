"""The store under a hostile world: it may cost speed, never a result and never a file.

Every run here has to say what a run without a store says, byte for byte.
"""

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ctx.store import parse_cache, response_cache
from tests import hostile
from tests.forked import forked
from tests.hostile import Ran, in_process, without_store
from tests.keeping import cache, state
from tests.sampling import EVERY

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and signals of POSIX")
TOKENIZER = (
    '{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,'
    '"pre_tokenizer":{"type":"%s"},"post_processor":null,"decoder":null,'
    '"model":{"type":"WordLevel","vocab":{"[UNK]":0},"unk_token":"[UNK]"}}'
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / ".context"
    hostile.plain(folder)
    return folder


@pytest.fixture
def warm(root: Path) -> Path:
    """A directory with a full store: the index and the whole packet."""
    for _ in range(2):
        _same(root)
    assert len(list((cache(root) / response_cache.FOLDER).iterdir())) == 1
    assert (cache(root) / parse_cache.NAME).stat().st_size > 4096
    return root


def _same(root: Path, **flags: object) -> Ran:
    """Run with the store; the answer has to be the one that there is without."""
    ran = in_process(root, 60.0, **flags)
    assert ran == without_store(root, **flags)
    assert ran.code == 0
    return ran


def _forget_packets(root: Path) -> None:
    shutil.rmtree(cache(root) / response_cache.FOLDER, ignore_errors=True)


# --- at once ------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "many_at_once"), [("fresh", 8), ("warm", 2), ("edited", 4)])
def test_runs_at_once_all_say_the_same(root: Path, state: str, many_at_once: int) -> None:
    if state != "fresh":
        hostile.ctx(root)
    if state == "edited":
        for number in range(20):
            name = f"decisions/{number}.md"
            (root / name).write_text("## [2026-03-03] New\n\nThing.\n", encoding="utf-8")
    right = without_store(root, as_of="2026-11-21")
    before = hostile.tree(root)
    running = [
        subprocess.Popen(
            hostile.command(root), cwd=hostile.REPOSITORY, env=hostile.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(many_at_once)
    ]  # fmt: skip
    ended = [(one, *one.communicate(timeout=hostile.HANGS)) for one in running]
    assert [Ran(out, err.decode(), one.returncode) for one, out, err in ended] == (
        [right] * many_at_once
    )
    assert hostile.tree(root) == before
    assert _same(root, as_of="2026-11-21") == right


# --- killed, and a full disk --------------------------------------------------------------


@posix
@pytest.mark.parametrize("piling", [False, True], ids=["cleared", "piling"])
@pytest.mark.parametrize("way", ["calls", "bytes", "full"])
def test_a_run_that_dies_at_any_moment(root: Path, way: str, piling: bool) -> None:
    before = hostile.tree(root)
    call = [sys.executable, "-m", "tests.dying", str(root), way, *["--piling"] * piling]
    ran = subprocess.run(
        call, cwd=hostile.REPOSITORY, env=hostile.environment(), capture_output=True, check=False
    )
    assert ran.stderr == b""
    found = json.loads(ran.stdout)
    assert found["wrong"] == []
    assert found["said"] > 1_000
    assert found["tried"] > 30 // EVERY
    assert found["died"] == 0 if way == "full" else found["died"] > 30 // EVERY
    (root / "decisions" / "edited.md").unlink()
    assert hostile.tree(root) == before


def test_a_disk_that_is_full_from_the_start(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = without_store(root)

    def full(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("mkdir", "replace"):
        monkeypatch.setattr(os, name, full)
        assert in_process(root) == right
        monkeypatch.undo()
    assert _same(root) == right


# --- permissions --------------------------------------------------------------------------


class Ward(NamedTuple):
    """A directory whose permissions count, even where the tests run as root."""

    root: Path

    def ctx(self, **variables: str) -> Ran:
        arguments = hostile.command(self.root)[3:]
        environ = hostile.environment(**variables)
        return Ran(*forked(arguments, hostile.REPOSITORY, environ, first=_bound_by_permissions))

    def same(self) -> Ran:
        right = self.ctx(CTX_NO_CACHE="1")
        assert [self.ctx() for _ in range(2)] == [right] * 2
        return right


def _bound_by_permissions() -> None:
    """Take from root, in a fork, that it passes over permissions."""
    if os.geteuid() == 0:
        library = ctypes.CDLL(None)
        header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        library.capget(header, sets)
        sets[0] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, of the effective ones
        assert library.capset(header, sets) == 0


@pytest.fixture
def ward(root: Path) -> Iterator[Ward]:
    if sys.platform != "linux" and os.geteuid() == 0:
        pytest.skip("root passes over permissions, and nothing here forbids it")
    ward = Ward(root)
    assert ward.ctx().code == 0
    yield ward
    for path in (root, root / "decisions", cache(root)):
        path.chmod(0o755)


@posix
@pytest.mark.parametrize("forgotten", [True, False], ids=["fresh", "warm"])
def test_a_directory_that_may_only_be_read(ward: Ward, forgotten: bool) -> None:
    if forgotten:
        shutil.rmtree(cache(ward.root))
        cache(ward.root).mkdir(mode=0o555)
    for folder in (cache(ward.root), ward.root):
        folder.chmod(0o555)
    ran = ward.same()
    assert (ran.code, ran.err) == (0, "")
    (ward.root / "TASKS.md").write_text("- [ ] edited meanwhile\n", encoding="utf-8")
    assert b"edited meanwhile" in ward.same().out


@posix
def test_a_store_and_an_index_of_any_permissions(ward: Ward) -> None:
    for bits in (0o000, 0o444, 0o111, 0o555, 0o300):
        cache(ward.root).chmod(bits)
        ran = ward.same()
        assert (ran.code, ran.err) == (0, "")
        cache(ward.root).chmod(0o755)
    for bits in (0o000, 0o444, 0o200):
        (cache(ward.root) / parse_cache.NAME).chmod(bits)
        ran = ward.same()
        assert (ran.code, ran.err) == (0, "")


@posix
def test_what_may_not_be_read_is_named_and_the_others_said(ward: Ward) -> None:
    (ward.root / "DECISIONS.md").chmod(0)
    ran = ward.same()
    assert ran.code == 0
    assert ran.err == f"ctx: {ward.root}/DECISIONS.md: cannot be read: Permission denied\n"
    assert b"Learning 28" in ran.out
    assert b"Themed" in ran.out
    assert b"Decision 28" not in ran.out
    (ward.root / "DECISIONS.md").chmod(0o644)
    (ward.root / "decisions").chmod(0)
    ran = ward.same()
    assert (ran.code, ran.err) == (
        0,
        f"ctx: {ward.root}/decisions/: cannot be read: Permission denied\n",
    )
    assert b"Decision 28" in ran.out
    ward.root.chmod(0o111)
    ran = ward.same()
    assert (ran.code, ran.out) == (6, b"")
    assert ran.err == f"ctx: {ward.root}: cannot be read: Permission denied\n"


# --- something else in the store's place --------------------------------------------------


def _file(place: Path) -> None:
    place.write_bytes(b"mine")


def _link(place: Path) -> None:
    (place.parent.parent / "outside").mkdir()
    place.symlink_to(place.parent.parent / "outside")


def _dangling(place: Path) -> None:
    place.symlink_to("nowhere")


def _loop(place: Path) -> None:
    place.symlink_to(place.name)


def _pipe(place: Path) -> None:
    os.mkfifo(place)


@posix
@pytest.mark.parametrize(
    ("make", "session"),
    [
        (_file, True), (_link, True), (_link, False), (_dangling, False), (_loop, True),
        (_pipe, True),
    ],
)  # fmt: skip
def test_something_else_in_the_place_of_the_store(
    root: Path, make: Callable[[Path], None], session: bool
) -> None:
    stores = (cache(root), state(root))
    for store in stores:
        store.parent.mkdir(parents=True, mode=0o700)
        make(store)
    before = [look(store) for store in stores]
    flags: dict[str, object] = {"session": "s", "cooldown": "10m"} if session else {}
    ran = _same(root, **flags)
    assert _same(root, **flags) == ran  # nothing was noted, so it is said again
    assert ran.err == ""
    assert [look(store) for store in stores] == before
    for store in stores:
        outside = store.parent.parent / "outside"
        assert not outside.exists() or list(outside.iterdir()) == []


def look(path: Path) -> tuple[int, ...]:
    """Return what tells whether ``path`` itself was changed: not when somebody last read it."""
    status = path.lstat()
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


# --- stale answers ------------------------------------------------------------------------


def _replace_in(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def _keep_size_and_time(root: Path) -> None:
    status = (root / "TASKS.md").stat()
    _replace_in(root / "TASKS.md", "retry", "REPLY")
    os.utime(root / "TASKS.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (root / "TASKS.md").stat().st_size == status.st_size


def _swap(root: Path) -> None:
    status = (root / "TASKS.md").stat()
    other = root / "other"
    other.write_bytes((root / "TASKS.md").read_bytes().replace(b"retry", b"REPLY"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(root / "TASKS.md")


def _add(root: Path) -> None:
    (root / "decisions" / "new.md").write_text("## [2026-03-09] New\n", encoding="utf-8")


def _new_folder(root: Path) -> None:
    (root / "learnings").mkdir()
    (root / "learnings" / "new.md").write_text("## [2026-03-09] New\n", encoding="utf-8")


def _new_name(root: Path) -> None:
    (root / "GLOSSARY.md").write_text("only its name is said\n", encoding="utf-8")


def _into_directory(root: Path) -> None:
    (root / "TASKS.md").unlink()
    (root / "TASKS.md").mkdir()


CHANGES: list[Callable[[Path], object]] = [
    _keep_size_and_time, _swap, _add, _new_folder, _new_name, _into_directory,
    lambda root: (root / "decisions" / "themed.md").unlink(),
    lambda root: shutil.rmtree(root / "decisions"),
    lambda root: (root / "TASKS.md").rename(root / "tasks.md"),
    lambda root: (root / "TASKS.md").unlink(),
    lambda root: (root / "config.toml").write_text("budget = 700\n", encoding="utf-8"),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(warm: Path, change: Callable[[Path], object]) -> None:
    before = _same(warm)
    change(warm)
    after = _same(warm)
    assert after != before
    assert _same(warm) == after


def test_an_edit_within_the_same_tick_of_the_clock_is_seen(root: Path) -> None:
    seen = set()
    for number in range(40):
        (root / "TASKS.md").write_text(f"- [ ] task {number % 10}\n", encoding="utf-8")
        ran = in_process(root, 0.0)
        assert ran == without_store(root)
        seen.add(ran.out)
    assert len(seen) == 10


def test_settings_of_the_user_are_watched(warm: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = _same(warm, home=str(home))
    config = home / ".config" / "ctx" / "config.toml"
    config.parent.mkdir(parents=True)
    said = {before.out}
    for budget in (700, 800):
        config.write_text(f"budget = {budget}\n", encoding="utf-8")
        said.add(_same(warm, home=str(home)).out)
    assert len(said) == 3
    assert _same(warm, home=str(tmp_path / "other")) == before
    config.unlink()
    assert _same(warm, home=str(home)) == before


def test_variables_flags_and_days_are_told_apart(warm: Path) -> None:
    calls: list[dict[str, object]] = [
        {}, {"budget": "700"}, {"budget": "900"}, {"budget": "900", "format": "json"},
        {"budget": "700", "query": "learning"}, {"environ": {"CTX_BUDGET": "800"}},
        {"environ": {"CTX_BUDGET": "800", "CTX_FORMAT": "json"}},
        {"budget": "1500", "query": "retry", "as_of": "2026-01-20"},
        {"budget": "1500", "query": "retry", "today": "2026-01-20"},
        {"budget": "1500", "query": "retry"},
    ]  # fmt: skip
    first = [_same(warm, **dict(call)) for call in calls]
    assert [_same(warm, **dict(call)) for call in calls] == first
    assert len({ran.out for ran in first}) > len(calls) // 2


def test_a_tokenizer_that_changed_counts_anew(warm: Path, tmp_path: Path) -> None:
    """Also one of the same name in another working directory."""
    pytest.importorskip("tokenizers")
    said = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        for split in ("Whitespace", "WhitespaceSplit"):
            (folder / "tokenizer.json").write_text(TOKENIZER % split, encoding="utf-8")
            with contextlib.chdir(folder):
                said.append(_same(warm, tokenizer="tokenizer.json", format="json"))
                assert _same(warm, tokenizer="tokenizer.json", format="json") == said[-1]
    assert said[0] != said[1]
    assert said[:2] == said[2:]


# --- streams ------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("closing", "code", "said"),
    [
        (">&-", 6, "ctx: standard output: cannot be written: it is closed\n"),
        (">/dev/full", 6, "ctx: standard output: cannot be written: No space left on device\n"),
        ("2>&-", 0, ""),
        ("--query - <&-", 0, ""),
    ],
)
def test_streams_that_are_closed(root: Path, closing: str, code: int, said: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {closing}', "sh", *hostile.command(root)],
        cwd=hostile.REPOSITORY, env=hostile.environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr.decode()) == (code, said)
    assert bool(ran.stdout) == (code == 0)
