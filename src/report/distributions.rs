//! `distributions.csv`: how many games of each cell took how many moves.

use super::cells::{Cells, Record};
use super::schema;
use std::collections::HashMap;
use std::path::Path;

/// The upper end of the bucket of `distributions.csv` that a move count falls into, and the
/// bucket's width.
///
/// Up to 128 every count has its own; beyond, 64 buckets cover each doubling, so their width is
/// between 0.8 % and 1.6 % of the count.
#[must_use]
pub const fn moves_bucket(moves: u64) -> (u64, u64) {
    let width = if moves <= 128 { 1 } else { 1 << ((moves - 1).ilog2() - 6) };
    (moves.div_ceil(width) * width, width)
}

/// The file `distributions.csv` of a results folder.
#[derive(Clone, Debug, Default)]
pub struct Distributions {
    /// By table and cell: (moves, games), moves ascending.
    of_cell: HashMap<(String, String), Vec<(u64, u64)>>,
}

/// 2⁶²: larger counts would overflow the arithmetic of buckets and sums.
const COUNT_MAX: u64 = 1 << 62;

impl Distributions {
    /// Reads the file.
    ///
    /// # Errors
    /// Names the file, the line and the value.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::of(&Cells::read(path, &schema::names(&schema::DISTRIBUTIONS))?)
    }

    /// The distributions of a file that was read.
    ///
    /// # Errors
    /// As [`Distributions::read`].
    pub fn of(file: &Cells) -> Result<Self, String> {
        let mut of_cell = HashMap::new();
        for record in file.records() {
            let counts = counts(record.get("moves").unwrap_or_default())
                .map_err(|expected| file.wrong(&record, "moves", &expected))?;
            let (table, cell) = record.key();
            of_cell.insert((table.to_owned(), cell.to_owned()), counts);
        }
        Ok(Self { of_cell })
    }

    /// The (moves, games) of a row of `cells.csv`, moves ascending; empty where they are not known.
    #[must_use]
    pub fn of_record(&self, record: &Record<'_>) -> &[(u64, u64)] {
        let (table, cell) = record.key();
        self.of_cell.get(&(table.to_owned(), cell.to_owned())).map_or(&[], Vec::as_slice)
    }
}

/// Reads `MOVES:GAMES MOVES:GAMES …`; the error says what is wrong.
fn counts(field: &str) -> Result<Vec<(u64, u64)>, String> {
    let mut counts: Vec<(u64, u64)> = Vec::new();
    let mut total: u64 = 0;
    for pair in field.split(' ').filter(|pair| !pair.is_empty()) {
        let number = |text: &str| text.parse::<u64>().ok().filter(|count| *count <= COUNT_MAX);
        let read = pair.split_once(':').and_then(|(moves, games)| Some((number(moves)?, number(games)?)));
        let Some((moves, games)) = read else {
            return Err(format!("has {pair:?}, which is not MOVES:GAMES with counts up to {COUNT_MAX}"));
        };
        if counts.last().is_some_and(|(before, _)| *before >= moves) {
            return Err(format!("has {pair:?} out of order; move counts must ascend"));
        }
        total += games;
        if total > COUNT_MAX {
            return Err(format!("has more than {COUNT_MAX} games"));
        }
        if games > 0 {
            counts.push((moves, games));
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_their_counts() {
        for moves in (0..3_000).chain([1 << 20, (1 << 20) + 1, 5_000_000]) {
            let (upper, width) = moves_bucket(moves);
            assert!(moves <= upper && upper < moves + width, "{moves}: {upper} {width}");
            assert_eq!(moves_bucket(upper), (upper, width), "{moves}");
            assert!(width == 1 || 64 * width < upper, "{moves}: {width}");
        }
    }

    #[test]
    fn wrong_distributions_are_named() {
        assert_eq!(counts("3:1 5:2"), Ok(vec![(3, 1), (5, 2)]));
        assert_eq!(counts(""), Ok(vec![]));
        for (field, message) in [
            ("5:1 3:1", "\"3:1\" out of order"),
            ("3:1 3:1", "out of order"),
            ("3", "\"3\", which is not MOVES:GAMES"),
            ("3:x", "not MOVES:GAMES"),
            ("18446744073709551615:1", "not MOVES:GAMES"),
            ("1:4611686018427387904 2:1", "more than 4611686018427387904 games"),
        ] {
            let error = counts(field).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let file = Cells::parse("d.csv", b"table,cell,moves\nt,a,5:1 3:1\n", &[]).unwrap();
        let error = Distributions::of(&file).unwrap_err();
        assert!(error.starts_with("d.csv: line 2: moves = \"5:1 3:1\" has"), "{error}");
    }
}
