"""Questions about time: sets of dated entries that answer together.

Source: ``temporal-retrieval``, section 9; the symbols and the figures are its own.
"""
