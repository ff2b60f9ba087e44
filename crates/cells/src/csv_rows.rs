//! Rows of CSV files of other people, none of which may fill the memory.

use std::io::{Error, ErrorKind, Read};

/// The most bytes of a row of a CSV file; a row that tilelab writes has a few hundred.
const ROW_BYTES_MAX: usize = 1 << 20;

/// What rows of CSV are read from; see [`read_row`].
pub struct RowSource<R> {
    source: R,
    /// Bytes that the last row took so far.
    bytes: usize,
}

impl<R: Read> RowSource<R> {
    /// A source of rows, the first of which is the header.
    pub const fn new(source: R) -> Self {
        Self { source, bytes: 0 }
    }
}

impl<R: Read> Read for RowSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let count = self.source.read(buffer)?;
        self.bytes += count;
        if self.bytes > ROW_BYTES_MAX {
            let reason = format!("a row has more than {ROW_BYTES_MAX} bytes");
            return Err(Error::new(ErrorKind::InvalidData, reason));
        }
        Ok(count)
    }
}

/// Reads the next row; `false` where there is none.
///
/// # Errors
/// Where it is no row, or takes more than 1 MiB: a reader of CSV keeps a whole row, and a damaged
/// file may be one row of gigabytes.
pub fn read_row<R: Read>(
    reader: &mut csv::Reader<RowSource<R>>,
    row: &mut csv::StringRecord,
) -> csv::Result<bool> {
    reader.get_mut().bytes = 0;
    reader.read_record(row)
}
