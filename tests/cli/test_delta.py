"""``ctx agent --delta`` as hooks meet it: a session hears everything once, then only news."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest import mock

import pytest
from jsonschema import Draft202012Validator

from ctx.app import walk
from ctx.app.find import here
from ctx.model import LEVELS, NEVER, Format, Included, Level, Request
from ctx.render import layout, markdown, packet_json
from ctx.store import delivery_log, response_cache
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.store.places import prepare
from ctx.text.levels import dated_title, key_lines
from ctx.text.tokens import counter
from tests.hostile import HANGS, REPOSITORY, Ran, environment
from tests.keeping import cache, make_repository, state
from tests.rank.hands import Done, call

AS_OF = "2026-02-01"
SESSION = "s1"
FORMATS: tuple[Format, ...] = ("md", "json")
GONE = layout.GONE
PLANNERS = ("tiered", "acs")
BUDGETS = (0, 50, 300, 1000, 2000, 8000)
ARRAYS = ("constitution", "conventions", "decisions", "learnings", "summaries", "tasks")
SILENCE = f"ctx: nothing new for session '{SESSION}'\n"
posix = pytest.mark.skipif(os.name != "posix", reason="a shell, links and devices of POSIX")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project that nothing was said of yet."""
    place = tmp_path / "shop"
    ignored = shutil.ignore_patterns(".ctx")
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", place, ignore=ignored)
    make_repository(place)
    return place


def _agent(shop: Path, *options: str, session: str = SESSION, **environ: str) -> Done:
    """Run ``ctx agent`` a minute from now, so that all that was written counts."""
    told = ("--session", session) if session else ()
    start = ("agent", "--dir", str(shop), "--as-of", AS_OF, *told)
    return call(*start, *options, environ=environ, later=60)


def _news(shop: Path, *options: str, **environ: str) -> Done:
    return _agent(shop, "--delta", *options, **environ)


def _edit(shop: Path, name: str, old: str, new: str) -> None:
    path = shop / ".context" / name
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def _cost(done: Done) -> int:
    return counter("heuristic").count(done.text)


def _check_schema(said: object) -> None:
    definition = json.loads((Path(REPOSITORY) / "docs" / "packet.schema.json").read_text("utf-8"))
    errors = Draft202012Validator(definition).iter_errors(said)
    assert [error.message for error in errors] == []


def _cached(shop: Path, *options: str) -> Done:
    """Run a call that must be answered from the store."""
    with mock.patch("ctx.app.packet.compose", side_effect=AssertionError("made anew")):
        return _agent(shop, *options)


# --- what it needs ------------------------------------------------------------------------


def test_a_session_may_be_a_variable(shop: Path) -> None:
    done = _agent(shop, "--delta", session="", CTX_SESSION=SESSION)
    assert (done.code, done.out) == (0, _agent(shop, session="").out)


# --- once, and then news ------------------------------------------------------------------


@pytest.mark.parametrize(("format_", "budget"), [("md", 0), ("json", 300), ("md", 2000)])
def test_the_first_call_says_exactly_the_whole_packet(
    shop: Path, format_: str, budget: int
) -> None:
    options = ("--format", format_, "--budget", str(budget))
    whole = _agent(shop, *options, session="" if format_ == "md" else "other")
    first = _news(shop, *options)
    assert (first.code, first.out) == (0, whole.out)


def test_the_first_call_of_the_other_planner_differs_by_its_figures_alone(shop: Path) -> None:
    options = ("--format", "json", "--planner", "acs")
    whole, first = (
        json.loads(done.out) for done in (_agent(shop, *options, session=""), _news(shop, *options))
    )
    policy = first.pop("kv_policy")
    assert len(policy["pin"]) + policy["unnamed"] > 20
    assert first.pop("metrics")["misses"] > 0
    whole.pop("metrics")
    for one in (whole, first):
        del one["tokens_used"]
    assert first == whole


