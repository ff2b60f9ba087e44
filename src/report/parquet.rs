//! `cells.parquet`: the same data as `cells.csv` in columns with types, for readers of Apache
//! Parquet.
//!
//! One row group; every column is optional, so undefined fields are null. Text is UTF-8, counts are
//! unsigned and other whole numbers signed 64-bit integers, numbers are doubles. The schema of
//! [`super::schema`] stands as JSON in the file's metadata under `tilelab.schema`.

use super::cells::Cells;
use super::json::{TypedColumn, schema_of, wrong};
use super::schema::Kind;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// Writes `cells.parquet`.
///
/// # Errors
/// Names the column and the field that is not of its type, or says what the writer met.
pub fn to_parquet(cells: &Cells, columns: &[TypedColumn]) -> Result<Vec<u8>, String> {
    write(cells, columns).map_err(|error| match error {
        ParquetError::General(message) => message,
        other => other.to_string(),
    })
}

fn write(cells: &Cells, columns: &[TypedColumn]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    let root = Arc::new(Type::group_type_builder("cells").with_fields(fields).build()?);
    let schema = KeyValue::new("tilelab.schema".to_owned(), schema_of(columns).to_string());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![schema])).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, root, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        match column.kind {
            Kind::Text => write_column::<ByteArrayType, _>(&mut group, cells, column, |text| Some(text.into()))?,
            // The bits of an unsigned number; the logical type tells how they are meant.
            Kind::Count => write_column::<Int64Type, _>(&mut group, cells, column, |text| {
                text.parse::<u64>().ok().map(u64::cast_signed)
            })?,
            Kind::Integer => write_column::<Int64Type, _>(&mut group, cells, column, |text| text.parse().ok())?,
            Kind::Number => write_column::<DoubleType, _>(&mut group, cells, column, |text| text.parse().ok())?,
            Kind::Flag => write_column::<BoolType, _>(&mut group, cells, column, |text| text.parse().ok())?,
        }
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn field(column: &TypedColumn) -> Result<Arc<Type>, ParquetError> {
    let integer = |is_signed| Some(LogicalType::integer(64, is_signed));
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Count => (Physical::INT64, integer(false)),
        Kind::Integer => (Physical::INT64, integer(true)),
        Kind::Number => (Physical::DOUBLE, None),
        Kind::Flag => (Physical::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(&column.name, physical);
    Ok(Arc::new(field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}

fn write_column<T: DataType, F: Fn(&str) -> Option<T::T>>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    cells: &Cells,
    column: &TypedColumn,
    read: F,
) -> Result<(), ParquetError> {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    for row in cells.records() {
        let text = row.get(&column.name);
        levels.push(i16::from(text.is_some()));
        if let Some(text) = text {
            values.push(read(text).ok_or_else(|| ParquetError::General(wrong(column, text)))?);
        }
    }
    let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("a column too many".to_owned()))?;
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    writer.close()
}
