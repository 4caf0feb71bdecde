"""The files of a context directory as entries; modules are imported when they are asked for."""

from importlib import import_module

from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.read.directory import Wanted, few, places, read
    from ctx.read.files import Existing, Limits

_MODULES = {
    "directory": ("Wanted", "few", "places", "read"),
    "files": ("Existing", "Limits"),
}
__all__ = ["Existing", "Limits", "Wanted", "few", "places", "read"]


def __getattr__(name: str) -> object:
    """Return what a module of the package holds under ``name``; AttributeError for nothing."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
