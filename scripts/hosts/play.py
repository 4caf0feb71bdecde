"""Play a scenario with a host, and look at what came of it."""

import contextlib
import time
from pathlib import Path
from typing import NamedTuple

from scripts.hosts import project, windows
from scripts.hosts.host import Action, Host, Prompt, actions
from scripts.hosts.scenes import Scene, Step
from scripts.hosts.stand_in import Answer, StandIn, Task
from scripts.hosts.trial import Screen, Trial
from scripts.hosts.turns import Turn
from scripts.hosts.windows import MAIN, Fault, Request, Window

FULL = 195_000
"""Tokens that an answer claims where the host is to compact its window."""
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


class Play:
    """A scenario while it is played."""

    def __init__(self, host: Host, scene: Scene, trial: Trial, stand_in: StandIn) -> None:
        """Begin with no prompt."""
        self.host, self.scene, self.trial, self.stand_in = host, scene, trial, stand_in
        self.prompt = self.forks = 0
        self.session = ""
        self.said: list[Turn] = []
        self.screens: list[Screen] = []

    def step(self, step: Step) -> None:
        """Do one step."""
        if step.verb == "compact":
            self.screens.append(self.call(Prompt("/compact", self.session, "resume")))
            return
        self.prompt += 1
        key, origin, how = f"task-{self.prompt}", self.session, "resume"
        if not self.session or step.verb == "fork":
            how = "fork" if self.session else "start"
            self.forks += 1
            self.session = f"session-{self.forks}"
        text = f"Please do part {self.prompt} of the work ({key})"
        tasks = self.tasks(key, step)
        self.stand_in.tasks, self.stand_in.session = tasks, self.session
        prompt = Prompt(text, self.session, how, origin)
        self.said.append(Turn("user", text))
        if step.verb == "kill":
            self.kill(prompt, len(tasks[key].answers))
            return
        self.screens.append(self.call(prompt))
        self.said.append(Turn("assistant", tasks[key].answers[-1].text))

    def call(self, prompt: Prompt) -> Screen:
        """Give a prompt to the host, and wait for its end."""
        screen = self.trial.run(*self.host.command(self.trial, prompt))
        self.host.after(self.trial, prompt, screen)
        return screen

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
                each = (*(Answer(calls=(call,)) for call in calls), Answer("It was looked at."))
                agent = f"{action.words} {len(found) + 1}" if "EACH" in step.actions else action.words
                found[inner] = Task(inner, self.session, agent, self.prompt, each)
        last = Answer(f"Part {self.prompt} is done.")
        if step.verb == "fill":
            last = last._replace(tokens=FULL)
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
    trial = Trial(root, program, ctx)
    options = scene.options
    without = options.get("without", ())
    files = {name: text for name, text in project.FILES.items() if name not in without}
    files |= options.get("files", {})
    base = project.WEBSHOP if options.get("webshop") else None
    project.made(trial.project, files, base)
    with StandIn(host.api(), root / "requests") as stand_in:
        host.configure(trial, stand_in, options)
        if ctx:
            for name in options.get("installs", [host.installs] if host.installs else []):
                trial.ctx("hook", "install", name)
        if options.get("worktree"):
            project.git(trial.project, "add", "--all")
            with contextlib.suppress(Exception):
                project.git(trial.project, "commit", "--quiet", "--message=Hooks")
            project.git(trial.project, "worktree", "add", "--quiet", "-b", "side", "../side")
            trial.project = trial.project.parent / "side"
        host.ready(trial, options)
        if options.get("path") is False:
            (trial.bin / "ctx").unlink(missing_ok=True)
        trial.project /= options.get("folder", ".")
        played = Play(host, scene, trial, stand_in)
        for step in scene.steps:
            played.step(step)
        stored = []
        if ctx:
            kept = (each for each in trial.stored() if "bundle" not in each)
            stored = [Turn(each["role"], each["text"]) for each in kept]
    return Played(stand_in.requests, played.screens, played.said, stored, project.needs(files))


def faults(played: Played) -> list[Fault]:
    """Return the marks that are not exactly once where they are needed."""
    needs = played.needs

    def needed(window: Window) -> set[str]:
        marks = {*needs.everybody}
        if window.agent == MAIN:
            marks |= needs.session
        if "src/" in window.calls or "pay.py" in window.calls:
            marks |= needs.source
        return marks

    return list(windows.faults(played.requests, needed))
