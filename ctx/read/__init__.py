"""What exists: the files of a context directory as entries."""

from ctx.read.directory import places, read, usual
from ctx.read.files import Limits

__all__ = ["Limits", "places", "read", "usual"]
