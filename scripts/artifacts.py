"""Build what a release has, and use it from an empty place, without this checkout beside it.

    python scripts/artifacts.py

Builds the sdist and the wheel from it, and goes the way from nothing to a first packet by pip with
each, and by uvx and pipx with the wheel, in empty folders. It prints how long each way is beside
that of pip with the wheel; the packet is the same by each way, or this fails. Then it runs the
hooks of pre-commit and the plugin of Claude Code from a copy of its folder alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Way = Callable[[Path, Path, Path], Sequence[str | Path]]

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
PACKET = ("agent", "--budget", "2000", "--as-of", "2026-02-01")
ROUNDS = 3  # installs of each artifact, in turn
PRE_COMMIT = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: ctx-check
        args: [--severity, error]
      - id: ctx-export
        args: [claude]
"""


def run(
    *command: str | Path, cwd: Path, environ: Mapping[str, str] | None = None, stdin: str = ""
) -> str:
    """Run ``command``, return what it prints; SystemExit with that where it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, env={**os.environ, **(environ or {})}, input=stdin, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}"
        )
    return done.stdout


def environment(folder: Path, *packages: str | Path) -> Path:
    """Make an environment with ``packages``; return the folder of its programs."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    programs = folder / PROGRAMS
    if packages:
        quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
        run(programs / "python", "-m", "pip", "install", *quiet, *packages, cwd=folder.parent)
    return programs


def build(tools: Path, into: Path) -> tuple[Path, Path]:
    """Build the sdist, and the pure wheel from it; return wheel and sdist."""
    run(tools / "python", "-m", "build", "--outdir", into, ROOT, cwd=into)
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return wheel, sdist


def by_pip(_tools: Path, folder: Path, what: Path) -> Sequence[str | Path]:
    """Install ``what`` into an environment of its own; return the command."""
    return [environment(folder / "venv", what) / "ctx-packet"]


def by_uvx(tools: Path, _folder: Path, what: Path) -> Sequence[str | Path]:
    """Return the command that has uv install ``what`` and run it."""
    return [tools / "uvx", "--python", sys.executable, "--from", what, "ctx-packet"]


def by_pipx(tools: Path, _folder: Path, what: Path) -> Sequence[str | Path]:
    """Return the command that has pipx install ``what`` and run it."""
    return [tools / "pipx", "run", "--python", sys.executable, "--spec", what, "ctx-packet"]


def first_packet(tools: Path, folder: Path, by: Way, what: Path) -> tuple[str, float]:
    """Go from nothing to a first packet; return it, and the seconds."""
    shutil.rmtree(folder, ignore_errors=True)
    project = folder / "project"
    shutil.copytree(ROOT / "fixtures" / "webshop", project)
    homes = {"CTX_CACHE_DIR": "cache", "CTX_STATE_DIR": "state", "PIPX_HOME": "pipx"}
    own = {name: str(folder / place) for name, place in homes.items()}
    own["UV_CACHE_DIR"] = str(folder / "uv")
    start = time.perf_counter()
    command = by(tools, folder, what)
    ran = subprocess.run(
        [*command, *PACKET], cwd=project, env={**os.environ, **own}, check=False,
        capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    if ran.returncode:
        raise SystemExit(f"{command}: exit code {ran.returncode}\n{ran.stderr}")
    return ran.stdout, time.perf_counter() - start


def ways(tools: Path, folder: Path) -> Path:
    """Print how long each way to a first packet is; return the wheel."""
    (folder / "dist").mkdir()
    wheel, sdist = build(tools, folder / "dist")
    every: dict[str, tuple[Way, Path]] = {
        "pip, wheel": (by_pip, wheel), "pip, sdist": (by_pip, sdist),
        "uvx, wheel": (by_uvx, wheel), "pipx, wheel": (by_pipx, wheel),
    }  # fmt: skip
    first_packet(tools, folder / "wheel", by_pip, wheel)  # what pip fetches is at hand from now on
    packets, times = set(), dict[str, list[float]]()
    for _ in range(ROUNDS):
        for name, way in every.items():
            packet, seconds = first_packet(tools, folder / "way", *way)
            packets.add(packet)
            times.setdefault(name, []).append(seconds)
    if len(packets) != 1:
        raise SystemExit("the packets differ")
    print(f"{'median of ' + str(ROUNDS):14}{'to a packet':>14}{'KiB':>8}")
    unit = median(times["pip, wheel"])
    for name, (_, path) in every.items():
        print(f"{name:14}{median(times[name]) / unit:14.2f}{path.stat().st_size / 1024:8.0f}")
    return wheel


def pre_commit(tools: Path, folder: Path) -> None:
    """Run the hooks of this repository, as it is committed, in another one."""
    project = folder / "hooked"
    shutil.copytree(ROOT / "fixtures" / "webshop", project)
    rev = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    text = PRE_COMMIT.format(repo=ROOT.as_posix(), rev=rev)
    (project / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    run("git", "init", "--quiet", cwd=project)
    run("git", "add", ".", cwd=project)
    command = (tools / "pre-commit", "run", "--all-files")
    environ = {"PRE_COMMIT_HOME": str(folder / "pre-commit"), "PRE_COMMIT_COLOR": "never"}
    ran = subprocess.run(
        command, cwd=project, env={**os.environ, **environ}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    lines = [line for line in ran.stdout.splitlines() if line.endswith(("Passed", "Failed"))]
    if [line.split(".")[0] + line[-6:] for line in lines] != [
        "ctx checkPassed",
        "ctx export --checkFailed",
    ]:
        raise SystemExit(f"pre-commit: {ran.stdout}{ran.stderr}")
    print("pre-commit: ctx check passes, ctx export --check fails without the block: as it should")


def plugin(wheel: Path, folder: Path) -> None:
    """Run the hook of a plugin from a copy of its folder alone, as its host does."""
    alone = folder / "plugin"
    shutil.copytree(ROOT / "plugins" / "claude", alone)
    project = folder / "wheel" / "project"
    hooks = json.loads((alone / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    (group,) = hooks["SessionStart"]
    command = group["hooks"][0]["command"].replace("${CLAUDE_PLUGIN_ROOT}", alone.as_posix())
    programs = folder / "wheel" / "venv" / PROGRAMS
    event = json.dumps({"session_id": "s", "source": "startup", "cwd": str(project)})
    environ = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "CTX_CACHE_DIR": str(folder / "cache"), "CTX_STATE_DIR": str(folder / "state"),
    }  # fmt: skip
    environ["CTX_HOOK_SECONDS"] = "600"  # whatever else this machine does
    run(programs / "ctx", "trust", cwd=project, environ=environ)
    ran = run("sh", "-c", command, cwd=project, environ=environ, stdin=event)
    text = json.loads(ran)["hookSpecificOutput"]["additionalContext"]
    if "## Constitution" not in text:
        raise SystemExit(f"plugin of Claude Code: {ran}")
    print(f"plugin of Claude Code, its folder alone and {wheel.name}: a packet at the start")


def main() -> int:
    """Build and try everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tools = environment(folder / "tools", "build", "pipx", "pre-commit", "uv")
        wheel = ways(tools, folder)
        pre_commit(tools, folder)
        plugin(wheel, folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
