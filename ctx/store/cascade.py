"""Search by vectors: short prefixes first, full vectors only where they can change the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy.typing as npt

    Bytes = npt.NDArray[np.int8]
    Floats = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.intp]


UNIT = 127  # the value that the greatest component of a vector is stored as
EXACT = (1 << 24) // UNIT**2  # components whose sum of products is exact in single precision
EPSILON = 1e-8  # ε: prevents a prefix of hardly any length from becoming noise of length 1


def quantised(rows: npt.NDArray[np.float32]) -> Bytes:
    """Return rows as signed bytes: the greatest component of each as 127 or -127."""
    most = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    most[most == 0] = 1
    scaled: Bytes = np.rint(rows / most * UNIT).astype(np.int8)
    return scaled


def lengths(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the length of each row; of whole numbers exact but for the root."""
    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64, optimize=False)
    return np.asarray(np.sqrt(squares))


def cosines(
    products: npt.NDArray[Any], of_rows: npt.NDArray[Any], vector: npt.NDArray[Any]
) -> list[float]:
    """Return inner products as cosines; 0 where one of the two has no length."""
    both = of_rows * float(lengths(vector[None, :])[0])
    both[both == 0] = np.inf
    found: list[float] = np.clip(products / both, -1.0, 1.0).tolist()
    return found


class Tier(NamedTuple):
    """One step of the cascade above the full vectors."""

    dim: int  # components of the prefix
    theta: float  # θ: the search ends here where the best score is over it


TIERS = (Tier(64, 0.65), Tier(256, 0.75))  # l1 and L2, coarse first, with θ of the source's model


def derive(full: Floats, dim: int) -> Floats:
    """Return u_dim = v[:dim] / sqrt(‖v[:dim]‖² + ε²) for each row v of ``full`` (section 4).

    0 for a prefix that is 0 or not finite: it finds nothing. ValueError for an impossible ``dim``.
    """
    if not 1 <= dim <= full.shape[1]:
        raise ValueError(f"no prefix of {dim} components of {full.shape[1]}")
    # In float64: the square of a short float32 vector would vanish.
    prefix = full[:, :dim].astype(np.float64)
    prefix[~np.isfinite(prefix).all(axis=1)] = 0
    norms = np.sqrt(np.einsum("ij,ij->i", prefix, prefix) + EPSILON**2)
    derived: Floats = (prefix / norms[:, None]).astype(np.float32)
    return derived


def search(
    query: Floats, full: Floats, kept: Mapping[int, Floats], tiers: Collection[Tier] = TIERS
) -> tuple[Floats, int]:
    """Return the cosine of each row with ``query``, in [-1, 1], and the components it is by.

    They are of the first tier that is sure enough. Rows of ``full`` are of unit length or 0;
    ``kept`` are their tiers by dimension. A best score over θ ends the search; an absent tier is
    skipped (section 4). ValueError if lengths differ.
    """
    if query.shape != full.shape[1:]:
        raise ValueError(f"a query of {query.shape} components in rows of {full.shape[1:]}")
    for dim, theta in tiers:
        tier = kept.get(dim)
        if tier is None or tier.shape != (len(full), dim):
            continue
        scores = _cosines(tier, query[:dim])
        if scores.max(initial=0) > max(theta, 0):
            return scores, dim
    return _cosines(full, query), full.shape[1]


def graded(query: Floats, full: Floats, kept: Mapping[int, Floats], k: int) -> Floats:
    """Return the cosine of each row, whole for the ``k`` nearest, else as far as ``search``."""
    cosines, dim = search(query, full, kept)
    if dim < full.shape[1]:
        nearest = top(cosines, k)
        cosines[nearest] = _cosines(full[nearest], query)
    return cosines


def _cosines(rows: Floats, query: Floats) -> Floats:
    """Return the cosine of each row with ``query``, in [-1, 1]; 0 for what is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):  # a damaged row: it finds nothing
        scores = rows @ derive(query[None, :], len(query))[0]
    cosines: Floats = np.clip(np.nan_to_num(scores, nan=0, posinf=0, neginf=0), -1, 1)
    return cosines


def top(scores: Floats, k: int) -> Rows:
    """Return the indexes of the ``k`` greatest scores, best first, ties by index."""
    k = max(min(k, len(scores)), 0)
    if k == 0:
        return np.empty(0, np.intp)
    # All over the k-th greatest, and the first of those equal to it: a partition would take any.
    edge = np.partition(scores, len(scores) - k)[len(scores) - k]
    over = np.flatnonzero(scores > edge)
    rows = np.concatenate([over, np.flatnonzero(scores == edge)[: k - len(over)]])
    ordered: Rows = rows[np.lexsort((rows, -scores[rows]))]
    return ordered
