//! CSV files of results, read back as records.

use crate::schema::{self, ERROR, LEADING, RESULTS};
use std::path::Path;
use tilelab_core::text::separate;
use tilelab_output::files::{self, TABLE_BYTES_MAX};
use tilelab_output::text::unguarded;
use tilelab_stats::Estimate;

/// A CSV file of results, read back: the one reader of all files of a results folder.
#[derive(Clone, Debug)]
pub struct Cells {
    file: String,
    header: csv::StringRecord,
    records: Vec<csv::StringRecord>,
}

/// One row of a file.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
}

impl<'a> Record<'a> {
    /// A row of a file with these columns.
    pub const fn new(header: &'a csv::StringRecord, record: &'a csv::StringRecord) -> Self {
        Self { header, record }
    }

    /// The names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.header.iter()
    }

    /// The fields in the order of the columns; empty where undefined.
    pub fn fields(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.record.iter().map(unguarded)
    }

    /// A field; `None` when there is no such column or it is empty.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let mut names = self.header.as_byte_record().iter();
        let at = names.position(|known| known == name.as_bytes())?;
        let field = self.record.get(at).filter(|field| !field.is_empty());
        field.map(unguarded)
    }

    /// A field as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    /// Fields as numbers; `None` where one of them is none.
    pub fn numbers<const N: usize>(&self, names: [&str; N]) -> Option<[f64; N]> {
        let numbers = names.map(|name| self.number(name));
        (numbers.iter().all(Option::is_some)).then(|| numbers.map(Option::unwrap_or_default))
    }

    /// A field as a count.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// A mean whose standard error stands beside it; `None` of fewer than two games or
    /// trajectories.
    pub fn mean(&self, name: &str) -> Option<Estimate> {
        let samples = self.count("trajectories").or_else(|| self.count("games"))?;
        let df = samples.checked_sub(1).filter(|df| *df > 0)? as f64;
        Some(Estimate {
            mean: self.number(name)?,
            se: self.number(&format!("{name}_se"))?,
            df,
        })
    }

    /// Rows and columns, such as `6x7`.
    pub fn size(&self) -> Option<String> {
        Some(format!("{}x{}", self.get("rows")?, self.get("cols")?))
    }

    /// Title of the table and key of the cell, which name a row in every file.
    pub fn key(&self) -> (&'a str, &'a str) {
        (
            self.get("table").unwrap_or_default(),
            self.get("cell").unwrap_or_default(),
        )
    }

    /// [`Record::key`] as a key of maps.
    pub fn owned_key(&self) -> (String, String) {
        let (table, cell) = self.key();
        (table.to_owned(), cell.to_owned())
    }

    /// The message for a wrong field.
    pub fn wrong(&self, name: &str, what: &str) -> String {
        let value = self.get(name).unwrap_or_default();
        format!("line {}: {name} = {value:?} {what}", self.line())
    }

    /// The game and its parameters, without the players and without how win rates are estimated
    /// (`lanes`, `method`): columns that are not empty with their fields, in the order of their
    /// names.
    pub fn rules(&self) -> Vec<(&'a str, &'a str)> {
        let is_rule = |name: &str| {
            schema::is_parameter(name) && !["player", "lanes", "method"].contains(&name)
        };
        let names = self.header().filter(|name| is_rule(name));
        let mut rules: Vec<_> = names
            .filter_map(|name| Some((name, self.get(name)?)))
            .collect();
        rules.sort_unstable();
        rules
    }

    /// The labels of the players, which the column `player` joins by ` / `; within the parentheses
    /// of a label, this may be part of a path.
    pub fn players(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.get("player")
            .into_iter()
            .flat_map(|all| separate(all, '/'))
    }

    /// The line of the file that the row starts on.
    pub fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// The win rate as a share: weighted, where games are split.
    pub fn rate(&self) -> Option<f64> {
        if self.get("replications").is_some() {
            return Some(self.number("win_pct")? / 100.0);
        }
        Some(self.count("wins")? as f64 / self.count("games")? as f64)
    }

    /// Wins and games; where games share trajectories or are split, of as many independent games as
    /// give the same precision.
    pub fn effective_wins(&self) -> Option<(u64, u64)> {
        let wins = self.count("wins")?;
        let games = self.count("games")?;
        let Some(effective) = self.number("effective_games").filter(|_| games > 0) else {
            return Some((wins, games));
        };
        let effective_games = effective.round() as u64;
        let rate = self.rate()?;
        // Rounding must not leave more wins than games.
        let effective_wins = ((rate * effective).round() as u64).min(effective_games);
        Some((effective_wins, effective_games))
    }
}

