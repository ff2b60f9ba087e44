"""Observations and rewards as arrays, from the boards of N games.

A board is two arrays of shape (N, rows, cols): ``kinds`` (uint8: 0 blank, 1 number, 2 ``+``, 3 ``-``,
4 ``*``) and ``numbers`` (float64: the number on the tile, 0 if there is none). The binding computes
the observations of environments; :func:`encode` does the same for other boards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from . import _tilelab
from ._checks import array, word

__all__ = ["CUT", "ENDS", "NUMBER", "Planes", "Reward", "Step", "Tiles", "encode"]

NUMBER = 1
"""The kind of a number in ``kinds``."""

ENDS = ("", "won", "blocked", "beyond_limit", "out_of_rounds", "cut", "illegal")
"""Why an episode is over, by the codes in ``info["end"]``; ``cut`` is ``max_episode_steps``, ``illegal``
an illegal move that lost (``illegal="lose"``)."""

CUT = ENDS.index("cut")
"""The code of an episode truncated by ``max_episode_steps``."""

Kinds = NDArray[np.uint8]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Tiles(TypedDict):
    """The observation ``tiles``."""

    kinds: Kinds
    numbers: Numbers


Planes = NDArray[np.float32]
"""The observations ``planes`` and ``project``."""


def encode(game: str, observation: str, kinds: Kinds, numbers: Numbers) -> Planes:
    """The observation ``planes`` or ``project`` of N boards, whose kinds and numbers have the shape (N, rows, cols):
    float32, one array for each board."""
    boards = array("kinds", kinds, np.uint8), array("numbers", numbers, np.float64)
    return _tilelab.encode(word("game", game), word("observation", observation), *boards)


@dataclass(frozen=True)
class Step:
    """The input of custom rewards: arrays whose first axis is the N games."""

    kinds_before: Kinds
    """The boards before the moves."""
    numbers_before: Numbers
    kinds: Kinds
    """The boards after moves and deals; final boards for ended episodes."""
    numbers: Numbers
    won: Flags
    """Which games were won in this step."""
    lost: Flags
    """Which games were lost in this step."""
    cut: Flags
    """Which episodes were truncated in this step."""
    illegal: Flags
    """Which moves were illegal."""
    waiting: Flags
    """Which games did not take part in this step: their episode was over before it."""


Reward = Callable[[Step], NDArray[Any]]
"""A reward: from a :class:`Step` to one number for each game."""
