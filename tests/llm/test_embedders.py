"""Embedders from end to end: what they add, and that none of them ever breaks a packet."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from ctx.model import EmbeddingError
from tests.keeping import cache
from tests.llm import embedding_server as replies
from tests.llm.embedding_server import serving
from tests.rank.hands import call
from tests.read.samples import ROOT, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from tests.llm.embedding_server import Reply, Server
    from tests.rank.hands import Done

    Rows = npt.NDArray[Any]
    Answer = Callable[["Fake", Sequence[str]], Rows]

pytest.importorskip("numpy")

import numpy as np

AS_OF = "2026-02-01"
KEY = "sk-a-key-that-nobody-may-see"
ADDRESS = "openai:m@http://127.0.0.1:9"
"""The setting in tests whose embedder is a fake: nothing is ever sent there."""
ALL = ("--min-relevance", "0", "--json")
"""All that an embedder takes part in: nothing is left out as irrelevant."""
SEARCH = ("search", "payment callback", *ALL)
AGENT = ("agent", "--query", "payment callback", "--budget", "1200")
BATCHES = 5
"""Batches that the directory takes: so many files of few entries."""
needs_model = pytest.mark.skipif(
    not (ROOT / "ctx" / "llm" / "embedders" / "data" / "vectors.npy").exists(),
    reason="no model is there yet",
)
needs_urllib3 = pytest.mark.skipif(find_spec("urllib3") is None, reason="needs urllib3")


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A directory of a few files, each a batch of texts."""
    files = {
        f"decisions/{name}.md": "".join(
            f"## [2026-01-{day:02}] {name} {day}\n\nOf the {name} and its callback.\n\n"
            for day in range(1, 9)
        )
        for name in ("payment", "search", "cart", "label", "mail")[:BATCHES]
    }
    files["CONSTITUTION.md"] = "- Never lose a payment\n"
    return write(tmp_path / ".context", files)


class Fake:
    """An embedder that does as it is told, and counts how often it is asked."""

    name = "fake"
    nested = False
    dim = 4

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Rows:
        self.calls += 1
        return self._answer(self, texts)


def _rows(count: int, dim: int = 4) -> Rows:
    rows = np.arange(count * dim, dtype=np.float32).reshape(count, dim) % 7 + 1
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _works(_fake: Fake, texts: Sequence[str]) -> Rows:
    return _rows(len(texts))


def _fails(_fake: Fake, _texts: Sequence[str]) -> Rows:
    raise EmbeddingError("fake: broke at once")


def _fails_later(fake: Fake, texts: Sequence[str]) -> Rows:
    if fake.calls > 2:  # two batches; the question was asked of another
        raise EmbeddingError("fake: broke at the third batch")
    return _rows(len(texts))


def _is_slow(_fake: Fake, texts: Sequence[str]) -> Rows:
    time.sleep(0.2)
    return _rows(len(texts))


def _is_cramped(fake: Fake, texts: Sequence[str]) -> Rows:
    return _rows(len(texts), 4 if fake.calls == 1 else 5)


def _wavers(fake: Fake, texts: Sequence[str]) -> Rows:
    return _rows(len(texts), 4 + fake.calls % 2)


def _is_short(fake: Fake, texts: Sequence[str]) -> Rows:
    return _rows(len(texts) if fake.calls == 1 else 1)


def _is_silent(_fake: Fake, texts: Sequence[str]) -> Rows:
    return np.zeros((len(texts), 4), np.float32)


def _crashes(_fake: Fake, _texts: Sequence[str]) -> Rows:
    raise RuntimeError("of a library")


