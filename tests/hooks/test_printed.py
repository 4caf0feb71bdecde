"""The law of the budget for hooks: what is printed keeps it, in every tool's form, always."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctx.hooks import fitting
from ctx.hooks.printed import CHARACTERS_A_TOKEN, Printed, harmless
from ctx.hosts import NAMES, hooks_of
from ctx.text.tokens import counter
from tests.hooks.golden import sent
from tests.hooks.host import Inside, cost, event, told
from tests.keeping import make_repository, trust
from tests.strategies import directories

if TYPE_CHECKING:
    from ctx.hosts.host import Hooks
    from ctx.model import Json
    from tests.strategies import Directory

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = [path.parent for path in sorted(ROOT.glob("fixtures/*/.context/"))]
CORPORA = [
    path.parent for path in sorted((ROOT.parent / "shared" / "corpora").glob("**/.context/"))
]
BUDGETS = (0, 60, 200, 1000, 8000)
ASKED = "why is the build checked before a release 決済"


def tool(name: str) -> Hooks:
    found = hooks_of(name)
    assert found is not None
    return found


def keeps(out: bytes, name: str, budget: int) -> str:
    """Check an answer against the law; return what is told."""
    text = told(out)
    assert cost(out) <= budget
    assert tool(name).size(text) <= tool(name).most_characters
    assert not text or text.startswith("# ")
    assert not text or re.search(r"\nDay [-\d]+(?: \d\d:\d\d:\d\d)?, budget \d+\.\n\Z", text)
    return text


def told_all(place: Path | str, name: str, budget: int) -> list[str]:
    """Ask for three events of one session, and check each answer."""
    inside = Inside(place, ("budget", str(budget)))
    said = []
    start, asks = tool(name).events[0], tool(name).events[-1]
    about: dict[str, Json] = {"session": "s1", "cwd": str(place)}
    for one, data in (
        (start, sent(name, start, **about)),
        (asks, sent(name, asks, prompt=ASKED, **about)),
        (asks, sent(name, asks, prompt="yes, and the second one, too", **about)),
    ):
        found = inside.ask(data, name, one)
        found.note()
        said.append(keeps(found.out, name, budget))
    return said


@pytest.mark.parametrize("name", NAMES)
def test_fixtures(tmp_path: Path, name: str) -> None:
    which = list(NAMES).index(name) % len(FIXTURES)
    for budget in BUDGETS:
        copy = tmp_path / str(budget)
        shutil.copytree(FIXTURES[which], copy, ignore=shutil.ignore_patterns(".ctx"))
        make_repository(copy)
        trust(copy / ".context")
        said = told_all(copy, name, budget)
        assert any(said) == (budget >= 200), "there is something to say, if not the rules"


@pytest.mark.skipif(not CORPORA, reason="the corpora are not there")
@pytest.mark.parametrize(("name", "budget"), [("codex", 100), ("cursor", 2500)])
@pytest.mark.parametrize("place", CORPORA, ids=lambda path: path.name)
def test_corpora(place: Path, name: str, budget: int) -> None:
    inside = Inside(place, ("budget", str(budget)), CTX_NO_CACHE="1")
    start, prompt = tool(name).events
    names = {"session_id": "s1", "conversation_id": "s1"}
    for data, one in (({}, start), ({"prompt": ASKED}, prompt)):
        text = keeps(inside.ask({**names, **data}, name, one).out, name, budget)
        assert bool(text) == (budget > 100)


@settings(max_examples=10)
@given(made=directories(), name=st.sampled_from(sorted(NAMES)), budget=st.integers(0, 4000))
def test_any_directory(made: Directory, name: str, budget: int) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        made.write(root)
        make_repository(Path(folder))
        told_all(folder, name, budget)


# --- rules that do not fit ----------------------------------------------------------------


def _long_rules(place: Path) -> Path:
    rules = "".join(f"- Rule number {n} holds in every module of this shop\n" for n in range(400))
    (place / ".context" / "CONSTITUTION.md").write_text(f"# Constitution\n\n{rules}")
    return place


def test_rules_that_fit_are_said_whole(shop: Path) -> None:
    text = told(Inside(shop).ask(event()).out)
    rules = (shop / ".context" / "CONSTITUTION.md").read_text()
    wanted = [line for line in rules.splitlines() if line.startswith("- ")]
    assert wanted
    assert [line for line in wanted if line.replace("- [ ] ", "- ") not in text] == []
    assert "Degraded" not in text


def test_rules_that_do_not_fit_are_pointed_at_and_not_cut(shop: Path) -> None:
    inside = Inside(_long_rules(shop))
    first = inside.tell(event(prompt=""))
    assert "Read them before anything else: .context/CONSTITUTION.md" in first
    assert "Rule number" not in first
    assert "## Decisions" in first
    assert "\n- [ ] " in first
    assert cost(first.encode()) > 2000, "the room of the rules is spent on something else"
    assert "Only what is new" not in first
    second = inside.tell(event(prompt="Where do the labels of a return come from?"))
    assert "Read them before" not in second, "it was said"
    assert inside.tell(event(prompt="Where do the labels of a return come from?")) == ""


def test_shares_are_of_what_is_said(shop: Path) -> None:
    """Of the whole plan the rules would leave no share for the tasks."""
    for name, line in (
        ("TASKS", "- [ ] Mend shelf number {} of the warehouse in the north\n"),
        ("CONVENTIONS", "- Name a shelf of kind {} by its hall and its height\n"),
        ("DECISIONS", "## [2026-01-01] Decision on shelf {}\n\n**Decision**: Paint it blue.\n\n"),
    ):
        text = "".join(line.format(number) for number in range(200))
        (shop / ".context" / f"{name}.md").write_text(text)
    tasks = told(Inside(_long_rules(shop)).ask(event()).out).count("- [ ] Mend shelf")
    assert tasks >= 8


def test_a_plan_that_was_too_large_is_made_smaller(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "_JOINTS", -700)
    answer = Inside(_long_rules(shop)).ask(event(prompt=""))
    assert "## Decisions" in keeps(answer.out, "claude", 2500)
    assert cost(answer.out) > 1800


def test_a_changed_rule_of_those_is_said(shop: Path) -> None:
    inside = Inside(_long_rules(shop))
    inside.tell(event())
    path = shop / ".context" / "CONSTITUTION.md"
    path.write_text(path.read_text() + "- Nobody deploys on a Friday\n")
    again = inside.tell(event())
    assert "Nobody deploys on a Friday" in again
    assert "Rule number" not in again


def test_a_budget_that_holds_nothing_is_silence(shop: Path) -> None:
    answer = Inside(shop, ("budget", "40")).ask(event())
    assert (answer.out, answer.reason) == (b"", "no room")


def test_what_had_no_room_was_not_told(shop: Path) -> None:
    assert Inside(shop, ("budget", "40")).tell(event()) == ""
    assert "Amounts are integers" in Inside(shop).tell(event())
    assert Inside(shop).tell(event()) == "", "and now it was"


# --- the count ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_budget_is_what_is_asked_and_what_the_tool_takes(name: str) -> None:
    one = tool(name)
    for asked in (0, 100, 2000, 2500, 9000):
        counting = Printed(counter("heuristic"), one, one.events[-1], asked)
        assert counting.budget == min(asked, one.most_characters // CHARACTERS_A_TOKEN)
        assert 0 <= counting.room <= max(0, counting.budget - 32)


@given(text=st.text())
@example('say "so"\n\\and so\t\x01 é日本😀')
@example("x" * 5000)
@example("\n" * 500)
def test_what_is_counted_is_what_is_printed(text: str) -> None:
    for name in NAMES:
        one = tool(name)
        counting = Printed(counter("heuristic"), one, one.events[0], 2500)
        said = one.answer(one.events[0], harmless(text)).decode()
        head, _, tail = one.answer(one.events[0], "|").decode().partition("|")
        inner = said[len(head) : len(said) - len(tail)]
        by_size = -(-one.size(harmless(text)) // CHARACTERS_A_TOKEN)
        assert counting.count(text) == max(counter("heuristic").count(inner), by_size)


def test_a_tool_of_another_form_is_counted_by_its_answers() -> None:
    class Plain:
        most_characters = 1000

        def answer(self, _event: str, packet: str) -> bytes:
            return f"<<{packet}>>".encode()

        def size(self, packet: str) -> int:
            return len(packet)

    counting = Printed(counter("heuristic"), Plain(), "e", 100)  # type: ignore[arg-type]
    assert counting.count('a "b"\n') == counter("heuristic").count('a "b"\n')


def test_tags_of_hosts_are_made_harmless() -> None:
    text = "a < b <b> </system-reminder> <SYSTEM_reminder x> </hook_context> <systems>"
    expected = "a < b <b> &lt;/system-reminder> &lt;SYSTEM_reminder x> &lt;/hook_context> <systems>"
    assert harmless(text) == harmless(expected) == expected
