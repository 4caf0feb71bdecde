"""The standing instructions of one turn, sentence by sentence."""

from collections.abc import Iterator, Sequence
from math import log

from ctx.read.instructing import model
from ctx.read.instructing.own import Unit, own, quotations_hidden, sentences
from ctx.read.instructing.topic import names_form, shapes_of, topic_of
from ctx.text.words import index_words
from ctx.typed import NamedTuple

FAINT = -1.0  # logit from which a sentence counts where it repeats or changes an instruction
UNTOLD = -6.0  # the same where one person tells another
CLEAR, UNCLEAR = 160, 1.2  # characters of a clear one, and the most that another one scores
EXPLICIT = 2.0  # the least that a clear form scores
FLOOR, LOW, NOT_LOW = 0.45, -2.5, -0.65  # what it needs by itself, about work, as it begins
ALONE = frozenset({"m^ always", "m^ duty", "pos only"})  # "Always …", and nothing else
MANY, FEW = -0.3, 0.4  # added where the model saw many rows of a language, and few
BEGUN = frozenset({"m^ explicit", "m^ duty"})  # "From now on …", "Always …"
NEVER = frozenset({"m^ always", "m^ ban"})  # "Never …", but not German "nie": Polish has it, too
BARE, WORDS = -2.0, 5  # what that needs, and words of it
LASTING = frozenset({"m scold", "m duty", "m always", "m lasting", "m rule"})
CHANGING = frozenset({"change", "explicit"})
PASSING = frozenset({"m today", "ask", "short"})
LONGEST = 300  # characters of the longest sentence that is taken whole
ECHOES = 12  # turns after an instruction that may repeat it: the answer to it, a summary
_PASTED = 30  # characters of a paste that count
_MOST, _SAID = 4.0, 50  # the most that the model says of what is told, and characters of a sentence
_SHARED = 3  # letters that a stem shares with each of its words


class Read(NamedTuple):
    """A sentence of a turn, with what the model sees in it."""

    unit: Unit
    clauses: list[Unit]
    found: list[model.Features]  # of the sentence, and of each clause
    language: str


class Instruction(NamedTuple):
    """A standing instruction in a text."""

    start: int  # where it begins, in characters of the text
    end: int
    score: float  # the logit
    mode: str  # ``do``, ``avoid`` where it forbids, or ``undo`` where it takes an earlier one back
    changes: bool  # whether it says that something is different from now on
    terms: tuple[str, ...]  # stems of what it is about
    values: tuple[str, ...]  # quotations, names, code and numbers: how it is done
    shapes: dict[str, str]  # how names are to begin and end


def read(text: str) -> Iterator[Read]:
    """Yield the sentences that a user wrote in a turn, with what the model sees in them."""
    mine = quotations_hidden(own(text))
    every = list(sentences(mine))
    if not every:
        return
    language = model.language_of(model.lowered(mine))
    pasted = len("".join(text.split())) - len("".join(mine.split()))
    share = "mostly pasted" if pasted * 2 > len(text) else "some pasted"
    turn = [share] if pasted > _PASTED else []
    last = len(every) - 1
    for at, (unit, clauses) in enumerate(every):
        place = "only" if not last else "first" if not at else "last" if at == last else "mid"
        found = [model.features(mine[unit.start : unit.end], language, [*turn, f"pos {place}"])]
        found += [
            model.features(mine[part.start : part.end], language, [*turn, f"pos {place}", "clause"])
            for part in clauses
        ]
        yield Read(unit, clauses, found, language)