def _call(
    answer: Answer | None, root: str, *arguments: str, seconds: int = 60, later: int = 0
) -> Done:
    """Call ``ctx`` with a fake embedder; without ``answer`` one that cannot be made."""

    def embedder(_spec: str, _environ: object, _seconds: float) -> Fake:
        if answer is None:
            raise EmbeddingError("fake: cannot be made")
        return Fake(answer)

    with mock.patch("ctx.llm.embedders.embedder", embedder):
        environ = {"CTX_EMBEDDER": ADDRESS, "CTX_EMBED_SECONDS": str(seconds)}
        return call(*_that_day(arguments), "--dir", root, later=later, environ=environ)


def _that_day(arguments: Sequence[str]) -> list[str]:
    """Return ``arguments`` with a day to count from, for commands that take one."""
    return [*arguments, *(["--as-of", AS_OF] if arguments[0] in {"agent", "search"} else [])]


def _without(root: str, *arguments: str) -> Done:
    return call(*_that_day(arguments), "--dir", root, "--ranker", "discovery")


def _remembered(root: str) -> list[str]:
    folder = cache(root) / "responses"
    return os.listdir(folder) if folder.is_dir() else []


# --- fakes -----------------------------------------------------------------------------------

FAILURES = {
    "cannot be made": None,
    "broke at once": _fails,
    "broke at the third batch": _fails_later,
}


@pytest.mark.parametrize("why", FAILURES)
def test_an_embedder_that_fails_costs_a_line_and_no_packet(root: str, why: str) -> None:
    for arguments in (SEARCH, AGENT):
        plain = _without(root, *arguments)
        done = _call(FAILURES[why], root, *arguments)
        assert (done.code, done.out) == (0, plain.out)
        assert re.fullmatch(rf"ctx: ranked by words alone: .*{why}.*\n", done.err)


def test_an_embedder_that_is_slow_is_waited_for_no_longer_than_agreed(root: str) -> None:
    plain = _without(root, *SEARCH)
    done = _call(_is_slow, root, *SEARCH, seconds=1)
    assert (done.code, done.out) == (0, plain.out)
    assert re.fullmatch(
        r"ctx: ranked by words alone: \d+ of 41 entries have vectors, there was no time .*"
        r"`ctx index`.*\n",
        done.err,
    )
    calls = (_call(_is_slow, root, *SEARCH, seconds=1) for _ in range(BATCHES + 1))
    done = next(done for done in calls if not done.err)  # what there was time for is not done again
    assert '"meaning"' in done.text


def test_no_time_at_all_is_no_time(root: str) -> None:
    done = _call(_works, root, *SEARCH, seconds=0)
    assert (done.code, done.out) == (0, _without(root, *SEARCH).out)
    assert done.err.startswith("ctx: ranked by words alone: ")


@pytest.mark.parametrize("answer", [None, _fails_later])
def test_a_packet_without_the_vectors_it_should_have_is_not_remembered(
    root: str, answer: Answer | None
) -> None:
    for later in (60, 120):
        done = _call(answer, root, *AGENT, later=later)
        assert (done.code, done.err.count("\n")) == (0, 1)
    assert _remembered(root) == []
    for later in (240, 300):
        assert _call(_works, root, *AGENT, later=later).err == ""
    assert _remembered(root) != []


def test_an_embedder_that_says_nothing_of_use_changes_no_order_of_words(root: str) -> None:
    for arguments in (SEARCH, AGENT):
        done = _call(_is_silent, root, *arguments)
        assert (done.code, done.err) == (0, "")
        assert done.out == _without(root, *arguments).out


@pytest.mark.parametrize("answer", [_is_cramped, _wavers, _is_short, _crashes])
def test_an_embedder_that_lies_costs_a_line_and_no_packet(root: str, answer: Answer) -> None:
    for arguments in (SEARCH, AGENT):
        plain = _without(root, *arguments)
        done = _call(answer, root, *arguments)
        assert (done.code, done.out) == (0, plain.out)
        assert re.fullmatch(r"ctx: ranked by words alone: .*\n", done.err)


