"""Players and games in Python.

A player is a function from a :class:`Turn` to one of its legal moves. It plays every game, wherever
a player is named::

    def first(turn):
        return turn.legal[0]

    tilelab.simulate("67", player=[first, "random"], size="4x4", games=1000)

:func:`player` makes its name known, so that experiment files and texts can use it. A game is a class
with its rules (:class:`Rules`)::

    @tilelab.game
    class Pig:
        '''Roll a die as often as you like; a 1 loses, stopping at the goal or more wins.'''

        def __init__(self, goal: int = 20) -> None:
            self.goal = goal

        def start(self, random): return (0, False)
        def deal(self, state, random): ...

    tilelab.simulate("pig", goal=[15, 20], games=1000)

Both are as slow as Python, and meant for trying an idea. With ``observation``, a function plays many
games at once, on arrays (:data:`Policy`), hundreds of times as fast::

    @tilelab.player(observation="tiles")
    def first_legal(observations, legal):
        return legal.argmax(axis=1)

Results are saved by name: after a change, give another name or ``fresh=True``.
"""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, overload

import numpy as np
from numpy.typing import NDArray

from . import _tilelab, catalog
from ._checks import array, word

State = TypeVar("State")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True)
class Turn:
    """A position in which a player moves."""

    game: str
    rules: dict[str, Any]
    """The parameters of the game."""
    game_index: int
    """The index of the game among those of its cell."""
    seed: int
    """A number below 2⁵³ that depends on the master seed, the cell and the game."""
    seat: int
    moves: int
    """How many moves the game has had."""
    position: Any
    """The position as ``tilelab move`` writes it, such as ``{"board": [["1", "+", "_"]]}``."""
    legal: list[str]
    """The names of the legal moves."""

    @property
    def random(self) -> random.Random:
        """A generator that depends on nothing but the game and the number of moves, so that the
        game can be repeated."""
        return random.Random(f"{self.seed} {self.moves}")


Function = Callable[[Turn], str]
"""A player: from a turn to the name of one of its legal moves."""

Policy = Callable[[Any, NDArray[np.bool_]], NDArray[Any]]
"""A policy: from the observations of N games and their legal moves, bool (N, moves), to N moves."""


class Rules(Protocol[State]):
    """The rules of a game, as methods of a class without other state than its parameters.

    Parameters are the arguments of ``__init__``; each needs a default that is a bool, int, float or
    str, or an annotation ``Literal[…]`` with the accepted words. States are values: methods
    return a new one and change nothing. A class may also have ``deal(state, random)``, what happens
    by chance before each move; ``seat(state)``, whose turn it is (0 or 1), which makes it a
    two-player game; ``level(state)``, in a one-player game, how near a win is in whole numbers from 0 up, for rare
    wins (``method="splitting"``); ``position(state)``, the state as JSON, for transcripts and players; and
    ``measures``, a dict of names with descriptions. ``random`` is a :class:`random.Random` that is seeded from
    the game.
    """

    def start(self, random: random.Random) -> State:
        """The state in which a game begins."""

    def legal(self, state: State) -> list[str]:
        """The names of the legal moves; at least one, unless there is a result."""

    def play(self, state: State, move: str) -> State:
        """The state after a move."""

    def result(self, state: State) -> str | tuple[str, dict[str, int]] | None:
        """``None`` while the game goes on, then ``"won"``, ``"lost"``, or for two ``"drawn"``, as
        seat 0 sees it; with the measures as a pair. Measures of two-player games are ``score`` and
        ``opponent_score``."""


_players: dict[str, tuple[Callable[..., Any], str | None]] = {}
"""Functions, with the observations that they get."""
_games: dict[str, type] = {}


def _name(named: Any, name: str | None) -> str:
    label = word("name", name) if name else str(getattr(named, "__name__", type(named).__name__))
    if "<" in label:
        raise ValueError(f"{label}: has no name of its own; give one: tilelab.player(function, name=…)")
    return label


