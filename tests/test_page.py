"""The page of ``ctx explain --html`` in a browser: alone, with a keyboard, in any light.

Skipped where there is no Chromium. The first shared corpus is looked at where all is asked for.
"""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ctx.text.tokens import counter
from scripts import picture
from tests.rank.hands import call
from tests.sampling import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
pytestmark = pytest.mark.skipif(not picture.chromium(), reason="Chromium is not installed")

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpora" / "activememory" / ".context"
SHOP = ROOT / "fixtures" / "webshop" / ".context"
NAMES = {"f": "full", "k": "key lines", "t": "title only", ".": "omitted"}
PLACE = {"f": 0, "k": 1, "t": 2}
"""Where the cost of an outcome stands."""
SLIDER = "#budget"
WIDE, NARROW = (1280, 900), (360, 740)
PATIENCE = 150_000
"""Milliseconds."""
HEAR = """
window.heard = [];
addEventListener("securitypolicyviolation", (event) => heard.push(event.violatedDirective));
addEventListener("error", (event) => heard.push(event.message));
"""


class Made(NamedTuple):
    """A page on disk, and the call that it explains."""

    uri: str
    data: dict[str, Any]
    asked: tuple[str, ...]
    """Options that ``ctx agent`` takes as well; without the budget."""


class Seen(NamedTuple):
    """A page in a browser."""

    page: Page
    made: Made
    requests: list[str]
    heard: list[str]
    """What it complained of in its console."""

    def violations(self) -> list[str]:
        """Return everything that its policy forbade, and every error."""
        heard = self.page.evaluate("heard")
        assert isinstance(heard, list)
        return [*heard, *self.heard]


def make(folder: Path, root: Path, *asked: str, budget: int) -> Made:
    file = folder / f"{root.parent.name}.html"
    asked = ("--dir", str(root), *asked)
    environ = {"CTX_NO_CACHE": "1"}
    done = call("explain", *asked, "--budget", str(budget), "--html", str(file), environ=environ)
    assert (done.code, done.out) == (0, b"")
    text = file.read_text("utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert data
    return Made(file.as_uri(), json.loads(data[1]), asked)


@pytest.fixture(scope="module", params=["webshop", *(["corpus"] if ALL else [])])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("pages")
    if request.param == "webshop":
        asked = ("--as-of", "2026-02-01", "--query", "refund discount")
        return make(folder, SHOP, *asked, budget=1200)
    if not CORPUS.is_dir():
        pytest.skip("the shared corpora are not beside the checkout")
    return make(folder, CORPUS, "--as-of", "2026-06-01", budget=8000)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with picture.browser() as started:
        yield started


def open_page(
    chromium: Browser, made: Made, size: tuple[int, int] = WIDE, *, dark: bool = False
) -> Seen:
    """Open a page without a network; every request is noted before it is sent."""
    context = chromium.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        offline=True,
    )
    context.add_init_script(HEAR)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    requests: list[str] = []
    heard: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("websocket", lambda socket: requests.append(socket.url))
    page.goto(made.uri)
    return Seen(page, made, requests, heard)


@pytest.fixture
def seen(chromium: Browser, made: Made) -> Iterator[Seen]:
    opened = open_page(chromium, made)
    yield opened
    assert opened.requests == [made.uri]
    assert opened.violations() == []
    opened.page.context.close()


def step_of(seen: Seen) -> dict[str, Any]:
    """Return the step that the slider stands at."""
    step = seen.made.data["steps"][int(seen.page.input_value(SLIDER))]
    assert isinstance(step, dict)
    return step


def texts(rows: Locator) -> list[list[str]]:
    """Return the cells of rows of a table."""
    found = rows.evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    assert isinstance(found, list)
    return found


