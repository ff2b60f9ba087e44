//! Rows of single games as CSV and as Parquet.

use crate::game::{GameResult, Outcome};
use crate::plan::{Cell, PerGame, Plan};
use crate::report::games;
use crate::report::parquet::file::{Column, Field, Values, Writer};
use crate::report::schema::Kind;
use crate::report::text::guarded;
use std::collections::HashMap;
use std::io::{self, Write};

/// Bytes of positions after which a row group ends sooner.
const GROUP_BYTES: usize = 1 << 24;

/// Writes rows.
pub(super) trait Rows {
    /// Adds a row for a game of an entry of the plan; the position counts where the file has
    /// positions.
    fn row(&mut self, entry: usize, game: u64, outcome: &Outcome, position: &str)
    -> io::Result<()>;
    /// Ends the file.
    fn end(&mut self) -> io::Result<()>;
}

/// Begins a file of the format that a plan asks for.
pub(super) fn begin<'a, W: Write + 'a>(
    plan: &'a Plan,
    format: PerGame,
    output: W,
) -> io::Result<Box<dyn Rows + 'a>> {
    Ok(if format.is_csv() {
        Box::new(Csv::new(plan, format.has_positions(), output)?)
    } else {
        Box::new(Parquet::new(plan, format.has_positions(), output)?)
    })
}

/// The names of the measures of a plan's games, in order of appearance.
fn measures(plan: &Plan) -> Vec<&'static str> {
    let mut names = Vec::new();
    for measure in plan.cells.iter().flat_map(Cell::measures) {
        if !names.contains(&measure.name) {
            names.push(measure.name);
        }
    }
    names
}

const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// For each measure of the file, its place among those of the game of each entry.
fn places(plan: &Plan, names: &[&str]) -> Vec<Vec<Option<usize>>> {
    let of_cell = |cell: &Cell| {
        let place = |name: &&str| {
            cell.measures()
                .iter()
                .position(|measure| measure.name == *name)
        };
        names.iter().map(place).collect()
    };
    let cells = plan.entries.iter().map(|entry| &plan.cells[entry.cell]);
    cells.map(of_cell).collect()
}

/// Rows as CSV.
struct Csv<'p, W: Write> {
    plan: &'p Plan,
    output: csv::Writer<W>,
    places: Vec<Vec<Option<usize>>>,
    with_positions: bool,
    /// The entry whose texts these are.
    entry: Option<usize>,
    table: String,
    key: String,
}

impl<'p, W: Write> Csv<'p, W> {
    fn new(plan: &'p Plan, with_positions: bool, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let mut output = csv::Writer::from_writer(output);
        let position = with_positions.then_some(games::POSITION.name);
        let fixed = games::COLUMNS.iter().map(|column| column.name);
        output.write_record(fixed.chain(names.iter().copied()).chain(position))?;
        let places = places(plan, &names);
        Ok(Self {
            plan,
            output,
            places,
            with_positions,
            entry: None,
            table: String::new(),
            key: String::new(),
        })
    }
}

impl<W: Write> Rows for Csv<'_, W> {
    fn row(
        &mut self,
        entry: usize,
        game: u64,
        outcome: &Outcome,
        position: &str,
    ) -> io::Result<()> {
        if self.entry != Some(entry) {
            self.entry = Some(entry);
            let about = &self.plan.entries[entry];
            self.table = guarded(&self.plan.titles[about.table]).into_owned();
            self.key = self.plan.cells[about.cell].key();
        }
        let output = &mut self.output;
        output.write_field(&self.table)?;
        output.write_field(&self.key)?;
        output.write_field(game.to_string())?;
        output.write_field(result_text(outcome.result))?;
        output.write_field(outcome.moves.to_string())?;
        for place in &self.places[entry] {
            output.write_field(
                place.map_or_else(String::new, |place| outcome.measures[place].to_string()),
            )?;
        }
        if self.with_positions {
            output.write_field(position)?;
        }
        output.write_record(None::<&[u8]>).map_err(io::Error::from)
    }

    fn end(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Rows as Parquet.
struct Parquet<'p, W: Write> {
    plan: &'p Plan,
    /// `None` after the end.
    writer: Option<Writer<W>>,
    places: Vec<Vec<Option<usize>>>,
    with_positions: bool,
    group: Group,
    /// The cell of the last row, and the places of its texts in the dictionaries.
    entry: Option<usize>,
}

