//! `cells.csv`: written from fields, and read back as records ([`Cells`]).

mod reading;

pub(super) use reading::check_header;
pub use reading::{Cells, Record};

use super::schema::Column;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use tilelab_stats::Interval;

/// Named fields in the order of their columns.
pub type Fields = Vec<(Cow<'static, str>, String)>;

/// A row of `cells.csv`: what stands before the results, the results, what value lanes, splitting,
/// matches and sequential tests add, what else is added, and the error.
pub type Row = [Fields; 8];

/// The values of these columns.
pub fn named<const N: usize>(columns: &'static [Column; N], values: [String; N]) -> Fields {
    let names = columns.iter().map(|column| column.name.into());
    names.zip(values).collect()
}

/// A value as a field of the file; empty where undefined.
pub fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A number as a field of the file; empty where undefined.
pub fn number(value: Option<f64>) -> String {
    value.map(decimal).unwrap_or_default()
}

/// The ends of an interval as fields of the file; empty where undefined.
pub fn ends(interval: Option<Interval>) -> [String; 2] {
    [
        number(interval.map(|interval| interval.lo)),
        number(interval.map(|interval| interval.hi)),
    ]
}

/// Smaller numbers are written with an exponent, since zeros would fill the field.
const TINY: f64 = 1e-15;

/// The shortest decimal of a number rounded to twelve significant digits: more would show the
/// rounding of floating point, as in 0.036000000000000004.
pub fn decimal(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}")
        .parse()
        .expect("a number in scientific form reads back");
    if rounded != 0.0 && rounded.abs() < TINY {
        return format!("{rounded:e}");
    }
    // Negative zero is zero.
    (rounded + 0.0).to_string()
}

/// The fields of those of these parts of a row that are shown.
fn fields(
    row: &Row,
    shown: [bool; 8],
    parts: Range<usize>,
) -> impl Iterator<Item = &(Cow<'static, str>, String)> {
    let parts = parts.filter(move |part| shown[*part]);
    parts.flat_map(|part| &row[part])
}

/// A table as CSV. Floating point is written as it comes: use [`number`] for computed figures.
pub fn csv_of(
    columns: impl IntoIterator<Item: AsRef<[u8]>>,
    records: impl IntoIterator<Item: Serialize>,
) -> Vec<u8> {
    let whole = "memory takes every record";
    // The header is written here, whatever records are made of.
    let mut writer = csv::WriterBuilder::new();
    let mut writer = writer.has_headers(false).from_writer(Vec::new());
    writer.write_record(columns).expect(whole);
    for record in records {
        writer.serialize(record).expect(whole);
    }
    writer.into_inner().expect(whole)
}

/// Writes `cells.csv`; without the columns of lanes, splitting, matches or tests that no row has.
pub fn to_csv(rows: &[&Row]) -> Vec<u8> {
    let has = |part: usize, at: usize, plain: &[&str]| {
        let mut values = rows.iter().filter_map(|row| row[part].get(at));
        values.any(|(_, value)| !plain.contains(&value.as_str()))
    };
    // Value lanes, splitting, matches and tests where a row has them.
    let shown = [
        true,
        true,
        has(2, 0, &["", "1"]),
        has(3, 1, &[""]),
        has(4, 0, &[""]),
        has(5, 0, &[""]),
        true,
        true,
    ];
    let mut columns: Vec<&str> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for parts in [0..1, 1..7, 7..8] {
        for (name, _) in rows
            .iter()
            .flat_map(|row| fields(row, shown, parts.clone()))
        {
            if !places.contains_key(name.as_ref()) {
                places.insert(name, columns.len());
                columns.push(name);
            }
        }
    }
    let records = rows.iter().map(|row| {
        let mut record = vec![""; columns.len()];
        for (name, value) in fields(row, shown, 0..8) {
            record[places[name.as_ref()]] = value;
        }
        record
    });
    csv_of(&columns, records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_no_noise() {
        for (value, text) in [
            (0.036_000_000_000_000_004, "0.036"),
            (1.0 / 3.0, "0.333333333333"),
            (200_000.0, "200000"),
            (1_234_567.891_234_567, "1234567.89123"),
            (2.5e-9, "0.0000000025"),
            (-0.0, "0"),
            (1.645e-304, "1.645e-304"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }
}
