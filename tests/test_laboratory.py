"""What the laboratory of hosts counts, without a host; ``dev.py hosts`` has them."""

import json
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.hosts import __main__ as laboratory
from scripts.hosts import programs, project, scenes, turns, windows
from scripts.hosts.apis.anthropic import Anthropic
from scripts.hosts.apis.chat import Chat
from scripts.hosts.apis.gemini import Gemini
from scripts.hosts.apis.responses import Responses
from scripts.hosts.host import Action, Host, actions
from scripts.hosts.kinds import HOSTS
from scripts.hosts.page import page
from scripts.hosts.play import Played
from scripts.hosts.report import Row, judged, reasoned
from scripts.hosts.stand_in import Answer, Api, Call, StandIn, Task, chosen
from scripts.hosts.trial import Screen, Trial
from scripts.hosts.turns import Turn
from scripts.hosts.windows import Request, Text

RULE = Text("system", "system[0]", "Never print (mark-rule).")
AGAIN = Text("added", "messages[1]", "Never print (mark-rule).")
PROMPT = Text("user", "messages[0]", "Do it (task-1)")
CLAUDE = HOSTS["claude"]
START = scenes.read()["start"]


def request(
    *texts: Text, kind: str = "turn", agent: str = "main", session: str = "a", prompt: int = 1
) -> Request:
    return Request(1, kind, session, agent, prompt, texts)


def found(*requests: Request, needed: str = "mark-rule") -> list[tuple[str, int, str, int]]:
    faults = windows.faults(requests, lambda _: {needed})
    return [(each.mark, each.times, each.agent, each.segment) for each in faults]


def test_a_text_that_is_there_once_is_no_fault() -> None:
    assert found(request(RULE, PROMPT)) == []


def test_a_text_is_missing_or_there_twice_and_it_says_where() -> None:
    assert found(request(PROMPT)) == [("mark-rule", 0, "main", 0)]
    assert found(request(RULE, AGAIN, PROMPT)) == [("mark-rule", 2, "main", 0)]
    (fault,) = windows.faults([request(RULE, AGAIN)], lambda _: ())
    assert fault.places == ("system system[0]", "added messages[1]")


def test_a_text_that_nobody_needs_may_be_missing_and_not_be_there_twice() -> None:
    other = Text("added", "messages[2]", "(mark-other) (mark-other)")
    assert found(request(RULE), request(RULE, other)) == [("mark-other", 2, "main", 0)]


def test_a_longer_mark_is_another() -> None:
    longer = Text("added", "messages[2]", "(mark-rule-more)")
    assert found(request(RULE, longer)) == []


def test_the_last_request_of_a_prompt_counts() -> None:
    assert found(request(PROMPT), request(RULE, PROMPT)) == []
    assert found(request(RULE, PROMPT), request(PROMPT)) == [("mark-rule", 0, "main", 0)]


def test_a_text_that_is_lost_for_one_prompt_is_missing() -> None:
    assert found(request(RULE), request(prompt=2), request(RULE, prompt=3))


def test_a_compaction_begins_another_window_of_the_session_alone() -> None:
    summary = request(RULE, kind="compact")
    after, again = request(RULE, prompt=2), request(RULE, AGAIN, prompt=2)
    assert found(request(RULE), summary, after) == []
    assert found(request(RULE), summary, request(prompt=2)) == [("mark-rule", 0, "main", 1)]
    assert found(request(RULE), summary, again) == [("mark-rule", 2, "main", 1)]
    assert found(summary, request(agent="Plan")) == [("mark-rule", 0, "Plan", 0)]
    assert found(summary, request(session="b")) == [("mark-rule", 0, "main", 0)]


def test_each_agent_has_a_window_of_its_own() -> None:
    assert found(request(RULE), request(RULE, agent="Explore")) == []
    assert found(request(RULE), request(agent="Explore")) == [("mark-rule", 0, "Explore", 0)]


