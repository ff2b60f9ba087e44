"""Monte Carlo simulation of number games: 67!, 2048, Calculator, Offset and the multiplication game.

Experiments and frames: :func:`run`, :func:`simulate`, :func:`replay`, :func:`compare`. Positions:
:func:`move`, :func:`solve`, :class:`Player`, :func:`playouts`. Environments: :mod:`tilelab.envs`
(Gymnasium), :mod:`tilelab.sb3`, :mod:`tilelab.pettingzoo`; :func:`evaluate` compares a policy with
players.
"""

from ._frames import Rows
from ._tilelab import Experiment, __version__
from .boards import boards_of
from .catalog import games, players
from .comparisons import Comparison, compare
from .experiments import Plot, Result, load, plan, replay, run, simulate
from .evaluations import Afterstates, Evaluation, Player, Score, afterstates, evaluate, playouts
from .positions import move, solve

__all__ = [
    "Afterstates",
    "Comparison",
    "Evaluation",
    "Experiment",
    "Player",
    "Plot",
    "Result",
    "Rows",
    "Score",
    "__version__",
    "afterstates",
    "boards_of",
    "compare",
    "evaluate",
    "games",
    "load",
    "move",
    "plan",
    "players",
    "playouts",
    "replay",
    "run",
    "simulate",
    "solve",
]
