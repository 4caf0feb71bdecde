"""What ``ctx mcp`` costs: its handshake, a call of each tool, and the tokens of its schemas.

    python benchmarks/mcp.py [--dir DIRECTORY] [--runs N] [--json]

With the SDK's own client over a pipe. Times are medians, in milliseconds and in bare starts of
``python -c pass``; the handshake is from the start of the process to the answer to
``initialize``. The directory is copied first. Without ``--dir`` it is the fixture ``webshop``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.pop(0)  # this folder, in which this file would be found as the SDK
sys.path.insert(0, str(Path(__file__).parent.parent))

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import TextContent

from benchmarks.measure import BARE
from ctx.text.tokens import counter, estimate

ROOT = Path(__file__).resolve().parent.parent
FIXTURE = ROOT / "fixtures" / "webshop" / ".context"
CALLS: dict[str, dict[str, object]] = {
    "packet": {"query": "payment callback", "budget": 8_000},
    "search": {"query": "payment callback"},
    "show": {"id": ""},  # what the search finds first
    "explain": {"query": "payment callback", "budget": 2_000},
    "strategy": {"query": "compare both designs", "size": "large"},
    "add": {
        "kind": "learning", "title": "Measured", "context": "c", "lesson": "l", "application": "",
        "force": True,
    },
    "check": {},
}  # fmt: skip


class Figure(NamedTuple):
    """One row of the table."""

    name: str
    ms: float
    starts: float
    tokens: int | None = None
    """Of the result; None where there is none to speak of."""
    most: str = ""
    """What the tool states, as it stands in its description."""


def main() -> int:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project" / ".context"
        shutil.copytree(options.dir, root, ignore=shutil.ignore_patterns(".ctx"))
        bare = _median(options.runs, _bare)
        figures = [
            Figure(f"import {name}", ms, ms / bare)
            for name in ("mcp_types", "mcp")
            for ms in [_median(options.runs, partial(_import, name))]
        ]
        figures += asyncio.run(_handshakes(root, options.runs, bare))
        calls, listed = asyncio.run(_calls(root, options.runs, bare))
    _print(figures + calls, listed, bare)
    if options.json:
        print(json.dumps([one._asdict() for one in figures + calls]))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dir", type=Path, default=FIXTURE, help="context directory to copy")
    parser.add_argument("--runs", type=int, default=9, help="runs a figure")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    return parser.parse_args()


def _median(runs: int, run: Callable[[], object]) -> float:
    """Return the median of what ``run`` takes, in milliseconds."""
    return statistics.median(_timed(run) for _ in range(runs))


def _timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1_000


def _bare() -> None:
    subprocess.run(BARE, check=True)


def _import(name: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {name}"], check=True)


def _server(root: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "ctx", "mcp", "--dir", str(root)],
        env={"PYTHONPATH": str(ROOT)},
        cwd=root.parent,
    )


async def _handshakes(root: Path, runs: int, bare: float) -> list[Figure]:
    figures = []
    for mode in ("legacy", "auto"):
        taken, first = [], []
        for _ in range(runs):
            start = time.perf_counter()
            async with Client(stdio_client(_server(root)), mode=mode) as one:
                shaken = time.perf_counter()
                await one.list_tools()
                first.append((time.perf_counter() - shaken) * 1_000)
            taken.append((shaken - start) * 1_000)
        name = {"legacy": "initialize", "auto": "server/discover"}[mode]
        ms = statistics.median(taken)
        figures.append(Figure(f"handshake ({name})", ms, ms / bare))
        listing = statistics.median(first)
        figures.append(Figure("then tools/list, first", listing, listing / bare))
    return figures


async def _calls(root: Path, runs: int, bare: float) -> tuple[list[Figure], str]:
    """Return a row for each tool, and the list of tools as it is sent."""
    count = counter("o200k").count if _has_exact() else estimate
    figures = []
    async with Client(stdio_client(_server(root)), mode="legacy") as one:
        tools = (await one.list_tools()).tools
        for tool in tools:
            taken, text = [], ""
            for _ in range(runs + 1):
                arguments = dict(CALLS[tool.name])
                if tool.name == "show":
                    arguments["id"] = await _first_found(one)
                start = time.perf_counter()
                result = await one.call_tool(tool.name, arguments)
                taken.append((time.perf_counter() - start) * 1_000)
                (content,) = result.content
                if result.is_error or not isinstance(content, TextContent):
                    raise RuntimeError(f"{tool.name}: {content}")
                text = content.text
            most = (tool.description or "").partition("At most ")[2].rstrip(".")
            first, later = taken[0], statistics.median(taken[1:])
            figures.append(Figure(f"{tool.name}, first call", first, first / bare))
            figures.append(Figure(tool.name, later, later / bare, count(text), most))
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return figures, json.dumps(told, separators=(",", ":"))


async def _first_found(one: Client) -> str:
    (content,) = (await one.call_tool("search", CALLS["search"])).content
    if not isinstance(content, TextContent):
        raise TypeError(content)
    return str(json.loads(content.text)["results"][0]["id"])


def _has_exact() -> bool:
    try:
        counter("o200k")
    except Exception:  # noqa: BLE001 - the extra is not installed: then it is estimated
        return False
    return True


def _print(figures: list[Figure], listed: str, bare: float) -> None:
    print(f"{'':30}{'ms':>9}{'starts':>9}{'tokens':>9}  at most")
    print(f"{'bare start':30}{bare:9.1f}{1:9.1f}")
    for one in figures:
        tokens = "" if one.tokens is None else f"{one.tokens:,}"
        print(f"{one.name:30}{one.ms:9.1f}{one.starts:9.1f}{tokens:>9}  {one.most}".rstrip())
    exact = f", {counter('o200k').count(listed):,} (o200k)" if _has_exact() else ""
    tools = len(json.loads(listed))
    print(f"schemas of all {tools} tools: {estimate(listed):,} tokens (heuristic){exact}")


if __name__ == "__main__":
    raise SystemExit(main())
