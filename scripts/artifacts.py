"""Build what a release has, and use it from an empty place, without this checkout beside it.

    python scripts/artifacts.py all          build and try everything, with figures
    python scripts/artifacts.py suite [...]  the tests on the compiled program; pytest gets the rest

``all`` builds the sdist, the pure wheel from it, and the compiled wheel (CTX_COMPILE=1, needs a C
compiler), installs each into an empty virtual environment in a temporary folder, and prints how
long the way from nothing to a first packet is, in bare starts of Python; what it prints is the
same by each way, or this fails. Then it runs the hooks of pre-commit and the plugin of Claude Code
from a copy of its folder alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
PACKET = ("agent", "--budget", "2000", "--as-of", "2026-02-01")
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
    run(tools / "python", "-m", "build", "--outdir", into, ROOT, cwd=into, environ=_COMPILED[False])
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return wheel, sdist


def build_compiled(tools: Path, into: Path, sdist: Path) -> Path:
    """Build the compiled wheel from the sdist, in a folder of pip's own."""
    command = ("-m", "pip", "wheel", "--no-deps", "--no-cache-dir", "--wheel-dir", into, sdist)
    run(tools / "python", *command, cwd=into, environ=_COMPILED[True])
    (wheel,) = into.glob("*.whl")
    return wheel


_COMPILED = {False: {"CTX_COMPILE": ""}, True: {"CTX_COMPILE": "1"}}
"""What makes ``hatch_build.py`` compile, or not."""


def bare_start() -> float:
    """Return the seconds of ``python -c pass``, the median of nine."""
    return sorted(_seconds(sys.executable, "-c", "pass") for _ in range(9))[4]


def _seconds(*command: str | Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def first_packet(folder: Path, what: Path) -> tuple[str, float, float]:
    """Install ``what`` into an empty place; return a packet, the seconds of both, of it alone."""
    folder.mkdir()
    project = folder / "project"
    shutil.copytree(ROOT / "fixtures" / "webshop", project)
    start = time.perf_counter()
    programs = environment(folder / "venv", what)
    installed = time.perf_counter()
    own = {"CTX_CACHE_DIR": str(folder / "cache"), "CTX_STATE_DIR": str(folder / "state")}
    packet = run(programs / "ctx-packet", *PACKET, cwd=project, environ=own)
    return packet, time.perf_counter() - start, time.perf_counter() - installed


def ways(tools: Path, folder: Path) -> Path:
    """Print the way to a first packet by each artifact; return the pure wheel."""
    pure, fast = folder / "pure", folder / "compiled"
    pure.mkdir()
    fast.mkdir()
    wheel, sdist = build(tools, pure)
    compiled = build_compiled(tools, fast, sdist)
    artifacts = {"pure wheel": wheel, "compiled wheel": compiled, "sdist": sdist}
    packets = set()
    print(f"{'bare starts':18}{'to a packet':>12}{'without install':>17}{'KiB':>8}  file")
    for name, path in artifacts.items():
        packet, whole, alone = first_packet(folder / name.replace(" ", "-"), path)
        packets.add(packet)
        bare = bare_start()
        size = path.stat().st_size / 1024
        print(f"{name:18}{whole / bare:12.0f}{alone / bare:17.1f}{size:8.0f}  {path.name}")
    if len(packets) != 1:
        raise SystemExit("the packets of the artifacts differ")
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
    said = subprocess.run(
        command, cwd=project, env={**os.environ, **environ}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    lines = [line for line in said.stdout.splitlines() if line.endswith(("Passed", "Failed"))]
    if [line.split(".")[0] + line[-6:] for line in lines] != [
        "ctx checkPassed",
        "ctx export --checkFailed",
    ]:
        raise SystemExit(f"pre-commit: {said.stdout}{said.stderr}")
    print("pre-commit: ctx check passes, ctx export --check fails without the block: as it should")


def plugin(wheel: Path, folder: Path) -> None:
    """Run the hook of a plugin from a copy of its folder alone, as its host does."""
    alone = folder / "plugin"
    shutil.copytree(ROOT / "plugins" / "claude", alone)
    project = folder / "pure-wheel" / "project"
    hooks = json.loads((alone / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    (group,) = hooks["SessionStart"]
    command = group["hooks"][0]["command"].replace("${CLAUDE_PLUGIN_ROOT}", alone.as_posix())
    programs = folder / "pure-wheel" / "venv" / PROGRAMS
    event = json.dumps({"session_id": "s", "source": "startup", "cwd": str(project)})
    environ = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "CTX_CACHE_DIR": str(folder / "cache"), "CTX_STATE_DIR": str(folder / "state"),
    }  # fmt: skip
    environ["CTX_HOOK_SECONDS"] = "600"  # whatever else this machine does
    run(programs / "ctx", "trust", cwd=project, environ=environ)
    said = run("sh", "-c", command, cwd=project, environ=environ, stdin=event)
    text = json.loads(said)["hookSpecificOutput"]["additionalContext"]
    if "## Constitution" not in text:
        raise SystemExit(f"plugin of Claude Code: {said}")
    print(f"plugin of Claude Code, its folder alone and {wheel.name}: a packet at the start")


def suite(arguments: Sequence[str]) -> int:
    """Run the tests on a clone of the last commit with the compiled modules in place."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        clone, wheels = folder / "clone", folder / "wheels"
        wheels.mkdir()
        (folder / "pure").mkdir()
        run("git", "clone", "--quiet", ROOT, clone, cwd=folder)
        tools = environment(folder / "tools", "build")
        wheel = build_compiled(tools, wheels, build(tools, folder / "pure")[1])
        programs = environment(folder / "venv", "--editable", f"{clone}[dev]")
        with zipfile.ZipFile(wheel) as packed:
            libraries = [one for one in packed.namelist() if one.endswith((".so", ".pyd"))]
            packed.extractall(clone, libraries)
        print(f"{len(libraries)} compiled modules of {wheel.name}", flush=True)
        command = (programs / "python", "-m", "pytest", "-n", "auto", *arguments)
        return subprocess.run([*map(str, command)], cwd=clone, check=False).returncode


def main(argv: Sequence[str]) -> int:
    """Do what is asked for."""
    match argv:
        case ["all"]:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name).resolve()
                tools = environment(folder / "tools", "build", "pre-commit")
                wheel = ways(tools, folder)
                pre_commit(tools, folder)
                plugin(wheel, folder)
            return 0
        case ["suite", *arguments]:
            return suite(arguments)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
