"""Make the pictures of the docs from the sample project, in a Chromium that is installed.

    python3 scripts/picture.py            write those of docs/pictures/ that are WebP
    python3 scripts/picture.py --check    make them, write nothing; fail where that is not possible

Needs Chromium on the PATH and the extra `browser` of ctx. The same Chromium with the same fonts
makes the same pictures.
"""

from __future__ import annotations

import argparse
import base64
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
MOST = 60_000
"""Bytes of a picture."""
QUALITY = 40
SHOP = ROOT / "fixtures" / "webshop"
ASKED = (
    "explain", "--as-of", "2026-02-01",
    "--budget", "1200", "--query", "refund discount", "--html", "-",
)  # fmt: skip
HEIGHTS = {400: 1100, 1000: 900, 1900: 780}  # of a picture, by its width
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""The page is our own, and nothing but it is to be asked for."""


def chromium() -> str:
    """Return the path of the Chromium that is installed; empty without one."""
    return next(filter(None, map(shutil.which, NAMES)), "")


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium with a fresh profile; it ends with the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield started
        finally:
            started.close()


@contextmanager
def called(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start ``ctx`` in a copy of the sample project, as if nobody had used it here."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    environ |= {"CTX_NO_CACHE": "1", "HOME": "/-", "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-m", "ctx", *arguments)
    with TemporaryDirectory() as folder:
        shop = shutil.copytree(SHOP, Path(folder) / SHOP.name)
        with subprocess.Popen(command, env=environ, cwd=shop, stdout=subprocess.PIPE) as running:
            yield running


def explain(opened: Page) -> None:
    """Show the page of the sample project's packet."""
    with TemporaryDirectory() as folder, called(*ASKED) as running:
        file = Path(folder) / "page.html"
        file.write_bytes(running.communicate()[0])
        opened.goto(file.as_uri())
        opened.wait_for_selector(".tile")


def serve(opened: Page, at: str, selector: str) -> None:
    """Show a page of ``ctx serve`` for the sample project."""
    with called("serve") as running:
        try:
            address = running.stdout.readline().decode().strip() if running.stdout else ""
            opened.goto(f"{address}#{at}")
            opened.wait_for_selector(selector)
        finally:
            running.terminate()


def packet(opened: Page) -> None:
    """Show the packet of the sample project at a budget that leaves something out."""
    serve(opened, "packet?budget=1200&query=refund+discount&as_of=2026-02-01", ".tile")


def tasks(opened: Page) -> None:
    """Show the tasks of the sample project."""
    serve(opened, "entries?kind=task", ".task")


class Picture(NamedTuple):
    """A picture to make."""

    show: Callable[[Page], None]
    width: int = 1000
    scheme: Literal["light", "dark"] = "light"


MADE = {
    "explain": Picture(explain),
    "serve-tasks": Picture(tasks),
    **{
        f"serve-{width}-{scheme}": Picture(packet, width, scheme)
        for width in HEIGHTS
        for scheme in ("light", "dark")
    },
}


def picture(started: Browser, made: Picture) -> bytes:
    """Return a picture as WebP, which Chromium makes small and Playwright does not name."""
    opened = started.new_page(
        viewport={"width": made.width, "height": HEIGHTS[made.width]},
        color_scheme=made.scheme, reduced_motion="reduce",
    )  # fmt: skip
    made.show(opened)
    asked = {"format": "webp", "quality": QUALITY}
    answer = opened.context.new_cdp_session(opened).send("Page.captureScreenshot", asked)
    opened.close()
    return base64.b64decode(answer["data"])


def main(argv: Sequence[str]) -> int:
    """Make the pictures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(argv)
    if not chromium():
        print(f"picture: none of {', '.join(NAMES)} is installed", file=sys.stderr)
        return 1
    with browser() as started:
        for name, wanted in MADE.items():
            made = picture(started, wanted)
            if len(made) > MOST:
                print(f"picture: {name}: {len(made):,} bytes, at most {MOST:,}", file=sys.stderr)
                return 1
            if not options.check:
                (PICTURES / f"{name}.webp").write_bytes(made)
                print(f"{name}: {len(made):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
