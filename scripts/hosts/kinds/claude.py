"""Claude Code."""

import uuid

from scripts.hosts.apis.anthropic import Anthropic
from scripts.hosts.host import Action, Host, Prompt
from scripts.hosts.project import ROOT
from scripts.hosts.stand_in import Call, StandIn
from scripts.hosts.trial import Trial

TOOLS = "Read,Edit,Write,Bash,Agent,Task,ToolSearch,mcp__ctx"


class Claude(Host):
    """Headless, with ids of sessions that are chosen here."""

    name, title, program = "claude", "Claude Code", "claude"
    package = "@anthropic-ai/claude-code"
    versions = ("2.1.197", "2.1.332")
    api = Anthropic
    can = frozenset({"start", "prompt", "resume", "fork", "compact", "fill", "kill", "plugin"})
    agents = ("general-purpose", "Explore", "Plan")
    installs = "claude"

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{stand_in.port}", "ANTHROPIC_API_KEY": "dummy",
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": str(trial.home / ".claude"),
        }  # fmt: skip
        if options.get("mcp"):
            server = {"command": "sh", "args": ["-c", f"sleep {options['mcp']}; exec ctx mcp"]}
            trial.put(trial.project / ".mcp.json", {"mcpServers": {"ctx": server}})

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known = trial.session_ids
        named = known.setdefault(prompt.session, str(uuid.uuid4()))
        how = ["--session-id", named]
        if prompt.how == "resume":
            how = ["--resume", named]
        elif prompt.how == "fork":
            how += ["--resume", known[prompt.origin], "--fork-session"]
        more = trial.more
        return [str(trial.program), "-p", prompt.text, "--allowedTools", TOOLS, *how, *more]

    def live(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call of a process that is sent one prompt after another."""
        words = self.command(trial, prompt._replace(text=""))
        json_lines = ["--input-format", "stream-json", "--output-format", "stream-json"]
        return [each for each in words if each] + [*json_lines, "--verbose"]

    def plug(self, trial: Trial, /) -> None:
        """Name the folder of the plugin."""
        trial.more = ["--plugin-dir", str(ROOT / "plugins/claude")]

    def call(self, trial: Trial, action: Action, task: str, /) -> Call:
        """Return the call of a tool for an action."""
        path = str(trial.project / action.words)
        if action.verb == "agent":
            kind, _, background = action.words.partition(" ")
            given = {"description": "Look at it", "prompt": f"Look at it ({task})"}
            given["subagent_type"] = kind
            return Call("Agent", {**given, "run_in_background": bool(background)})
        if action.verb == "read":
            return Call("Read", {"file_path": path})
        if action.verb == "write":
            return Call("Write", {"file_path": path, "content": "x = 1\n"})
        if action.verb == "edit":
            return Call("Edit", {"file_path": path, "old_string": "return cents", "new_string": "return 1"})
        if action.verb == "mcp":
            return Call("mcp__ctx__search", {"query": action.words})
        command = f"cat {action.words}" if action.verb == "cat" else action.words
        return Call("Bash", {"command": command})


HOST = Claude()
