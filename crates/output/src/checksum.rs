//! The CRC-32 by which damage to a file is seen, as eight hexadecimal digits.

use crc32fast::Hasher;
use std::io::{self, Write};

/// The checksum of bytes.
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

/// Passes on what is written, and sums it up.
pub struct Summed<W> {
    /// Where the bytes go.
    pub output: W,
    sum: Hasher,
}

impl<W> Summed<W> {
    /// The output before anything is written.
    pub fn new(output: W) -> Self {
        let sum = Hasher::new();
        Self { output, sum }
    }

    /// The checksum of what was written so far, as a number.
    pub fn sum(&self) -> u32 {
        self.sum.clone().finalize()
    }

    /// The checksum of what was written so far, as text.
    pub fn checksum(&self) -> String {
        format!("{:08x}", self.sum())
    }
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
