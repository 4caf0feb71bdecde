"""A prefilter for the detectors of tokens: lines with random runs, or the header of a key."""

from collections.abc import Iterator

from ctx.text.regex import regex

RUN = 20  # characters of the shortest run in a token
_OF_RUNS = bytes(
    97 if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "+/=\\-_.~") else 32
    for code in range(256)
)  # ``a`` for the characters of runs, which are those of base64 in all its forms; else a space
_HASH = regex(
    r"(?!fc-[0-9a-f]{32}\Z)(?:0x)?(?:(?:[0-9a-f]{1,16}-){0,8}[0-9a-f]{0,128}|(?:[0-9A-F]{1,16}-){0,8}[0-9A-F]{0,128})"
)
_PIECES = regex(r"[A-Za-z0-9]+")
_WORD = regex(
    r"(?:[a-z]{0,32}+|[A-Z]{0,14}+)[0-9]{0,8}|[0-9]{1,4}[A-Za-z]{1,3}|[0-9]{8}T[0-9]{4,6}Z?"
    r"|[a-z]{0,18}+(?>(?:[A-Z]{1,5}+[a-z]{2,18}+){1,12})[A-Z]{0,5}+[a-z]?[0-9]{0,4}"
)  # a part of a name: ``deploy``, ``HTTP2``, ``20260530``, ``4th``, ``readFileSync``
_PLAIN = regex(r"(?>(?:[a-z]{0,32}+[0-9]{0,8}+(?:[^A-Za-z0-9]++|\Z))*)")  # such words alone
_CAMEL = regex(r"[A-Za-z]{0,60}[0-9]{0,4}[a-z]{0,12}")
_CONSONANTS = regex(r"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{7}")
_INITIALS = 3  # letters of which ``TestNoStutter`` has one capital at most; at random, half are
_LEAST_ODD = 12  # letters of no word in a random run: ``context7CompatibleLibraryID`` has none
_ISSUED = regex(
    r"(?:gl[a-z]{1,6}-|[rs]k_(?:live|test)_|rzp_(?:live|test)_|gh[oprsu]_|do[opr]_v1_"
    r"|dckr_[op]at_|sq0[a-z]{3}-|sm_[aps]at_|tskey-|AVNS_|hv[bsr]\.|LTAI"
    r"|(?:hf|api_org)_(?=[A-Za-z]{34}(?![A-Za-z0-9]))|a[ks]-(?=[A-Za-z0-9]{22}(?![A-Za-z0-9_-])))"
    r"(?=[A-Za-z0-9_-]{14})(?=[a-z0-9_-]{0,40}[A-Z])(?=[A-Z0-9_-]{0,40}[a-z])"
    r"(?!WORD(?:[-_]{1,2}WORD){0,9}(?![A-Za-z0-9_-]))".replace(
        "WORD", r"(?:[A-Z]?[a-z]{1,24}|[A-Z]{1,24})[0-9]{0,4}"
    )
)  # beginnings of tokens so short that a random rest is camel case once in some hundred times
_BEFORE = regex(r"(?:(?<![A-Za-z0-9])|\\[nrt]|[0-9]m)\Z")  # escapes of JSON and of terminals
_ACCOUNT = 12  # digits of a number of an account
KEYS = (b"PRIVATE KEY", b"PuTTY-User-Key-File-")
_LONGEST_BEFORE = 200  # characters of a run before a token that are read


def is_random(run: str) -> bool:
    """Whether a run of the signs of tokens is more than words and numbers, and no hash or UUID."""
    if _PLAIN.fullmatch(run) or _HASH.fullmatch(run):
        return False
    odd = [len(piece) for piece in _PIECES.findall(run) if not is_word(piece)]
    if sum(odd) >= _LEAST_ODD:
        return True
    issued = _ISSUED.search(run)
    return issued is not None and _BEFORE.search(run, 0, issued.start()) is not None


def is_word(piece: str) -> bool:
    """Whether ``piece`` is one word, or several as code joins them."""
    return _WORD.fullmatch(piece) is not None or (
        _CAMEL.fullmatch(piece) is not None
        and sum(map(str.isupper, piece)) * _INITIALS <= len(piece)
        and _CONSONANTS.search(piece) is None
    )


def _runs(text: str, raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield where random runs of ``RUN`` characters and more begin and end in ``text``."""
    flat, least = raw.translate(_OF_RUNS), b"a" * RUN
    at = flat.find(least)
    while at >= 0:
        end = flat.find(b" ", at)
        end = len(flat) if end < 0 else end
        if is_random(text[at:end]) or (raw[at - 1 : at] == b":" and _is_numbered(raw, at)):
            yield at, end
        at = flat.find(least, end)


def _is_numbered(raw: bytes, at: int) -> bool:
    """Whether a number of the form of an account's stands before what is behind a colon."""
    return at > _ACCOUNT and raw[at - 1 - _ACCOUNT : at - 1].isdigit()


def is_of_run(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is part of a random run."""
    first = max(0, start - _LONGEST_BEFORE)
    near = text[first : max(end, start + RUN) + RUN]
    found = _runs(near, flat(near))
    return any(begins + first < end and start < ends + first for begins, ends in found)


def flat(text: str) -> bytes:
    """Return ``text`` with a byte for each character, which is fast to search."""
    return text.encode("latin-1", "replace")


def places(text: str, raw: bytes | None = None) -> list[int]:
    """Return offsets in ``text``, in order, near which tokens and private keys could be."""
    raw = flat(text) if raw is None else raw
    found = [start for start, _ in _runs(text, raw)]
    return sorted([*found, *(at for key in KEYS for at in every(raw, key))])


def every(raw: bytes, word: bytes) -> Iterator[int]:
    """Yield where in ``raw`` ``word`` begins."""
    at = raw.find(word)
    while at >= 0:
        yield at
        at = raw.find(word, at + 1)
