"""Times of turns, as transcripts write them and as they are compared."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # read by hooks, for most of which typing and datetime are not imported
if TYPE_CHECKING:
    from datetime import datetime

    from ctx.model import Json

_MILLISECONDS = 1e11  # from here a number counts milliseconds: as seconds it is the year 5138


def time_of(value: Json) -> str:
    """Return a time as ISO 8601: text as written, a number of the epoch in UTC, None as empty.

    A number counts seconds, or milliseconds from 1e11 up; anything else becomes JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        from datetime import UTC, datetime

        try:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
        except (OverflowError, ValueError, OSError):
            pass
    return json.dumps(value, ensure_ascii=True)


def moment(ts: str) -> datetime | None:
    """Return the time ``ts`` as a datetime, in UTC where it names no zone; None for no time."""
    from datetime import UTC, datetime

    try:
        time = datetime.fromisoformat(ts)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
