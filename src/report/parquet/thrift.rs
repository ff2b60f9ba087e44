//! Apache Thrift's compact protocol, as far as headers and footer of a Parquet file need it.
//!
//! Source: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>. A
//! field has a byte with the distance to the number of the field before it and its type; whole
//! numbers are zigzag varints; a structure ends with a zero byte. [`Fields`] reads what [`Struct`]
//! writes, and nothing else.

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes one structure, its fields in ascending order of their numbers.
#[derive(Debug, Default)]
pub struct Struct {
    bytes: Vec<u8>,
    last: i16,
}

impl Struct {
    /// The bytes of the whole structure.
    #[must_use]
    pub fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn field(mut self, number: i16, kind: u8) -> Self {
        let distance = number - self.last;
        assert!((1..=15).contains(&distance), "fields ascend by at most 15");
        self.bytes.push((distance as u8) << 4 | kind);
        self.last = number;
        self
    }

    fn whole(self, number: i16, kind: u8, value: i64) -> Self {
        let mut written = self.field(number, kind);
        varint(&mut written.bytes, zigzag(value));
        written
    }

    /// A truth value.
    #[must_use]
    pub fn flag(self, number: i16, value: bool) -> Self {
        self.field(number, if value { TRUE } else { FALSE })
    }

    /// A number of 8 bits.
    #[must_use]
    pub fn i8(self, number: i16, value: i8) -> Self {
        let mut written = self.field(number, I8);
        written.bytes.push(value.cast_unsigned());
        written
    }

    /// A number of 16 bits.
    #[must_use]
    pub fn i16(self, number: i16, value: i16) -> Self {
        self.whole(number, I16, value.into())
    }

    /// A number of 32 bits.
    #[must_use]
    pub fn i32(self, number: i16, value: i32) -> Self {
        self.whole(number, I32, value.into())
    }

    /// A number of 64 bits.
    #[must_use]
    pub fn i64(self, number: i16, value: i64) -> Self {
        self.whole(number, I64, value)
    }

    /// Text.
    #[must_use]
    pub fn text(self, number: i16, text: &str) -> Self {
        let mut written = self.field(number, BINARY);
        binary(&mut written.bytes, text);
        written
    }

    /// A structure.
    #[must_use]
    pub fn structure(self, number: i16, structure: Self) -> Self {
        let mut written = self.field(number, STRUCT);
        written.bytes.extend(structure.end());
        written
    }

    fn list(self, number: i16, kind: u8, count: usize) -> Self {
        let mut written = self.field(number, LIST);
        if count < 15 {
            written.bytes.push((count as u8) << 4 | kind);
        } else {
            written.bytes.push(0xF0 | kind);
            varint(&mut written.bytes, count as u64);
        }
        written
    }

    /// A list of structures.
    #[must_use]
    pub fn structures(self, number: i16, items: Vec<Self>) -> Self {
        let mut written = self.list(number, STRUCT, items.len());
        written.bytes.extend(items.into_iter().flat_map(Self::end));
        written
    }

    /// A list of numbers of 32 bits.
    #[must_use]
    pub fn numbers(self, number: i16, items: &[i32]) -> Self {
        let mut written = self.list(number, I32, items.len());
        for &item in items {
            varint(&mut written.bytes, zigzag(item.into()));
        }
        written
    }

    /// A list of one text.
    #[must_use]
    pub fn one_text(self, number: i16, text: &str) -> Self {
        let mut written = self.list(number, BINARY, 1);
        binary(&mut written.bytes, text);
        written
    }
}

fn binary(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

/// A structure that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Fields(Vec<(i16, Value)>);

/// The value of a field or an item.
#[derive(Debug, PartialEq, Eq)]
enum Value {
    Flag(bool),
    Whole(i64),
    Bytes(Vec<u8>),
    List(Vec<Self>),
    Struct(Fields),
}

/// Structures within each other, at most; files of ours have five.
const DEPTH: u32 = 8;

impl Fields {
    /// Takes a structure from the front of the bytes; `None` where they are malformed.
    ///
    /// Every value takes a byte at least, so a forged length cannot make it hoard memory.
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::read_within(bytes, DEPTH)
    }

    fn read_within(bytes: &mut &[u8], depth: u32) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let mut fields = Vec::new();
        let mut last: i16 = 0;
        loop {
            let head = *bytes.split_off_first()?;
            if head == 0 {
                return Some(Self(fields));
            }
            // A distance of 0 would announce a number of its own, which is never written.
            let distance = i16::from(head >> 4);
            last = last.checked_add(distance).filter(|_| distance > 0)?;
            let value = match head & 15 {
                TRUE => Value::Flag(true),
                FALSE => Value::Flag(false),
                kind => Value::read(bytes, kind, depth)?,
            };
            fields.push((last, value));
        }
    }

    fn get(&self, number: i16) -> Option<&Value> {
        self.0
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, value)| value)
    }

    /// The whole number in a field.
    #[must_use]
    pub fn whole(&self, number: i16) -> Option<i64> {
        if let Value::Whole(value) = self.get(number)? {
            Some(*value)
        } else {
            None
        }
    }

    /// The text in a field.
    #[must_use]
    pub fn text(&self, number: i16) -> Option<&str> {
        if let Value::Bytes(bytes) = self.get(number)? {
            std::str::from_utf8(bytes).ok()
        } else {
            None
        }
    }

    /// The structure in a field.
    #[must_use]
    pub fn structure(&self, number: i16) -> Option<&Self> {
        if let Value::Struct(fields) = self.get(number)? {
            Some(fields)
        } else {
            None
        }
    }

    /// The structures of the list in a field.
    #[must_use]
    pub fn structures(&self, number: i16) -> Option<Vec<&Self>> {
        let Value::List(items) = self.get(number)? else {
            return None;
        };
        items
            .iter()
            .map(|item| {
                if let Value::Struct(fields) = item {
                    Some(fields)
                } else {
                    None
                }
            })
            .collect()
    }
}

