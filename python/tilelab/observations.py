"""Observations and rewards as arrays, from the boards of N games.

A board is two arrays of shape (N, rows, cols): ``kinds`` (uint8: 0 blank, 1 number, 2 ``+``, 3 ``-``,
4 ``*``) and ``numbers`` (float64: the number on the tile, 0 where there is none). What environments
observe is computed by the binding; :func:`encode` does the same for boards of one's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._tilelab import encode

__all__ = ["CUT", "ENDS", "NUMBER", "Reward", "Step", "encode"]

NUMBER = 1
"""The kind of a number in ``kinds``."""

ENDS = ("", "won", "blocked", "beyond_limit", "out_of_rounds", "cut", "illegal")
"""Why an episode is over, by the codes in ``info["end"]``; ``cut`` is ``max_episode_steps``, ``illegal``
a move that was not legal and lost (``illegal="lose"``)."""

CUT = ENDS.index("cut")
"""The code of an episode that ``max_episode_steps`` cut."""

Kinds = NDArray[np.uint8]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Step:
    """What a reward of one's own is computed from: arrays whose first axis is the N games."""

    kinds_before: Kinds
    """The boards before the moves."""
    numbers_before: Numbers
    kinds: Kinds
    """The boards after moves and deals; of ended episodes the final ones."""
    numbers: Numbers
    won: Flags
    """Which games ended in this step and are won."""
    lost: Flags
    """Which games ended in this step and are lost."""
    cut: Flags
    """Which episodes were truncated in this step."""
    illegal: Flags
    """Which moves were not legal."""
    waiting: Flags
    """Which games did not take part in this step: their episode was over before it."""


Reward = Callable[[Step], NDArray[Any]]
"""A reward: from a :class:`Step` to one number for each game."""
