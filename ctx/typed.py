"""What modules on the path of a packet use of ``typing``, without its price.

To import it takes a fifth of a bare start, and each of eighty records twice as long as one of
``collections``. Type checkers see ``typing`` itself, and so does Python from 3.14 on, where
annotations moved.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import *  # noqa: F403
else:
    from collections import namedtuple
    from operator import attrgetter
    from types import GenericAlias

    Any = BinaryIO = Protocol = Self = object
    TypeVar, get_args = str, attrgetter("__args__")

    class Literal:
        """A type in annotations, with ``__args__``."""

        __class_getitem__ = classmethod(GenericAlias)

    TypeGuard = Literal

    class _Made(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = space.get("__annotations__", {})
            defaults = [space.pop(field) for field in fields if field in space]
            base = namedtuple(name, fields, defaults=defaults)  # noqa: PYI024 - see above
            return type(name, (base,), {**space, "__slots__": ()})

    class NamedTuple(metaclass=_Made):
        """Makes records of the classes below it."""
