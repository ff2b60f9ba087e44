//! Writes Parquet files: row groups of columns, and the footer that says where they lie.
//!
//! Source: <https://github.com/apache/parquet-format>. The file begins and ends with the letters
//! PAR1; before the last four of them stand the footer and its length. Each column of a row group
//! is one data page, of version 1 and not compressed, after a page with its dictionary where it has
//! one. Every page has a checksum. Bytes depend on the values alone.
//!
//! A writer of its own: the crate `parquet` with its dependencies takes 50 s of processor time to
//! build in release mode, half of it for the crate alone.

use super::encoding;
use super::thrift::Struct;
use crate::report::schema::Kind;
use std::io::{self, Write};

pub(super) const MAGIC: &[u8; 4] = b"PAR1";
/// The program as readers show it.
const CREATED_BY: &str = concat!("tilelab version ", env!("CARGO_PKG_VERSION"));

// Numbers of the format's enumerations.
const BOOLEAN: i32 = 0;
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
pub(super) const PLAIN: i32 = 0;
const RLE: i32 = 3;
pub(super) const DELTA_BINARY_PACKED: i32 = 5;
pub(super) const RLE_DICTIONARY: i32 = 8;
pub(super) const DATA_PAGE: i32 = 0;
pub(super) const DICTIONARY_PAGE: i32 = 2;
pub(super) const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;

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
    Texts(Vec<String>),
    /// Places in a dictionary of texts, for columns of few different texts.
    Places {
        /// The different texts.
        dictionary: Vec<String>,
        /// The place of each value, from 0.
        places: Vec<u32>,
    },
    /// Whole numbers; of [`Kind::Count`] the same 64 bits.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Truth values.
    Flags(Vec<bool>),
}

impl Values {
    fn count(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Places { places, .. } => places.len(),
            Self::Integers(integers) => integers.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Flags(flags) => flags.len(),
        }
    }

    fn fits(&self, kind: Kind) -> bool {
        match self {
            Self::Texts(_) | Self::Places { .. } => kind == Kind::Text,
            Self::Integers(_) => matches!(kind, Kind::Count | Kind::Integer),
            Self::Numbers(_) => kind == Kind::Number,
            Self::Flags(_) => kind == Kind::Flag,
        }
    }

    /// The encoding, and the values in it.
    fn encoded(&self) -> (i32, Vec<u8>) {
        match self {
            Self::Texts(texts) => (PLAIN, encoding::texts(texts)),
            Self::Places { dictionary, places } => {
                let width = dictionary_width(dictionary.len());
                let mut bytes = vec![width as u8];
                bytes.extend(encoding::runs(places, width));
                (RLE_DICTIONARY, bytes)
            }
            Self::Integers(integers) => (DELTA_BINARY_PACKED, encoding::delta(integers)),
            Self::Numbers(numbers) => (
                PLAIN,
                numbers
                    .iter()
                    .flat_map(|number| number.to_le_bytes())
                    .collect(),
            ),
            Self::Flags(flags) => (PLAIN, encoding::flags(flags)),
        }
    }
}

/// The rows of a column in a row group.
#[derive(Clone, Debug)]
pub struct Column {
    /// The values that are there, in the order of the rows.
    pub values: Values,
    /// Which rows have a value, for optional columns; `None`: all.
    pub defined: Option<Vec<bool>>,
}

impl From<Values> for Column {
    fn from(values: Values) -> Self {
        Self {
            values,
            defined: None,
        }
    }
}

/// Writes one file.
pub struct Writer<W> {
    output: W,
    /// Bytes written.
    at: u64,
    /// The name of the table.
    name: &'static str,
    fields: Vec<Field>,
    groups: Vec<Struct>,
    rows: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file with these columns; `name` is that of the whole table.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn new(output: W, name: &'static str, fields: Vec<Field>) -> io::Result<Self> {
        let mut writer = Self {
            output,
            at: 0,
            name,
            fields,
            groups: Vec::new(),
            rows: 0,
        };
        writer.write(MAGIC)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.output.write_all(bytes)
    }

