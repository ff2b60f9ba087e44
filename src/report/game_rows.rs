//! Reads `games.csv` and `games.parquet`: the outcomes of single games, cell by cell.
//!
//! The first reading notes where the rows of each cell begin. The rows of a cell are then read from
//! there, so no more games are kept in memory than those of a row group.

use super::cells::Record;
use super::comparison::GameFigures;
#[cfg(feature = "parquet")]
use super::parquet::{ByteArray, Reader};
use super::text::{RowSource, read_row, unguarded};
use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The rows of single games in a results folder.
#[derive(Debug)]
pub struct GameRows {
    csv: Option<Rows<csv::Position>>,
    #[cfg(feature = "parquet")]
    parquet: Option<Rows<Place>>,
}

/// The outcomes of the games of a cell, in order.
type Outcomes<'a> = Box<dyn Iterator<Item = Result<GameFigures, String>> + 'a>;

impl GameRows {
    /// The rows in a results folder; none where it has neither `games.csv` nor `games.parquet`.
    ///
    /// # Errors
    /// Names the file and what is wrong in it.
    pub fn of_folder(folder: &Path) -> Result<Self, String> {
        let csv = open(folder.join("games.csv"), |rows, file| {
            rows.index_csv(csv::Reader::from_reader(RowSource::new(file)))
        })?;
        Ok(Self {
            csv,
            #[cfg(feature = "parquet")]
            parquet: open(folder.join("games.parquet"), Rows::index_parquet)?,
        })
    }

    /// The outcomes of a cell's games in order; `None` where no file has all games of the row of
    /// `cells.csv` with its wins, moves and measure, as after a run that wrote no rows.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn of<'a>(
        &'a self,
        row: &Record<'_>,
        measure: Option<&'a str>,
    ) -> Result<Option<Outcomes<'a>>, String> {
        if let Some(rows) = &self.csv
            && let Some(games) = rows.of(row)
            && has_sum(row, measure, rows.outcomes_csv(games, measure)?)?
        {
            return rows.outcomes_csv(games, measure).map(Some);
        }
        #[cfg(feature = "parquet")]
        if let Some(rows) = &self.parquet
            && let Some(games) = rows.of(row)
            && has_sum(row, measure, rows.outcomes_parquet(games, measure)?)?
        {
            return rows.outcomes_parquet(games, measure).map(Some);
        }
        Ok(None)
    }
}

/// Whether the measures of these games have the mean of their row; true where none is asked for.
fn has_sum(
    row: &Record<'_>,
    measure: Option<&str>,
    outcomes: Outcomes<'_>,
) -> Result<bool, String> {
    let Some(measure) = measure else {
        return Ok(true);
    };
    let mut games: u64 = 0;
    let mut sum: i128 = 0;
    for outcome in outcomes {
        games += 1;
        sum += i128::from(outcome?.measure);
    }
    let known = row.number(&format!("{measure}_mean"));
    Ok(known.is_some_and(|known| is_same_mean(known, sum as f64 / games as f64)))
}

/// Whether a mean is one that is written to twelve digits.
fn is_same_mean(known: f64, mean: f64) -> bool {
    known == mean || (known - mean).abs() < 1e-9 * mean.abs()
}

/// The rows of one file.
#[derive(Debug)]
struct Rows<P> {
    path: PathBuf,
    /// By title of the table and key of the cell.
    cells: HashMap<(String, String), Games<P>>,
    /// The cell of the last row.
    last: Option<(String, String)>,
}

/// The games of a cell.
#[derive(Debug)]
struct Games<P> {
    /// Where the first row is.
    first: P,
    games: u64,
    wins: u64,
    moves: u128,
}

/// Where a row of a Parquet file is.
#[cfg(feature = "parquet")]
#[derive(Clone, Copy, Debug)]
struct Place {
    group: usize,
    row: usize,
}

/// Opens a file and notes where its rows are; `None` without the file.
fn open<P>(
    path: PathBuf,
    index: impl FnOnce(&mut Rows<P>, File) -> Result<(), String>,
) -> Result<Option<Rows<P>>, String> {
    match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
        Ok(file) => {
            let mut rows = Rows {
                path,
                cells: HashMap::new(),
                last: None,
            };
            index(&mut rows, file)?;
            Ok(Some(rows))
        }
    }
}

