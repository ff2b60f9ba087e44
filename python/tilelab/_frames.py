"""Rows of ``cells.csv`` and of the files beside it as data."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _tilelab

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray

_SHOWN = 10
"""The rows that notebooks show."""

_BLOCK = 10_000
"""The rows that an iteration reads at a time."""

_NUMPY = {"text": "string", "count": "UInt64", "integer": "Int64", "number": "Float64", "flag": "boolean"}


class Rows:
    """The rows of a file of results.

    Libraries that read Arrow streams (polars, pandas, DuckDB, narwhals, pyarrow) accept it directly.
    ``len`` is the number of rows; ``[name]`` is a column, ``[i]`` a row as a dict.
    """

    _rows: _tilelab.Cells

    def __init__(self, rows: _tilelab.Cells) -> None:
        self._rows = rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._rows.columns]

    @property
    def kinds(self) -> dict[str, str]:
        """The columns and their kinds: ``text``, ``count``, ``integer``, ``number`` or ``flag``."""
        return dict(self._rows.columns)

    @property
    def csv(self) -> bytes:
        """The bytes of the file."""
        return self._rows.csv

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow stream; undefined figures are null."""
        return self._rows.arrow()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"{key}: no such column; there are: {', '.join(self.columns)}")
            return self._rows.column(key)
        places = range(len(self))
        if isinstance(key, slice):
            chosen = places[key]
            first = min(chosen, default=0)
            rows = self._block(first, max(chosen, default=-1) + 1)
            return [rows[place - first] for place in chosen]
        try:
            place = places[key]
        except IndexError:
            raise IndexError(f"row {key}: there are {len(places)} rows") from None
        except TypeError:
            raise TypeError(f"row {key!r}: accepted: a whole number, a slice, or the name of a column") from None
        return self._block(place, place + 1)[0]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self), _BLOCK):
            yield from self._block(start, start + _BLOCK)

    def _block(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Rows as dicts."""
        names = self.columns
        columns = (self._rows.column(name, start, stop) for name in names)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars frame; undefined figures are null."""
        import polars as pl

        return pl.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame with nullable types."""
        import pandas as pd

        return pd.DataFrame({
            name: pd.array(self._rows.column(name), dtype=_NUMPY[kind]) for name, kind in self._rows.columns
        })

    def _repr_html_(self) -> str:
        def cells(tag: str, texts: Iterable[Any]) -> str:
            shown = (f"<{tag}>{'' if text is None else html.escape(str(text))}</{tag}>" for text in texts)
            return f"<tr>{''.join(shown)}</tr>"

        rows = "".join(cells("td", row.values()) for row in self[:_SHOWN])
        table = f"<table><thead>{cells('th', self.columns)}</thead><tbody>{rows}</tbody></table>"
        count = len(self)
        return table if count <= _SHOWN else f"{table}<p>the first {_SHOWN} of {count:,} rows</p>"


class Frames(Rows):
    """One row for each cell, with the columns of ``cells.csv``."""

    def _dimensions(self) -> list[str]:
        """The columns that may distinguish rows."""
        return self._rows.dimensions()

    def to_xarray(self) -> xarray.Dataset:
        """The rows as an xarray data set whose dimensions are the columns that distinguish them.

        Of cells, these are the parameters and players with several values; ``size`` where not all rows
        meet all columns of boards; and ``table`` if the others repeat. One row has no dimensions.
        """
        import pandas as pd
        import xarray as xr

        frame = pd.DataFrame({name: self._rows.column(name) for name in self.columns})
        if len(frame) == 1:
            return xr.Dataset(frame.iloc[0].to_dict())
        columns = [name for name in self._dimensions() if frame[name].nunique(dropna=False) > 1]
        if {"rows", "cols"} <= set(columns):
            sides = frame[["rows", "cols"]]
            if len(sides.drop_duplicates()) < sides.nunique().prod():
                frame["size"] = [f"{rows}x{cols}" for rows, cols in sides.itertuples(index=False)]
                columns = ["size", *(name for name in columns if name not in ("rows", "cols"))]
        if not columns or frame.duplicated(columns).any():
            columns.insert(0, "table")
        indexed = frame.set_index(columns)
        if indexed.index.has_duplicates:
            raise ValueError("to_xarray: several rows have the same parameters; use to_polars or to_pandas")
        data: xarray.Dataset = indexed.to_xarray()
        return data
