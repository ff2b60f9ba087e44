"""Results compared with each other."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from . import _tilelab
from ._checks import flag, path_of, real, whole, word
from ._frames import Frames
from .experiments import Result

Results = str | os.PathLike[str] | Result
"""A results folder, a ``cells.csv``, or what :func:`tilelab.run` returned."""


class Comparison(Frames):
    """Differences: one row for each pair of cells, with the columns of ``tilelab compare --format csv``."""

    def __init__(
        self, rows: _tilelab.Cells, table: str, notes: str, only_a: list[str], only_b: list[str]
    ) -> None:
        self._rows = rows
        self._text = f"{table}\n{notes}\n"
        self.only_a = only_a
        """The keys of cells that are only in the first result."""
        self.only_b = only_b
        """The keys of cells that are only in the second result."""

    def _dimensions(self) -> list[str]:
        for side in ("cell_b", "cell_a"):
            if len(set(self[side])) == len(self):
                return [side]
        return ["cell_a", "cell_b"]

    def table(self) -> str:
        """The differences as a Markdown table, followed by the methods."""
        return self._text

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
    unpaired_ok: bool = False,
    margin: float | None = None,
    measure: str | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two results cell by cell, or the cells of one result that differ only in the column ``by``.

    Differences are ``b`` minus ``a``, or each cell minus the one with the value ``baseline`` in that
    column (by default the value of the first cell), with intervals at ``confidence``. With
    ``paired``, cells with the same random numbers are compared in pairs of games: all, or the given
    number of first games. Games are read from ``games.parquet`` or ``games.csv`` if the run wrote
    one, and are played again otherwise. Cells that cannot be paired are an error, unless
    ``unpaired_ok``. ``margin``, a share, also tests whether win rates are equivalent within this
    margin. ``measure`` also compares the means of a measure of the game, such as ``merge_score`` of
    2048. p-values are adjusted for all cells by Holm's method.

    Raises ``ValueError`` for wrong input, with the message of the command line.
    """
    is_paired = paired is not False
    games = None if isinstance(paired, bool) else whole("paired", paired, 2)
    given = {"by": by, "baseline": baseline, "measure": measure}
    names = {name: None if value is None else word(name, value) for name, value in given.items()}
    with ExitStack() as stack:
        return Comparison(
            *_tilelab.compare(
                _path("a", a, stack),
                None if b is None else _path("b", b, stack),
                names["by"],
                names["baseline"],
                is_paired,
                flag("unpaired_ok", unpaired_ok),
                games,
                None if margin is None else real("margin", margin),
                names["measure"],
                real("confidence", confidence),
            )
        )


def _path(name: str, results: Results, stack: ExitStack) -> str:
    if not isinstance(results, Result):
        return path_of(name, results, "a results folder, a cells.csv or a result")
    if results.folder is not None:
        return os.fspath(results.folder)
    # A result in memory is compared through files that live as long as the comparison.
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="tilelab-")))
    (folder / "cells.csv").write_bytes(results.csv)
    (folder / "experiment.toml").write_text(results.experiment.text, encoding="utf-8")
    return os.fspath(folder)
