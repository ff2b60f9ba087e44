//! Sparse encoding of large tables as bytes.
//!
//! A table is cut into blocks of 64 entries, the last of which may be shorter. Blocks without an
//! entry in use are counted and left out. For every other block there are the number of blocks left
//! out before it (32 bits), a bit for each entry in use, the lowest first (64 bits), and those
//! entries, each of the same number of bytes. A last number counts the blocks left out at the end.
//! All numbers are little-endian.

use std::io::{self, Read, Write};

/// Entries of a block.
const BLOCK: usize = 64;

/// Numbers as the bytes of an entry, four each, such as a weight and the sums of its errors.
pub fn to_bytes<const FLOATS: usize, const BYTES: usize>(floats: [f32; FLOATS]) -> [u8; BYTES] {
    const { assert!(BYTES == 4 * FLOATS) };
    std::array::from_fn(|byte| floats[byte / 4].to_le_bytes()[byte % 4])
}

/// What [`to_bytes()`] made bytes of.
///
/// # Errors
/// Returns `InvalidData` if a number is not finite.
pub fn from_bytes<const BYTES: usize, const FLOATS: usize>(
    bytes: [u8; BYTES],
) -> io::Result<[f32; FLOATS]> {
    const { assert!(BYTES == 4 * FLOATS) };
    let (parts, _) = bytes.as_chunks::<4>();
    let floats: [f32; FLOATS] = std::array::from_fn(|place| f32::from_le_bytes(parts[place]));
    if floats.iter().all(|float| float.is_finite()) {
        Ok(floats)
    } else {
        Err(invalid("it has numbers that are not finite"))
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Reads as many bytes as the array has.
///
/// # Errors
/// Returns the errors of the reader.
pub fn array<const BYTES: usize>(from: &mut dyn Read) -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads the bytes that a file of this version begins with.
///
/// # Errors
/// Returns the errors of the reader, and `InvalidData` with this message if there are other bytes.
pub fn check_begin(from: &mut dyn Read, expected: &[u8], message: &str) -> io::Result<()> {
    let mut found = vec![0; expected.len()];
    from.read_exact(&mut found)?;
    if found == expected {
        Ok(())
    } else {
        Err(invalid(message))
    }
}

/// Writes a table of `entries` entries; `entry` gives the bytes of those in use.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write<const BYTES: usize>(
    out: &mut dyn Write,
    entries: usize,
    entry: impl Fn(usize) -> Option<[u8; BYTES]>,
) -> io::Result<()> {
    let mut skipped = 0_u32;
    let mut block = Vec::with_capacity(BLOCK * BYTES);
    for first in (0..entries).step_by(BLOCK) {
        block.clear();
        let mut used = 0_u64;
        for place in 0..BLOCK.min(entries - first) {
            if let Some(bytes) = entry(first + place) {
                used |= 1 << place;
                block.extend(bytes);
            }
        }
        if used == 0 {
            skipped += 1;
            continue;
        }
        out.write_all(&skipped.to_le_bytes())?;
        out.write_all(&used.to_le_bytes())?;
        out.write_all(&block)?;
        skipped = 0;
    }
    out.write_all(&skipped.to_le_bytes())
}

/// Reads what [`write()`] has written: calls `take` with the index and the bytes of every entry in
/// use.
///
/// # Errors
/// Returns the errors of the reader and of `take`, and `InvalidData` if the blocks are not those of
/// a table of this size.
pub fn read<const BYTES: usize>(
    from: &mut dyn Read,
    entries: usize,
    mut take: impl FnMut(usize, [u8; BYTES]) -> io::Result<()>,
) -> io::Result<()> {
    let wrong = || invalid("its blocks do not fit its size");
    let mut next = 0_usize;
    loop {
        let left = (entries - next).div_ceil(BLOCK);
        let skipped = u32::from_le_bytes(array(from)?) as usize;
        if skipped == left {
            return Ok(());
        }
        if skipped > left {
            return Err(wrong());
        }
        next += BLOCK * skipped;
        let mut used = u64::from_le_bytes(array(from)?);
        let rest = entries - next;
        if used == 0 || (rest < BLOCK && used >> rest != 0) {
            return Err(wrong());
        }
        while used != 0 {
            take(next + used.trailing_zeros() as usize, array(from)?)?;
            used &= used - 1;
        }
        next = entries.min(next + BLOCK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, table.len(), |index| {
            (table[index] != 0).then(|| [table[index], 9])
        })
        .unwrap();
        bytes
    }

    fn table(used: &[usize]) -> Vec<u8> {
        let mut table = vec![0; 4 * BLOCK];
        used.iter()
            .for_each(|&index| table[index] = 1 + (index % 200) as u8);
        table
    }

    #[test]
    fn tables_come_back() {
        let tables = [&[][..], &[0], &[255], &[63, 64], &[5, 6, 130, 191, 192]].map(table);
        // The last block has only 8 entries.
        let shorter = [&[][..], &[199], &[5, 192, 199]].map(|used| table(used)[..200].to_vec());
        for table in tables.into_iter().chain(shorter) {
            let bytes = written(&table);
            let mut back = vec![0; table.len()];
            read(&mut &bytes[..], table.len(), |index, [value, nine]| {
                assert_eq!(nine, 9);
                back[index] = value;
                Ok(())
            })
            .unwrap();
            assert_eq!(back, table);
        }
        assert_eq!(written(&table(&[])), [4, 0, 0, 0]);
    }

    #[test]
    fn tables_of_another_size_are_refused() {
        let bytes = written(&table(&[0, 255]));
        let read = |bytes: &[u8], entries| {
            read(&mut &*bytes, entries, |_, _: [u8; 2]| Ok(())).map_err(|error| error.kind())
        };
        assert_eq!(read(&bytes, 4 * BLOCK), Ok(()));
        assert_eq!(read(&bytes, 2 * BLOCK), Err(io::ErrorKind::InvalidData));
        assert_eq!(read(&bytes, 4 * BLOCK - 1), Err(io::ErrorKind::InvalidData));
        assert_eq!(read(&bytes, 8 * BLOCK), Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(
            read(&bytes[..bytes.len() - 1], 4 * BLOCK),
            Err(io::ErrorKind::UnexpectedEof)
        );
    }
}