def test_a_model_that_has_changed_its_dimension_since_is_asked_for_all_again(root: str) -> None:
    def wider(_fake: Fake, texts: Sequence[str]) -> Rows:
        return _rows(len(texts), 6)

    assert _call(_works, root, *SEARCH).err == ""
    done = _call(wider, root, *SEARCH)
    assert (done.code, done.err) == (0, "")
    shutil.rmtree(cache(root))
    assert _call(wider, root, *SEARCH).out == done.out


def test_an_entry_that_changed_is_all_that_is_asked_for_again(root: str) -> None:
    asked: list[str] = []

    def noting(_fake: Fake, texts: Sequence[str]) -> Rows:
        asked.extend(texts)
        return _rows(len(texts))

    _call(noting, root, *SEARCH)
    path = Path(root) / "decisions" / "cart.md"
    path.write_text(path.read_text().replace("cart 3", "basket 3"), encoding="utf-8")
    asked.clear()
    assert _call(noting, root, *SEARCH).err == ""
    assert len(asked) == 2
    assert "basket 3" in asked[1]


def test_an_embedder_is_not_made_where_nobody_asks(root: str) -> None:
    def never(_fake: Fake, _texts: Sequence[str]) -> Rows:
        raise AssertionError

    assert _call(never, root, "agent", "--ranker", "brackets").code == 0
    assert _call(never, root, "status").code == 0


def test_without_a_query_the_tasks_are_what_the_embedder_is_asked(root: str) -> None:
    asked: list[str] = []

    def noting(_fake: Fake, texts: Sequence[str]) -> Rows:
        asked.extend(texts)
        return _rows(len(texts))

    tasks = ("[ ] Cart callback #in-progress", "[ ] Mail callback #in-progress", "[x] A zebra")
    text = "".join(f"- {task}\n" for task in tasks)
    (Path(root) / "TASKS.md").write_text(text, encoding="utf-8")
    small = ("agent", "--budget", "600")  # for no more than a query finds: behind it, age decides
    done = _call(noting, root, *small)
    query = asked[0]
    assert "Cart callback" in query
    assert "Mail callback" in query
    assert "zebra" not in query
    same = _call(noting, root, *small, "--query", query).out
    # What a query finds stands best first; else what is chosen stands oldest first.
    assert sorted(same.splitlines()) == sorted(done.out.splitlines())
    assert _call(noting, root, *small, "--query", "mail").out != done.out


def test_meaning_finds_what_shares_no_word(root: str) -> None:
    def meaning(_fake: Fake, texts: Sequence[str]) -> Rows:
        near = ["label 5" in text or text == "zebra" for text in texts]
        return np.asarray([[1, 0] if one else [0, 1] for one in near], np.float32)

    done = _call(meaning, root, "search", "zebra", *ALL)
    (first, *_) = json.loads(done.text)["results"]
    assert first["title"] == "label 5"
    assert first["parts"]["meaning"] == 1.0


# --- a server --------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on this machine."""
    pytest.importorskip("urllib3")
    with serving() as running:
        yield running


def _asked(server: Server, root: str, *arguments: str, **environ: str) -> Done:
    setting = {"CTX_EMBEDDER": f"openai:m@{server.origin}", **environ}
    return call(*_that_day(arguments), "--dir", root, environ=setting)


@pytest.mark.parametrize("arguments", [SEARCH, AGENT])
def test_a_server_is_asked_once_for_every_text(
    server: Server, root: str, arguments: tuple[str, ...]
) -> None:
    done = _asked(server, root, *arguments, CTX_EMBEDDER_KEY=KEY)
    assert (done.code, done.err) == (0, "")
    assert done.out != _without(root, *arguments).out or arguments is AGENT
    texts = [text for seen in server.requests for text in seen.texts]
    assert len(texts) == len(set(texts)) == 1 + 8 * BATCHES + 1
    assert all(seen.headers["Authorization"] == f"Bearer {KEY}" for seen in server.requests)
    server.requests.clear()
    again = _asked(server, root, *arguments)
    assert again.out == done.out
    assert [seen.texts for seen in server.requests] == [["payment callback"]]


