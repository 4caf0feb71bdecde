"""The answer of a model without its thoughts, as a draft."""

from __future__ import annotations

from ctx.model import Draft, SummaryError

MAX_BYTES = 1 << 20
"""Longest answer, in bytes of UTF-8: a thousand times what a summary may be."""

CLOSING = "</think>"
_OPENING = "<think>"


def draft(text: str, who: str, mean_logprob: float | None = None) -> Draft:
    """Return the draft in a model's ``text``, without thoughts before it and space around it.

    Raises SummaryError, which begins with ``who``, where it is over 1 MB, or where nothing is
    left of it.
    """
    whole = text.encode("utf-8", "replace")
    if len(whole) > MAX_BYTES:
        raise too_long(who)
    text = whole.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
    answer = without_thoughts(text)
    if not answer.strip():
        if text.strip():
            raise SummaryError(
                f"{who}: thought, and did not answer: switch its thinking off, or name another"
                " model"
            )
        raise SummaryError(f"{who}: answered nothing: does this model write texts?")
    return Draft(answer.strip(), mean_logprob)


def too_long(who: str) -> SummaryError:
    """Return the error for an answer over the limit."""
    return SummaryError(
        f"{who}: the answer is over {MAX_BYTES >> 20} MB: is this a model that summarises?"
    )


def without_thoughts(text: str) -> str:
    """Return ``text`` without the thoughts that reasoning models put before their answer.

    They are between ``<think>`` and ``</think>``; without an end, all of the text is thoughts.
    Some templates begin them in the prompt: then all up to a line that ends in ``</think>`` is
    thoughts. Marks elsewhere are part of the answer.
    """
    before, closing, after = text.partition(CLOSING)
    if text.lstrip().startswith(_OPENING):
        return after
    ends_line = not after.partition("\n")[0].strip()
    return after if closing and ends_line and _OPENING not in before else text
