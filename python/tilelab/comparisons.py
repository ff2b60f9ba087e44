"""Results compared with each other."""

from __future__ import annotations

import os

from . import _tilelab
from ._frames import Frames
from .experiments import Result

Results = str | os.PathLike[str] | Result
"""A results folder, a ``cells.csv``, or what :func:`tilelab.run` returned with ``out``."""


class Comparison(Frames):
    """Differences: one row for each pair of cells, with the columns of ``tilelab compare --format csv``."""

    def __init__(self, found: _tilelab.Comparison) -> None:
        self._found = found

    def _cells(self) -> tuple[bytes, list[tuple[str, str]]]:
        return self._found.rows()

    @property
    def only_a(self) -> list[str]:
        """The keys of cells that are in the first result only."""
        return self._found.only_a

    @property
    def only_b(self) -> list[str]:
        """The keys of cells that are in the second result only."""
        return self._found.only_b

    def table(self) -> str:
        """The differences as a Markdown table, and below it how they were found."""
        return f"{self._found.table}\n{self._found.notes}\n"

    def _repr_markdown_(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return self.table()


def compare(
    a: Results,
    b: Results | None = None,
    *,
    by: str | None = None,
    baseline: str | None = None,
    paired: bool | int = False,
    margin: float | None = None,
    measure: str | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two results cell by cell, or the cells of one that differ in the column ``by`` only.

    Differences are those of ``b`` less ``a``, or of each cell less the one with the ``baseline``'s
    value of that column (that of the first cell where it is left out), with intervals at
    ``confidence``. With ``paired``, cells that met the same random numbers are compared in pairs of
    games: all, or the first so many. Games come from ``games.parquet`` or ``games.csv`` where the run
    has written one, and are played again otherwise. ``margin``, a share, also tests whether win rates
    are the same but for it. ``measure`` also compares the means of a measure that games report besides
    result and moves, such as ``merge_score`` of 2048. p-values are adjusted for all cells by Holm's method.

    Raises ``ValueError`` for wrong input, with the message of the command line.
    """
    is_paired = paired is not False
    games = None if isinstance(paired, bool) else paired
    other = None if b is None else _path(b)
    return Comparison(_tilelab.compare(_path(a), other, by, baseline, is_paired, games, margin, measure, confidence))


def _path(results: Results) -> str:
    if not isinstance(results, Result):
        return os.fspath(results)
    if results.folder is None:
        raise ValueError("the result has no folder: give run or simulate a folder with out=")
    return os.fspath(results.folder)
