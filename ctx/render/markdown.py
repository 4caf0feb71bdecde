"""A packet as Markdown; a tokenizer splits between pieces, so that their costs add up."""

from collections.abc import Iterator, Sequence

from ctx.model import Document, Entry, Included, Request, Section, SectionName, Selection
from ctx.render import layout
from ctx.text.levels import body_at, is_prose
from ctx.text.regex import regex
from ctx.text.structure import as_heading, as_item, deeper

_ABOVE: dict[SectionName, str] = {  # the line between a section's heading and its turns
    "tail": layout.QUOTED,
    "turns": layout.QUOTED,
    "elevated": layout.ELEVATED,
}
_LISTS: dict[SectionName, str] = {
    "tasks": "Also open",
    "lore": layout.HEADINGS["lore"],
    "turns": "Earlier turns, quoted",
}  # the texts above lists of titles, where they are not the section's name
_FENCE = "```\n"
_TICKS = regex("`+")
STATES_COST = False
TITLES_HEADING = f"## {layout.NOTED}\n\n"


def head(request: Request, selection: Selection) -> str:
    """Return the title and the notices; nothing in it changes from day to day."""
    text = f"# {as_heading(layout.project_name(request))}\n\n"
    text += "".join(f"> {deeper(line)}\n\n" for line in request.note.split("\n") if line)
    text += f"> {deeper(selection.notice)}\n\n" if selection.notice else ""
    return text + (f"{layout.NEWS}\n\n" if selection.news_only else "")


def read_order(documents: Sequence[Document], more: int) -> str:
    """Return the list of files to read; empty without any."""
    if not documents:
        return ""
    lines = (
        f"{file.path} ({file.tokens:,} tokens){f': {file.about}' if file.about else ''}"
        for file in documents
    )
    items = "".join(f"- {as_item(line)}\n" for line in lines)
    others = f"- … and {more} more file{'s' if more > 1 else ''} there\n" if more else ""
    return f"## Read These Files\n\n{items}{others}\n"


def heading(section: SectionName) -> str:
    """Return a section's heading, and for turns the line that explains them."""
    above = f"{_ABOVE[section]}\n\n" if section in _ABOVE else ""
    fence = f"{_FENCE}{_FENCE}\n" if section == "elevated" else ""  # around the quoted sentences
    return f"## {layout.HEADINGS[section]}\n\n{above}{fence}"


def around_titles(section: SectionName) -> tuple[str, str]:
    """Return the texts above and below a list of titles."""
    name = _LISTS.get(section) or section.capitalize()
    return f"{name}:\n\n", "\n"


def group_heading(entry: Entry) -> str:
    """Return the heading of an entry's group, with the place of its first entry here."""
    place, name = layout.place(entry), entry.group
    named = name and name.title() not in layout.HEADINGS.values()
    return f"### {as_heading(f'{name} ({place})' if named else place)}\n\n"


def around_run(entry: Entry) -> tuple[str, str]:
    """Return the texts above and below the entries that share an introduction."""
    above = f"{entry.lead}\n\n" if entry.lead else ""
    return above, "" if is_prose(entry) else "\n"


def unit(included: Included) -> str:
    """Return one entry at its level."""
    entry = included.entry
    if included.level == "title":
        return f"- {as_item(layout.titled(included))}\n"
    body = body_at(included)
    if entry.kind in ("turn", "summary"):
        return _quoted(entry, body)
    if entry.section in layout.WITHOUT_GROUPS:
        more = "" if body.lstrip("-*+ ") in ("", entry.title) else f"{body}\n\n"
        return f"### {as_heading(layout.titled(included))}\n\n{more}"
    if is_prose(entry):
        return f"{body}\n\n"
    # A check box without a bullet would continue the item above.
    return f"- {body}\n" if body.startswith("[") else f"{body}\n"


def _quoted(entry: Entry, text: str) -> str:
    """Return a turn, or a summary of some, in a fence that nothing inside it can close."""
    when = layout.moment(entry.timestamp)
    noted = f" ({layout.PARTLY})" if entry.status == "partly superseded" else ""
    if layout.is_quote(entry):  # a line of a fence, which no line that begins with a dash closes
        return f"- {when[:10]}{' ' if when else ''}{text}{noted}\n"
    runs = map(len, _TICKS.findall(text))
    fence = "`" * max(3, *(length + 1 for length in runs), 0)
    who, how = entry.speaker, noted
    if entry.kind == "summary":
        who = f"{entry.covers:,} turn{'' if entry.covers == 1 else 's'} in short"
        how = f" (whole: `ctx session expand {layout.name_of(entry)}`)"
    return f"**{who}**{f', {when}' if when else ''}{how}:\n\n{fence}\n{text}\n{fence}\n\n"


def omitted(section: SectionName, count: int, places: str) -> str:
    """Return the item that counts the omitted entries."""
    return f"- {deeper(layout.omitted_line(section, count, places))}\n"


def document(request: Request, selection: Selection, tokens: int) -> str:  # noqa: ARG001
    """Return the whole packet; ``tokens`` are not shown, as they would spoil a cached prefix."""
    if selection.least:
        return "".join(_omitted(selection))
    return "".join(_document(request, selection))


def _omitted(selection: Selection) -> Iterator[str]:
    for section in selection.sections:
        if section.omitted:
            yield omitted(section.name, section.omitted, section.omitted_files)


def _document(request: Request, selection: Selection) -> Iterator[str]:
    yield head(request, selection)
    yield read_order(selection.read_order, selection.read_more)
    for section in layout.in_order(request, selection, layout.LASTING):
        yield from _section(section)
    ungrouped = [each for each in selection.sections if each.name in layout.WITHOUT_GROUPS]
    if any(section.titles for section in ungrouped):
        yield TITLES_HEADING
        for section in ungrouped:
            yield from _titles(section)
    for section in layout.in_order(request, selection, layout.PASSING):
        yield from _section(section)
    if selection.revoked:
        yield f"{layout.GONE}\n\n"
        yield from (
            f"- {as_item(gone.title or gone.id)} ({gone.why})\n" for gone in selection.revoked
        )
        yield f"\n… and {selection.more_revoked} more later\n\n" if selection.more_revoked else "\n"
    counts = "".join(_omitted(selection))
    yield f"---\n\n{layout.instruction(selection)}\n\n"
    if not selection.complete:
        yield f"{layout.LOOK_UP}{':' if counts else '.'}\n\n"
    # What changes with every edit and every day comes last: providers cache prompts by prefix.
    yield f"{counts}\n" if counts else ""
    yield f"Day {request.as_of}{request.clock}, budget {request.budget}.\n"


def _section(section: Section) -> Iterator[str]:
    if section.name in layout.WITHOUT_GROUPS:
        if section.included:
            quoted = [each for each in section.included if layout.is_quote(each.entry)]
            above = heading(section.name)
            yield above.removesuffix(f"{_FENCE}{_FENCE}\n")
            if quoted:
                yield from (_FENCE, *map(unit, quoted), f"{_FENCE}\n")
            yield from map(unit, section.included[len(quoted) :])
        return
    if section.included or section.titles:
        yield heading(section.name)
    for runs in layout.grouped(section.included).values():
        yield group_heading(next(iter(runs.values()))[0].entry)
        for run in runs.values():
            yield around_run(run[0].entry)[0]
            yield from map(unit, run)
            yield around_run(run[-1].entry)[1]  # a list ends in a blank line, prose has its own
    yield from _titles(section)


def _titles(section: Section) -> Iterator[str]:
    if section.titles:
        above, below = around_titles(section.name)
        yield above
        yield from map(unit, section.titles)
        yield below
