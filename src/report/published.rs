//! `published.csv`: figures published elsewhere, beside the measured ones.

use super::cells::{Cells, Record};
use crate::stats::{fisher_exact, pooled_z};

/// The columns of `published.csv`.
pub const COLUMNS: [&str; 6] = ["table", "cell", "games", "wins", "moves_mean", "moves_win_mean"];

/// The file `published.csv` of a results folder.
#[derive(Clone, Debug)]
pub struct Published(pub Cells);

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
    /// The published figures of a measured cell.
    #[must_use]
    pub fn of(&self, row: &Record<'_>) -> Option<Record<'_>> {
        self.0
            .records()
            .find(|published| published.get("table") == row.get("table") && published.get("cell") == row.get("cell"))
    }

    /// Compares the published rate of a cell with the measured one.
    #[must_use]
    pub fn compare(&self, row: &Record<'_>) -> Option<Comparison> {
        let published = self.of(row)?;
        let (wins, games) = (published.count("wins")?, published.count("games")?);
        let (measured_wins, measured_games) = row.effective_wins()?;
        Some(Comparison {
            win_pct: wins as f64 * 100.0 / games as f64,
            games,
            p_value: fisher_exact((wins, games), (measured_wins, measured_games)),
            standard_errors: pooled_z((wins, games), (measured_wins, measured_games))?,
        })
    }
}
