"""The server as the SDK's own client meets it: over a real pipe, where that matters."""

from __future__ import annotations

import asyncio
import json
import os
import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import MCPError
from mcp_types import TextContent, TextResourceContents

from ctx import __version__
from ctx.edit import atomic
from ctx.mcp.tools import TOOLS
from ctx.text.tokens import estimate
from tests.hostile import HANGS, REPOSITORY
from tests.llm.embedding_server import never_answers, serving
from tests.mcp.talking import LEGACY, MODERN, client, here, text, told

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

ASKED: dict[str, dict[str, object]] = {
    "packet": {"query": "refund", "budget": 900},
    "search": {"query": "refund"},
    "show": {"id": "DECISIONS.md#2025-12-15-160000"},
    "rules_for": {"paths": ["shop/cart.py"]},
    "explain": {"query": "refund", "budget": 900},
    "strategy": {"query": "compare both designs", "size": "large"},
    "add": {
        "kind": "learning", "title": "Pipes close in order", "context": "c",
        "lesson": "l", "application": "",
    },
    "remember": {"text": "Never edit the seeds."},
    "complete_task": {"id": "payment callback"},
    "trace": {"what": "shop/cart.py"},
    "check": {},
}  # fmt: skip
"""A good call of every tool."""


@pytest.mark.parametrize(("mode", "version"), [("legacy", LEGACY), ("auto", MODERN)])
def test_a_client_shakes_hands_and_calls_every_tool(shop: Path, mode: str, version: str) -> None:
    async def main() -> None:
        async with client(shop, mode=mode) as one:
            assert one.protocol_version == version
            assert one.server_info is not None
            assert (one.server_info.name, one.server_info.version) == ("ctx", __version__)
            assert "packet first" in (one.instructions or "")
            listed = (await one.list_tools()).tools
            assert [tool.name for tool in listed] == list(TOOLS) == list(ASKED)
            for name, arguments in ASKED.items():
                result = await one.call_tool(name, arguments)
                most = TOOLS[name].most or 900
                assert told(result)
                assert estimate(text(result)) <= most, name

    asyncio.run(main())
    assert "Pipes close in order" in (shop / ".context" / "LEARNINGS.md").read_text()


def test_what_a_tool_says_of_itself_is_short(shop: Path) -> None:
    async def main() -> None:
        async with here(shop) as one:
            tools = (await one.list_tools()).tools
            said = [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
            ]
            assert estimate(json.dumps(said, separators=(",", ":"))) < 1_450
            for tool in tools:
                assert tool.description is not None
                assert "\n" not in tool.description
                assert "At most" in tool.description
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is (
                    tool.name not in ("add", "remember", "complete_task")
                )
                assert tool.output_schema is None
                if tool.name == "add":
                    assert tool.annotations.destructive_hint is False
                    assert tool.annotations.idempotent_hint is False

    asyncio.run(main())


# --- resources and the prompt -----------------------------------------------------------------


async def _read(one: Client, uri: str) -> str:
    (contents,) = (await one.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


def test_files_are_listed_and_read_as_they_are(shop: Path) -> None:
    async def main() -> None:
        async with here(shop) as one:
            listed = await one.list_resources()
            assert listed.next_cursor is None
            assert {f.name for f in listed.resources} == {
                f.name for f in (shop / ".context").glob("*.md")
            }
            for file in listed.resources:
                there = (shop / ".context" / file.name).read_bytes()
                assert file.size == len(there)
                assert await _read(one, file.uri) == there.decode()

    asyncio.run(main())


def test_an_entry_is_read_by_its_id(shop: Path) -> None:
    async def main() -> None:
        async with here(shop) as one:
            templates = (await one.list_resource_templates()).resource_templates
            assert {t.uri_template for t in templates} == {"ctx://file/{+path}", "ctx://entry/{id}"}
            entry = await _read(one, "ctx://entry/DECISIONS.md%232025-12-15-160000")
            assert entry.startswith("### [2025-12-15] Refunds are bookings of their own\n\n")
            assert "**Decision**: A refund is a new booking" in entry
            turn = await _read(one, "ctx://entry/sessions%2Ffix-login.jsonl%231")
            assert re.fullmatch(r"\*\*user\*\*.*:\n\n```\nCustomers .*\n```\n\n", turn, re.DOTALL)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("query", "holds"), [({}, "# "), ({"query": "refund"}, "Refunds are bookings")]
)
def test_the_prompt_is_the_packet(shop: Path, query: dict[str, str], holds: str) -> None:
    async def main() -> None:
        async with here(shop) as one:
            (start,) = (await one.list_prompts()).prompts
            assert start.name == "start"
            (message,) = (await one.get_prompt("start", query)).messages
            assert message.role == "user"
            assert isinstance(message.content, TextContent)
            assert holds in message.content.text
            assert estimate(message.content.text) <= 8_000

    asyncio.run(main())


