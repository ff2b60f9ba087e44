//! Reads `games.csv`: the outcomes of single games, cell by cell.
//!
//! The first reading notes where the rows of each cell begin. The rows of a cell are then read from
//! there, so no games are kept in memory.

use super::cells::Record;
use super::comparison::WonAndMoves;
use super::text::unguarded;
use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The rows of single games in a results folder.
#[derive(Debug)]
pub struct GameRows {
    path: PathBuf,
    /// By title of the table and key of the cell.
    cells: HashMap<(String, String), Place>,
}

/// Where the rows of a cell are.
#[derive(Debug)]
struct Place {
    first: csv::Position,
    games: u64,
    wins: u64,
}

impl GameRows {
    /// The rows in a results folder; `None` without a `games.csv`.
    ///
    /// # Errors
    /// Names the file and what is wrong in it.
    pub fn of_folder(folder: &Path) -> Result<Option<Self>, String> {
        let path = folder.join("games.csv");
        match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
            Ok(file) => Self::index(path, csv::Reader::from_reader(file)).map(Some),
        }
    }

    fn index(path: PathBuf, mut reader: csv::Reader<File>) -> Result<Self, String> {
        let mut cells: HashMap<(String, String), Place> = HashMap::new();
        let mut last: Option<(String, String)> = None;
        let mut row = csv::StringRecord::new();
        // So that the position is that of the first row.
        reader.headers().map_err(|error| format!("{}: {error}", path.display()))?;
        loop {
            let first = reader.position().clone();
            if !reader.read_record(&mut row).map_err(|error| format!("{}: {error}", path.display()))? {
                return Ok(Self { path, cells });
            }
            let read = outcome(&path, &row)?;
            let field = |at: usize| row.get(at).unwrap_or_default();
            // Rows of a cell follow each other: most have the texts of the row before.
            if last.as_ref().is_none_or(|(table, cell)| unguarded(field(0)) != table || field(1) != cell) {
                let key = (unguarded(field(0)).to_owned(), field(1).to_owned());
                cells.insert(key.clone(), Place { first, games: 0, wins: 0 });
                last = Some(key);
            }
            let place = last.as_ref().and_then(|key| cells.get_mut(key)).expect("the cell is known");
            if field(2) != place.games.to_string() {
                let line = row.position().map_or(0, csv::Position::line);
                return Err(format!("{}: line {line}: game_index is not {}", path.display(), place.games));
            }
            place.games += 1;
            place.wins += u64::from(read.0);
        }
    }

    /// The outcomes of a cell's games in order; `None` where the file does not have all games of
    /// the row of `cells.csv`, as after a run that wrote no rows.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn of<'a>(
        &'a self,
        row: &Record<'_>,
    ) -> Result<Option<impl Iterator<Item = Result<WonAndMoves, String>> + use<'a>>, String> {
        let key = |name: &str| row.get(name).unwrap_or_default().to_owned();
        let Some(place) = self.cells.get(&(key("table"), key("cell"))) else { return Ok(None) };
        if (row.count("games"), row.count("wins")) != (Some(place.games), Some(place.wins)) {
            return Ok(None);
        }
        let failed = |error: csv::Error| format!("{}: {error}", self.path.display());
        let mut reader = csv::Reader::from_path(&self.path).map_err(failed)?;
        reader.seek(place.first.clone()).map_err(failed)?;
        let games = usize::try_from(place.games).expect("rows of a file");
        let rows = reader.into_records().take(games);
        Ok(Some(rows.map(move |row| outcome(&self.path, &row.map_err(failed)?))))
    }
}

/// What a row says of its game.
fn outcome(path: &Path, row: &csv::StringRecord) -> Result<WonAndMoves, String> {
    let won = match row.get(3) {
        Some("won") => Some(true),
        Some("drawn" | "lost") => Some(false),
        _ => None,
    };
    won.zip(row.get(4).and_then(|moves| moves.parse().ok())).ok_or_else(|| {
        let line = row.position().map_or(0, csv::Position::line);
        format!("{}: line {line}: not a row of a game: won, drawn or lost, then a number of moves", path.display())
    })
}
