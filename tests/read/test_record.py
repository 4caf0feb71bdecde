"""What is remembered of a file, and taken again: never anything but what parsing would find."""

import re
from functools import partial
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctx.model import CachedFile, CacheLossError, Entry
from ctx.read.card import PARSERS, Parser, parser_of, slug
from ctx.read.columns import Columns
from ctx.read.record import _row_at, cut, known_pieces, parse, record
from ctx.text.visible import visible
from tests.read.samples import said
from tests.read.strategies import texts

MODERATE = settings(max_examples=120)
kinds = st.sampled_from(sorted(PARSERS))
PATH = "DECISIONS.md"


def opened(text: str, kind: str = "decisions", before: Columns | None = None) -> Columns:
    kept, bodies = record(PATH, text.encode(), parser_of(kind), before)
    return Columns(PATH, PATH, kept, partial(bytes, bodies))


def all_of(columns: Columns) -> list[Entry]:
    return [columns.entry(place) for place in range(len(columns))]


def entries(columns: Columns) -> list[tuple[object, ...]]:
    return list(map(said, all_of(columns)))


@MODERATE
@given(texts, texts, st.lists(texts, max_size=2), kinds)
def test_reuse_changes_nothing(one: str, other: str, shared: list[str], kind: str) -> None:
    first = "\n# a\n".join([one, *shared])
    second = "\n# a\n".join([*shared, other])
    parser = parser_of(kind)
    before = known_pieces(opened(first, kind))
    cuts = cut(second, parser.cut_level)
    reused, anew = parse(cuts, parser, before), parse(cuts, parser, {})
    assert [piece.digest for piece in reused] == [piece.digest for piece in anew]
    assert entries(opened(second, kind, opened(first, kind))) == entries(opened(second, kind))


@MODERATE
@given(texts, kinds)
def test_records_survive_being_kept(text: str, kind: str) -> None:
    columns = opened(text, kind)
    if text.startswith("---"):
        return  # frontmatter is taken off before anything is parsed
    parser = parser_of(kind).of(PATH)
    cuts = cut(visible(text), parser.cut_level)
    pieces = parse(cuts, parser, {})
    found = [
        (
            row._replace(anchor="", line=row.line + start, end_line=row.end_line + start),
            body,
            sorted(ids),
        )
        for piece, start in zip(pieces, (chunk.start for _, chunk in cuts), strict=True)
        for row, body, ids in zip(piece.rows, piece.bodies, piece.terms, strict=True)
    ]
    kept = [
        (_row_at(columns, place)._replace(anchor=""), columns.body(place), columns.terms(place))
        for place in range(len(columns))
    ]
    assert [(row, body, sorted(ids)) for row, body, ids in kept] == found
    again = {digest: piece.rows for digest, piece in known_pieces(columns).items()}
    assert again == {piece.digest: piece.rows for piece in pieces}


@MODERATE
@given(texts, kinds)
def test_postings_are_the_terms_of_entries_the_other_way_round(text: str, kind: str) -> None:
    columns = opened(text, kind)
    terms = {place: set(columns.terms(place)) for place in range(len(columns))}
    every = {one for held in terms.values() for one in held}
    expected = {one: [place for place, held in terms.items() if one in held] for one in every}
    found = {term: list(places) for term, places in columns.holding([0, *sorted(every), 2**63])}
    assert found == expected


@MODERATE
@example("# #\n\x0c", "change")  # a heading of marks alone
@given(texts, kinds)
def test_entries_hold_together(text: str, kind: str) -> None:
    found = all_of(opened(text, kind))
    assert len({one.id for one in found}) == len(found)
    count = text.count("\n") + 1
    for one in found:
        assert 1 <= one.line <= one.end_line <= count
        assert "\n" not in one.title
        assert one.title
    if kind in ("tasks", "decisions", "learnings"):
        assert [one.line for one in found] == sorted(one.line for one in found)


