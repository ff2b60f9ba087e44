//! Rows of `cells.csv` seen as an experiment: which columns are factors, what varies, and how a row is called.

use serde::Serialize;
use std::collections::BTreeSet;

/// Columns that are results in every file; whatever else stands beside them is a parameter or a measure.
const RESULTS: [&str; 21] = [
    "games",
    "wins",
    "win_pct",
    "win_pct_lo",
    "win_pct_hi",
    "moves_mean",
    "moves_mean_se",
    "moves_win_mean",
    "moves_win_mean_se",
    "moves_p50",
    "moves_p90",
    "moves_p99",
    "moves_max",
    "draws",
    "losses",
    "score_mean",
    "stopped",
    "win_pct_wilson_lo",
    "win_pct_wilson_hi",
    "confidence",
    "error",
];

/// Columns added for correlated lanes, and by the report page.
const LANES: [&str; 4] = ["trajectories", "design_effect", "effective_games", "published_p"];

/// The upper end of the bucket of `distributions.csv` that a move count falls into, and the bucket's width.
///
/// Up to 128 every count has its own; beyond, 64 buckets cover each doubling, so their width is between 0.8 % and 1.6 % of the count.
#[must_use]
pub const fn moves_bucket(moves: u64) -> (u64, u64) {
    let width = if moves <= 128 { 1 } else { 1 << ((moves - 1).ilog2() - 6) };
    (moves.div_ceil(width) * width, width)
}

/// A CSV file in memory: a header and rows of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataset {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The fields, row by row.
    pub rows: Vec<Vec<String>>,
}

/// Something that was varied: a parameter, the player, the game, or the board's size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// Its distinct values; ascending where they are numbers or sizes, else in order of appearance.
    pub values: Vec<String>,
    /// For each row of the dataset, the index of its value; `None` where the row has none.
    pub of_row: Vec<Option<usize>>,
    /// Whether all values are numbers.
    pub numeric: bool,
}

impl Dataset {
    /// Reads CSV text.
    ///
    /// # Errors
    /// Says which line is malformed.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(text);
        let own = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<String>>();
        let columns = own(reader.headers().map_err(|error| error.to_string())?);
        let rows = reader.records().map(|record| record.map(|record| own(&record)));
        Ok(Self { columns, rows: rows.collect::<Result<_, _>>().map_err(|error| error.to_string())? })
    }

    /// The position of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// A field; `None` where there is no such column or the field is empty.
    #[must_use]
    pub fn get(&self, row: usize, name: &str) -> Option<&str> {
        self.rows[row].get(self.column(name)?).map(String::as_str).filter(|field| !field.is_empty())
    }

    /// A field as a number.
    #[must_use]
    pub fn number(&self, row: usize, name: &str) -> Option<f64> {
        self.get(row, name)?.parse().ok()
    }

    /// The distribution of a row of `distributions.csv`, whose field `moves` reads `MOVES:GAMES MOVES:GAMES …`; empty where there is none.
    #[must_use]
    pub fn distribution(&self, row: usize) -> Vec<(u64, u64)> {
        let pair = |pair: &str| {
            let (moves, games) = pair.split_once(':')?;
            Some((moves.parse().ok()?, games.parse().ok()?))
        };
        self.get(row, "moves").unwrap_or("").split(' ').filter_map(pair).collect()
    }

    /// The titles of the tables, in order of appearance.
    #[must_use]
    pub fn tables(&self) -> Vec<&str> {
        let mut titles: Vec<&str> = Vec::new();
        for row in 0..self.rows.len() {
            let title = self.get(row, "table").unwrap_or("");
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles
    }

    /// The names of the columns that describe a cell beyond its table, key and seed.
    #[must_use]
    pub fn parameters(&self) -> Vec<&str> {
        let is_measure = |name: &str| name.ends_with("_mean") || name.ends_with("_mean_se") || name.ends_with("_pct");
        self.columns
            .iter()
            .map(String::as_str)
            .filter(|name| !["table", "cell", "seed"].contains(name) && !RESULTS.contains(name))
            .filter(|name| !LANES.contains(name) && !is_measure(name))
            .collect()
    }

    /// What the rows differ in: each parameter with at least two values, `rows` and `cols` joined into `size`.
    ///
    /// Rows and columns stay apart where every combination of them occurs. Of several parameters that only change together the first
    /// stands for all, named after all.
    #[must_use]
    pub fn factors(&self) -> Vec<Factor> {
        let joined = self.sizes_are_joined();
        let mut factors: Vec<Factor> = Vec::new();
        for name in self.parameters() {
            let factor = match name {
                "cols" if joined => continue,
                "rows" if joined => {
                    self.factor("size", |row| Some(format!("{}x{}", self.get(row, "rows")?, self.get(row, "cols")?)))
                }
                _ => self.factor(name, |row| self.get(row, name).map(str::to_owned)),
            };
            if factor.values.len() < 2 {
                continue;
            }
            match factors.iter_mut().find(|known| known.changes_with(&factor)) {
                Some(known) => known.name = format!("{}, {}", known.name, factor.name),
                None => factors.push(factor),
            }
        }
        factors
    }

    fn sizes_are_joined(&self) -> bool {
        let pairs: BTreeSet<_> =
            (0..self.rows.len()).map(|row| (self.get(row, "rows"), self.get(row, "cols"))).collect();
        let rows: BTreeSet<_> = pairs.iter().map(|pair| pair.0).collect();
        let cols: BTreeSet<_> = pairs.iter().map(|pair| pair.1).collect();
        let all_combinations = rows.len() > 1 && cols.len() > 1 && pairs.len() == rows.len() * cols.len();
        self.column("rows").is_some() && self.column("cols").is_some() && !all_combinations
    }

    fn factor(&self, name: &str, value: impl Fn(usize) -> Option<String>) -> Factor {
        let of_rows: Vec<Option<String>> = (0..self.rows.len()).map(value).collect();
        let mut values: Vec<String> = Vec::new();
        for value in of_rows.iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let numeric = values.iter().all(|value| value.parse::<f64>().is_ok_and(f64::is_finite));
        let magnitude = |value: &String| match value.split_once('x') {
            Some((rows, cols)) if name == "size" => Some((rows.parse::<f64>().ok()? * cols.parse::<f64>().ok()?, 0.0)),
            _ => value.parse().ok().map(|number| (number, 0.0)),
        };
        if values.iter().all(|value| magnitude(value).is_some()) {
            values.sort_by(|a, b| magnitude(a).partial_cmp(&magnitude(b)).unwrap_or(std::cmp::Ordering::Equal));
        }
        let of_row = of_rows
            .iter()
            .map(|value| value.as_ref().and_then(|v| values.iter().position(|known| known == v)))
            .collect();
        Factor { name: name.to_owned(), values, of_row, numeric }
    }

    /// What tells a row from others that differ in these factors: bare words, and numbers with their names.
    #[must_use]
    pub fn label(&self, row: usize, factors: &[&Factor]) -> String {
        let part = |factor: &&Factor| {
            let value = &factor.values[factor.of_row[row]?];
            Some(if factor.numeric { format!("{} {value}", factor.name) } else { value.clone() })
        };
        factors.iter().filter_map(part).collect::<Vec<_>>().join(", ")
    }
}

