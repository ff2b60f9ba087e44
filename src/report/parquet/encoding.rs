//! Encodings of values in the pages of a Parquet file.
//!
//! Source: <https://github.com/apache/parquet-format/blob/master/Encodings.md>.

use super::thrift::{read_varint, read_zigzag, varint, zigzag};

/// Values of each block of [`delta`], and of each of its parts with a bit width of its own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Appends numbers with `width` bits each, the lowest bit first, up to a whole byte.
fn pack(bytes: &mut Vec<u8>, values: impl IntoIterator<Item = u64>, width: u32) {
    let mut waiting: u128 = 0;
    let mut bits = 0;
    for value in values {
        waiting |= u128::from(value) << bits;
        bits += width;
        while bits >= 8 {
            bytes.push(waiting as u8);
            waiting >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        bytes.push(waiting as u8);
    }
}

/// `DELTA_BINARY_PACKED`: the differences of neighbours, less the least of each block, with as many
/// bits as the largest of each part needs.
#[must_use]
pub fn delta(values: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [BLOCK, BLOCK / PART, values.len()] {
        varint(&mut bytes, number as u64);
    }
    varint(&mut bytes, zigzag(values.first().copied().unwrap_or(0)));
    for start in (1..values.len()).step_by(BLOCK) {
        let end = values.len().min(start + BLOCK);
        // Wraps where two values are more than 2⁶³ apart, as readers do.
        let differences: Vec<i64> = (start..end)
            .map(|at| values[at].wrapping_sub(values[at - 1]))
            .collect();
        let least = differences.iter().copied().min().unwrap_or(0);
        varint(&mut bytes, zigzag(least));
        let beyond = |difference: &i64| difference.wrapping_sub(least).cast_unsigned();
        let width = |part: &[i64]| {
            64 - part
                .iter()
                .map(beyond)
                .fold(0, |all, one| all | one)
                .leading_zeros()
        };
        let widths: Vec<u32> = differences.chunks(PART).map(width).collect();
        bytes
            .extend((0..BLOCK / PART).map(|part| widths.get(part).map_or(0, |&width| width as u8)));
        for (part, &width) in differences.chunks(PART).zip(&widths) {
            let rest = std::iter::repeat_n(0, PART - part.len());
            pack(&mut bytes, part.iter().map(beyond).chain(rest), width);
        }
    }
    bytes
}

/// The hybrid of runs and packed groups of eight, for definition levels and places in a dictionary:
/// runs of at least eight equal values are counted.
#[must_use]
pub fn runs(values: &[u32], width: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What is not written yet begins here.
    let mut waiting = 0;
    let mut at = 0;
    while at < values.len() {
        let equal = values[at..]
            .iter()
            .take_while(|&&value| value == values[at])
            .count();
        let odd = (at - waiting) % 8;
        if equal < 8 {
            at += equal;
        } else if odd > 0 {
            // Fills up the packed group, so that a run may follow it.
            at += 8 - odd;
        } else {
            write_packed(&mut bytes, &values[waiting..at], width);
            varint(&mut bytes, (equal as u64) << 1);
            bytes.extend(&values[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += equal;
            waiting = at;
        }
    }
    write_packed(&mut bytes, &values[waiting..], width);
    bytes
}

fn write_packed(bytes: &mut Vec<u8>, values: &[u32], width: u32) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(8);
    varint(bytes, (groups as u64) << 1 | 1);
    let rest = std::iter::repeat_n(0, groups * 8 - values.len());
    pack(
        bytes,
        values.iter().map(|&value| u64::from(value)).chain(rest),
        width,
    );
}

/// `PLAIN` truth values: a bit each.
#[must_use]
pub fn flags(values: &[bool]) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(&mut bytes, values.iter().map(|&value| u64::from(value)), 1);
    bytes
}

/// `PLAIN` texts: a length of 32 bits and the bytes of each.
#[must_use]
pub fn texts<S: AsRef<str>>(values: &[S]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in values.iter().map(AsRef::as_ref) {
        let length = u32::try_from(text.len()).expect("a text is shorter than 4 GiB");
        bytes.extend(length.to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// Takes `count` numbers that [`pack`] wrote with `width` bits each from the front.
fn unpack<'a>(
    bytes: &mut &'a [u8],
    count: usize,
    width: u32,
) -> Option<impl Iterator<Item = u64> + use<'a>> {
    let packed = bytes.split_off(..count.checked_mul(width as usize)?.div_ceil(8))?;
    let mut next = packed.iter();
    let mut waiting: u128 = 0;
    let mut bits = 0;
    Some((0..count).map(move |_| {
        while bits < width {
            waiting |= u128::from(*next.next().expect("as many bytes as the numbers have")) << bits;
            bits += 8;
        }
        let value = waiting & ((1 << width) - 1);
        waiting >>= width;
        bits -= width;
        value as u64
    }))
}

/// Reads the `count` numbers that [`delta`] wrote; `None` where these are not the bytes of so many.
#[must_use]
pub fn read_delta(mut bytes: &[u8], count: usize) -> Option<Vec<i64>> {
    for number in [BLOCK, BLOCK / PART, count] {
        (read_varint(&mut bytes)? == number as u64).then_some(())?;
    }
    let mut last = read_zigzag(&mut bytes)?;
    let mut values: Vec<i64> = (count > 0).then_some(last).into_iter().collect();
    while values.len() < count {
        let least = read_zigzag(&mut bytes)?;
        let widths = bytes.split_off(..BLOCK / PART)?;
        for &width in widths {
            if values.len() == count || width > 64 {
                (width == 0).then_some(())?;
                continue;
            }
            let part = PART.min(count - values.len());
            for beyond in unpack(&mut bytes, PART, width.into())?.take(part) {
                last = last.wrapping_add(least).wrapping_add(beyond.cast_signed());
                values.push(last);
            }
        }
    }
    bytes.is_empty().then_some(values)
}

/// Reads the `count` numbers of `width` bits (1 to 32) that [`runs`] wrote; `None` where these are
/// not the bytes of so many.
#[must_use]
pub fn read_runs(mut bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
    let mut values = Vec::new();
    while values.len() < count {
        let head = read_varint(&mut bytes)?;
        let left = count - values.len();
        let length = usize::try_from(head >> 1).ok()?;
        if head & 1 == 1 {
            // The last group of eight may be filled up.
            (length > 0 && length <= left.div_ceil(8)).then_some(())?;
            let packed = unpack(&mut bytes, length * 8, width)?;
            values.extend(packed.take(left).map(|value| value as u32));
        } else {
            (length > 0 && length <= left).then_some(())?;
            let mut value = [0; 4];
            let stored = bytes.split_off(..width.div_ceil(8) as usize)?;
            value[..stored.len()].copy_from_slice(stored);
            values.extend(std::iter::repeat_n(u32::from_le_bytes(value), length));
        }
    }
    bytes.is_empty().then_some(values)
}

/// Reads the `count` texts that [`texts`] wrote; `None` where these are not the bytes of so many.
#[must_use]
pub fn read_texts(mut bytes: &[u8], count: usize) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for _ in 0..count {
        let length = u32::from_le_bytes(bytes.split_off(..4)?.try_into().ok()?);
        let text = bytes.split_off(..usize::try_from(length).ok()?)?;
        values.push(String::from_utf8(text.to_vec()).ok()?);
    }
    bytes.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    #[test]
    fn differences_read_back() {
        let random = |count: u64, bits: u32| {
            (0..count)
                .map(move |at| (mix(at) >> (64 - bits)).cast_signed())
                .collect()
        };
        let mut cases: Vec<Vec<i64>> = vec![
            vec![0],
            vec![-5, 7],
            (0..1000).collect(),
            vec![3; 129],
            vec![i64::MIN, i64::MAX, 0, i64::MAX, i64::MIN, -1],
        ];
        cases.extend([1, 2, 31, 32, 33, 127, 128, 129, 130, 1000].map(|count| random(count, 9)));
        cases.push(random(300, 64));
        for values in cases {
            let bytes = delta(&values);
            assert_eq!(read_delta(&bytes, values.len()).as_ref(), Some(&values));
            assert_eq!(read_delta(&bytes, values.len() + 1), None);
            assert_eq!(read_delta(&bytes[..bytes.len() - 1], values.len()), None);
            assert_eq!(read_delta(&[&bytes[..], &[0]].concat(), values.len()), None);
        }
        assert_eq!(read_delta(&delta(&[]), 0), Some(Vec::new()));
        assert_eq!(delta(&[]), [128, 1, 4, 0, 0]);
    }

    #[test]
    fn indices_take_no_room() {
        let indices: Vec<i64> = (0..100_000).collect();
        assert!(delta(&indices).len() < 5_000);
    }

    #[test]
    fn runs_read_back() {
        for width in [1, 2, 3, 8, 9, 20] {
            for count in [0, 1, 7, 8, 9, 16, 63, 64, 200] {
                for share in [1, 3, 20] {
                    let value = |at: u64| mix(at / share) as u32 & ((1 << width) - 1);
                    let values: Vec<u32> = (0..count).map(value).collect();
                    let bytes = runs(&values, width);
                    assert_eq!(
                        read_runs(&bytes, width, values.len()).as_ref(),
                        Some(&values)
                    );
                    assert_eq!(read_runs(&bytes, width, values.len() + 8), None);
                    assert_eq!(
                        read_runs(&[&bytes[..], &[2, 0, 0, 0]].concat(), width, values.len()),
                        None
                    );
                }
            }
        }
        assert_eq!(runs(&[1; 1000], 1), [0xD0, 0x0F, 1]);
        assert_eq!(runs(&[1, 0, 1], 1), [3, 5]);
    }

    #[test]
    fn plain_values_are_those_of_the_format() {
        assert_eq!(
            flags(&[true, false, true, true, false, false, false, false, true]),
            [13, 1]
        );
        assert_eq!(texts(&["ab", ""]), [2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0]);
        assert_eq!(
            read_texts(&texts(&["ab", ""]), 2),
            Some(vec!["ab".to_owned(), String::new()])
        );
        for (bytes, count) in [
            (&[2, 0, 0, 0, b'a'][..], 1),
            (&[1, 0, 0, 0, 0xFF], 1),
            (&[255; 5], 1),
            (&[0; 5], 1),
        ] {
            assert_eq!(read_texts(bytes, count), None, "{bytes:?}");
        }
    }
}
