"""Conversion of arguments for the binding."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _tilelab
from .catalog import game_of

SEED_MAX = 2**64 - 1

_Called = TypeVar("_Called", bound=Callable[..., Any])

_ELEMENTS: dict[type[np.generic], tuple[str, str]] = {
    np.bool_: ("bools", "biu"),
    np.uint8: ("whole numbers", "iu"),
    np.int64: ("whole numbers", "iu"),
    np.float64: ("numbers", "biuf"),
}
"""By the type of arrays: what messages call their elements, and the kinds of types that are converted to it."""


def given(value: Any) -> str:
    """What was given, in messages: an array by its type and shape, everything else by its type."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return "None" if value is None else type(value).__name__


def array(name: str, value: Any, kind: type[np.generic], shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """A contiguous array of this type and shape; of any shape without ``shape``.

    Raises ``TypeError`` for other elements, ``ValueError`` for another shape, and for whole numbers that the type
    does not have.
    """
    elements, accepted = _ELEMENTS[kind]
    try:
        found = np.asarray(value)
    except (RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"{name}: an array of {elements} is needed, a {given(value)} that cannot be made one was given") from error
    if found.dtype.kind not in accepted:
        raise TypeError(f"{name}: {elements} are needed, {given(found)} was given")
    if shape is not None and found.shape != shape:
        raise ValueError(f"{name}: shape {shape} is needed, {found.shape} was given")
    made = np.asarray(found, kind, order="C")
    if made is not found and found.dtype.kind in "iu" and not np.can_cast(found.dtype, kind):
        wrong = found[made != found]
        if wrong.size:
            raise ValueError(f"{name}: {elements} ({np.dtype(kind)}) are needed, {wrong[0]} was given")
    return made


def word(name: str, value: Any, accepted: str = "a string") -> str:
    """A string."""
    if not isinstance(value, str):
        raise TypeError(f"{name}={value!r}: accepted: {accepted}")
    return value


def words_of(name: str, value: Any) -> list[str]:
    """Several strings; one string is not taken for its letters."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        parts = list(value)
        if all(isinstance(part, str) for part in parts):
            return parts
    raise TypeError(f"{name}={value!r}: accepted: a list of strings")


def flag(name: str, value: Any) -> bool:
    """A bool, also NumPy's."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r}: accepted: True or False")
    return bool(value)


def real(name: str, value: Any) -> float:
    """A number."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (OverflowError, TypeError, ValueError):
        pass
    raise TypeError(f"{name}={value!r}: accepted: a number")


def path_of(name: str, value: Any, accepted: str = "a path") -> str:
    """A path as a string."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}={value!r}: accepted: {accepted}")
    return os.fsdecode(value)


def function(name: str, value: _Called) -> _Called:
    """Something that can be called."""
    if not callable(value):
        raise TypeError(f"{name}: a function is needed, {given(value)} was given")
    return value


def plain(name: str, value: Any, text_of: Callable[[Any], str | None] = lambda value: None) -> Any:
    """A value of lists, dicts and what JSON has; ``text_of`` has the texts of others, ``None`` where there is none."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{name}: the key {key!r}: accepted: a string")
        return {key: plain(f"{name}[{key!r}]", part, text_of) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(f"{name}[{place}]", part, text_of) for place, part in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name}={value!r}: accepted: a finite number")
    if value is None or isinstance(value, (str, int, float)):
        return value
    text = text_of(value)
    if text is None:
        raise TypeError(f"{name}={value!r}: accepted: a string, a number, a bool, a list or a dict")
    return text


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
