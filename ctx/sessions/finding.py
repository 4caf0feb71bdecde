"""The transcripts of a project, where the hosts of agents keep them."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from glob import escape, iglob
from itertools import islice
from typing import NamedTuple

from ctx.model.transcripts import About, Format
from ctx.sessions.compressed import MissingError, opened
from ctx.sessions.transcripts import FORMATS, HEAD_LINES
from ctx.text.json_lines import lines, parse


class Kept(NamedTuple):
    """What one place of a host holds."""

    format: str
    pattern: str  # the absolute path of the files that were looked for, with wildcards
    paths: list[str]  # the transcripts of the project, oldest first
    unread: int = 0  # compressed ones, of any project, that nothing here can read


def kept(
    project: str, home: str, environ: Mapping[str, str], is_here: Callable[[str], bool]
) -> Iterator[Kept]:
    """Yield what each place holds for ``project``; ``is_here`` takes folders, or their digests."""
    for form in FORMATS.values():
        for place in form.places:
            named, found, unread = environ.get(place.variable, ""), list[str](), 0
            if not place.pattern:  # a file of the project itself
                pattern = os.path.join(project, named or place.folder)
                found = [pattern] if os.path.isfile(pattern) else []
            else:
                base = os.path.expanduser(named) or os.path.join(home, place.folder)
                base = os.path.join(project, place.folder) if place.in_project else base
                is_any = place.in_project or form.holds_all
                pattern = os.path.join(base, place.pattern)
                every = iglob(os.path.join(escape(base), place.pattern))
                for path in every:
                    try:
                        if is_any or is_here(_folder(path, form)):
                            found.append(path)
                    except MissingError:
                        unread += 1
            yield Kept(form.name, pattern, sorted(found, key=age), unread)


def age(path: str) -> tuple[int, str]:
    """Return what sorts paths by the time of their last change, oldest first."""
    try:
        return os.stat(path).st_mtime_ns, path
    except OSError:
        return 0, path


def _folder(path: str, form: Format) -> str:
    """Return the folder of a transcript as its first lines tell it; empty where they do not."""
    if not os.path.isfile(path):  # a pipe would be waited for
        return ""
    try:
        with opened(path) as file:
            for line in islice(lines(file), HEAD_LINES):
                folder = form.folder(line.data)
                if folder is None:
                    with suppress(ValueError):
                        pieces = list(form.read(parse(line.data)[0], "-"))
                        every = (one.folder for one in pieces if isinstance(one, About))
                        folder = next(filter(None, every), "")
                if folder:
                    return folder
    except MissingError:
        raise
    except (OSError, EOFError):
        return ""
    return ""
