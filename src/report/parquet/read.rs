//! Reads `games.parquet` as [`super::file::Writer`] writes it, and refuses all other files.
//!
//! Columns of places and of whole numbers without missing values can be read. The footer must
//! account for every byte before it, and every page that is read must have the right checksum, so a
//! damaged file is refused or reads as it was written. No length in a file is trusted: what is
//! allocated is bounded by the bytes that are there and by [`GROUP_ROWS`].

use super::encoding::{read_delta, read_runs, read_texts};
use super::file::{
    DATA_PAGE, DELTA_BINARY_PACKED, DICTIONARY_PAGE, MAGIC, PLAIN, REQUIRED, RLE_DICTIONARY,
    Values, dictionary_width,
};
use super::thrift::Fields;
use crate::report::games::GROUP_ROWS;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// What files of this program call their writer, before its version.
const WRITER: &str = "tilelab version ";

/// Reads one file.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    columns: Vec<Column>,
    groups: Vec<Group>,
}

/// A column of the schema.
#[derive(Debug)]
struct Column {
    name: String,
    is_required: bool,
}

/// A row group.
#[derive(Debug)]
struct Group {
    rows: usize,
    /// Where the pages of each column lie.
    chunks: Vec<Range<u64>>,
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the footer.
    ///
    /// # Errors
    /// Says what is wrong: the file cannot be read, is damaged, or was written by another program.
    pub fn new(mut input: R) -> Result<Self, String> {
        let size = input
            .seek(SeekFrom::End(0))
            .map_err(|error| error.to_string())?;
        let most = size.checked_sub(12).ok_or("too short for a Parquet file")?;
        let ends = read(&mut input, size - 8..size)?;
        let is_marked = read(&mut input, 0..4)? == MAGIC && ends[4..] == *MAGIC;
        if !is_marked {
            return Err("not a Parquet file: PAR1 is missing at its beginning or end".to_owned());
        }
        let length = u64::from(u32::from_le_bytes([ends[0], ends[1], ends[2], ends[3]]));
        if length > most {
            return Err(format!(
                "damaged: a footer of {length} bytes in a file of {size}"
            ));
        }
        let bytes = read(&mut input, size - 8 - length..size - 8)?;
        let mut rest = bytes.as_slice();
        let footer = Fields::read(&mut rest)
            .filter(|_| rest.is_empty())
            .ok_or("damaged: its footer is malformed")?;
        let writer = footer.text(6).unwrap_or("an unknown program");
        if !writer.starts_with(WRITER) {
            return Err(format!("written by {writer}, not by tilelab"));
        }
        let (columns, groups) = contents(&footer, size - 8 - length)
            .ok_or("damaged: its footer does not describe the bytes before it")?;
        Ok(Self {
            input,
            columns,
            groups,
        })
    }

    /// The number of row groups.
    pub const fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The values of a column of a row group.
    ///
    /// # Errors
    /// Says that there is no such column, or that it is damaged.
    ///
    /// # Panics
    /// When there is no such row group.
    pub fn column(&mut self, group: usize, name: &str) -> Result<Values, String> {
        let is_named = |column: &Column| column.is_required && column.name == name;
        let number = self
            .columns
            .iter()
            .position(is_named)
            .ok_or_else(|| format!("no column {name} without gaps"))?;
        let Group { rows, chunks } = &self.groups[group];
        let bytes = read(&mut self.input, chunks[number].clone())?;
        values(&bytes, *rows)
            .map_err(|wrong| format!("damaged: row group {group}, column {name}: {wrong}"))
    }
}

/// The most bytes of a footer or a column that are read: many times what tilelab writes.
const PART_BYTES_MAX: u64 = 64 << 20;

/// The bytes in this range of the file, which lies within it.
fn read(input: &mut (impl Read + Seek), range: Range<u64>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let length = range.end - range.start;
    if length > PART_BYTES_MAX {
        return Err(format!(
            "damaged: a part of {length} bytes, where at most {PART_BYTES_MAX} are read"
        ));
    }
    let read = input
        .seek(SeekFrom::Start(range.start))
        .and_then(|_| input.take(length).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(error.to_string()),
        Ok(read) if read as u64 != length => Err("it became shorter while it was read".to_owned()),
        Ok(_) => Ok(bytes),
    }
}

