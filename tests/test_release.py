"""What a release is made of: the text of a tag, the rights of jobs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctx import __version__
from scripts import release

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS: dict[str, Any] = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}
JOBS = [(name, job, made) for name, flow in WORKFLOWS.items() for job, made in flow["jobs"].items()]
TAG = f"v{__version__}"
LOG = f"""\
# Changelog

## [Unreleased]

- New.

## [{__version__}] - 2026-01-31

- First.

## [0.0.1] - 2026-01-01

- Old.
"""


def test_the_text_of_a_release_is_its_section() -> None:
    assert release.notes(TAG, LOG) == "- First.\n"


@pytest.mark.parametrize(
    ("tag", "log", "said"),
    [
        ("v9.9.9", LOG, "the program is"),
        (__version__, LOG, f"tag {TAG}"),
        (TAG, LOG.replace(" - 2026-01-31", ""), "no section"),
        (TAG, LOG.replace("- First.\n", ""), "no section"),
    ],
)
def test_a_tag_without_version_or_section_is_refused(tag: str, log: str, said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        release.notes(tag, log)


@pytest.mark.parametrize(("flow", "job", "made"), JOBS, ids=lambda value: str(value)[:12])
def test_a_job_has_no_right_that_it_does_not_use(flow: str, job: str, made: dict[str, Any]) -> None:
    more = {
        ("release", "attest"): {"attestations": "write", "id-token": "write"},
        ("release", "publish"): {"id-token": "write"},
        ("release", "release"): {"contents": "write"},
        ("release", "site"): {"contents": "write"},
    }
    assert WORKFLOWS[flow]["permissions"] == {}
    assert made["permissions"] == more.get((flow, job), {"contents": "read"})
    assert made["timeout-minutes"]
    for step in made["steps"]:
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
        assert re.fullmatch(r"\./|[\w-]+/[\w/-]+@v\d[\d.]*", step.get("uses", "./"))


def test_only_publishing_has_the_environment_of_the_index() -> None:
    assert [job for _, job, made in JOBS if "environment" in made] == ["publish"]


def test_scripts_that_workflows_call_are_there() -> None:
    calls = [step.get("run", "") for _, _, made in JOBS for step in made["steps"]]
    named = {name for call in calls for name in re.findall(r"scripts/\w+\.py", call)}
    assert named == {"scripts/artifacts.py", "scripts/dev.py", "scripts/release.py"}
    assert all((ROOT / name).is_file() for name in named)
