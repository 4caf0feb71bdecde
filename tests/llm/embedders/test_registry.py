"""Which embedder a setting means, and embedders of other packages."""

import importlib.metadata
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctx.errors import UsageError
from ctx.llm.deadline import left_behind
from ctx.llm.embedders import check, embedder, schemes
from ctx.llm.spec import EMBEDDING, address, key
from ctx.model import Embedder, EmbeddingError

HIDDEN = "a-secret-that-no-message-may-hold"


def test_none_is_no_embedder() -> None:
    assert embedder("none", {}, 5) is None


# --- settings ---------------------------------------------------------------------------


def test_a_setting_that_can_be_meant_is_taken() -> None:
    for spec in (
        "none", "static", "openai:nomic-embed-text:v1.5@http://localhost:11434",
        "openai:@cf/baai/bge-m3@https://api.cloudflare.com/client/v4/accounts/1/ai/v1",
        "openai:m@HTTP://[::1]:8080/", "local:~/models/mini", "acme", "acme:large @ home",
    ):  # fmt: skip
        check(spec)


REFUSED = (
    "", " ", "none:", "none:x", "static:x", "static:", ":x", "über", "two words", "openai",
    "openai:", "openai:model", "openai:model@", "openai:@http://host",
    "openai:model@localhost:11434", "openai:model@ftp://host", "openai:model@http://",
    "openai:model@http:///v1", "openai:model@http://host:port", "openai:model@http://host:99999",
    "openai:model@http://host:", "openai:model@http://[::1", "openai:model@http://ho st/",
    "openai:model\n@http://host", "openai:model@http://host/\0",
    f"openai:model@http://me:{HIDDEN}@host", f"openai:model@http://{HIDDEN}@host",
    f"openai:model@http://host/v1?key={HIDDEN}", f"openai:model@http://host/v1#{HIDDEN}",
    "local", "local:", "local:models/mini", "local:../mini", "local:/models/\0",
    "local:~other/mini",
)  # fmt: skip


def test_a_setting_that_cannot_be_meant_is_refused() -> None:
    for spec in REFUSED:
        with pytest.raises(UsageError) as caught:
            check(spec)
        assert HIDDEN not in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
        with pytest.raises(UsageError):
            embedder(spec, {}, 5)


def test_an_unknown_embedder_is_refused_with_what_exists() -> None:
    with pytest.raises(UsageError) as caught:
        embedder(f"http://me:{HIDDEN}@localhost", {}, 5)
    message = str(caught.value)
    assert HIDDEN not in message
    assert "there is no embedder 'http'" in message
    for form in ("none", "static", "openai:MODEL@URL", "local:PATH"):
        assert form in message


def test_any_form_of_an_address_leads_to_its_embeddings() -> None:
    for argument, url in (
        ("m@http://localhost:11434", "http://localhost:11434/v1/embeddings"),
        ("m@http://localhost:11434/v1/", "http://localhost:11434/v1/embeddings"),
        ("m@http://localhost/v1/embeddings", "http://localhost/v1/embeddings"),
        ("m@HTTPS://API.OpenAI.com:443", "https://api.openai.com/v1/embeddings"),
        ("m@https://open.bigmodel.cn/api/paas/v4", "https://open.bigmodel.cn/api/paas/v4/embeddings"),
        ("m@https://g.dev/v1beta/openai/", "https://g.dev/v1beta/openai/embeddings"),
        ("m@http://[::1]:80/x/embeddings", "http://[::1]/x/embeddings"),
    ):  # fmt: skip
        assert address(argument, EMBEDDING).url == url, argument


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://api.openai.com", "theirs"), ("https://api.openai.com:443/v1", "theirs"),
        ("http://api.openai.com", ""), ("https://api.openai.com:8443", ""),
        ("https://api.openai.com.example.org", ""), ("https://example.org/api.openai.com", ""),
    ],
)  # fmt: skip
def test_the_key_of_openai_is_for_openai(url: str, secret: str) -> None:
    place = address(f"m@{url}", EMBEDDING)
    assert key(place, {"OPENAI_API_KEY": "theirs"}, EMBEDDING) == secret
    both = {"OPENAI_API_KEY": "theirs", "CTX_EMBEDDER_KEY": " named\n"}
    assert key(place, both, EMBEDDING) == "named"


