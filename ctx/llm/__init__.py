"""How servers and other slow work are asked: addresses, keys, requests, deadlines, errors.

Embedders and summarisers share it. Nothing is imported here: only ``ctx.llm.http`` needs urllib3.
"""
