"""Monte Carlo simulation of number games: 67!, 2048, Calculator, Offset and the multiplication game.

Experiments and frames: :func:`run`, :func:`simulate`, :func:`match`, :func:`replay`, :func:`compare`.
Positions: :func:`move`, :func:`solve`, :class:`Player`, :func:`playouts`. Environments:
:mod:`tilelab.envs` (Gymnasium), :mod:`tilelab.sb3`, :mod:`tilelab.pettingzoo`; :func:`evaluate` compares
a policy with players; :func:`dataset` has the boards of a player's games. Players and games in Python: :func:`player`, :func:`game`. Weights:
:func:`learn`.
"""

from ._frames import Rows
from ._tilelab import Experiment, __version__
from .boards import boards_of
from .catalog import games, players
from .comparisons import Comparison, compare
from .datasets import Dataset, dataset
from .experiments import Plot, Result, load, match, plan, replay, run, simulate
from .evaluations import Afterstates, Difference, Evaluation, Player, Score, afterstates, evaluate, playouts
from .learning import Training, learn
from .own import Rules, Turn, game, player
from .positions import move, solve

__all__ = [
    "Afterstates",
    "Comparison",
    "Dataset",
    "Difference",
    "Evaluation",
    "Experiment",
    "Player",
    "Plot",
    "Result",
    "Rows",
    "Rules",
    "Score",
    "Training",
    "Turn",
    "__version__",
    "afterstates",
    "boards_of",
    "compare",
    "dataset",
    "evaluate",
    "game",
    "games",
    "learn",
    "load",
    "match",
    "move",
    "plan",
    "player",
    "players",
    "playouts",
    "replay",
    "run",
    "simulate",
    "solve",
]
