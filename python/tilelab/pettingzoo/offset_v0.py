"""Offset: two players combine equal piles that lie a fixed offset apart; most coins win."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils import wrappers

from ._aec import TwoPlayerEnv, wrapped


class raw_env(TwoPlayerEnv):
    """Offset without PettingZoo's checks.

    Action 8·(side·row + col) + d moves the pile of a cell: with its own pair p < q, bit 2 of d says
    whether it moves q columns and p rows (0: p columns and q rows), bit 1 whether to the left (0: to
    the right), bit 0 whether up (0: down). Observations: ``observation`` (float32, (3, side, side):
    coins of one's own, of the opponent, of nobody), ``pairs`` (int64, (4,): one's own and the
    opponent's) and ``action_mask``.
    """

    game: ClassVar[str] = "offset"
    metadata: ClassVar[dict[str, Any]] = {
        "name": "tilelab_offset_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def _spaces(self) -> tuple[dict[str, spaces.Space[Any]], int]:
        side = len(self._position["piles"])
        space: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, side * side, (3, side, side), np.float32),
            "pairs": spaces.Box(1, 60, (4,), np.int64),
        }
        return space, 8 * side * side

    def _actions(self) -> list[int]:
        paths = self._session.paths()
        side = len(self._position["piles"])
        rows = paths[:, 2] - paths[:, 0]
        cols = paths[:, 3] - paths[:, 1]
        direction = 4 * (np.abs(cols) > np.abs(rows)) + 2 * (cols < 0) + (rows < 0)
        actions: list[int] = (8 * (side * paths[:, 0] + paths[:, 1]) + direction).tolist()
        return actions

    def _see(self, seat: int) -> dict[str, NDArray[Any]]:
        piles = np.array(self._position["piles"], np.float32)
        owners = np.array([list(row) for row in self._position["owners"]])
        pairs = [[int(part) for part in pair.split(",")] for pair in self._position["pairs"].split(":")]
        coins = np.stack([piles * (owners == owner) for owner in (str(seat), str(1 - seat), ".")])
        return {"observation": coins, "pairs": np.array(pairs[seat] + pairs[1 - seat], np.int64)}


def env(**arguments: Any) -> wrappers.OrderEnforcingWrapper:
    """Offset with PettingZoo's usual checks."""
    return wrapped(raw_env(**arguments))
