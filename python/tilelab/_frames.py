"""Rows of ``cells.csv`` as frames."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Frames:
    """One row for each cell, with the columns of ``cells.csv``."""

    def _cells(self) -> tuple[bytes, list[tuple[str, str]]]:
        """The bytes of ``cells.csv``, and its columns with their kinds."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, str]:
        """The columns and their kinds: ``text``, ``count``, ``integer``, ``number`` or ``flag``."""
        return dict(self._cells()[1])

    @property
    def csv(self) -> bytes:
        """The bytes of ``cells.csv``."""
        return self._cells()[0]

    def polars(self) -> polars.DataFrame:
        """The cells as a polars frame; undefined figures are null."""
        import polars as pl

        # Counts go up to 2⁶⁴ - 1.
        kinds = {"text": pl.String, "count": pl.UInt64, "integer": pl.Int64, "number": pl.Float64, "flag": pl.Boolean}
        csv, columns = self._cells()
        return pl.read_csv(io.BytesIO(csv), schema={name: kinds[kind] for name, kind in columns})

    def pandas(self) -> pandas.DataFrame:
        """The cells as a pandas frame with types that have missing values."""
        import pandas as pd

        kinds = {"text": "string", "count": "UInt64", "integer": "Int64", "number": "Float64", "flag": "boolean"}
        csv, columns = self._cells()
        schema: dict[str, Any] = {name: kinds[kind] for name, kind in columns}
        return pd.read_csv(io.BytesIO(csv), dtype=schema, keep_default_na=False, na_values=[""])

    def arrow(self) -> pyarrow.Table:
        """The cells as a pyarrow table; undefined figures are null."""
        import pyarrow as pa
        from pyarrow import csv

        kinds = {
            "text": pa.string(),
            "count": pa.uint64(),
            "integer": pa.int64(),
            "number": pa.float64(),
            "flag": pa.bool_(),
        }
        cells, columns = self._cells()
        types = {name: kinds[kind] for name, kind in columns}
        convert = csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True)
        return csv.read_csv(io.BytesIO(cells), convert_options=convert)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The cells as an Arrow stream, for every library that reads one (needs pyarrow)."""
        return self.arrow().__arrow_c_stream__(requested_schema)
