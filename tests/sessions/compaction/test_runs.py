"""Clusters: section 5 of the source, worked out by hand and for any number of turns."""

from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.compaction import SIZE, cluster_count, cluster_of, normalised

TURNS = st.integers(0, 600)
SIZES = st.integers(-5, 90)


def test_sizes_that_are_not_positive_are_twenty() -> None:
    for size, expected in ((-7, 20), (0, 20), (1, 1), (7, 7), (50, 50)):
        assert normalised(size) == expected, size


def test_counts_by_hand() -> None:
    for n, size, expected in (
        (0, 20, 1), (1, 20, 1), (20, 20, 1), (21, 20, 2), (40, 20, 2), (41, 20, 3), (41, 0, 3),
    ):  # fmt: skip
        assert cluster_count(n, size) == expected, n


def test_places_by_hand() -> None:
    # 5 turns in 2 clusters: ⌊0⌋ ⌊.4⌋ ⌊.8⌋ ⌊1.2⌋ ⌊1.6⌋.
    assert [cluster_of(i, 5, 2) for i in range(5)] == [0, 0, 0, 1, 1]


@given(TURNS, SIZES)
def test_clusters_are_neighbours_of_nearly_the_same_size(n: int, size: int) -> None:
    c = cluster_count(n, size)
    places = [cluster_of(i, n, c) for i in range(n)]
    assert places == sorted(places)
    sizes = [places.count(j) for j in range(c)]
    assert sum(sizes) == n
    assert max(sizes) <= normalised(size)
    assert max(sizes) - min(sizes) <= 1


def test_a_session_of_any_length_is_not_listed() -> None:
    n = 10**18
    c = cluster_count(n)
    assert [cluster_of(i, n, c) for i in (0, 19, 20, 39, 40)] == [0, 0, 1, 1, 2]
    assert cluster_of(n - 1, n, cluster_count(n)) == n // SIZE - 1
