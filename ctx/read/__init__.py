"""The files of a context directory as entries."""

from ctx.read.directory import Wanted, places, read
from ctx.read.files import Existing, Limits
from ctx.read.glossary import glossary
from ctx.read.instructing.register import turn_of
from ctx.read.registry import chosen

__all__ = ["Existing", "Limits", "Wanted", "chosen", "glossary", "places", "read", "turn_of"]
