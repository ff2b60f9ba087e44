"""Training of weights for the players of 67! and 2048."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _tilelab
from ._checks import count, flag, optional, path_of, real, settings_of, whole
from ._frames import Rows
from ._progress import Bar
from ._tilelab import Experiment
from .catalog import takes_parameters
from .experiments import SEED, Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Sweep


class Training(Rows):
    """A finished training: its learning curve, one row for each point of each set of rules."""

    def __init__(self, weights: str, curve: _tilelab.Cells) -> None:
        super().__init__(curve)
        self.weights = weights
        """The path of the weights, as players take it: ``f"greedy(weights={training.weights})"``."""

    def __repr__(self) -> str:
        return f"<tilelab.Training {self.weights!r}: {len(self)} points>"


@takes_parameters
def learn(
    game: str,
    out: str | os.PathLike[str],
    *,
    games: int | float | str = 100_000,
    minutes: float | None = None,
    seed: int = SEED,
    threads: int | None = None,
    weights: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
    **settings: Unpack[Sweep],
) -> Training:
    """Train weights for rules of 67! or 2048 and write them to ``out``, as ``tilelab learn`` does.

    Settings are the parameters of the game, each one value or several; every combination is learned on
    a thread of its own, ``games`` games long, or about ``minutes``. ``weights`` is a file to begin
    with, or ``"built-in"``. The learning curve is written beside the weights. An interrupted training is saved, and the
    same call continues it, unless ``fresh``. ``progress`` is that of :func:`tilelab.run`, with sets of
    rules in place of cells.

    Raises ``ValueError`` for wrong input, with the message of the command line.
    """
    words = settings_of(game, settings, "learn")
    experiment = Experiment.direct(game, words, [], [], 1, whole("seed", seed))
    number = count(games)
    if number is None:
        raise TypeError("games=None: accepted: a whole number from 1")
    path = path_of("out", out)
    begin = None if weights is None else path_of("weights", weights)
    minutes = None if minutes is None else real("minutes", minutes)
    fresh = flag("fresh", fresh)
    threads = optional("threads", threads, 1)
    with Bar(experiment.name, False if callable(progress) else progress) as bar:
        tell = progress if callable(progress) else bar.update
        curve = _tilelab.learn(experiment, path, number, minutes, threads, begin, fresh, tell)
    return Training(path, curve)
