"""Play a scenario with a host, and look at what came of it."""

import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from scripts.hosts import project, windows
from scripts.hosts.host import Action, Host, Prompt, actions
from scripts.hosts.programs import found
from scripts.hosts.scenes import Scene, Step
from scripts.hosts.stand_in import END, Answer, StandIn, Task
from scripts.hosts.trial import Screen, Trial
from scripts.hosts.turns import Turn
from scripts.hosts.windows import MAIN, Fault, Request, Window

TOLD = re.compile(
    r"not run|not reviewed|not trust(?:ed)?\b|no hooks? (?:is|are)|started in|to be reviewed"
)
HOOKS = re.compile(r"\b(?:ctx|hooks?)\b", re.IGNORECASE)
"""Of a screen, the lines in which a person reads of hooks."""
KILLED_AFTER = 1.5
"""Seconds between the last request before a kill and the kill."""


class Played(NamedTuple):
    """What came of a scenario."""

    requests: list[Request]
    screens: list[Screen]
    said: list[Turn]
    """What people and models wrote, by the script."""
    stored: list[Turn]
    """What ctx stored."""
    needs: project.Needs
    ran: bool
    """Whether hooks of ctx ran."""
    told: bool
    """Whether ctx names what keeps them from running."""


class Play:
    """A scenario while it is played."""

    def __init__(self, host: Host, scene: Scene, trial: Trial, stand_in: StandIn) -> None:
        """Begin with no prompt."""
        self.host, self.scene, self.trial, self.stand_in = host, scene, trial, stand_in
        self.prompt = self.forks = 0
        self.session = ""
        self.said: list[Turn] = []
        self.screens: list[Screen] = []

    def steps(self, given: tuple[Step, ...]) -> None:
        """Do all steps; prompts that follow each other in one process where the host can."""
        live = [step.verb for step in given].count("prompt") > 1
        at = 0
        while at < len(given):
            end = at
            while live and end < len(given) and given[end].verb == "prompt":
                end += 1
            if end - at > 1 and self.live(given[at:end]):
                at = end
                continue
            self.step(given[at])
            at += 1

    def live(self, steps: tuple[Step, ...]) -> bool:
        """Give prompts to one process; whether the host has such a one."""
        how = "resume" if self.session else "start"
        session = self.session or "session-1"
        command = self.host.live(self.trial, Prompt("", session, how))
        if not command:
            return False
        with self.trial.started(command, talks=True) as process:
            for step in steps:
                prompt, tasks = self.asked(step)
                self.trial.talk(process, prompt.text)
                self.said.append(Turn("assistant", tasks[f"task-{self.prompt}"].answers[-1].text))
        return True

    def step(self, step: Step) -> None:
        """Do one step."""
        if step.verb == "compact":
            self.stand_in.tasks = {}
            prompt = Prompt("/compact", self.session, "resume")
            self.screens.append(self.host.compact(self.trial, prompt))
            return
        prompt, tasks = self.asked(step)
        answers = tasks[f"task-{self.prompt}"].answers
        if step.verb == "terminal":
            self.terminal(prompt.text)
            self.said.append(Turn("assistant", answers[-1].text))
            return
        if step.verb == "rewind":
            self.host.rewind(self.trial, prompt)
            prompt = prompt._replace(how="rewind")
        if step.verb == "kill":
            self.kill(prompt, len(answers))
            return
        self.screens.append(self.call(prompt))
        self.said.append(Turn("assistant", answers[-1].text))

    def asked(self, step: Step) -> tuple[Prompt, dict[str, Task]]:
        """Return the prompt of a step; the stand-in has the script for it."""
        self.prompt += 1
        key, origin, how = f"task-{self.prompt}", self.session, "resume"
        if not self.session or step.verb == "fork":
            how = "fork" if self.session else "start"
            self.forks += 1
            self.session = f"session-{self.forks}"
        text = f"Write refunds as new records, part {self.prompt}; webhooks come twice ({key})"
        tasks = self.tasks(key, step)
        self.stand_in.tasks, self.stand_in.session = tasks, self.session
        self.said.append(Turn("user", self.host.kept(text)))
        return Prompt(text, self.session, how, origin), tasks

    def call(self, prompt: Prompt) -> Screen:
        """Give a prompt to the host, and wait for its end."""
        screen = self.trial.run(*self.host.command(self.trial, prompt))
        self.host.after(self.trial, prompt, screen)
        return screen

    def terminal(self, prompt: str) -> None:
        """Type a prompt, a compaction and the end; keep the lines that are about hooks."""
        from scripts.hosts.terminal import typed  # not on Windows

        keys = [prompt, "/compact", "/exit"]
        trial = self.trial
        lines = typed(self.host.terminal(trial), trial.project, trial.environ, keys)
        shown = (line.replace(str(trial.root), "~") for line in lines)
        about = (line for line in shown if HOOKS.search(line))
        self.screens.append(Screen("\n".join(about), "", 0))

    def kill(self, prompt: Prompt, answers: int) -> None:
        """Give a prompt to the host, and kill it as it waits for the last answer."""
        before = len(self.stand_in.requests)
        with self.trial.started(self.host.command(self.trial, prompt)) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                turns = [each for each in self.stand_in.requests[before:] if each.kind == "turn"]
                if len(turns) >= answers:
                    time.sleep(KILLED_AFTER)
                    break
                time.sleep(0.1)

    def tasks(self, key: str, step: Step) -> dict[str, Task]:
        """Return the script for a prompt: of the session, and of each subagent."""
        found: dict[str, Task] = {}
        answers: list[Answer] = []
        for action in self.expanded(actions(step.actions)):
            inner = f"{key}-{len(found) + 1}"
            answers.append(Answer(calls=(self.host.call(self.trial, action, inner),)))
            if action.verb == "agent":
                calls = [self.host.call(self.trial, each, inner) for each in action.inner]
                kind = action.words.partition(" ")[0]
                inside = (*(Answer(calls=(call,)) for call in calls), self.host.done(kind))
                found[inner] = Task(inner, self.session, action.words, self.prompt, inside)
                answers += [Answer(calls=(call,)) for call in self.host.waits(action)]
        last = Answer(f"Part {self.prompt} is done (said-{self.prompt})")
        if step.verb == "fill":
            last = last._replace(tokens=self.host.full)
        elif step.verb == "kill":
            last = last._replace(wait=KILLED_AFTER * 4)
        return {**found, key: Task(key, self.session, MAIN, self.prompt, (*answers, last))}

    def expanded(self, given: tuple[Action, ...]) -> list[Action]:
        """Return actions, those of EACH kind of subagent once for each."""
        found = []
        for action in given:
            kind, blank, rest = action.words.partition(" ")
            kinds = self.host.agents if action.verb == "agent" and kind == "EACH" else (kind,)
            found += [action._replace(words=f"{each}{blank}{rest}") for each in kinds]
        return found


