"""Observations and rewards as arrays, from the boards of N games.

A board is two arrays of shape (N, rows, cols): ``kinds`` (uint8: 0 blank, 1 number, 2 ``+``, 3 ``-``,
4 ``*``) and ``numbers`` (float64: the number on the tile, 0 where there is none).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBER = 1
"""The kind of a number in ``kinds``."""

TARGET = 67
"""What 67! is about; the observations ``planes`` and ``project`` and the reward ``project`` use it."""

PLANE_MAX = 4.0
"""The largest magnitude in ``planes`` of 67!."""

EXPONENTS = 18
"""Planes of 2048: blank, 2, 4, … and 2¹⁷, the largest tile of a 4×4 board."""

ENDS = ("", "won", "blocked", "beyond_limit", "out_of_rounds", "cut")
"""Why an episode is over, by the codes in ``info["end"]``; ``cut`` is ``max_episode_steps``."""

CUT = 5
"""The code of an episode that ``max_episode_steps`` cut."""

Kinds = NDArray[np.uint8]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Step:
    """What a reward is computed from: arrays whose first axis is the N games."""

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
    """Which moves were not legal and did nothing."""
    waiting: Flags
    """Which games did not take part in this step: their episode was over before it."""


Reward = Callable[[Step], NDArray[Any]]
"""A reward: from a :class:`Step` to one number for each game."""


def win(step: Step) -> NDArray[np.float64]:
    """1 for a won game, -1 for a lost one, 0 otherwise."""
    reward: NDArray[np.float64] = step.won.astype(np.float64) - step.lost.astype(np.float64)
    return reward


def project(step: Step) -> NDArray[np.float64]:
    """The reward of the environment that the authors of 67! published.

    A tenth of how much nearer the nearest number is to 67, a hundredth for each blank cell, 100 for
    a won game and -50 for a lost one; -5 for a move that is not legal.
    """
    nearer = np.clip(
        _distance(step.kinds_before, step.numbers_before) - _distance(step.kinds, step.numbers), -1000, 1000
    )
    blanks = (step.kinds == 0).sum(axis=(1, 2))
    reward: NDArray[np.float64] = 0.1 * nearer + 0.01 * blanks + 100.0 * step.won - 50.0 * step.lost
    reward[step.illegal] = -5.0
    reward[step.waiting] = 0.0
    return reward


def score(step: Step) -> NDArray[np.float64]:
    """The points of 2048 that a swipe scores: the values of the tiles that it makes.

    A tile 2ᵏ made of twos has scored (k - 1)·2ᵏ; a 4 that was dealt has scored nothing.
    """
    gained = _made(step.numbers) - _made(step.numbers_before)
    dealt = _sums(step.numbers) - _sums(step.numbers_before)
    reward: NDArray[np.float64] = gained - 4.0 * (dealt == 4.0)
    reward[step.waiting] = 0.0
    return reward


def _distance(kinds: Kinds, numbers: Numbers) -> Numbers:
    """How far the nearest number is from 67; 1000 where there is none."""
    distance = np.where(kinds == NUMBER, np.abs(numbers - TARGET), np.inf).min(axis=(1, 2))
    known: Numbers = np.where(np.isinf(distance), 1000.0, distance)
    return known


def _made(numbers: Numbers) -> Numbers:
    """The points that the tiles of each board are worth if all were made of twos."""
    flat = np.ascontiguousarray(numbers).reshape(len(numbers), -1)
    # The exponent of a power of two stands in the bits from 52 up, 1023 too large; blanks count 0.
    exponents = (flat.view(np.int64) >> 52) - 1024
    made: Numbers = np.einsum("ij,ij->i", exponents.astype(np.float64), flat)
    return made


def _sums(numbers: Numbers) -> Numbers:
    """The sum of the tiles of each board."""
    sums: Numbers = np.einsum("ij->i", numbers.reshape(len(numbers), -1))
    return sums


def planes_sixty_seven(kinds: Kinds, numbers: Numbers) -> NDArray[np.float32]:
    """Planes of shape (N, 8, rows, cols) for networks.

    Blank, ``+``, ``-``, ``*``, number (each 0 or 1), then of the number x: sign(x)·log(1 + \\|x\\|) /
    log(1001), x / 67 (both clipped to -4 … 4), and exp(-\\|x - 67\\| / 9); 0 where there is none.
    """
    count, rows, cols = kinds.shape
    planes = np.empty((count, 8, rows, cols), np.float32)
    is_number = kinds == NUMBER
    for plane, kind in enumerate((0, 2, 3, 4, NUMBER)):
        np.equal(kinds, kind, out=planes[:, plane])
    x = np.clip(numbers, -1e30, 1e30).astype(np.float32)
    magnitude = np.log1p(np.abs(x)) * np.float32(1 / np.log1p(1000))
    planes[:, 5] = np.clip(np.copysign(magnitude, x), -PLANE_MAX, PLANE_MAX)
    planes[:, 6] = np.clip(x * np.float32(1 / TARGET), -PLANE_MAX, PLANE_MAX)
    planes[:, 7] = np.exp(np.abs(x - TARGET) * np.float32(-1 / 9)) * is_number
    return planes


def project_sixty_seven(kinds: Kinds, numbers: Numbers) -> NDArray[np.float32]:
    """The observation of the environment that the authors of 67! published: (N, 5·rows·cols).

    Five numbers for each cell: the number / 1000, blank, ``+``, ``-``, ``*``.
    """
    count, rows, cols = kinds.shape
    cells = np.empty((count, rows, cols, 5), np.float32)
    cells[..., 0] = np.clip(numbers, -1e30, 1e30) / 1000
    for place, kind in enumerate((0, 2, 3, 4), start=1):
        np.equal(kinds, kind, out=cells[..., place])
    flat: NDArray[np.float32] = cells.reshape(count, -1)
    return flat


def planes_2048(kinds: Kinds, numbers: Numbers) -> NDArray[np.float32]:
    """Planes of shape (N, 18, rows, cols), each 0 or 1: blank, 2, 4, …, 2¹⁷."""
    exponents = np.log2(np.maximum(numbers, 1.0)).astype(np.int64)
    planes: NDArray[np.float32] = (exponents[:, None] == np.arange(EXPONENTS)[:, None, None]).astype(np.float32)
    return planes
