"""The files of a context directory as entries."""

from ctx.read.directory import Wanted, few, places, read
from ctx.read.files import Existing, Limits
from ctx.read.glossary import glossary
from ctx.read.registry import HOSTS, NEAR, chosen

__all__ = [
    "HOSTS",
    "NEAR",
    "Existing",
    "Limits",
    "Wanted",
    "chosen",
    "few",
    "glossary",
    "places",
    "read",
]
