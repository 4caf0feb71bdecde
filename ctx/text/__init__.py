"""Text analysis: tokens, words, entities, references, similarity, secrets."""


def encodable(text: str) -> str:
    """Return ``text`` with ``?`` for lone surrogates, which no output and no library takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


PATH_LIMIT = 4096  # characters of a path that is believed


def is_path(text: str) -> bool:
    """Return whether a file can have this path: not empty, too long, or with what no name holds."""
    odd = any(char == "\0" or "\ud800" <= char < "\udc80" for char in text[:PATH_LIMIT])
    return 0 < len(text) <= PATH_LIMIT and not odd
