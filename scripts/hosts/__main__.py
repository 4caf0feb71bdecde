"""Run released hosts in scenarios, and print what their models were sent, with and without ctx.

    python3 scripts/dev.py hosts                        all hosts and versions, all scenarios
    python3 scripts/dev.py hosts claude@2.1.332 codex   these alone
    python3 scripts/dev.py hosts --scenario read …      these scenarios alone
    python3 scripts/dev.py hosts --quick --require      what has to pass before a change goes in

Hosts are installed from npm into ``~/.cache/ctx-hosts``. Their models are stand-ins on the
loopback; no account is needed and nothing is sent elsewhere. Exits with 1 where something was not
as it should be, or under ``--require`` was skipped; with 2 for an unknown name.
"""

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scripts.hosts import programs, scenes
from scripts.hosts.host import Host
from scripts.hosts.kinds import HOSTS
from scripts.hosts.page import PAGE, page
from scripts.hosts.play import play
from scripts.hosts.report import HEAD, Row, judged

CTX = Path(sys.executable).with_name("ctx")


def asked(names: Sequence[str], *, newest: bool) -> Iterator[tuple[Host, str]]:
    """Yield the hosts and versions that names mean; ValueError for an unknown host."""
    for name in names or list(HOSTS):
        base, _, version = name.partition("@")
        if base not in HOSTS:
            raise ValueError(f"unknown host {base!r}: one of {', '.join(HOSTS)}")
        for each in [version] if version else HOSTS[base].versions[-1 if newest else 0 :]:
            yield HOSTS[base], each


def row(host: Host, version: str, scene: scenes.Scene, ctx: Path, *, stays: bool) -> Row:
    """Play a scenario without ctx and with it, and judge it."""
    if host.scenes and scene.name not in host.scenes:
        return Row.skipped(host, version, scene, "is about hooks")
    missing = scene.verbs - host.can
    if scene.options.get("plugin") and "plugin" not in host.can:
        missing |= {"install a plugin"}
    if scene.options.get("installs") and not host.installs:
        return Row.skipped(host, version, scene, "no hooks of ctx are for it")
    only = scene.options.get("only")
    if missing or (only and host.name not in only):
        why = f"no way to {', '.join(sorted(missing))} without a terminal" if missing else ""
        return Row.skipped(host, version, scene, why or "is not about this host")
    try:
        program = programs.installed(host, version)
    except programs.NotThereError as error:
        return Row.skipped(host, version, scene, str(error), is_missing=True)
    runs = programs.cache() / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix=f"{host.name}-{scene.name}-", dir=runs))
    try:
        bare = play(host, scene, program, None, root / "bare")
        with_ctx = play(host, scene, program, ctx, root / "ctx")
    finally:
        if stays:
            print(f"kept: {root}", file=sys.stderr)
        else:
            shutil.rmtree(root, ignore_errors=True)
    return judged(host, version, scene, bare, with_ctx)


def kept(path: Path | None) -> dict[tuple[str, str, str], Row]:
    """Return the rows of a file, by host, version and scenario; none where there is no file."""
    if path is None or not path.exists():
        return {}
    rows = map(Row.of, json.loads(path.read_text("utf-8")))
    return {(row.host, row.version, row.scene): row for row in rows}


def keep(path: Path | None, rows: Iterable[Row]) -> None:
    """Write rows to a file, where one is named."""
    if path:
        text = json.dumps([each.as_json() for each in rows], indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def main(argv: Sequence[str]) -> int:
    """Run what was asked for and return the exit code."""
    every = scenes.read()
    parser = argparse.ArgumentParser(
        prog="dev.py hosts", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="HOST[@VERSION]", help=", ".join(HOSTS))
    parser.add_argument("--scenario", "-s", action="append", default=[], choices=list(every))
    parser.add_argument(
        "--quick", action="store_true", help="what .ci/run plays: some scenarios, newest versions"
    )
    parser.add_argument("--require", action="store_true", help="what is not there is a failure")
    parser.add_argument("--ctx", type=Path, default=CTX, help="the ctx that hooks call")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add all that was seen to it")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} of all that")
    parser.add_argument("--keep", action="store_true", help="leave folders and requests there")
    given = parser.parse_args(argv)
    try:
        pairs = list(asked(given.names, newest=given.quick))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if not given.ctx.exists():
        print(f"{given.ctx}: no such program; --ctx names the ctx to try", file=sys.stderr)
        return 2
    chosen = [
        scene
        for name, scene in every.items()
        if name in (given.scenario or every) and (not given.quick or scene.options.get("quick"))
    ]
    if given.require:
        programs.provide()
    known = kept(given.json)
    rows = []
    print(HEAD)
    for host, version in pairs:
        for scene in chosen:
            found = row(host, version, scene, given.ctx.absolute(), stays=given.keep)
            if given.quick and found.is_bad:  # a hook that is late beside other work sends less
                print(f"again, as it was not so: {found.line}", file=sys.stderr, flush=True)
                found = row(host, version, scene, given.ctx.absolute(), stays=given.keep)
            rows.append(found)
            print(found.line, flush=True)
            for line in found.details:
                print(f"  {host.name}@{version} {scene.name}: {line}", file=sys.stderr, flush=True)
            if not found.is_missing:
                known[host.name, version, scene.name] = found
                keep(given.json, known.values())
    if given.write:
        PAGE.write_text(page(known.values(), every), encoding="utf-8")
    is_bad = any(each.is_bad or (given.require and each.is_missing) for each in rows)
    return int(is_bad)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # lest a host goes on by itself
    raise SystemExit(main(sys.argv[1:]))