/// Checks that a file has these columns.
pub fn check_header(header: &csv::StringRecord, needed: &[&str]) -> Result<(), String> {
    for name in needed {
        if !header.iter().any(|known| known == *name) {
            return Err(format!(
                "the column {name} is missing; is this a file that tilelab wrote?"
            ));
        }
    }
    Ok(())
}

/// For the message about a `cells.csv` that is not there: the results folders beside it, as in the
/// folder that `--out` names.
fn results_below(path: &Path) -> String {
    let entries = path.parent().map(files::read_dir);
    let (Ok(false), Some(Ok(entries))) = (files::exists(path), entries) else {
        return String::new();
    };
    let folders = entries.into_iter().map(|entry| entry.path);
    let mut results: Vec<String> = folders
        .filter(|folder| matches!(files::exists(folder.join("cells.csv")), Ok(true)))
        .map(|folder| folder.display().to_string())
        .collect();
    if results.is_empty() {
        return String::new();
    }
    results.sort_unstable();
    results.truncate(5);
    format!("; results are in {}", results.join(", "))
}

impl Cells {
    /// Reads a CSV file that has at least these columns.
    ///
    /// # Errors
    /// Names the file and says what is wrong with it.
    pub fn read(path: &Path, needed: &[&str]) -> Result<Self, String> {
        let file = path.display().to_string();
        let text =
            files::read_text(path, TABLE_BYTES_MAX).map_err(|error| format!("{file}: {error}"))?;
        Self::parse(&file, text.as_bytes(), needed)
    }

    /// Reads the bytes of a CSV file that has at least these columns; `file` names it in messages.
    ///
    /// # Errors
    /// As [`Cells::read`].
    pub fn parse(file: &str, bytes: &[u8], needed: &[&str]) -> Result<Self, String> {
        let wrong = |message: String| format!("{file}: {message}");
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .clone();
        check_header(&header, needed).map_err(wrong)?;
        let records: Vec<_> = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(|error| wrong(error.to_string()))?;
        if records.is_empty() {
            return Err(wrong("has no rows".to_owned()));
        }
        Ok(Self {
            file: file.to_owned(),
            header,
            records,
        })
    }

