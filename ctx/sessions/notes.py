"""What a coding session holds: what was asked, changed, decided, what failed, what is open.

Read from its turns: files from calls that edit, failures from the output of tools, open steps from
lists of things to do, the rest from sentences of people and the agent by their wording. What is
none of these, such as code, listings and "Let me look at …", has no note.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctx.hosts import calls
from ctx.model import Json, Turn, Utterance
from ctx.read.turns import ANNOUNCES
from ctx.text.regex import regex
from ctx.text.secrets import mask
from ctx.text.sentences import LONGEST, pieces
from ctx.text.words import STOPS, index_words

KINDS = ("asked", "changed", "decided", "failed", "open")
"""The kinds of notes, in the order of a summary."""
MOST_FAILURES = 2  # lines of a tool's output that are notes: the last ones that name an error
_LEAST, _LEAST_UNMARKED = 2, 4
"""Distinct words that mean something, of which a sentence has at least as many; and one
whose place alone makes it a note."""
_END, _MOST_ERRORS = 1_200, 10
"""Characters of each end, and errors between them, that are kept of a long output."""
_MOST_OUTPUT = 64 * 1024  # characters at the end of a tool's output that are read
_CALL = regex(r"\[(?:\w{1,20}_)?tool_use ([^\]\n]{1,80})\] ?")
_STEPS = ("content", "step", "title", "task")
_DONE = frozenset({"completed", "done", "cancelled", "canceled"})
_ERROR = regex(
    r"(?i)^(?:E  +)?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Violation|Timeout)\b.{0,3}: ?\S"
    r"|\bFAILED \S|^-+ FAIL\b|\bpanic(?:ked at|:)|\b(?:error|fatal|npm ERR!)(?:\[\w+\])?:?\s+\S"
    r"|^E  +\S|\b(?:undefined|undeclared|unresolved|no such file|not found|permission denied"
    r"|(?:can|could) ?not|couldn't|timed out|segmentation fault)\b.*\S"
)
_NO_ERROR = regex(r"(?i)\b(?:0|no) (?:errors?|failed|failures)\b")
_REASON = regex(r"(?i)\b(?:because|since|so that|as it|weil|damit|da)\b")
_WORDING = {
    "decided": (
        r"decid(?:e|ed|ing)|decision|(?:go|went|going|stick|stay|stuck) with|agreed|settled on"
        r"|let's (?:use|keep|treat|go|make|call|do it)|instead of|in place of|rather|chose|chosen"
        r"|opted?|(?:was|were|is|are) rejected|from now on|in favou?r of|won't (?:support|do|use)"
        r"|stays?|no longer|no, (?:use|we|it)|^(?:please |just )?(?:use|keep)|^so the"
        r"|entschieden|entscheidung|statt|stattdessen|lieber|ab jetzt|^nimm"
        r"|plutôt|au lieu de|décidé|en lugar de|decidido"
    ),
    "open": (
        r"to-?do|fixme|remain(?:s|ing)|left (?:to do|for|out)|yet to|later|follow-?ups?|pending"
        r"|(?:not|n't) (?:yet|verif\w+|tested?|checked|been|run|done|get to)|tomorrow|out of scope"
        r"|(?:i|we)'d (?:[\w'-]+ ){1,6}next|next (?:session|steps?|up|thing|time)|unresolved"
        r"|open (?:question|point|issue|is)|blocked (?:on|by)|waiting (?:for|on)|unfinished"
        r"|haven't|nobody has|(?:couldn't|could not) (?:verify|test|check)|until"
        r"|leave (?:it|that|those|this)|(?:have|got|gotta|need) (?:to )?ask"
        r"|offen|noch (?:nicht|das|die|der|zu)|morgen|später|reste à|à faire|pendiente|falta"
    ),
    "needed": (
        r"still \w+|needs? (?:to be|a|your|the)|ha(?:s|ve) to be|muss|müssen|il faut|hay que"
    ),
    "failed": (
        r"fail(?:s|ed|ing|ure)?|\w+(?:error|exception)|errors?|crash(?:es|ed)?|broke|breaks?"
        r"|broken|root cause|(?:the|its|their) (?:cause|culprit|problem|issue|bug|reason)|caused"
        r"|turn(?:s|ed) out|(?:did|does|do|is|was|could)(?:n't| not) (?:work|help|hold|compile"
        r"|exist|start|fit|match)|time[ds]? out|timeout|deadlocks?|leaks?|refuse[sd]|drop(?:s|ped)"
        r"|lost|loses|silently|(?:which|that) is why|that's why|hence|missing|regress\w*"
        r"|ursache|fehler|fehlgeschlagen|schlägt|kein\w*|cause|échou\w+|erreur|causa|falla|falló"
    ),
    "changed": (
        r"^(?:(?:done|fixed)[.:] )?(?:(?:i|we)(?:'ve| have)? )?(?:now |just |also )?(?:added"
        r"|changed|renamed|removed|moved|replaced|updated|fixed|implemented|created|wrote|rewrote"
        r"|extracted|split|deleted|refactored|switched|bumped|migrated|converted|merged|committed"
        r"|reverted|patched|introduced|made)|now \w+s|(?:is|are) now|(?:läuft|ist|sind) jetzt"
        r"|from \d\S* to \d|(?:in|to|under) \d[\d.,]* (?:s|ms|seconds|minutes|%)"
    ),
}
"""Words by which a sentence is of a kind; where several match, the first kind counts. What is
``needed`` is asked by a person, and open for the agent."""
_ASKS = regex(
    r"(?i)[?？؟]\W{0,8}$|\b(?:please|pls|plz|can you|could you|i'd like|i want|we want|i need"
    r"|we need"
    r"|should|must|ha(?:s|ve) to|let's|make sure|don't|do not|never|bitte|soll|sollen|muss"
    r"|peux-tu|il faut|por favor|hay que)\b|请|請|ください"
)


_KINDS = {kind: regex(rf"(?i)(?<!\w)(?:{words})(?!\w)") for kind, words in _WORDING.items()}
Spoken = Turn | Utterance


class Note(NamedTuple):
    """A statement about the work."""

    kind: str  # one of ``KINDS``
    text: str  # a sentence or line of a turn; paths where files were changed


class Step(NamedTuple):
    """What a turn asked or did; its fields are those of the line of JSON."""

    turn: str
    ts: str
    branch: str
    cwd: str
    asked: str = ""  # the first line of what a person wrote; empty for a call
    read: Sequence[str] = ()  # files
    changed: Sequence[str] = ()
    ran: str = ""  # the command
    ended: str = ""
    """How a call ended, ``ok`` or ``failed``; empty where the transcript has no result."""


def is_work(turns: Iterable[Spoken]) -> bool:
    """Return whether an agent called tools in these turns."""
    return any(_CALL.match(turn.text) for turn in turns)


def notes(turns: Sequence[Spoken]) -> list[Note]:
    """Return what ``turns`` state about the work, nothing twice, by kind and in order."""
    found: list[Note] = []
    steps: list[Note] = []
    paths: dict[str, None] = {}
    failed = edited = False
    reports = _reports(turns)
    for place, turn in enumerate(turns):
        if call := _CALL.match(turn.text):
            given = calls.parsed(turn.text[call.end() :])
            edits = dict.fromkeys(calls.changed(call[1], given))
            paths, edited = paths | edits, edited or bool(edits)
            steps = _steps(given) or steps
        elif turn.role == "tool":
            failures = _failures(turn.text)
            found, failed = found + failures, bool(failures)
        else:
            # What follows a failure explains it, and what ends the work on a request reports it.
            usual = "failed" if failed else "changed" if edited and place in reports else ""
            found += _stated(turn, usual if turn.role == "assistant" else "")
            failed = False
            edited = edited and turn.role == "assistant"
    found += steps
    found += [Note("changed", line) for line in _listed(paths)]
    return sorted(dict.fromkeys(found), key=lambda note: KINDS.index(note.kind))


def changed(turn: Spoken) -> list[str]:
    """Return the files that a turn changes by a call of a tool; none of other turns."""
    call = _CALL.match(turn.text)
    return calls.changed(call[1], calls.parsed(turn.text[call.end() :])) if call else []


def steps(turns: Iterable[Turn]) -> list[Step]:
    """Return what people asked, and the calls that read, change or run something, in order."""
    found: list[Step] = []
    open_calls: dict[str, int] = {}
    where = ("", "")
    for turn in turns:
        where = (str(turn.extra.get("branch", where[0])), str(turn.extra.get("cwd", where[1])))
        step = Step(turn.id, turn.ts, *where)
        if turn.role == "tool" and turn.bundle in open_calls:
            place = open_calls.pop(turn.bundle)
            failed = turn.extra.get("is_error") is True
            found[place] = found[place]._replace(ended="failed" if failed else "ok")
        elif call := _CALL.match(turn.text):
            done = _done(step, call[1], calls.parsed(turn.text[call.end() :]))
            if done != step:
                open_calls[turn.bundle] = len(found)
                found.append(done)
        elif turn.role == "user":
            found.append(step._replace(asked=turn.text.strip().partition("\n")[0][:LONGEST]))
    return found


def _done(step: Step, tool: str, given: Json) -> Step:
    if changes := calls.changed(tool, given):
        return step._replace(changed=tuple(changes))
    ran = calls.command(given)
    return step._replace(ran=ran, read=() if ran else tuple(calls.files(given)))


def _reports(turns: Sequence[Spoken]) -> set[int]:
    """Return the places of what the agent wrote last before a person answers."""
    places, is_report = set(), False
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.role == "assistant" and not _CALL.match(turn.text):
            places |= {place} if is_report else set()
        else:
            is_report = turn.role == "user"
    return places


def _steps(given: Json) -> list[Note]:
    """Return the steps that are not done of a list of things to do, which a call sets."""
    lists = given.values() if isinstance(given, dict) else ()
    steps = next((value for value in lists if isinstance(value, list)), [])
    found = []
    for step in steps:
        status = step.get("status") if isinstance(step, dict) else None
        if isinstance(step, dict) and isinstance(status, str) and status not in _DONE:
            text = next((text for name in _STEPS if isinstance(text := step.get(name), str)), "")
            found += [Note("open", " ".join(text.split())[:LONGEST])] if text.strip() else []
    return found


def _failures(text: str, most: int = MOST_FAILURES) -> list[Note]:
    lines = [
        " ".join(line.split())[:LONGEST]
        for line in text[-_MOST_OUTPUT:].splitlines()
        if _ERROR.search(line) and not _NO_ERROR.search(line)
    ]
    return [Note("failed", line) for line in lines[-most:]]


def ends_and_errors(text: str) -> str:
    """Return a long output without what is between its ends, but for lines that name errors.

    Secrets are redacted first: a part of one could not be recognised.
    """
    text = mask(text)
    head, tail = text[:_END].rpartition("\n")[0], text[-_END:].partition("\n")[2]
    head, tail = head or text[:_END], tail or text[-_END:]
    middle = text[len(head) : len(text) - len(tail)]
    errors = [note.text for note in _failures(middle, _MOST_ERRORS)]
    left_out = f"[{len(middle) - sum(map(len, errors)):,} characters left out]"
    return "\n".join((head, left_out, *errors, tail.lstrip("\n")))


def _stated(turn: Spoken, usual: str) -> Iterator[Note]:
    """Yield the notes in what a person or the agent wrote.

    A statement whose wording is of no kind is of the ``usual`` one, if there is one.
    """
    asked = False
    for text, code in pieces(turn.text):
        kind, words = "" if code else _kind(text), len(set(index_words(text)) - STOPS)
        if not (
            kind or code or words < _LEAST_UNMARKED or ANNOUNCES.match(text) or _ASKS.search(text)
        ):
            kind = usual
        if kind == "needed":
            kind = "asked" if turn.role == "user" else "open"
        if turn.role == "user" and not code and kind in ("", "changed", "failed"):
            # What a person states first is the request, also without words that ask.
            is_first = not (kind or asked) and words >= _LEAST_UNMARKED
            kind = "asked" if is_first or _ASKS.search(text) else kind
        asked = asked or kind == "asked"
        if kind and words >= _LEAST:
            yield Note(kind, text)


def _kind(sentence: str) -> str:
    """Return the kind of a sentence by its wording; empty for the announcement of a step.

    One with a reason is a choice, and one that is put off is open.
    """
    kind = next((kind for kind, words in _KINDS.items() if words.search(sentence)), "")
    if kind not in ("decided", "open") and ANNOUNCES.match(sentence):
        return "decided" if _REASON.search(sentence) else ""
    return kind


def _listed(paths: Iterable[str]) -> Iterator[str]:
    """Yield ``paths`` in lines that are no longer than a sentence."""
    line = ""
    for path in paths:
        if line and len(line) + len(path) > LONGEST:
            yield line
            line = ""
        line += f"{', ' if line else ''}{path}"
    if line:
        yield line
