"""What an entry says at each level of detail."""

import pytest

from ctx.model import LEVELS, Included, Kind, Scored
from ctx.text.levels import body_at, dated_title, digest_at, is_prose, key_lines, short_id
from tests.read.samples import entry

BODY = (
    "**Status**: Accepted\n\n**Context**: Long ago.\n\n"
    "**Decision**: Keep it.\nAnd keep it small.\n\n"
    "**Rationale**: It works. Other reasons follow\nhere.\n\n**Consequence**: Less work."
)


def test_key_lines_are_whole_lines_that_decide() -> None:
    decided = "**Decision**: Keep it.\nAnd keep it small.\n\n**Rationale**: It works. Other reasons"
    for body, expected in (
        (BODY, f"{decided} follow …"),
        ("**Context**: x\n\n**Lesson**: y\n\n**Application**: z", "**Lesson**: y"),
        ("__Decision__: x\n\n__Context__: y", "__Decision__: x"),
        ("**Decision:** x\n\n**Context:** y", "**Decision:** x"),
        ("First paragraph.\nGoes on.\n\nSecond.", "First paragraph.\nGoes on."),
        ("**Decision**: all there is", ""), ("One paragraph.", ""), ("", ""),
        ("**Rationale**: for three reasons:\n\n- a", "**Rationale**: for three reasons:"),
        ("**Decision**: x\n\n**Rationale**: for reasons:\n\n- a", "**Decision**: x"),
    ):  # fmt: skip
        found = key_lines(entry(body=body))
        assert found == expected
        lines = found.replace(" …", "").split("\n")
        assert all(line in body.split("\n") for line in lines if line)


def test_titles_have_a_day_and_say_what_is_out_of_date_and_where_lore_stands() -> None:
    for stamp, status, expected in (
        ("", "", "A title"), ("2026-01-02", "", "[2026-01-02] A title"),
        ("2026-01-02-030405", "", "[2026-01-02] A title"),
        ("2026-01-02", "superseded", "[2026-01-02] A title (superseded)"),
    ):  # fmt: skip
        assert dated_title(entry(timestamp=stamp, status=status)) == expected
    one = entry("Setup", kind="lore", source="docs/GUIDE.md", timestamp="2026-01-02")
    assert dated_title(one) == "[2026-01-02] GUIDE.md: Setup"


def test_a_list_item_is_no_prose() -> None:
    for body in ("A paragraph.", "**Decision**: x", "-no item"):
        assert is_prose(entry(body=body))
    for body in ("- item", "* item", "12. item", "[x] item", "[ ] item"):
        assert not is_prose(entry(body=body))


def test_a_body_is_said_whole_or_by_its_key_lines() -> None:
    one = Scored(entry(body=BODY), 0.0, ())
    assert body_at(Included(one, "full")) == BODY
    assert body_at(Included(one, "key")) == key_lines(one.entry) != BODY


# Digests


def test_each_level_has_a_digest_of_its_own_and_the_same_each_time() -> None:
    found = [digest_at(entry(body=BODY), level) for level in LEVELS]
    assert len(set(found)) == 3
    assert all(len(digest) == 16 for digest in found)
    assert found == [digest_at(entry(body=BODY), level) for level in LEVELS]


def test_there_is_no_digest_of_key_lines_where_there_are_none() -> None:
    assert digest_at(entry(body="One paragraph."), "key") == ""
    assert digest_at(entry(body=""), "title") != ""
    assert digest_at(entry(body=""), "full") != ""


def test_a_digest_changes_with_what_is_said_at_its_level_alone() -> None:
    def changed(**fields: str) -> str:
        plain = {"body": BODY, "timestamp": "2026-01-02"}
        one, other = entry(**plain), entry(**{**plain, **fields})  # type: ignore[arg-type]
        return " ".join(it for it in LEVELS if digest_at(one, it) != digest_at(other, it))

    assert changed(body=BODY.replace("Long ago", "Just now")) == "full"
    assert changed(body=BODY.replace("Keep it.", "Drop it.")) == "full key"
    assert changed(title="Another") == "full key title"
    assert changed(timestamp="2026-01-03") == "full key title"
    assert changed(status="superseded") == "full key title"
    assert changed(lead="Do not:") == "full key"
    assert changed(group="Forbidden") == "full key"
    assert changed(source="OTHER.md") == ""
    assert changed(kind="learning") == "full key title"


def test_what_is_included_of_a_task_is_what_is_to_do() -> None:
    body = (
        "- [ ] Mend it #priority:high #added:2026-01-02-030405 #session:4f1c\n"
        "  `#branch:main` #commit:abc\n  - [x] Begun\n    with a note\n  - [ ] Not yet #blocked"
    )
    task = entry("Mend it", body, kind="task")
    shown = "- [ ] Mend it #priority:high\n  - [ ] Not yet #blocked"
    assert body_at(Included(Scored(task, 0.0, ()), "full")) == shown


@pytest.mark.parametrize("kind", ["rule", "convention"])
def test_a_rule_in_a_box_is_no_open_task(kind: Kind) -> None:
    for body, shown in (
        ("- [ ] One\n  - [ ] Two", "- One\n  - Two"),
        ("- [ ] # A forged heading", "- [ ] # A forged heading"),
        ("- see [ ] there", "- see [ ] there"),
        ("- [ ] As:\n\n  ```\n  - [ ] One\n  ```", "- [ ] As:\n\n  ```\n  - [ ] One\n  ```"),
    ):
        rule = entry("One", body, kind=kind)
        assert body_at(Included(Scored(rule, 0.0, ()), "full")) == shown


def test_a_number_stays_and_is_the_beginning_of_a_longer_one() -> None:
    assert short_id("DECISIONS.md#2025-12-15-160000") == "212301557"
    assert short_id("DECISIONS.md#2025-12-15-160000", 18).startswith("212301557")
