"""Architecture decision records: a file is a decision, with its date, status and successor."""

from collections.abc import Mapping
from functools import partial

import pytest

from ctx.model import Entry
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.record import record
from ctx.text.levels import key_lines

NYGARD = """\
# 6. Keep sessions in Postgres

Date: 2020-03-17

## Status

Accepted

Supercedes [3. Keep sessions in cookies](0003-keep-sessions-in-cookies.md)

## Context

Cookies are too small.

- four kilobytes

## Decision

Use a table of Postgres.

### Columns

id and data.

## Consequences

A job removes old rows.
"""
MADR = """\
---
status: "superseded by [ADR-0006](0006-x.md)"
date: 2024-05-01
decision-makers: [ann]
---
<!-- how it began -->
# Keep sessions in cookies

## Context and Problem Statement

Sessions end at a restart.

## Considered Options

* cookies
* Redis

## Decision Outcome

Chosen option: "cookies", because nothing has to be run.
"""


def read(files: Mapping[str, str]) -> list[Entry]:
    columns = []
    for path, text in files.items():
        cached, bodies = record(path, text.encode(), parser_of("adr"), None)
        columns.append(Columns(path, path, cached, partial(bytes, bodies)))
    mark_superseded(columns)
    return [file.entry(place) for file in columns for place in range(len(file))]


def one(text: str) -> Entry:
    (entry,) = read({"../docs/adr/0006-keep-sessions-in-postgres.md": text})
    return entry


def test_a_record_of_nygard_is_one_decision() -> None:
    entry = one(NYGARD)
    assert entry.id == f"{entry.source}#0006-keep-sessions-in-postgres"
    assert (entry.kind, entry.title) == ("decision", "6. Keep sessions in Postgres")
    assert (entry.timestamp, entry.status, entry.line, entry.end_line) == ("2020-03-17", "", 1, 27)
    assert entry.supersedes == "0003-keep-sessions-in-cookies"
    assert entry.body.startswith("**Status**: Accepted\nSupercedes [3. Keep sessions in cookies]")
    assert "\n\n**Context**: Cookies are too small.\n\n- four kilobytes\n\n**Dec" in entry.body
    assert "\n\n#### Columns\n\nid and data." in entry.body
    assert key_lines(entry).startswith("**Decision**: Use a table of Postgres.")


def test_a_record_of_madr_is_one_decision() -> None:
    entry = one(MADR)
    assert (entry.title, entry.timestamp) == ("Keep sessions in cookies", "2024-05-01")
    assert entry.status == "superseded"
    assert entry.body.startswith("**Status**: superseded by [adr-0006](0006-x.md)\n\n**Context and")
    assert key_lines(entry).startswith('**Decision Outcome**: Chosen option: "cookies"')


@pytest.mark.parametrize("reference", ["0003-a.md", "0003-a.md#decision", "./0003-a.md"])
def test_a_successor_supersedes_the_record_that_it_links(reference: str) -> None:
    old, other, new = read({
        "docs/adr/0003-a.md": "# 3. A\n\n## Status\n\nAccepted\n",
        "docs/adr/0004-b.md": "# 4. B\n\n## Status\n\nAccepted\n",
        "docs/adr/0006-c.md": f"# 6. C\n\n## Status\n\nAccepted. Supersedes [A]({reference})\n",
    })  # fmt: skip
    assert [entry.status for entry in (old, other, new)] == ["superseded", "", ""]


@pytest.mark.parametrize(
    "claim", ["ADR-3", "ADR 0003", "3", "#3", "003. A", "ADR-0003: A", "[ADR-3](3-old-name.md)"]
)
def test_a_successor_names_a_record_by_its_number(claim: str) -> None:
    text = f"# 12. C\n\n## Status\n\nAccepted\n\nSupersedes {claim}\n"
    records = {"docs/adr/0003-a.md": "# 3. A\n\nB.\n", "docs/adr/0030-b.md": "# 30. B\n\nB.\n"}
    old, other, new = read({**records, "docs/adr/12-c.md": text})
    assert [entry.status for entry in (old, other, new)] == ["superseded", "", ""]
    front = f"---\nsupersedes: [{claim!r}]\n---\n# 12. C\n\nB.\n"
    assert read({**records, "docs/adr/12-c.md": front})[0].status == "superseded"
    shared = read({**records, "lib/docs/adr/3-x.md": "# X\n\nB.\n", "docs/adr/12-c.md": text})
    assert not any(entry.status for entry in shared)


