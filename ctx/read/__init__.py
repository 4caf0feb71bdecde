"""The files of a context directory as entries."""

from ctx.read.directory import Wanted, places, read, usual
from ctx.read.files import Existing, Limits

__all__ = ["Existing", "Limits", "Wanted", "places", "read", "usual"]
