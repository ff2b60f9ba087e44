"""Boards of the catalog's players, with what they did, for learning."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _tilelab
from ._checks import count, flag, path_of, settings_of, whole, word
from .catalog import takes_parameters
from .experiments import SEED
from .observations import encode

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AnyGame

CHUNK_GAMES = 256
"""The games of a chunk."""

Chunk = dict[str, NDArray[Any]]
"""M boards, game by game: ``kinds`` (uint8) and ``numbers`` (float64), both (M, rows, cols), or ``planes``
(float32); ``action_mask`` (int8) and ``values`` (float64, the player's values of the moves, NaN where it has
none), both (M, 4); and (M,) ``action``, ``game``, ``turn`` (int64: the move, the game's index, the moves before),
``return_to_go`` (float64: the sum of the rewards to come) and ``won`` (bool)."""


class Dataset:
    """The boards of games 0 to ``games`` - 1 of a seed and player, in chunks of whole games.

    ``for chunk in dataset`` plays them anew each time, in memory that does not grow with the games.
    """

    def __init__(
        self,
        asked: _tilelab.Asked,
        game: str,
        games: int,
        observation: str,
        values: bool,
        reward: str | None,
        starts: range,
    ) -> None:
        self.cell_key: str = asked.cell_key
        """The key of the cell whose games are played."""
        self.games: int = games
        """The games of all parts."""
        self._asked = asked
        self._game = game
        self._observation = observation
        self._values = values
        self._reward = reward
        self._starts = starts

    def part(self, index: int, count: int) -> Dataset:
        """Every ``count``-th chunk, from number ``index``: disjoint parts for several workers."""
        index, count = whole("index", index), whole("count", count, 1)
        kind = self._game, self.games, self._observation, self._values, self._reward
        return Dataset(self._asked, *kind, self._starts[index::count])

    def __iter__(self) -> Iterator[Chunk]:
        for start in self._starts:
            games = min(CHUNK_GAMES, self.games - start)
            chunk = self._asked.record(start, games, self._values, self._reward)
            if self._observation != "tiles":
                boards = chunk.pop("kinds"), chunk.pop("numbers")
                chunk = {"planes": encode(self._game, self._observation, *boards), **chunk}
            yield chunk

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the boards as a Parquet file, a row each, with pyarrow. Boards are lists in reading order."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        def column(array: NDArray[Any]) -> Any:
            flat = pa.array(array.reshape(-1))
            return flat if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, array[0].size)

        path = Path(path_of("path", path))
        part = path.with_name(f"{path.name}.part")
        writer = None
        try:
            for chunk in self:
                shapes = {name: str(list(array.shape[1:])) for name, array in chunk.items() if array.ndim > 2}
                table = pa.table({name: column(array) for name, array in chunk.items() if len(array)})
                table = table.replace_schema_metadata({"cell": self.cell_key, **shapes})
                writer = writer or pq.ParquetWriter(part, table.schema)
                writer.write_table(table)
            if writer is None:
                raise ValueError("to_parquet: the data set has no boards")
            writer.close()
            os.replace(part, path)
        finally:
            if writer is not None:
                writer.close()
            part.unlink(missing_ok=True)

    def torch(self, batch_size: int | None = None) -> Any:
        """The boards as a ``torch.utils.data.IterableDataset``; see :class:`tilelab.torch.Boards`."""
        from .torch import Boards

        return Boards(self, batch_size)

    def __repr__(self) -> str:
        return f"<tilelab.Dataset {self.cell_key!r}: {self.games} games>"


@takes_parameters
def dataset(
    game: str,
    player: str,
    games: int | float | str = 1000,
    *,
    seed: int = SEED,
    observation: str = "tiles",
    values: bool = True,
    reward: str | None = None,
    **settings: Unpack[AnyGame],
) -> Dataset:
    """The boards that a player of the catalog meets in its games, with its moves and their outcome.

    Games of 67! and 2048, the same as those of ``simulate`` under this seed. ``observation`` and ``reward`` are
    those of the environments; ``values=False`` leaves out the player's values, which may take long to compute. ``settings`` are the
    parameters of the game. Works on all cores.
    """
    number = count(games)
    if number is None:
        raise TypeError("games=None: accepted: a whole number from 1")
    words = settings_of(game, settings, "dataset")
    asked = _tilelab.Asked(game, words, word("player", player), whole("seed", seed))
    reward, values = None if reward is None else word("reward", reward), flag("values", values)
    if word("observation", observation) != "tiles":
        encode(game, observation, np.zeros((0, 1, 1), np.uint8), np.zeros((0, 1, 1)))
    return Dataset(asked, game, number, observation, values, reward, range(0, number, CHUNK_GAMES))
