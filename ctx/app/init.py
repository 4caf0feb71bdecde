"""``ctx init``: make what is missing of a context directory, each file whole or not at all.

Examples of the format are in comments, so that nothing in a fresh file counts as an entry.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from ctx.app.find import here
from ctx.app.workspace import Workspace
from ctx.config import SETTINGS
from ctx.edit import atomic
from ctx.edit.links import STRICT, Links, make_folder
from ctx.errors import CtxError, FileError

DIRECTORY = ".context"
NEXT = "next: write your rules into .context/CONSTITUTION.md, then run: ctx agent"
FOUND = "next: run ctx agent: its packet is made from these files"


def run(root: str, *, minimal: bool = False, links: Links = STRICT) -> Iterator[str]:
    """Make what is missing of ``root``'s context directory; yield a line for each file.

    Existing files are never changed.
    """
    if not root:
        raise FileError("the working directory is gone", "change to one that is there")
    root = os.path.abspath(root)
    home = os.path.join(root, DIRECTORY)
    texts = files(minimal=minimal)
    if os.path.lexists(home) and not os.path.isdir(home):
        raise FileError(f"{home}: is not a directory", "move it away, then run ctx init again")
    fresh = not os.path.isdir(home)
    make_folder(home, links)
    try:
        spelled = _spellings(home, texts)
        for name, text in texts.items():
            path = os.path.join(home, name)
            made = name not in spelled and atomic.create(path, text.encode(), links=links)
            yield f"{'created' if made else 'kept'} {DIRECTORY}/{spelled.get(name, name)}"
    except BaseException:
        if fresh:  # an empty one would be a context directory that says nothing
            with suppress(OSError):
                os.rmdir(home)
        raise


def beside(workspace: Workspace) -> list[str]:
    """Return a line for each file or folder beside it that is read as well, and what to do next."""
    try:
        context = workspace.read(lambda context: context, own=True)
    except CtxError:
        return [NEXT]
    paths = [(source.origin, source.path) for source in context.sources if source.origin]
    many = Counter((origin, path.rpartition("/")[0]) for origin, path in paths)
    lines = dict[str, None]()
    for origin, path in paths:
        folder = path.rpartition("/")[0]
        count = many[origin, folder]
        name = here(workspace.root, path if count == 1 else folder, workspace.world.cwd)
        what = f"{name} ({origin})" if count == 1 else f"{name}/: {count:,} files"
        lines[f"reads {what}"] = None
    return [*lines, FOUND if lines else NEXT]


def _spellings(home: str, texts: dict[str, str]) -> dict[str, str]:
    """Return how files that exist are spelled: ``Tasks.md`` needs no ``TASKS.md`` beside it."""
    with atomic.explained(home, "read"):
        names = {name.lower(): name for name in os.listdir(home)}
    return {name: names[name.lower()] for name in texts if name.lower() in names}


_CONFIG = """\
# Settings of ctx in this project. Lines that start with # change nothing: each shows a
# default. The later wins: default, user file, this file, CTX_* variable, --flag.
"""

_CORE = ("CONSTITUTION.md", "TASKS.md", "CONVENTIONS.md", "DECISIONS.md", "LEARNINGS.md")
_MORE = ("ARCHITECTURE.md", "GLOSSARY.md")


def files(*, minimal: bool) -> dict[str, str]:
    """Return the files of a new context directory: name to text, in order of importance."""
    texts = {name: form(name) for name in (_CORE if minimal else (*_CORE, *_MORE))}
    return texts if minimal else {**texts, "config.toml": config()}


def form(name: str) -> str:
    """Return what the file ``name`` holds before anything is written into it."""
    with open(os.path.join(os.path.dirname(__file__), "templates", name), encoding="utf-8") as file:
        return file.read()


def config() -> str:
    """Return a settings file that holds every setting at its default, commented out."""
    return _CONFIG + "".join(
        f"\n# {setting.help}: {setting.kind.allowed}.\n"
        f"# {setting.name} = {json.dumps(setting.default)}\n"
        for setting in SETTINGS
        if setting.in_files and setting.project.values
    )