impl<P> Rows<P> {
    /// Counts a row.
    ///
    /// # Errors
    /// When the row is not that of the cell's next game.
    fn add(
        &mut self,
        (table, cell): (&str, &str),
        game: Option<u64>,
        GameFigures { won, moves, .. }: GameFigures,
        place: impl FnOnce() -> P,
    ) -> Result<(), String> {
        // Rows of a cell follow each other: most have the texts of the row before.
        if self
            .last
            .as_ref()
            .is_none_or(|last| last.0 != table || last.1 != cell)
        {
            let key = (table.to_owned(), cell.to_owned());
            self.cells.insert(
                key.clone(),
                Games {
                    first: place(),
                    games: 0,
                    wins: 0,
                    moves: 0,
                },
            );
            self.last = Some(key);
        }
        let games = self
            .last
            .as_ref()
            .and_then(|key| self.cells.get_mut(key))
            .expect("the cell is known");
        if game != Some(games.games) {
            return Err(format!("game_index is not {}", games.games));
        }
        games.games += 1;
        games.wins += u64::from(won);
        games.moves += u128::from(moves);
        Ok(())
    }

    /// The games of the cell of a row of `cells.csv`, where they are those of that row: equally
    /// many, with the same wins and the same mean number of moves.
    fn of(&self, row: &Record<'_>) -> Option<&Games<P>> {
        let key = |name: &str| row.get(name).unwrap_or_default().to_owned();
        let games = self.cells.get(&(key("table"), key("cell")))?;
        let mean = games.moves as f64 / games.games as f64;
        let is_same = row.count("games") == Some(games.games)
            && row.count("wins") == Some(games.wins)
            && row
                .number("moves_mean")
                .is_none_or(|known| is_same_mean(known, mean));
        is_same.then_some(games)
    }

    fn wrong(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.path.display())
    }
}

impl Rows<csv::Position> {
    fn index_csv(&mut self, mut reader: csv::Reader<RowSource<File>>) -> Result<(), String> {
        let mut row = csv::StringRecord::new();
        // So that the position is that of the first row.
        reader.headers().map_err(|error| self.wrong(error))?;
        loop {
            let first = reader.position().clone();
            if !read_row(&mut reader, &mut row).map_err(|error| self.wrong(error))? {
                return Ok(());
            }
            let read = self.outcome(&row, None)?;
            let field = |at: usize| row.get(at).unwrap_or_default();
            let key = (unguarded(field(0)), field(1));
            self.add(key, field(2).parse().ok(), read, || first)
                .map_err(|error| self.wrong_row(&row, &error))?;
        }
    }

    fn outcomes_csv<'a>(
        &'a self,
        games: &Games<csv::Position>,
        measure: Option<&str>,
    ) -> Result<Outcomes<'a>, String> {
        let failed = |error: csv::Error| self.wrong(error);
        let mut reader = csv::Reader::from_path(&self.path).map_err(failed)?;
        let place = match measure {
            None => None,
            Some(name) => {
                let header = reader.headers().map_err(failed)?;
                let place = header.iter().position(|column| column == name);
                Some(
                    place
                        .ok_or_else(|| self.wrong(format_args!("the column {name} is missing")))?,
                )
            }
        };
        reader.seek(games.first.clone()).map_err(failed)?;
        let count = usize::try_from(games.games).expect("rows of a file");
        let rows = reader.into_records().take(count);
        Ok(Box::new(rows.map(move |row| {
            self.outcome(&row.map_err(failed)?, place)
        })))
    }

    /// What a row says of its game, with the measure in this column where one is asked for.
    fn outcome(
        &self,
        row: &csv::StringRecord,
        measure: Option<usize>,
    ) -> Result<GameFigures, String> {
        let won = row.get(3).and_then(is_won);
        let moves = row.get(4).and_then(|moves| moves.parse().ok());
        let Some((won, moves)) = won.zip(moves) else {
            return Err(self.wrong_row(
                row,
                "not a row of a game: won, drawn or lost, then a number of moves",
            ));
        };
        let Some(measure) = measure.map(|place| row.get(place).unwrap_or_default()) else {
            return Ok(GameFigures {
                won,
                moves,
                measure: 0,
            });
        };
        let number = measure.parse();
        let measure = number.map_err(|_| {
            self.wrong_row(
                row,
                format_args!("{measure:?} is not a whole number of 64 bits"),
            )
        })?;
        Ok(GameFigures {
            won,
            moves,
            measure,
        })
    }

    fn wrong_row(&self, row: &csv::StringRecord, what: impl std::fmt::Display) -> String {
        self.wrong(format_args!(
            "line {}: {what}",
            row.position().map_or(0, csv::Position::line)
        ))
    }
}

