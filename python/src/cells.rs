//! The rows of a CSV file as data: bytes, and Arrow without pyarrow.

use crate::errors::wrong_input;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use csv::StringRecord;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use tilelab::report::cells::Cells as Read;

/// Columns with their kinds: `text`, `count`, `integer`, `number` or `flag`.
pub type Columns = Vec<(String, String)>;

/// Rows of a CSV file whose columns have kinds.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Cells {
    csv: Vec<u8>,
    rows: OnceLock<Vec<StringRecord>>,
    /// The columns with their kinds.
    #[pyo3(get)]
    columns: Columns,
}

#[pymethods]
impl Cells {
    #[new]
    pub fn new(csv: Vec<u8>, columns: Columns) -> Self {
        Self {
            csv,
            rows: OnceLock::new(),
            columns,
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Columns)) {
        (
            py.get_type::<Self>().into_any(),
            (self.csv(py), self.columns.clone()),
        )
    }

    /// The bytes of the file.
    #[getter]
    fn csv<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.csv)
    }

    /// How many rows there are.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.rows()?.len())
    }

    /// The values of a column; `None` where there is none.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let place = self.columns.iter().position(|(known, _)| known == name);
        let place = place.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let values = self.values(place)?;
        let list = match self.columns[place].1.as_str() {
            "count" => read::<u64>(name, &values)?.into_pyobject(py)?,
            "integer" => read::<i64>(name, &values)?.into_pyobject(py)?,
            "number" => read::<f64>(name, &values)?.into_pyobject(py)?,
            "flag" => read::<bool>(name, &values)?.into_pyobject(py)?,
            _ => values.into_pyobject(py)?,
        };
        Ok(list.unbind())
    }

    /// The columns of `cells.csv` that tell cells apart: parameters and players.
    fn dimensions(&self) -> PyResult<Vec<String>> {
        let cells = Read::parse("cells.csv", &self.csv, &[]).map_err(wrong_input)?;
        let mut names: Vec<String> = cells.parameters().into_iter().map(str::to_owned).collect();
        if !names.iter().any(|name| name == "player") {
            names.push("player".to_owned());
        }
        Ok(names)
    }

    /// The rows as an Arrow stream: a capsule named `arrow_array_stream`. Empty values are null.
    fn arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batch = self.batch()?;
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Cells {
    fn rows(&self) -> PyResult<&[StringRecord]> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let mut reader = csv::Reader::from_reader(&self.csv[..]);
        let rows = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(wrong_input)?;
        Ok(self.rows.get_or_init(|| rows))
    }

    /// The texts of a column.
    fn values(&self, place: usize) -> PyResult<Vec<Option<&str>>> {
        let value = |row| StringRecord::get(row, place).filter(|value| !value.is_empty());
        Ok(self.rows()?.iter().map(value).collect())
    }

    fn batch(&self) -> PyResult<RecordBatch> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (place, (name, kind)) in self.columns.iter().enumerate() {
            let values = self.values(place)?;
            let (kind, array): (DataType, ArrayRef) = match kind.as_str() {
                "count" => (
                    DataType::UInt64,
                    Arc::new(UInt64Array::from(read(name, &values)?)),
                ),
                "integer" => (
                    DataType::Int64,
                    Arc::new(Int64Array::from(read(name, &values)?)),
                ),
                "number" => (
                    DataType::Float64,
                    Arc::new(Float64Array::from(read(name, &values)?)),
                ),
                "flag" => (
                    DataType::Boolean,
                    Arc::new(BooleanArray::from(read(name, &values)?)),
                ),
                _ => (DataType::Utf8, Arc::new(StringArray::from(values))),
            };
            fields.push(Field::new(name, kind, true));
            arrays.push(array);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(wrong_input)
    }
}

/// The values of a column.
fn read<T: FromStr>(name: &str, values: &[Option<&str>]) -> PyResult<Vec<Option<T>>> {
    let value = |text: &Option<&str>| {
        let wrong = |text| wrong_input(format!("{name}={text}: not of the column's kind"));
        text.map(|text| text.parse().map_err(|_| wrong(text)))
            .transpose()
    };
    values.iter().map(value).collect()
}
