"""Which files of rules apply to files that are worked on, and why."""

from collections.abc import Iterator

from ctx.app.find import here
from ctx.app.walk import limits_of
from ctx.app.workspace import Workspace
from ctx.hosts.sources import REGISTRY
from ctx.model import Context, JsonObject, Mode, Source
from ctx.read import files
from ctx.read.frontmatter import split
from ctx.text.names import masked, shown, shown_line
from ctx.text.scopes import matched
from ctx.text.visible import visible
from ctx.typed import NamedTuple

ALL, FOLDER = "all", "folder"  # dialects of documents for all files, and for those of their folder

_WIDE = 40  # characters of patterns up to which titles begin at the same column


class Rule(NamedTuple):
    """A file of rules."""

    source: str  # its path as it opens from the working directory
    dialect: str  # whose frontmatter gives its scope (``Scope.dialect``); ``all`` where none does
    mode: Mode
    pattern: str  # the one that matches a file; without files all; empty in other modes
    title: str  # its description, its first heading, or its name
    path: str  # relative to the context directory

    @property
    def scoped(self) -> bool:
        """Whether its own patterns decide to which files it applies."""
        return self.mode == "match" and self.dialect != FOLDER

    def as_json(self) -> JsonObject:
        """Return the rule as JSON has it, without the text of its file."""
        return {
            "source": self.source, "scoped": self.scoped, "dialect": self.dialect,
            "mode": self.mode, "pattern": masked(self.pattern), "title": masked(self.title),
        }  # fmt: skip


class Rules(NamedTuple):
    """The files of rules that were asked for."""

    rules: tuple[Rule, ...]  # nearest and first in precedence first
    warnings: tuple[str, ...]  # a line each about what could not be read


def rules_for(workspace: Workspace) -> Rules:
    """Return the files of rules that apply to the files in focus; all of them without any.

    Of the former those that are always included, and those of which a pattern matches a file. Of
    all files also those that somebody has to ask for. Raises FileError where the context directory
    cannot be read.
    """
    focus = workspace.request().focus
    is_all = not focus and workspace.options.focus != []  # which is what git calls unchanged

    def look(context: Context) -> Rules:
        rules = tuple(
            Rule(
                here(workspace.root, source.path, workspace.world.cwd),
                source.scope.dialect if source.scope else ALL,
                source.scope.mode if source.scope else "always",
                pattern, title_of(source), source.path,
            )
            for source in context.sources
            if _has_rules(source)
            and (pattern := _pattern(source, None if is_all else focus)) is not None
        )  # fmt: skip
        return Rules(rules, context.warnings)

    return workspace.read(look)


def _has_rules(source: Source) -> bool:
    if source.origin:
        return all(origin.name != source.origin or not origin.knows for origin in REGISTRY)
    return bool(source.scope) or any(part.kind == "rule" and len(part) for part in source.parts)


def _pattern(source: Source, focus: tuple[str, ...] | None) -> str | None:
    """Return the pattern by which rules apply to ``focus``, else None; all without a focus."""
    scope = source.scope
    if scope is None or scope.mode == "always":
        return ""
    if focus is None:
        found: str | None = ", ".join(scope.patterns)
    else:
        found = next(filter(None, (matched(scope, path) for path in focus)), None)
    return f"{scope.base}/{found}" if scope.base and found else found


def title_of(source: Source) -> str:
    """Return what a file of rules is called: by its description, its first heading or its name."""
    entries = [part.entry(0) for part in source.parts if len(part)]
    first = min(entries, key=lambda entry: entry.line, default=None)
    title = source.scope and source.scope.description
    title = title or (first and (first.group or first.title))
    return title or source.path.rpartition("/")[2]


def text_of(workspace: Workspace, path: str) -> str:
    """Return a file of rules without frontmatter and secrets; empty where it cannot be read."""
    from ctx.read.markdown.blocks import normalise  # not for hooks

    settings = workspace.settings
    limits = limits_of(workspace.request())
    try:
        data = files.checked(workspace.root, path, limits)
    except files.RefusedError:
        return ""  # it was read a moment ago
    text = split(normalise(files.decode(path, data)[0])).text
    if not settings.allow_secrets:
        from ctx.text.secrets import mask  # whose detectors load slowly

        text = mask(text)
    return visible(text).strip()


def lines(rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield a line for each rule, columns apart by two spaces: source, dialect, scope, title."""
    rows = [(shown(one.source), one.dialect, one.pattern or one.mode, one.title) for one in rules]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    widths.append(max((len(row[2]) for row in rows if len(row[2]) <= _WIDE), default=0))
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True))
        yield shown_line("  ".join((*cells, row[3])))
