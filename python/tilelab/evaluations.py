"""Players of the catalog and custom policies on the same games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _tilelab
from ._checks import array, count, function, real, settings_of, whole, word
from ._frames import Frames
from .boards import Arrays, Board, arrays_of, texts_of
from .catalog import game_of, takes_parameters
from .experiments import SEED, Players
from .own import Policy, _labels

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AnyGame

class Player:
    """A player of the catalog: ``Player("67", "monte-carlo(playouts=20)", rules="gapless")``.

    Players are written as in the column ``player`` of ``cells.csv``; settings are the parameters of
    the game. Supports one-player games that can start on a given board: 67! and 2048.
    """

    @takes_parameters
    def __init__(self, game: str, player: str = "random", *, seed: int = SEED, **settings: Unpack[AnyGame]) -> None:
        self._game = game
        self._asked = _tilelab.Asked(game, settings_of(game, settings, "Player"), word("player", player), whole("seed", seed))
        self.cell_key: str = self._asked.cell_key
        """The key of the cell that this player plays."""

    @overload
    def act(self, boards: Sequence[Board]) -> list[str]: ...
    @overload
    def act(self, boards: Arrays) -> NDArray[np.int64]: ...
    def act(self, boards: Any) -> Any:
        """The moves on boards after a deal: names (``"left"``) for rows of tiles; for arrays (an
        observation ``tiles``, or numbers of 2048) action numbers of the environments, int64 (N,), with
        0 where the game is over.

        If the player uses random numbers, board i uses the stream of game i of the seed. Rows and
        columns are those of the settings. Numbers of 2⁵³ or more are taken as the array shows them, which may be rounded.
        """
        if isinstance(boards, (Mapping, np.ndarray)):
            return self._asked.advise(*arrays_of(self._game, boards), False)[0]
        return self._asked.act(texts_of(boards))

    def values(self, boards: Sequence[Board] | Arrays) -> NDArray[np.float64]:
        """The player's values of the moves up, down, left and right: float64 (N, 4), larger is better.

        NaN for moves that are illegal or not evaluated, and in arrays where the game is over. Boards
        are those of :meth:`act`. Raises ``ValueError`` for players that do not evaluate moves.
        """
        if isinstance(boards, (Mapping, np.ndarray)):
            return self._asked.advise(*arrays_of(self._game, boards), True)[1]
        return self._asked.values(texts_of(boards))

    def __repr__(self) -> str:
        return f"tilelab.Player({self.cell_key!r})"


def playouts(
    boards: Sequence[Board], n: int, *, horizon: int = 1_000_000, seed: int = SEED, **settings: Any
) -> NDArray[np.int64]:
    """How many of n random games of 67! are won after each move: int64 (boards, 4), up, down, left, right.

    -1 for illegal moves. Boards are those after a deal. Every move of every board uses the same n
    streams of the seed. Playouts end undecided after ``horizon`` rounds.
    """
    n, horizon, seed = whole("n", n, 1), whole("horizon", horizon, 1), whole("seed", seed)
    return _tilelab.playouts(settings_of("67", settings, "playouts"), texts_of(boards), n, horizon, seed)


@dataclass(frozen=True)
class Afterstates:
    """The boards after each move of N boards, before the next deal; moves are up, down, left, right."""

    kinds: NDArray[np.uint8]
    """Shape (N, 4, rows, cols); for an illegal move, the unchanged board."""
    numbers: NDArray[np.float64]
    """Shape (N, 4, rows, cols)."""
    legal: NDArray[np.int8]
    """Shape (N, 4)."""
    won: NDArray[np.bool_]
    """Shape (N, 4): which moves win at once (67!)."""
    scores: NDArray[np.float64]
    """Shape (N, 4): the points of each move (2048)."""


@takes_parameters
def afterstates(game: str, boards: Arrays, **settings: Unpack[AnyGame]) -> Afterstates:
    """The boards after each move: for 67! from an observation ``tiles``, for 2048 also from numbers (N, 4, 4).

    Numbers of 2⁵³ or more are taken as the array shows them, which may be rounded.
    """
    words = settings_of(game, settings, "afterstates")
    return Afterstates(*_tilelab.afterstates(game, words, *arrays_of(game, boards)))


@dataclass(frozen=True)
class Difference:
    """The difference of two means, over pairs of games."""

    mean: float
    interval: tuple[float, float]
    """Student's interval."""
    p_value: float
    """Student's test of no difference."""


