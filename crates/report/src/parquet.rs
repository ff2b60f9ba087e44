//! Apache Parquet: `cells.parquet`, the same data as `cells.csv` in columns with types, and the
//! row groups of `games.parquet`. The format itself is read and written by the crate `parquet`.
//!
//! In `cells.parquet` every column is optional, so undefined fields are null. Text is UTF-8, counts
//! are unsigned and other whole numbers signed 64-bit integers, numbers are doubles. The schema of
//! [`super::schema`] is in the file's metadata as JSON under `tilelab.schema`.

use super::cells::Cells;
use super::json::{TypedColumn, schema_of, wrong};
use super::schema::Kind;
pub use parquet::basic::Compression;
use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
pub use parquet::data_type::ByteArray;
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;
use tilelab_output::checksum::Summed;

/// The key under which the metadata of a file has the schema.
const SCHEMA: &str = "tilelab.schema";
/// The key under which the metadata of a file has the checksum of all row groups, which pages do
/// not have.
const CHECKSUM: &str = "tilelab.crc32";
/// What files of this program call their writer, before its version.
const WRITER: &str = "tilelab version ";
/// The most rows of a row group of `games.parquet`.
pub const GROUP_ROWS: usize = 1 << 18;

/// A column of a file.
#[derive(Clone, Debug)]
pub struct ParquetField {
    /// The name of the column.
    pub name: String,
    /// The type of the column's values.
    pub kind: Kind,
    /// Whether values may be missing.
    pub is_optional: bool,
}

/// The values of a column in a row group.
#[derive(Clone, Debug, PartialEq)]
pub enum ParquetValues {
    /// Texts.
    Texts(Vec<ByteArray>),
    /// Whole numbers; of [`Kind::Count`] the same 64 bits.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Truth values.
    Flags(Vec<bool>),
}

/// The rows of a column in a row group.
#[derive(Clone, Debug, PartialEq)]
pub struct ParquetColumn {
    /// The values that are there, in the order of the rows.
    pub values: ParquetValues,
    /// For optional columns 1 for each row that has a value, 0 for the others.
    pub defined: Option<Vec<i16>>,
}

impl From<ParquetValues> for ParquetColumn {
    fn from(values: ParquetValues) -> Self {
        Self {
            values,
            defined: None,
        }
    }
}

/// Writes `cells.parquet`, compressed with gzip.
///
/// # Errors
/// Names the column and the field that is not of its type.
pub fn to_parquet(cells: &Cells, columns: &[TypedColumn]) -> Result<Vec<u8>, String> {
    let fields: Vec<ParquetField> = columns
        .iter()
        .map(|column| ParquetField {
            name: column.name.clone(),
            kind: column.kind,
            is_optional: true,
        })
        .collect();
    let filled: Vec<ParquetColumn> = columns
        .iter()
        .map(|column| typed(cells, column))
        .collect::<Result<_, _>>()?;
    let mut bytes = Vec::new();
    let level = parquet::basic::GzipLevel::default();
    Writer::new(&mut bytes, "cells", &fields, Compression::GZIP(level))
        .and_then(|mut writer| {
            writer.metadata(SCHEMA, &schema_of(columns).to_string());
            writer.group(&filled)?;
            writer.finish()
        })
        .expect("memory can be written");
    Ok(bytes)
}

/// The rows of a column of `cells.csv`.
fn typed(cells: &Cells, column: &TypedColumn) -> Result<ParquetColumn, String> {
    let fields: Vec<_> = cells.records().map(|row| row.get(&column.name)).collect();
    let texts = || fields.iter().copied().flatten();
    let values = match column.kind {
        Kind::Text => ParquetValues::Texts(texts().map(ByteArray::from).collect()),
        Kind::Count => {
            let counts = parsed::<u64>(column, texts())?;
            ParquetValues::Integers(counts.into_iter().map(u64::cast_signed).collect())
        }
        Kind::Integer => ParquetValues::Integers(parsed(column, texts())?),
        Kind::Number => ParquetValues::Numbers(parsed(column, texts())?),
        Kind::Flag => ParquetValues::Flags(parsed(column, texts())?),
    };
    Ok(ParquetColumn {
        values,
        defined: Some(fields.iter().map(|field| field.is_some().into()).collect()),
    })
}

fn parsed<'a, T: FromStr>(
    column: &TypedColumn,
    texts: impl Iterator<Item = &'a str>,
) -> Result<Vec<T>, String> {
    texts
        .map(|text| text.parse().map_err(|_| wrong(column, text)))
        .collect()
}

/// Writes one file; its bytes depend on the values alone.
pub struct Writer<W: Write + Send>(SerializedFileWriter<Summed<W>>);