def check(seen: Seen) -> None:
    """Check that all that is shown stands in the data of the step."""
    page, data, step = seen.page, seen.made.data, step_of(seen)
    at = int(page.input_value(SLIDER))
    figures = page.inner_text("#figures")
    assert figures.startswith(f"{step['budget']:,} tokens")
    assert figures.endswith(f"the packet has {step['tokens']:,}")
    assert page.is_visible("#degraded") == bool(step["degraded"])
    assert page.inner_text("#free") == f"{step['free']:,} of {step['budget']:,} not spent"
    for cells, section, share in zip(
        texts(page.locator("#sections tbody tr")), data["sections"], step["sections"], strict=True
    ):
        given, used, said, titles, left = share or [0] * 5
        expected = [used, given, section["asked"], said, titles, left]
        assert [cells[0], *cells[2:]] == [section["name"], *(f"{one:,}" for one in expected)]
    included = [one for one in data["entries"] if one["levels"][at] != "."]
    labels = page.locator("#map .tile:not(.others)").evaluate_all(LABELS)
    assert {*labels} <= {label(data, one, at) for one in included}
    others = [int(text.split()[0]) for text in page.locator("#map .others").evaluate_all(LABELS)]
    assert len(labels) + sum(others) == len(included)
    rows = texts(page.locator("#table tbody tr"))
    shown = {(row[0], row[1], row[3]) for row in rows}
    assert shown == {
        (
            f"{SIGN[one['levels'][at]]}{NAMES[one['levels'][at]]}",
            (one["title"] or "(no title)").strip() + one["id"],
            f"{cost(one, at):,}" if one["levels"][at] != "." else "–",
        )
        for one in data["entries"]
    }


LABELS = "(tiles) => tiles.map((tile) => tile.getAttribute('aria-label'))"
SIGN = {"f": "■", "k": "◧", "t": "▭", ".": "–"}


def cost(entry: dict[str, Any], at: int) -> int:
    found = entry["costs"][PLACE[entry["levels"][at]]]
    assert isinstance(found, int)
    return found


def label(data: dict[str, Any], entry: dict[str, Any], at: int) -> str:
    tokens = cost(entry, at)
    section = data["sections"][entry["section"]]["name"]
    name = NAMES[entry["levels"][at]]
    return f"{section}: {entry['title']}, {name}, {tokens:,} token{'' if tokens == 1 else 's'}"


# --- alone --------------------------------------------------------------------------------


def test_nothing_is_asked_for_but_the_page(seen: Seen) -> None:
    page = seen.page
    page.wait_for_selector("#map .tile")
    for key in ("ArrowRight", "Home", "End"):
        page.press(SLIDER, key)
    page.click("#reset")
    page.fill("#find", "a")
    page.wait_for_load_state("networkidle")
    assert seen.requests == [seen.made.uri]
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0


def test_the_policy_holds(seen: Seen) -> None:
    """It could not be loaded, and could not run, whatever found its way in."""
    page = seen.page
    failed: list[str | None] = []
    page.on("requestfailed", lambda request: failed.append(request.failure))
    tried = """async (elsewhere) => {
        const image = document.createElement("img");
        image.src = elsewhere;
        document.body.append(image);
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        const style = document.createElement("style");
        style.textContent = "body { color: red }";
        document.body.append(style);
        await new Promise((done) => setTimeout(done, 100));
        return [window.ran === undefined, heard.splice(0)];
    }"""
    held, heard = page.evaluate(tried, ELSEWHERE)
    assert held is True
    assert {one.partition("-")[0] for one in heard} == {"img", "script", "style"}
    assert failed == ["csp"]  # before it was sent
    assert seen.requests.pop() == ELSEWHERE
    seen.heard.clear()


ELSEWHERE = "http://127.0.0.1:9/x.png"


# --- the slider ---------------------------------------------------------------------------


def test_it_opens_at_the_budget_that_was_asked_for(seen: Seen) -> None:
    assert step_of(seen)["budget"] == seen.made.data["budget"]
    check(seen)


