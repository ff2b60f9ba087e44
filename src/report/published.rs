//! `published.csv`: figures published elsewhere, beside the measured ones.

use super::cells::{Cells, Record};
use super::schema;
use crate::stats::{fisher_exact, pooled_z};
use std::collections::HashMap;
use std::path::Path;

/// The columns of `published.csv`.
pub const COLUMNS: [&str; 6] = schema::names(&schema::PUBLISHED);

/// The file `published.csv` of a results folder.
#[derive(Clone, Debug)]
pub struct Published {
    file: Cells,
    /// The row of each table and cell.
    rows: HashMap<(String, String), usize>,
}

/// A published rate held against the measured one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Published rate in percent.
    pub win_pct: f64,
    /// Games behind it.
    pub games: u64,
    /// Fisher's exact two-sided p-value for equal rates.
    pub p_value: f64,
    /// Published minus measured rate in pooled standard errors.
    pub standard_errors: f64,
}

impl Published {
    /// Reads the file.
    ///
    /// # Errors
    /// Names the file, the line, the column and the value.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::of(Cells::read(path, &COLUMNS)?)
    }

    /// The figures of a file that was read.
    ///
    /// # Errors
    /// As [`Published::read`].
    pub fn of(file: Cells) -> Result<Self, String> {
        file.check_fields(|name, field| {
            let column = schema::PUBLISHED.iter().find(|column| column.name == name);
            column.map_or(Ok(()), |column| column.check(field))
        })?;
        file.check_wins()?;
        let owned = |(table, cell): (&str, &str)| (table.to_owned(), cell.to_owned());
        let mut rows = HashMap::new();
        for (at, record) in file.records().enumerate() {
            rows.entry(owned(record.key())).or_insert(at);
        }
        Ok(Self { file, rows })
    }

    /// The published figures of a measured cell.
    #[must_use]
    pub fn figures(&self, row: &Record<'_>) -> Option<Record<'_>> {
        let (table, cell) = row.key();
        self.rows.get(&(table.to_owned(), cell.to_owned())).map(|&at| self.file.record(at))
    }

    /// The published wins and games of a measured cell, where there are games.
    #[must_use]
    pub fn wins(&self, row: &Record<'_>) -> Option<(u64, u64)> {
        let figures = self.figures(row)?;
        let games = figures.count("games").filter(|games| *games > 0)?;
        Some((figures.count("wins")?, games))
    }

    /// Compares the published rate of a cell with the measured one.
    #[must_use]
    pub fn compare(&self, row: &Record<'_>) -> Option<Comparison> {
        let (wins, games) = self.wins(row)?;
        let (measured_wins, measured_games) = row.effective_wins()?;
        Some(Comparison {
            win_pct: wins as f64 * 100.0 / games as f64,
            games,
            p_value: fisher_exact((wins, games), (measured_wins, measured_games)),
            standard_errors: pooled_z((wins, games), (measured_wins, measured_games))?,
        })
    }
}
