"""Gemini CLI."""

import re
import shutil
import uuid
from typing import ClassVar

from scripts.hosts.apis.gemini import Gemini as Api
from scripts.hosts.host import CHANGED, LOOKED, NEW, OLD, TASK, Host, Prompt, Tools
from scripts.hosts.project import ROOT
from scripts.hosts.stand_in import Answer, Call, StandIn
from scripts.hosts.trial import Screen, Trial


class Gemini(Host):
    """``gemini -p``, in a folder that it trusts."""

    name, title, program = "gemini", "Gemini CLI", "gemini"
    package = "@google/gemini-cli"
    versions = ("0.61.0",)
    api = Api
    can = frozenset({"prompt", "resume", "fill", "kill", "plugin", "compact"})
    agents = ("codebase_investigator", "generalist")
    installs = "gemini"
    repeats = "each result of a tool is sent a second time when a session goes on"
    own = re.compile(
        r"^(?:WARNING: The following project-level hooks|- ctx$|These hooks will be executed"
        r"|please review the project settings|\[STARTUP\] )"  # its own times, which race
    )

    tools: ClassVar[Tools] = {
        "read": ("read_file", {"file_path": "{path}"}),
        "write": ("write_file", {"file_path": "{path}", "content": NEW}),
        "edit": (
            "replace",
            {
                "file_path": "{path}", "instruction": "Change it", "old_string": OLD,
                "new_string": CHANGED,
            },
        ),
        "mcp": ("mcp_ctx_search", {"query": "{words}"}),
        "run": ("run_shell_command", {"command": "{words}"}),
        "agent": ("invoke_agent", {"agent_name": "{kind}", "prompt": TASK}),
    }  # fmt: skip

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {
            "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{stand_in.port}",
            "GEMINI_API_KEY": "dummy",
        }
        if options.get("trusted") is not False:
            trial.environ["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
        settings: dict[str, object] = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        settings["general"] = {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}
        if options.get("mcp"):
            slow = f"sleep {options['mcp']}; exec ctx mcp"
            settings["mcpServers"] = {"ctx": {"command": "sh", "args": ["-c", slow]}}
        trial.put(trial.home / ".gemini/settings.json", settings)
        trial.more = ["--skip-trust"] if options.get("trusted") is False else []

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known = trial.session_ids
        is_known = prompt.session in known
        named = known.setdefault(prompt.session, str(uuid.uuid4()))
        how = ["--resume", "latest"] if is_known else ["--session-id", named]
        model = ["--model", "gemini-3-pro-preview", "--approval-mode", "yolo"]
        return [str(trial.program), "-p", prompt.text, *model, *how, *trial.more]

    def compact(self, trial: Trial, prompt: Prompt, /) -> Screen:
        """Compress the window: the host then sends the command to the model as a prompt, too."""
        return trial.run(*self.command(trial, prompt._replace(text="/compress")))

    def done(self, kind: str, /) -> Answer:
        """Return the call by which a subagent ends."""
        report: object = {"response": LOOKED}
        name = "result"
        if kind == "codebase_investigator":
            name = "report"
            report = {"SummaryOfFindings": LOOKED, "ExplorationTrace": [], "RelevantLocations": []}
        return Answer(calls=(Call("complete_task", {name: report}),))

    def plug(self, trial: Trial, /) -> None:
        """Copy the extension to where the host looks."""
        shutil.copytree(ROOT / "extensions/gemini", trial.home / ".gemini/extensions/ctx")


HOST = Gemini()