def test_what_the_model_wrote_is_no_text_that_it_was_sent() -> None:
    call = Text("call", "messages[2]", "Write mark-rule")
    said = Text("model", "messages[3]", "I keep mark-rule")
    assert found(request(call, said)) == [("mark-rule", 0, "main", 0)]


def test_a_session_that_is_quoted_to_itself_is_seen() -> None:
    answer = Text("model", "messages[1]", "It is done (said-1)")
    quoted = Text("added", "messages[2]", "Do it (task-1), It is done (said-1)")
    assert found(request(RULE, PROMPT, answer)) == []
    assert found(request(RULE, PROMPT, answer, quoted)) == [
        ("said-1", 2, "main", 0), ("task-1", 2, "main", 0),
    ]  # fmt: skip


def test_the_common_beginning_is_a_share_of_the_request_before() -> None:
    first = request(Text("system", "", "x" * 998))
    longer = request(*first.texts, PROMPT)
    assert windows.common_share([first]) == 1
    assert windows.common_share([first, longer, longer]) == 1
    other = request(Text("system", "", "x" * 497 + "y" * 501))
    assert round(windows.common_share([first, other]), 2) == 0.5
    assert windows.common_share([first, request(other.texts[0], agent="Plan")]) == 1


def test_tokens_are_of_all_requests() -> None:
    sent = request(Text("user", "", "x" * 393))  # and two zeros and the role
    assert windows.tokens([sent, sent]) == 2 * 399 // 4


@pytest.mark.parametrize(
    ("stored", "lines"),
    [
        ([Turn("user", "a"), Turn("assistant", "b")], []),
        ([Turn("user", "a")], ["not stored: assistant: b"]),
        ([Turn("user", "a")] * 2 + [Turn("assistant", "b")], ["not written: user: a"]),
        (
            [Turn("assistant", "a"), Turn("assistant", "b")],
            ["not stored: user: a", "not written: assistant: a"],
        ),
    ],
)
def test_turns_are_stored_as_they_were_written(stored: list[Turn], lines: list[str]) -> None:
    assert turns.wrong([Turn("user", "a"), Turn("assistant", "b")], stored) == lines


def test_each_text_of_the_project_has_a_mark_of_its_own() -> None:
    marks = [mark for text in project.FILES.values() for mark in windows.MARK.findall(text)]
    assert len(marks) == len({*marks}) == 16
    needs = project.needs(project.FILES)
    assert {*project.RULES} < needs.everybody
    assert needs.session == {"mark-usage", "mark-decision", "mark-learning", "mark-task"}
    assert all(mark.startswith(project.BELOW) for mark in needs.source)
    assert len(needs.source) == 5


def played(*requests: Request, screen: str = "", stored: bool = True, ran: bool = True) -> Played:
    said = [Turn("user", "a")]
    needs = project.Needs(frozenset({"mark-rule"}), frozenset(), frozenset())
    screens = [Screen(screen, "", 0)]
    return Played([*requests], screens, said, said if stored else [], needs, ran, told=False)


def judge(bare: Played, with_ctx: Played) -> Row:
    return judged(CLAUDE, "1", START, bare, with_ctx)


def test_a_row_names_what_went_wrong() -> None:
    fine = judge(played(request(PROMPT)), played(request(RULE, PROMPT)))
    assert not fine.is_bad
    twice = judge(played(request(RULE)), played(request(RULE, AGAIN)))
    assert (twice.twice, twice.missing, twice.is_bad) == (1, 0, True)
    missing = judge(played(request(RULE)), played(request()))
    assert (missing.twice, missing.missing, missing.is_bad) == (0, 1, True)
    lost = judge(played(request(RULE)), played(request(RULE), stored=False))
    assert (lost.turns, lost.is_bad) == (1, True)
    loud = judge(played(request(RULE), screen="a"), played(request(RULE), screen="a\nb"))
    assert (loud.noise, loud.is_bad, loud.details) == (1, True, ("printed: b",))


def test_what_a_host_does_twice_without_ctx_is_its_own() -> None:
    row = judge(played(request(RULE, AGAIN)), played(request(RULE, AGAIN)))
    assert (row.twice, row.by_host, row.is_bad) == (0, 1, False)


