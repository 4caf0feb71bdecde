"""Make the pictures of the docs from the sample project, in a Chromium that is installed.

    python3 scripts/picture.py            write docs/pictures/explain.png and serve.png
    python3 scripts/picture.py --check    make them, write nothing; fail where that is not possible

Needs Chromium on the PATH and the extra `browser` of ctx. The same Chromium with the same fonts
makes the same pictures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
MOST = 200_000
"""Bytes of a picture."""
SHOP = str(ROOT / "fixtures" / "webshop")
ASKED = (
    "explain", "--dir", SHOP, "--as-of", "2026-02-01",
    "--budget", "1200", "--query", "refund discount", "--html", "-",
)  # fmt: skip
WIDTH, HEIGHT = 1100, 860
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


def called(*arguments: str) -> subprocess.Popen[bytes]:
    """Start ``ctx`` as if nobody had used it here."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    environ |= {"CTX_NO_CACHE": "1", "HOME": "/-", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        (sys.executable, "-m", "ctx", *arguments), env=environ, stdout=subprocess.PIPE
    )


def explain(opened: Page) -> None:
    """Show the page of the sample project's packet."""
    with TemporaryDirectory() as folder, called(*ASKED) as running:
        file = Path(folder) / "page.html"
        file.write_bytes(running.communicate()[0])
        opened.goto(file.as_uri())
        opened.wait_for_selector(".tile")


def serve(opened: Page) -> None:
    """Show the tasks of the sample project."""
    with called("serve", "--dir", SHOP) as running:
        try:
            address = running.stdout.readline().decode().strip() if running.stdout else ""
            opened.goto(f"{address}#entries?kind=task")
            opened.wait_for_selector(".task")
        finally:
            running.terminate()


MADE: dict[str, Callable[[Page], None]] = {"explain.png": explain, "serve.png": serve}


def picture(started: Browser, show: Callable[[Page], None]) -> bytes:
    """Return the picture of what ``show`` opens as PNG."""
    opened = started.new_page(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
    )
    show(opened)
    return opened.screenshot(type="png")


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
        for name, show in MADE.items():
            made = picture(started, show)
            if len(made) > MOST:
                print(f"picture: {name}: {len(made):,} bytes, at most {MOST:,}", file=sys.stderr)
                return 1
            if not options.check:
                (PICTURES / name).write_bytes(made)
                print(f"{name}: {len(made):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