impl Factor {
    /// Whether the two have the same pattern of values, so that either tells the other.
    fn changes_with(&self, other: &Self) -> bool {
        let mut pairs = BTreeSet::new();
        for (&mine, &theirs) in self.of_row.iter().zip(&other.of_row) {
            if mine.is_none() || theirs.is_none() {
                return false;
            }
            pairs.insert((mine, theirs));
        }
        pairs.len() == self.values.len() && pairs.len() == other.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "table,cell,game,player,seed,rules,rows,cols,rate,tiles,games,wins,win_pct,score_mean,error\n";

    fn names(text: &str) -> Vec<String> {
        let data = Dataset::parse(format!("{HEAD}{text}").as_bytes()).unwrap();
        data.factors().into_iter().map(|factor| format!("{}: {}", factor.name, factor.values.join(" "))).collect()
    }

    #[test]
    fn what_varies_is_a_factor() {
        assert_eq!(
            names(
                "t,a,g,random,1,original,10,10,0.5,2,9,1,11,,\n\
                 t,b,g,random,1,original,6,7,0.5,2,9,1,11,,\n\
                 t,c,g,random,1,gapless,7,7,0.5,2,9,1,11,,\n"
            ),
            ["rules: original gapless", "size: 6x7 7x7 10x10"]
        );
    }

    #[test]
    fn a_full_grid_keeps_rows_and_columns_apart() {
        assert_eq!(
            names(
                "t,a,g,r,1,o,1,2,0.5,2,9,1,11,,\nt,b,g,r,1,o,1,3,0.5,2,9,1,11,,\nt,c,g,r,1,o,2,2,0.5,2,9,1,11,,\nt,d,g,r,1,o,2,3,0.5,2,9,1,11,,\n"
            ),
            ["rows: 1 2", "cols: 2 3"]
        );
    }

    #[test]
    fn what_changes_together_is_one_factor() {
        assert_eq!(names("t,a,g,r,1,o,4,4,0.7,4,9,1,11,,\nt,b,g,r,1,o,4,4,0.6,2,9,1,11,,\n"), ["rate, tiles: 0.6 0.7"]);
    }

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
    fn labels_name_numbers_only() {
        let text = format!(
            "{HEAD}t,a,g,r,1,o,4,4,0.7,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.6,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.7,2,9,1,11,,\n"
        );
        let data = Dataset::parse(text.as_bytes()).unwrap();
        let factors = data.factors();
        assert_eq!(data.label(2, &factors.iter().collect::<Vec<_>>()), "p, rate 0.7");
        assert_eq!((data.get(0, "score_mean"), data.number(0, "win_pct")), (None, Some(11.0)));
    }
}