@pytest.mark.parametrize(
    ("texts", "prompt", "is_own"),
    [
        ((), 2, True), ((), 1, False), ((), 3, False),
        ((("result", 2), ("added", 4)), 2, True), ((("added", 2), ("result", 4)), 2, False),
        ((("result", 2), ("result", 4)), 3, False),
    ],
)  # fmt: skip
def test_a_host_may_forget_what_it_showed_with_a_file(
    texts: tuple[tuple[str, int], ...], prompt: int, *, is_own: bool
) -> None:
    """Until the model is at a file again, before which a change may have brought it."""
    copilot = HOSTS["copilot"]
    steps = [scenes.Step("resume", actions) for actions in ("", "", "edit x")]
    scene = START._replace(steps=tuple(steps))
    there = [Text(role, f"messages[{at}].content[0]", "(mark-src-rule)") for role, at in texts]
    fault = windows.Fault("mark-src-rule", len(there), "a", "main", 0, prompt, tuple(
        f"{each.role} {each.place}" for each in there
    ))  # fmt: skip
    assert bool(reasoned(copilot, scene, fault)) is is_own
    assert not reasoned(CLAUDE, scene, fault)


def test_hooks_that_do_not_run_without_a_word_are_a_fault() -> None:
    row = judge(played(request(RULE)), played(request(RULE), ran=False))
    assert row.turns == 1
    assert "does not say so" in row.details[0]
    told = played(request(), stored=False, ran=False)._replace(told=True)
    assert not judge(played(request()), told).is_bad


def test_a_row_comes_back_from_json() -> None:
    row = judge(played(request(RULE, AGAIN)), played(request(RULE, AGAIN)))
    assert Row.of(json.loads(json.dumps(row.as_json()))) == row
    assert f"## Claude Code 1\n\nSeen on {row.day}.\n" in page([row], scenes.read())


def test_actions_are_read() -> None:
    assert actions("read a.py; agent Plan background [read b.py; cat c d]; edit e") == (
        Action("read", "a.py"),
        Action("agent", "Plan background", (Action("read", "b.py"), Action("cat", "c d"))),
        Action("edit", "e"),
    )
    with pytest.raises(ValueError, match="no action: 'Read'"):
        actions("Read")


def test_every_scenario_can_be_played_by_a_host() -> None:
    known = frozenset().union(*(host.can for host in HOSTS.values()))
    for scene in scenes.read().values():
        assert scene.verbs <= known, scene.name
        assert all(actions(step.actions) or not step.actions for step in scene.steps)
        assert {*scene.options.get("only", ())} <= {*HOSTS}
    assert {name for host in HOSTS.values() for name in host.scenes} <= {*scenes.read()}


posix = pytest.mark.skipif(os.name != "posix", reason="processes and links of POSIX")


@posix
@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_a_host_has_a_call_for_each_action(host: Host, tmp_path: Path) -> None:
    trial = Trial(tmp_path / "trial", tmp_path, None)
    with StandIn(host.api(), tmp_path / "requests") as stand_in:
        host.configure(trial, stand_in, {"mcp": 1.0})
        assert str(stand_in.port) in json.dumps(trial.environ) + "".join(
            path.read_text("utf-8") for path in trial.home.rglob("*") if path.is_file()
        )
    words = "read a.py; write a.py; edit a.py; cat a.py; run true; mcp refund; agent any [read b]"
    for action in actions(words):
        call = host.call(trial, action, "task-1-1")
        sought = {"run": "true", "mcp": "refund", "agent": "(task-1-1)"}
        assert sought.get(action.verb, "a.py") in json.dumps(call.arguments)
    assert not list(trial.project.rglob("*.py"))


@posix
def test_a_terminal_is_typed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scripts.hosts import terminal  # it needs a terminal of POSIX

    monkeypatch.setattr(terminal, "STILL", 1.0)
    script = "echo Which name do you have?; read name; printf '\\033[1mHello %s of ours\\n' $name"
    lines = terminal.typed(["/bin/sh", "-c", script], tmp_path, {}, ["ada"])
    assert lines[0] == "Which name do you have?"
    assert lines[-1] == "Hello ada of ours"


