"""What a scenario showed, as a row of a table and as lines."""

import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any, NamedTuple

from scripts.hosts import turns, windows
from scripts.hosts.host import Host
from scripts.hosts.play import Played, faults
from scripts.hosts.project import BELOW
from scripts.hosts.scenes import Scene
from scripts.hosts.windows import MAIN, Fault, Request

HEAD = (
    "| host | scenario | twice | missing | turns wrong | noise | tokens without, with | common |\n"
    "|---|---|---|---|---|---|---|---|"
)

ANSWER = "mark-decision"
"""What the MCP server has to find."""
OURS = re.compile(r"^.*ctx hook run.*$", re.MULTILINE)
"""What a host writes of hooks into the window."""


class Row(NamedTuple):
    """What came of one scenario with one host."""

    host: str
    version: str
    scene: str
    twice: int = 0
    """Marks that are in a window more than once, and not by the host alone."""
    missing: int = 0
    turns: int = 0
    noise: int = 0
    by_host: int = 0
    """Marks that are in a window twice, or never, for a reason of the host."""
    tokens: tuple[int, int] = (0, 0)
    """All requests, without ctx and with it."""
    common: tuple[float, float] = (1.0, 1.0)
    """The share of requests that begins the next one, without ctx and with it."""
    details: tuple[str, ...] = ()
    alone: dict[str, list[int]] = {}  # noqa: RUF012 - never changed
    """Without ctx: how often each mark is in the window of each agent, at most and last."""
    day: str = ""
    """When it was played."""
    why_skipped: str = ""
    is_missing: bool = False
    """Whether it was skipped for a program that is not there."""

    @classmethod
    def skipped(
        cls, host: Host, version: str, scene: Scene, why: str, *, is_missing: bool = False
    ) -> "Row":
        """Return the row of what was not played."""
        return cls(host.name, version, scene.name, why_skipped=why, is_missing=is_missing)

    @property
    def is_bad(self) -> bool:
        """Whether something is not as it should be."""
        return any((self.twice, self.missing, self.turns, self.noise))

    @property
    def line(self) -> str:
        """The row as Markdown."""
        name = f"| {self.host} {self.version} | {self.scene} "
        if self.why_skipped:
            return f"{name}| SKIPPED: {self.why_skipped} ||||||"
        by_host = f" (+{self.by_host} by the host)" if self.by_host else ""
        cells = (
            self.twice, f"{self.missing}{by_host}", self.turns, self.noise,
            f"{self.tokens[0]:,}, {self.tokens[1]:,}",
            f"{self.common[0]:.0%}, {self.common[1]:.0%}",
        )  # fmt: skip
        return name + "".join(f"| {each} " for each in cells) + "|"

    @classmethod
    def of(cls, fields: dict[str, Any]) -> "Row":
        """Return the row that ``as_json`` wrote."""
        as_tuples: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return cls(**as_tuples)

    def as_json(self) -> dict[str, Any]:
        """Return all that is known."""
        return self._asdict()


def judged(host: Host, version: str, scene: Scene, bare: Played, with_ctx: Played) -> Row:
    """Compare what was played without ctx and with it."""
    before = {
        (each.mark, each.session, each.agent, each.segment): each for each in faults(bare, scene)
    }
    own: list[Fault] = []
    bad: list[Fault] = []
    for fault in faults(with_ctx, scene):
        alone = before.get((fault.mark, fault.session, fault.agent, fault.segment))
        reason = reasoned(host, scene, fault)
        is_own = bool(reason) or (alone is not None and 1 < alone.times == fault.times)
        (own if is_own else bad).append(fault)
    wrong = turns.wrong(with_ctx.said, with_ctx.stored)
    excuse = scene.options.get("excused", "") or unrun(host, with_ctx)
    if excuse or not host.installs:  # without hooks only what the host loads is there
        own += [each for each in bad if not each.times]
        bad = [each for each in bad if each.times]
        wrong = [] if excuse else wrong
    noise = noisy(host, bare, with_ctx)
    if scene.options.get("mcp") and not any(ANSWER in text for text in results(with_ctx)):
        wrong.append("no answer of the MCP server reached the model")
    if host.installs and not (with_ctx.ran or with_ctx.told or excuse):
        wrong.append("no hook ran, and `ctx hook status` does not say so")
    details = [described(each) for each in bad] + wrong + [f"printed: {each}" for each in noise]
    unsent = excuse or "no hooks of ctx are for it"
    for each in own:
        why = reasoned(host, scene, each) or ("so without ctx" if each.times else unsent)
        details.append(f"by the host: {described(each)} ({why})")
    return Row(
        host.name, version, scene.name, sum(each.times > 1 for each in bad),
        sum(not each.times for each in bad), len(wrong), len(noise), len(own),
        (windows.tokens(bare.requests), windows.tokens(with_ctx.requests)),
        (shared(bare.requests), shared(with_ctx.requests)), tuple(details), alone_of(bare), day(),
    )  # fmt: skip


