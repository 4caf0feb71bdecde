"""Rules that people give in talk, in several languages, which hold from then on."""

from pathlib import Path

from ctx.read.authored.deontic.reading import Instruction, instructions
from ctx.text.regex import regex
from ctx.text.sentences import is_question, split

_FENCED = regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)")
with (Path(__file__).parent / "talk.txt").open(encoding="utf-8") as _file:
    _LINES = [_line.rstrip("\n").partition(" ") for _line in _file]


def _of(name: str) -> str:
    return "".join(text for head, _, text in _LINES if head == name)


_OPENING = regex(_of("opening"))
_ANYWHERE = regex(_of("anywhere"))
_REPORTED = regex(_of("reported"))
_FOR_NOW = regex(_of("for_now"))
_GENERAL = regex(_of("general"))
_NECESSARY = regex(_of("necessary"))
_FORBIDS = regex(_of("forbids"))
_UNDER = regex(_of("under"))
_POLICY = regex(_of("policy"))
_CHEERS = regex(_of("cheers"))
_RULE_CUES = frozenset({"default", "label"})  # cues of rules alone
_OTHER_CUES = frozenset({"identity", "priority"})  # of talk about somebody, or about taste


def gives_a_rule(talk: str) -> bool:
    """Return whether somebody gives a rule in ``talk`` that is to hold from then on."""
    lines = _FENCED.sub("\n", talk).splitlines()
    own = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
    said = (sentence for line in own.splitlines() for sentence in split(line))
    return any(map(_is_rule, said)) or any(
        _holds(instruction, own[instruction.start : instruction.end])
        for instruction in instructions(own)
    )


def _is_rule(sentence: str) -> bool:
    """Whether a sentence is a rule by its own words, whatever the deontic reader finds in it."""
    text = _plain(sentence)
    return not _is_of_others(text) and bool(_OPENING.match(text) or _ANYWHERE.search(text))


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold().replace("\u2019", "'")


def _is_of_others(text: str) -> bool:
    """Whether a sentence asks, tells what others say, or holds for this moment."""
    return is_question(text) or bool(_REPORTED.match(text) or _FOR_NOW.search(text))


def _holds(instruction: Instruction, sentence: str) -> bool:
    """Whether an instruction in ``sentence`` of talk is meant to hold from then on."""
    cue = instruction.cue
    if instruction.modality == "permitted" or cue in _OTHER_CUES or "```" in sentence:
        return False  # code in a fence was pasted
    text = _plain(sentence)
    if _is_of_others(text):
        return False
    if cue in _RULE_CUES or _NECESSARY.search(text) or _POLICY.search(text):
        return True
    if instruction.modality == "forbidden":
        return bool(_FORBIDS.search(text)) and not _CHEERS.search(text)
    conditional = cue in ("modal", "lead-in") and _UNDER.search(text)
    general = cue != "modal" and _GENERAL.search(text) and not _CHEERS.search(text)
    return bool(conditional or general)
