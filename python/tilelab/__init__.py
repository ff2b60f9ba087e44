"""Monte Carlo simulation of number games: 67!, 2048, Calculator, Offset and the multiplication game.

Experiments and frames: :func:`run`, :func:`simulate`, :func:`replay`, :func:`compare`. Positions:
:func:`move`, :func:`solve`, :class:`Player`, :func:`playouts`. Environments: :mod:`tilelab.envs`
(Gymnasium), :mod:`tilelab.sb3`, :mod:`tilelab.pettingzoo`; :func:`evaluate` compares a policy with
players.
"""

from ._tilelab import __version__
from .comparisons import Comparison, compare
from .experiments import Plot, Result, plan, replay, run, simulate
from .players import Evaluation, Player, Score, boards_of, evaluate, playouts
from .positions import move, solve

__all__ = [
    "Comparison",
    "Evaluation",
    "Player",
    "Plot",
    "Result",
    "Score",
    "__version__",
    "boards_of",
    "compare",
    "evaluate",
    "move",
    "plan",
    "playouts",
    "replay",
    "run",
    "simulate",
    "solve",
]
