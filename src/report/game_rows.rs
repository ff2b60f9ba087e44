//! Reads `games.csv` and `games.parquet`: the outcomes of single games, cell by cell.
//!
//! The first reading notes where the rows of each cell begin. The rows of a cell are then read from
//! there, so no more games are kept in memory than those of a row group.

use super::cells::Record;
use super::comparison::GameFigures;
use super::parquet::file::Values;
use super::parquet::read::Reader;
use super::text::unguarded;
use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The rows of single games in a results folder.
#[derive(Debug)]
pub struct GameRows {
    csv: Option<Rows<csv::Position>>,
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
            rows.index_csv(csv::Reader::from_reader(file))
        })?;
        let parquet = open(folder.join("games.parquet"), Rows::index_parquet)?;
        Ok(Self { csv, parquet })
    }

    /// The outcomes of a cell's games in order; `None` where no file has all games of the row of
    /// `cells.csv`, as after a run that wrote no rows. Measures are read from `games.csv` only:
    /// those of `games.parquet` have gaps where players have none.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn of<'a>(
        &'a self,
        row: &Record<'_>,
        measure: Option<&str>,
    ) -> Result<Option<Outcomes<'a>>, String> {
        if let Some((rows, games)) = self
            .csv
            .as_ref()
            .and_then(|rows| Some((rows, rows.of(row)?)))
        {
            return rows.outcomes_csv(games, measure).map(Some);
        }
        if measure.is_some() {
            return Ok(None);
        }
        let Some((rows, games)) = self
            .parquet
            .as_ref()
            .and_then(|rows| Some((rows, rows.of(row)?)))
        else {
            return Ok(None);
        };
        rows.outcomes_parquet(games).map(Some)
    }
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
                .is_none_or(|known| (known / mean - 1.0).abs() < 1e-9 || known == mean);
        is_same.then_some(games)
    }

    fn wrong(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.path.display())
    }
}

impl Rows<csv::Position> {
    fn index_csv(&mut self, mut reader: csv::Reader<File>) -> Result<(), String> {
        let mut row = csv::StringRecord::new();
        // So that the position is that of the first row.
        reader.headers().map_err(|error| self.wrong(error))?;
        loop {
            let first = reader.position().clone();
            if !reader
                .read_record(&mut row)
                .map_err(|error| self.wrong(error))?
            {
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

impl Rows<Place> {
    fn index_parquet(&mut self, file: File) -> Result<(), String> {
        let mut reader = self.reader(file)?;
        for group in 0..reader.groups() {
            let [tables, cells] =
                ["table", "cell"].map(|name| self.texts(&mut reader, group, name));
            let tables = tables?;
            let cells = cells?;
            let games = self.counts(&mut reader, group, "game_index")?;
            for (row, outcome) in self.outcomes(&mut reader, group)?.into_iter().enumerate() {
                let added = self.add(
                    (tables.of(row), cells.of(row)),
                    Some(games[row]),
                    outcome,
                    || Place { group, row },
                );
                added.map_err(|error| {
                    self.damaged(format_args!("row group {group}, row {row}: {error}"))
                })?;
            }
        }
        Ok(())
    }

    fn outcomes_parquet<'a>(&'a self, games: &Games<Place>) -> Result<Outcomes<'a>, String> {
        let file = File::open(&self.path)
            .map_err(|error| self.wrong(format_args!("cannot be read: {error}")))?;
        let mut reader = self.reader(file)?;
        let Place { group, row } = games.first;
        let groups = (group..reader.groups()).map(move |group| self.outcomes(&mut reader, group));
        let all = groups.flat_map(|group| match group {
            Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        Ok(Box::new(all.skip(row).take(
            usize::try_from(games.games).expect("rows of a file"),
        )))
    }

    fn reader(&self, file: File) -> Result<Reader<File>, String> {
        Reader::new(file).map_err(|error| self.damaged(error))
    }

    /// The outcomes of the games of a row group.
    fn outcomes(
        &self,
        reader: &mut Reader<File>,
        group: usize,
    ) -> Result<Vec<GameFigures>, String> {
        let results = self.texts(reader, group, "outcome")?;
        let moves = self.counts(reader, group, "moves")?;
        let won: Option<Vec<bool>> = results
            .dictionary
            .iter()
            .map(|result| is_won(result))
            .collect();
        let won = won.ok_or_else(|| self.damaged("an outcome is none of won, drawn and lost"))?;
        let won = results.places.iter().map(|&place| won[place as usize]);
        Ok(won
            .zip(moves)
            .map(|(won, moves)| GameFigures {
                won,
                moves,
                measure: 0,
            })
            .collect())
    }

    fn texts(&self, reader: &mut Reader<File>, group: usize, name: &str) -> Result<Texts, String> {
        match reader.column(group, name) {
            Ok(Values::Places { dictionary, places }) => Ok(Texts { dictionary, places }),
            Ok(_) => Err(self.damaged(format_args!("column {name} has no texts"))),
            Err(error) => Err(self.damaged(error)),
        }
    }

    fn counts(
        &self,
        reader: &mut Reader<File>,
        group: usize,
        name: &str,
    ) -> Result<Vec<u64>, String> {
        match reader.column(group, name) {
            Ok(Values::Integers(numbers)) => {
                Ok(numbers.into_iter().map(i64::cast_unsigned).collect())
            }
            Ok(_) => Err(self.damaged(format_args!("column {name} has no numbers"))),
            Err(error) => Err(self.damaged(error)),
        }
    }

    fn damaged(&self, what: impl std::fmt::Display) -> String {
        self.wrong(format_args!(
            "{what}; remove it, and the games are played again, or write it anew with `tilelab run --per-game`"
        ))
    }
}

/// The texts of a column in a row group.
struct Texts {
    dictionary: Vec<String>,
    places: Vec<u32>,
}

impl Texts {
    fn of(&self, row: usize) -> &str {
        &self.dictionary[self.places[row] as usize]
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
