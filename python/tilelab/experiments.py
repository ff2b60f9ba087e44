"""Run experiments, show their results and read them as frames."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, overload

from . import _tilelab
from ._checks import count, flag, optional, path_of, plain, real, settings_of, whole, word, words_of
from ._frames import Frames, Rows
from ._progress import Bar
from ._tilelab import Experiment
from .catalog import takes_parameters
from .own import Function, Policy, _label_of_game, _labels

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Sweep

Players = str | Function | Policy | Sequence[str | Function | Policy]
"""Players: names as in the column ``player`` of ``cells.csv``, or functions (:mod:`tilelab.own`)."""

Progress = bool | Callable[[int, int, int, int], object] | None

Source = str | os.PathLike[str] | Mapping[str, Any] | Experiment
"""An experiment: the path of a file, its text (with at least one line feed), a dict of its keys, in
which players may be functions, or what :func:`plan` returned."""

SEED = 67
"""The default master seed."""


class Plot:
    """A plot as SVG; notebooks show it."""

    def __init__(self, file: str, title: str, svg: str) -> None:
        self.file: str = file
        """The name of its file in a results folder."""
        self.title: str = title
        """What it shows."""
        self.svg: str = svg
        """The content of the file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file."""
        Path(path_of("path", path)).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Plot({self.file!r}, {self.title!r})"


class Result(Frames):
    """The result of a run: one row for each cell, with the columns of ``cells.csv``."""

    def __init__(
        self,
        experiment: Experiment | str,
        cells: _tilelab.Cells,
        tables: str,
        plots: list[tuple[str, str, str]],
        folder: Path | None,
    ) -> None:
        self._experiment = experiment
        self.folder: Path | None = folder
        """The results folder; ``None`` if ``out`` was not given."""
        self.plots: list[Plot] = [Plot(*plot) for plot in plots]
        """All plots of the results folder."""
        self.games_now: int = 0
        """Games that this run played."""
        self.seconds: float = 0.0
        """Seconds that this run took."""
        self.failures: list[tuple[str, str]] = []
        """The cells that failed: key and reason."""
        super().__init__(cells)
        self._tables = tables
        self._files: dict[str, _tilelab.Cells] = {}

    @property
    def experiment(self) -> Experiment:
        """What was played.

        Raises ``ValueError`` for a loaded result if one of its players or games in Python is not known
        in this process.
        """
        if isinstance(self._experiment, str):
            self._experiment = Experiment.copied(self._experiment)
        return self._experiment

    @property
    def games(self) -> int:
        """Games of all cells, including those of earlier runs."""
        return sum(games or 0 for games in self["games"]) if len(self) else 0

    def table(self) -> str:
        """The tables in Markdown, as in ``table.md``."""
        return self._tables

    def plot(self, name: str | None = None) -> Plot:
        """One plot: the first, or the one whose file name starts with ``name``."""
        name = None if name is None else word("name", name)
        for plot in self.plots:
            if name is None or plot.file.startswith(name):
                return plot
        files = ", ".join(plot.file for plot in self.plots) or "none"
        raise ValueError(f"plot {name!r}: no such plot; there are: {files}")

    def distributions(self) -> Rows:
        """How many games, and how many won games, had how many moves: the rows of
        ``distributions.csv``, one for each bin of each cell."""
        return self._file("distributions.csv", "the results folder does not have it; `tilelab report` writes it")

    def standings(self) -> Rows:
        """The players of matches of three or more, and each two of them: the rows of ``standings.csv``.

        Raises ``ValueError`` where there is no such match.
        """
        return self._file("standings.csv", "only matches of three or more players have standings")

    def per_game(self) -> Rows:
        """One row for each game, with its outcome, moves and measures, if the experiment has
        ``per_game``: the rows of ``games.csv``.

        Raises ``ValueError`` where there are no rows, or where they are in ``games.parquet``, which
        polars and pandas read.
        """
        table = self.folder and self.folder / "games.parquet"
        if table and table.exists() and not table.with_suffix(".csv").exists():
            raise ValueError(f"per_game: the rows are in {table}; read them with polars.read_parquet or pandas.read_parquet")
        return self._file("games.csv", 'there are no rows of games; play the experiment with per_game = "csv"')

    def _file(self, name: str, otherwise: str) -> Rows:
        if name in self._files:
            return Rows(self._files[name])
        if self.folder is None or not (self.folder / name).exists():
            raise ValueError(f"{name}: {otherwise}")
        return Rows(_tilelab.rows_of(os.fspath(self.folder / name)))

    def replay(self, cell: str, game: int) -> list[dict[str, Any]]:
        """A game of the run again; see :func:`replay`."""
        return [json.loads(line) for line in self.experiment.replay(word("cell", cell), whole("game", game))]

    def _repr_markdown_(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        name = self._experiment.name if isinstance(self._experiment, Experiment) else str(self.folder)
        return f"<tilelab.Result {name!r}: {len(self)} cells, {self.games} games>"


def load(folder: str | os.PathLike[str]) -> Result:
    """The result in a folder that :func:`run` or ``tilelab run`` wrote."""
    text = path_of("folder", folder)
    return Result(*_tilelab.load(text), Path(text))


def run(
    experiment: Source,
    *,
    games: int | float | str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
) -> Result:
    """Play an experiment, as ``tilelab run`` does, and return its cells.

    ``experiment`` is the path of an experiment file, its text, a dict with its keys, or the result of
    :func:`plan`. ``games`` and ``seed`` replace those of the experiment. With ``out``, the results
    folder ``out/NAME`` is written, and an interrupted run continues; otherwise nothing is saved.
    ``progress`` is ``True``, ``False``, or a function of games played, games to play, cells finished
    and cells; by default, a bar is shown in terminals and notebooks.

    Ctrl-C raises ``KeyboardInterrupt``, and a player or game in Python its exception; with ``out`` the state
    is saved first.

    Raises ``ValueError`` for wrong input, with the message of the command line.
    """
    planned = plan(experiment, games=games, seed=seed)
    folder = None if out is None else path_of("out", out)
    fresh = flag("fresh", fresh)
    threads = optional("threads", threads)
    if callable(progress):
        finished = planned.run(threads, folder, fresh, progress)
    else:
        with Bar(planned.name, progress) as bar:
            finished = planned.run(threads, folder, fresh, bar.update)
        for cell, reason in finished.failures:
            print(f"{planned.name}: the cell {cell} failed: {reason}", file=sys.stderr)
    result = Result(planned, finished.cells, finished.tables, finished.plots, finished.folder)
    result.games_now = finished.games_now
    result.seconds = finished.seconds
    result.failures = finished.failures
    result._files = dict(finished.files)
    return result


@overload
def simulate(
    game: str,
    *,
    player: Players = (),
    opponent: Players = (),
    games: int | float | str | None = None,
    seed: int = SEED,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
    **settings: Unpack[Sweep],
) -> Result: ...
@overload
def simulate(game: type, **keywords: Any) -> Result: ...
@takes_parameters
def simulate(
    game: str | type,
    *,
    player: Players = (),
    opponent: Players = (),
    games: int | float | str | None = None,
    seed: int = SEED,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
    **settings: Any,
) -> Result:
    """Play one table without a file: ``simulate("67", size=["5x5", "6x7"], operator_rate=0.5)``.

    Settings are the parameters of the game (``tilelab.games()``), each one value or several; all
    combinations are played. Players are written as in the column ``player`` of ``cells.csv``,
    ``"random"`` or ``"monte-carlo(playouts=20)"``, or are functions (:func:`tilelab.player`). A game
    is named, or is a class (:func:`tilelab.game`). The other arguments are those of :func:`run`.
    """
    label = _label_of_game(game)
    words = settings_of(label, settings, "simulate")
    seats = _labels(player), _labels(opponent)
    experiment = Experiment.direct(label, words, *seats, count(games), whole("seed", seed))
    return run(experiment, threads=threads, out=out, fresh=fresh, progress=progress)


@overload
def match(
    game: str,
    players: Sequence[str | Function | Policy],
    *,
    games: int | float | str | None = None,
    measure: str = "outcome",
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    seed: int = SEED,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
    **settings: Unpack[Sweep],
) -> Result: ...
@overload
def match(game: type, players: Sequence[str | Function | Policy], **keywords: Any) -> Result: ...
@takes_parameters
def match(
    game: str | type,
    players: Sequence[str | Function | Policy],
    *,
    games: int | float | str | None = None,
    measure: str = "outcome",
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    seed: int = SEED,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    progress: Progress = None,
    **settings: Any,
) -> Result:
    """Let each two of the players meet in pairs of games, as ``tilelab match`` does.

    In one-player games, both meet the same spawns; in two-player games, a pair is both seatings of one
    start. ``games`` is the number of pairs (1,000; with ``sprt`` at most 1,000,000). ``measure`` decides a
    pair: ``outcome``, or a measure of the game, such as ``score``. ``sprt`` ends a match as soon as it is
    decided whether the mean is the first of the two values or less, or the second or more, with the
    error rates ``alpha`` and ``beta``: the share of points, or the mean difference of the measure.
    The other arguments are those of :func:`simulate`.
    """
    label = _label_of_game(game)
    words = settings_of(label, settings, "match")
    pairs = count(games) or (1_000 if sprt is None else 1_000_000)
    test = None if sprt is None else (*_bounds(sprt), real("alpha", alpha), real("beta", beta))
    measure = word("measure", measure)
    experiment = Experiment.direct(label, words, _labels(players), [], pairs, whole("seed", seed), measure, test)
    return run(experiment, threads=threads, out=out, fresh=fresh, progress=progress)


def _bounds(sprt: Any) -> tuple[float, float]:
    try:
        lower, upper = sprt
    except (TypeError, ValueError):
        raise TypeError(f"sprt={sprt!r}: accepted: two numbers, such as (0.5, 0.55)") from None
    return real("sprt", lower), real("sprt", upper)


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
    are the lines of ``tilelab replay --json``. ``moves`` are played instead of the player's, such as
    those of an agent: names such as ``"left"``, in a list or separated by white space. Environments
    with ``record=True`` return them (``info["played"]``). Moves that stop before the end of the game
    need ``unfinished=True``; the last dict shows the final position.
    """
    names = None if moves is None else moves.split() if isinstance(moves, str) else words_of("moves", moves)
    cell, game, unfinished = word("cell", cell), whole("game", game), flag("unfinished", unfinished)
    return [json.loads(line) for line in plan(experiment, seed=seed).replay(cell, game, names, unfinished)]