def play(host: Host, scene: Scene, program: Path, ctx: Path | None, root: Path) -> Played:
    """Play a scenario below ``root``; without hooks where ``ctx`` is None."""
    trial = Trial(root, program, ctx, found("node"))
    options = scene.options
    without = options.get("without", ())
    files = {name: text for name, text in project.FILES.items() if name not in without}
    files |= options.get("files", {})
    own = options.get("home", {})
    project.written(trial.home, own)
    project.made(trial.project, files, project.WEBSHOP if options.get("webshop") else None)
    with StandIn(host.api(), root / "requests") as stand_in:
        host.configure(trial, stand_in, options)
        if ctx:
            install(host, trial, options)
        if options.get("worktree"):
            project.worktree(trial.project, trial.project.parent / "side")
            trial.project = trial.project.parent / "side"
        host.ready(trial, options)
        if options.get("path") is False:
            (trial.bin / "ctx").unlink(missing_ok=True)
        trial.project /= options.get("folder", ".")
        played = Play(host, scene, trial, stand_in)
        played.steps(scene.steps)
        said = [*played.said, *(Turn("assistant", END) for _ in range(stand_in.beyond))]
        stored: list[Turn] = []
        told = True
        if ctx:
            host.imported(trial)
            kept = (each for each in trial.stored() if "bundle" not in each)
            stored = [Turn(each["role"], each["text"]) for each in kept]
            told = is_told(host, trial)
    ran = trial.hooks_ran()
    return Played(
        stand_in.requests, played.screens, said, stored, project.needs({**files, **own}), ran, told
    )


def install(host: Host, trial: Trial, options: dict[str, Any]) -> None:
    """Install what a scenario is about: hooks, or a plugin."""
    if options.get("plugin"):
        host.plug(trial)
        trial.ctx("trust")
        return
    scope = [options["scope"]] if "scope" in options else []
    for name in options.get("installs", [host.installs] if host.installs else []):
        trial.ctx("hook", "install", name, *scope)
    if scope == ["--global"]:  # an install in the project trusts it, this one does not
        trial.ctx("trust")


def is_told(host: Host, trial: Trial) -> bool:
    """Whether ``ctx hook status`` names something that keeps hooks from running."""
    if not host.installs:
        return True
    screen = trial.ctx("hook", "status")
    return any(
        TOLD.search(line) for line in screen.lines if host.title in line or host.name in line
    )


def faults(played: Played, scene: Scene) -> list[Fault]:
    """Return the marks that are not exactly once where they are needed."""
    needs = played.needs
    requests = played.requests
    if scene.options.get("mcp"):  # what the model asked for is no text that came twice
        requests = [each._replace(texts=windows.unasked(each.texts)) for each in requests]

    def needed(window: Window) -> set[str]:
        marks = {*needs.everybody}
        if window.agent == MAIN:
            marks |= needs.session
        if "src/" in window.calls or "pay.py" in window.calls:
            marks |= needs.source
        return marks

    return list(windows.faults(requests, needed))
