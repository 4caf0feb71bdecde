"""Who may ask the server of ``ctx serve``, what it answers, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ctx.serve.answers import CALLS
from tests.hostile import HANGS, REPOSITORY, environment, plain
from tests.keeping import make_repository
from tests.serve.serving import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctx.mcp.tool import Call
    from ctx.model import JsonObject


@pytest.fixture
def served(shop: Path) -> Iterator[Served]:  # noqa: ARG001 - where it works
    with serving() as found:
        yield found


# --- who may ask ----------------------------------------------------------------------------


def test_only_who_has_the_address_is_answered(served: Served) -> None:
    page, call = f"/{served.token}/", f"/{served.token}/check"
    wrong = served.token[:-1] + ("a" if served.token[-1] != "a" else "b")
    assert served.ask(page).status == 200
    assert served.ask(call, b"{}").status == 200
    for path in (
        "/", "", "//", "/app.js", "/check", f"/{wrong}/", f"/{wrong}/app.js", f"/{served.token}",
        f"/{served.token}x/", f"/x/{served.token}/", "/%C3%A9/", f"/{served.token.swapcase()}/",
    ):  # fmt: skip
        for body in (None, b"{}"):
            assert served.ask(path or "/", body).status == 403
    for method in ("PUT", "OPTIONS", "HEAD", "DELETE"):
        assert served.ask(page, method=method).status == 501
    assert len(served.token) >= 32


def test_another_name_or_page_cannot_ask(served: Served) -> None:
    """Neither by a name that leads here, nor from a page that knows the address."""
    call, port = f"/{served.token}/check", served.port
    good = f"localhost:{port}"
    assert served.ask(call, b"{}", Host=good, Origin=f"http://{good}").status == 200
    for host in (f"rebound.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", "localhost", ""):
        assert served.ask(f"/{served.token}/", Host=host).status == 421
        assert served.ask(call, b"{}", Host=host).status == 421
    for origin in (
        "",
        "null",
        f"https://127.0.0.1:{port}",
        "http://page.example",
        f"http://{good}",
    ):
        assert served.ask(call, b"{}", Origin=origin).status == 403
    for site in ("cross-site", "same-site", "none"):
        assert served.ask(call, b"{}", Sec_Fetch_Site=site).status == 403
    assert served.ask(call, b"{}", Sec_Fetch_Site="same-origin").status == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert served.ask(call, b"{}", Content_Type=kind).status == 415
    assert served.ask(call).status == 404  # nothing is asked with GET


def test_answers_allow_nothing_foreign(served: Served) -> None:
    for path, body in ((f"/{served.token}/", None), (f"/{served.token}/check", b"{}"), ("/", None)):
        headers = served.ask(path, body).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert (headers["Referrer-Policy"], headers["X-Content-Type-Options"]) == (
            "no-referrer", "nosniff",
        )  # fmt: skip
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers
        assert headers["Server"].strip() == "ctx"


def test_what_is_no_call_is_refused_and_the_server_goes_on(served: Served) -> None:
    call = f"/{served.token}/check"
    assert served.ask(f"/{served.token}/nothing", b"{}").status == 404
    assert served.ask(f"/{served.token}/__class__", b"{}").status == 404
    assert served.ask(f"/{served.token}/../app.js").status == 404
    for length in ("", "-1", "x", "99999999", "9" * 40):
        assert served.ask(call, b"{}", Content_Length=length).status == 413
    for body in (b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"rule": 1}', b'{"x": []}'):
        answer = served.ask(call, body)
        assert answer.status == 400
        assert re.fullmatch(r'\{"error": \["[^\n]+"\]\}', answer.body)
    assert served.call("check")["findings"]


def test_no_other_machine_can_ask(served: Served) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        try:
            found.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no other address")
        address = found.getsockname()[0]
    if address.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((address, served.port), timeout=HANGS).close()


# --- what is answered -----------------------------------------------------------------------


def ctx(*words: str) -> str:
    """Return what the command line prints."""
    command = (sys.executable, "-m", "ctx", *words)
    environ = environment(PYTHONPATH=REPOSITORY)
    return subprocess.run(
        command, env=environ, check=True, stdout=subprocess.PIPE, timeout=HANGS
    ).stdout.decode()


def test_the_answers_are_those_of_the_command_line(served: Served) -> None:
    asked = ("--query", "refund discount", "--budget", "1200", "--as-of", "2026-02-01")
    packet = served.call(
        "packet", query="refund discount", budget="1200", as_of="2026-02-01"
    )  # as a form has it: as text
    assert packet["text"] == ctx("agent", *asked)
    assert packet["steps"][packet["at"]]["tokens"] <= packet["budget"] == 1200
    listed = served.call("entries", kind="task", status="open")
    assert listed == json.loads(ctx("list", "tasks", "--status", "open", "--json"))
    found = json.loads(ctx("search", "refund", "--limit", "3", "--json"))
    rows = served.call("search", query="refund", limit=3)["results"]
    assert [row["id"] for row in rows] == [row["id"] for row in found["results"]]
    shown = served.call("show", id=rows[0]["id"])
    assert json.loads(ctx("show", rows[0]["id"], "--json"))["body"] == shown["body"]
    assert served.call("sources") == json.loads(ctx("status", "--json"))
    check = served.call("check")
    assert check["findings"]
    # The place of each can be opened.
    for path, line in (
        *((each["file"], each["line"]) for each in check["findings"]),
        *((each["file"], each["line"]) for each in listed["entries"]),
        ("../AGENTS.md", 3),
    ):
        file = served.call("file", path=path, line=line)
        assert file["first"] == 1
        assert file["total"] == len(file["lines"]) >= line
        with open(file["full"], encoding="utf-8") as opened:
            assert opened.read().split("\n") == file["lines"]


def test_sessions_are_shown_with_their_summaries(served: Served) -> None:
    ctx("session", "import", f"{REPOSITORY}/fixtures/transcripts/refunds.jsonl")
    ctx("session", "compact", "--session", "partial-refunds")
    (row,) = (row for row in served.call("sessions")["sessions"] if row["id"] == "partial-refunds")
    found = served.call("session", id=row["id"])
    assert (row["turns"], row["summaries"]) == (28, len(found["summaries"]))
    assert row["summaries"] > 0
    assert [turn["line"] for turn in found["turns"]] == [*range(1, 29)]
    earlier = served.call("session", id=row["id"], line=9)["turns"]
    assert earlier == found["turns"][:8]
    assert served.call("session", id="nothing")["error"][0].startswith("no session 'nothing'")


def test_edits_go_through_the_same_writers(served: Served, shop: Path) -> None:
    tasks = shop / ".context" / "TASKS.md"
    before = tasks.read_text()
    added = served.call("add", kind="task", title="Say it in a browser", priority="high")
    assert "Say it in a browser" not in before
    assert "Say it in a browser #priority:high" in tasks.read_text()
    marked = served.call("task", id=added["id"], state="done")
    assert (marked["changed"], marked["line"]) == (True, added["line"])
    line = tasks.read_text().split("\n")[added["line"] - 1]
    assert line.startswith("- [x] Say it in a browser")
    whole = served.call(
        "add", kind="decision", title="Pages are served", context="", decision="By ctx.",
        rationale="", consequence="", supersedes="carts live in the database",
    )  # fmt: skip
    assert whole["supersedes"]
    assert served.call("show", id=whole["id"])["supersedes"] == [whole["supersedes"]]
    again = {"kind": "decision", "title": "Pages are served", "context": "", "decision": "By ctx."}
    again |= {"rationale": "", "consequence": ""}
    assert "force" in served.call("add", **again)["error"][0]
    assert served.call("add", **again, force=True)["id"] != whole["id"]
    after = tasks.read_text()
    for call, given in (
        ("add", {"kind": "task", "title": ""}),
        ("add", {"kind": "decision", "title": "x"}),
        ("add", {"kind": "turn", "title": "x"}),
        ("task", {"id": "nothing like it", "state": "done"}),
        ("task", {"id": added["id"], "state": "gone"}),
    ):
        (line, *_) = served.call(call, **given)["error"]
        assert line
        assert "\n" not in line
    assert tasks.read_text() == after


def test_no_file_is_read_but_what_ctx_reads(served: Served, shop: Path) -> None:
    (shop / ".env").write_text("X=1\n")
    (shop / ".context" / "config.toml").write_text("")
    for path in (
        "../.env", "config.toml", "/etc/passwd", "../../shop/.context/TASKS.md", "..", ".", "",
        "TASKS.md/../../.env", "../.git/config", "tasks\0.md", "file:///etc/passwd", "./TASKS.md",
    ):  # fmt: skip
        assert "error" in served.call("file", path=path)
    outside = shop.parent / "outside.md"
    outside.write_text("- a rule\n")
    (shop / ".context" / "LINK.md").symlink_to(outside)
    assert "error" in served.call("file", path="LINK.md")


SECRET = "ghp_" + "Zk3v9QwXy7Lm2Np4Rs6Tu8Vb0Ac1De5Fg7Hi"


def test_secrets_and_hidden_characters_are_written_out(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    plain(root)
    (root / "DECISIONS.md").write_text(
        f"## [2026-01-01] Key \u202e of the shop {SECRET}\n\n"
        f"**Decision**: token {SECRET} \x1b[31m\n",
        "utf-8",
    )
    with serving(str(root)) as served:
        every = [
            served.call("packet", budget=4000), served.call("entries", kind="decision"),
            served.call("search", query="key"), served.call("show", id="key"),
            served.call("file", path="DECISIONS.md"), served.call("sources"),
            served.call("check"), served.call("show", id=f"{SECRET} \u202e"),
        ]  # fmt: skip
    texts = [json.dumps(each, ensure_ascii=False) for each in every]
    assert all(re.search(r"[\x00-\x1f\u202e]", text) is None for text in texts)
    assert all(SECRET not in text for text in texts)
    assert sum(r"\\u202e" in text for text in texts) >= 5


def test_a_directory_that_goes_is_an_error_of_the_call(served: Served, shop: Path) -> None:
    (shop / ".context").rename(shop / "elsewhere")
    (shop / "AGENTS.md").unlink()
    assert served.call("check")["error"][0].startswith("no .context/ in ")
    (shop / "elsewhere").rename(shop / ".context")
    assert served.call("check")["findings"]


def test_a_bug_is_a_line(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Call) -> JsonObject:
        raise ZeroDivisionError("of a bug")

    monkeypatch.setitem(CALLS, "check", CALLS["check"]._replace(answer=broken))
    answer = served.ask(f"/{served.token}/check", b"{}")
    assert answer.status == 500
    assert "ZeroDivisionError: of a bug" in json.loads(answer.body)["error"][0]
    assert capfd.readouterr().err.count("\n") == 1


# --- how it starts and ends -----------------------------------------------------------------


def start(cwd: Path, *options: str, **variables: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ctx", "serve", *options],
        cwd=cwd, env=environment(HOME=str(cwd.parent), PYTHONPATH=REPOSITORY, **variables),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a signal here")
def test_it_prints_the_address_opens_it_and_ends_with_ctrl_c(shop: Path, tmp_path: Path) -> None:
    seen = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    for options, variables, opened in (
        ((), {}, False),
        (("--open",), {"BROWSER": str(browser)}, True),
        (("--open",), {"BROWSER": "/no/such/browser", "PATH": "", "DISPLAY": ""}, False),
    ):
        with start(shop, *options, **variables) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            address = process.stdout.readline().decode()
            found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]{32})/\n", address)
            assert found is not None
            assert process.stderr.readline().decode().endswith("; Ctrl-C ends it\n")
            served = Served(address.strip(), int(found[1]), found[2])
            assert served.call("check")["findings"]
            if options and not opened:
                assert process.stderr.readline().decode().startswith("ctx: no browser could be")
            while opened and not seen.exists():
                assert process.poll() is None
            with start(shop, "--port", found[1]) as other:
                out, err = other.communicate(timeout=HANGS)
                assert (other.returncode, out) == (2, b"")
                assert re.fullmatch(
                    rf"ctx: port {found[1]}: cannot be served: [^\n]*"
                    r" \(name another, or 0 for a free one\)\n",
                    err.decode(),
                )
            process.send_signal(signal.SIGINT)
            assert process.wait(HANGS) == 0
            assert process.stderr.read().decode() == "ctx: stopped\n"
        if opened:
            assert seen.read_text() == address.strip()


def test_what_cannot_be_served_is_a_line(tmp_path: Path) -> None:
    plain(tmp_path / ".context")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    make_repository(elsewhere)
    for cwd, options, code, why in (
        (elsewhere, (), 4, "no .context/ in "),
        (tmp_path, ("--port", "65536"), 2, "--port: 65536 is over 65535"),
        (tmp_path, ("--port", "x"), 2, "--port: 'x' is not a whole number"),
        (tmp_path, ("--dir", "nowhere"), 4, "--dir: "),
    ):
        with start(cwd, *options) as process:
            out, err = process.communicate(timeout=HANGS)
        assert (process.returncode, out) == (code, b"")
        assert err.decode().startswith(f"ctx: {why}")