@pytest.mark.parametrize(
    ("planner", "budget"), [("tiered", "300"), ("tiered", "8000"), ("acs", "300"), ("acs", "8000")]
)
def test_the_second_call_says_nothing(shop: Path, planner: str, budget: str) -> None:
    options = ("--planner", planner, "--budget", budget)
    _news(shop, *options)
    second = _news(shop, *options)
    assert (second.code, second.out) == (0, b"")
    assert second.err.endswith(SILENCE)
    if budget == "8000":
        assert second.err == SILENCE
    done = _news(shop, *options, "--format", "json")
    said = json.loads(done.out)
    _check_schema(said)
    assert said["delta"] == {"gone": [], "unnamed": 0, "forget": []}
    assert [said[name] for name in (*ARRAYS, "read_order")] == [[]] * 7
    assert SILENCE in done.err


def test_an_account_of_nothing_new_prints_no_frame(shop: Path) -> None:
    _news(shop)
    done = _news(shop, "--explain")
    assert done.out == b""
    assert "CONSTITUTION.md:7" in done.err


def test_what_is_over_may_be_forgotten(shop: Path) -> None:
    task = "- [ ] Delete carts that nobody has touched for ninety days #priority:low\n"
    rule = "- push to `main` without a review\n"
    for name, old, new, gone in (
        ("TASKS.md", task, task.replace("[ ]", "[x]"),
         "Delete carts that nobody has touched for ninety days (done)"),
        ("CONSTITUTION.md", rule, "", "CONSTITUTION.md#push-to-main-without-a-review (removed)"),
    ):  # fmt: skip
        _news(shop)
        _edit(shop, name, old, new)
        assert f"\n{GONE}\n\n- {gone}\n\n" in _news(shop).text
        assert _news(shop).out == b""


@pytest.mark.parametrize("planner", PLANNERS)
def test_what_there_is_no_room_to_name_is_named_another_time(shop: Path, planner: str) -> None:
    options = ("--format", "json", "--planner", planner, "--budget", "4000")
    before = {one.entry.id for one in _whole(shop, Asked(planner, "json", 4000)).said}
    _news(shop, *options)
    for name in ("LEARNINGS.md", "DECISIONS.md", "TASKS.md", "CONVENTIONS.md"):
        (shop / ".context" / name).write_text("# Nothing\n")
    gone = before - _whole(shop, Asked(planner, "json", 4000)).there
    assert len(gone) > 20
    named: list[str] = []
    while told := json.loads(_news(shop, *options).out)["delta"]:
        named += [one["id"] for one in told["gone"]]
        if not told["unnamed"]:
            break
    assert sorted(named) == sorted(gone)


def test_what_is_superseded_is_not_said_again_though_there_is_room(shop: Path) -> None:
    _news(shop)
    recent = "## [2026-01-20-101500]"
    new = "## [2026-01-30] New\n\n**Supersedes**: 2026-01-16-144500"
    _edit(shop, "DECISIONS.md", recent, f"{new}\n\n{recent}")
    done = _news(shop)
    assert "### [2026-01-30] New" in done.text
    assert "### [2026-01-16]" not in done.text
    assert "Rank search results by stock first, then by text (superseded)\n" in done.text


def test_what_was_told_and_has_changed_is_said_first(shop: Path) -> None:
    options = ("--budget", "1000")
    assert "Postal validation is down" in _news(shop, *options, "--query", "postal").text
    _edit(shop, "LEARNINGS.md", "is accepted and checked again later", "is refused")
    done = _news(shop, *options, "--query", "refunds")
    assert "is refused" in done.text
    assert GONE not in done.text


def test_after_a_day_without_a_word_everything_is_said_again(shop: Path) -> None:
    start = ("agent", "--dir", str(shop), "--as-of", AS_OF, "--session", SESSION, "--delta")
    first = call(*start, later=60)
    assert call(*start, later=86_000).out == b""
    assert call(*start, later=3 * 86_400).out == first.out


def test_another_query_is_answered_with_what_was_not_told(shop: Path) -> None:
    _news(shop, "--budget", "1000")
    done = _news(shop, "--budget", "1000", "--query", "postal validation")
    assert "Postal validation is down" in done.text
    assert "Constitution" not in done.text


