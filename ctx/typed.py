"""What modules on the path of a packet use of ``typing``, without its price.

To import it takes a fifth of a bare start, and each of eighty records ten times what a class takes.
Type checkers see ``typing`` itself, and so does Python from 3.14 on, where annotations moved.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import *  # noqa: F403
else:
    from collections import _tuplegetter, namedtuple
    from operator import attrgetter
    from types import GenericAlias

    Any = BinaryIO = Protocol = Self = object
    TypeVar, get_args = str, attrgetter("__args__")

    class Literal:
        """A type in annotations, with ``__args__``."""

        __class_getitem__ = classmethod(GenericAlias)

    TypeGuard = Literal

    class _Record(tuple):
        """Gets its methods when the first one of its class is made: most classes make none."""

        __slots__ = ()

        def __new__(cls, *values: object, **named: object) -> object:
            _finish(cls)
            return cls(*values, **named)

        @classmethod
        def _make(cls, values: object) -> object:
            _finish(cls)
            return cls._make(values)

    def _finish(cls: type) -> None:
        own = next(one for one in cls.__mro__ if "_fields" in vars(one))
        made = namedtuple(own.__name__, own._fields, defaults=own._field_defaults.values())  # noqa: PYI024 - see above
        for name in vars(made).keys() - vars(own).keys():
            setattr(own, name, vars(made)[name])

    class _Made(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space.get("__annotations__", ()))
            space["_field_defaults"] = {field: space[field] for field in fields if field in space}
            space |= {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            space |= {"__slots__": (), "_fields": fields, "__match_args__": fields}
            return type(name, (_Record,), space)

    class NamedTuple(metaclass=_Made):
        """Makes records of the classes below it."""
