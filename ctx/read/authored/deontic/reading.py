"""Whether a paragraph instructs, judged by its words.

A text is cut into sentences, and each word is tagged with what it can be by itself (``clause``,
``lexicon``). One walk keeps the state of the clause and asks the families of constructs in their
order (``commands``, ``duties``, ``labels``); the first that answers is believed; what reports,
weighs or only lists rules nothing. Every family has the one signature ``rule(clause, i) ->
Found | None``. Code, paths and quoted speech are one opaque word each: they can be an object, and
rule nothing themselves.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from ctx.model import Modality
from ctx.read.authored.deontic import commands, duties, labels, languages
from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    BREAK,
    FOLLOWS,
    NOUN,
    Clause,
    Found,
    Rule,
    Sentence,
    sentences,
    tag,
)
from ctx.text.words import words as stems
from ctx.typed import Literal, NamedTuple

_BINDING: tuple[Modality, ...] = ("forbidden", "obligatory", "permitted")
_LONGEST_ACTION = 25
_ENDS = frozenset(("so", "because", "but", "then"))
_UNNAMED = lex.DETERMINERS | lex.BETWEEN | lex.BE | lex.MODALS | {"to", "be", "do"}


class Instruction(NamedTuple):
    """An instruction to the agent."""

    modality: Modality
    start: int  # where its sentence begins, in characters of the text
    end: int  # where its sentence ends
    cue: str  # what showed it, as "modal", "prohibition", "permission", "label"
    action: str  # what is to be done, as stems, behind its condition, if any; empty where unknown
    aside: bool = False  # whether it is in parentheses, behind other words of its sentence


class Reading(NamedTuple):
    """What a paragraph instructs."""

    instructions: tuple[Instruction, ...]  # in the order of the text; empty if it does not instruct

    @property
    def modality(self) -> Modality | Literal[""]:
        """The modality that binds: forbidden over obligatory over permitted."""
        given = {instruction.modality for instruction in self.instructions}
        return next((modality for modality in _BINDING if modality in given), "")

    @property
    def conflicts(self) -> tuple[tuple[Instruction, Instruction], ...]:
        """The same action obliged and forbidden: the first of each, in the order of the text."""
        first: dict[str, dict[str, Instruction]] = {}
        for instruction in self.instructions:
            if instruction.action and instruction.modality != "permitted":
                by_modality = first.setdefault(instruction.action, {})
                by_modality.setdefault(instruction.modality, instruction)
        both = [
            sorted(pair.values(), key=attrgetter("start", "end"))
            for pair in first.values()
            if len(pair) > 1
        ]
        return tuple(sorted([(before, after) for before, after in both]))


SENTENCE = labels.rule  # asked once of a whole sentence
OPENING: tuple[Rule, ...] = (commands.prohibition, commands.imperative)
"""Asked of each word where a clause may open."""
AT_WORD: dict[str, tuple[Rule, ...]] = {}  # asked of the words that a family names
for _words, _rule in (*duties.RULES, *commands.RULES):
    for _word in _words.split():
        AT_WORD[_word] = (*AT_WORD.get(_word, ()), _rule)


def read(text: str) -> Reading:
    """Return what ``text``, one paragraph of Markdown or plain prose, instructs."""
    return Reading(tuple(instructions(text)))


def instructions(text: str) -> Iterator[Instruction]:
    """Yield what a text instructs, in order."""
    for sentence in sentences(text):
        english = [] if languages.is_foreign(sentence) else list(_of_sentence(sentence))
        yield from english
        if not english and not sentence.asks and (foreign := languages.ruled(sentence)):
            yield Instruction(foreign, sentence.start, sentence.end, "modal", "")


def _of_sentence(sentence: Sentence, *, aside: bool = False) -> Iterator[Instruction]:
    if sentence.asks or explains(sentence):
        return
    start, end = sentence.start, sentence.end
    for found in _walk(sentence, aside=aside):
        yield Instruction(found.modality, start, end, found.cue, _action(sentence.words, found))
    for inner in sentence.asides:
        for instruction in _of_sentence(inner, aside=True):
            yield instruction._replace(start=start, end=end, aside=bool(sentence.raws))


def _walk(sentence: Sentence, *, aside: bool) -> list[Found]:
    clause = Clause(sentence, aside=aside)
    if whole := SENTENCE(clause):
        return [whole]
    for i, word in enumerate(sentence.words[: clause.size]):
        if tells_of_self(clause, i):
            break
        rules = AT_WORD.get(word, ())
        if clause.opens(i):
            rules = (*OPENING, *rules)
        if found := next((found for rule in rules if (found := rule(clause, i))), None):
            clause.found.append(found._replace(under=clause.under(found)))
        clause.step(i)
    return [] if lists(clause) else clause.found


def _action(words: Sequence[str], found: Found) -> str:
    """Return condition, subject (unless it is the agent), verb and objects as stems."""
    subject = words[found.subject : found.verb]
    if lex.AGENTS.intersection(subject) or "we" in subject:
        subject = ()
    phrase: list[str] = []
    for word in words[found.verb : found.verb + _LONGEST_ACTION]:
        if not word or tag(word) & BREAK or word in _ENDS:
            break
        phrase.append(word)
    named = [word for word in (*subject, *phrase) if word not in _UNNAMED]
    return " ".join(stems(" ".join((*found.under, *named)))) if named else ""


_LABEL = 6  # words of a label, its mark among them
_BINDS = frozenset(("you", "never", "not"))
_MANY = 3


def tells_of_self(clause: Clause, i: int) -> bool:
    """Whether from word ``i`` on somebody speaks of himself: "As a user, I want to list, …"."""
    opens = not i or clause.tags[i - 1] & BREAK
    binds = clause.raws[i + 1 : i + 2] in (["MUST"], ["SHALL"])  # an agent that speaks of itself
    return bool(clause.words[i] == "i" and opens and not binds and "you" not in clause.words)


def explains(sentence: Sentence) -> bool:
    """Whether it weighs ("Bad, because …", "Option 2: …"), and neither binds nor denies."""
    words = sentence.words
    if words[0] in lex.VERDICTS and "because" in words[1:3]:
        return True
    end = next((i for i in range(1, _LABEL) if words[i] in {":", "—"}), 0)
    choice = words[0] in {"option", "alternative"} and len(words[1]) == 1
    tells = choice or words[0] == "why" or not lex.WEIGHING.isdisjoint(words[:end])
    owed = any(a in lex.AGENTS and b in lex.MODALS - {"can"} for a, b in pairwise(words))
    shouted = not {"MUST", "SHALL", "SHOULD"}.isdisjoint(sentence.raws)
    return bool(end and tells and not (owed or shouted or not _BINDS.isdisjoint(words)))


def lists(clause: Clause) -> bool:
    """Whether commands are but a few of many dashed items: "Images - Upload files - Limits - …"."""
    dashes = [i for i, word in enumerate(clause.words) if word == "—"]
    if len(dashes) < _MANY or not clause.found or dashes[0] > _LABEL:
        return False
    opened = {i + 1 for i in dashes}
    plain = all(
        command.verb in opened
        and clause.tags[command.verb] & NOUN
        and not clause.tags[command.verb + 1] & FOLLOWS
        for command in clause.found
    )
    return plain and 2 * len(clause.found) < len(dashes)
