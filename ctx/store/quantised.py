"""Vectors as signed bytes, and their cosines: sums of whole numbers, exact on any machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bytes = npt.NDArray[np.int8]

UNIT = 127
"""What the greatest component of a vector is kept as."""
EXACT = (1 << 24) // UNIT**2
"""Components up to which a sum of products is exact in single precision."""


def quantised(rows: npt.NDArray[np.float32]) -> Bytes:
    """Return rows as signed bytes: the greatest component of each as 127 or -127."""
    import numpy as np

    most = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    most[most == 0] = 1
    quantised_: Bytes = np.rint(rows / most * UNIT).astype(np.int8)
    return quantised_


def lengths(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the length of each row; of whole numbers exact but for the root."""
    import numpy as np

    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64, optimize=False)
    return np.asarray(np.sqrt(squares))


def cosines(
    products: npt.NDArray[Any], of_rows: npt.NDArray[Any], vector: npt.NDArray[Any]
) -> list[float]:
    """Return inner products as cosines; 0 where one of the two has no length."""
    import numpy as np

    both = of_rows * float(lengths(vector[None, :])[0])
    both[both == 0] = np.inf
    found: list[float] = np.clip(products / both, -1.0, 1.0).tolist()
    return found
