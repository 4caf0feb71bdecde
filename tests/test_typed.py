"""Records as ``typing`` makes them, made without it."""

import copy
import pickle
import typing

import pytest

from ctx import typed


class Point(typed.NamedTuple):
    """A place."""

    x: int
    y: "int" = 2  # as text
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y

    def moved(self, by: int) -> "Point":
        """Return a place beside it."""
        return self._replace(x=self.x + by)


class Other(typing.NamedTuple):
    """A place."""

    x: int
    y: "int" = 2  # as text
    names: tuple[str, ...] = ()


def test_it_is_what_typing_makes() -> None:
    one, other = Point(1, names=("a",)), Other(1, names=("a",))
    assert tuple(one) == tuple(other)
    assert (repr(one), one._asdict()) == (repr(other).replace("Other", "Point"), other._asdict())
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__"):
        assert getattr(Point, name) == getattr(Other, name)
    assert Point._make([1, 2, ("a",)]) == one
    assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        setattr(one, "x", 3)  # noqa: B010 - a type checker refuses it, too
    with pytest.raises(TypeError):
        typing.cast("typing.Any", Point)()


def test_it_has_its_own_methods() -> None:
    assert (Point(1).sum, Point(1).moved(2), type(Point(1).moved(2))) == (3, Point(3), Point)


def test_it_can_be_copied_and_stored() -> None:
    one = Point(1)
    assert copy.deepcopy(one) == one
    assert type(pickle.loads(pickle.dumps(one))) is Point  # noqa: S301 - its own


class Shown(typed.NamedTuple):
    """One that shows itself otherwise."""

    x: int

    def __repr__(self) -> str:
        return f"<{self.x}>"


class Below(Shown):
    """One with nothing of its own."""


class First(typed.NamedTuple):
    """One that is made of a sequence first."""

    x: int = 3


def test_what_it_defines_stays() -> None:
    assert (repr(Below(1)), repr(Shown(2)), Below(3)._replace(x=4)) == ("<1>", "<2>", Shown(4))
    with pytest.raises(TypeError):
        First._make([])
    assert (First._make([1]), First()) == ((1,), (3,))


def test_values_of_a_literal() -> None:
    assert typed.get_args(typed.Literal["a", "b"]) == ("a", "b")
