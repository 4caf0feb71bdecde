"""``ctx session rules``: standing instructions of users, and what replaced them."""

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from ctx.app.options import PacketOptions
from ctx.app.sessions import named
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, locate, readable
from ctx.cli.terminal import write_answer
from ctx.model import WEAK, Context, Entry, JsonObject
from ctx.read import stored
from ctx.read.sessions import FOLDER
from ctx.streams import complain
from ctx.text.names import shown, shown_line


@taking("dir", "json")
def rules(
    options: PacketOptions,
    *,
    session: str | None = None,
    weak: bool = False,
    all_: bool = False,
    json: bool = False,
) -> None:
    """List the standing instructions of users, oldest first, each with its turn.

    Found in English, German, Spanish, Portuguese, French, Italian, Russian, Vietnamese, Chinese,
    Japanese and Korean. A later instruction about the same things replaces an earlier one, also
    across sessions; one that is said again is stronger. Exit codes: 0 success, also
    where there are none, 2 usage or no
    such session, 4 no context directory, 6 a file that cannot be read.
    """
    world, root, state = locate(options)
    with readable(state):
        names = stored.names(state)
        wanted = named(state, session) if session else ""
        ids = {f"{FOLDER}/{name}": shown(stored.identity(state, name)) for name in names}
    if not names:
        complain_of_none(root)

    def look(context: Context) -> tuple[list[JsonObject], list[str]]:
        broken = [line for line in context.warnings if line.startswith(f"{FOLDER}/")]
        given = [entry for entry in context.standing if entry.status != "done"]
        by = {id_: entry for entry in context.standing for id_ in entry.supersedes.split("\n")}
        rows = [
            _row(entry, ids, by)
            for entry in given
            if (all_ or (entry.is_current and (entry.priority == WEAK) == weak))
            and wanted in ("", entry.source.rpartition("/")[2])
        ]
        return rows, broken

    rows, broken = Workspace(options, world, root=root).read(look)
    for warning in broken:
        complain(warning)
    write_answer({"rules": [*rows]}, _lines(rows), as_json=json, ascii_only=True)
    if names and not rows:
        complain(f"no stored turn holds a {'weak ' * weak}standing instruction")


def _row(entry: Entry, ids: Mapping[str, str], by: Mapping[str, Entry]) -> JsonObject:
    session = ids.get(entry.source, entry.source)
    turn = entry.turn_id.partition("#")[2]
    command = f"ctx session show {quote(session)}"
    if not turn.startswith("line-"):  # a turn without an id
        command += f" --turn {quote(turn)}"
    text = entry.title
    row: JsonObject = {
        "text": text, "day": entry.timestamp[:10], "speaker": entry.speaker,
        "session": session, "turn": turn, "command": command,
        "status": entry.status or "in force",
        "strength": "weak" if entry.priority == WEAK else "strong",
    }  # fmt: skip
    if not entry.status:
        row["promote"] = f"ctx add rule {quote(text)}"
    later = by.get(entry.id)
    if later is not None:
        row["superseded_by"] = _row(later, ids, {})
    return row


def _lines(rows: Sequence[JsonObject]) -> Iterator[str]:
    for row in rows:
        yield f"{row['day'] or 'undated':<10}  {shown_line(str(row['text']))}"
        later = row.get("superseded_by")
        if isinstance(later, dict):
            when = f" on {later['day']}" if later["day"] else ""
            yield f"{'':<12}{row['status']}{when}: {shown_line(str(later['text']))}"
        yield f"{'':<12}{row['command']}"
