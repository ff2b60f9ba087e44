//! The rows of a CSV file as data: bytes, and Arrow without pyarrow.

use crate::errors::wrong_input;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder,
};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{DataType, Field, Schema};
use csv::StringRecord;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use tilelab::report::cells::Cells as Read;
use tilelab_output::text::unguarded;

/// Columns with their kinds: `text`, `count`, `integer`, `number` or `flag`.
pub type Columns = Vec<(String, String)>;

/// Rows of a CSV file whose columns have kinds.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Cells {
    csv: Vec<u8>,
    batch: OnceLock<RecordBatch>,
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
            batch: OnceLock::new(),
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
        Ok(self.batch()?.num_rows())
    }

    /// The values of a column in the rows from `start` up to `stop`, at most as many as there are;
    /// `None` where there is none.
    #[pyo3(signature = (name, start=0, stop=None))]
    fn column(
        &self,
        py: Python<'_>,
        name: &str,
        start: usize,
        stop: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        let batch = self.batch()?;
        let column = batch.column_by_name(name);
        let column = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let stop = stop.unwrap_or(usize::MAX).min(column.len());
        let start = start.min(stop);
        let part = column.slice(start, stop - start);
        fn listed<'py, T: IntoPyObject<'py>>(
            py: Python<'py>,
            values: impl Iterator<Item = Option<T>>,
        ) -> PyResult<Py<PyAny>> {
            let values: Vec<Option<T>> = values.collect();
            values.into_py_any(py)
        }
        match part.data_type() {
            DataType::UInt64 => listed(py, part.as_primitive::<UInt64Type>().iter()),
            DataType::Int64 => listed(py, part.as_primitive::<Int64Type>().iter()),
            DataType::Float64 => listed(py, part.as_primitive::<Float64Type>().iter()),
            DataType::Boolean => listed(py, part.as_boolean().iter()),
            _ => listed(py, part.as_string::<i32>().iter()),
        }
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
        let batch = self.batch()?.clone();
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Cells {
    /// The columns, read once.
    fn batch(&self) -> PyResult<&RecordBatch> {
        if let Some(batch) = self.batch.get() {
            return Ok(batch);
        }
        let kinds = self.columns.iter();
        let mut columns: Vec<Column> = kinds.map(|(_, kind)| Column::new(kind)).collect();
        let mut reader = csv::Reader::from_reader(&self.csv[..]);
        let mut row = StringRecord::new();
        while reader.read_record(&mut row).map_err(wrong_input)? {
            for (place, column) in columns.iter_mut().enumerate() {
                let text = row.get(place).filter(|text| !text.is_empty());
                column.push(text).map_err(|text| {
                    let (name, kind) = &self.columns[place];
                    wrong_input(format!("{name}={text}: not of the kind {kind}"))
                })?;
            }
        }
        let arrays: Vec<ArrayRef> = columns.into_iter().map(Column::finish).collect();
        let fields = self.columns.iter().zip(&arrays);
        let fields =
            fields.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, arrays).map_err(wrong_input)?;
        Ok(self.batch.get_or_init(|| batch))
    }
}

/// A column that is being read.
enum Column {
    Count(UInt64Builder),
    Integer(Int64Builder),
    Number(Float64Builder),
    Flag(BooleanBuilder),
    Text(StringBuilder),
}

impl Column {
    fn new(kind: &str) -> Self {
        match kind {
            "count" => Self::Count(UInt64Builder::new()),
            "integer" => Self::Integer(Int64Builder::new()),
            "number" => Self::Number(Float64Builder::new()),
            "flag" => Self::Flag(BooleanBuilder::new()),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    /// Adds a value; returns a text that is none of the column's kind.
    fn push<'a>(&mut self, text: Option<&'a str>) -> Result<(), &'a str> {
        fn read<T: FromStr>(text: Option<&str>) -> Result<Option<T>, &str> {
            text.map(|text| text.parse().map_err(|_| text)).transpose()
        }
        match self {
            Self::Count(values) => values.append_option(read(text)?),
            Self::Integer(values) => values.append_option(read(text)?),
            Self::Number(values) => values.append_option(read(text)?),
            Self::Flag(values) => values.append_option(read(text)?),
            Self::Text(values) => values.append_option(text.map(unguarded)),
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        let mut builder: Box<dyn ArrayBuilder> = match self {
            Self::Count(values) => Box::new(values),
            Self::Integer(values) => Box::new(values),
            Self::Number(values) => Box::new(values),
            Self::Flag(values) => Box::new(values),
            Self::Text(values) => Box::new(values),
        };
        builder.finish()
    }
}
