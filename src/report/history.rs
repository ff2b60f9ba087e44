//! The history of the multiplication game: one CSV row a game, and its statistics.

use super::table::{Align, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// One game of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// How it ended for the algorithm: won, drawn or lost.
    pub result: String,
    /// The start number.
    pub start: i64,
    /// Positions that the algorithm visited.
    pub nodes: u64,
    /// The algorithm's mean time a move, in milliseconds.
    pub move_ms: f64,
    /// The player of seat 0.
    pub algorithm: String,
    /// The player of seat 1.
    pub opponent: String,
    /// Who began: 0 the algorithm, 1 the opponent.
    pub beginner: usize,
    /// When the game ended, UTC, as in 2026-11-21T05:00:00Z.
    pub time: String,
}

/// Reads a history; a file that is not there is an empty one.
///
/// # Errors
/// Says which line is wrong.
pub fn read(file: &Path) -> Result<Vec<Played>, String> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(file).map_err(|error| error.to_string())?;
    reader.deserialize().map(|row| row.map_err(|error| format!("not a history: {error}"))).collect()
}

/// The history as CSV.
///
/// # Panics
/// Never: a list in memory can always be written.
#[must_use]
pub fn to_csv(games: &[Played]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    games.iter().for_each(|game| writer.serialize(game).expect("a row is written to memory"));
    String::from_utf8(writer.into_inner().expect("rows are written to memory")).expect("rows are text")
}

/// Statistics by algorithm, opponent and beginner as a Markdown table.
#[must_use]
pub fn statistics(games: &[Played]) -> String {
    let mut groups: BTreeMap<(&str, &str, usize), Vec<&Played>> = BTreeMap::new();
    for game in games {
        groups.entry((&game.algorithm, &game.opponent, game.beginner)).or_default().push(game);
    }
    use Align::{Left, Right};
    let mut table = Table::new([
        ("algorithm", Left),
        ("opponent", Left),
        ("beginner", Left),
        ("games", Right),
        ("won", Right),
        ("drawn", Right),
        ("lost", Right),
        ("nodes a game", Right),
        ("ms a move", Right),
    ]);
    for ((algorithm, opponent, beginner), games) in groups {
        let count = |result: &str| games.iter().filter(|game| game.result == result).count();
        let nodes = games.iter().map(|game| game.nodes as f64).sum::<f64>() / games.len() as f64;
        let move_ms = games.iter().map(|game| game.move_ms).sum::<f64>() / games.len() as f64;
        let beginner = ["algorithm", "opponent"].get(beginner).copied().unwrap_or("?");
        table.row([
            algorithm.to_owned(),
            opponent.to_owned(),
            beginner.to_owned(),
            games.len().to_string(),
            count("won").to_string(),
            count("drawn").to_string(),
            count("lost").to_string(),
            format!("{nodes:.1}"),
            format!("{move_ms:.4}"),
        ]);
    }
    table.to_string()
}

/// The time now, UTC, to the second.
#[must_use]
pub fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    utc(seconds)
}

/// A time as text, from seconds since 1970.
///
/// The date is that of H. Hinnant's `civil_from_days` (2013): years begin in March, so that the
/// leap day comes last.
fn utc(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let rest = seconds % 86_400;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_732_165_384), "2024-11-21T05:03:04Z");
        assert_eq!(utc(4_102_444_799), "2099-12-31T23:59:59Z");
    }
}
