"""Players of the catalogue and policies of one's own, on the same games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _tilelab
from ._frames import Frames
from .experiments import SEED, count, settings_of

Board = Sequence[Sequence[str | int]]
"""A board: rows of tiles, ``"_"``, ``"+"``, ``"-"``, ``"*"`` or numbers."""

Policy = Callable[[Any, NDArray[np.bool_]], NDArray[Any]]
"""A policy: from the observations of N games and their legal moves, bool (N, moves), to N moves."""

_SIGNS = ("_", "", "+", "-", "*")


def boards_of(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> list[list[list[str]]]:
    """Boards as rows of tiles, from the arrays of an environment (N, rows, cols).

    Raises ``ValueError`` for numbers of 2⁵³ or more, which the arrays hold rounded.
    """
    if np.abs(numbers).max(initial=0) >= 2**53:
        raise ValueError("numbers: one is 2**53 or more and was rounded; its board cannot be written as it is")
    return [
        [
            [str(int(number)) if kind == 1 else _SIGNS[kind] for kind, number in zip(*row, strict=True)]
            for row in zip(*board, strict=True)
        ]
        for board in zip(kinds, numbers, strict=True)
    ]


def _texts(boards: Sequence[Board]) -> list[list[list[str]]]:
    return [[[str(tile) for tile in row] for row in board] for board in boards]


class Player:
    """A player of the catalogue: ``Player("67", "monte-carlo(playouts=20)", rules="gapless")``.

    Players are written as in the column ``player`` of ``cells.csv``; settings are the parameters of
    the game. Only games for one whose games can start on a given board: 67! and 2048.
    """

    def __init__(self, game: str, player: str = "random", *, seed: int = SEED, **settings: Any) -> None:
        self._game = game
        self._player = player
        self._seed = seed
        self._settings = settings_of(settings)
        self.cell_key, _ = _tilelab.cell_keys(game, self._settings, player)
        """The key of the cell that this player plays."""

    def act(self, boards: Sequence[Board]) -> list[str]:
        """The moves on boards after a deal, by name (``"left"``).

        Where a player leaves something to chance, board i is played with the stream of game i of the
        seed. Rows and columns are those of the settings.
        """
        return _tilelab.act(self._game, self._settings, self._player, self._seed, _texts(boards))

    def __repr__(self) -> str:
        return f"tilelab.Player({self.cell_key!r})"


def playouts(
    boards: Sequence[Board], n: int, *, horizon: int = 1_000_000, seed: int = SEED, **settings: Any
) -> NDArray[np.int64]:
    """How many of n random games of 67! are won after each move: int64 (boards, 4), up, down, left, right.

    -1 where a move is not legal. Boards are those after a deal. Every move of every board meets the
    same n streams of the seed. Playouts end undecided after ``horizon`` rounds.
    """
    return _tilelab.playouts(settings_of(settings), _texts(boards), n, horizon, seed)


@dataclass(frozen=True)
class Score:
    """How one player did; rates are shares."""

    player: str
    games: int
    wins: int
    win_rate: float
    interval: tuple[float, float]
    """The interval of the win rate (Clopper and Pearson's)."""
    moves_mean: float
    difference: float
    """The policy's win rate less this player's, on the same games; 0 for the policy itself. Where there
    are several policies, the first is the one that is compared."""
    difference_interval: tuple[float, float] | None
    """The interval of the difference (Tango's for paired games)."""
    p_value: float | None
    """McNemar's exact test of no difference."""


@dataclass(frozen=True)
class _Played:
    """One player's games 0, 1, 2, …"""

    is_policy: bool
    won: NDArray[np.bool_]
    moves: NDArray[np.uint64]
    measures: NDArray[np.int64]
    """What the game reports besides: (games, measures)."""
    cut: int
    """Episodes that ``max_episode_steps`` cut."""


class Evaluation(Frames):
    """Policies and players of the catalogue on the same games.

    As a frame it has one row for each of them, with the columns of ``cells.csv``; the column ``player``
    has the names of the policies.
    """

    def __init__(
        self,
        cell_key: str,
        confidence: float,
        scores: list[Score],
        played: dict[str, _Played],
        cells: Callable[[], tuple[bytes, list[tuple[str, str]]]],
    ) -> None:
        self.cell_key = cell_key
        """The cell, named by the random player."""
        self.confidence = confidence
        self.scores = scores
        """The scores of the policies, then those of the players."""
        self.won = {name: games.won for name, games in played.items()}
        """Which games each won, bool (games,), by name."""
        self._played = played
        self._make = cells

    def _cells(self) -> tuple[bytes, list[tuple[str, str]]]:
        for name, games in self._played.items():
            if games.cut:
                raise ValueError(
                    f"{name}: max_episode_steps cut {games.cut} games, and cells.csv has whole games only; "
                    "limit the rules (max_rounds, max_moves) instead"
                )
        return self._make()

    def __getitem__(self, player: str) -> Score:
        for score in self.scores:
            if score.player == player:
                return score
        raise KeyError(player)

    def table(self) -> str:
        """The scores in Markdown."""
        lines = [
            f"| player | games | wins | win % [{100 * self.confidence:g} %] | mean moves | policy − player [%] | p |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for score in self.scores:
            low, high = (100 * end for end in score.interval)
            difference = p = ""
            if score.difference_interval is not None:
                lower, upper = (100 * end for end in score.difference_interval)
                difference = f"{100 * score.difference:.2f} [{lower:.2f}, {upper:.2f}]"
                p = f"{score.p_value:.2g}"
            rate = f"{100 * score.win_rate:.2f} [{low:.2f}, {high:.2f}]"
            lines.append(
                f"| {score.player} | {score.games} | {score.wins} | {rate} | {score.moves_mean:.2f} | {difference} | {p} |"
            )
        return "\n".join(lines) + "\n"

    def _repr_markdown_(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return self.table()


def evaluate(
    policy: Policy | Mapping[str, Policy],
    game: str = "67",
    *,
    games: int | float | str = 1000,
    against: Sequence[str] = ("random",),
    name: str = "policy",
    seed: int = SEED,
    observation: str = "tiles",
    num_envs: int = 256,
    confidence: float = 0.95,
    max_episode_steps: int | None = None,
    **settings: Any,
) -> Evaluation:
    """Let a policy and players of the catalogue play games 0 to ``games`` - 1 of a seed and cell.

    All meet the same deals, so that differences are those of paired games. ``policy`` is called with
    ``observation`` of up to ``num_envs`` games and their legal moves; moves that are not legal raise
    ``ValueError``. It is called ``name``; a dict has several policies by name, and the first is compared
    with all others. An episode that ``max_episode_steps`` cuts counts as not won. Settings are the
    parameters of the game; players are written as in the column ``player`` of ``cells.csv``.
    """
    number = count(games)
    if number is None or number < 1:
        raise ValueError(f"games={games}: accepted: a whole number from 1")
    policies = dict(policy) if isinstance(policy, Mapping) else {name: policy}
    if not policies:
        raise ValueError("policy: none is given")
    for label in against:
        if label in policies:
            raise ValueError(f"policy {label!r}: a player has this name; give the policy another")
    words = settings_of(settings)
    cell_key, _ = _tilelab.cell_keys(game, words, "random")
    played: dict[str, _Played] = {}
    for label, one in policies.items():
        played[label] = _play(one, game, number, seed, observation, num_envs, max_episode_steps, settings)
    for player in against:
        won, moves, measures = _tilelab.outcomes(game, words, player, seed, number)
        played[player] = _Played(False, won, moves, measures, 0)

    def cells() -> tuple[bytes, list[tuple[str, str]]]:
        rows = [(label, one.is_policy, one.won, one.moves, one.measures) for label, one in played.items()]
        return _tilelab.cells_csv(game, words, seed, confidence, rows)

    first = next(iter(policies))
    scores = [_score(label, one, played[first], confidence) for label, one in played.items()]
    return Evaluation(cell_key, confidence, scores, played, cells)


def _score(name: str, played: _Played, first: _Played, confidence: float) -> Score:
    """The score of a player, compared with that of the first policy."""
    games = len(played.won)
    wins = int(played.won.sum())
    interval, p_value = None, None
    if played is not first:
        only_player = int((played.won & ~first.won).sum())
        only_first = int((first.won & ~played.won).sum())
        low, high, p_value = _tilelab.paired_difference(only_player, only_first, games, confidence)
        interval = (low, high)
    return Score(
        player=name,
        games=games,
        wins=wins,
        win_rate=wins / games,
        interval=_tilelab.rate_interval(wins, games, confidence),
        moves_mean=float(played.moves.mean()),
        difference=(int(first.won.sum()) - wins) / games,
        difference_interval=interval,
        p_value=p_value,
    )


def _play(
    policy: Policy,
    game: str,
    games: int,
    seed: int,
    observation: str,
    num_envs: int,
    max_episode_steps: int | None,
    settings: dict[str, Any],
) -> _Played:
    """The first games of a policy."""
    from gymnasium.vector import AutoresetMode

    from .envs import vector_of
    from .observations import CUT

    slots = min(num_envs, games)
    env = vector_of(game)(
        slots,
        observation=observation,
        illegal="raise",
        seed=seed,
        autoreset_mode=AutoresetMode.SAME_STEP,
        max_episode_steps=max_episode_steps,
        **settings,
    )
    won = np.zeros(games, np.bool_)
    moves = np.zeros(games, np.uint64)
    measures = np.zeros((games, env.measures().shape[1]), np.int64)
    cut = 0
    left = games
    observations, info = env.reset()
    while left:
        mask = info["action_mask"]
        actions = np.asarray(policy(observations, mask))
        if actions.shape != (slots,):
            raise ValueError(f"policy: moves of shape {actions.shape}; one move for each of {slots} games")
        # A slot plays on after its last game that counts; then its moves do not matter.
        spare = info["game"] >= games
        if spare.any():
            actions = np.where(spare, mask.argmax(axis=1), actions)
        observations, _, _, _, info = env.step(actions)
        if "final_info" in info:
            final = info["final_info"]
            ended = final["_game"] & (final["game"] < games)
            numbers = final["game"][ended]
            won[numbers] = final["won"][ended]
            moves[numbers] = final["moves"][ended]
            measures[numbers] = env.measures()[ended[final["_game"]]]
            cut += int((final["end"][ended] == CUT).sum())
            left -= len(numbers)
    return _Played(True, won, moves, measures, cut)
