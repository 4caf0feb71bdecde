"""The pages of ``ctx serve`` in a browser: every width, both lights, with a keyboard, alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import pytest

from scripts import picture
from tests.serve.serving import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
pytestmark = pytest.mark.skipif(not picture.chromium(), reason="Chromium is not installed")

WIDTHS = (400, 1280, 1900)
PATIENCE = 150_000
"""Milliseconds."""
PAGES = {
    "packet": "query=refund+discount&budget=1200&as_of=2026-02-01",
    "entries": "kind=task",
    "entry": "id=DECISIONS.md%232025-12-15-160000",
    "search": "query=refund",
    "sessions": "",
    "session": "id=fix-login",
    "sources": "",
    "check": "",
    "file": "path=DECISIONS.md&line=61",
}
"""A page of each kind, with what it is asked for."""
HEAR = """
window.heard = [];
addEventListener("securitypolicyviolation", (event) => heard.push(event.violatedDirective));
addEventListener("error", (event) => heard.push(event.message));
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with picture.browser() as started:
        yield started


@pytest.fixture
def served(shop: Path) -> Iterator[Served]:  # noqa: ARG001 - where it works
    with serving() as found:
        yield found


class Tab:
    """A page in a browser, which notes what it asks for and complains of; a context manager."""

    def __init__(
        self, chromium: Browser, served: Served, width: int = 1280, *, dark: bool = False
    ) -> None:
        self._served = served
        self._context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )  # fmt: skip
        self._context.add_init_script(HEAR)
        self.page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.requests: list[str] = []
        self.heard: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.heard.append(message.text))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            assert all(url.startswith(self._served.address) for url in self.requests)
            assert [*self.page.evaluate("heard"), *self.heard] == []
        self._context.close()

    def open(self, name: str, given: str = "") -> Page:
        self.page.goto(f"{self._served.address}#{name}{'?' if given else ''}{given}")
        return self.settled()

    def settled(self) -> Page:
        """Return the page once its answer is shown."""
        self.page.wait_for_selector("body[aria-busy=false]")
        return self.page


def wider(page: Page) -> int:
    """Return the pixels by which something is wider than the page."""
    found = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return int(found)


def test_every_page_at_every_width_in_both_lights(chromium: Browser, served: Served) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for dark in (False, True):
        with Tab(chromium, served, dark=dark) as tab:
            page = tab.page
            for number, (name, given) in enumerate(PAGES.items()):
                tab.open(name, given)
                assert page.inner_text("#error") == ""
                assert page.inner_text("#view h1").strip()
                for width in (*WIDTHS, WIDTHS[(number + dark) % len(WIDTHS)]):  # axe at the last
                    page.set_viewport_size({"width": width, "height": 900})
                    assert wider(page) <= 0, (name, width)
                response = Axe().run(page).response
                assert [
                    (name, rule["id"], node["html"][:200], node["failureSummary"])
                    for rule in response["violations"]
                    for node in rule["nodes"]
                ] == []
                passed = {rule["id"] for rule in response["passes"]}
                assert passed >= {"color-contrast", "landmark-one-main", "page-has-heading-one"}
            body = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert body == ("rgb(20, 24, 26)" if dark else "rgb(251, 250, 247)")


def test_all_is_reached_with_a_keyboard(chromium: Browser, served: Served) -> None:
    with Tab(chromium, served) as tab:
        page = tab.open("entries", "kind=task")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.locator("#nav a", has_text="Search").press("Enter")
        page.wait_for_selector("h1:text('Search')")
        page.fill("input[name=query]", "refund")
        page.press("input[name=query]", "Enter")
        page.wait_for_selector(".rows li")
        page.locator(".rows a.heading").first.press("Enter")
        page.wait_for_selector("pre.text")
        page.locator("a.source").first.press("Enter")
        page.wait_for_selector(".here")
        line = int(page.inner_text(".here td.number"))
        assert page.inner_text("code.place").endswith(f".md:{line}")
        assert page.is_visible(".here")
        page.go_back()
        page.wait_for_selector("pre.text")
        page = tab.open("packet", PAGES["packet"])
        page.press("#budget", "End")
        assert page.inner_text("#figures").startswith("4,800 tokens")
        page.locator("#map .tile:not(.others)").first.press("Enter")
        page.locator("#detail-where a").press("Enter")
        page.wait_for_selector("pre.text")