@overload
def player(function: _Function, *, name: str | None = None, observation: str | None = None) -> _Function: ...
@overload
def player(*, name: str | None = None, observation: str | None = None) -> Callable[[_Function], _Function]: ...
def player(function: Any = None, *, name: str | None = None, observation: str | None = None) -> Any:
    """Make a function a player, by its name or ``name``; may be used as a decorator.

    It gets one :class:`Turn` at a time, in every game; with ``observation`` (of the environments) it is
    a :data:`Policy` for one-player games that have environments, and moves in up to 1,024 games a call. Rows of games that
    are over repeat others.

    A function of the same name is replaced. The function may be called from several threads, and
    games that it has played are repeated only if it depends on nothing but its arguments. An exception, or
    a move that is not legal, ends the run and is raised.
    """
    if function is None:
        return lambda function: player(function, name=name, observation=observation)
    if not callable(function):
        raise TypeError(f"player={function!r}: accepted: a function")
    label = _name(function, name)

    def respond(request: str) -> str:
        fields = json.loads(request)
        del fields["protocol"]
        turn = Turn(**fields)
        move = function(turn)
        if move not in turn.legal:
            raise ValueError(f"{label}: {move!r} is not a legal move; legal: {', '.join(turn.legal)}")
        return str(move)

    def move_all(observations: Any, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        return array(f"{label}: moves", function(observations, legal), np.int64, (len(legal),))

    if observation is None:
        _tilelab.add_player(label, respond)
    else:
        _tilelab.add_policy(label, word("observation", observation), move_all)
    _players[label] = function, observation
    return function


def _labels(players: str | Callable[..., Any] | Iterable[str | Callable[..., Any]]) -> list[str]:
    """Players as the texts that name them; functions are made players."""
    if not (isinstance(players, (str, Iterable)) or callable(players)):
        raise TypeError(f"player={players!r}: accepted: a name, a function, or a list of them")
    given = [players] if isinstance(players, str) or callable(players) else list(players)
    functions: dict[str, Any] = {}
    labels = []
    for one in given:
        if isinstance(one, str):
            labels.append(one)
            continue
        label = next((known for known, (function, _) in _players.items() if function is one), None)
        if label is None:
            label = _name(one, None)
            if label in functions:
                raise ValueError(f"{label}: two players have this name; name them with tilelab.player(function, name=…)")
            player(one)
        functions[label] = one
        labels.append(label)
    return labels


@overload
def game(rules: _Class, *, name: str | None = None) -> _Class: ...
@overload
def game(*, name: str) -> Callable[[_Class], _Class]: ...
def game(rules: Any = None, *, name: str | None = None) -> Any:
    """Make a class of :class:`Rules` a game, by its name in lower case or ``name``; used as a decorator.

    It can then be played like any other game: by ``simulate``, ``run`` and ``match``, by the player
    ``random`` and by functions, with statistics, files and comparisons.
    """
    if rules is None:
        return lambda rules: game(rules, name=name)
    label = _name(rules, name).lower() if name is None else word("name", name)
    missing = [method for method in ("start", "legal", "play", "result") if not hasattr(rules, method)]
    if missing:
        raise TypeError(f"{label}: the class lacks {', '.join(missing)}")
    summary = (inspect.getdoc(rules) or "").partition("\n")[0]
    seats = 2 if hasattr(rules, "seat") else 1
    measures = getattr(rules, "measures", {})
    if not isinstance(measures, Mapping) or not all(isinstance(text, str) for pair in measures.items() for text in pair):
        raise TypeError(f"{label}: measures={measures!r}: accepted: a dict of names with descriptions")
    if seats == 2 and measures:
        raise TypeError(f"{label}: two-player games have the measures score and opponent_score; leave measures out")
    taken = [name for name in measures if name in ("moves", "points")]
    if taken:
        raise ValueError(f"{label}: the measure {taken[0]}: results have a column of this name; choose another name")
    _tilelab.add_game(label, summary, seats, _parameters(label, rules), list(measures.items()), rules)
    _games[label] = rules
    catalog._games.cache_clear()
    return rules


def _parameters(game: str, rules: type) -> list[tuple[str, Any, list[str]]]:
    parameters = []
    for name, parameter in inspect.signature(rules, eval_str=True).parameters.items():
        default = parameter.default
        if not isinstance(default, (bool, int, float, str)):
            raise TypeError(f"{game}: the parameter {name} needs a default: a bool, int, float or str")
        is_one_of = isinstance(default, str) and get_origin(parameter.annotation) is Literal
        words = list(get_args(parameter.annotation)) if is_one_of else [default] if isinstance(default, str) else []
        if not all(isinstance(text, str) for text in words):
            raise TypeError(f"{game}: the parameter {name}: Literal{words}: accepted: strings, as the default is")
        parameters.append((name, default, words))
    return parameters


def _label_of_game(game: str | type) -> str:
    """The name of a game, also of a class that :func:`game` has made one."""
    if isinstance(game, str):
        return game
    for name, rules in _games.items():
        if rules is game:
            return name
    raise TypeError(f"game={game!r}: accepted: the name of a game, or a class with the decorator tilelab.game")


Own = Mapping[str, tuple[str, Any]]


def _needed(names: list[str]) -> dict[str, tuple[str, Any]]:
    """The functions and classes among these players and games, for pickling."""
    kinds: dict[str, dict[str, Any]] = {"player": _players, "game": _games}
    return {name: (kind, known[name]) for kind, known in kinds.items() for name in names if name in known}


def _restore(own: Own) -> None:
    """Make them known in another process."""
    for name, (kind, one) in own.items():
        known: dict[str, Any] = _players if kind == "player" else _games
        if known.get(name) != one:
            player(one[0], name=name, observation=one[1]) if kind == "player" else game(one, name=name)
