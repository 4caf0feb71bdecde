"""A packet as JSON: one object, one string a line, so that its cost is the sum of its lines."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ctx.model import Entry, Included, JsonObject, Request, Section, SectionName, Selection
from ctx.render import layout
from ctx.text.levels import body_at

KEYS: dict[SectionName, str] = {
    "rules": "constitution", "conventions": "conventions", "decisions": "decisions",
    "learnings": "learnings", "tasks": "tasks",
}  # fmt: skip
OPTIONAL: dict[SectionName, str] = {
    "lore": "lore",
    "elevated": "elevated_guidance",
    "turns": "earlier_turns",
    "tail": "recent_turns",
}  # sections that are in the object only where they have entries: not every directory has them
_PLACED = ("rules", "conventions")  # whose items name no file: a further array has their files
STATES_COST = True
TITLES_HEADING = "[\n\n]\n"  # the array of summaries


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def heading(section: SectionName) -> str:
    """Return the brackets of an array that is not empty, and its key where that can be missing."""
    if section in _PLACED:
        return f'[\n\n]\n"{KEYS[section]}_from": [["CONSTITUTION.md", 10]],\n'
    key = OPTIONAL.get(section)
    return f'"{key}": [\n\n],\n' if key else "[\n\n]\n"


def around_titles(section: SectionName) -> tuple[str, str]:  # noqa: ARG001 - as above
    """Return nothing: titles are in arrays."""
    return "", ""


def group_heading(entry: Entry) -> str:  # noqa: ARG001 - as above
    """Return nothing: an array has no headings."""
    return ""


def around_run(entry: Entry) -> tuple[str, str]:  # noqa: ARG001 - as above
    """Return nothing: an introduction is part of each of its items."""
    return "", ""


def unit(included: Included) -> str:
    """Return one entry at its level, as a line of an array."""
    return f"{_value(included)},\n"


def _value(included: Included) -> str:
    """Return an entry as an item of an array: a text, or an object for turns and summaries."""
    entry = included.entry
    if included.level == "title":
        return _json(layout.titled(included))
    body = body_at(included)
    if entry.kind in ("turn", "summary"):
        when = layout.moment(entry.timestamp)
        head: JsonObject = {"speaker": entry.speaker}
        if entry.status == "partly superseded":
            head["status"] = entry.status
        if entry.kind == "summary":
            head = {"summary": layout.name_of(entry), "turns": entry.covers}
        return _json(head | ({"ts": when} if when else {}) | {"text": body})
    if entry.section in layout.WITHOUT_GROUPS:
        return _json(f"{layout.titled(included)}\n\n{body}".rstrip())
    if entry.kind == "task":
        return _json(f"{entry.lead}\n{body}".lstrip("\n") + f"\n({layout.place(entry)})")
    return _json("\n".join(filter(None, (entry.group, entry.lead, body))))


def omitted(section: SectionName, count: int, places: str) -> str:
    """Return the object that counts the omitted entries, as a line of an array."""
    return f"{_omitted(section, count, places)},\n"


def _omitted(section: SectionName, count: int, places: str) -> str:
    return _json({"what": layout.NOUNS.get(section, section), "count": count, "files": places})


def document(request: Request, selection: Selection, tokens: int) -> str:
    """Return the whole packet; ``tokens`` is the cost that it states."""
    warnings = request.note.split("\n") if request.note else []
    warnings += [f"degraded: {selection.degraded}"] if selection.degraded else []
    files = selection.read_order
    about = ({"for": file.about, "tokens": file.tokens} for file in files)
    omitted = _array(
        "omitted",
        (
            _omitted(section.name, section.omitted, section.omitted_files)
            for section in selection.sections
            if section.omitted
        ),
    )
    if selection.least:
        has_counts = any(section.omitted for section in selection.sections)
        return f"{{\n{omitted}\n}}\n" if has_counts else "{}\n"
    look_up = "" if selection.complete else f" {layout.LOOK_UP}."
    lines = [
        f'"project": {_json(layout.project_name(request))}',
        _array("read_order", (_json(file.path) for file in files)),
        *([_array("read_about", map(_json, about))] if files else []),
        f'"read_more": {selection.read_more}',
    ]
    lines += _sections(request, selection, layout.LASTING)
    lines.append(_array("summaries", _summaries(request, selection)))
    lines += _sections(request, selection, layout.PASSING)
    tokenizer = request.settings.tokenizer.replace("\\", "/")
    lines += [
        f'"instruction": {_json(layout.instruction(selection) + look_up)}',
        omitted,
        _array("warnings", map(_json, [*warnings, *selection.warnings])),
        *_figures(selection),
        f'"degraded": {"true" if selection.degraded else "false"}',
        f'"tokenizer": {_json(tokenizer.rpartition("/")[2])}',
        f'"day": "{request.as_of}"',
        f'"budget": {request.budget}',
        f'"tokens_used": {tokens}',
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _sections(
    request: Request, selection: Selection, names: Sequence[SectionName]
) -> Iterator[str]:
    """Yield the members of ``names`` in their order, without empty ones of ``OPTIONAL``."""
    sections = {section.name: section for section in layout.in_order(request, selection, names)}
    for name in names:
        items = list(_items(sections.get(name)))
        if name in KEYS:
            yield _array(KEYS[name], items)
            if name in _PLACED and items:
                yield f'"{KEYS[name]}_from": {_json(_files(sections[name]))}'
        elif items:
            yield _array(OPTIONAL[name], items)


def _figures(selection: Selection) -> Iterator[str]:
    if selection.news_only:
        gone = [entry._asdict() for entry in selection.revoked]
        delta = {"gone": gone, "unnamed": selection.more_revoked, "forget": selection.forget}
        yield f'"delta": {_json(delta)}'
    if selection.overshoot:
        yield f'"overshoot": {_json(selection.overshoot)}'
    if selection.policy:
        policy: JsonObject = selection.policy._asdict()
        policy["unnamed"] = selection.unpinned
        if selection.unpinned_files:
            policy["unnamed_by_file"] = dict(selection.unpinned_files)
        yield f'"kv_policy": {_json(policy)}'
    if selection.metrics:
        figures = selection.metrics._asdict()
        del figures["planner_ms"]  # it would make every packet different
        figures["top3"] = [{"id": id_, "score": score} for id_, score in figures["top3"]]
        yield f'"metrics": {_json(figures)}'


def _array(key: str, values: Iterable[str]) -> str:
    """Return a member of the object; ``values`` are JSON."""
    inside = ",\n".join(values)
    return f'"{key}": [\n{inside}\n]' if inside else f'"{key}": []'


def _items(section: Section | None) -> Iterator[str]:
    if section is None:
        return
    if section.name == "tail":  # in the order of the session, whatever its turns look like
        yield from map(_value, section.included)
        return
    for runs in layout.grouped(section.included).values():
        for run in runs.values():
            yield from map(_value, run)
    if section.name == "tasks":
        yield from map(_value, section.titles)


def _files(section: Section) -> list[tuple[str, int]]:
    """Return the files of the items in their order, each with how many follow each other."""
    groups = layout.grouped(section.included).values()
    files = (item.entry.path for runs in groups for run in runs.values() for item in run)
    return [(file, len([*same])) for file, same in groupby(files)]


def _summaries(request: Request, selection: Selection) -> Iterator[str]:
    for section in layout.in_order(request, selection, (*layout.LASTING, *layout.PASSING)):
        if section.name != "tasks":
            yield from map(_value, section.titles)
