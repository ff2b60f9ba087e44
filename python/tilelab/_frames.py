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
                raise KeyError(key)
            return self._rows.column(key)
        return list(self)[key]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        table = self._table()
        return (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))

    def _table(self) -> dict[str, list[Any]]:
        return {name: self._rows.column(name) for name in self.columns}

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

        rows = "".join(cells("td", row.values()) for row in self)
        return f"<table><thead>{cells('th', self.columns)}</thead><tbody>{rows}</tbody></table>"


class Frames(Rows):
    """One row for each cell, with the columns of ``cells.csv``."""

    def to_xarray(self) -> xarray.Dataset:
        """The cells as an xarray data set whose dimensions are the columns that distinguish them.

        These are the parameters and players with several values, and ``table`` if they repeat.
        """
        import pandas as pd

        frame = pd.DataFrame(self._table())
        columns = [name for name in self._rows.dimensions() if frame[name].nunique(dropna=False) > 1]
        if frame.duplicated(columns).any():
            columns.insert(0, "table")
        indexed = frame.set_index(columns) if columns else frame
        if indexed.index.has_duplicates:
            raise ValueError("to_xarray: rows agree in all parameters; use to_polars or to_pandas")
        data: xarray.Dataset = indexed.to_xarray()
        return data