    /// Writes a row group: a column for each field, all with equally many rows.
    ///
    /// # Errors
    /// When the output cannot be written.
    ///
    /// # Panics
    /// When the columns do not fit the fields or each other, or have 2³¹ rows or bytes.
    pub fn group(&mut self, columns: &[Column]) -> io::Result<()> {
        assert_eq!(columns.len(), self.fields.len(), "a column for each field");
        let rows = |column: &Column| {
            column
                .defined
                .as_ref()
                .map_or_else(|| column.values.count(), Vec::len)
        };
        let count = columns.first().map_or(0, rows);
        let begun = self.at;
        let mut chunks = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            assert!(
                column.values.fits(self.fields[number].kind),
                "values of the field's type"
            );
            assert_eq!(rows(column), count, "equally many rows in each column");
            chunks.push(self.chunk(number, column, count)?);
        }
        let bytes = (self.at - begun).cast_signed();
        let ordinal = i16::try_from(self.groups.len()).ok();
        let group = Struct::default()
            .structures(1, chunks)
            .i64(2, bytes)
            .i64(3, count as i64)
            .i64(5, begun.cast_signed())
            .i64(6, bytes);
        self.groups.push(match ordinal {
            Some(ordinal) => group.i16(7, ordinal),
            None => group,
        });
        self.rows += count as u64;
        Ok(())
    }

    /// Writes the pages of a column; returns what the footer says about it.
    fn chunk(&mut self, number: usize, column: &Column, rows: usize) -> io::Result<Struct> {
        let Field {
            name,
            kind,
            is_optional,
        } = self.fields[number].clone();
        let begun = self.at;
        let dictionary = match &column.values {
            Values::Places { dictionary, .. } => {
                let about = Struct::default()
                    .i32(1, size(dictionary.len()))
                    .i32(2, PLAIN);
                self.page(DICTIONARY_PAGE, 7, about, &encoding::texts(dictionary))?;
                Some(begun.cast_signed())
            }
            _ => None,
        };
        let data = self.at.cast_signed();
        let (encoding, values) = column.values.encoded();
        let mut bytes = Vec::new();
        if is_optional {
            let levels = column
                .defined
                .as_ref()
                .map_or_else(|| vec![1; rows], |defined| levels(defined));
            let levels = encoding::runs(&levels, 1);
            bytes.extend(size(levels.len()).to_le_bytes());
            bytes.extend(levels);
        }
        bytes.extend(values);
        let about = Struct::default()
            .i32(1, size(rows))
            .i32(2, encoding)
            .i32(3, RLE)
            .i32(4, RLE);
        self.page(DATA_PAGE, 5, about, &bytes)?;
        let length = (self.at - begun).cast_signed();
        let mut encodings = vec![RLE, encoding];
        if dictionary.is_some() {
            encodings.push(PLAIN);
        }
        let about = Struct::default()
            .i32(1, physical(kind))
            .numbers(2, &encodings)
            .one_text(3, &name)
            .i32(4, 0)
            .i64(5, rows as i64)
            .i64(6, length)
            .i64(7, length)
            .i64(9, data);
        let about = match dictionary {
            Some(at) => about.i64(11, at),
            None => about,
        };
        Ok(Struct::default()
            .i64(2, begun.cast_signed())
            .structure(3, about))
    }

    /// Writes a page: its header, in which `field` holds what belongs to its kind, and its bytes.
    fn page(&mut self, kind: i32, field: i16, about: Struct, bytes: &[u8]) -> io::Result<()> {
        let length = size(bytes.len());
        let checksum = crc32fast::hash(bytes).cast_signed();
        let header = Struct::default()
            .i32(1, kind)
            .i32(2, length)
            .i32(3, length)
            .i32(4, checksum)
            .structure(field, about);
        self.write(&header.end())?;
        self.write(bytes)
    }

    /// Writes the footer with this metadata, keys and values; returns the output.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self, metadata: &[(&str, &str)]) -> io::Result<W> {
        let root = Struct::default()
            .text(4, self.name)
            .i32(5, size(self.fields.len()));
        let schema: Vec<Struct> = std::iter::once(root)
            .chain(self.fields.iter().map(element))
            .collect();
        let metadata = metadata
            .iter()
            .map(|(key, value)| Struct::default().text(1, key).text(2, value))
            .collect();
        let footer = Struct::default()
            .i32(1, 1)
            .structures(2, schema)
            .i64(3, self.rows.cast_signed())
            .structures(4, std::mem::take(&mut self.groups))
            .structures(5, metadata)
            .text(6, CREATED_BY)
            .end();
        self.write(&footer)?;
        self.write(&size(footer.len()).to_le_bytes())?;
        self.write(MAGIC)?;
        self.output.flush()?;
        Ok(self.output)
    }
}

/// The bits of a place in a dictionary of so many texts.
pub(super) fn dictionary_width(texts: usize) -> u32 {
    u32::BITS - (texts.max(2) as u32 - 1).leading_zeros()
}

/// A length as the format stores it.
fn size(length: usize) -> i32 {
    i32::try_from(length).expect("a part of the file is shorter than 2 GiB")
}

fn levels(defined: &[bool]) -> Vec<u32> {
    defined.iter().map(|&defined| u32::from(defined)).collect()
}

const fn physical(kind: Kind) -> i32 {
    match kind {
        Kind::Text => BYTE_ARRAY,
        Kind::Count | Kind::Integer => INT64,
        Kind::Number => DOUBLE,
        Kind::Flag => BOOLEAN,
    }
}

/// A column in the schema, with the type that readers give it: both in the older and the newer way
/// of the format.
fn element(field: &Field) -> Struct {
    let repetition = if field.is_optional {
        OPTIONAL
    } else {
        REQUIRED
    };
    let element = Struct::default()
        .i32(1, physical(field.kind))
        .i32(3, repetition)
        .text(4, &field.name);
    let integer =
        |is_signed| Struct::default().structure(10, Struct::default().i8(1, 64).flag(2, is_signed));
    match field.kind {
        Kind::Text => element
            .i32(6, 0)
            .structure(10, Struct::default().structure(1, Struct::default())),
        Kind::Count => element.i32(6, 14).structure(10, integer(false)),
        Kind::Integer => element.i32(6, 18).structure(10, integer(true)),
        Kind::Number | Kind::Flag => element,
    }
}