@posix
def test_a_process_ends_with_all_that_it_started(tmp_path: Path) -> None:
    from tests.hooks.host import is_alive, wait_for  # on POSIX alone

    trial = Trial(tmp_path / "trial", tmp_path, None)
    with trial.started(["sh", "-c", "sleep 600 & echo $!; wait"]) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        os.kill(child, 0)
    wait_for(lambda: not is_alive(child))
    assert trial.run("sh", "-c", "echo $HOME").out.startswith("~/home")


def test_the_prompt_chooses_the_answer() -> None:
    main = Task("task-1", "a", "main", 1, ())
    inner = Task("task-1-1", "a", "Plan", 1, ())
    tasks = {each.key: each for each in (main, inner)}
    call, result = Text("call", "", "x"), Text("result", "", "y")
    assert chosen([PROMPT], tasks) == (main, 0)
    assert chosen([PROMPT, call, result], tasks) == (main, 1)
    assert chosen([PROMPT, call, call, result, result, call, result], tasks) == (main, 2)
    assert chosen([PROMPT, Text("call", "", "(task-1-1)")], tasks) == (main, 1)
    assert chosen([PROMPT, Text("user", "", "Look (task-1-1)"), call], tasks) == (inner, 1)
    assert chosen([PROMPT, Text("user", "", "(task-1-1), once (task-1)")], tasks) == (inner, 0)
    assert chosen([Text("user", "", "(task-0)"), Text("added", "", "(task-1)")], tasks)[0] is None


def test_a_request_about_what_to_remember_is_no_turn() -> None:
    """Qwen Code gives it tools."""
    body: dict[str, object] = {"tools": [{"name": "read"}]}
    for words, kind in (("You help", "turn"), ("You are the memory extraction subagent", "side")):
        said = {"messages": [{"role": "system", "content": words}]}
        assert Chat().kind("/v1/chat/completions", body | said) == kind


def test_a_call_that_a_host_wrote_is_none_of_the_model() -> None:
    """Copilot CLI reads for it what subagents in the background said."""
    calls: list[dict[str, object]] = [
        {"role": "assistant", "tool_calls": [{"function": {"name": name}}]}
        for name in ("bash", "read_agent", "read_agent")
    ]
    result = {"role": "tool", "content": "x"}
    asked: dict[str, object] = {"role": "user", "content": "Do it (task-1)"}
    messages = [asked, *(each for call in calls for each in (call, result))]
    main = Task("task-1", "a", "main", 1, ())
    assert chosen([*Chat().texts({"messages": messages})], {"task-1": main}) == (main, 1)


CALL = Call("Read", {"file_path": "a.py"})
SAYS = "It is done"
APIS: dict[str, tuple[Api, str, dict[str, object]]] = {
    "anthropic": (
        Anthropic(), "/v1/messages",
        {
            "system": "You help (mark-rule)", "tools": [{"name": "Read"}],
            "messages": [
                {"role": "user", "content": "Do it (task-1)"},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "Read"}]},
                {"role": "user", "content": [{"type": "tool_result", "content": "(mark-result)"}]},
            ],
        },
    ),
    "responses": (
        Responses(), "/v1/responses",
        {
            "instructions": "You help (mark-rule)", "tools": [{"name": "Read"}],
            "input": [
                {"role": "user", "content": [{"text": "Do it (task-1)"}]},
                {"type": "function_call", "name": "Read", "arguments": "{}"},
                {"type": "function_call_output", "output": "(mark-result)"},
            ],
        },
    ),
    "chat": (
        Chat(), "/v1/chat/completions",
        {
            "tools": [{"name": "Read"}],
            "messages": [
                {"role": "system", "content": "You help (mark-rule)"},
                {"role": "user", "content": "Do it (task-1)"},
                {"role": "assistant", "tool_calls": [{"function": {"name": "Read"}}]},
                {"role": "tool", "content": "(mark-result)"},
            ],
        },
    ),
    "gemini": (
        Gemini(), "/v1beta/models/any:generateContent",
        {
            "systemInstruction": {"parts": [{"text": "You help (mark-rule)"}]},
            "tools": [{"functionDeclarations": [{"name": "Read"}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "Do it (task-1)"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "Read"}}]},
                {"role": "user", "parts": [{"functionResponse": {"response": "(mark-result)"}}]},
            ],
        },
    ),
}  # fmt: skip


