"""``ctx index`` as people meet it: what it makes, says, keeps and does when it is stopped."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import pytest

from ctx import rank
from ctx.model import Entry
from ctx.store import words as lexicon
from ctx.store.places import prepare
from tests.hostile import HANGS, REPOSITORY, Ran, environment, tree
from tests.keeping import cache
from tests.llm import embedding_server as replies
from tests.llm.embedding_server import Handler, Server, serving
from tests.rank.hands import call
from tests.read.samples import write
from tests.terminal import IN_ONE

FILES = ("payment", "search", "cart", "label", "mail")
EACH = 8
ENTRIES = EACH * len(FILES) + 1

posix = pytest.mark.skipif(os.name != "posix", reason="signals, terminals and modes of POSIX")
needs_numpy = pytest.mark.skipif(find_spec("numpy") is None, reason="needs numpy")
needs_urllib3 = pytest.mark.skipif(find_spec("urllib3") is None, reason="needs urllib3")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory of a few files, each a batch of texts."""
    files = {
        f"decisions/{name}.md": "".join(
            f"## [2026-01-{day:02}] {name} {day}\n\nOf the {name} and its callback.\n\n"
            for day in range(1, EACH + 1)
        )
        for name in FILES
    }
    files["CONSTITUTION.md"] = "- Never lose a payment\n"
    return Path(write(tmp_path / ".context", files))


def _command(root: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "ctx", "index", "--dir", str(root), *options]


def _index(root: Path, *options: str, start: Sequence[str] = (), **variables: str) -> Ran:
    """Run ``ctx index``, in a process of its own where that matters."""
    if not start and "PYTHONPATH" not in variables:
        home = str(root.parent)
        here = call("index", "--dir", str(root), *options, environ=variables, home=home)
        return Ran(here.out, here.err, here.code)
    done = subprocess.run(
        [*start, *_command(root, *options)],
        cwd=REPOSITORY,
        env=environment(HOME=str(root.parent), **variables),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Ran(done.stdout, done.stderr.decode(), done.returncode)


def _status(root: Path, *options: str, **variables: str) -> dict[str, object]:
    """Return what ``ctx index --status`` says."""
    ran = _index(root, "--status", "--json", *options, **variables)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, object] = json.loads(ran.out)
    return found


def _all(root: Path) -> dict[str, tuple[int, ...]]:
    """Return everything below ``root`` with what would show that it was touched."""
    paths = [root, *sorted(root.rglob("*"))]
    stats = ((path, path.lstat()) for path in paths)
    return {
        str(path.relative_to(root)): (one.st_mode, one.st_size, one.st_mtime_ns, one.st_ino)
        for path, one in stats
    }