@dataclass(frozen=True)
class Score:
    """The results of one player; rates are shares."""

    player: str
    games: int
    wins: int
    win_rate: float
    interval: tuple[float, float]
    """The interval of the win rate (Clopper and Pearson's)."""
    moves_mean: float
    difference: float
    """The policy's win rate minus this player's, on the same games; 0 for the policy itself. With several
    policies, the first is compared with the others."""
    difference_interval: tuple[float, float] | None
    """The interval of the difference (Tango's for paired games)."""
    p_value: float | None
    """McNemar's mid-p test of no difference."""
    measures: dict[str, float]
    """The means of the game's measures, such as ``merge_score`` of 2048."""
    measure_differences: dict[str, Difference]
    """The policy's means minus this player's, on the same games; empty for the policy itself."""


@dataclass(frozen=True)
class _Played:
    """One player's games 0, 1, 2, …"""

    is_policy: bool
    won: NDArray[np.bool_]
    moves: NDArray[np.int64]
    measures: NDArray[np.int64]
    """The game's measures: (games, measures)."""
    cut: int
    """Episodes truncated by ``max_episode_steps``."""


class Evaluation(Frames):
    """Policies and players of the catalog on the same games.

    As a frame it has one row for each of them, with the columns of ``cells.csv``; the column ``player``
    has the names of the policies.
    """

    def __init__(
        self,
        cell_key: str,
        confidence: float,
        scores: list[Score],
        played: dict[str, _Played],
        game: tuple[str, list[str], int],
    ) -> None:
        self.cell_key = cell_key
        """The cell, named by the random player."""
        self.confidence = confidence
        self.scores = scores
        """The scores of the policies, then those of the players."""
        self.won: dict[str, NDArray[np.bool_]] = {name: games.won for name, games in played.items()}
        """Which games each won, bool (games,), by name."""
        self.measures: dict[str, dict[str, NDArray[np.int64]]] = {
            name: _named(games.measures, game[0]) for name, games in played.items()
        }
        """The game's measures, int64 (games,), by name and measure."""
        self._played = played
        self._game = game

    @property
    def _rows(self) -> _tilelab.Cells:  # type: ignore[override]
        for name, games in self._played.items():
            if games.cut:
                raise ValueError(
                    f"{name}: max_episode_steps cut {games.cut} games, and cells.csv has whole games only; "
                    "limit the rules (max_rounds, max_moves) instead"
                )
        game, words, seed = self._game
        rows = [(label, one.is_policy, one.won, one.moves, one.measures) for label, one in self._played.items()]
        return _tilelab.cells_csv(game, words, seed, self.confidence, rows)

    def score(self, player: str) -> Score:
        """The score of a policy or player."""
        for score in self.scores:
            if score.player == player:
                return score
        raise KeyError(f"{player}: no such player; there are: {', '.join(self.won)}")

    def table(self) -> str:
        """The scores in Markdown."""
        measures = list(self.scores[0].measures)
        names = [f"mean {measure.replace('_', ' ')}" for measure in measures]
        names = ["player", "games", "wins", f"win % [{100 * self.confidence:g} %]", "mean moves", *names]
        names += ["policy − player [%]", "p"]
        lines = [names, ["---", *["---:"] * (len(names) - 1)]]
        for score in self.scores:
            low, high = (100 * end for end in score.interval)
            difference = p = ""
            if score.difference_interval is not None:
                lower, upper = (100 * end for end in score.difference_interval)
                difference = f"{100 * score.difference:.2f} [{lower:.2f}, {upper:.2f}]"
                p = f"{score.p_value:.2g}"
            rate = f"{100 * score.win_rate:.2f} [{low:.2f}, {high:.2f}]"
            means = [f"{score.measures[measure]:.2f}" for measure in measures]
            row = [score.player, str(score.games), str(score.wins), rate, f"{score.moves_mean:.2f}", *means]
            lines.append([*row, difference, p])
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def _repr_markdown_(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return self.table()


@takes_parameters
def evaluate(
    policy: Policy | Mapping[str, Policy],
    game: str = "67",
    *,
    games: int | float | str = 1000,
    against: Players = ("random",),
    name: str = "policy",
    seed: int = SEED,
    observation: str = "tiles",
    num_envs: int = 256,
    confidence: float = 0.95,
    max_episode_steps: int | None = None,
    **settings: Unpack[AnyGame],
) -> Evaluation:
    """Play games 0 to ``games`` - 1 of a seed and cell with a policy and with players of the catalog.

    All meet the same deals, so that differences are over paired games. ``policy`` is called with
    ``observation`` of up to ``num_envs`` games and their legal moves; illegal moves raise
    ``ValueError``. ``name`` is its name in the result; a dict has several policies by name, and the first
    is compared with all others. An episode truncated by ``max_episode_steps`` counts as not won. Settings are the
    parameters of the game; players are written as in the column ``player`` of ``cells.csv``.
    """
    number = count(games)
    if number is None:
        raise TypeError("games=None: accepted: a whole number from 1")
    seed, num_envs, confidence = whole("seed", seed), whole("num_envs", num_envs, 1), real("confidence", confidence)
    names = _labels(against)
    policies = dict(policy) if isinstance(policy, Mapping) else {name: policy}
    if not policies:
        raise ValueError("policy: the dict is empty; give at least one policy")
    for label, one in policies.items():
        function(word("name", label), one)
    for label in names:
        if label in policies:
            raise ValueError(f"policy {label!r}: a player has this name; give the policy another name")
    words = settings_of(game, settings, "evaluate")
    cell_key, _ = _tilelab.cell_keys(game, words, "random")
    played: dict[str, _Played] = {}
    for label, one in policies.items():
        played[label] = _play(label, one, game, number, seed, observation, num_envs, max_episode_steps, settings)
    for player in names:
        won, moves, measures = _tilelab.outcomes(game, words, player, seed, number)
        played[player] = _Played(False, won, moves, measures, 0)

    first = next(iter(policies))
    scores = [_score(game, label, one, played[first], confidence) for label, one in played.items()]
    return Evaluation(cell_key, confidence, scores, played, (game, words, seed))


def _named(measures: NDArray[np.int64], game: str) -> dict[str, NDArray[np.int64]]:
    return dict(zip(game_of(game).measures, measures.T, strict=True))


def _score(game: str, name: str, played: _Played, first: _Played, confidence: float) -> Score:
    """The score of a player, compared with that of the first policy."""
    games = len(played.won)
    wins = int(played.won.sum())
    interval, p_value = None, None
    measures = _named(played.measures, game)
    differences: dict[str, Difference] = {}
    if played is not first:
        for measure, values in _named(first.measures, game).items():
            found = _tilelab.mean_interval(values - measures[measure], confidence)
            if found is not None:
                differences[measure] = Difference(found[0], (found[1], found[2]), found[3])
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
        measures={measure: float(values.mean()) for measure, values in measures.items()},
        measure_differences=differences,
    )


def _play(
    label: str,
    policy: Policy,
    game: str,
    games: int,
    seed: int,
    observation: str,
    num_envs: int,
    max_episode_steps: int | None,
    settings: Mapping[str, Any],
) -> _Played:
    """The first games of a policy."""
    from gymnasium.vector import AutoresetMode

    from .envs import _vector_of
    from .observations import CUT

    slots = min(num_envs, games)
    env = _vector_of(game)(
        slots,
        observation=observation,
        illegal="raise",
        seed=seed,
        autoreset_mode=AutoresetMode.SAME_STEP,
        max_episode_steps=max_episode_steps,
        **settings,
    )
    won = np.zeros(games, np.bool_)
    moves = np.zeros(games, np.int64)
    measures = np.zeros((games, env.measures().shape[1]), np.int64)
    cut = 0
    left = games
    observations, info = env.reset()
    while left:
        mask = info["action_mask"].view(np.bool_)
        actions = array(f"{label}: moves", policy(observations, mask), np.int64, (slots,))
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