# --- what goes wrong --------------------------------------------------------------------------


def test_mistakes_are_explained_and_the_server_goes_on(shop: Path) -> None:
    async def main() -> None:
        async with here(shop, mode="auto") as one:
            for name, arguments, why in (
                ("search", {}, "query: is missing"),
                ("search", {"query": "a", "limit": 0}, "limit: 0 is under 1"),
                ("search", {"query": "a", "since": "soon"}, "since: 'soon' is neither a date"),
                ("search", {"quest": "a"}, "'quest': is no argument (one of query, kind,"),
                ("search", {"query": " "}, "QUERY: is empty"),
                ("packet", {"budget": 3}, "ask with a budget of"),
                ("show", {"id": "no such thing at all"}, "no entry matches"),
                ("strategy", {"query": "a", "path": ["/etc"]}, "path: '/etc' is not in the proj"),
                ("strategy", {"query": "a", "path": ["nope"]}, "there is no such file"),
                ("check", {"rule": ["nope"]}, "rule: there is no rule 'nope' (one of"),
                ("add", {"kind": "decision", "title": "T"}, "has more parts: context, decision"),
                ("add", {"kind": "task", "title": "T", "lesson": "l"}, "lesson: a task has none"),
            ):
                result = await one.call_tool(name, arguments)
                assert result.is_error, (name, arguments)
                assert why in text(result), text(result)
                assert "\n" not in text(result)
                assert "--" not in text(result)  # which is how the command line says it
            result = await one.call_tool("show", {"id": "carts"})
            first, *candidates = text(result).split("\n")
            assert first == "'carts' may be any of 5 (name one by its id)"
            assert len(candidates) == 5
            assert candidates[0] == (
                "TASKS.md#move-the-cart-from-the-session-cookie-to  "
                "Move the cart from the session cookie to the database"
            )
            with pytest.raises(MCPError, match=r"unknown tool 'nope' \(one of packet, search"):
                await one.call_tool("nope", {})
            with pytest.raises(MCPError, match=r"unknown prompt 'nope' \(there is: start\)"):
                await one.get_prompt("nope")
            assert told(await one.call_tool("search", ASKED["search"]))

    asyncio.run(main())


def test_no_directory_is_an_error_of_each_call_until_there_is_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as one:
            for name in ("packet", "search", "check"):
                result = await one.call_tool(name, ASKED[name])
                assert result.is_error
                assert "no .context/ in" in text(result)
            assert told(await one.call_tool("strategy", ASKED["strategy"]))
            with pytest.raises(MCPError, match=re.escape("no .context/ in")):
                await one.list_resources()
            (tmp_path / ".context").mkdir()
            (tmp_path / ".context" / "TASKS.md").write_text("- [ ] One\n")
            assert told(await one.call_tool("packet", {}))["tasks"] == ["- [ ] One\n(TASKS.md:1)"]

    asyncio.run(main())


def test_settings_and_files_are_read_anew_at_each_call(shop: Path) -> None:
    async def main() -> None:
        async with here(shop) as one:
            assert told(await one.call_tool("packet", {}))["budget"] == 8_000
            (shop / ".context" / "config.toml").write_text("budget = 2000\n")
            assert told(await one.call_tool("packet", {}))["budget"] == 2_000
            (shop / ".context" / "config.toml").write_text("budgie = 2000\n")
            result = await one.call_tool("packet", {})
            assert result.is_error
            assert "budgie" in text(result)

    asyncio.run(main())