/// The columns and row groups of a file whose footer begins at `end`; `None` where the footer does
/// not account for all bytes before it.
fn contents(footer: &Fields, end: u64) -> Option<(Vec<Column>, Vec<Group>)> {
    let elements = footer.structures(2)?;
    let (root, elements) = elements.split_first()?;
    let column = |element: &&Fields| {
        Some(Column {
            name: element.text(4)?.to_owned(),
            is_required: element.whole(3)? == i64::from(REQUIRED),
        })
    };
    let columns: Vec<Column> = elements.iter().map(column).collect::<Option<_>>()?;
    (root.whole(5)? == columns.len() as i64).then_some(())?;
    let mut at = MAGIC.len() as u64;
    let mut rows_of_all = 0;
    let mut groups = Vec::new();
    for group in footer.structures(4)? {
        let rows = group
            .whole(3)
            .filter(|rows| (1..=GROUP_ROWS as i64).contains(rows))?;
        let chunks = group.structures(1)?;
        (chunks.len() == columns.len()).then_some(())?;
        let mut places = Vec::new();
        for (chunk, element) in chunks.into_iter().zip(elements) {
            let about = chunk.structure(3)?;
            let next = at
                .checked_add(u64::try_from(about.whole(7)?).ok()?)
                .filter(|&next| next <= end)?;
            let is_right = chunk.whole(2) == Some(at.cast_signed())
                && about.whole(1) == element.whole(1)
                && about.whole(5) == Some(rows);
            is_right.then_some(())?;
            places.push(at..next);
            at = next;
        }
        rows_of_all += rows;
        groups.push(Group {
            rows: usize::try_from(rows).ok()?,
            chunks: places,
        });
    }
    (at == end && footer.whole(3) == Some(rows_of_all)).then_some((columns, groups))
}

/// The values in the pages of a column without missing values.
fn values(mut bytes: &[u8], rows: usize) -> Result<Values, String> {
    let mut page = Page::take(&mut bytes)?;
    let mut dictionary = None;
    if page.header.whole(1) == Some(DICTIONARY_PAGE.into()) {
        let about = page.header.structure(7).ok_or("malformed")?;
        let count = about
            .whole(1)
            .and_then(|count| usize::try_from(count).ok())
            .ok_or("malformed")?;
        (about.whole(2) == Some(PLAIN.into()))
            .then_some(())
            .ok_or("another encoding")?;
        dictionary = Some(read_texts(page.bytes, count).ok_or("malformed texts")?);
        page = Page::take(&mut bytes)?;
    }
    let about = page
        .header
        .structure(5)
        .filter(|_| page.header.whole(1) == Some(DATA_PAGE.into()));
    let about = about
        .filter(|_| bytes.is_empty())
        .ok_or("not one page of data")?;
    if about.whole(1) != i64::try_from(rows).ok() {
        return Err("not as many values as rows".to_owned());
    }
    let encoding = |known: i32| about.whole(2) == Some(known.into());
    match dictionary {
        Some(dictionary) if encoding(RLE_DICTIONARY) => {
            let (&width, packed) = page.bytes.split_first().ok_or("malformed")?;
            let width = u32::from(width);
            let places = read_runs(packed, width, rows)
                .filter(|_| width == dictionary_width(dictionary.len()));
            let is_inside = |places: &Vec<u32>| {
                places
                    .iter()
                    .all(|&place| (place as usize) < dictionary.len())
            };
            let places = places.filter(is_inside).ok_or("malformed places")?;
            Ok(Values::Places { dictionary, places })
        }
        None if encoding(DELTA_BINARY_PACKED) => Ok(Values::Integers(
            read_delta(page.bytes, rows).ok_or("malformed numbers")?,
        )),
        _ => Err("another encoding".to_owned()),
    }
}

/// A page with its header.
struct Page<'a> {
    header: Fields,
    bytes: &'a [u8],
}