@pytest.mark.parametrize("claim", ["3 older attempts", "the 3rd one", "ADR-3.1", "30 days"])
def test_other_numbers_name_no_record(claim: str) -> None:
    text = f"# 12. C\n\n## Status\n\nAccepted\n\nSupersedes {claim}\n"
    assert not read({"docs/adr/3-a.md": "# A\n\nB.\n", "docs/adr/12-c.md": text})[0].status


@pytest.mark.parametrize(
    ("text", "superseded"),
    [
        ("## Status\n\nSuperseded by [7. D](0007-d.md)", True),
        ("## Status\n\nSuperceded by 7", True),
        ("## Status\n\n~~Accepted~~ replaced by [7](0007.md)", True),
        ("## Status\n\n**Deprecated**", True),
        ("## Status\n\nRejected", True),
        ("* Status: superseded by [ADR-0005](0005-x.md)\n* Date: 2020-01-02", True),
        ("Status: deprecated", True),
        ("## Status: Deprecated", True),
        ("## Status\n\nAccepted", False),
        ("## Status\n\nAmended by [7. D](0007-d.md)", False),
        ("## Status\n\nAccepted, partially superseded by [7. D](0007-d.md)", False),
        ("## Status\n\nPartial supersede of [7. D](0007-d.md)", False),
        ("## Status\n\nProposed", False),
        ("## Context\n\nThe old tool is deprecated and was replaced by a new one.", False),
        ("## Context\n\n```\nstatus: deprecated\n```", False),
    ],
)
def test_a_status_tells_whether_a_record_holds(text: str, *, superseded: bool) -> None:
    assert (one(f"# A\n\n{text}\n\n## Decision\n\nB.\n").status == "superseded") == superseded


def test_a_status_is_shown_unless_it_is_accepted() -> None:
    assert one("# A\n\n## Status\n\nAccepted\n\n## Decision\n\nB.\n").body == "**Decision**: B."
    assert one("# A\n\n## Status\n\nProposed\n\n## Decision\n\nB.\n").body == (
        "**Status**: Proposed\n\n**Decision**: B."
    )


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("# A\n\nDate: 2024-10-25 (documented 2026-03-11)\n", "2024-10-25"),
        ("# A\n\n* Status: accepted\n* Date: 2020-01-02\n", "2020-01-02"),
        ("---\ndate: 2026-04-18\n---\n\n# A\n\nB.\n", "2026-04-18"),
        ("# A\n\nDate: 1st March 2024\n", "2024-03-01"),
        ("# A\n\n- **Date:** Sept. 9, 2024\n", "2024-09-09"),
        ("# A\n\nDate: 01.03.2024\n", "2024-03-01"),
        ("# A\n\n_Date: [2024-03-01]_\n", "2024-03-01"),
        ("# A\n\n## Date\n\n2024-03-01\n", "2024-03-01"),
        ("# A\n\nDate: 01/03/2024\n", ""),
        ("# A\n\nDate: 01.13.2024\n", ""),
        ("# A\n\nB.\n", ""),
    ],
)
def test_a_record_has_the_date_that_it_gives(text: str, date: str) -> None:
    assert one(text).timestamp == date


def test_a_record_has_the_date_of_its_name() -> None:
    (entry,) = read({"docs/adr/2024-03-01-a.md": "# A\n\nB.\n"})
    assert entry.timestamp == "2024-03-01"


def test_frontmatter_names_a_successor() -> None:
    front = "---\nstatus: accepted\nsuperseded-by: ADR-0004\n---\n# A\n\nB.\n"
    assert one(front).status == "superseded"


def test_a_heading_in_another_language_is_a_label_and_an_empty_section_none() -> None:
    assert one("# 工具层\n\n## 决策\n\n接受。\n\n## 后果\n").body == "**决策**: 接受。"


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntitle: A\n---\n", "<!-- only this -->\n"])
def test_a_file_that_holds_nothing_is_no_decision(text: str) -> None:
    assert read({"docs/adr/0001-a.md": text}) == []


@pytest.mark.parametrize("text", ["---\na: [\n---\n# A\n\nB.\n", "# A\n\n```\nB\n", "A\nB\n"])
def test_a_broken_record_is_read_as_far_as_it_can_be(text: str) -> None:
    assert one(text).title in ("A", "0006 keep sessions in postgres")


def test_a_record_without_a_title_has_that_of_its_file() -> None:
    entry = one("## Status\n\nDeprecated\n\n## Decision\n\nB.\n")
    assert (entry.title, entry.status) == ("0006 keep sessions in postgres", "superseded")
    assert one("---\ntitle: Named\n---\nB.\n").title == "Named"
    assert one("# #\n\nB.\n").title == "0006 keep sessions in postgres"
    assert one("---\nstatus: accepted\n---\n# A\n\n## Status\n\nRejected\n").status == "superseded"
