"""What becomes of a program that dies at one moment after another (``tests.edit.dying``)."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.sampling import EVERY

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path("/dev/shm")  # noqa: S108 - thousands of syncs need no disk


def check(module: str, folder: Path, way: str, *, least: int, inside: str = "") -> None:
    """Run ``module``, which dies in this ``way``, and check that each next run completed it.

    At ``least`` so many runs have to die where each moment is tried; ``inside`` is where it works
    below a folder of its own.
    """
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else folder) as base:
        done = subprocess.run(
            [sys.executable, "-m", module, f"{base}{inside}", way],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
    result = json.loads(done.stdout)
    assert result["wrong"] == []
    assert result["died"] > least // EVERY
    assert result["tried"] == result["died"] + 1
