"""The families of constructs, in the order in which they are asked, and the walk that asks them.

``SENTENCE`` is asked once of a whole sentence, ``OPENING`` of each word where a clause may open,
``AT_WORD`` of the words that a family names. The first that answers is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.authored.deontic import (
    being,
    default,
    imperative,
    languages,
    modal,
    narrative,
    policy,
    prohibition,
)
from ctx.read.authored.deontic.clause import Clause, Found, sentences
from ctx.read.authored.deontic.lexicon import SAID, SAYS
from ctx.read.authored.deontic.reading import Instruction, action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx.read.authored.deontic.clause import Sentence

    Rule = Callable[[Clause, int], Found | None]

SENTENCE = default.rule
OPENING: tuple[Rule, ...] = (prohibition.rule, modal.permission_rule, imperative.rule)
FAMILIES: tuple[Sequence[tuple[str, Rule]], ...] = (
    modal.RULES,
    being.RULES,
    policy.RULES,
    being.IDENTITY_RULES,
    prohibition.RULES,
    imperative.RULES,
)


def _by_word() -> dict[str, tuple[Rule, ...]]:
    table: dict[str, tuple[Rule, ...]] = {}
    for rules in FAMILIES:
        for words, rule in rules:
            for word in words.split():
                table[word] = (*table.get(word, ()), rule)
    return table


AT_WORD = _by_word()
REPORTING = SAID | SAYS


def instructions(text: str) -> Iterator[Instruction]:
    """Yield what a text instructs, in order."""
    for said in sentences(text):
        found = list(_of_sentence(said))
        yield from found
        if not found and not said.asks and (foreign := languages.ruled(said)):
            yield Instruction(foreign, said.start, said.end, "modal", "")


def _of_sentence(said: Sentence, *, aside: bool = False) -> Iterator[Instruction]:
    if said.asks or narrative.explains(said):
        return
    for found in walk(said, aside=aside):
        yield Instruction(
            found.modality, said.start, said.end, found.cue, action(said.words, found)
        )
    for said_aside in said.asides:
        for one in _of_sentence(said_aside, aside=True):
            yield one._replace(start=said.start, end=said.end)


def walk(said: Sentence, *, aside: bool = False) -> list[Found]:
    """Return the instructions of a sentence, in order."""
    clause = Clause(said, aside=aside)
    whole = SENTENCE(clause)
    if whole:
        return [whole]
    for i, word in enumerate(said.words[: clause.size]):
        if narrative.tells_of_self(clause, i):
            break
        if word in REPORTING and narrative.reported(clause, i):
            break
        found = _asked(clause, i)
        if found:
            clause.found.append(found._replace(under=clause.under(found)))
        clause.step(i)
    return [] if narrative.lists(clause) else clause.found


def _asked(clause: Clause, i: int) -> Found | None:
    if clause.opens(i):
        for rule in OPENING:
            if found := rule(clause, i):
                return found
    for rule in AT_WORD.get(clause.words[i], ()):
        if found := rule(clause, i):
            return found
    return None
