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
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// The key under which the metadata of a file has the schema.
const SCHEMA: &str = "tilelab.schema";
/// The key under which it has the checksum of all row groups, which pages do not have.
const CHECKSUM: &str = "tilelab.crc32";
/// What files of this program call their writer, before its version.
const WRITER: &str = "tilelab version ";
/// The most bytes of a footer or a column that are read: many times what tilelab writes.
const PART_BYTES_MAX: u64 = 64 << 20;

/// The most rows of a row group of `games.parquet`.
pub const GROUP_ROWS: usize = 1 << 18;

/// A column of a file.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    /// Whether values may be missing.
    pub is_optional: bool,
}

/// The values of a column in a row group.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
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
pub struct Column {
    /// The values that are there, in the order of the rows.
    pub values: Values,
    /// For optional columns 1 for each row that has a value, 0 for the others.
    pub defined: Option<Vec<i16>>,
}

impl From<Values> for Column {
    fn from(values: Values) -> Self {
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
    let field = |column: &TypedColumn| Field {
        name: column.name.clone(),
        kind: column.kind,
        is_optional: true,
    };
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let filled: Vec<Column> = columns
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
fn typed(cells: &Cells, column: &TypedColumn) -> Result<Column, String> {
    let fields: Vec<Option<&str>> = cells.records().map(|row| row.get(&column.name)).collect();
    let texts = || fields.iter().copied().flatten();
    let values = match column.kind {
        Kind::Text => Values::Texts(texts().map(ByteArray::from).collect()),
        Kind::Count => Values::Integers(parsed(column, texts(), |text| {
            Some(text.parse::<u64>().ok()?.cast_signed())
        })?),
        Kind::Integer => Values::Integers(parsed(column, texts(), |text| text.parse().ok())?),
        Kind::Number => Values::Numbers(parsed(column, texts(), |text| text.parse().ok())?),
        Kind::Flag => Values::Flags(parsed(column, texts(), |text| text.parse().ok())?),
    };
    Ok(Column {
        values,
        defined: Some(fields.iter().map(|field| field.is_some().into()).collect()),
    })
}

fn parsed<'a, T>(
    column: &TypedColumn,
    texts: impl Iterator<Item = &'a str>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, String> {
    texts
        .map(|text| parse(text).ok_or_else(|| wrong(column, text)))
        .collect()
}

/// Writes one file; its bytes depend on the values alone.
pub struct Writer<W: Write + Send>(SerializedFileWriter<Summed<W>>);

/// An output with the checksum of what was written.
struct Summed<W> {
    output: W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file with these columns; `name` is that of the whole table.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn new(
        output: W,
        name: &str,
        fields: &[Field],
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
        let output = Summed {
            output,
            sum: crc32fast::Hasher::new(),
        };
        SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties.build()))
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
    pub fn group(&mut self, columns: &[Column]) -> io::Result<()> {
        let mut group = self.0.next_row_group().map_err(as_io)?;
        for Column { values, defined } in columns {
            let levels = defined.as_deref();
            match values {
                Values::Texts(texts) => write_column::<ByteArrayType, _>(&mut group, texts, levels),
                Values::Integers(numbers) => {
                    write_column::<Int64Type, _>(&mut group, numbers, levels)
                }
                Values::Numbers(numbers) => {
                    write_column::<DoubleType, _>(&mut group, numbers, levels)
                }
                Values::Flags(flags) => write_column::<BoolType, _>(&mut group, flags, levels),
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
        let sum = self.0.inner().sum.clone().finalize();
        self.metadata(CHECKSUM, &format!("{sum:08x}"));
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

fn schema_type(field: &Field) -> Type {
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

/// Reads a file that [`Writer`] wrote without compression, and refuses all others.
///
/// What is allocated is bounded by the bytes of the file, by [`PART_BYTES_MAX`] and by
/// [`GROUP_ROWS`]: no length in the file is trusted.
pub struct Reader(SerializedFileReader<File>);

impl Reader {
    /// Reads the footer.
    ///
    /// # Errors
    /// Says what is wrong: the file cannot be read, is damaged, or was written by another program.
    pub fn new(mut file: File) -> Result<Self, String> {
        let end = check_footer(&mut file)?;
        let again = file.try_clone().map_err(|error| error.to_string())?;
        let reader = caught(|| SerializedFileReader::new(file).map_err(damaged))?;
        check_groups(reader.metadata())?;
        check_sum(reader.metadata(), again, end)?;
        Ok(Self(reader))
    }

    /// The number of row groups.
    pub fn groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// The texts of a column without missing values in a row group.
    ///
    /// # Errors
    /// Says that there is no such column, or that it is damaged.
    pub fn texts(&self, group: usize, name: &str) -> Result<Vec<ByteArray>, String> {
        let texts = self.column::<ByteArrayType>(group, name)?;
        let all: Option<_> = texts.into_iter().collect();
        all.ok_or_else(|| damaged(format_args!("row group {group}, column {name}: gaps")))
    }

    /// The whole numbers of a column in a row group, and where they are missing.
    ///
    /// # Errors
    /// Says that there is no such column, or that it is damaged.
    pub fn integers(&self, group: usize, name: &str) -> Result<Vec<Option<i64>>, String> {
        self.column::<Int64Type>(group, name)
    }

    fn column<T: DataType>(&self, group: usize, name: &str) -> Result<Vec<Option<T::T>>, String> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        let number = (0..schema.num_columns())
            .find(|&number| schema.column(number).name() == name)
            .ok_or_else(|| format!("the column {name} is missing"))?;
        let read = || {
            let group = self.0.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows())?;
            let reader = T::get_column_reader(group.get_column_reader(number)?);
            let mut reader = reader.ok_or_else(|| general("another type"))?;
            let mut levels = Vec::new();
            let mut values = Vec::new();
            let (records, _, _) =
                reader.read_records(rows, Some(&mut levels), None, &mut values)?;
            let is_optional = schema.column(number).max_def_level() > 0;
            if !is_optional {
                levels = vec![1; values.len()];
            }
            if records != rows || levels.len() != rows {
                return Err(general("not as many values as rows"));
            }
            let mut values = values.into_iter();
            Ok(levels
                .into_iter()
                .map(|level| if level > 0 { values.next() } else { None })
                .collect())
        };
        let wrong = |what: String| format!("row group {group}, column {name}: {what}");
        caught(|| read().map_err(|error: ParquetError| damaged(error))).map_err(wrong)
    }
}

/// The crate panics at some damaged files, those whose footer points to other bytes.
fn caught<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(damaged("it cannot be decoded")))
}

fn general(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

fn damaged(what: impl std::fmt::Display) -> String {
    format!("damaged: {what}")
}

/// Refuses a file that claims a longer footer than tilelab writes, before it is read; returns where
/// the footer begins.
fn check_footer(file: &mut File) -> Result<u64, String> {
    let mut end = [0; 8];
    let size = file
        .seek(SeekFrom::End(0))
        .map_err(|error| error.to_string())?;
    if size < 12 {
        return Err("too short for a Parquet file".to_owned());
    }
    file.seek(SeekFrom::End(-8))
        .and_then(|_| file.read_exact(&mut end))
        .map_err(|error| error.to_string())?;
    let [length @ .., b'P', b'A', b'R', b'1'] = end else {
        return Err("not a Parquet file: PAR1 is missing at its end".to_owned());
    };
    let length = u64::from(u32::from_le_bytes(length));
    if length > PART_BYTES_MAX.min(size - 12) {
        return Err(damaged(format_args!(
            "a footer of {length} bytes in a file of {size}"
        )));
    }
    Ok(size - 8 - length)
}

/// Holds the bytes before `end` against the checksum in the footer.
fn check_sum(metadata: &ParquetMetaData, mut file: File, end: u64) -> Result<(), String> {
    let pairs = metadata.file_metadata().key_value_metadata();
    let known = pairs
        .into_iter()
        .flatten()
        .find(|pair| pair.key == CHECKSUM)
        .and_then(|pair| pair.value.as_deref());
    let mut sum = Summed {
        output: io::sink(),
        sum: crc32fast::Hasher::new(),
    };
    file.rewind()
        .and_then(|()| io::copy(&mut file.take(end), &mut sum))
        .map_err(|error| error.to_string())?;
    if known != Some(&format!("{:08x}", sum.sum.finalize())) {
        return Err(damaged("its checksum is wrong"));
    }
    Ok(())
}

/// Refuses a file of another program, and one whose columns claim more than the reader allocates.
fn check_groups(metadata: &ParquetMetaData) -> Result<(), String> {
    let writer = metadata.file_metadata().created_by();
    let writer = writer.unwrap_or("an unknown program");
    if !writer.starts_with(WRITER) {
        return Err(format!("written by {writer}, not by tilelab"));
    }
    for group in metadata.row_groups() {
        let rows = group.num_rows();
        if !(1..=GROUP_ROWS as i64).contains(&rows) {
            return Err(damaged(format_args!("a row group of {rows} rows")));
        }
        for column in group.columns() {
            let bytes = column.compressed_size();
            let is_right = column.compression() == Compression::UNCOMPRESSED
                && (0..=PART_BYTES_MAX.cast_signed()).contains(&bytes)
                && column.num_values() == rows;
            if !is_right {
                return Err(damaged(format_args!(
                    "a column of {bytes} bytes with {} values in {rows} rows, {}",
                    column.num_values(),
                    column.compression()
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    type Read = Vec<(Vec<ByteArray>, Vec<Option<i64>>, Vec<Option<i64>>)>;

    /// Row groups of these sizes with texts, counts and a column with gaps.
    fn file(groups: &[usize]) -> (Vec<u8>, Read) {
        let field = |name: &str, kind, is_optional| Field {
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
            let random = |row: usize| mix((number * 1000 + row) as u64);
            let texts: Vec<ByteArray> = (0..rows)
                .map(|row| format!("ü{}", random(row / 20) % 5).as_str().into())
                .collect();
            let counts: Vec<i64> = (0..rows)
                .map(|row| (random(row) >> (20 * number)).cast_signed())
                .collect();
            let scores: Vec<Option<i64>> = (0..rows)
                .map(|row| random(row).is_multiple_of(3).then_some(row as i64 - 7))
                .collect();
            let columns = [
                Values::Texts(texts.clone()).into(),
                Values::Integers(counts.clone()).into(),
                Column {
                    values: Values::Integers(scores.iter().copied().flatten().collect()),
                    defined: Some(scores.iter().map(|score| score.is_some().into()).collect()),
                },
            ];
            writer.group(&columns).unwrap();
            all.push((texts, counts.into_iter().map(Some).collect(), scores));
        }
        writer.finish().unwrap();
        (bytes, all)
    }

    fn read_all(bytes: &[u8]) -> Result<Read, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = Reader::new(file)?;
        (0..reader.groups())
            .map(|group| {
                Ok((
                    reader.texts(group, "cell")?,
                    reader.integers(group, "moves")?,
                    reader.integers(group, "score")?,
                ))
            })
            .collect()
    }

    #[test]
    fn what_was_written_reads_back() {
        for groups in [&[][..], &[1], &[300, 2, 129]] {
            let (bytes, values) = file(groups);
            assert_eq!(read_all(&bytes), Ok(values));
            assert_eq!(file(groups).0, bytes);
        }
    }

    /// Every truncation, every flipped bit, and random changes of several bytes.
    #[test]
    fn damaged_files_are_refused_or_read_as_they_were() {
        let (bytes, values) = file(&[40, 3]);
        let refused_or_same = |damaged: &[u8], what: String| {
            if let Ok(read) = read_all(damaged) {
                assert!(read == values, "{what}");
            }
        };
        for length in 0..bytes.len() {
            assert!(read_all(&bytes[..length]).is_err(), "cut to {length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused_or_same(&damaged, format!("bit {bit} of {} bytes", bytes.len()));
        }
        for trial in 0..10_000 {
            let mut damaged = bytes.clone();
            for change in 0..2 + trial % 4 {
                let random = mix(trial << 8 | change);
                let place = (random >> 32) as usize % damaged.len();
                match random % 4 {
                    0 => drop(damaged.remove(place)),
                    1 => damaged.insert(place, random as u8),
                    _ => damaged[place] = (random >> 8) as u8,
                }
            }
            refused_or_same(&damaged, format!("trial {trial}"));
        }
    }

    #[test]
    fn files_of_others_are_named() {
        let (bytes, _) = file(&[4]);
        let error = |bytes: &[u8]| read_all(bytes).unwrap_err();
        let at = bytes
            .windows(WRITER.len())
            .position(|window| window == WRITER.as_bytes())
            .unwrap();
        let mut other = bytes.clone();
        other[at..at + 7].copy_from_slice(b"another");
        assert_eq!(
            error(&other),
            format!(
                "written by another version {}, not by tilelab",
                env!("CARGO_PKG_VERSION")
            )
        );
        assert_eq!(error(b"PAR1"), "too short for a Parquet file");
        assert!(error(b"a,b\n1,2\n3,4\n5,6\n").starts_with("not a Parquet file"));
        let length = bytes.len() - 8;
        let mut forged = bytes.clone();
        forged[length..length + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(
            error(&forged).contains("a footer of 4294967295 bytes"),
            "{}",
            error(&forged)
        );
    }
}