# --- help and mistakes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says", "try_"),
    [
        (["extra"], "extra", "ctx index --help"),
        (["--embedder", "static:big"], "'static' takes no argument", "one of"),
        (["--embedder", "local:models/small"], "'local:'", "whole path"),
        (["--embedder", ""], "embedder", "non-empty"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_that_says_what_and_what_to_try(
    root: Path, options: list[str], says: str, try_: str
) -> None:
    done = call("index", "--dir", str(root), *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert says in done.err
    assert try_ in done.err


@needs_numpy
def test_a_mistake_throws_nothing_away(root: Path) -> None:
    assert _index(root, "--embedder", "static").code == 0
    assert _index(root, "--rebuild", "--embedder", "statik").code == 2
    assert _status(root, "--embedder", "static")["vectors"] == ENTRIES


# --- what it makes and says -------------------------------------------------------------------


def test_an_object_has_known_keys(root: Path) -> None:
    ran = _index(root, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found.pop("bytes") > 0
    assert found == {
        "root": str(root), "entries": ENTRIES, "words": ENTRIES, "embedder": "none", "vectors": 0,
    }  # fmt: skip
    found["bytes"] = _status(root)["bytes"]
    assert _status(root) == found


def test_what_changed_is_told_and_mended(root: Path) -> None:
    assert _index(root).code == 0
    path = root / "decisions" / "cart.md"
    path.write_text(path.read_text("utf-8").replace("cart 3", "basket 3"), encoding="utf-8")
    (root / "decisions" / "mail.md").unlink()
    (root / "LEARNINGS.md").write_text("## [2026-01-31] A zebra\n\nIt is new.\n", encoding="utf-8")
    found = _status(root)
    assert (found["entries"], found["words"]) == (ENTRIES - EACH + 1, ENTRIES - 2 * EACH)
    said = _index(root, "--status").out.decode()
    assert f"words: {found['words']} of {found['entries']} entries, `ctx index` makes" in said
    assert _index(root).code == 0
    assert _status(root)["words"] == found["entries"]


def test_what_is_indexed_is_what_a_search_needs_and_changes_no_answer(root: Path) -> None:
    search = ("search", "basket callback", "--dir", str(root), "--json", "--as-of", "2026-02-01")
    plain = call(*search, environ={"CTX_NO_CACHE": "1"})
    assert _index(root).code == 0
    assert call(*search) == plain
    (cache(root) / lexicon.NAME).write_bytes(b"damaged")
    assert call(*search) == plain
    assert _index(root).code == 0
    assert _status(root)["words"] == ENTRIES


@posix
def test_all_that_it_makes_is_for_its_owner_alone(root: Path) -> None:
    assert _index(root).code == 0
    store = cache(root)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (store, *store.iterdir()))


def test_several_at_once_all_end_well(root: Path) -> None:
    running = [
        subprocess.Popen(
            _command(root),
            cwd=REPOSITORY,
            env=environment(HOME=str(root.parent)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    ended = [(one.communicate(timeout=HANGS), one.returncode) for one in running]
    assert [code for _, code in ended] == [0] * 3
    for (_, err), _ in ended:
        assert re.fullmatch(r"(ctx: .* words could not be kept there now; .*\n)?", err.decode())
    assert _index(root).err == ""
    assert _status(root)["words"] == ENTRIES


# --- rebuild ----------------------------------------------------------------------------------


def test_rebuild_makes_all_of_it_anew(root: Path) -> None:
    assert _index(root).code == 0
    held = (cache(root) / lexicon.NAME).stat().st_ino, tree(root)
    with (cache(root) / lexicon.NAME).open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff" * 50)
    ran = _index(root, "--rebuild")
    assert (ran.code, ran.err) == (0, "")
    assert held[1] == tree(root)
    assert _status(root)["words"] == ENTRIES


def test_rebuild_asks_the_embedder_for_every_text_again(root: Path, server: Server) -> None:
    place = _place(server)
    assert _index(root, **place).code == 0
    server.requests.clear()
    assert _index(root, **place).code == 0
    assert _texts(server) == []
    assert _index(root, "--rebuild", **place).code == 0
    assert len(_texts(server)) == ENTRIES


@needs_urllib3
def test_rebuild_keeps_vectors_where_the_embedder_does_not_answer(
    root: Path, server: Server
) -> None:
    place = _place(server)
    assert _index(root, **place).code == 0
    server.otherwise = replies.fails(503, "busy")
    assert _index(root, "--rebuild", **place).code == 7
    server.otherwise = replies.honest
    assert _status(root, **place)["vectors"] == ENTRIES


# --- status changes nothing -------------------------------------------------------------------


@needs_numpy
def test_status_makes_nothing_and_touches_nothing(root: Path) -> None:
    options: tuple[tuple[str, ...], ...] = ((), ("--embedder", "static"), ("--rebuild",))
    before = _all(root)
    for more in options:
        found = _status(root, *more)
        counts = [found[name] for name in ("entries", "words", "vectors", "bytes")]
        assert counts == [ENTRIES, 0, 0, 0]
        assert _all(root) == before
    assert _index(root, "--embedder", "static").code == 0
    before = _all(root)
    for more in options:
        assert _status(root, *more, CTX_NO_CACHE="1")["words"] == ENTRIES
        assert _all(root) == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [(lexicon.NAME, b"damaged"), ("index.db", b"SQLite format 3\0" + b"\xff" * 9000)],
)
def test_status_mends_nothing(root: Path, name: str, damage: bytes) -> None:
    assert _index(root).code == 0
    (cache(root) / name).write_bytes(damage)
    _status(root)
    assert (cache(root) / name).read_bytes() == damage
    assert _index(root).code == 0
    assert _status(root)["words"] == ENTRIES


@posix
@needs_numpy
def test_what_may_only_be_read_has_a_status_and_is_not_indexed(root: Path) -> None:
    with _read_only(root) as start:
        before = _all(root)
        ran = _index(root, start=start)
        assert (ran.code, ran.out, ran.err.count("\n")) == (6, b"", 1)
        assert "nothing can be kept" in ran.err
        assert _all(root) == before
    assert _index(root, "--embedder", "static").code == 0
    (root / "TASKS.md").write_text("- [ ] One more\n")
    with _read_only(root) as start:
        before = _all(root)
        ran = _index(root, "--status", "--json", "--embedder", "static", start=start)
        assert (ran.code, ran.err) == (0, "")
        found = json.loads(ran.out)
        assert (found["words"], found["vectors"]) == (ENTRIES, ENTRIES)
        ran = _index(root, "--embedder", "static", start=start)
        assert (ran.code, ran.out, ran.err.count("\n")) == (6, b"", 1)
        assert _all(root) == before


# --- interruption -----------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on this machine."""
    pytest.importorskip("urllib3")
    pytest.importorskip("numpy")
    with serving() as running:
        yield running


def _place(server: Server) -> dict[str, str]:
    return {"CTX_EMBEDDER": f"openai:m@{server.origin}"}


def _texts(server: Server) -> list[str]:
    """Return what was asked but for the question that every run begins with."""
    return [text for seen in server.requests for text in seen.texts if "\n" in text]


def _hold(server: Server) -> list[object]:
    """Let the server answer two batches, and hold the third; return who is held."""
    held: list[object] = []

    def hold(handler: Handler, texts: list[str]) -> None:
        held.append(handler)
        replies.never_answers(handler, texts)

    server.replies[:] = [replies.honest] * 3
    server.otherwise = hold
    return held


@posix
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -15), ("SIGKILL", -9)])
def test_what_is_stopped_in_the_middle_goes_on_where_it_stopped(
    root: Path, server: Server, name: str, code: int
) -> None:
    place = _place(server)
    ran = _stopped(root, server, name)
    assert (ran.code, ran.out) == (code, b"")
    assert ran.err == ("ctx: interrupted\n" if name == "SIGINT" else "")
    server.otherwise = replies.honest
    found = _status(root, **place)
    assert found["words"] == ENTRIES
    assert 0 < int(str(found["vectors"])) < ENTRIES
    done = set(_texts(server)[:-EACH])
    server.requests.clear()
    ran = _index(root, **place)
    assert (ran.code, ran.err) == (0, "")
    assert done.isdisjoint(_texts(server))
    assert _status(root, **place)["vectors"] == ENTRIES


def _stopped(root: Path, server: Server, name: str) -> Ran:
    """Send a signal to a run that waits for its third batch."""
    held = _hold(server)
    running = subprocess.Popen(
        _command(root),
        cwd=REPOSITORY,
        env=environment(HOME=str(root.parent), **_place(server)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not held and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(getattr(signal, name))
    out, err = running.communicate(timeout=HANGS)
    return Ran(out, err.decode(), running.returncode)


def test_words_that_were_indexed_before_an_interruption_are_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields, asked = rank.fields, []

    def interrupted(entry: Entry) -> tuple[str, str, str, int]:
        asked.append(entry)
        if len(asked) > ENTRIES // 2:
            raise KeyboardInterrupt
        return fields(entry)

    monkeypatch.setattr(lexicon, "BATCH", 1)
    monkeypatch.setattr(rank, "fields", interrupted)
    done = call("index", "--dir", str(root))
    assert (done.code, done.out) == (130, b"")
    monkeypatch.undo()
    assert 0 < int(str(_status(root)["words"])) < ENTRIES
    assert _index(root).code == 0
    assert _status(root)["words"] == ENTRIES


# --- embedders that cannot be used, or fail ---------------------------------------------------


def test_without_numpy_it_is_exit_7_with_what_to_install(root: Path, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "numpy.py").write_text("raise ModuleNotFoundError(name='numpy')\n")
    path = os.pathsep.join([str(tmp_path / "without"), REPOSITORY])
    ran = _index(root, "--embedder", "static", PYTHONPATH=path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (7, b"", 1)
    assert "pip install '.[embed]'" in ran.err
    assert _index(root, PYTHONPATH=path).code == 0
    assert _status(root)["words"] == ENTRIES


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (replies.fails(401), "CTX_EMBEDDER_KEY"),
        (replies.fails(302, Location="http://127.0.0.1:9/"), "not followed"),
        (replies.says(b"<html>", Content_Type="text/html"), "web page"),
    ],
)
def test_a_server_that_refuses_is_exit_7_with_what_to_do(
    root: Path, server: Server, reply: replies.Reply, says: str
) -> None:
    server.otherwise = reply
    ran = _index(root, **_place(server))
    assert (ran.code, ran.out, ran.err.count("\n")) == (7, b"", 1)
    assert says in ran.err


def test_a_server_that_fails_in_the_middle_is_exit_7_and_keeps_what_was_done(
    root: Path, server: Server
) -> None:
    server.replies[:] = [replies.honest] * 3
    server.otherwise = replies.fails(401)
    ran = _index(root, **_place(server))
    assert (ran.code, ran.out, ran.err.count("\n")) == (7, b"", 1)
    said = re.match(rf"ctx: (\d+) of {ENTRIES} entries have vectors: ", ran.err)
    assert said
    assert 0 < int(said[1]) < ENTRIES
    assert "run it again to go on" in ran.err
    assert _status(root, **_place(server))["vectors"] == int(said[1])
    server.otherwise = replies.honest
    server.requests.clear()
    assert _index(root, **_place(server)).code == 0
    assert len(_texts(server)) == ENTRIES - int(said[1])


def test_no_variable_of_proxies_is_obeyed(root: Path, server: Server) -> None:
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    ran = _index(root, **_place(server), **proxies)
    assert (ran.code, ran.err) == (0, "")


# --- where nothing can be kept ----------------------------------------------------------------


@contextlib.contextmanager
def _read_only(root: Path) -> Iterator[list[str]]:
    """Forbid to write below ``root`` and in the cache; yield what a command starts with.

    Also where it is root.
    """
    start: list[str] = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root passes over permissions, and there is no setpriv to forbid it")
        dropped = "-dac_override,-dac_read_search"
        start = ["setpriv", f"--inh-caps={dropped}", f"--bounding-set={dropped}"]
    home = Path(os.environ["XDG_CACHE_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    every = (root, *root.rglob("*"), home, *home.rglob("*"))
    paths = [path for path in every if path.is_dir() or path.suffix == ".db"]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        yield start
    finally:
        for path in paths:
            path.chmod(0o700 if path.is_dir() else 0o600)


@posix
def test_a_link_in_the_place_of_the_store_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / lexicon.NAME).write_bytes(b"mine")
    prepare(str(root), os.environ, "")
    store = cache(root)
    shutil.rmtree(store)
    store.symlink_to(tmp_path / "outside")
    for options in ((), ("--rebuild",)):
        ran = _index(root, *options)
        assert (ran.code, ran.out, ran.err.count("\n")) == (6, b"", 1)
    assert _status(root)["words"] == 0
    assert [path.name for path in (tmp_path / "outside").iterdir()] == [lexicon.NAME]
    assert (tmp_path / "outside" / lexicon.NAME).read_bytes() == b"mine"


def test_words_that_another_process_has_locked_are_said_not_to_be_kept(root: Path) -> None:
    assert _index(root).code == 0
    path = root / "decisions" / "mail.md"
    path.write_text(path.read_text("utf-8").replace("mail 3", "post 3"), encoding="utf-8")
    with contextlib.closing(sqlite3.connect(cache(root) / lexicon.NAME)) as other:
        other.execute("BEGIN IMMEDIATE")
        ran = _index(root)
        other.rollback()
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert "words could not be kept there now; run it again" in ran.err
    assert _index(root).err == ""
    assert _status(root)["words"] == ENTRIES


# --- terminals --------------------------------------------------------------------------------


def _on_a_terminal(root: Path, *options: str, **variables: str) -> str:
    """Return all that a terminal is sent."""
    start = [sys.executable, "-c", IN_ONE, ""]
    usual = {"TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    ran = _index(root, *options, start=start, **usual | variables)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.decode().replace("\r\n", "\n")


@posix
@needs_numpy
def test_a_terminal_is_shown_how_far_it_is(root: Path) -> None:
    text = _on_a_terminal(root, "--embedder", "static")
    assert f"{ENTRIES}/{ENTRIES}" in text
    assert re.search(r"words .*\x1b.*vectors ", text, re.DOTALL)
    ends = text.rpartition("\x1b[2K")[2]  # the bars are wiped
    again = _index(root, "--embedder", "static").out.decode()
    assert ends.splitlines()[1:] == again.splitlines()[1:]


@posix
def test_bars_go_to_standard_error_alone(root: Path) -> None:
    path = root.parent / "out"
    start = [sys.executable, "-c", IN_ONE, str(path)]
    ran = _index(root, "--json", start=start, TERM="xterm", LC_ALL="C.UTF-8")
    assert b"words" in ran.out  # of the terminal
    assert json.loads(path.read_bytes())["words"] == ENTRIES


def test_a_run_without_a_terminal_imports_nothing_that_draws(root: Path) -> None:
    with mock.patch.dict(sys.modules, {"rich.progress": None}):
        assert call("index", "--dir", str(root)).code == 0
