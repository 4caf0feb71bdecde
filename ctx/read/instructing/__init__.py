"""Standing instructions in English talk: sentences about how to do a class of things.

``reader`` reads one turn. The key of an instruction is what is done (``start``, ``write``), and
with which things (``function name``); a later one of its key replaces it (``register``). General
grammar, no list of topics: frames, the verb behind them (``sentence``), its object (``phrase``).
"""
