"""Boards as rows of tiles, from arrays and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .catalog import game_of
from .observations import Tiles

Board = Sequence[Sequence[str | int]]
"""A board: rows of tiles, ``"_"``, ``"+"``, ``"-"``, ``"*"`` or numbers."""

Arrays = Tiles | Mapping[str, NDArray[Any]] | NDArray[Any]
"""N boards as arrays: an observation ``tiles``, or for 2048 numbers (N, rows, cols)."""

SIGNS = ("_", "", "+", "-", "*")
"""The texts of kinds; those of numbers are the numbers."""


def boards_of(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> list[list[list[str]]]:
    """Boards as rows of tiles, from the arrays of an environment (N, rows, cols).

    Raises ``ValueError`` for numbers of 2⁵³ or more, which are rounded in the arrays.
    """
    if np.abs(numbers).max(initial=0) >= 2**53:
        raise ValueError("numbers: one is 2**53 or more and was rounded in the array; tilelab.replay has the exact boards of a game")
    return [
        [
            [str(int(number)) if kind == 1 else SIGNS[kind] for kind, number in zip(*row, strict=True)]
            for row in zip(*board, strict=True)
        ]
        for board in zip(kinds, numbers, strict=True)
    ]


def texts_of(boards: Any) -> list[list[list[str]]]:
    """One board or several as rows of tile texts.

    Accepts rows of tiles, observations (dicts of ``kinds`` and ``numbers``), and for 2048 arrays
    of numbers with 0 for blank cells.
    """
    if isinstance(boards, Mapping):
        kinds, numbers = np.asarray(boards["kinds"]), np.asarray(boards["numbers"])
        return boards_of(kinds.reshape(-1, *kinds.shape[-2:]), numbers.reshape(-1, *numbers.shape[-2:]))
    if isinstance(boards, np.ndarray):
        boards = boards.tolist()
    try:
        is_one = isinstance(boards[0][0], (str, int, float, np.number))
        return [[[_tile(tile) for tile in row] for row in board] for board in ([boards] if is_one else boards)]
    except (TypeError, IndexError, KeyError):
        raise TypeError(f"board={boards!r}: accepted: rows of tiles, such as [['1', '+'], ['_', '2']], or an observation") from None


def arrays_of(game: str, boards: Arrays) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Boards as kinds and numbers (N, rows, cols), from an observation ``tiles`` or, for 2048, numbers."""
    if isinstance(boards, Mapping):
        kinds, numbers = np.asarray(boards["kinds"]), np.asarray(boards["numbers"])
    elif game_of(game).name == "twenty-forty-eight":
        numbers = np.asarray(boards)
        kinds = numbers != 0
    else:
        raise TypeError("boards: a dict of the arrays kinds and numbers is needed, as in the observation tiles")
    if numbers.ndim < 2:
        raise ValueError(f"boards: arrays of shape (N, rows, cols) are needed, {numbers.shape} was given")
    shape = (-1, *numbers.shape[-2:])
    return kinds.astype(np.uint8, copy=False).reshape(shape), numbers.astype(np.float64, copy=False).reshape(shape)


def _tile(tile: Any) -> str:
    if isinstance(tile, (float, np.floating)) and float(tile).is_integer():
        return str(int(tile))
    return str(tile)