impl Value {
    fn read(bytes: &mut &[u8], kind: u8, depth: u32) -> Option<Self> {
        Some(match kind {
            I8 => Self::Whole(i64::from(bytes.split_off_first()?.cast_signed())),
            I16 | I32 | I64 => Self::Whole(read_zigzag(bytes)?),
            BINARY => {
                let length = usize::try_from(read_varint(bytes)?).ok()?;
                Self::Bytes(bytes.split_off(..length)?.to_vec())
            }
            LIST => {
                let head = *bytes.split_off_first()?;
                let count = if head >> 4 == 15 {
                    read_varint(bytes)?
                } else {
                    u64::from(head >> 4)
                };
                let depth = depth.checked_sub(1)?;
                Self::List(
                    (0..count)
                        .map(|_| Self::read(bytes, head & 15, depth))
                        .collect::<Option<_>>()?,
                )
            }
            STRUCT => Self::Struct(Fields::read_within(bytes, depth)?),
            _ => return None,
        })
    }
}

/// Takes a number that [`varint`] wrote from the front; `None` where it has no end or 64 bits do
/// not hold it.
pub fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        let group = u64::from(byte & 0x7F);
        if group << shift >> shift != group {
            return None;
        }
        value |= group << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes a number that [`zigzag`] and [`varint`] wrote from the front.
pub fn read_zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let value = read_varint(bytes)?;
    Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}

/// Appends a number in groups of 7 bits, the lowest first; all but the last have the high bit set.
pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Maps small numbers of either sign to small numbers: 0, −1, 1, −2 to 0, 1, 2, 3.
#[must_use]
pub const fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zigzag_varints() {
        let varint = |value| {
            let mut bytes = Vec::new();
            super::varint(&mut bytes, value);
            bytes
        };
        assert_eq!([0, -1, 1, -2, i64::MIN].map(zigzag), [0, 1, 2, 3, u64::MAX]);
        assert_eq!(varint(127), [127]);
        assert_eq!(varint(300), [0xAC, 2]);
        assert_eq!(varint(u64::MAX).len(), 10);
    }

    #[test]
    fn what_is_written_reads_back() {
        for value in [0, 1, -1, 63, -64, 300, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            varint(&mut bytes, zigzag(value));
            assert_eq!(read_zigzag(&mut bytes.as_slice()), Some(value));
        }
        assert_eq!(read_varint(&mut [0xFF; 9].as_slice()), None);
        assert_eq!(read_varint(&mut [0xFF; 11].as_slice()), None);
        let items = (0..20)
            .map(|number| Struct::default().i16(2, number))
            .collect();
        let inner = Struct::default().i8(1, -64).text(2, "ü").i64(3, i64::MIN);
        let bytes = Struct::default()
            .i32(1, -7)
            .flag(2, true)
            .structure(5, inner)
            .structures(9, items)
            .end();
        let mut rest = [&bytes[..], &[77]].concat();
        let fields = Fields::read(&mut rest.as_slice()).unwrap();
        assert_eq!(
            (fields.whole(1), fields.whole(2), fields.whole(3)),
            (Some(-7), None, None)
        );
        let inner = fields.structure(5).unwrap();
        assert_eq!(
            (inner.whole(1), inner.text(2), inner.whole(3)),
            (Some(-64), Some("ü"), Some(i64::MIN))
        );
        let items: Vec<_> = fields
            .structures(9)
            .unwrap()
            .iter()
            .map(|item| item.whole(2))
            .collect();
        assert_eq!(items, (0..20).map(Some).collect::<Vec<_>>());
        rest.pop();
        for length in 0..bytes.len() {
            assert_eq!(Fields::read(&mut &rest[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn forged_lengths_and_depths_are_refused() {
        // A list of 2⁶² structures, a text of 2⁶², and structures without end.
        let mut list = vec![0x19, 0xFC];
        let mut text = vec![0x18];
        varint(&mut list, 1 << 62);
        varint(&mut text, 1 << 62);
        for bytes in [list, text, vec![0x1C; 1000], vec![0x19; 1000]] {
            assert_eq!(Fields::read(&mut bytes.as_slice()), None);
        }
    }

    #[test]
    fn fields_carry_distance_and_type() {
        let inner = Struct::default().i8(1, 64).flag(2, false);
        let bytes = Struct::default()
            .i32(1, -1)
            .text(4, "ab")
            .structure(10, inner)
            .numbers(11, &[0, 3])
            .end();
        assert_eq!(
            bytes,
            [
                0x15, 1, 0x38, 2, b'a', b'b', 0x6C, 0x13, 64, 0x12, 0, 0x19, 0x25, 0, 6, 0
            ]
        );
    }

    #[test]
    fn long_lists_have_a_varint_of_their_length() {
        let bytes = Struct::default()
            .structures(1, (0..20).map(|_| Struct::default()).collect())
            .end();
        assert_eq!(bytes[..3], [0x19, 0xFC, 20]);
        assert_eq!(bytes.len(), 3 + 20 + 1);
    }
}
