"""All games and players, with their parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import _tilelab


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
    """Its measures in addition to result and moves: names with their descriptions."""
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
    for game in _games():
        if name in game.names:
            return game
    accepted = ", ".join(name for game in _games() for name in game.names)
    raise ValueError(f"{name}: unknown game; accepted: {accepted}")


def players(game: str) -> list[PlayerInfo]:
    """The players of a game."""
    return list(game_of(game).players)