def test_an_unchanged_piece_is_not_parsed_again() -> None:
    parsed: list[str] = []

    class Watched:
        kind = parser_of("decisions").kind
        cut_level = parser_of("decisions").cut_level
        reads_front = False

        def of(self, _path: str) -> "Watched":
            return self

        def __call__(self, text: str) -> list[object]:
            parsed.append(text)
            return list(parser_of("decisions")(text))

    blocks = [f"## [2026-01-0{n}] Title {n}\n\nText {n}.\n\n" for n in range(1, 6)]
    before = opened("".join(blocks))
    blocks[2] = blocks[2].replace("Text", "Other text")
    record(PATH, "".join(blocks).encode(), Watched(), before)  # type: ignore[arg-type] # watches
    assert parsed == [blocks[2]]


def test_a_parse_that_is_ended_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.read.record.STEP", 2)
    text = "".join(f"## [2026-01-01] Entry {n}\n\nkey: AKIA{n:016}\n\n" for n in range(40))
    whole = record("D.md", text.encode(), parser_of("decisions"), None, redact_secrets=True)
    known: Columns | None = None
    counts = []
    while True:
        parsed: list[str] = []

        class Counting:
            def __getattr__(self, name: str) -> object:
                return getattr(parser_of("decisions"), name)

            def __call__(self, chunk: str, parsed: list[str] = parsed) -> object:
                parsed.append(chunk)
                return parser_of("decisions")(chunk)

        kept: list[tuple[CachedFile, bytes]] = []

        def keep(one: CachedFile, text: bytes, kept: list[tuple[CachedFile, bytes]] = kept) -> None:
            kept.append((one, text))
            raise TimeoutError

        parser = cast("Parser", Counting())
        try:
            done = record("D.md", text.encode(), parser, known, redact_secrets=True, keep=keep)
        except TimeoutError:
            (partial_, body) = kept[0]
            assert partial_.digest != whole[0].digest
            known = Columns("D.md", "D.md", partial_, partial(bytes, body))
            counts.append(len(parsed))
            continue
        break
    assert done == whole
    assert len(counts) > 3
    assert sum(counts) + len(parsed) < 2 * 41, "what was parsed is not parsed again"


NAMES = ["keep-the-budget", "größe", "決済", "2026-01-02", "2026-01-02-030405"]


def block(name: str, text: str) -> str:
    dated = re.match(r"\d{4}", name)
    return f"## [{name}] Title\n\n{text}\n\n" if dated else f"## {name}\n\n{text}\n\n"


def ids(texts_by_name: dict[str, str]) -> list[str]:
    return [e.id for e in all_of(opened("".join(block(*it) for it in texts_by_name.items())))]


@given(st.permutations(NAMES), st.integers(0, len(NAMES) - 1), st.text("ab\n", max_size=5))
def test_ids_stay_when_another_entry_is_edited_removed_or_moved(
    order: list[str], at: int, text: str
) -> None:
    whole = [f"{PATH}#{slug(name)}" for name in order]
    assert ids(dict.fromkeys(order, "Text.")) == whole
    assert ids(dict.fromkeys(order, "Text.") | {order[at]: f"Text. {text}"}) == whole
    rest = [name for name in order if name != order[at]]
    assert ids(dict.fromkeys(rest, "Text.")) == [f"{PATH}#{slug(name)}" for name in rest]


def test_frontmatter_is_kept() -> None:
    text = (
        "---\nstatus: Draft\ntags: [a, b]\naliases: c, d\nrelated: e\nhop_targets: [f]\n"
        "trust: 1.5\nscope: GLOBAL\nowner: me\nsince: 2026-01-02\n---\n## One\n"
    )
    front = opened(text).front
    assert front == all_of(opened(text))[0].front
    assert front.status == "draft"
    assert front.tags == ("a", "b")
    assert front.aliases == ("c", "d")
    assert front.related == ("e", "f")
    assert front.trust == 1.0
    assert front.scope == "global"
    assert front.extra == {"owner": "me", "since": "2026-01-02"}


def test_text_of_another_length_is_a_lost_promise() -> None:
    kept, text = record(PATH, b"## One\n\nSome words.\n", parser_of("decisions"), None)
    one: Entry = Columns(PATH, PATH, kept, partial(bytes, text + b"x")).entry(0)
    with pytest.raises(CacheLossError):
        _ = one.body