@pytest.mark.parametrize("module", ["urllib3", "numpy"])
def test_a_missing_library_is_an_error_that_says_how_to_get_it(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http", "embedders.openai", "embedders.rows"):
        monkeypatch.delitem(sys.modules, f"ctx.llm.{name}", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EmbeddingError, match=rf"{module} .*'.\[http\]'"):
        embedder("openai:m@http://localhost", {}, 5)


def test_a_missing_part_of_ctx_is_no_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctx.llm.embedders.static", None)
    with pytest.raises(ImportError):
        embedder("static", {}, 5)


# --- embedders of other packages --------------------------------------------------------


class Acme:
    def __init__(self, argument: str = "", seconds: float = 0) -> None:
        self.name: Any = f"acme {argument} {seconds:g}"
        self.dim: Any = 0
        self.nested: Any = True
        self.seen: list[list[str]] = []
        self.answer: Callable[[list[str]], object] = lambda texts: [[0.6, 0.8]] * len(texts)

    def embed(self, texts: list[str]) -> Any:  # noqa: ANN401 - may be wrong
        self.seen.append(texts)
        return self.answer(texts)


Plug = Callable[[object], None]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Return what makes an object the entry point ``acme``."""
    pytest.importorskip("numpy")

    def plug(made: object) -> None:
        def load() -> object:
            if isinstance(made, BaseException):
                raise made
            return made

        entry = SimpleNamespace(name="acme", value="acme:load", load=load)

        def entry_points(group: str, name: str = "acme") -> list[SimpleNamespace]:
            assert group == "ctx.embedders"
            return [entry] if name == entry.name else []

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

    return plug


def acme(spec: str = "acme", seconds: float = 5.0) -> Embedder:
    made = embedder(spec, {}, seconds)
    assert made is not None
    return made


def fault(plug: Plug, answer: object, *texts: str, dim: int = 0, seconds: float = 5.0) -> str:
    """Return the error of a plugin that gives this answer, or calls it."""
    inner = Acme()
    inner.dim = dim
    inner.answer = answer if callable(answer) else lambda _: answer
    plug(lambda *_: inner)
    with pytest.raises(EmbeddingError) as caught:
        acme(seconds=seconds).embed(texts or ("a", "b"))
    assert HIDDEN not in str(caught.value)
    return str(caught.value)


def test_an_entry_point_is_an_embedder(plug: Plug) -> None:
    plug(Acme)
    made = acme("acme:large:v2")
    assert made.name == "acme:acme large:v2 5"
    assert (made.dim, made.nested) == (0, True)
    found = made.embed(["a", "", "b"])
    assert found.tolist() == [pytest.approx([0.6, 0.8]), [0, 0], pytest.approx([0.6, 0.8])]
    assert made.dim == 2
    assert "acme[:ARGUMENT]" in schemes()


def test_an_installed_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "acme_ctx.py").write_text(
        "class Acme:\n"
        "    name, dim, nested = 'v1', 2, False\n"
        "    def embed(self, texts):\n"
        "        return [[1.0, 0.0] for text in texts]\n"
        "def load(argument, seconds):\n"
        "    return Acme()\n"
    )
    info = tmp_path / "acme_ctx-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: acme-ctx\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[ctx.embedders]\nacme-real = acme_ctx:load\nopenai = acme_ctx:load\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert "acme-real[:ARGUMENT]" in schemes()
    made = acme("acme-real")
    assert made.name == "acme-real:v1"
    assert made.embed(["a", "b"]).tolist() == [[1, 0], [1, 0]]
    # The name of a scheme is ctx's own, whoever else claims it.
    with pytest.raises(UsageError):
        embedder("openai", {}, 5)


def test_attributes_of_a_plugin_are_checked(plug: Plug) -> None:
    odd: dict[str, list[object]] = {"name": [1, "a\nb"], "dim": [-1, 2.0, True], "nested": [1]}
    for attribute, value in ((name, value) for name, values in odd.items() for value in values):
        inner = Acme()
        setattr(inner, attribute, value)
        plug(lambda *_, inner=inner: inner)
        with pytest.raises(EmbeddingError, match=f"embedder acme: its {attribute} is"):
            acme()


def test_a_plugin_that_cannot_be_made_is_an_error(plug: Plug) -> None:
    errors = (ImportError(HIDDEN), ValueError(HIDDEN), SystemExit(HIDDEN))
    for broken in (*errors, lambda *_: object(), lambda: None, None):
        plug(broken)
        with pytest.raises(EmbeddingError, match="embedder acme: failed with") as caught:
            acme()
        assert HIDDEN not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[0.6, 0.8]], "1 x 2 numbers for 2 texts"),
        ([0.6, 0.8], "2 numbers for 2 texts"),
        ([[0.6, 0.8], [1.0]], "different lengths"),
        ([[], []], "2 x 0 numbers"),
        ([["a"], ["b"]], "other than vectors"),
        (None, "other than vectors"),
        ([[float("nan"), 1.0], [1.0, 0.0]], "not finite"),
        ([[3.0, 4.0], [1.0, 0.0]], "not of unit length"),
        ([[0.1, 0.0], [1.0, 0.0]], "not of unit length"),
        ([[0.0, 0.0], [0.0, 0.0]], "nothing but zeros"),
    ],
)
def test_what_a_plugin_returns_is_checked(plug: Plug, answer: object, message: str) -> None:
    assert message in fault(plug, answer)


def test_a_plugin_that_changes_its_dimension_is_an_error(plug: Plug) -> None:
    assert "vectors of 2 numbers, and of 3 before" in fault(plug, [[0.6, 0.8]], "a", dim=3)


def test_rows_that_are_nearly_of_unit_length_are_made_so(plug: Plug) -> None:
    inner = Acme()
    inner.answer = lambda _: [[0.601, 0.801], [0.0, 0.0]]
    plug(lambda *_: inner)
    first, second = acme().embed(["a", "b"])
    assert float(first @ first) == pytest.approx(1, abs=1e-6)
    assert not second.any()


def test_whatever_a_plugin_raises_is_an_error(plug: Plug) -> None:
    def fails(error: BaseException) -> Callable[[list[str]], object]:
        def fail(_: list[str]) -> object:
            raise error

        return fail

    for error in (ValueError(HIDDEN), SystemExit(HIDDEN), KeyboardInterrupt(), MemoryError()):
        assert f"failed with {type(error).__name__}" in fault(plug, fails(error))
    own = EmbeddingError("the quota is used up\nsee also: nothing")
    assert fault(plug, fails(own)) == "embedder acme: the quota is used up"


def test_a_plugin_that_hangs_is_left_in_time(plug: Plug) -> None:
    message = fault(plug, lambda _: time.sleep(0.4), seconds=0.1)
    assert message.startswith("embedder acme: not done within 0.1 s")
    assert left_behind()
