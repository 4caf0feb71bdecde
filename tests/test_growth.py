"""No loss, whatever is done to a directory in whatever order, and wherever it is killed."""

import subprocess
import sys

import pytest

EXAMPLES = 12


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.timeout(400)
def test_nothing_that_was_ever_written_is_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.growing", str(EXAMPLES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all of it is there\n", done.stderr[-6_000:]
