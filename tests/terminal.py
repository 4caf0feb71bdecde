"""A terminal to run a command in."""

IN_ONE = """
import os, pty, sys
pid, handle = pty.fork()
if not pid:
    if sys.argv[1]:
        os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 1)
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""A program for ``python -c``: its first argument names a file that standard output goes to
instead, empty for none; the others are the command."""
