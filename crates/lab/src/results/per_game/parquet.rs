//! Rows of single games as Parquet.

use super::rows::{Columns, Field, RowWriter};
use crate::report::parquet::{self, Compression, GROUP_ROWS, ParquetColumn, ParquetValues, Writer};
use crate::report::schema::Kind;
use std::io::{self, Write};

/// Bytes of positions after which a row group ends sooner.
const GROUP_BYTES: usize = 1 << 24;

/// Rows as Parquet.
pub struct Parquet<W: Write + Send> {
    /// The writer; `None` after the end.
    writer: Option<Writer<W>>,
    fields: Vec<parquet::ParquetField>,
    /// The columns of the row group.
    group: Vec<ParquetColumn>,
    rows: usize,
    /// The bytes of all positions of the group.
    bytes: usize,
}

impl<W: Write + Send> Parquet<W> {
    pub fn new(columns: &Columns, output: W) -> io::Result<Self> {
        let columns = columns.names.iter();
        let fields = columns.map(|(name, kind, is_optional)| parquet::ParquetField {
            name: (*name).to_owned(),
            kind: *kind,
            is_optional: *is_optional,
        });
        let fields: Vec<parquet::ParquetField> = fields.collect();
        let writer = Writer::new(output, "games", &fields, Compression::UNCOMPRESSED)?;
        Ok(Self {
            writer: Some(writer),
            group: blank(&fields),
            fields,
            rows: 0,
            bytes: 0,
        })
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        [self.rows, self.bytes] = [0, 0];
        let group = std::mem::replace(&mut self.group, blank(&self.fields));
        let writer = self.writer.as_mut();
        writer.expect("the file has not ended").group(&group)
    }
}

/// A row group without rows.
fn blank(fields: &[parquet::ParquetField]) -> Vec<ParquetColumn> {
    let column = |field: &parquet::ParquetField| ParquetColumn {
        values: match field.kind {
            Kind::Text => ParquetValues::Texts(Vec::new()),
            _ => ParquetValues::Integers(Vec::new()),
        },
        defined: field.is_optional.then(Vec::new),
    };
    fields.iter().map(column).collect()
}

impl<W: Write + Send> RowWriter for Parquet<W> {
    fn row(&mut self, fields: &[Field<'_>]) -> io::Result<()> {
        for (ParquetColumn { values, defined }, field) in self.group.iter_mut().zip(fields) {
            match (values, *field) {
                (ParquetValues::Texts(texts), Field::Text(text)) => {
                    // Neighbouring rows share the names of table and cell.
                    let last = texts.last().filter(|last| last.data() == text.as_bytes());
                    texts.push(last.cloned().unwrap_or_else(|| text.into()));
                }
                (ParquetValues::Integers(numbers), Field::Count(count)) => {
                    numbers.push(count.cast_signed());
                }
                (ParquetValues::Integers(numbers), Field::Measure(measure)) => {
                    numbers.extend(measure);
                    defined
                        .iter_mut()
                        .for_each(|rows| rows.push(measure.is_some().into()));
                }
                _ => unreachable!("all fields of a column are of its kind"),
            }
        }
        self.rows += 1;
        if let Some(Field::Text(last)) = fields.last() {
            self.bytes += last.len();
        }
        if self.rows == GROUP_ROWS || self.bytes >= GROUP_BYTES {
            return self.write_group();
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        self.writer.take().expect("a file ends once").finish()
    }
}
