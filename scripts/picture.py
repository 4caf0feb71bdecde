"""Make the pictures of the docs from the sample project, in a Chromium that is installed.

    python3 scripts/picture.py            write docs/pictures/explain.png
    python3 scripts/picture.py --check    make it, write nothing; fail where that is not possible

Needs Chromium on the PATH and the extra `browser` of ctx. The same Chromium with the same fonts
makes the same picture.
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
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "explain.png"
MOST = 200_000
"""Bytes of a picture."""
ASKED = (
    "explain", "--dir", str(ROOT / "fixtures" / "webshop"), "--as-of", "2026-02-01",
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


def page() -> bytes:
    """Return the page of the sample project."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    environ |= {"CTX_NO_CACHE": "1", "HOME": "/-", "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-m", "ctx", *ASKED)
    return subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE).stdout


def picture() -> bytes:
    """Return the picture of the page as PNG."""
    with TemporaryDirectory() as folder, browser() as started:
        file = Path(folder) / "page.html"
        file.write_bytes(page())
        opened = started.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            color_scheme="light",
            reduced_motion="reduce",
        )
        opened.goto(file.as_uri())
        opened.wait_for_selector(".tile")
        return opened.screenshot(type="png")


def main(argv: Sequence[str]) -> int:
    """Make the picture; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(argv)
    if not chromium():
        print(f"picture: none of {', '.join(NAMES)} is installed", file=sys.stderr)
        return 1
    made = picture()
    if len(made) > MOST:
        print(f"picture: {len(made):,} bytes, at most {MOST:,}", file=sys.stderr)
        return 1
    if not options.check:
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_bytes(made)
        print(f"{PICTURE.relative_to(ROOT)}: {len(made):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
