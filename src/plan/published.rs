//! Published figures, read from a CSV file and matched to cells.

use super::Cell;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What was published about a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Games behind the figures.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Mean move count, as text, empty where none was published.
    pub moves_mean: String,
    /// Mean move count of won games, as text, empty where none was published.
    pub moves_win_mean: String,
}

/// Columns that are figures; all others but `table` are parameters of the game.
const FIGURES: [&str; 5] = ["games", "wins", "win_pct", "moves_mean", "moves_win_mean"];

/// Finds for each row of the file with this table title the one cell that has its parameters.
pub(super) fn attach(path: &Path, title: &str, cells: &mut [Cell]) -> Result<(), String> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| format!("cannot be read: {error}"))?;
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| {
        header.iter().position(|known| known == name).ok_or_else(|| format!("the file has no column {name}"))
    };
    let (table, games, wins) = (column("table")?, column("games")?, column("wins")?);
    let mut found = false;
    for (number, row) in reader.records().enumerate() {
        let row = row.map_err(|error| error.to_string())?;
        if &row[table] != title {
            continue;
        }
        found = true;
        let place = format!("row {} of the file", number + 2);
        let count = |column: usize, name: &str| {
            row[column].parse::<u64>().map_err(|_| format!("{place}: {name} = {:?} is no count", &row[column]))
        };
        let figures = Published {
            games: count(games, "games")?,
            wins: count(wins, "wins")?,
            moves_mean: column("moves_mean").map_or_else(|_| String::new(), |at| row[at].to_owned()),
            moves_win_mean: column("moves_win_mean").map_or_else(|_| String::new(), |at| row[at].to_owned()),
        };
        if figures.games == 0 || figures.wins > figures.games {
            return Err(format!("{place}: {} wins of {} games cannot be", figures.wins, figures.games));
        }
        let has_parameters = |cell: &&mut Cell| {
            header.iter().zip(&row).all(|(name, text)| {
                let spec = cell.game.params.iter().find(|spec| spec.name == name);
                match spec {
                    Some(spec) => spec.parse(text).as_ref() == Some(cell.params.get(name)),
                    None => name == "table" || FIGURES.contains(&name),
                }
            })
        };
        let cell = cells.iter_mut().find(has_parameters);
        cell.ok_or_else(|| format!("{place} is like no cell of the table {title:?}"))?.published = Some(figures);
    }
    if found { Ok(()) } else { Err(format!("the file has no row whose table is {title:?}")) }
}
