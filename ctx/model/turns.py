"""A turn of a session, as transcripts tell it and as it is stored."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Mapping
from typing import NamedTuple

_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
"""Names that Windows keeps for devices, whatever follows their first dot."""


class Turn(NamedTuple):
    """One message of a session, as it is stored: a line of JSON."""

    id: str
    """Unique within its session."""
    session: str
    ts: str
    """ISO 8601 as written, empty where the transcript does not say."""
    role: str
    """``user``, ``assistant`` or ``tool``."""
    text: str
    speaker: str = ""
    """A name, where more than one person has the same role."""
    bundle: str = ""
    """Turns of a session that share this name belong together."""
    extra: Mapping[str, object] = {}
    """Fields that ctx does not know, kept as they were."""


FOREIGN = "./sessions"
"""Where sessions lie that came with the repository, relative to the context directory: anyone may
have written them. Those that the user imported are called ``sessions``, and lie elsewhere."""


def session_file(session: str) -> str:
    """Return the name of the file that holds a session, whatever text its id is.

    The id itself where that is a safe name on every system; else what is safe of it and a
    digest. Distinct ids have distinct names, also where upper and lower case are the same.
    """
    import re

    if re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", session) and _is_safe(session):
        return f"{session}.jsonl"
    from ctx.digest import blake2b

    digest = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    # No dots: what stands before the first one could be the name of a device.
    slug = re.sub(r"[^a-z0-9_]+", "-", session.lower()).strip("-_")[:60].rstrip("-_") or "session"
    if _is_uuid(f"{slug}-{digest}"):
        slug += "_"
    return f"{slug}-{digest}.jsonl"


def _is_safe(session: str) -> bool:
    """Whether an id of safe characters is a safe name, and none that a digest could make."""
    import re

    return (
        not session.endswith(".")
        and session.split(".", 1)[0] not in _RESERVED
        and (not re.fullmatch(r".*-[0-9a-f]{12}", session) or _is_uuid(session))
    )


def _is_uuid(name: str) -> bool:
    import re

    return bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name))
