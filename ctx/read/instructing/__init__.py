"""Standing instructions in what users say, in eleven languages.

``own`` takes away what a turn only quotes or pastes and cuts the rest into sentences; ``model``
gives each a logit by a linear model over markers (``markers.txt``), words and places, trained by
``benchmarks/train_instructing.py``; ``reader`` reads one turn, ``register`` all of them: what was
replaced, what was said again, and how strong each instruction is.
"""