def unrun(host: Host, played: Played) -> str:
    """Return why hooks did not run where ctx says so, else an empty text."""
    is_told = host.installs and not played.ran and played.told
    return "hooks do not run, and ctx says so" if is_told else ""


def results(played: Played) -> list[str]:
    """Return all results of tools that a model had."""
    return [each.text for one in played.requests for each in one.texts if each.role == "result"]


def reasoned(host: Host, scene: Scene, fault: Fault) -> str:
    """Return why the host itself does this, or an empty text."""
    if host.forgets and fault.prompt > 1 and fault.mark.startswith(BELOW):
        roles = [place.partition(" ")[0] for place in fault.places]
        asked = [step for step in scene.steps if step.verb != "compact"][fault.prompt - 1]
        # Nothing of a file since, or sent behind a change before the host showed it.
        if roles == ["result", "added"] or not (roles or asked.actions):
            return host.forgets
    if host.repeats and len({place.rpartition(".")[0] for place in fault.places}) == 1:
        return host.repeats if fault.places[0].startswith("result ") else ""
    return host.reasons.get(fault.mark) or host.reasons.get(f"{scene.name} {fault.mark}", "")


def described(fault: Fault) -> str:
    """Return a fault as a line."""
    count = f"{fault.times} times" if fault.times else "missing"
    where = f": {', '.join(fault.places)}" if fault.places else ""
    part = f" after {fault.segment} compactions" if fault.segment else ""
    whose = f"for {fault.agent} of {fault.session}, prompt {fault.prompt}"
    return f"{fault.mark} {count} {whose}{part}{where}"


def noisy(host: Host, bare: Played, with_ctx: Played) -> list[str]:
    """Return the lines that a person saw with ctx alone and that are not the host's own."""
    seen = Counter(normal(line) for screen in bare.screens for line in screen.lines)
    now = Counter(normal(line) for screen in with_ctx.screens for line in screen.lines)
    lines = [line for line in (now - seen).elements() if not host.own.search(line)]
    sent = (each for one in with_ctx.requests for each in one.texts if each.role not in windows.OWN)
    found = {match[0] for text in sent for match in OURS.finditer(text.text)}
    return lines + sorted(f"to the model: {line}" for line in found)


def normal(line: str) -> str:
    """Return a line without what differs in each run: ids, times and figures."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f-]*", "N", line)[:200]


def shared(requests: list[Request]) -> float:
    """Return the share of the session's requests that begins the next one."""
    return windows.common_share([each for each in requests if each.agent == MAIN])


def day() -> str:
    """Return the present day."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def alone_of(bare: Played) -> dict[str, list[int]]:
    """Return how often each mark is in the last window of each agent and segment."""
    last: dict[str, dict[str, int]] = {}
    for window in windows.windows(bare.requests):
        name = f"{window.session} {window.agent} {window.segment}"
        last[name] = {mark: len(places) for mark, places in windows.counts(window).items()}
    marks = sorted({*bare.needs.everybody, *bare.needs.session, *bare.needs.source})
    return {mark: [each.get(mark, 0) for each in last.values()] for mark in marks}
