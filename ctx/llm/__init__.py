"""How a server, or other slow work, is asked: addresses, keys, requests, deadlines, refusals.

Shared by what asks servers for vectors and for texts. Whoever asks says by a ``Client`` what
messages are to name, and which exception they come in. Nothing is imported here: urllib3 is
needed by ``ctx.llm.http`` alone.
"""
