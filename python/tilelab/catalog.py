"""All games and players, with their parameters."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from . import _tilelab


_Called = TypeVar("_Called", bound=Callable[..., Any])


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game or a player."""

    name: str
    kind: str
    """``bool``, ``int``, ``float`` or ``str``."""
    choices: tuple[str, ...]
    """The accepted words, if the parameter is one of a list."""
    default: bool | int | float | str | None
    """``None`` if it is unset by default, or required."""
    accepts: str
    """The accepted values, in words."""
    help: str


@dataclass(frozen=True)
class PlayerInfo:
    """A player of a game; ``tilelab.Player(game, name)`` makes it."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Game:
    """A game; its parameters are the keywords of ``simulate``, ``Player`` and environments."""

    name: str
    names: tuple[str, ...]
    """All accepted names of this game, its own first."""
    summary: str
    seats: int
    """The number of players."""
    parameters: tuple[Parameter, ...]
    measures: dict[str, str]
    """The measures of the game in addition to result and moves: names with their descriptions."""
    players: tuple[PlayerInfo, ...]


def _parameters(found: list[dict[str, Any]]) -> tuple[Parameter, ...]:
    return tuple(Parameter(**one | {"choices": tuple(one["choices"])}) for one in found)


@cache
def _games() -> tuple[Game, ...]:
    def game(one: dict[str, Any]) -> Game:
        players = (player | {"parameters": _parameters(player["parameters"])} for player in one["players"])
        return Game(**one | {
            "names": tuple(one["names"]),
            "parameters": _parameters(one["parameters"]),
            "measures": dict(one["measures"]),
            "players": tuple(PlayerInfo(**player) for player in players),
        })

    return tuple(map(game, json.loads(_tilelab.catalog())))


def games() -> list[Game]:
    """All games."""
    return list(_games())


def game_of(name: str) -> Game:
    """The game with this name or alias."""
    if not isinstance(name, str):
        raise TypeError(f"game={name!r}: accepted: the name of a game")
    for game in _games():
        if name in game.names:
            return game
    accepted = ", ".join(name for game in _games() for name in game.names)
    raise ValueError(f"{name}: unknown game; accepted: {accepted}")


def players(game: str) -> list[PlayerInfo]:
    """The players of a game."""
    return list(game_of(game).players)


def keywords_of(*names: str) -> list[str]:
    """The keywords that are parameters of these games, or of all."""
    found = [game_of(name) for name in names] or games()
    keywords = [parameter.name for game in found for parameter in game.parameters]
    return [*dict.fromkeys(keywords), *(["size"] if "rows" in keywords else [])]


def signed(called: _Called, keywords: list[str]) -> _Called:
    """Names keywords in the signature at run time, from which IPython completes them."""
    signature = inspect.signature(called)
    *parameters, rest = signature.parameters.values()
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(name, kind, default=None) for name in keywords if name not in signature.parameters]
    setattr(called, "__signature__", signature.replace(parameters=[*parameters, *more, rest]))
    return called


def takes_parameters(called: _Called) -> _Called:
    """Marks a function that takes the parameters of games as keywords."""
    return signed(called, keywords_of())
