"""What exists: the files of a context directory as entries."""

from ctx.read.directory import Wanted, places, read, usual
from ctx.read.existing import Existing
from ctx.read.files import Limits

__all__ = ["Existing", "Limits", "Wanted", "places", "read", "usual"]
