"""Monte Carlo simulation of number games: 67!, 2048, Calculator, Offset and the multiplication game."""

from ._tilelab import __version__
from .experiments import Plot, Result, plan, replay, run, simulate
from .positions import move, solve

__all__ = ["Plot", "Result", "__version__", "move", "plan", "replay", "run", "simulate", "solve"]
