//! Rows of `cells.csv` seen as an experiment: which columns are factors, what varies, and how a row
//! is called.

use super::cells::Cells;
use super::labels;
use super::schema;
use serde::Serialize;
use std::collections::BTreeSet;

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
    /// Whether the values have an order, so that a line may join neighbours: numbers, or sizes with
    /// different numbers of cells.
    pub ordered: bool,
}

impl Cells {
    /// The names of the columns that describe a cell beyond its table, key and seed.
    #[must_use]
    pub fn parameters(&self) -> Vec<&str> {
        self.columns()
            .filter(|name| schema::is_parameter(name))
            .collect()
    }

    /// What the rows differ in: each parameter with at least two values, `rows` and `cols` joined
    /// into `size`.
    ///
    /// Rows and columns stay apart where every combination of them occurs. Of several parameters
    /// that only change together the first stands for all, named after all.
    #[must_use]
    pub fn factors(&self) -> Vec<Factor> {
        let joined = self.sizes_are_joined();
        let mut factors: Vec<Factor> = Vec::new();
        for name in self.parameters() {
            let factor = match name {
                "cols" if joined => continue,
                "rows" if joined => self.size(),
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

    /// `rows` and `cols` joined into one factor `size`.
    #[must_use]
    pub fn size(&self) -> Factor {
        self.factor("size", |row| {
            Some(format!(
                "{}x{}",
                self.get(row, "rows")?,
                self.get(row, "cols")?
            ))
        })
    }

    fn sizes_are_joined(&self) -> bool {
        let pairs: BTreeSet<_> = (0..self.len())
            .map(|row| (self.get(row, "rows"), self.get(row, "cols")))
            .collect();
        let rows: BTreeSet<_> = pairs.iter().map(|pair| pair.0).collect();
        let cols: BTreeSet<_> = pairs.iter().map(|pair| pair.1).collect();
        let all_combinations =
            rows.len() > 1 && cols.len() > 1 && pairs.len() == rows.len() * cols.len();
        let has = |name| self.columns().any(|column| column == name);
        has("rows") && has("cols") && !all_combinations
    }

    fn factor(&self, name: &str, value: impl Fn(usize) -> Option<String>) -> Factor {
        let of_rows: Vec<Option<String>> = (0..self.len()).map(value).collect();
        let mut values: Vec<String> = Vec::new();
        for value in of_rows.iter().flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let numeric = values
            .iter()
            .all(|value| value.parse::<f64>().is_ok_and(f64::is_finite));
        let magnitude = |value: &String| match value.split_once('x') {
            Some((rows, cols)) if name == "size" => {
                Some((rows.parse::<f64>().ok()? * cols.parse::<f64>().ok()?, 0.0))
            }
            // Pairs of Offset.
            _ if name.starts_with("pair") => value
                .split_once(',')
                .and_then(|(p, q)| Some((p.parse().ok()?, q.parse().ok()?))),
            _ => value.parse().ok().map(|number| (number, 0.0)),
        };
        let mut ordered = numeric;
        if values.iter().all(|value| magnitude(value).is_some()) {
            values.sort_by(|a, b| {
                magnitude(a)
                    .partial_cmp(&magnitude(b))
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            ordered = values
                .windows(2)
                .all(|pair| magnitude(&pair[0]) < magnitude(&pair[1]));
        }
        let of_row = of_rows
            .iter()
            .map(|value| {
                value
                    .as_ref()
                    .and_then(|v| values.iter().position(|known| known == v))
            })
            .collect();
        Factor {
            name: name.to_owned(),
            values,
            of_row,
            numeric,
            ordered,
        }
    }

    /// What distinguishes a row from others by these factors: bare words, and numbers with
    /// their short names.
    #[must_use]
    pub fn label(&self, row: usize, factors: &[&Factor]) -> String {
        labels::joined(&parts(factors, row))
    }
}

impl Factor {
    /// Whether the two have the same pattern of values, so that either determines the other.
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

/// The parts of a row's label, one for each factor; empty where the row has no value.
#[must_use]
pub fn parts(factors: &[&Factor], row: usize) -> Vec<String> {
    let part = |factor: &&Factor| {
        let value = &factor.values[factor.of_row[row]?];
        Some(labels::part(&factor.name, value, factor.numeric))
    };
    factors
        .iter()
        .map(|factor| part(factor).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "table,cell,game,player,seed,rules,rows,cols,rate,tiles,games,wins,win_pct,score_mean,error\n";

    fn names(text: &str) -> Vec<String> {
        let data = Cells::parse("x.csv", format!("{HEAD}{text}").as_bytes(), &[]).unwrap();
        data.factors()
            .into_iter()
            .map(|factor| format!("{}: {}", factor.name, factor.values.join(" ")))
            .collect()
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
        assert_eq!(
            names("t,a,g,r,1,o,4,4,0.7,4,9,1,11,,\nt,b,g,r,1,o,4,4,0.6,2,9,1,11,,\n"),
            ["rate, tiles: 0.6 0.7"]
        );
    }

    #[test]
    fn labels_name_numbers_only() {
        let text = format!(
            "{HEAD}t,a,g,r,1,o,4,4,0.7,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.6,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.7,2,9,1,11,,\n"
        );
        let data = Cells::parse("x.csv", text.as_bytes(), &[]).unwrap();
        let factors = data.factors();
        assert_eq!(
            data.label(2, &factors.iter().collect::<Vec<_>>()),
            "p, rate 0.7"
        );
        assert_eq!(
            (data.get(0, "score_mean"), data.number(0, "win_pct")),
            (None, Some(11.0))
        );
    }
}
