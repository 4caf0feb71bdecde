"""Authored documents: each line is in one node, each node has one tier; and nodes as entries."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from ctx.model import Modality, Tier
from ctx.read import frontmatter
from ctx.read.authored import binding
from ctx.read.authored.deontic import reading as deontic
from ctx.read.authored.imports import without_imports
from ctx.read.card import Card, Parser, dedent, slug, title_of
from ctx.read.markdown.block import Block, introduces, text_of
from ctx.read.markdown.blocks import blocks, chunks, closed
from ctx.text.checkbox import without_marker
from ctx.text.english import words_of
from ctx.text.exported import without_blocks
from ctx.text.outline import extent
from ctx.text.placeholders import is_placeholder
from ctx.text.regex import regex
from ctx.typed import Literal, NamedTuple

Audience = Literal["ctx", "any", "asked", "articles"]
"""Whom a document is written for: ``ctx``: its lists are rules; ``any`` agent: its words decide;
whoever ``asked`` for it: nothing is a rule; all, in ``articles``: prose is, too. Marks overrule."""

TIERS: dict[str, Tier] = {"hard": "hard", "soft": "soft", "variant": "variant"}
MARK = regex(r"(?i)<!--\s*ctx:\s*(\w+)\s*-->")
_ANY_MARK = regex(r"(?i)<!--\s*ctx:\s*(\S(?:[^>]{0,60}[^>\s])??)\s*-->")
_CODE_SPAN = regex(r"`[^`]*`")
BELOW = " › "  # between a heading and the one above it
_TITLE = regex(r"\*\*[^*\n]{1,100}\*\*|__[^_\n]{1,100}__")  # a paragraph that is a title
_KEY = regex(r"([A-Za-z_][\w-]*)\s*:(?:\s|$)")
_DIAGRAM = regex(
    r"\s*(?:(?:flowchart|graph) (?:TB|TD|BT|RL|LR)|sequenceDiagram|stateDiagram)\b"
    r"|\W{0,9}Version\W{1,9}.{1,80}\bRatified\b"
)
_EDGE = regex(r"\s*(?:\w{1,60} ?(?:[\[({].*)?-->|subgraph |end$)")
_ARTICLE = regex(r"(?i)(?:article|principle|[IVX]{1,5}\.|\d{1,2}\.)(?!\w)")
_ARTICLE_LEVEL = 3  # level from which headings of a constitution are articles, others its chapters
_SILENT = frozenset({"heading", "comment", "divider", "definition", "frontmatter"})
"""Nodes without content of their own: a heading is the group of the nodes below it."""
_PROSE = frozenset({"paragraph", "quote", "item"})
INSTRUCTING = words_of("instructing keys")  # keys of frontmatter; dashes count as underscores
_STEERING: dict[str, Audience] = {"always": "ctx", "": "any", "filematch": "any"}


class Node(NamedTuple):
    """A leaf of the document, in source order."""

    tier: Tier
    kind: str  # that of its block, or "item", "frontmatter" or "definition" (of a link)
    start: int  # first line, counted from 0; not blank
    end: int  # one past the last line that is not blank
    group: str = ""  # the text of the heading above it
    lead: str = ""  # an item's introduction, which is also a node of its own
    modality: Modality | str = ""
    introduces: bool = False  # whether it introduces the list after it: it is part of each item


def to_mend(text: str, nodes: Sequence[Node]) -> list[tuple[int, str]]:
    """Return line, from 1, and reason of each mark in ``text`` that has no effect."""
    if "ctx:" not in text:
        return []
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        mark = _ANY_MARK.fullmatch(line.strip()) if "ctx:" in line else None
        if mark and mark[1].lower() not in TIERS:
            from difflib import get_close_matches  # only for the rare mistake

            near = get_close_matches(mark[1].lower().split(maxsplit=1)[0], TIERS, 1)
            if near:  # others are marks of another tool, such as ``ctx:end``
                what = f"ctx:{mark[1]} names no tier; did you mean {near[0]}?"
                found.append((number, what))
    for number, node in enumerate(nodes):
        word = _tier_mark(lines, node)
        if not word:
            found += _misplaced(lines, node)
        elif why := _idle(lines, nodes[number + 1 :]):
            found.append((node.start + 1, f"ctx:{word} {why}"))
    return sorted(found)


def _tier_mark(lines: Sequence[str], node: Node) -> str:
    """Return the tier that a comment gives the next block; empty for other nodes."""
    if node.kind != "comment":
        return ""
    mark = MARK.fullmatch("\n".join(lines[node.start : node.end]).strip())
    return mark[1] if mark and mark[1].lower() in TIERS else ""


def _idle(lines: Sequence[str], after: Iterable[Node]) -> str:
    """Return why a mark before ``after`` overrules nothing; empty where it overrules."""
    for node in after:
        if word := _tier_mark(lines, node):
            return f"overrules nothing: ctx:{word} in line {node.start + 1} follows it"
        if node.kind not in ("comment", "definition"):
            return ""
    return "overrules nothing: no block follows it"


def _misplaced(lines: Sequence[str], node: Node) -> Iterator[tuple[int, str]]:
    """Yield the marks that are not alone between two blocks, without those in code."""
    fenced = False
    for number in range(node.start, node.end):
        fenced ^= lines[number].lstrip("-+* \t").startswith(("```", "~~~"))
        line = _CODE_SPAN.sub("", lines[number])
        mark = None if fenced or node.kind in ("code", "frontmatter") else MARK.search(line)
        if mark and mark[1].lower() in TIERS:
            where = "is inside a list item" if node.kind == "item" else "shares its line"
            why = f"ctx:{mark[1]} {where} and overrules nothing; give it a line before a block"
            yield number + 1, why


def audience_of(path: str, text: str) -> Audience:
    """Return whom a document is written for, by its path; for steering files by ``inclusion``."""
    *folders, name = path.replace("\\", "/").split("/")
    inside = folders[-1:] in ([], [".context"])
    if name == "CONSTITUTION.md" or (inside and name.casefold() == "constitution.md"):
        return "ctx"
    if path.endswith(".specify/memory/constitution.md"):
        return "articles"
    if folders[-1:] == ["steering"] and folders[-2:-1] in ([], [".context"]):
        return _STEERING.get(frontmatter.split(text).front.inclusion, "asked")
    return "any"


def partition(text: str, audience: Audience = "ctx") -> list[Node]:
    """Return the nodes of ``text`` (line ends normalised): disjoint, and together all of it.

    For ``ctx`` a list item is hard, with everything nested in it, and so is a paragraph before
    the list that obliges outright; a block quote is soft, and so is another paragraph that the
    deontic reader promotes. For any agent ``binding`` decides by words. The keys of frontmatter
    that instruct are hard, everything else is variant. ``<!-- ctx:hard -->``, ``soft`` or
    ``variant`` before a block overrule that; before a heading they overrule its whole section.
    What ``ctx export`` wrote is a copy, and a definition here: nothing is read of it.
    """
    lines = text.split("\n")
    head = extent(lines)
    body = "\n".join([*([""] * head), *without_blocks(lines)[head:]])
    found = [
        block._replace(
            start=block.start + chunk.start,
            end=block.end + chunk.start,
            items=tuple(
                item._replace(start=item.start + chunk.start, end=item.end + chunk.start)
                for item in block.items
            ),
        )
        for chunk in chunks(body)
        for block in blocks(chunk.text)
    ]
    return _complete(lines, [*_front(lines, head), *_Reader(lines, audience).nodes(found)])


def _front(lines: Sequence[str], head: int) -> Iterator[Node]:
    """Yield frontmatter in runs of lines that instruct and lines that do not."""
    start, instructs = 0, False
    for number in range(head):
        key = _KEY.match(lines[number])
        now = instructs
        if key:
            now = key[1].casefold().replace("-", "_") in INSTRUCTING
        elif lines[number].rstrip() == "---":
            now = False
        if now != instructs:
            yield Node("hard" if instructs else "variant", "frontmatter", start, number)
            start, instructs = number, now
    if start < head:
        yield Node("hard" if instructs else "variant", "frontmatter", start, head)


class _Reader:
    def __init__(self, lines: Sequence[str], audience: Audience) -> None:
        self.lines = lines
        self.audience = audience
        self.group = ""
        self.sections = [_Section(0, None, "", "", forbids=False)]  # the document's, innermost last
        self.next: Tier | None = None  # tier of the next block, where a comment says so
        self.leads: list[str] = []  # what introduces the next list, the outermost first

    def nodes(self, found: Sequence[Block]) -> Iterator[Node]:
        for number, block in enumerate(found):
            text = text_of(self.lines, block)
            place = self._introduced(found, number)
            if place is None and block.kind != "list":
                self.leads = []
            if block.kind == "heading":
                self._open_section(block)
                yield self._node("variant", block)
            elif block.kind == "comment":
                mark = MARK.fullmatch(text.strip())
                self.next = TIERS.get(mark[1].lower(), self.next) if mark else self.next
                yield self._node("variant", block)
            elif block.kind == "list":
                yield from self._items(block)
                self.leads = self.leads[:-1]
            elif place is not None:
                # ``Do not:`` reverses its items, so it is part of each of them, and has the tier
                # of most of its items. A mark before it overrules the list, too.
                self.leads = [*self.leads[: place - number == 1], text.strip()]
                most = max(TIERS.values(), key=self._of_items(found[place]).count)
                tier = self._marked or most
                node = self._node(tier, block, modality=deontic.read(text).modality)
                yield node._replace(introduces=True)
            elif block.kind in ("paragraph", "quote"):
                modality = deontic.read(text).modality
                torn = [block.kind for block in found[number + 1 : number + 2]] == ["list"]
                tier = self._overruled() or self._of_prose(text, modality, before_list=torn)
                yield self._node(tier, block, modality=modality)
            else:
                yield self._node(self._overruled() or "variant", block)

    def _introduced(self, found: Sequence[Block], number: int) -> int | None:
        """Return the place of the list that a block introduces, by its form or as a bold title."""
        after = [block.kind for block in found[number + 1 : number + 3]]
        if found[number].kind != "paragraph" or not after:
            return None
        text = text_of(self.lines, found[number])
        named = after[0] == "list" and _TITLE.fullmatch(text.strip())
        if named or introduces(self.lines, found, number):
            return number + 1
        if after == ["paragraph", "list"] and introduces(self.lines, found, number + 1):
            return number + 2 if text.rstrip(" *_\n").endswith((":", "：")) else None
        return None

    def _node(self, tier: Tier, block: Block, *, modality: Modality | str = "") -> Node:
        return Node(tier, block.kind, block.start, block.end, self.group, modality=modality)

    def _open_section(self, heading: Block) -> None:
        title = heading.text.strip()
        while heading.level <= self.sections[-1].level:
            self.sections.pop()
        outer = self.sections[-1]
        kind = binding.kind_of(title, outer.kind)
        if kind == "describes" and heading.level == 1:
            kind = ""  # "Project overview", and rules in its sections
        forbids = _forbids(title, outer=outer.forbids)
        above = outer.group if outer.level > 1 else ""  # not the title of the document
        self.group = f"{above}{BELOW}{title}" if above and title else above or title
        tier = self.next or outer.tier
        self.sections.append(_Section(heading.level, tier, kind, self.group, forbids))
        self.next = None

    @property
    def _marked(self) -> Tier | None:
        return self.next or self.sections[-1].tier

    def _overruled(self) -> Tier | None:
        tier, self.next = self._marked, None
        return tier

    def _of_prose(self, text: str, modality: str, *, before_list: bool) -> Tier:
        """Return the tier of prose without a mark; for ``ctx`` "must" goes with the next list."""
        if _DIAGRAM.match(text) or all(map(_EDGE.match, text.split("\n"))):
            return "variant"  # a diagram outside of code, or a constitution's line about itself
        if self.audience == "articles" and not text.startswith(">"):
            is_article = self.sections[-1].level >= _ARTICLE_LEVEL or _ARTICLE.match(self.group)
            if is_article and not binding.gives_reason(text):
                return "hard"
        if self.audience in ("any", "articles"):
            tier = binding.of_paragraph(text, self.sections[-1].kind)
            return "soft" if tier == "variant" and text.startswith(">") else tier
        if self.audience == "asked" or not (modality or text.startswith(">")):
            return "variant"
        return "hard" if before_list and binding.words_of(text).outright else "soft"

    def _of_items(self, block: Block) -> list[Tier]:
        if self.audience != "any":
            tier: Tier = "variant" if self.audience == "asked" else "hard"
            return [tier] * len(block.items)
        texts = ["\n".join(self.lines[item.start : item.end]) for item in block.items]
        return binding.of_items(texts, self.sections[-1].kind, self.leads)

    def _items(self, block: Block) -> Iterator[Node]:
        overruled, lead = self._overruled(), "\n\n".join(self.leads)
        tiers = [overruled] * len(block.items) if overruled else self._of_items(block)
        for item, tier in zip(block.items, tiers, strict=True):
            text = without_marker("\n".join(self.lines[item.start : item.end]).strip())
            forbids = self.sections[-1].forbids
            modality = "forbidden" if forbids else deontic.read(led(lead, text)).modality
            yield Node(tier, "item", item.start, item.end, self.group, lead, modality)


class _Section(NamedTuple):
    """What the heading of a section decides of the blocks below it."""

    level: int
    tier: Tier | None  # the tier that a mark before it gives them; None without one
    kind: binding.Kind
    group: str  # the heading after those above it: "Do NOT › Git"
    forbids: bool  # whether it forbids what a list below it names: "Do NOT"


def _forbids(heading: str, *, outer: bool) -> bool:
    """Return whether a heading ("Do NOT") or an ``outer`` one forbids its items; not "No mocks"."""
    bare = heading.strip(" *_:：")
    own = deontic.read(bare).instructions
    names = "no" in bare.casefold().split()
    if names or any(len(instruction.action.split()) > 1 for instruction in own):
        return False
    if own and all(instruction.modality == "forbidden" for instruction in own):
        return True
    led_in = deontic.read(f"{bare}: use it").modality  # "Never", "Avoid"
    return led_in == "forbidden" or (outer and not own)


def led(lead: str, text: str) -> str:
    """Return an item after its introduction, apart from one that ends with a word, a title."""
    titled = lead[-1:].isalnum() and text.lstrip("*_ ")[:1].isupper()
    return f"{lead}\n\n{text}" if titled else f"{lead} {text}".lstrip()


def _complete(lines: Sequence[str], found: Iterable[Node]) -> list[Node]:
    """Return the nodes without blank edges, and what is between them, such as links, as nodes."""
    nodes: list[Node] = []
    last = 0
    for node in found:
        start, end = _trimmed(lines, max(last, node.start), node.end)
        if start < end:
            nodes += [*_between(lines, last, start), node._replace(start=start, end=end)]
            last = end
    return [*nodes, *_between(lines, last, len(lines))]


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _between(lines: Sequence[str], start: int, end: int) -> Iterator[Node]:
    start, end = _trimmed(lines, start, end)
    if start < end:
        yield Node("variant", "definition", start, end)


def _cards(text: str, audience: Audience = "any") -> Iterator[Card]:
    """Yield the cards of a document: each rule with what it announces, background by heading."""
    text = without_imports(text)
    lines = text.split("\n")
    # Background of one heading is one run; each rule is a run.
    for _, nodes in groupby(
        announced(lines, partition(text, audience)),
        key=lambda node: ("lore", node.group) if node.tier == "variant" else node,
    ):
        run = list(nodes)
        if run[0].tier == "variant":
            stated = [node for node in run if node.kind not in _SILENT]
            yield from _background(
                lines, [node for node in stated if not is_placeholder(_text(lines, node))]
            )
        elif not run[0].introduces:
            yield from _rule(lines, run[0])


def announced(lines: Sequence[str], nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield ``nodes``; a rule that announces the next node is joined with it."""
    taken = False
    leads = {
        lead
        for node in nodes
        if node.lead and _words(dedent(lines[node.start : node.end]), node).strip()
        for lead in node.lead.split("\n\n")
    }
    for node, after in zip_longest(nodes, nodes[1:]):
        if taken:
            taken = False
        elif node.introduces and _text(lines, node).strip() not in leads:
            yield node._replace(introduces=False)  # of items without text
        elif after is not None and _announces(lines, node, after):
            taken = True
            yield node._replace(end=after.end)
        else:
            yield node


