"""Data sets of boards for PyTorch::

    from torch.utils.data import DataLoader

    boards = tilelab.dataset("67", "greedy", games=10_000, size="6x7", observation="planes").torch(batch_size=1024)
    for batch in DataLoader(boards, batch_size=None, num_workers=2):
        ...
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.utils.data import IterableDataset, get_worker_info

from .datasets import Dataset


class Boards(IterableDataset[dict[str, torch.Tensor]]):  # type: ignore[misc]
    """Batches of boards, dicts of tensors as in :data:`tilelab.datasets.Chunk`, without copies.

    Give it to a ``DataLoader`` with ``batch_size=None``; several workers share the games. ``batch_size`` boards stay
    together, in the order of the games (fewer at the end of a chunk of 256 games); ``None``: whole chunks.
    """

    def __init__(self, dataset: Dataset, batch_size: int | None = None) -> None:
        self.dataset = dataset
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        part = self.dataset if worker is None else self.dataset.part(worker.id, worker.num_workers)
        for chunk in part:
            tensors = {name: torch.from_numpy(array) for name, array in chunk.items()}
            size = self.batch_size or len(chunk["action"])
            for start in range(0, len(chunk["action"]), size):
                yield {name: tensor[start : start + size] for name, tensor in tensors.items()}