REPLIES = {
    "500": replies.fails(500, f"internal: {KEY}"),
    "401": replies.fails(401, f"wrong key {KEY}"),
    "404": replies.fails(404, "no such model"),
    "half": replies.half,
    "not JSON": replies.says(b"certainly!"),
    "not vectors": replies.says(b'{"data": []}'),
    "other lengths": replies.with_vectors(lambda text: [1.0] * (1 + len(text) % 5)),
    "not finite": replies.with_vectors(lambda _text: [1.0, float("nan")]),
    "text": replies.with_vectors(lambda text: text),
    "never": replies.never_answers,
}


def _all_that_is_kept(root: str) -> bytes:
    files = (path for path in cache(root).rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files)


@pytest.mark.parametrize("name", REPLIES)
def test_a_server_that_misbehaves_costs_a_line_and_no_packet(
    server: Server, root: str, name: str
) -> None:
    arguments = AGENT if len(name) % 2 else SEARCH
    plain = _without(root, *arguments)
    server.otherwise = REPLIES[name]
    done = _asked(server, root, *arguments, CTX_EMBED_SECONDS="1", CTX_EMBEDDER_KEY=KEY)
    assert (done.code, done.out) == (0, plain.out)
    assert re.fullmatch(r"ctx: ranked by words alone: .*\n", done.err)
    assert "callback" not in done.err
    assert KEY not in done.err
    assert KEY.encode() not in _all_that_is_kept(root)


def _later(reply: Reply) -> list[Reply]:
    """Return replies of which the first two are honest."""
    return [replies.honest, replies.honest, *[reply] * 40]


@pytest.mark.parametrize("name", ["half", "never"])
def test_a_server_that_misbehaves_later_keeps_what_it_has_said(
    server: Server, root: str, name: str
) -> None:
    plain = _without(root, *AGENT)
    server.replies[:] = _later(REPLIES[name])
    done = _asked(server, root, *AGENT, CTX_EMBED_SECONDS="1", CTX_EMBEDDER_KEY=KEY)
    assert (done.code, done.out) == (0, plain.out)
    assert re.fullmatch(r"ctx: ranked by words alone: [1-9]\d* of 41 entries .*\n", done.err)
    server.replies.clear()
    server.requests.clear()
    assert _asked(server, root, *AGENT).err == ""
    assert 1 < sum(len(seen.texts) for seen in server.requests) < 42


@needs_urllib3
def test_nobody_at_the_address_costs_a_line_and_no_packet(root: str) -> None:
    with serving() as gone:
        pass
    plain = _without(root, *AGENT)
    done = _asked(gone, root, *AGENT, CTX_EMBED_SECONDS="3", CTX_EMBEDDER_KEY=KEY)
    assert (done.code, done.out) == (0, plain.out)
    assert re.fullmatch(r"ctx: ranked by words alone: .*cannot connect.*\n", done.err)


def test_the_key_is_nowhere_but_in_the_request(server: Server, root: str) -> None:
    explain = ("agent", "--explain", "--query", "x")
    for arguments in (SEARCH, AGENT, ("status",), ("index",), explain):
        done = _asked(server, root, *arguments, CTX_EMBEDDER_KEY=KEY)
        assert done.code == 0
        assert KEY not in done.text + done.err
    assert KEY.encode() not in _all_that_is_kept(root)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_a_key_that_is_none_and_a_password_are_not_repeated(server: Server, root: str) -> None:
    for key in ("sk-with\nnewline", "sk with space", "sk-ünïcode"):
        done = _asked(server, root, *SEARCH, CTX_EMBEDDER_KEY=key)
        assert (done.code, done.out) == (0, _without(root, *SEARCH).out)
        assert re.fullmatch(r"ctx: ranked by words alone: CTX_EMBEDDER_KEY .*\n", done.err)
        assert key not in done.err
        assert server.requests == []
    for address in ("http://user:hunter2@127.0.0.1:9", "http://127.0.0.1:9?key=hunter2"):
        done = call(*SEARCH, "--dir", root, environ={"CTX_EMBEDDER": f"openai:m@{address}"})
        assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
        assert "hunter2" not in done.err