def test_a_directory_can_be_named(shop: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    async def main() -> None:
        async with here(elsewhere, str(shop)) as one:
            assert "Refund" in text(await one.call_tool("search", ASKED["search"]))

    asyncio.run(main())


def test_a_bug_is_a_line_and_no_traceback(shop: Path) -> None:
    broken = shop / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import ctx.app.find\n"
        "def find(named, world):\n    print('stray')\n    raise KeyError('ouch')\n"
        "ctx.app.find.find = find\n"
    )

    async def main() -> None:
        path = os.pathsep.join((str(broken), REPOSITORY))
        async with client(shop, PYTHONPATH=path) as one:
            result = await one.call_tool("packet", {})
            assert result.is_error
            assert text(result).startswith("a bug: KeyError: 'ouch' (sitecustomize.py:4 in find;")
            assert "Traceback" not in text(result)
            assert len((await one.list_tools()).tools) == len(TOOLS)

    asyncio.run(main())


# --- cancelling, and two at once --------------------------------------------------------------


def test_a_call_can_be_cancelled(shop: Path) -> None:
    pytest.importorskip("numpy")
    pytest.importorskip("urllib3")

    async def main(embedder: str) -> None:
        slow = {"CTX_EMBEDDER": embedder, "CTX_EMBED_SECONDS": "600"}
        async with client(shop, mode="auto", **slow) as one:
            for _ in range(12):
                waiting = asyncio.create_task(one.call_tool("search", {"query": "refund"}))
                await asyncio.sleep(0.02)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            # Its threads hang on, and nobody waits for them: neither the next call, nor the end.
            assert told(await one.call_tool("check", {}))

    with serving() as server:
        server.otherwise = never_answers
        asyncio.run(main(f"openai:model@{server.origin}"))


def test_an_entry_whose_call_is_cancelled_is_written_whole_or_not_at_all(shop: Path) -> None:
    path = shop / ".context" / "LEARNINGS.md"
    before = path.read_bytes()

    async def main() -> None:
        async with client(shop) as one:
            with atomic.lock(str(path)):
                waiting = asyncio.create_task(one.call_tool("add", ASKED["add"]))
                await asyncio.sleep(0.5)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                assert path.read_bytes() == before
                assert len((await one.list_tools()).tools) == len(TOOLS)
            while path.read_bytes() == before:  # noqa: ASYNC110 - another process tells nothing
                await asyncio.sleep(0.02)
            found = told(await one.call_tool("search", {"query": "pipes close in order"}))
            assert str(found).count("'title': 'Pipes close in order'") == 1

    asyncio.run(asyncio.wait_for(main(), HANGS))
    assert path.read_bytes().count(b"Pipes close in order") == 1
    assert set(before.splitlines()) <= set(path.read_bytes().splitlines())


async def _write_many(one: Client, who: str) -> None:
    results = await asyncio.gather(
        *(one.call_tool("add", {"kind": "task", "title": f"{who} {n}: {'x' * n}", "force": True})
          for n in range(6)),
        *(one.call_tool(name, ASKED[name]) for name in ("packet", "search", "check")),
    )  # fmt: skip
    assert [text(result) for result in results if result.is_error] == []


def test_two_clients_write_and_read_at_once(shop: Path) -> None:
    async def main() -> None:
        async with client(shop) as one, client(shop, mode="auto") as other:
            await asyncio.gather(_write_many(one, "First"), _write_many(other, "Second"))

    tasks = shop / ".context" / "TASKS.md"
    before = tasks.read_text().splitlines()
    asyncio.run(main())
    after = tasks.read_text()
    for who in ("First", "Second"):
        for n in range(6):
            assert after.count(f" {who} {n}: {'x' * n}") == 1
    assert [line for line in after.splitlines() if line in before] == before