/// The rows of a row group.
#[derive(Default)]
struct Group {
    tables: Places,
    cells: Places,
    games: Vec<i64>,
    results: Places,
    moves: Vec<i64>,
    measures: Vec<Measure>,
    positions: Vec<String>,
    /// Of all positions.
    bytes: usize,
}

/// The values of a measure, and which rows have one.
#[derive(Default)]
struct Measure {
    values: Vec<i64>,
    defined: Vec<bool>,
}

/// Texts, most of which are that of the row before.
#[derive(Default)]
struct Places {
    dictionary: Vec<String>,
    known: HashMap<String, u32>,
    places: Vec<u32>,
    /// The place of the next rows.
    at: u32,
}

impl Places {
    /// Makes a text that of the next rows.
    fn choose(&mut self, text: &str) {
        self.at = self.known.get(text).copied().unwrap_or_else(|| {
            let place = self.dictionary.len() as u32;
            self.dictionary.push(text.to_owned());
            self.known.insert(text.to_owned(), place);
            place
        });
    }

    fn repeat(&mut self) {
        self.places.push(self.at);
    }

    fn column(self) -> Column {
        Values::Places {
            dictionary: self.dictionary,
            places: self.places,
        }
        .into()
    }
}

impl<'p, W: Write> Parquet<'p, W> {
    fn new(plan: &'p Plan, with_positions: bool, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let field = |(name, kind, is_optional): (&str, Kind, bool)| Field {
            name: name.to_owned(),
            kind,
            is_optional,
        };
        let fixed = games::COLUMNS
            .iter()
            .map(|column| field((column.name, column.kind, false)));
        let added = names.iter().map(|name| field((name, Kind::Integer, true)));
        let position =
            with_positions.then(|| field((games::POSITION.name, games::POSITION.kind, false)));
        let writer = Some(Writer::new(
            output,
            "games",
            fixed.chain(added).chain(position).collect(),
        )?);
        let places = places(plan, &names);
        Ok(Self {
            plan,
            writer,
            places,
            with_positions,
            group: Group::default(),
            entry: None,
        })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let Group {
            tables,
            cells,
            games,
            results,
            moves,
            measures,
            positions,
            ..
        } = std::mem::take(&mut self.group);
        self.entry = None;
        if games.is_empty() {
            return Ok(());
        }
        let measure = |measure: Measure| Column {
            values: Values::Integers(measure.values),
            defined: Some(measure.defined),
        };
        let fixed = [
            tables.column(),
            cells.column(),
            Values::Integers(games).into(),
            results.column(),
            Values::Integers(moves).into(),
        ];
        let positions = self.with_positions.then(|| Values::Texts(positions).into());
        let columns: Vec<Column> = fixed
            .into_iter()
            .chain(measures.into_iter().map(measure))
            .chain(positions)
            .collect();
        self.writer
            .as_mut()
            .expect("the file has not ended")
            .group(&columns)
    }
}

impl<W: Write> Rows for Parquet<'_, W> {
    fn row(
        &mut self,
        entry: usize,
        game: u64,
        outcome: &Outcome,
        position: &str,
    ) -> io::Result<()> {
        if self.entry != Some(entry) {
            self.entry = Some(entry);
            let about = &self.plan.entries[entry];
            self.group.tables.choose(&self.plan.titles[about.table]);
            let cell = &self.plan.cells[about.cell];
            self.group.cells.choose(&cell.key());
        }
        let group = &mut self.group;
        group.tables.repeat();
        group.cells.repeat();
        group.games.push(game.cast_signed());
        group.results.choose(result_text(outcome.result));
        group.results.repeat();
        group.moves.push(outcome.moves.cast_signed());
        let places = &self.places[entry];
        group.measures.resize_with(places.len(), Measure::default);
        for (measure, place) in group.measures.iter_mut().zip(places) {
            measure
                .values
                .extend(place.map(|place| outcome.measures[place]));
            measure.defined.push(place.is_some());
        }
        if self.with_positions {
            group.bytes += position.len();
            group.positions.push(position.to_owned());
        }
        if group.games.len() == games::GROUP_ROWS || group.bytes >= GROUP_BYTES {
            return self.write_group();
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        let writer = self.writer.take().expect("a file ends once");
        writer.finish(&[]).map(drop)
    }
}
