"""The page *Hosts, seen*: what was seen of each version, written by ``--write``."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scripts.hosts.kinds import HOSTS
from scripts.hosts.project import ROOT
from scripts.hosts.report import HEAD, Row
from scripts.hosts.scenes import Scene

PAGE = ROOT / "docs" / "hosts-seen.md"
TOP = Path(__file__).with_name("page.md").read_text("utf-8")


def page(rows: Iterable[Row], scenes: Mapping[str, Scene]) -> str:
    """Return the page of all rows."""
    return "\n".join(_lines(list(rows), scenes))


def _lines(rows: list[Row], scenes: Mapping[str, Scene]) -> Iterator[str]:
    order = list(scenes)
    yield TOP
    for host in HOSTS.values():
        for version in sorted({row.version for row in rows if row.host == host.name}):
            mine = [row for row in rows if (row.host, row.version) == (host.name, version)]
            mine.sort(key=lambda row: order.index(row.scene))
            played = [row for row in mine if not row.why_skipped]
            if not played:
                continue
            yield f"## {host.title} {version}\n\nSeen on {max(row.day for row in played)}.\n"
            yield HEAD
            yield from (row.line for row in mine if not row.is_missing)
            yield "\nWithout `ctx`: how often each text is in the windows of the scenario.\n"
            yield "| text | " + " | ".join(row.scene for row in _loads(played)) + " |"
            yield "|---|" + "---|" * len(_loads(played))
            for mark in sorted({mark for row in _loads(played) for mark in row.alone}):
                cells = (" ".join(map(str, row.alone.get(mark, ()))) for row in _loads(played))
                yield f"| `{mark.removeprefix('mark-')}` | " + " | ".join(cells) + " |"
            yield ""
            for mark, reason in host.reasons.items():
                yield f"- `{mark}`: {reason}"
            yield from (f"- {why}" for why in (host.repeats, host.forgets) if why)


def _loads(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that show what a host loads by itself."""
    names = ("start", "read", "write", "cat", "agents", "compact", "full", "resume", "folder")
    return [row for row in rows if row.scene in names]
