"""Codex CLI."""

import json
import re

from scripts.hosts.apis.responses import Responses
from scripts.hosts.host import Action, Host, Prompt
from scripts.hosts.stand_in import Call, StandIn
from scripts.hosts.trial import Screen, Trial

CONFIG = """model = "gpt-6.2-sol"
model_provider = "stand-in"
model_auto_compact_token_limit = 100000
check_for_update_on_startup = false

[model_providers.stand-in]
name = "Stand-in"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
request_max_retries = 0
stream_max_retries = 0
"""
TRUSTED = '\n[projects."{path}"]\ntrust_level = "trusted"\n'
NAMED = re.compile(r"^session id: (\S+)", re.MULTILINE)
NEW = "*** Begin Patch\n*** Add File: {path}\n+x = 1\n*** End Patch"
CHANGE = (
    "*** Begin Patch\n*** Update File: {path}\n@@\n-    return cents\n+    return 1\n*** End Patch"
)


class Codex(Host):
    """``codex exec``; folders and hooks are trusted as a person does at its questions."""

    name, title, program = "codex", "Codex CLI", "codex"
    package = "@openai/codex"
    versions = ("0.171.0",)
    api = Responses
    can = frozenset({"prompt", "resume", "fork", "fill", "kill", "compact", "rewind"})
    agents = ("default",)
    installs = "codex"
    own = re.compile(r"^(?:hook|mcp|warning): ")

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {"CODEX_HOME": str(trial.home / ".codex"), "STAND_IN_KEY": "dummy"}
        config = CONFIG.format(port=stand_in.port)
        if options.get("trusted") is not False:
            config += TRUSTED.format(path=trial.project)
        if options.get("mcp"):
            config += '\n[mcp_servers.ctx]\ncommand = "sh"\nargs = '
            config += f'["-c", "sleep {options["mcp"]}; exec ctx mcp"]\n'
        trial.put(trial.home / ".codex/config.toml", config)
        if options.get("reviewed") is not False:
            trial.more = ["--dangerously-bypass-hook-trust"]

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known = trial.session_ids
        how = []
        if prompt.how in {"resume", "rewind"}:
            how = ["resume", known[prompt.session]]
        elif prompt.how == "fork":
            how = ["fork", known[prompt.origin]]
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return [str(trial.program), "exec", *how, prompt.text, *flags, *trial.more]

    def after(self, trial: Trial, prompt: Prompt, screen: Screen, /) -> None:
        """Note the id of the session, which the host prints."""
        if match := NAMED.search(screen.out + screen.err):
            trial.session_ids.setdefault(prompt.session, match[1])

    def call(self, _trial: Trial, action: Action, task: str, /) -> Call:
        """Return the call of a tool for an action."""
        if action.verb == "agent":
            given = {"task_name": task.replace("-", "_"), "message": f"Look at it ({task})"}
            return Call("spawn_agent", given, space="collaboration")
        if action.verb in {"write", "edit"}:
            patch = NEW if action.verb == "write" else CHANGE
            code = f"await tools.apply_patch({json.dumps(patch.format(path=action.words))})"
        elif action.verb == "mcp":
            code = f"await tools.mcp__ctx__search({json.dumps({'query': action.words})})"
        else:
            shows = action.verb in {"read", "cat"}
            words = f"cat {action.words}" if shows else action.words
            code = f"await tools.exec_command({json.dumps({'cmd': words})})"
        return Call("exec", {"input": f"text({code});"}, custom=True, space="functions")

    def compact(self, trial: Trial, prompt: Prompt, /) -> Screen:
        """Compact the window by the server that the terminal's client uses, too."""
        return self.serve(trial, prompt, "thread/compact/start", '"turn/completed"')

    def rewind(self, trial: Trial, prompt: Prompt, /) -> None:
        """Go back by that server."""
        self.serve(trial, prompt, "thread/revert", '"id":3,')

    def serve(self, trial: Trial, prompt: Prompt, method: str, until: str) -> Screen:
        """Have the server do one thing with a session; return what it sent."""
        named = trial.session_ids[prompt.session]
        command = [str(trial.program), *trial.more, "app-server", "--stdio"]
        with trial.started(command, talks=True) as process:
            about = {"clientInfo": {"name": "laboratory", "version": "1"}}
            trial.exchange(process, {"id": 1, "method": "initialize", "params": about}, '"id":1,')
            trial.exchange(process, {"method": "initialized"}, "")
            resume = {"id": 2, "method": "thread/resume", "params": {"threadId": named}}
            lines = trial.exchange(process, resume, '"id":2,')
            params = {"threadId": named}
            if method == "thread/revert":
                turns = json.loads(lines[-1])["result"]["thread"]["turns"]
                params["beforeTurnId"] = turns[1]["id"]
            lines = trial.exchange(process, {"id": 3, "method": method, "params": params}, until)
        return Screen("", "", 0 if lines else 1)

    def waits(self, action: Action, /) -> tuple[Call, ...]:
        """Return the call that waits for a subagent."""
        if action.words.endswith(" background"):
            return ()
        return (Call("wait_agent", {"timeout_ms": 20_000}, space="collaboration"),)


HOST = Codex()
