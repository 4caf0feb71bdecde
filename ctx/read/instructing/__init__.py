"""Standing instructions in English talk: sentences about how to do a class of things.

``reader`` reads one turn. What an instruction is about is its key: what is done (``start``,
``write``), and with which things (``function name``). A later one of the same key replaces it
(``register``). General grammar, no list of topics: frames that instruct and the verb
behind them (``sentence``), its object and what limits it (``phrase``).
"""
