"""Scenarios, read from ``scenes.toml``."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).with_name("scenes.toml")


class Step(NamedTuple):
    """One step of a scenario."""

    verb: str
    actions: str
    """What the model does then, as the table has it."""


class Scene(NamedTuple):
    """A scenario."""

    name: str
    title: str
    steps: tuple[Step, ...]
    options: dict[str, Any]

    @property
    def verbs(self) -> frozenset[str]:
        """All verbs of its steps."""
        return frozenset(step.verb for step in self.steps)


def read(table: Path = TABLE) -> dict[str, Scene]:
    """Return all scenarios, by their names."""
    found = {}
    for name, given in tomllib.loads(table.read_text("utf-8")).items():
        steps = [step.partition(":") for step in given.pop("steps")]
        parsed = tuple(Step(verb, text.strip()) for verb, _, text in steps)
        found[name] = Scene(name, given.pop("title"), parsed, given)
    return found
