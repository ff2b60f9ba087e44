"""Experiments: played, shown and read as frames."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

from . import _tilelab
from ._frames import Frames
from ._progress import Bar

Source = str | os.PathLike[str] | Mapping[str, Any]
"""An experiment: the path of a file, its text (with at least one line feed), or a dict of its keys."""

Value = str | int | float | bool
"""A value of a parameter."""

SEED = 67
"""The master seed where none is given."""


class Plot:
    """A plot as SVG; notebooks show it."""

    def __init__(self, file: str, title: str, svg: str) -> None:
        self.file = file
        """The name of its file in a results folder."""
        self.title = title
        """What it shows."""
        self.svg = svg
        """The content of the file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Plot({self.file!r}, {self.title!r})"


class Result(Frames):
    """What a run has come to: one row for each cell, with the columns of ``cells.csv``."""

    def __init__(self, experiment: _tilelab.Experiment, finished: _tilelab.Finished) -> None:
        self._experiment = experiment
        self._finished = finished

    @property
    def folder(self) -> Path | None:
        """The results folder; ``None`` where ``out`` was not given."""
        return self._finished.folder

    @property
    def games(self) -> int:
        """Games of all cells, those of earlier runs included."""
        return self._finished.games

    @property
    def games_now(self) -> int:
        """Games that this run played."""
        return self._finished.games_now

    @property
    def seconds(self) -> float:
        """Seconds that this run took."""
        return self._finished.seconds

    @property
    def failures(self) -> list[tuple[str, str]]:
        """The cells that failed: key and reason."""
        return self._finished.failures

    def _cells(self) -> tuple[bytes, list[tuple[str, str]]]:
        return self._finished.cells_csv, self._finished.columns

    def table(self) -> str:
        """The tables in Markdown, as in ``table.md``."""
        return self._finished.tables

    @property
    def plots(self) -> list[Plot]:
        """All plots of the results folder."""
        return [Plot(*plot) for plot in self._finished.plots]

    def plot(self, name: str | None = None) -> Plot:
        """One plot: the first, or the one whose file name starts with ``name``."""
        for plot in self.plots:
            if name is None or plot.file.startswith(name):
                return plot
        files = ", ".join(plot.file for plot in self.plots) or "none"
        raise ValueError(f"plot {name!r}: no such plot; there are: {files}")

    def replay(self, cell: str, game: int) -> list[dict[str, Any]]:
        """A game of the run again; see :func:`replay`."""
        return [json.loads(line) for line in self._experiment.replay(cell, game)]

    def _repr_markdown_(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        cells = self.csv.count(b"\n") - 1
        return f"<tilelab.Result {self._experiment.name!r}: {max(cells, 0)} cells, {self.games} games>"


def run(
    experiment: Source,
    *,
    games: int | float | str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: bool | Callable[[int, int, int, int], object] | None = None,
) -> Result:
    """Play an experiment, as ``tilelab run`` does, and return its cells.

    ``experiment`` is the path of an experiment file, its text, or a dict with its keys. ``games``
    and ``seed`` replace those of the experiment. With ``out``, the results folder ``out/NAME`` is
    written, and a run that was interrupted continues; otherwise nothing is kept. ``progress`` is
    ``True``, ``False``, or a function of games played, games to play, cells ended and cells; left
    out, a bar is shown in terminals and notebooks.

    Ctrl-C raises ``KeyboardInterrupt``; with ``out`` the state is saved before.

    Raises ``ValueError`` for wrong input, with the message of the command line.
    """
    return _play(plan(experiment, games=games, seed=seed), threads, out, fresh, progress)


def simulate(
    game: str,
    *,
    player: str | Sequence[str] = (),
    opponent: str | Sequence[str] = (),
    games: int | float | str | None = None,
    seed: int = SEED,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[int, int, int, int], object] | None = None,
    **settings: Value | Iterable[Value],
) -> Result:
    """Play one table without a file: ``simulate("67", size=["5x5", "6x7"], operator_rate=0.5)``.

    Settings are the parameters of the game (``tilelab list games``), each one value or several; the
    product of all is played. Players are written as in the column ``player`` of ``cells.csv``:
    ``"random"`` or ``"monte-carlo(playouts=20)"``. The other arguments are those of :func:`run`.
    """
    experiment = _tilelab.Experiment.direct(
        game, settings_of(settings), _list(player), _list(opponent), count(games), seed
    )
    return _play(experiment, threads, out, False, progress)


def replay(
    experiment: Source,
    cell: str,
    game: int,
    *,
    moves: str | Iterable[str] | None = None,
    unfinished: bool = False,
    seed: int | None = None,
) -> list[dict[str, Any]]:
    """Play a game of an experiment again and return its transcript, one dict for each turn.

    ``cell`` is a key of the column ``cell`` of ``cells.csv``; games are numbered from 0. The dicts
    are the lines of ``tilelab replay --json``. ``moves`` are played in place of the player's, those
    of an agent: names such as ``"left"``, in a list or with white space between them. Environments
    with ``record=True`` return them (``info["played"]``). Moves that stop before the end of the game
    need ``unfinished=True``; the last dict shows the position that they lead to.
    """
    names = None if moves is None else moves.split() if isinstance(moves, str) else list(moves)
    return [json.loads(line) for line in plan(experiment, seed=seed).replay(cell, game, names, unfinished)]


def plan(experiment: Source, *, games: int | float | str | None = None, seed: int | None = None) -> _tilelab.Experiment:
    """Read and check an experiment: its ``name``, ``seed``, ``text``, and the keys of its ``cells``."""
    number = count(games)
    if isinstance(experiment, Mapping):
        return _tilelab.Experiment.of_json(json.dumps(experiment), number, seed)
    if isinstance(experiment, str) and "\n" in experiment:
        return _tilelab.Experiment.parse(experiment, number, seed)
    return _tilelab.Experiment.read(os.fspath(experiment), number, seed)


def count(games: int | float | str | None) -> int | None:
    """A number of games from an int, a whole float, or a text such as ``"250k"`` or ``"1e6"``."""
    if games is None or isinstance(games, int):
        return games
    if isinstance(games, float):
        if not games.is_integer():
            raise ValueError(f"games={games}: a whole number is needed")
        return int(games)
    return _tilelab.count(games)


def settings_of(settings: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as ``key=value`` settings of the command line; ``None`` leaves the default."""
    return [f"{key}={_text(value)}" for key, value in settings.items() if value is not None]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    return ",".join(_text(part) for part in value)


def _list(players: str | Sequence[str]) -> list[str]:
    return [players] if isinstance(players, str) else list(players)


def _play(
    experiment: _tilelab.Experiment,
    threads: int | None,
    out: str | os.PathLike[str] | None,
    fresh: bool,
    progress: bool | Callable[[int, int, int, int], object] | None,
) -> Result:
    folder = None if out is None else os.fspath(out)
    if callable(progress):
        return Result(experiment, experiment.run(threads, folder, fresh, progress))
    with Bar(experiment.name, progress) as bar:
        finished = experiment.run(threads, folder, fresh, bar.update)
    for cell, reason in finished.failures:
        print(f"{experiment.name}: the cell {cell} failed: {reason}", file=sys.stderr)
    return Result(experiment, finished)
