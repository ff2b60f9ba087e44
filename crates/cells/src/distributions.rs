//! `distributions.csv`: how many games of each cell took how many moves.

use super::cells::{Record, check_header};
use super::csv_rows::{RowSource, read_row};
use super::schema;
use serde::Serialize;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use tilelab_output::files::{File, TABLE_BYTES_MAX};
use tilelab_stats::quantile_ranks;

/// The most bytes of the file that are read: it may have many bins for each row of `cells.csv`.
const FILE_BYTES_MAX: u64 = 4 * TABLE_BYTES_MAX;

/// Games whose move counts lie in one bin: a row of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The least move count.
    pub lower: u64,
    /// The largest move count.
    pub upper: u64,
    /// Games in the bin, at least 1.
    pub games: u64,
    /// How many games of the bin were won.
    pub wins: u64,
}

/// The move counts between which the quantile of order `q` (0 to 1, exclusive) of a cell's games
/// lies with this confidence, from its bins: at three significant digits, outwards. `None` where
/// the games are too few. For games that are independent of each other.
pub fn quantile_interval(bins: &[Bin], q: f64, confidence: f64) -> Option<[u64; 2]> {
    let (lower, upper) = quantile_ranks(bins.iter().map(|bin| bin.games).sum(), q, confidence)?;
    let mut games = 0;
    let mut cumulated = bins.iter().map(|bin| {
        games += bin.games;
        (games, bin)
    });
    let lo = cumulated.find(|(games, _)| *games >= lower)?;
    let hi = std::iter::once(lo)
        .chain(cumulated)
        .find(|(games, _)| *games >= upper)?;
    Some([lo.1.lower, hi.1.upper])
}

/// The file `distributions.csv` of a results folder.
#[derive(Clone, Debug, Default)]
pub struct Distributions {
    /// The bins of each table and cell, ascending.
    of_cell: HashMap<(String, String), Vec<Bin>>,
}

/// 2⁶²: larger counts would overflow the arithmetic of bins and sums.
const COUNT_MAX: u64 = 1 << 62;

impl Distributions {
    /// Reads the file, row by row: it may be much larger than what is kept of it.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn read(path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let opened = File::open(path).and_then(|opened| Ok((opened.metadata()?, opened)));
        let (found, opened) = opened.map_err(|error| format!("{file}: cannot be read: {error}"))?;
        if found.len > FILE_BYTES_MAX {
            return Err(format!(
                "{file}: is larger than {FILE_BYTES_MAX} bytes, the most that is read"
            ));
        }
        Self::parse(&file, opened.take(FILE_BYTES_MAX))
    }

    /// Reads the text of the file; `file` names it in messages.
    ///
    /// # Errors
    /// As [`Distributions::read`].
    pub fn parse(file: &str, text: impl std::io::Read) -> Result<Self, String> {
        let wrong = |message: String| format!("{file}: {message}");
        let mut reader = csv::Reader::from_reader(RowSource::new(text));
        let header = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .clone();
        check_header(&header, &schema::names(&schema::DISTRIBUTIONS)).map_err(wrong)?;
        let mut found = Self::default();
        // Table and cell of the last row, its bins, and their games.
        let mut current = (String::new(), String::new());
        let mut bins: Vec<Bin> = Vec::new();
        let mut total = 0;
        let mut record = csv::StringRecord::new();
        while read_row(&mut reader, &mut record).map_err(|error| wrong(error.to_string()))? {
            let row = Record::new(&header, &record);
            if (current.0.as_str(), current.1.as_str()) != row.key() {
                let ended = std::mem::replace(&mut current, row.owned_key());
                found.of_cell.insert(ended, std::mem::take(&mut bins));
                total = 0;
                if found.of_cell.contains_key(&current) {
                    return Err(wrong(row.wrong("cell", "has rows in two places")));
                }
            }
            let bin = bin_of(&row, bins.last(), total).map_err(wrong)?;
            total += bin.games;
            if bin.games > 0 {
                bins.push(bin);
            }
        }
        found.of_cell.insert(current, bins);
        Ok(found)
    }

    /// The bins of a row of `cells.csv`, ascending; empty where they are not known.
    pub fn of_record(&self, record: &Record<'_>) -> &[Bin] {
        let bins = self.of_cell.get(&record.owned_key());
        bins.map_or(&[], Vec::as_slice)
    }
}