# --- settings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (SEARCH, "openai:m@http://127.0.0.1:9"), (AGENT, "openai:m@https://example.org"),
        (("agent",), "local:/tmp"), (("index",), "plugin"),
    ],
)  # fmt: skip
def test_a_project_names_no_address_and_no_program_for_itself(
    root: str, arguments: tuple[str, ...], value: str
) -> None:
    (Path(root) / "config.toml").write_text(f'embedder = "{value}"\n', encoding="utf-8")
    done = call(*arguments, "--dir", root)
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert "config.toml: a project cannot set embedder to anything but none or static" in done.err
    assert "~/.config/ctx/config.toml or CTX_EMBEDDER" in done.err


def test_what_a_person_says_goes_before_what_a_project_says(server: Server, root: str) -> None:
    (Path(root) / "config.toml").write_text('embedder = "openai:m@http://127.0.0.1:9"\n')
    assert _asked(server, root, *SEARCH).code == 0
    assert call(*SEARCH, "--dir", root, "--embedder", "none").code == 0


def test_a_project_may_say_what_is_harmless(root: str) -> None:
    for value in ("none", "static"):
        (Path(root) / "config.toml").write_text(f'embedder = "{value}"\n', encoding="utf-8")
        done = call(*SEARCH, "--dir", root)
        assert done.code == 0
        assert json.loads(done.text)["results"]


def test_a_person_s_own_file_may_name_any(server: Server, root: str, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".config" / "ctx"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'embedder = "openai:m@{server.origin}"\n')
    done = call(*SEARCH, "--dir", root, home=str(tmp_path / "home"))
    assert (done.code, done.err) == (0, "")
    assert server.requests


# --- the model that comes with ctx -----------------------------------------------------------


def _static(root: str, *arguments: str) -> Done:
    return call(*arguments, "--dir", root, "--as-of", AS_OF, "--embedder", "static")


@needs_model
@pytest.mark.parametrize("ranker", ["hybrid", "discovery"])
def test_the_model_that_comes_with_ctx_takes_part(root: str, ranker: str) -> None:
    done = _static(root, "search", "payments that customers made", *ALL, "--ranker", ranker)
    assert (done.code, done.err) == (0, "")
    rows = json.loads(done.text)["results"]
    assert rows[0]["title"].startswith("payment")
    if ranker == "discovery":
        assert any("meaning" in row["parts"] for row in rows)


@needs_model
def test_the_same_bytes_on_any_number_of_threads(tmp_path: Path) -> None:
    words = ("cache", "retry", "payment", "zebra", "carrier", "label", "index", "token")
    body = "".join(
        f"## [2026-01-{n % 28 + 1:02}] {words[n % 8]} {n}\n\n{words[n % 7]} of {words[n % 5]}.\n\n"
        for n in range(700)
    )
    root = write(tmp_path / ".context", {"DECISIONS.md": body})
    command = [sys.executable, "-m", "ctx", "search", "the retry of a payment", "--limit", "200"]
    command += ["--json", "--dir", root, "--embedder", "static", "--ranker", "hybrid"]
    command += ["--as-of", AS_OF]
    out = set()
    for threads, seed, nothing in (("1", "0", "1"), ("2", "1", "")):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environ = {"PATH": os.environ["PATH"], "HOME": "/-", **dict.fromkeys(names, threads)}
        environ |= {"PYTHONHASHSEED": seed, **({"CTX_NO_CACHE": nothing} if nothing else {})}
        environ["CTX_EMBED_SECONDS"] = "60"
        done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, env=environ)
        assert done.stderr == b""
        out.add(done.stdout)
    assert len(out) == 1
