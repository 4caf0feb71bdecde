"""Questions about time: sets of dated entries that answer together (``temporal-retrieval`` 9)."""