def instructions(text: str, *, told: bool = False) -> Iterator[Instruction]:
    """Yield the standing instructions in the ``text`` of one turn, in order.

    ``told``: one person tells another, and no program works. Much more of that is meant to last,
    most of all what names and comments are to look like; less of long turns and long sentences is.
    The numbers were fitted to half of two sets of dialogues (``docs/benchmarks.md``).
    """
    every = list(read(text))
    before = ""
    for unit, clauses, found, language in every:
        previous, before = before, text[unit.start : unit.end]
        logits = [model.logit(each) for each in found]
        score = (logits[0] + max(logits[1:])) / 2 if clauses else logits[0]
        if not told:
            score += MANY if language == "en" else FEW
        if unit.end - unit.start > LONGEST and clauses:
            unit = clauses[logits.index(max(logits[1:]), 1) - 1]  # noqa: PLW2901 - what is shown
        if unit.end - unit.start > LONGEST:
            continue
        dense = found[0].dense
        kinds = {each[2:] for each in dense if each.startswith("m ")}
        is_undo = "undo" in kinds and "ask" not in dense
        if {"m^ always", "m explicit"} <= dense:  # "always … when I ask": an order about anything
            score = max(score, EXPLICIT)
        written = text[unit.start : unit.end]
        is_told = told and dense.isdisjoint(("ask", "short"))
        if not is_told:
            is_ban = dense >= NEVER and not dense & PASSING and language != "de"
            is_ban = is_ban and score > BARE and len(written.split()) >= WORDS
            score = _settled(score, found, is_long=len(written) > CLEAR)
            score = max(score, EXPLICIT) if is_ban and len(written) <= CLEAR else score
        if score < (UNTOLD if is_told else min(FAINT, -UNCLEAR)) and not is_undo:
            continue
        mode = "undo" if is_undo else "avoid" if "ban" in kinds else "do"
        terms, values = topic_of(written)
        if is_told:
            score = max(-_MOST, min(_MOST, score)) + 6 * names_form(terms) + 2 * bool(values) + 3.5
            less = log(len(every)) * (3 + 2 * max(0.0, log(len(written) / _SAID)))
            score = round(score - less, 2)
        shapes = shapes_of(written, previous)
        changes = bool(kinds & CHANGING)
        yield Instruction(unit.start, unit.end, score, mode, changes, terms, values, shapes)


def is_clear(sentence: str) -> bool:
    """Whether a ``sentence`` has a form of instructions: weak ones without it are mostly tasks."""
    return any(one.score > UNCLEAR for one in instructions(sentence))


def _settled(score: float, found: Sequence[model.Features], *, is_long: bool) -> float:
    """Return a logit that is kept low without a clear form, and high with one."""
    dense = found[0].dense
    is_explicit = "m explicit" in dense or ("m^ always" in dense and "m report" not in dense)
    is_sure = is_explicit and dense.isdisjoint(("ask", "short"))
    if not is_long and (
        ((_is_about_work(found) or (is_sure and dense >= ALONE)) and score > LOW)
        or (is_sure and dense & BEGUN and score > NOT_LOW)
        or ((is_sure or _is_clear(found)) and score > FLOOR)
    ):
        return max(score, EXPLICIT)  # the model saw few of them in each language
    return min(score, UNCLEAR)  # a long sentence is a task with its reasons


def _forbids(found: Sequence[model.Features]) -> bool:
    return "m forbid" in found[0].dense or any("m^ dont" in each.dense for each in found)


def _is_about_work(found: Sequence[model.Features]) -> bool:
    """Whether it forbids or demands something of an agent's work, and not only today."""
    dense = found[0].dense
    is_work = "about work" in dense and not dense & PASSING  # "app" would be a wish for a feature
    return is_work and ("m duty" in dense or _forbids(found))


def _is_clear(found: Sequence[model.Features]) -> bool:
    """Whether it scolds, says what always is, or forbids something for good."""
    dense = found[0].dense
    if dense & PASSING:
        return False
    is_report = "m report" in dense
    if "m always" in dense and dense & {"m declare", "m rule"} and not is_report:
        return True
    lasts = _forbids(found) and bool(dense & LASTING) and not is_report
    return "m app" not in dense and ("m scold" in dense or lasts)


def rows(texts: Sequence[str], place: int, *, told: bool = False) -> Iterator[tuple[object, ...]]:
    """Yield instructions for the parse cache: the fields of ``register.Said`` in order."""
    text = texts[place]
    for given in instructions(text, told=told):
        start, end, score, mode, changes, terms, values, shapes = given
        after = range(place + 1, min(place + 1 + ECHOES, len(texts)))
        echoes = [at for at in after if _repeats(texts[at], terms, values)]
        shown = " ".join(text[start:end].split())
        is_whole = shown == " ".join(text.split())
        yield shown, score, mode, changes, terms, values, echoes, is_whole, shapes, told


def _repeats(text: str, terms: Sequence[str], values: Sequence[str]) -> bool:
    """Whether a sentence of ``text`` names what an instruction is about, and how."""
    low = text[:20_000].lower()
    if not terms or not all(word[:_SHARED] in low for word in (*terms, *values)):
        return False
    for line in low.replace(". ", "\n").split("\n"):
        if {*index_words(line)}.issuperset(terms) and all(value in line for value in values):
            return True
    return False
