"""Build the site of the documents: the pages of docs/, one for each command and one for each host.

    python3 scripts/dev.py site [FOLDER]           into FOLDER (site/); a dead link is an error
    python3 scripts/dev.py site --version VERSION  as this version and the latest, a commit of the
                                                   branch gh-pages, which keeps the earlier ones

Nothing is written down twice: commands come from the program, hosts from ``ctx/hosts/``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctx.hosts import all_hooks
from scripts import generate, plugins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.hosts.host import Hooks

ROOT = Path(__file__).resolve().parent.parent
NAV: Mapping[str, Sequence[str]] = {
    "Start": ("index.md", "start.md", "files.md", "guide.md", "team.md", "serve.md"),
    "Agents": ("hooks.md", "hosts-seen.md", "plugins.md", "mcp.md"),
    "Teams": ("ci.md", "security.md", "release.md"),
    "Figures": ("benchmarks.md",),
    "Inside": ("architecture.md", "sources.md", "contributing.md", "changelog.md"),
}
MOVED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Documents at the root of the checkout, and their pages."""
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def pages() -> dict[str, str]:
    """Return every page: its path in the site, and its text."""
    made = {
        path.relative_to(ROOT / "docs").as_posix(): _linked(path)
        for path in sorted((ROOT / "docs").rglob("*.md"))
    }
    made |= {page: _linked(ROOT / name) for name, page in MOVED.items()}
    for command in generate.commands():
        made[f"commands/{command.name.replace(' ', '-')}.md"] = generate.page_of(command)
    made |= {f"hosts/{host.name}.md": _host(host) for host in all_hooks()}
    return made


def _linked(path: Path) -> str:
    """Return a document with its links as the site has them."""
    parts = _CODE.split(path.read_text("utf-8"))
    for at in range(0, len(parts), 2):
        parts[at] = _LINK.sub(lambda found: _link(found, path), parts[at])
    return "".join(parts)


def _link(found: re.Match[str], path: Path) -> str:
    picture, text, target = found.groups()
    place, _, anchor = target.partition("#")
    if not place or ":" in place:
        return found[0]
    there = Path(os.path.normpath(path.parent / place))
    if there.is_dir():
        there = next(iter(sorted(there.glob("*.md"))), there)
    elif not there.exists() and there.with_suffix(".md").exists():
        there = there.with_suffix(".md")
    page = _page(there)
    if page is None:  # of the checkout, and not of the site
        return f"{text} (`{there.relative_to(ROOT).as_posix()}`)" if there.exists() else found[0]
    start = Path(_page(path) or "").parent
    shown = Path(os.path.relpath(page, start)).as_posix() + (f"#{anchor}" if anchor else "")
    return f"{picture}[{text}]({shown})"


def _page(path: Path) -> str | None:
    """Return the place of a file in the site; None where it is not in it."""
    if not path.is_file() or not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    return MOVED.get(name) or (name.removeprefix("docs/") if name.startswith("docs/") else None)


def _host(host: Hooks) -> str:
    """Return the page of a host of hooks."""
    lines = [f"# {host.title}", "", "```console", f"$ ctx hook install {host.name}", "```", ""]
    lines += [f"Then {host.next_step}.", "", "| settings | file |", "|---|---|"]
    lines += [f"| {place.scope} | `{place.path}` |" for place in host.places]
    events = (*host.events, *host.others)
    lines += ["", f"It asks at {', '.join(f'`{event}`' for event in events)}."]
    if host.captures:
        named = ", ".join(f"`{event}`" for event in host.captures)
        lines += [f"Where your setting `capture` wants it, {named} store the session."]
    lines += [f"An answer has at most {host.most_characters:,} characters."]
    folders = [each.folder for own, each in plugins.PLUGINS if own is host and each.folder]
    lines += [f"Its plugin is `{folder}`: [Plugins](../plugins.md)." for folder in folders]
    return "\n".join([*lines, "", "What happens at each event: [Hooks](../hooks.md).", ""])


def config(made: Mapping[str, str], folder: Path, site: Path) -> str:
    """Return ``mkdocs.yml``, in which every page has its place."""
    groups: dict[str, Sequence[str]] = {
        **NAV,
        "Hosts": sorted(page for page in made if page.startswith("hosts/")),
        "Commands": [page for page in made if page.startswith("commands/")] + ["reference.md"],
        "Decisions": sorted(page for page in made if page.startswith("adr/")),
    }
    left = set(made) - {page for group in groups.values() for page in group}
    groups |= {"More": sorted(left)} if left else {}
    lines = [
        "site_name: ctx",
        f"docs_dir: {folder.as_posix()}",
        f"site_dir: {site.as_posix()}",
        "strict: true",
        "extra: {version: {provider: mike}}",
        "use_directory_urls: false",
        "theme: {name: material, font: false, features: [navigation.indexes, content.code.copy]}",
        "plugins: [search]",
        "markdown_extensions: [tables, fenced_code, toc, pymdownx.superfences]",
        "validation: {absolute_links: warn, unrecognized_links: warn, anchors: warn}",
        "nav:",
    ]
    for title, group in groups.items():
        lines += [f"  - {title}:", *(f"      - {page}" for page in group)]
    return "\n".join([*lines, ""])


def main(argv: Sequence[str]) -> int:
    """Build the site."""
    version = argv[1] if argv[:1] == ["--version"] else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "docs"
        site = folder.parent / "site" if version else Path(*argv or [str(ROOT / "site")]).resolve()
        shutil.copytree(ROOT / "docs", folder)
        made = pages()
        for page, text in made.items():
            (folder / page).parent.mkdir(exist_ok=True)
            (folder / page).write_text(text, encoding="utf-8", newline="\n")
        settings = folder.parent / "mkdocs.yml"
        settings.write_text(config(made, folder, site), encoding="utf-8")
        command = ["mkdocs", "build", "--quiet"]
        if version:
            command = ["mike", "deploy", "--update-aliases", version, "latest"]
        programs = os.path.dirname(sys.executable)
        command[0] = os.path.join(programs, command[0])
        command += ["--config-file", str(settings)]
        path = os.pathsep.join((programs, os.environ["PATH"]))  # mike looks for mkdocs there
        code = subprocess.run(command, env={**os.environ, "PATH": path}, check=False).returncode
    if not code:
        print(f"{len(made)} pages in {f'gh-pages, as {version}' if version else site}")
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