# --- a window that was lost ---------------------------------------------------------------


def test_after_a_whole_packet_only_that_counts_as_told(shop: Path) -> None:
    """What a compacted window lost is said again, also where the store answers for it."""
    ask = ("--budget", "1000", "--query", "postal validation")
    for _ in range(2):  # the second time both packets are remembered
        _agent(shop, "--budget", "1000")
        assert "Postal validation is down" in _news(shop, *ask).text
        assert _news(shop, *ask).out == b""


def test_a_plain_session_call_is_answered_from_the_store_in_the_end(shop: Path) -> None:
    first = _agent(shop)
    _agent(shop)
    third = _cached(shop)
    assert third.out == first.out
    assert third.err == ""  # a session that was told something is no mistake


# --- what can go wrong --------------------------------------------------------------------


def _memory(shop: Path) -> Path:
    return Path(delivery_log.path(str(state(shop / ".context")), SESSION))


HARM: dict[str, Callable[[bytes], bytes]] = {
    "torn": lambda data: data[: len(data) // 2],
    "a bit": lambda data: data.replace(b"full", b"fuII", 1),
    "foreign": lambda data: b"ctx-memory-1 00000000\n" + data[:2],
}


@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_memory_makes_everything_news(shop: Path, harm: str) -> None:
    first = _news(shop)
    path = _memory(shop)
    path.write_bytes(HARM[harm](path.read_bytes()))
    again = _news(shop)
    assert (again.code, again.out, again.err) == (0, first.out, "")
    assert _news(shop).out == b""


@pytest.mark.parametrize("stray", ["folder", "file in place of the folder", "no store"])
def test_a_memory_that_cannot_be_kept_makes_everything_news_each_time(
    shop: Path, stray: str
) -> None:
    prepare(str(shop / ".context"), os.environ, "")
    folder = state(shop / ".context") / delivery_log.FOLDER
    if stray == "folder":
        folder.mkdir(mode=0o700)
        _memory(shop).mkdir()
    elif stray == "no store":
        for store in (cache(shop / ".context"), state(shop / ".context")):
            shutil.rmtree(store)
            store.write_text("no folder")
    else:
        folder.write_text("no folder")
    first = _news(shop)
    assert (first.code, first.err, _news(shop).out) == (0, "", first.out)


def test_without_a_cache_everything_is_news_each_time(shop: Path) -> None:
    first = _news(shop, CTX_NO_CACHE="1")
    assert (first.code, _news(shop, CTX_NO_CACHE="1").out) == (0, first.out)
    assert not cache(shop / ".context").exists()


def _process(shop: Path, *options: str) -> list[str]:
    start = [sys.executable, "-m", "ctx", "agent", "--dir", str(shop), "--as-of", AS_OF]
    return [*start, "--session", SESSION, "--delta", *options]


def _run(shop: Path, *options: str, stdout: int = subprocess.PIPE) -> Ran:
    done = subprocess.run(
        _process(shop, *options),
        cwd=REPOSITORY,
        env=environment(HOME=str(shop.parent)),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )
    return Ran(done.stdout or b"", done.stderr.decode(), done.returncode)


def test_two_at_once_lose_nothing(shop: Path) -> None:
    whole = _agent(shop, session="").out
    running = [
        subprocess.Popen(
            _process(shop),
            cwd=REPOSITORY,
            env=environment(HOME=str(shop.parent)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    said = [one.communicate(timeout=HANGS) for one in running]
    assert [one.returncode for one in running] == [0] * 4
    assert {out for out, _ in said} <= {whole, b""}
    assert whole in {out for out, _ in said}
    assert all(err in (b"", SILENCE.encode()) for _, err in said)
    assert _news(shop).out == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has such a device")
def test_what_a_full_disk_did_not_take_was_not_told(shop: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = _run(shop, stdout=full.fileno())
    assert (ran.code, ran.err.count("\n")) == (6, 1)
    assert not _memory(shop).exists()
    assert _news(shop).out == _agent(shop, session="").out


@posix
def test_what_a_closed_pipe_did_not_take_was_not_told(shop: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = _run(shop, stdout=writer)
    os.close(writer)
    assert (ran.code, ran.err) == (0, "")
    assert not _memory(shop).exists()


def test_what_the_cooldown_holds_back_was_not_told(shop: Path) -> None:
    """The store may have answered both, the memory must not think that it was heard twice."""
    _agent(shop, "--cooldown", "10m")
    before = _memory(shop).read_bytes()
    held = _agent(shop, "--cooldown", "10m")
    assert (held.out, "received this packet" in held.err) == (b"", True)
    assert _memory(shop).read_bytes() == before


# --- from the store -----------------------------------------------------------------------


@pytest.mark.parametrize(("planner", "format_"), [("tiered", "md"), ("acs", "json")])
def test_the_third_call_is_answered_from_the_store_and_an_edit_is_seen(
    shop: Path, planner: str, format_: str
) -> None:
    options = ("--delta", "--planner", planner, "--format", format_)
    _agent(shop, *options)
    second = _agent(shop, *options)
    third = _cached(shop, *options)
    assert (third.out, third.err, third.code) == (second.out, second.err, second.code)
    _edit(shop, "DECISIONS.md", "by a job.", "by a nightly job.")
    assert "nightly job" in _agent(shop, *options).text


def test_what_another_call_tells_is_not_news_from_the_store(shop: Path) -> None:
    """A remembered answer is no answer once the session was told something else."""
    _news(shop, "--budget", "1000", "--query", "carts")
    _news(shop, "--budget", "1000", "--query", "carts")
    assert list((cache(shop / ".context") / response_cache.FOLDER).iterdir())
    _edit(shop, "DECISIONS.md", "by a job.", "by a nightly job.")
    assert "nightly job" in _news(shop, "--query", "carts").text
    again = _news(shop, "--budget", "1000", "--query", "carts").text
    assert "Carts live" not in again


# --- the law, and what a session knows ----------------------------------------------------


class Asked(NamedTuple):
    """How a session asks."""

    planner: str
    format: Format
    budget: int

    @property
    def options(self) -> tuple[str, ...]:
        """As words of a command line."""
        told = ("--planner", self.planner, "--format", self.format)
        return (*told, "--budget", str(self.budget))


class Heard:
    """What a session was told, by what stood in the packets that it was given."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.names: dict[str, str] = {}
        """Ids by title, as a packet names what is gone."""
        self.texts: dict[str, dict[Level, tuple[str, str, str]]] = {}
        """What is known of an entry, by id and level."""

    def hear(self, out: str, whole: Whole, format_: Format) -> list[str]:
        """Note what of ``whole`` stands in ``out``; return the ids of what was known already.

        What it may forget is news when it comes back.
        """
        for gone in _named(out, format_):
            self.texts.pop(self.names.get(gone, gone), None)
        form = markdown if format_ == "md" else packet_json
        again = []
        for one in whole.said:
            unit = form.unit(one).rstrip(",\n")
            if f"\n{unit}" not in f"\n{out}":
                continue
            if one.entry.status != "superseded" and self.knows(one):
                again.append(one.entry.id)
            self.names[dated_title(one.entry)] = one.entry.id
            self.texts[one.entry.id] = {
                level: _text(one, level) for level in LEVELS[LEVELS.index(one.level) :]
            }
        return again

    def knows(self, one: Included) -> bool:
        """Whether what is said of an entry was told, and nothing else since."""
        if one.entry.status == "superseded":
            return True  # it is named once, as what it is, and not said again
        return self.texts.get(one.entry.id, {}).get(one.level) == _text(one, one.level)


def _named(out: str, format_: Format) -> list[str]:
    """Return the ids of what a packet says may be forgotten."""
    if format_ == "json" and out:
        told = json.loads(out).get("delta", {"gone": [], "forget": []})
        return [one["id"] for one in told["gone"]] + list(told["forget"])
    _, _, listed = out.partition(f"\n{GONE}\n\n")
    lines = listed.partition("\n\n")[0].splitlines()
    return [line.removeprefix("- ").rpartition(" (")[0] for line in lines]


def _text(one: Included, level: Level) -> tuple[str, str, str]:
    bodies = {"title": "", "key": key_lines(one.entry), "full": one.entry.body}
    return one.entry.lead, dated_title(one.entry), bodies[level]


class Whole(NamedTuple):
    """What a packet says where it says everything."""

    said: list[Included]
    there: set[str]
    """Ids of all entries that are neither over nor out of date."""


def _whole(shop: Path, asked: Asked) -> Whole:
    root = str(shop / ".context")
    request = Request(
        root,
        date.fromisoformat(AS_OF),
        asked.budget,
        asked.format,
        planner=asked.planner,
        project=str(shop),
        shown_root=here(root, "", str(Path.cwd())),
        authored=(("AGENTS.md", "CLAUDE.md"),),
        levels=("..",),
    )
    told = walk.assemble(request, counter("heuristic"), NoCache(), WordsInMemory())
    entries = [
        part.entry(place)
        for source in told.context.sources
        for part in source.parts
        for place in range(len(part))
    ]
    return Whole(
        [
            one
            for section in told.selection.sections
            for one in (*section.included, *section.titles)
        ],
        {one.id for one in entries if one.status not in ("done", "skipped", "superseded")},
    )


def test_the_check_sees_what_a_packet_says(shop: Path) -> None:
    """A check of the check: of a whole packet it hears every entry, of silence none."""
    for format_ in FORMATS:
        asked, heard = Asked("tiered", format_, 2000), Heard()
        whole = _whole(shop, asked)
        assert len(whole.said) > 20
        assert heard.hear("", whole, format_) == []
        assert not any(map(heard.knows, whole.said))
        assert heard.hear(_agent(shop, *asked.options, session="").text, whole, format_) == []
        assert all(map(heard.knows, whole.said))
        assert whole.said[0].entry.body in heard.texts[whole.said[0].entry.id]["full"]


EDITS = ("revise", "supersede", "remove", "add", "close", "rule", "undo")


def _edits(shop: Path, random: Random) -> Iterator[str]:
    """Change one thing after the other, as people do; yield what was done."""
    for number in count(1):
        kind = random.choice(EDITS)
        if kind == "undo":
            name = random.choice(("DECISIONS.md", "TASKS.md", "LEARNINGS.md", "CONSTITUTION.md"))
            origin = Path(REPOSITORY) / "fixtures" / "webshop" / ".context" / name
            shutil.copyfile(origin, shop / ".context" / name)
        elif kind in ("close", "rule"):
            name = _edit_line(shop, random, kind, number)
        else:
            name = _edit_entry(shop, random, kind, number)
        yield f"{kind} {name} {number}"


def _edit_entry(shop: Path, random: Random, kind: str, number: int) -> str:
    name = random.choice(("DECISIONS.md", "LEARNINGS.md"))
    path = shop / ".context" / name
    head, *entries = path.read_text("utf-8").split("\n## ")
    at = random.randrange(len(entries))
    if kind == "revise":
        label = random.choice(("Decision", "Lesson", "Context", "Consequence"))
        entries[at] = f"{entries[at].rstrip()}\n\n**{label}**: revised {number}\n"
    elif kind == "supersede":
        entries[at] = f"{entries[at].rstrip()}\n\n~~Superseded: {number}~~\n"
    elif kind == "remove" and len(entries) > 2:
        del entries[at]
    else:
        date_ = f"2026-01-{random.randrange(1, 31):02}-{number:06}"
        body = f"**Decision**: new {number}\n\n**Context**: why\n"
        entries.insert(at, f"[{date_}] New {number}\n\n{body}")
    path.write_text("\n## ".join([head, *entries]), "utf-8")
    return name


def _edit_line(shop: Path, random: Random, kind: str, number: int) -> str:
    rules = (".context/CONSTITUTION.md", ".context/CONVENTIONS.md", "AGENTS.md")
    name = random.choice(rules) if kind == "rule" else ".context/TASKS.md"
    lines = (shop / name).read_text("utf-8").split("\n")
    start = "- " if kind == "rule" else "- [ ] "
    at = random.choice([at for at, line in enumerate(lines) if line.startswith(start)])
    if kind == "rule":
        lines[at] += random.choice((f" (since {number})", ""))
    else:
        lines[at] = lines[at].replace("[ ]", random.choice(("[x]", "[-]")), 1)
        lines.insert(at, f"- [ ] task {number} about `shop/money.py` #priority:high")
    (shop / name).write_text("\n".join(lines), "utf-8")
    return name


@pytest.mark.parametrize(
    ("planner", "format_", "budget"),
    [("tiered", "md", 1000), ("tiered", "json", 8000), ("acs", "md", 2000), ("acs", "json", 1000)],
)
def test_a_session_knows_all_that_a_whole_packet_says_whatever_is_edited(
    shop: Path, planner: str, format_: Format, budget: int
) -> None:
    asked, heard = Asked(planner, format_, budget), Heard()
    edits = _edits(shop, Random(f"{asked}"))  # noqa: S311 - the same each time
    what = "nothing"
    for _ in range(15):
        done = _news(shop, *asked.options)
        assert done.code == 0, done.err
        assert _cost(done) <= budget
        whole = _whole(shop, asked)
        assert heard.hear(done.text, whole, format_) == [], f"after {what}: said twice"
        unknown = [one.entry.id for one in whole.said if not heard.knows(one)]
        assert unknown == [], f"after {what}"
        what = next(edits)


@pytest.mark.parametrize(("planner", "format_"), [("tiered", "json"), ("acs", "md")])
def test_no_news_pass_the_budget(shop: Path, planner: str, format_: Format) -> None:
    for budget in BUDGETS:
        session = f"b{budget}"
        options = ("--delta", *Asked(planner, format_, budget).options)
        edits = _edits(shop, Random(budget))  # noqa: S311 - as above
        for _ in range(4):
            done = _agent(shop, *options, session=session)
            assert _cost(done) <= budget
            next(edits)


def test_news_and_whole_packets_in_turn_lose_nothing(shop: Path) -> None:
    """Whole packets begin anew: what they say, and what came after, is what is known."""
    random = Random(7)  # noqa: S311 - as above
    edits = _edits(shop, random)
    heard = Heard()
    for _ in range(20):
        asked = Asked(random.choice(PLANNERS), random.choice(FORMATS), random.choice(BUDGETS[3:]))
        if random.random() < 0.3:
            heard = Heard()
            done = _agent(shop, *asked.options)
        else:
            done = _news(shop, *asked.options)
        whole = _whole(shop, asked)
        heard.hear(done.text, whole, asked.format)
        assert [one.entry.id for one in whole.said if not heard.knows(one)] == []
        if random.random() < 0.6:
            next(edits)


# --- what must not be lost ----------------------------------------------------------------


def test_a_packet_that_nobody_was_told_is_not_answered_from_the_store(shop: Path) -> None:
    def run(later: int, *options: str) -> Done:
        start = ("agent", "--dir", str(shop), "--as-of", AS_OF, "--session", SESSION)
        return call(*start, *options, "--budget", "1000", later=later)

    usual, asked = ("--cooldown", "10m"), ("--delta", "--query", "postal validation")
    run(60, *usual)
    assert "Postal validation is down" in run(70, *asked).text
    assert run(80, *usual).out == b""  # within the cooldown
    # Later the host compacts its window and asks for all of it: that alone is known then.
    assert run(2000, *usual).out
    assert "Postal validation is down" in run(2010, *asked).text


def test_a_rule_that_becomes_hard_is_news(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    (root / "TASKS.md").write_text("# Tasks\n")
    (root / "DECISIONS.md").write_text("# Decisions\n\n## [2026-01-01] One\n\nWe do it.\n" * 9)
    rules = tmp_path / "AGENTS.md"
    rules.write_text("# Rules\n\n<!-- ctx:soft -->\n- You must use tabs.\n")
    _news(tmp_path)
    rules.write_text("# Rules\n\n<!-- ctx:hard -->\n- You must use tabs.\n")
    assert "use tabs" in _news(tmp_path).text


def test_how_often_an_entry_was_told_outlives_a_whole_packet(shop: Path) -> None:
    _news(shop)
    store = str(state(shop / ".context"))
    _news(shop, "--budget", "4000")
    _agent(shop, "--budget", "900")
    before = delivery_log.recall(store, SESSION)
    unknown = [key for key, item in before.items.items() if item.digest == NEVER]
    assert unknown
    _news(shop)
    after = delivery_log.recall(store, SESSION)
    kept = [key for key in unknown if key in after.items and key[0] != "#"]
    assert kept
    assert all(after.items[key].uses == before.items[key].uses + 1 for key in kept)


def test_what_may_be_forgotten_does_not_pass_the_budget(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    many = "".join(
        f"## [2026-01-{1 + i % 28:02}-{i:06}] Choice {i}\n\nUse {i}.\n\n" for i in range(200)
    )
    (root / "DECISIONS.md").write_text(f"# Decisions\n\n{many}")
    long = "".join(
        f"## [2026-01-{1 + i % 28:02}-{i:06}] Lesson {i}\n\nzebra {i} {'long text ' * 20}.\n\n"
        for i in range(50)
    )
    (root / "LEARNINGS.md").write_text(f"# Learnings\n\n{long}")
    options = ("--format", "json")
    _news(tmp_path, *options)
    done = _news(tmp_path, *options, "--budget", "1000", "--query", "zebra 7")
    assert json.loads(done.out)["delta"]["forget"]
    assert _cost(done) <= 1000


def test_what_has_changed_is_not_said_where_only_rules_are(shop: Path) -> None:
    _news(shop)
    _edit(shop, "DECISIONS.md", "by a job.", "by a nightly job.")
    window = ("--context-length", "100000", "--used-tokens", "60000")
    done = _news(shop, *window, "--threshold-tokens", "62000")
    assert "nightly" not in done.text
    assert "(changed)" in done.text


def test_what_has_changed_is_said_as_far_as_it_is_trusted(shop: Path) -> None:
    path = shop / ".context" / "DECISIONS.md"
    path.write_text(f"---\ntrust: 0.1\n---\n{path.read_text()}")
    _news(shop)
    _edit(shop, "DECISIONS.md", "by a job.", "by a nightly job.")
    window = ("--context-length", "100000", "--used-tokens", "40000")
    assert "nightly" not in _news(shop, *window).text
    assert "nightly" in _news(shop).text


def test_a_cited_file_that_appears_makes_another_packet(tmp_path: Path) -> None:
    root, cited = tmp_path / ".context", tmp_path / "src" / "x.py"
    root.mkdir()
    cited.parent.mkdir()
    text = "# Decisions\n\n## [2026-01-20] One\n\nIt is in `src/x.py`.\n"
    (root / "DECISIONS.md").write_text(text)
    start = ("agent", "--dir", str(tmp_path), "--as-of", AS_OF, "--planner", "acs")
    before = [call(*start, "--format", "json", later=60).out for _ in range(2)][-1]
    cited.write_text("")
    after = call(*start, "--format", "json", later=60).out
    benefits = [json.loads(out)["metrics"]["mean_benefit"] for out in (before, after)]
    assert abs(benefits[0] - benefits[1]) == pytest.approx(0.05)


def test_the_account_of_news_names_what_was_known(shop: Path) -> None:
    _news(shop)
    _edit(shop, "DECISIONS.md", "by a job.", "by a nightly job.")
    rows = json.loads(_news(shop, "--format", "json", "--explain").out)["entries"]
    said = [row["id"] for row in rows if row["outcome"] == "full"]
    assert [id_ for id_ in said if id_.startswith("DECISIONS.md")] == [
        "DECISIONS.md#2025-11-28-110000"
    ]
    known = [row for row in rows if row["reason"] == "omitted: the session has received it already"]
    assert len(known) > 20
    assert {row["outcome"] for row in known} == {"out"}
