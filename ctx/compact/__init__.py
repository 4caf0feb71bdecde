"""Turns become summaries: which belong together, what is said of them, and how well it stands."""

from ctx.compact.abstractive import Abstractive
from ctx.compact.clean import clean
from ctx.compact.clusters import SIZE, count, index, normalised, starts
from ctx.compact.extractive import Extractive
from ctx.compact.melt import Melted, melt
from ctx.compact.quality import decay

__all__ = [
    "SIZE",
    "Abstractive",
    "Extractive",
    "Melted",
    "clean",
    "count",
    "decay",
    "index",
    "melt",
    "normalised",
    "starts",
]