def plan(
    experiment: Source,
    *,
    games: int | float | str | None = None,
    seed: int | None = None,
    allow_programs: bool = False,
) -> Experiment:
    """Read and check an experiment: its ``name``, ``seed``, ``text``, and the keys of its ``cells``.

    With ``allow_programs``, the programs that a file or text names as players are started; read it
    first, and allow only programs that you trust. Those of a dict need no permission.
    """
    number, seed, allow_programs = count(games), optional("seed", seed), flag("allow_programs", allow_programs)
    if isinstance(experiment, Experiment):
        if (number, seed, allow_programs) != (None, None, False):
            raise ValueError("games, seed, allow_programs: the experiment is planned already; give them to tilelab.plan")
        return experiment
    if isinstance(experiment, Mapping):
        return Experiment.of_json(json.dumps(plain("experiment", experiment, _text_of)), number, seed)
    if isinstance(experiment, str) and "\n" in experiment:
        return Experiment.parse(experiment, number, seed, allow_programs)
    file = path_of("experiment", experiment, "a path, a text with line feeds, a dict, or what tilelab.plan returned")
    return Experiment.read(file, number, seed, allow_programs)


def _text_of(value: Any) -> str | None:
    """What a dict's function or path is in the text of an experiment."""
    if callable(value):
        return _labels(value)[0]
    return os.fsdecode(value) if isinstance(value, os.PathLike) else None
