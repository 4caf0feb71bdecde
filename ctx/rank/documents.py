"""The searched text of an entry: the words that are indexed, and the text that is embedded."""

from itertools import islice

from ctx.model import Entry
from ctx.text.checkbox import BOX
from ctx.text.english import MONTHS
from ctx.text.regex import regex

EMBEDDED_CHARS = 2_000  # characters of a body that are embedded: more would blur what it is about
MOST_ANCHORS = 255  # dates and times of an entry that are counted: a byte holds them
_CHECK_BOX = regex(rf"(?m)^[ \t]*(?:[-*+][ \t]+)?{BOX}[ \t]")  # a letter, no word


def fields(entry: Entry) -> tuple[str, str, str, int]:
    """Return an entry's words for the index, each text stemmed and separated by spaces.

    Those of its title and of its body, the words of both that stemming changes, each once, and the
    number of distinct anchors in its body (``temporal-retrieval`` 9.3). Speaker, day and ``marks``
    of a turn are indexed with its body; heading, file and aliases of others with their title.
    """
    from ctx.rank.marks import marks
    from ctx.rank.temporal.dates import anchors
    from ctx.text.aliases import aliases
    from ctx.text.words import searched_words  # loads the stemmer: for entries that are new only

    when = spoken_date(entry.timestamp)
    dates = sum(1 for _ in islice(anchors(entry.body), MOST_ANCHORS))
    marked: list[str] = []
    if entry.kind in ("turn", "summary"):
        texts = ["", f"{when} {entry.speaker} {entry.body}"]
        if entry.kind == "turn":
            marked = marks(entry.speaker, entry.body)
    else:
        path = entry.source.rpartition(".")[0].replace("/", " ")
        # Also the time as it is written: people paste it from an id.
        head = (entry.title, entry.group, path, when, entry.timestamp, *aliases(entry))
        texts = ["\n".join(head), f"{entry.lead}\n{_CHECK_BOX.sub('', entry.body)}"]
    words = list(map(searched_words, texts))
    title, body = (" ".join([stem for stem, _ in found]) for found in words)
    forms = dict.fromkeys(form for found in words for stem, form in found if stem != form)
    return title, " ".join([body, *marked]), " ".join(filter(None, forms)), dates


def spoken_date(timestamp: str) -> str:
    """Return the day of ``Entry.timestamp`` as people write it: ``8 may 2023``; empty if none."""
    year, _, rest = timestamp[:10].partition("-")
    month, _, day = rest.partition("-")
    if not (month.isdigit() and day.isdigit() and 1 <= int(month) <= len(MONTHS)):
        return ""
    return f"{int(day)} {MONTHS[int(month) - 1]} {year}"


def text(entry: Entry) -> str:
    """Return the text of an entry that is embedded: its title and the beginning of its body."""
    body = entry.body[:EMBEDDED_CHARS]
    if entry.kind == "summary":
        return body
    return f"{entry.speaker}: {body}" if entry.kind == "turn" else f"{entry.title}\n{body}"