def test_edits_are_written_and_errors_are_lines(
    chromium: Browser, served: Served, shop: Path
) -> None:
    tasks = shop / ".context" / "TASKS.md"
    with Tab(chromium, served) as tab:
        page = tab.open("entries", "kind=task")
        page.get_by_text("Add a task").press("Enter")
        page.fill("input[name=title]", "Written <b>in</b> a browser")
        page.select_option("select[name=priority]", "high")
        page.get_by_role("button", name="Add", exact=True).press("Enter")
        page.wait_for_selector("#status:text('added Written <b>in</b> a browser')")
        assert "- [ ] Written <b>in</b> a browser #priority:high" in tasks.read_text()
        row = page.locator(".task", has_text="Written <b>in</b> a browser")
        row.get_by_role("button", name="Done").press("Enter")
        page.wait_for_selector("#status:text('is done: Written')")
        assert "- [x] Written <b>in</b> a browser" in tasks.read_text()
        assert row.get_by_role("button", name="Done").get_attribute("aria-pressed") == "true"
        assert page.locator("b:text-is('in')").count() == 0
        page = tab.open("entries", "kind=decision")
        page.get_by_text("Add a decision").press("Enter")
        page.fill("input[name=title]", "Nothing is decided")
        page.get_by_role("button", name="Add", exact=True).press("Enter")
        page.wait_for_selector("#error:text('is empty')")
        assert "\n" not in page.inner_text("#error")
        page = tab.open("entry", "id=nothing+like+it")
        assert page.inner_text("#error").startswith("no entry matches 'nothing like it'")
        assert [each.partition(":")[0] for each in tab.heard] == ["Failed to load resource"] * 2
        tab.heard.clear()


@pytest.mark.usefixtures("shop")
def test_a_server_that_has_ended_is_a_line(chromium: Browser) -> None:
    with serving() as served:
        tab = Tab(chromium, served)
        page = tab.open("check")
    page.locator("#nav a", has_text="Sessions").click()
    page.wait_for_selector("#error:text('ctx serve has ended: start it again')")
    tab.heard.clear()
    tab.__exit__(None)


# --- texts of others ------------------------------------------------------------------------

MARKUP = "</script><script>window.ran=1</script><img src=x onerror=window.ran=1>"
LINK = "[x](javascript:window.ran=1) <a href='javascript:window.ran=1'>y</a>"
TEXTS = (MARKUP, LINK, "x" * 4000, "שלום עולם " * 20, "\u202e gnirts \u2066", "{{title}} ${1} <!--")


def test_no_text_breaks_the_pages(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "<img src=x onerror=window.ran=1> {{body}}"
    root = project / ".context"
    root.mkdir(parents=True)
    monkeypatch.chdir(project)
    blocks = [f"## [2026-01-{at + 1:02}] {text}\n\n**Decision**: {text}\n\n{MARKUP}\n"
              for at, text in enumerate(TEXTS)]  # fmt: skip
    (root / "DECISIONS.md").write_text("\n".join(blocks), "utf-8")
    items = "".join(f"- [ ] {text}\n" for text in TEXTS)
    (root / "TASKS.md").write_text(f"## {MARKUP}\n\n{items}", "utf-8")
    (root / "CONSTITUTION.md").write_text(items.replace("[ ] ", ""), "utf-8")
    with serving() as served, Tab(chromium, served, 400) as tab:
        ids = [row["id"] for row in served.call("entries", kind="decision")["entries"]]
        for name, given in (
            ("packet", "query=%3Cscript%3E&budget=9000"), ("entries", "kind=task"),
            ("entries", "kind=decision"), ("search", "query=decision"), ("sources", ""),
            ("check", ""), ("file", "path=DECISIONS.md&line=1"),
            *(("entry", f"id={at.replace('#', '%23')}") for at in ids),
            ("%3Cimg src=x%3E", ""), ("entry", "id=<img src=x onerror=window.ran=1>"),
        ):  # fmt: skip
            page = tab.open(name, given)
            assert wider(page) <= 0, name
            assert page.locator("img, #view script, iframe, a[href^=javascript]").count() == 0
            assert page.evaluate("window.ran") is None
            shown = page.inner_text("body")
            assert "\u202e" not in shown
            assert name != "entries" or MARKUP in shown
        tab.heard.clear()  # of the entry that is not there


def test_the_policy_holds(chromium: Browser, served: Served) -> None:
    """Nothing could be loaded or run, whatever found its way into a page."""
    elsewhere = "http://127.0.0.1:9/x"
    tried = """async (elsewhere) => {
        const found = [];
        for (const [name, key] of [["img", "src"], ["script", "src"], ["iframe", "src"]]) {
            try {
                const made = document.createElement(name);
                made[key] = elsewhere;
                document.body.append(made);
            } catch (error) {
                found.push(error.name);
            }
        }
        try { document.body.innerHTML = "<b>x</b>"; } catch (error) { found.push(error.name); }
        try { await fetch(elsewhere); } catch (error) { found.push(error.name); }
        await new Promise((done) => setTimeout(done, 100));
        return [found, heard.splice(0)];
    }"""
    with Tab(chromium, served) as tab:
        page = tab.open("check")
        thrown, heard = page.evaluate(tried, elsewhere)
        assert thrown == ["TypeError"] * 3  # a script's address, markup, and the request
        assert {each.partition("-")[0] for each in heard} >= {"img", "frame", "connect", "require"}
        tab.requests[:] = [url for url in tab.requests if url != elsewhere]
        tab.heard.clear()
