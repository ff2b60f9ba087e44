"""Conversion of arguments for the binding."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _tilelab
from .catalog import game_of

SEED_MAX = 2**64 - 1


def whole(name: str, value: Any, least: int = 0, most: int = SEED_MAX) -> int:
    """A whole number, also from NumPy types.

    Raises ``TypeError`` if it is not one, ``ValueError`` if it is outside ``least`` to ``most``.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: accepted: a whole number") from None
    if not least <= number <= most:
        limits = f"from {least} to {most if most < SEED_MAX else '2**64 - 1'}"
        raise ValueError(f"{name}={number}: accepted: a whole number {limits}")
    return number


def optional(name: str, value: Any, least: int = 0) -> int | None:
    """A whole number, checked by :func:`whole`, or ``None``."""
    return None if value is None else whole(name, value, least)


def count(games: Any) -> int | None:
    """A number of games from an int, a whole float, or a string such as ``"250k"`` or ``"1e6"``."""
    if isinstance(games, str):
        return _tilelab.count(games)
    if isinstance(games, (float, np.floating)):
        if not float(games).is_integer():
            raise ValueError(f"games={games}: accepted: a whole number from 1")
        games = int(games)
    return optional("games", games, 1)


def seed_of(seed: Any) -> int:
    """A master seed; without one, from the system's entropy, as in Gymnasium's environments."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    return whole("seed", seed)


def settings_of(game: str, settings: Mapping[str, Any], caller: str) -> list[str]:
    """Keyword arguments as ``key=value`` settings of the command line; ``None`` leaves the default.

    Raises ``TypeError`` for a keyword that is not a parameter of the game, as Python does.
    """
    known = [parameter.name for parameter in game_of(game).parameters]
    if "rows" in known:
        known.append("size")
    for key in settings:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(
                f"{caller}() got an unexpected keyword argument {key!r}{hint} (parameters of {game}: {', '.join(known)})"
            )
    return [f"{key}={_text(key, value)}" for key, value in settings.items() if value is not None]


def _text(key: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (str, int, float, np.number)):
        return str(value)
    if not isinstance(value, Iterable):
        raise TypeError(f"{key}={value!r}: accepted: a string, a number, or several of them")
    parts = list(value)
    # A pair of numbers is a size; a list has values, each a size of its own.
    if key == "size" and isinstance(value, tuple) and all(isinstance(part, (int, np.integer)) for part in parts):
        return "x".join(map(str, parts))
    return (" " if key == "buttons" else ",").join(_text(key, part) for part in parts)