impl<'a> Page<'a> {
    /// Takes a page from the front of the bytes.
    fn take(bytes: &mut &'a [u8]) -> Result<Self, String> {
        let header = Fields::read(bytes).ok_or("a page has a malformed header")?;
        let length = header
            .whole(2)
            .filter(|_| header.whole(2) == header.whole(3));
        let length = length.and_then(|length| usize::try_from(length).ok());
        let body = length
            .and_then(|length| bytes.split_off(..length))
            .ok_or("a page has a wrong length")?;
        match header.whole(4) {
            None => Err("a page has no checksum".to_owned()),
            Some(sum) if sum != i64::from(crc32fast::hash(body).cast_signed()) => {
                Err("the checksum of a page is wrong".to_owned())
            }
            Some(_) => Ok(Self {
                header,
                bytes: body,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::{self, Field, Writer};
    use super::*;
    use crate::report::schema::Kind;
    use crate::rng::mix;
    use std::io::Cursor;

    const READ: [&str; 3] = ["cell", "game_index", "moves"];

    /// Row groups of so many rows with places, whole numbers, and a column with gaps.
    fn file(groups: &[usize]) -> (Vec<u8>, Vec<Vec<Values>>) {
        let field = |name: &str, kind, is_optional| Field {
            name: name.to_owned(),
            kind,
            is_optional,
        };
        let fields = vec![
            field("cell", Kind::Text, false),
            field("game_index", Kind::Count, false),
            field("moves", Kind::Count, false),
            field("score", Kind::Integer, true),
        ];
        let mut writer = Writer::new(Vec::new(), "games", fields).unwrap();
        let mut all = Vec::new();
        for (number, &rows) in groups.iter().enumerate() {
            let random = |row: usize| mix((number * 1000 + row) as u64);
            let dictionary: Vec<String> =
                (0..=2 * number).map(|place| format!("ü{place}")).collect();
            let places = (0..rows)
                .map(|row| (random(row / 20) % dictionary.len() as u64) as u32)
                .collect();
            let values = vec![
                Values::Places { dictionary, places },
                Values::Integers((0..rows as i64).collect()),
                Values::Integers(
                    (0..rows)
                        .map(|row| (random(row) >> (20 * number)).cast_signed())
                        .collect(),
                ),
            ];
            let mut columns: Vec<file::Column> = values.iter().cloned().map(Into::into).collect();
            let defined: Vec<bool> = (0..rows).map(|row| random(row).is_multiple_of(3)).collect();
            let scores = vec![7; defined.iter().filter(|&&defined| defined).count()];
            columns.push(file::Column {
                values: Values::Integers(scores),
                defined: Some(defined),
            });
            writer.group(&columns).unwrap();
            all.push(values);
        }
        (writer.finish(&[("key", "value")]).unwrap(), all)
    }

    fn read_all(bytes: &[u8]) -> Result<Vec<Vec<Values>>, String> {
        let mut reader = Reader::new(Cursor::new(bytes))?;
        let groups = reader.groups();
        let group = |group| READ.iter().map(|name| reader.column(group, name)).collect();
        (0..groups).map(group).collect()
    }

    #[test]
    fn what_was_written_reads_back() {
        for groups in [&[][..], &[1], &[300, 2, 129]] {
            let (bytes, values) = file(groups);
            assert_eq!(read_all(&bytes), Ok(values));
        }
        let (bytes, _) = file(&[5]);
        let error = |name| {
            Reader::new(Cursor::new(&bytes))
                .unwrap()
                .column(0, name)
                .unwrap_err()
        };
        assert_eq!(error("score"), "no column score without gaps");
        assert_eq!(error("table"), "no column table without gaps");
    }

    /// Every truncation, every flipped bit, and random changes of several bytes.
    #[test]
    fn damaged_files_are_refused_or_read_as_they_were() {
        let (bytes, values) = file(&[40, 3]);
        for length in 0..bytes.len() {
            assert!(
                read_all(&bytes[..length]).is_err(),
                "cut to {length} of {}",
                bytes.len()
            );
        }
        let refused_or_same = |damaged: &[u8], what: String| {
            if let Ok(read) = read_all(damaged) {
                assert!(read == values, "{what}");
            }
        };
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused_or_same(
                &damaged,
                format!("bit {} of byte {} of {}", bit % 8, bit / 8, bytes.len()),
            );
        }
        for trial in 0..20_000 {
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
        let at = bytes
            .windows(7)
            .position(|window| window == b"tilelab")
            .unwrap();
        let mut other = bytes.clone();
        other[at..at + 7].copy_from_slice(b"parquet");
        let error = |bytes: &[u8]| read_all(bytes).unwrap_err();
        assert!(
            error(&other).starts_with("written by parquet version "),
            "{}",
            error(&other)
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
