"""What a file holds before and after a change."""

from __future__ import annotations

from ctx.app.editing import one_more, only_one_other, rows

BEFORE = "- [ ] a\n- [ ] b\n- [ ] b\n"


def held(text: str) -> list[tuple[str, int]]:
    return [(row.entry.title, row.entry.line) for row in rows("TASKS.md", "tasks", text.encode())]


def more(after: str) -> tuple[str, int] | None:
    found = one_more(*(rows("TASKS.md", "tasks", text.encode()) for text in (BEFORE, after)))
    return found and (found.entry.title, found.entry.line)


def test_one_entry_more_is_that_and_nothing_else() -> None:
    assert held(BEFORE) == [("a", 1), ("b", 2), ("b", 3)]
    assert more(f"- [ ] c\n{BEFORE}") == ("c", 1)
    assert more(f"{BEFORE}- [ ] c\n") == ("c", 4)
    assert more(BEFORE.replace("- [ ] b", "- [ ] c\n- [ ] b", 1)) == ("c", 2)
    assert more(BEFORE) is None
    assert more(f"- [ ] c\n- [ ] d\n{BEFORE}") is None
    assert more(f"- [ ] c\n{BEFORE.replace('[ ] b', '[x] b')}") is None


def test_one_entry_that_says_something_else_is_that_and_nothing_else() -> None:
    def other(after: str) -> int | None:
        return only_one_other(
            *(rows("TASKS.md", "tasks", text.encode()) for text in (BEFORE, after))
        )

    assert other(BEFORE.replace("[ ] a", "[x] a")) == 0
    assert other(BEFORE) is None
    assert other(BEFORE.replace("[ ] b", "[x] b")) is None
    assert other(f"{BEFORE}- [ ] c\n") is None
