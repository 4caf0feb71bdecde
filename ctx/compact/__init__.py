"""Turns become summaries: which belong together, what is said of them, and how well it stands."""

from ctx.compact.abstractive import Abstractive
from ctx.compact.clean import clean
from ctx.compact.clusters import SIZE, count, index, normalised
from ctx.compact.extractive import Extractive
from ctx.compact.melt import Melted, melt

__all__ = [
    "SIZE",
    "Abstractive",
    "Extractive",
    "Melted",
    "clean",
    "count",
    "index",
    "melt",
    "normalised",
]
