"""Boards as pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .boards import SIGNS

TILE = 64
"""Pixels of a tile's side."""

_GRID = (119, 110, 101)
_BLANK = (205, 193, 180)
_NUMBER = (238, 228, 218)
_OPERATOR = (143, 188, 187)
_INK = (60, 56, 50)

# Glyphs of 3×5 pixels: a digit for each row, whose bits are its pixels from the left.
_GLYPHS = dict(
    zip(
        "0123456789+-*.ein",
        "75557 26227 71747 71717 55711 74717 74757 71111 75757 75717 02720 00700 05250 00002 07640 20222 00655".split(),
        strict=True,
    )
)


def _text(kind: int, number: float) -> str:
    if kind != 1:
        return SIGNS[kind].replace("_", "")
    exact = f"{number:.0f}"
    return exact if len(exact) <= 7 else f"{number:.1e}".replace("e+", "e").replace("e0", "e")


def _draw(text: str) -> NDArray[np.bool_]:
    """The pixels of a text, as large as a tile holds."""
    pixels = np.zeros((5, 4 * len(text) - 1), np.bool_)
    for place, sign in enumerate(text):
        for row, bits in enumerate(_GLYPHS[sign]):
            for col in range(3):
                pixels[row, 4 * place + col] = int(bits) >> (2 - col) & 1
    scale = min((TILE - 10) // pixels.shape[1], 6)
    return pixels.repeat(scale, 0).repeat(scale, 1)


def picture(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A board as an RGB picture: uint8 of shape (64·rows, 64·cols, 3)."""
    rows, cols = kinds.shape
    frame = np.empty((rows, TILE, cols, TILE, 3), np.uint8)
    frame[:] = _GRID
    for row in range(rows):
        for col in range(cols):
            kind = int(kinds[row, col])
            tile = frame[row, 2:-2, col, 2:-2]
            tile[:] = _BLANK if kind == 0 else _NUMBER if kind == 1 else _OPERATOR
            text = _text(kind, float(numbers[row, col]))
            if text:
                pixels = _draw(text)
                top, left = ((TILE - 4 - size) // 2 for size in pixels.shape)
                tile[top : top + pixels.shape[0], left : left + pixels.shape[1]][pixels] = _INK
    return frame.reshape(rows * TILE, cols * TILE, 3)
