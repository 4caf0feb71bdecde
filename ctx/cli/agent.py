"""``ctx agent``: print the packet.

An identical call with nothing changed is answered from the store here; only a call
that needs a new packet imports the rooms that make one.
"""

from __future__ import annotations

from ctx.app.build import QUERY_BYTES, in_focus, key_of
from ctx.app.find import find
from ctx.streams import complain, read_in, write_err, write_out

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from ctx.app.options import PacketOptions
    from ctx.store import Record, Store
    from ctx.world import World


def run(options: PacketOptions, world: World) -> int:
    """Print the packet that ``options`` ask for; return the exit code."""
    options = with_query(options)
    root = find(options.dir or "", world, options.focus or ())
    options = in_focus(options, root, world, complain)
    store = world.store(root)
    key = key_of(options, root, world)
    record = store.recall(key)
    if record is None:
        from ctx.app.packet import compose  # the rooms, and what they import

        record = compose(options, root, world, key)
        store = world.store(root)  # made meanwhile
    _deliver(record, store, world)
    return record.code


def with_query(options: PacketOptions) -> PacketOptions:
    """Return ``options`` with the query itself, where it is to be read from standard input."""
    return options.replace(query=query_of("-")) if options.query == "-" else options


def query_of(given: str, name: str = "--query -") -> str:
    """Return the query that was ``given``; for ``-``, called ``name``, standard input."""
    if given != "-":
        return given
    data = read_in(QUERY_BYTES + 1)
    if len(data) > QUERY_BYTES:  # a hook must not lose its rules to a long paste
        complain(f"{name}: only the first {QUERY_BYTES:,} bytes of standard input are looked at")
    return data[:QUERY_BYTES].decode("utf-8", "replace")


def _deliver(record: Record, store: Store, world: World) -> None:
    """Print a packet, unless its session received the very same a moment ago."""
    write_err(record.err)
    quiet = bool(record.session and record.cooldown and store.state)
    now = world.now_ns / 1e9
    if quiet:
        ago = store.seconds_since(record.session, record.out, now)
        if ago is not None and ago < record.cooldown:
            complain(
                f"session {record.session!r} received this packet {ago:.0f} s ago "
                "(--cooldown 0 sends it again)"
            )
            return
    write_out(record.out)
    if record.memory is not None and store.state:
        store.note_received(record.memory)  # only now: what was not written was not received
    if quiet:
        store.note_packet(record.session, record.out, now)