def _announces(lines: Sequence[str], node: Node, after: Node) -> bool:
    """Whether a rule ends in a colon before an example or table; an unclosed fence is neither."""
    is_rule = node.tier != "variant" and not node.introduces
    first, last = lines[after.start].strip()[:3], lines[after.end - 1].strip()
    fenced = first in ("```", "~~~")
    closed = not fenced or (last.startswith(first) and after.end - after.start > 1)
    ends_in_colon = lines[node.end - 1].rstrip(" *_").endswith(":")
    return is_rule and ends_in_colon and after.kind in ("code", "table") and closed


def _rule(lines: Sequence[str], node: Node) -> Iterator[Card]:
    body = dedent(lines[node.start : node.end], trailing=True)
    if title := title_of(_words(body, node)):  # else a bullet or a quote without text
        yield Card(
            slug(title), node.tier, title, node.start, node.end - 1,
            body if node.kind == "item" else closed(body),  # the end of an item closes its fences
            group=node.group, lead=node.lead, modality=node.modality,
        )  # fmt: skip


def _words(body: str, node: Node) -> str:
    """Return the text of a rule without its bullet, check box or quote marks."""
    return without_marker(body) if node.kind == "item" else body.lstrip("> \n")


def _background(lines: Sequence[str], run: Sequence[Node]) -> Iterator[Card]:
    group = run[0].group if run else ""
    if not group and not any(node.kind in _PROSE for node in run):
        return  # an example or a table without any sentence before it
    body = closed("\n\n".join(_texts(lines, run)))
    title = group or title_of(without_marker(body).lstrip("> ")) or "(untitled)"
    yield Card(slug(title), "variant", title, run[0].start, run[-1].end - 1, body, group=group)


def _text(lines: Sequence[str], node: Node) -> str:
    return "\n".join(lines[node.start : node.end])


def _texts(lines: Sequence[str], run: Iterable[Node]) -> Iterator[str]:
    """Yield the text of each node; items that follow each other stay a list."""
    for kind, nodes in groupby(run, key=lambda node: (node.kind == "item", node.lead)):
        texts = [_text(lines, node) for node in nodes]
        if kind[0]:
            yield "\n".join(texts)
        else:
            yield from texts


# In one chunk: the mark that overrules a section is before its heading.
AUTHORED = Parser("rule", _cards, reads_front=True)
CONSTITUTION = AUTHORED._replace(cards=lambda text: _cards(text, "ctx"))
ARTICLES = AUTHORED._replace(cards=lambda text: _cards(text, "articles"))
STEERING = AUTHORED._replace(cards=lambda text: _cards(text, audience_of("steering/", text)))
