"""Boards as rows of tiles, from arrays and lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._checks import array
from .catalog import game_of
from .observations import NUMBER, Tiles

Board = Sequence[Sequence[str | int]]
"""A board: rows of tiles, ``"_"``, ``"+"``, ``"-"``, ``"*"`` or numbers."""

Arrays = Tiles | Mapping[str, NDArray[Any]] | NDArray[Any]
"""N boards as arrays: an observation ``tiles``, or for 2048 numbers (N, rows, cols)."""

SIGNS = ("_", "", "+", "-", "*")
"""The texts of kinds; those of numbers are the numbers."""

GAMES = ("sixty-seven", "twenty-forty-eight")
"""The games that can start on a given board."""


def boards_of(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> list[list[list[str]]]:
    """Boards as rows of tiles, from the arrays of an environment (N, rows, cols).

    Raises ``ValueError`` for numbers of 2⁵³ or more, which are rounded in the arrays.
    """
    kinds, numbers = _tiles(kinds, numbers)
    unknown = kinds[kinds >= len(SIGNS)]
    if unknown.size:
        raise ValueError(f"kinds: {unknown[0]} is not a kind; accepted: whole numbers from 0 to {len(SIGNS) - 1}")
    parts = numbers[(kinds == NUMBER) & (numbers != np.floor(numbers))]
    if parts.size:
        raise ValueError(f"numbers: {parts[0]} is not a whole number")
    if np.abs(numbers).max(initial=0) >= 2**53:
        raise ValueError("numbers: one is 2**53 or more and was rounded in the array; tilelab.replay has the exact boards of a game")
    return [
        [
            [str(int(number)) if kind == NUMBER else SIGNS[kind] for kind, number in zip(*row, strict=True)]
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
        return boards_of(*_parts(boards))
    if isinstance(boards, np.ndarray):
        boards = boards.tolist()
    try:
        is_one = isinstance(boards[0][0], (str, int, float, np.number))
        return [[[_tile(tile) for tile in row] for row in board] for board in ([boards] if is_one else boards)]
    except (TypeError, IndexError, KeyError):
        raise TypeError(f"board={boards!r}: accepted: rows of tiles, such as [['1', '+'], ['_', '2']], or an observation") from None


def arrays_of(game: str, boards: Arrays) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Boards as kinds and numbers (N, rows, cols), from an observation ``tiles`` or, for 2048, numbers."""
    name = game_of(game).name
    if name not in GAMES:
        raise ValueError(f"game={game!r}: accepted: {', '.join(GAMES)}")
    if isinstance(boards, Mapping):
        return _tiles(*_parts(boards))
    if name != "twenty-forty-eight":
        raise TypeError("boards: a dict of the arrays kinds and numbers is needed, as in the observation tiles")
    numbers = array("boards", boards, np.float64)
    if numbers.ndim < 2:
        raise ValueError(f"boards: shape (N, rows, cols) is needed, {numbers.shape} was given")
    return _tiles((numbers != 0).astype(np.uint8), numbers)


def _parts(boards: Mapping[str, Any]) -> tuple[Any, Any]:
    """The arrays of an observation ``tiles``."""
    missing = [name for name in ("kinds", "numbers") if name not in boards]
    if missing:
        raise ValueError(f"board: {', '.join(missing)}: missing; an observation has the arrays kinds and numbers")
    return boards["kinds"], boards["numbers"]


def _tiles(kinds: Any, numbers: Any) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Kinds and numbers of shape (N, rows, cols), from arrays of a shape that ends in (rows, cols)."""
    kinds, numbers = array("kinds", kinds, np.uint8), array("numbers", numbers, np.float64)
    if kinds.shape != numbers.shape or kinds.ndim < 2:
        raise ValueError(
            f"kinds and numbers: one shape (N, rows, cols) is needed, {kinds.shape} and {numbers.shape} were given"
        )
    shape = (math.prod(kinds.shape[:-2]), *kinds.shape[-2:])
    return kinds.reshape(shape), numbers.reshape(shape)


def _tile(tile: Any) -> str:
    if isinstance(tile, (float, np.floating)) and float(tile).is_integer():
        return str(int(tile))
    return str(tile)
