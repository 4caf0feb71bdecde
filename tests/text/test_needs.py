"""What a task names as needed, and which tasks that is."""

from ctx.model import Entry
from ctx.text.levels import short_id
from ctx.text.needs import Needs, needs_in
from tests.read.samples import entry


def _task(title: str, needs: str = "", status: str = "", source: str = "TASKS.md") -> Entry:
    noted = "".join(f"\n      needs: {need}" for need in needs.split("\n") if need)
    made = entry(title, f"- [ ] {title}{noted}", kind="task", source=source, status=status)
    return made._replace(id=f"{source}#{title.lower().replace(' ', '-')}")


def test_needs_are_read_where_people_write_them() -> None:
    for body, needs in (
        ("- [ ] a #needs:558840319 b", ["558840319"]),
        ("- [ ] a #needs:b,c #priority:high #blocked-by:d", ["b,c", "d"]),
        ("- [ ] a\n  needs: Buy it, Wrap it #later", ["Buy it, Wrap it"]),
        ("- [ ] a\n  - **Blocked by**: [[Buy it]]", ["[[Buy it]]"]),
        ("- [ ] a (blocked by 558840319, and TASKS.md#b)", ["558840319, and TASKS.md#b"]),
        ("- [ ] T014 a (depends on T012, T013)", ["T012, T013"]),
        ("- [ ] a, needs: 558840319", ["558840319"]),
        ("- [ ] a\n  - [ ] b #needs:c\n    needs: d\n  e #needs:f", ["f"]),
        ("- [ ] a\n  - [ ] b\n    - c\n      needs: d", []),
    ):
        assert list(needs_in(body)) == needs, body


def test_prose_about_needs_is_none() -> None:
    for body in (
        "- [ ] a\n   Blocked by the carrier: no contract yet.", "- [ ] it needs 100000 rows",
        "- [ ] `#needs:b` is a label", "- [ ] what depends on Redis", "- [ ] needs: a new idea",
        "- [ ] a#needs:b", "- [ ] a\n  What it needs: time",
    ):  # fmt: skip
        assert list(needs_in(body)) == [], body


def test_a_need_names_tasks_by_all_that_names_them() -> None:
    buy, other = _task("Buy it, cheaply"), _task("T012 [P] Wrap it")._replace(line=7)
    far = _task("T012 Elsewhere", source="specs/a/tasks.md")
    old = _task("Old one", status="done", source="archive/tasks-2026-01-01.md")
    tasks = [buy, other, far, old]
    number = short_id(buy.id)
    for need, named in (
        (buy.id, [buy]), (buy.id.upper(), [buy]), (number, [buy]), (number[:6], [buy]),
        ("buy it, cheaply", [buy]), ('"Buy it, cheaply"', [buy]), ("T012", [other]),
        (f"{number}; [[T012]]", [buy, other]), ("TASKS.md:7", [other]),
        ("TASKS.md#old-one", [old]), (short_id("TASKS.md#old-one"), [old]), ("#old-one", [old]),
    ):  # fmt: skip
        waiting = _task("Ship", need)
        needs = Needs([*tasks, waiting])
        assert needs.of(waiting) == (named, []), need
        assert needs.open(waiting) == [task for task in named if task is not old], need
    waiting = _task("Ship", f"{number}, Paint it\n99999999\nT012")
    needs = Needs([*tasks, waiting])
    assert needs.of(waiting)[1] == ["Paint it", "99999999"]
    assert needs.waiting == {buy.id: [waiting], other.id: [waiting]}
    closed = waiting._replace(status="done")
    assert Needs([*tasks, closed]).open(closed) == []