@pytest.fixture(params=APIS, name="sent")
def sent_to(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[StandIn, str, dict[str, object]]]:
    """Give a stand-in of each API, an address of it, and a request with a call and its result."""
    api, path, body = APIS[request.param]
    with StandIn(api, tmp_path / "requests") as stand_in:
        answers = (Answer(calls=(CALL,)), Answer(SAYS))
        stand_in.tasks = {"task-1": Task("task-1", "a", "main", 1, answers)}
        yield stand_in, f"http://127.0.0.1:{stand_in.port}{path}", body


def asked(address: str, body: dict[str, object]) -> str:
    data = json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data), timeout=60) as answer:  # noqa: S310 - ours
        return str(answer.read().decode())


def test_a_stand_in_records_and_answers(sent: tuple[StandIn, str, dict[str, object]]) -> None:
    stand_in, address, body = sent
    assert SAYS in asked(address, body)
    (name,) = {*body} & {"messages", "input", "contents"}
    turns = body[name]
    assert isinstance(turns, list)
    assert '"Read"' in asked(address, {**body, name: turns[:-2]})
    whole, first = stand_in.requests
    assert (whole.kind, whole.agent, whole.prompt) == ("turn", "main", 1)
    roles = [each.role for each in whole.texts]
    assert sorted(roles) == ["call", "result", "system", "tools", "user"]
    assert found(whole) == []
    assert len(list(stand_in.folder.iterdir())) == 2
    assert windows.common_share([first, whole]) == 1


def test_a_stand_in_streams(sent: tuple[StandIn, str, dict[str, object]]) -> None:
    _, address, body = sent
    answer = asked(address.replace("generate", "streamGenerate"), {**body, "stream": True})
    assert SAYS in answer
    assert "data: {" in answer


def test_a_request_without_tools_is_no_turn(sent: tuple[StandIn, str, dict[str, object]]) -> None:
    stand_in, address, body = sent
    asked(address, {**body, "tools": []})
    assert [each.kind for each in stand_in.requests] == ["side"]


def test_without_npm_all_is_skipped_and_a_requirement_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(programs, "found", lambda _: "")
    monkeypatch.setattr(programs, "provide", lambda: None)  # it would install Node
    words = ["claude@2.1.332", "codex", "--scenario", "start", "--scenario", "read"]
    assert laboratory.main(words) == 0
    assert capsys.readouterr().out.count("| SKIPPED: npm is not installed |") == 4
    assert laboratory.main([*words, "--require"]) == 1
    assert not list(tmp_path.iterdir())


def test_what_was_seen_before_stays_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "found", lambda _: "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    seen = judge(played(request(RULE)), played(request(RULE)))._replace(version="2.1.332")
    file = tmp_path / "seen.json"
    laboratory.keep(file, [seen])
    words = ["claude@2.1.332", "--scenario", "start", "--scenario", "unreviewed"]
    assert laboratory.main([*words, "--json", str(file)]) == 0
    known = laboratory.kept(file)
    assert known["claude", "2.1.332", "start"] == seen
    assert known["claude", "2.1.332", "unreviewed"].why_skipped == "is not about this host"


def test_an_unknown_host_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert laboratory.main(["emacs"]) == 2
    assert capsys.readouterr().err.startswith("unknown host 'emacs': one of claude, codex, gemini")
    assert laboratory.main(["codex", "--ctx", "gone"]) == 2
    assert capsys.readouterr().err == "gone: no such program; --ctx names the ctx to try\n"