def test_the_slider_replays_the_budget(seen: Seen) -> None:
    page, steps = seen.page, seen.made.data["steps"]
    page.focus(SLIDER)
    last = len(steps) - 1
    shown = []
    for key, at in (
        ("ArrowRight", seen.made.data["at"] + 1), ("ArrowLeft", seen.made.data["at"]),
        ("Home", 0), ("ArrowRight", 1), ("End", last), ("ArrowLeft", last - 1),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert page.input_value(SLIDER) == str(at)
        check(seen)
        assert steps[at]["tokens"] in map(
            int, re.findall(r"\d+", value_text(page).replace(",", ""))
        )
        shown.append(page.locator("#map .tile").count())
    assert len(set(shown)) > 2
    assert page.evaluate("document.activeElement.id") == "budget"
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    assert int(page.input_value(SLIDER)) > 1
    page.click("#reset")
    assert step_of(seen)["budget"] == seen.made.data["budget"]
    check(seen)


def value_text(page: Page) -> str:
    return page.get_attribute(SLIDER, "aria-valuetext") or ""


def test_the_figures_are_those_of_the_packets(made: Made) -> None:
    steps = made.data["steps"]
    for step in (steps[0], steps[7], steps[made.data["at"]], steps[len(steps) // 2], steps[-1]):
        options = (*made.asked, "--budget", str(step["budget"]))
        packet = call("agent", *options, environ={"CTX_NO_CACHE": "1"})
        assert counter("heuristic").count(packet.text) == step["tokens"]


def test_areas_are_tokens(seen: Seen) -> None:
    """Held to a hundredth of the map: sections and overhead fill it, however little is spent."""
    boxes = seen.page.evaluate(
        """() => [...document.querySelectorAll(".area")].map((area) => {
            const box = area.getBoundingClientRect();
            return [area.querySelector(".label").textContent, box.width * box.height];
        })"""
    )
    step = step_of(seen)
    total = step["tokens"]
    assert {re.sub(r" [\d,]+$", "", text) for text, _ in boxes} <= {
        "overhead", *(one["name"] for one in seen.made.data["sections"])
    }  # fmt: skip
    whole = sum(area for _, area in boxes)
    for text, area in boxes:
        tokens = int(re.findall(r"[\d,]+$", text)[0].replace(",", ""))
        assert area / whole == pytest.approx(tokens / total, abs=0.01)


# --- the table ----------------------------------------------------------------------------


def column(page: Page, name: str) -> list[str]:
    heads = page.locator("#table thead th").all_inner_texts()
    at = next(place for place, head in enumerate(heads) if head.split("\n")[0].startswith(name))
    return [row[at] for row in texts(page.locator("#table tbody tr:not([hidden])"))]


@pytest.mark.parametrize("name", ["Full from", "recency"])
def test_columns_are_sorted_with_a_key(seen: Seen, name: str) -> None:
    page = seen.page
    heads = page.locator("#table thead th.part")
    assert heads.count() == len(seen.made.data["parts"])
    assert not heads.first.is_visible()
    page.check("#parts")
    assert heads.first.is_visible()
    head = page.locator("#table thead th", has=page.get_by_role("button", name=name, exact=True))
    assert head.get_attribute("aria-sort") is None
    for _ in range(2):
        head.locator("button").press("Enter")
        order = head.get_attribute("aria-sort")
        found = column(page, name)
        figures = [
            float(one.replace(",", "").removeprefix("≤ ")) for one in found if one not in ("", "–")
        ]
        assert figures == sorted(figures, reverse=order == "descending")
        assert found[len(figures) :] == [found[-1]] * (len(found) - len(figures))
        assert len(set(figures)) > 1
    directions = page.locator("#table th[aria-sort]")
    assert directions.count() == 1
    page.get_by_role("button", name="Tokens", exact=True).press("Space")
    assert directions.count() == 1
    assert head.get_attribute("aria-sort") is None


def test_entries_are_found_by_words_and_outcome(seen: Seen) -> None:
    page, data = seen.page, seen.made.data
    page.fill("#find", "REQUIRED rule")
    hard = [one for one in data["entries"] if "required rule" in one["reason"]]
    assert len(column(page, "Entry")) >= len(hard) > 0
    assert page.inner_text("#count").startswith(f"{len(column(page, 'Entry')):,} of ")
    page.fill("#find", "")
    page.select_option("#outcome", "t")
    titles = [one for one in data["entries"] if one["levels"][data["at"]] == "t"]
    assert column(page, "Level") == ["▭title only"] * len(titles)
    page.press(SLIDER, "End")
    last = [one for one in data["entries"] if one["levels"][-1] == "t"]
    assert column(page, "Level") == ["▭title only"] * len(last)


def test_what_comes_in_next_stands_first_and_rules_stand_last(seen: Seen) -> None:
    entries, at = seen.made.data["entries"], seen.made.data["at"]
    found = texts(seen.page.locator("#table tbody tr"))
    groups = []
    for row in found:
        (entry,) = (
            one for one in entries if row[1] == (one["title"] or "(no title)").strip() + one["id"]
        )
        never = not (entry["takes"][0] or entry["takes"][1])
        is_in = entry["levels"][at] == "f"
        groups.append((1 if entry["score"] else 3) if is_in else 2 if never else 0)
    assert groups == sorted(groups)
    assert groups[0] == 0
    assert found[-1][2] == "rules"
    scores = [float(row[6]) for row, group in zip(found, groups, strict=True) if group == 1]
    assert scores == sorted(scores, reverse=True)


def test_what_was_tried_in_steps_is_at_most(seen: Seen) -> None:
    page, data = seen.page, seen.made.data
    budgets = [step["budget"] for step in data["steps"]]
    assert data["within"] == max(b - a for a, b in pairwise(budgets))
    entry = next(one for one in data["entries"] if one["takes"][0] and one["takes"][0][0])
    row = page.locator("#table tbody tr", has_text=entry["id"]).first
    assert texts(row)[0][4] == f"≤ {entry['takes'][0][0]:,}"
    row.locator(".open").press("Enter")
    assert f"from a budget of at most {entry['takes'][0][0]:,}" in page.inner_text("#detail")
    page.keyboard.press("Escape")
    assert f"every {data['within']:,} tokens" in page.inner_text("#within")
    # Nothing fits a budget of 0, rules neither.
    rules = [
        one
        for one in data["entries"]
        if one["id"].startswith("CONSTITUTION.md") and one["takes"][0]
    ]
    assert rules
    for rule in rules[:2]:
        row = page.locator("#table tbody tr", has_text=rule["id"]).first
        assert rule["takes"][0][0] > 0
        assert texts(row)[0][4] == f"≤ {rule['takes'][0][0]:,}"


# --- with a keyboard ----------------------------------------------------------------------


def test_all_is_reached_with_tab(seen: Seen) -> None:
    page = seen.page
    reached: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.id || document.activeElement.className "
                "|| document.activeElement.tagName"
            )
        )
    assert reached[0] == "skip"
    for id_ in ("budget", "reset", "find", "outcome"):
        assert id_ in reached
    tiles = [one for one in reached if one.startswith("tile")]
    assert len(tiles) == 1  # one stop, and arrow keys from there
    assert "open" in reached


def test_the_treemap_is_walked_with_arrow_keys(seen: Seen) -> None:
    page = seen.page
    labels = page.locator("#map .tile").evaluate_all(
        "(tiles) => tiles.map((tile) => tile.getAttribute('aria-label'))"
    )
    page.locator("#map .tile[tabindex='0']").focus()
    here = "document.activeElement.getAttribute('aria-label')"
    for key, at in (
        ("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("Home", 0), ("ArrowUp", 0),
        ("End", -1), ("ArrowRight", -1),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(here) == labels[at]
    assert page.locator("#map .tile[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    assert page.is_visible("#detail")
    assert page.inner_text("#detail-title") in labels[-1]
    page.keyboard.press("Escape")
    assert not page.is_visible("#detail")
    assert page.evaluate(here) == labels[-1]


def test_one_entry_is_told_with_its_parts(seen: Seen) -> None:
    page, data = seen.page, seen.made.data
    entry = next(one for one in data["entries"] if any(one["parts"]))
    page.locator("#table tbody tr", has_text=entry["id"]).locator(".open").first.press("Enter")
    told = page.inner_text("#detail")
    assert entry["reason"] in told
    for part, value in zip(data["parts"], entry["parts"], strict=True):
        assert (f"{part['meaning']}" in told) == (value is not None)
    assert page.locator("#detail-strip i").count() == len(data["steps"])
    assert page.evaluate("document.querySelector('#detail').contains(document.activeElement)")
    page.get_by_role("button", name="Close", exact=True).press("Enter")
    assert not page.is_visible("#detail")


# --- for everybody ------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide", "narrow"])
def test_axe_finds_nothing(
    chromium: Browser, made: Made, size: tuple[int, int], dark: bool
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    seen = open_page(chromium, made, size, dark=dark)
    page = seen.page
    shown = [page.evaluate("getComputedStyle(document.body).backgroundColor")]
    assert faults(Axe(), page) == []
    page.press(SLIDER, "End")
    page.locator("#map .tile").first.click()
    assert faults(Axe(), page) == []
    luminance = sum(map(int, re.findall(r"\d+", shown[0])[:3]))
    assert (luminance < 200) is dark
    page.context.close()


def faults(found: Any, page: Page) -> list[str]:  # noqa: ANN401 - a library without types
    response = found.run(page).response
    # With a dialog open all behind it is inert, and its colours are not looked at.
    passed = {rule["id"] for rule in response["passes"]}
    assert passed >= {"button-name", "color-contrast", "landmark-one-main"} - (
        {"landmark-one-main"} if page.locator("dialog[open]").count() else set()
    )
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in response["violations"]
        for node in rule["nodes"]
    ]


def test_nothing_is_wider_than_the_page(chromium: Browser, made: Made) -> None:
    for size in (WIDE, NARROW, (320, 480)):
        seen = open_page(chromium, made, size)
        check_width(seen.page)
        seen.page.emulate_media(media="print")  # on paper there is nothing to press
        assert not seen.page.is_visible(SLIDER)
        assert seen.page.is_visible("#table tbody tr:last-child")
        seen.page.context.close()


def check_width(page: Page) -> None:
    wide, held = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= held


def test_nothing_moves_but_for_who_moves_the_slider(chromium: Browser, made: Made) -> None:
    durations = (
        "[...document.querySelectorAll('.area, .tile, .bar i')]"
        ".map((one) => getComputedStyle(one).transitionDuration)"
    )
    page = open_page(chromium, made).page
    page.emulate_media(reduced_motion="no-preference")
    assert set(page.evaluate(durations)) == {"0s"}
    page.press(SLIDER, "ArrowRight")
    assert "0s" not in page.evaluate(durations)[0]
    page.emulate_media(reduced_motion="reduce")
    assert set(page.evaluate(durations)) == {"0s"}
    page.emulate_media(reduced_motion="no-preference")
    page.set_viewport_size({"width": 700, "height": 700})
    page.wait_for_function("!document.body.classList.contains('moving')")
    assert set(page.evaluate(durations)) == {"0s"}
    page.context.close()


# --- small projects -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A project of three entries, as somebody has it who begins."""
    root = tmp_path_factory.mktemp("small") / ".context"
    root.mkdir()
    (root / "DECISIONS.md").write_text("## [2026-01-01] Keep **carts** in `Redis`\n\nIt is fast.\n")
    (root / "LEARNINGS.md").write_text("## [2026-01-02] Redis forgets\n\nAfter an hour.\n")
    (root / "TASKS.md").write_text(
        "- [ ] Write the importer of carts, and take their prices along\n"
    )
    return make(root.parent, root, "--as-of", "2026-02-01", budget=8000)


def test_a_small_packet_fills_the_map(chromium: Browser, small: Made) -> None:
    page = open_page(chromium, small, NARROW).page
    shares = page.evaluate(
        """() => {
            const map = document.querySelector("#map").getBoundingClientRect();
            return [...document.querySelectorAll(".tile")].map((tile) => {
                const box = tile.getBoundingClientRect();
                return (box.width * box.height) / (map.width * map.height);
            });
        }"""
    )
    assert len(shares) == 3
    assert min(shares) > 0.03
    assert sum(shares) > 0.3  # of 8,000 tokens it has 200
    assert page.locator("#map .tile:not(.small)").count() == 3
    page.context.close()


def test_a_small_page_is_exact_and_says_plain_titles(chromium: Browser, small: Made) -> None:
    page = open_page(chromium, small).page
    assert small.data["within"] == 0
    assert not page.is_visible("#within")
    assert "≤" not in page.inner_text("#table")
    for one in small.data["entries"]:
        start = one["takes"][0][0]
        said = call("explain", one["id"], *small.asked, "--budget", "8000", "--json")
        assert json.loads(said.out)["entry"]["takes"]["title"] == start > 0
    assert "Keep carts in Redis" in " ".join(column(page, "Entry"))
    assert "Keep carts in Redis" in page.inner_text("#map")
    page.context.close()


# --- many entries -------------------------------------------------------------------------

RULES = 120


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A directory of short rules, as real ones have them."""
    root = tmp_path_factory.mktemp("crowded") / ".context"
    root.mkdir()
    rules = (f"- Rule number {at}: keep what part {at} promises\n" for at in range(RULES))
    (root / "CONSTITUTION.md").write_text("".join(rules))
    (root / "DECISIONS.md").write_text(
        "".join(f"## [2026-01-{at + 1:02}] Choice {at}\n\n{'word ' * 60}\n\n" for at in range(9))
    )
    return make(root.parent, root, "--as-of", "2026-02-01", budget=6000)


def shown_note(page: Page) -> str:
    return page.inner_text("#map-note") if page.is_visible("#map-note") else ""


@pytest.mark.parametrize(
    ("size", "dark"), [((400, 740), True), ((1280, 900), False), ((1900, 1000), True)]
)
def test_every_tile_can_be_read_and_what_is_too_small_shares_one(
    chromium: Browser, crowded: Made, size: tuple[int, int], dark: bool
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    seen = open_page(chromium, crowded, size, dark=dark)
    page = seen.page
    check(seen)
    check_width(page)
    tiles = page.locator("#map .tile")
    for text, is_others, wide, tall in tiles.evaluate_all(
        """(tiles) => tiles.map((tile) => {
            const box = tile.getBoundingClientRect();
            const others = tile.classList.contains("others");
            return [tile.innerText.trim(), others, box.width, box.height];
        })"""
    ):
        assert text
        least = (43, 21) if is_others else (65, 35)
        assert (wide >= least[0], tall >= least[1]) == (True, True)
    others = page.locator("#map .others", has_text="others").first
    count = int((others.inner_text()).split()[0])
    assert 1 < count <= RULES
    named = "Rule number"
    others.hover()
    assert shown_note(page).startswith(f"{count} others")
    assert named in shown_note(page)
    page.mouse.move(0, 0)
    assert not shown_note(page)
    page.locator("#map .tile[tabindex='0']").focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert shown_note(page).split("\n")[0] in page.evaluate("document.activeElement.ariaLabel")
    page.keyboard.press("Escape")
    assert not shown_note(page)
    others.press("Enter")
    assert page.locator("#others li").count() == count
    assert faults(Axe(), page) == []
    page.locator("#others .open").first.press("Enter")
    assert page.inner_text("#detail-title").startswith(named)
    assert not page.is_visible("#others")
    page.keyboard.press("Escape")
    assert faults(Axe(), page) == []
    assert seen.violations() == []
    page.context.close()


def test_no_word_is_broken_in_a_narrow_tile(chromium: Browser, tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    rules = (f"- Internationalisation {at} needs documentation\n" for at in range(24))
    (root / "CONSTITUTION.md").write_text("".join(rules), "utf-8")
    made = make(tmp_path, root, "--as-of", "2026-02-01", budget=2000)
    page = open_page(chromium, made, (320, 740)).page
    words = page.evaluate(
        """() => [...document.querySelectorAll("#map .tile > span:first-child")].flatMap((span) => {
            const node = span.firstChild;
            const room = span.getBoundingClientRect().width;
            return [...node.data.matchAll(/\\w+/g)].map((word) => {
                const range = document.createRange();
                range.setStart(node, word.index);
                range.setEnd(node, word.index + word[0].length);
                const parts = [...range.getClientRects()];
                const lines = new Set(parts.map((part) => Math.round(part.top)));
                return [lines.size, range.getBoundingClientRect().width > room];
            });
        })"""
    )
    assert [lines for lines, _ in words if lines != 1] == []
    assert any(is_wider for _, is_wider in words)
    page.context.close()


def test_each_column_is_explained(seen: Seen) -> None:
    page = seen.page
    for table, known in (("#sections", "section:has(#sections) dl"), ("#table", "#columns")):
        names = [name.split("\n")[0] for name in page.locator(f"{table} th[scope=col]:not(.part)")
                 .all_inner_texts()]  # fmt: skip
        explained = page.locator(f"{known} dt").all_text_contents()
        assert {*names} - {*explained} <= {"Section", "used given asked"}


# --- texts of others ----------------------------------------------------------------------

LONG = "x" * 4000
RTL = "שלום עולם " * 20
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈 " * 40
MARKUP = "</script><script>window.ran=1</script><img src=x onerror=window.ran=1>"
COMMENT = "<!-- <script> --!> &lt;b&gt; {{data}} \u2028 end"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("hostile") / ".context"
    root.mkdir()
    titles = (LONG, RTL, EMOJI, MARKUP, COMMENT, f"{LONG} {LONG}")
    blocks = [f"## [2026-01-{at + 1:02}] {title}\n\nBody.\n" for at, title in enumerate(titles)]
    (root / "DECISIONS.md").write_text("\n".join(blocks), "utf-8")
    (root / "CONSTITUTION.md").write_text(f"- {MARKUP}\n- {LONG}\n- {RTL}\n", "utf-8")
    return make(root.parent, root, "--as-of", "2026-02-01", "--query", MARKUP, budget=9000)


def test_no_text_breaks_the_page(chromium: Browser, hostile: Made) -> None:
    seen = open_page(chromium, hostile, NARROW)
    page = seen.page
    check(seen)
    check_width(page)
    assert page.evaluate("window.ran") is None
    assert page.locator("img").count() == 0
    told = page.inner_text("#table tbody")
    assert MARKUP.split(">", maxsplit=1)[0] in told
    assert "{{data}}" in told
    tallest = page.locator("#table tbody tr").evaluate_all(
        "(rows) => Math.max(...rows.map((row) => row.offsetHeight))"
    )
    assert tallest < 500
    page.locator("#table tbody .open").first.click()
    check_width(page)
    assert seen.requests == [hostile.uri]
    assert seen.violations() == []
    page.context.close()


# --- the pictures -------------------------------------------------------------------------


def test_the_docs_have_pictures() -> None:
    for name in picture.MADE:
        data = (picture.PICTURES / f"{name}.webp").read_bytes()
        assert data[:4] + data[8:12] == b"RIFFWEBP"
        assert len(data) <= picture.MOST


def test_the_pictures_can_be_made_again(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of each kind, at both ends of their widths; the others differ in these alone."""
    monkeypatch.setattr(picture, "browser", lambda: nullcontext(chromium))
    some = ("explain", "serve-tasks", "serve-400-light", "serve-1900-dark")
    made = {name: one for name, one in picture.MADE.items() if ALL or name in some}
    assert len(made) >= len(some)
    monkeypatch.setattr(picture, "MADE", made)
    assert picture.main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")
