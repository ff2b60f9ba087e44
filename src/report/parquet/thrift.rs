//! Apache Thrift's compact protocol, as far as headers and footer of a Parquet file need it.
//!
//! Source: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>. A
//! field has a byte with the distance to the number of the field before it and its type; whole
//! numbers are zigzag varints; a structure ends with a zero byte.

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
    fn fields_carry_distance_and_type() {
        let inner = Struct::default().i8(1, 64).flag(2, false);
        let bytes = Struct::default().i32(1, -1).text(4, "ab").structure(10, inner).numbers(11, &[0, 3]).end();
        assert_eq!(bytes, [0x15, 1, 0x38, 2, b'a', b'b', 0x6C, 0x13, 64, 0x12, 0, 0x19, 0x25, 0, 6, 0]);
    }

    #[test]
    fn long_lists_have_a_varint_of_their_length() {
        let bytes = Struct::default().structures(1, (0..20).map(|_| Struct::default()).collect()).end();
        assert_eq!(bytes[..3], [0x19, 0xFC, 20]);
        assert_eq!(bytes.len(), 3 + 20 + 1);
    }
}