    /// Reads a `cells.csv` and checks its figures: every one is of its column's type and range, and
    /// no cell has more wins, draws and losses than games.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn read_cells(path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let text = files::read_text(path, TABLE_BYTES_MAX)
            .map_err(|error| format!("{file}: {error}{}", results_below(path)))?;
        Self::parse_cells(&file, text.as_bytes())
    }

    /// Reads the bytes of a `cells.csv`; `file` names it in messages.
    ///
    /// # Errors
    /// As [`Cells::read_cells`].
    pub fn parse_cells(file: &str, bytes: &[u8]) -> Result<Self, String> {
        let needed = LEADING.iter().chain(&RESULTS).chain([&ERROR]);
        let needed: Vec<&str> = needed.map(|column| column.name).collect();
        let cells = Self::parse(file, bytes, &needed)?;
        cells.check_fields(schema::check)?;
        cells.check_wins()?;
        Ok(cells)
    }

    /// Checks every field that is not empty with `check`, which is given the column and the field.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value, and says what it has to be.
    pub fn check_fields(
        &self,
        check: impl Fn(&str, &str) -> Result<(), String>,
    ) -> Result<(), String> {
        for record in self.records() {
            let fields = record.header().zip(record.fields());
            for (name, field) in fields.filter(|(_, field)| !field.is_empty()) {
                check(name, field)
                    .map_err(|expected| self.wrong(&record, name, &format!("is not {expected}")))?;
            }
        }
        Ok(())
    }

    /// Checks that no row has more wins, draws and losses than games.
    ///
    /// # Errors
    /// As [`Cells::check_fields`].
    pub fn check_wins(&self) -> Result<(), String> {
        for record in self.records() {
            let Some(games) = record.count("games") else {
                continue;
            };
            let mut ended = 0;
            for name in ["wins", "draws", "losses"] {
                ended += record.count(name).unwrap_or(0);
                if ended > games {
                    let what = format!("exceeds the {games} games played");
                    return Err(self.wrong(&record, name, &what));
                }
            }
        }
        Ok(())
    }

    fn wrong(&self, record: &Record<'_>, name: &str, what: &str) -> String {
        format!("{}: {}", self.file, record.wrong(name, what))
    }

    /// The rows of which this holds; `None` where there is none.
    pub fn only(&self, holds: impl Fn(&Record<'_>) -> bool) -> Option<Self> {
        let kept = self.records().filter(holds);
        let records: Vec<_> = kept.map(|row| row.record.clone()).collect();
        (!records.is_empty()).then(|| Self {
            file: self.file.clone(),
            header: self.header.clone(),
            records,
        })
    }

    /// How many rows there are: at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }

    /// The rows.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.len()).map(|row| self.record(row))
    }

    /// The row at an index below [`Cells::len`].
    pub fn record(&self, row: usize) -> Record<'_> {
        Record::new(&self.header, &self.records[row])
    }

    /// A field of the row at an index; `None` when there is no such column or it is empty.
    pub fn get(&self, row: usize, name: &str) -> Option<&str> {
        self.record(row).get(name)
    }

    /// A field of the row at an index as a number.
    pub fn number(&self, row: usize, name: &str) -> Option<f64> {
        self.record(row).number(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(header: &str, row: &str) -> Result<(), String> {
        let cells = Cells::parse("x.csv", format!("{header}\n{row}\n").as_bytes(), &[]).unwrap();
        cells.check_fields(crate::schema::check)?;
        cells.check_wins()
    }

    #[test]
    fn wrong_figures_are_named_with_line_column_and_value() {
        for (header, row, message) in [
            (
                "games,wins",
                "5,6",
                "x.csv: line 2: wins = \"6\" exceeds the 5 games played",
            ),
            (
                "games,wins,draws,losses",
                "5,2,2,2",
                "losses = \"2\" exceeds",
            ),
            (
                "games,wins",
                "9223372036854775808,1",
                "games = \"9223372036854775808\" is not a count from 0 to 2^62",
            ),
            (
                "moves_mean_se",
                "NaN",
                "moves_mean_se = \"NaN\" is not a finite number",
            ),
            (
                "moves_mean",
                "1e308",
                "moves_mean = \"1e308\" is not a finite number from 0 to 2^64",
            ),
            (
                "score_mean_se",
                "inf",
                "score_mean_se = \"inf\" is not a finite number",
            ),
            (
                "win_pct",
                "101",
                "win_pct = \"101\" is not a finite number from 0 to 100",
            ),
            ("effective_games", "-1", "effective_games = \"-1\""),
            (
                "confidence",
                "00",
                "confidence = \"00\" is not a finite number from 0.5 to 0.999999",
            ),
        ] {
            let error = checked(header, row).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(
            checked(
                "games,wins,draws,losses,target,moves_mean",
                "5,1,2,2,any text,"
            ),
            Ok(())
        );
    }

    #[test]
    fn effective_wins_never_exceed_effective_games() {
        let text = b"games,wins,effective_games\n3,3,2.4999999999999996\n";
        let (wins, games) = Cells::parse("x.csv", text, &[])
            .unwrap()
            .record(0)
            .effective_wins()
            .unwrap();
        assert!(wins <= games, "{wins} of {games}");
    }
}