/// The bin of a row; `before` and `total` are the bin before it in its cell, and the games of all
/// bins before it.
fn bin_of(row: &Record<'_>, before: Option<&Bin>, total: u64) -> Result<Bin, String> {
    let mut counts = [0; 4];
    for (count, name) in counts.iter_mut().zip(["lower", "upper", "games", "wins"]) {
        let found = row.count(name).filter(|count| *count <= COUNT_MAX);
        *count =
            found.ok_or_else(|| row.wrong(name, &format!("is not a count up to {COUNT_MAX}")))?;
    }
    let [lower, upper, games, wins] = counts;
    let (name, what) = if upper < lower {
        ("upper", format!("is below lower = {lower}"))
    } else if wins > games {
        ("wins", format!("exceeds the {games} games of the bin"))
    } else if before.is_some_and(|before| before.upper >= lower) {
        let what = "is out of order; the bins of a cell must ascend";
        ("lower", what.to_owned())
    } else if games > COUNT_MAX - total {
        let what = format!("brings the cell above {COUNT_MAX} games");
        ("games", what)
    } else {
        return Ok(Bin {
            lower,
            upper,
            games,
            wins,
        });
    };
    Err(row.wrong(name, &what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file may have no end: `/dev/zero` has none.
    #[test]
    fn a_row_without_an_end_is_refused() {
        let header = "table,cell,lower,upper,games,wins\n";
        for (start, endless) in [("", 0), ("", b'\n'), (header, b'a'), ("\"", b'\n')] {
            let text = start.as_bytes().chain(std::io::repeat(endless));
            let refused = Distributions::parse("d.csv", text).unwrap_err();
            assert!(refused.contains("d.csv: "), "{refused}");
            assert!(
                refused.contains("a row has more than 1048576 bytes"),
                "{refused}"
            );
        }
    }

    #[test]
    fn quantiles_lie_between_order_statistics() {
        let bin = |moves, games| Bin {
            lower: moves,
            upper: moves,
            games,
            wins: 0,
        };
        let hundred: Vec<Bin> = (1..=100).map(|moves| bin(moves, 1)).collect();
        assert_eq!(quantile_interval(&hundred, 0.5, 0.95), Some([40, 61]));
        assert_eq!(quantile_interval(&hundred, 0.9, 0.95), Some([84, 96]));
        assert_eq!(quantile_interval(&[bin(7, 100)], 0.5, 0.95), Some([7, 7]));
        assert_eq!(
            quantile_interval(&[bin(3, 30), bin(9, 70)], 0.5, 0.95),
            Some([9, 9])
        );
        assert_eq!(quantile_interval(&[bin(3, 5)], 0.9, 0.95), None);
        assert_eq!(quantile_interval(&[], 0.5, 0.95), None);
    }

    #[test]
    fn wrong_distributions_are_named() {
        let read = |rows: &str| {
            let text = format!("table,cell,lower,upper,games,wins\n{rows}\n");
            Distributions::parse("d.csv", text.as_bytes()).map(drop)
        };
        assert_eq!(read("t,a,3,3,1,0\nt,a,5,5,2,2\nt,b,1,1,1,0"), Ok(()));
        for (rows, message) in [
            (
                "t,a,5,5,1,0\nt,a,3,3,1,0",
                "d.csv: line 3: lower = \"3\" is out of order",
            ),
            ("t,a,5,5,1,0\nt,a,5,5,1,0", "lower = \"5\" is out of order"),
            ("t,a,5,4,1,0", "upper = \"4\" is below lower = 5"),
            ("t,a,5,5,1,2", "wins = \"2\" exceeds the 1 games"),
            ("t,a,5,5,x,0", "games = \"x\" is not a count"),
            ("t,a,5,5,18446744073709551615,0", "is not a count up to"),
            (
                "t,a,1,1,1,0\nt,b,1,1,1,0\nt,a,2,2,1,0",
                "line 4: cell = \"a\" has rows in two places",
            ),
            (
                "t,a,1,1,4611686018427387904,0\nt,a,2,2,1,0",
                "above 4611686018427387904 games",
            ),
        ] {
            let error = read(rows).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
