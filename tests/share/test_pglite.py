"""Words that very many entries hold, by an index of BM25: ``python3 scripts/dev.py pglite``."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ctx.cli.main import main
from ctx.errors import OK, ServiceError
from ctx.share.server import _EXTENSIONS, HIT, Held
from scripts.pglite import ADDRESS, Lite
from tests.share.rights import faults
from tests.share.test_server import talk

pytestmark = pytest.mark.skipif(
    ADDRESS not in os.environ, reason="`python3 scripts/dev.py pglite` runs PostgreSQL from npm"
)

WORDS = ["carts", "redis", "refunds", "missing"]
TEXTS = [f"Carts {'live ' * (n % 5)}carts in {('redis', 'files')[n % 2]} {n}" for n in range(90)]
ONE = talk("alice/one", *TEXTS, "Refunds of carts")
"""Of these words ``refunds`` is the rarest: of the others an index tells what holds them."""
ONLY_INDEX = 1
"""Hits of all words together from which on an index is asked (``MOST``)."""

LOOKS = (
    "SELECT stems <@> ? FROM ctx.entries", "SELECT stems <@> 'refunds' FROM ctx.entries",
    "SELECT text FROM ctx.entries ORDER BY stems <@> ? LIMIT 9",
    "SELECT text FROM ctx.entries ORDER BY stems <@> 'refunds' LIMIT 9",
    "SELECT text FROM ctx.entries_1 ORDER BY stems <@> ? LIMIT 9",
    "SELECT bm25_text_bm25query_score('refunds', ?)",
    "SELECT bm25_text_bm25query_score(stems, ?) FROM ctx.entries",
    "SELECT bm25_textarray_bm25query_score(ARRAY['refunds'], ?)",
    "SELECT bm25_dump_index('ctx.bm25_1')", "SELECT bm25_summarize_index('ctx.bm25_1')",
    "SELECT * FROM ctx.best(1, ARRAY['refunds'], ARRAY['refunds'])",
)  # fmt: skip
"""How a role could look into an index whose repository it may not see; ? names that index."""


@contextmanager
def as_role(role: str) -> Iterator[Lite]:
    with Lite(os.environ[ADDRESS], {}, role=role) as server:
        yield server


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lite]:
    """Return the administrator's connection to a server without the index, with entries."""
    monkeypatch.setattr("ctx.share.server.INDEXED", 0)
    with as_role("postgres") as server, monkeypatch.context() as patch:
        server.ask("DROP SCHEMA IF EXISTS ctx CASCADE")
        server.ask("DROP EXTENSION IF EXISTS pg_textsearch CASCADE")
        patch.setitem(_EXTENSIONS, "pg_textsearch", "false")
        server.init()
        server.grant("alice", "acme/shop", writes=True)
        server.grant("eve", "acme/other", writes=True)
    with as_role("alice") as alice:
        alice.push("acme/shop", [ONE, talk("alice/two", "No word of the question")])
    with as_role("postgres") as server:
        yield server


def held(monkeypatch: pytest.MonkeyPatch, most: int) -> dict[str, Held]:
    with monkeypatch.context() as patch, as_role("alice") as alice:
        patch.setattr("ctx.share.server.MOST", most)
        found = alice.holders(["acme/shop"], WORDS)["acme/shop"]
    with as_role("postgres"):  # whom the tests go on with: all connections share a session
        return {word: Held(count, _sorted(hits)) for word, (count, hits) in found.items()}


def _sorted(hits: bytes | None) -> bytes | None:
    return hits and b"".join(HIT.pack(*hit) for hit in sorted(HIT.iter_unpack(hits)))


def test_the_index_holds_what_rows_of_words_hold(
    admin: Lite, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = held(monkeypatch, 50_000)
    assert {word: count for word, (count, _) in rows.items()} == {
        "carts": 91, "redis": 45, "refunds": 1,
    }  # fmt: skip
    without = held(monkeypatch, ONLY_INDEX)
    assert [without[word].hits for word in ("carts", "redis")] == [None, None]
    assert admin.indexed() == set()
    admin.init()  # which finds the extension now
    assert len(admin.indexed()) == 1
    assert admin.init() == []
    assert faults(admin.ask) == []
    assert held(monkeypatch, ONLY_INDEX) == rows


def test_the_index_follows_pushes_and_what_is_forgotten(
    admin: Lite, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.init()
    with as_role("alice") as alice:
        alice.push("acme/shop", [ONE._replace(rows=ONE.rows[40:]), talk("alice/three", "Carts")])
    after = held(monkeypatch, ONLY_INDEX)
    assert after["carts"].held == 52
    assert after == held(monkeypatch, 50_000)
    admin.forget("session", ["alice/three"])
    after = held(monkeypatch, ONLY_INDEX)
    assert after["carts"].held == 51
    assert after == held(monkeypatch, 50_000)


def test_status_names_the_repositories_that_have_an_index(
    admin: Lite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    admin.grant("eve", "acme/none", writes=True)
    admin.init()
    monkeypatch.setattr("ctx.cli.share.connected", lambda _world: as_role("eve"))
    admin.grant("eve", "acme/shop", writes=False)
    assert main(["share", "status"]) == OK
    assert capsys.readouterr().out.splitlines() == [
        "eve sees 3 repositories", "acme/none: 0 entries; eve", "acme/other: 0 entries; eve",
        "acme/shop: 92 entries, with an index of BM25; alice, eve (read)",
    ]  # fmt: skip
    assert main(["share", "status", "--json"]) == OK
    shown = json.loads(capsys.readouterr().out)["repositories"]
    assert [each["bm25"] for each in shown] == [False, False, True]


def test_without_the_extension_rows_of_words_are_what_there_is(
    admin: Lite, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.init()
    admin.ask("DROP EXTENSION pg_textsearch CASCADE")
    assert admin.indexed() == set()
    assert held(monkeypatch, ONLY_INDEX)["carts"] == Held(91, None)
    assert admin.init() == []
    assert held(monkeypatch, ONLY_INDEX) == held(monkeypatch, 50_000)


@pytest.mark.parametrize(
    "condition", ["CREATE ON SCHEMA public TO ctx_member", "CREATE ON SCHEMA public TO PUBLIC"]
)
def test_a_schema_in_which_members_make_functions_is_not_trusted(
    admin: Lite, condition: str
) -> None:
    admin.ask(f"GRANT {condition}")
    admin.init()
    admin.ask(f"REVOKE {condition.replace(' TO ', ' FROM ')}")
    assert admin.indexed() == set()


def test_rarities_count_one_repository_and_nobody_else_learns_them(admin: Lite) -> None:
    admin.init()
    scores = "SELECT stems <@> to_bm25query('refunds', 'ctx.bm25_1') FROM ctx.entries_1 ORDER BY 1"
    before = admin.ask(scores)
    with as_role("eve") as eve:
        eve.push("acme/other", [talk("eve/one", *["Refunds"] * 50)])
    with as_role("postgres"):
        admin.init()
        assert len(admin.indexed()) == 2
        assert admin.ask(scores) == before
    with as_role("eve") as eve:
        assert eve.holders(["acme/shop"], WORDS) == {"acme/shop": {}}
        for query in LOOKS:
            with pytest.raises(ServiceError):
                eve.ask(query.replace("?", "to_bm25query('refunds', 'ctx.bm25_1')"))