#[cfg(feature = "parquet")]
impl Rows<Place> {
    fn index_parquet(&mut self, file: File) -> Result<(), String> {
        let reader = self.reader(file)?;
        for group in 0..reader.groups() {
            let read = |name| {
                reader
                    .texts(group, name)
                    .map_err(|error| self.damaged(error))
            };
            let tables = read("table")?;
            let cells = read("cell")?;
            let games = self.integers(&reader, group, "game_index")?;
            for (row, outcome) in self.outcomes(&reader, group, None)?.into_iter().enumerate() {
                let text = |column: &[ByteArray]| column[row].as_utf8().map(str::to_owned);
                let added = text(&tables)
                    .and_then(|table| Ok((table, text(&cells)?)))
                    .map_err(|error| error.to_string())
                    .and_then(|(table, cell)| {
                        self.add(
                            (&table, &cell),
                            games[row].map(i64::cast_unsigned),
                            outcome,
                            || Place { group, row },
                        )
                    });
                added.map_err(|error| {
                    self.damaged(format_args!("row group {group}, row {row}: {error}"))
                })?;
            }
        }
        Ok(())
    }

    fn outcomes_parquet<'a>(
        &'a self,
        games: &Games<Place>,
        measure: Option<&'a str>,
    ) -> Result<Outcomes<'a>, String> {
        let file = File::open(&self.path)
            .map_err(|error| self.wrong(format_args!("cannot be read: {error}")))?;
        let reader = self.reader(file)?;
        let Place { group, row } = games.first;
        let groups =
            (group..reader.groups()).map(move |group| self.outcomes(&reader, group, measure));
        let all = groups.flat_map(|group| match group {
            Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        Ok(Box::new(all.skip(row).take(
            usize::try_from(games.games).expect("rows of a file"),
        )))
    }

    fn reader(&self, file: File) -> Result<Reader, String> {
        Reader::new(file).map_err(|error| self.damaged(error))
    }

    /// The outcomes of the games of a row group, with 0 where a game has no such measure.
    fn outcomes(
        &self,
        reader: &Reader,
        group: usize,
        measure: Option<&str>,
    ) -> Result<Vec<GameFigures>, String> {
        let results = reader
            .texts(group, "outcome")
            .map_err(|error| self.damaged(error))?;
        let moves = self.integers(reader, group, "moves")?;
        let measures = measure
            .map(|name| self.integers(reader, group, name))
            .transpose()?;
        let outcome = |(row, result): (usize, &ByteArray)| {
            Some(GameFigures {
                won: is_won(result.as_utf8().ok()?)?,
                moves: moves[row]?.cast_unsigned(),
                measure: measures
                    .as_ref()
                    .and_then(|measures| measures[row])
                    .unwrap_or(0),
            })
        };
        let outcomes: Option<_> = results.iter().enumerate().map(outcome).collect();
        outcomes.ok_or_else(|| {
            self.damaged(format_args!(
                "row group {group}: an outcome is none of won, drawn and lost, or moves are missing"
            ))
        })
    }

    fn integers(
        &self,
        reader: &Reader,
        group: usize,
        name: &str,
    ) -> Result<Vec<Option<i64>>, String> {
        reader
            .integers(group, name)
            .map_err(|error| self.damaged(error))
    }

    fn damaged(&self, what: impl std::fmt::Display) -> String {
        self.wrong(format_args!(
            "{what}; remove it, and the games are played again, or write it anew with `tilelab run --per-game`"
        ))
    }
}

/// Whether an outcome is a win; `None` for other texts.
fn is_won(outcome: &str) -> Option<bool> {
    match outcome {
        "won" => Some(true),
        "drawn" | "lost" => Some(false),
        _ => None,
    }
}