impl<W: Write + Send> Writer<W> {
    /// Begins a file with these columns; `name` is that of the whole table.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn new(
        output: W,
        name: &str,
        fields: &[ParquetField],
        compression: Compression,
    ) -> io::Result<Self> {
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("{WRITER}{}", env!("CARGO_PKG_VERSION")))
            .set_compression(compression)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true);
        for field in fields {
            // Neighbouring games have neighbouring numbers.
            if matches!(field.kind, Kind::Count | Kind::Integer) {
                let path = ColumnPath::from(field.name.as_str());
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
            }
        }
        let columns = fields
            .iter()
            .map(|field| Arc::new(schema_type(field)))
            .collect();
        let schema = Type::group_type_builder(name)
            .with_fields(columns)
            .build()
            .expect("a table is a group of columns");
        SerializedFileWriter::new(
            Summed::new(output),
            Arc::new(schema),
            Arc::new(properties.build()),
        )
        .map(Self)
        .map_err(as_io)
    }

    /// Adds a key with its text to the metadata of the file.
    pub fn metadata(&mut self, key: &str, text: &str) {
        let pair = KeyValue::new(key.to_owned(), text.to_owned());
        self.0.append_key_value_metadata(pair);
    }

    /// Writes a row group: a column for each field, all with equally many rows.
    ///
    /// # Errors
    /// When the output cannot be written, or the columns do not fit the fields or each other.
    pub fn group(&mut self, columns: &[ParquetColumn]) -> io::Result<()> {
        let mut group = self.0.next_row_group().map_err(as_io)?;
        for ParquetColumn { values, defined } in columns {
            let levels = defined.as_deref();
            match values {
                ParquetValues::Texts(texts) => {
                    write_column::<ByteArrayType, _>(&mut group, texts, levels)
                }
                ParquetValues::Integers(numbers) => {
                    write_column::<Int64Type, _>(&mut group, numbers, levels)
                }
                ParquetValues::Numbers(numbers) => {
                    write_column::<DoubleType, _>(&mut group, numbers, levels)
                }
                ParquetValues::Flags(flags) => {
                    write_column::<BoolType, _>(&mut group, flags, levels)
                }
            }
            .map_err(as_io)?;
        }
        group.close().map(drop).map_err(as_io)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()?;
        let sum = self.0.inner().checksum();
        self.metadata(CHECKSUM, &sum);
        self.0.finish().map_err(as_io)?;
        self.0.flush()
    }
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("more columns than fields".to_owned()))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

/// A failure of the output keeps its kind.
fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

fn schema_type(field: &ParquetField) -> Type {
    let (physical, logical) = match field.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Kind::Integer => (Physical::INT64, Some(LogicalType::integer(64, true))),
        Kind::Number => (Physical::DOUBLE, None),
        Kind::Flag => (Physical::BOOLEAN, None),
    };
    let repetition = if field.is_optional {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(&field.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
        .expect("the logical type fits the physical one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    use tilelab_games::rng::mix;

    /// A text, a count and a number that may be missing.
    type Row = (String, u64, Option<i64>);

    /// Row groups of these sizes.
    fn file(groups: &[usize]) -> (Vec<u8>, Vec<Row>) {
        let field = |name: &str, kind, is_optional| ParquetField {
            name: name.to_owned(),
            kind,
            is_optional,
        };
        let fields = [
            field("cell", Kind::Text, false),
            field("moves", Kind::Count, false),
            field("score", Kind::Integer, true),
        ];
        let mut bytes = Vec::new();
        let mut writer =
            Writer::new(&mut bytes, "games", &fields, Compression::UNCOMPRESSED).unwrap();
        let mut all = Vec::new();
        for (number, &rows) in groups.iter().enumerate() {
            let row = |row: usize| {
                let random = mix((number * 1000 + row) as u64);
                let score = random.is_multiple_of(3).then_some(row as i64 - 7);
                (format!("ü{}", random % 5), random >> (20 * number), score)
            };
            let rows: Vec<Row> = (0..rows).map(row).collect();
            let texts = rows.iter().map(|(text, ..)| text.as_str().into());
            let counts = rows.iter().map(|(_, count, _)| count.cast_signed());
            let scores = || rows.iter().map(|(.., score)| *score);
            let columns = [
                ParquetValues::Texts(texts.collect()).into(),
                ParquetValues::Integers(counts.collect()).into(),
                ParquetColumn {
                    values: ParquetValues::Integers(scores().flatten().collect()),
                    defined: Some(scores().map(|score| score.is_some().into()).collect()),
                },
            ];
            writer.group(&columns).unwrap();
            all.extend(rows);
        }
        writer.finish().unwrap();
        (bytes, all)
    }

    #[test]
    fn what_was_written_reads_back() {
        for groups in [&[][..], &[1], &[300, 2, 129]] {
            let (bytes, rows) = file(groups);
            assert_eq!(file(groups).0, bytes);
            let mut output = tempfile::tempfile().unwrap();
            output.write_all(&bytes).unwrap();
            let reader = SerializedFileReader::new(output).unwrap();
            let read = reader.get_row_iter(None).unwrap().map(|row| {
                let row = row.unwrap();
                let text = row.get_string(0).unwrap().clone();
                (text, row.get_ulong(1).unwrap(), row.get_long(2).ok())
            });
            assert!(read.eq(rows), "{groups:?}");
        }
    }
}
