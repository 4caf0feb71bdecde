"""Text analysis: tokens, words, entities, references, similarity, secrets."""


def encodable(text: str) -> str:
    """Return ``text`` with ``?`` for lone surrogates, which no output and no library takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
