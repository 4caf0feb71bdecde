"""Which task comes first, and which ones say what is worked on."""

from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Entry
from ctx.rank import by_urgency, in_focus
from tests.read.samples import entry


def task(title: str, status: str = "", priority: int = 0, stamp: str = "", size: int = 10) -> Entry:
    return entry(title, kind="task", status=status, priority=priority, timestamp=stamp, size=size)


def order(*tasks: Entry) -> str:
    return "".join(one.entry.title for one in by_urgency(tasks))


def test_in_progress_then_priority_then_newest_then_place() -> None:
    assert (
        order(
            task("H"),
            task("G", stamp="2026-01-01"),
            task("F", stamp="2026-01-02"),
            task("E", priority=1),
            task("D", priority=2),
            task("C", priority=3),
            task("B", "in-progress"),
            task("A", "in-progress", 3),
            task("I"),
        )
        == "ABCDEFGHI"
    )


def test_blocked_comes_after_its_equals_and_before_the_next_lower() -> None:
    tasks = (task("C", priority=1), task("B", "blocked", 2), task("A", priority=2))
    assert order(*tasks) == "ABC"


def test_what_is_closed_is_left_out() -> None:
    for status in ("done", "skipped"):
        assert order(task("A"), task("B", status, 3)) == "A", status


def test_the_score_is_the_sum_of_its_named_parts() -> None:
    (one,) = by_urgency([task("A", "in-progress", 3)])
    assert one.score == 7.0 == sum(value for _, value in one.parts)
    (one,) = by_urgency([task("A", "blocked")])
    assert one.score == -0.5 == sum(value for _, value in one.parts)


@given(st.lists(st.tuples(st.sampled_from(["", "in-progress", "blocked"]), st.integers(0, 3))))
def test_scores_fall_and_stay_in_range(rows: list[tuple[str, int]]) -> None:
    scored = by_urgency([task(f"T{at}", *row) for at, row in enumerate(rows)])
    scores = [one.score for one in scored]
    assert scores == sorted(scores, reverse=True)
    assert all(-0.5 <= score <= 7.0 for score in scores)
    assert len(scored) == len(rows)


def focus(tokens: int, *tasks: Entry) -> str:
    return "".join(one.title for one in in_focus(by_urgency(tasks), tokens))


def test_focus_is_what_there_is_room_for() -> None:
    tasks = [task(title) for title in "ABC"]
    # Rounded down to a power of four: 16, 16 and 64 tokens.
    assert focus(20, *tasks) == "A"
    assert focus(63, *tasks) == "A"
    assert focus(64, *tasks) == "ABC"


def test_focus_is_never_empty_while_there_is_work() -> None:
    assert focus(0, task("A"), task("B")) == "A"
    assert focus(0) == ""


def test_focus_prefers_what_is_in_hand_or_urgent() -> None:
    tasks = (task("A", priority=3), task("B", "in-progress"), task("C", priority=2), task("D"))
    assert focus(100, *tasks) == "BA"
    assert focus(100, *tasks[2:]) == "CD"
