//! Rows of single games as CSV and as Parquet.

use crate::game::{GameResult, Outcome};
use crate::plan::{Cell, PerGame, Plan};
use crate::report::games;
#[cfg(feature = "parquet")]
use crate::report::parquet::{ByteArray, Column, Compression, Field, Values, Writer};
#[cfg(feature = "parquet")]
use crate::report::schema::Kind;
use crate::report::text::guarded;
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
///
/// # Errors
/// When the output cannot be written, or this build has no Parquet.
pub(super) fn begin<'a, W: Write + Send + 'a>(
    plan: &'a Plan,
    format: PerGame,
    output: W,
) -> io::Result<Box<dyn Rows + 'a>> {
    if format.is_csv() {
        return Ok(Box::new(Csv::new(plan, format.has_positions(), output)?));
    }
    #[cfg(feature = "parquet")]
    return Ok(Box::new(Parquet::new(
        plan,
        format.has_positions(),
        output,
    )?));
    #[cfg(not(feature = "parquet"))]
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this build has no Parquet; per_game = \"csv\" writes games.csv",
    ))
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
#[cfg(feature = "parquet")]
struct Parquet<'p, W: Write + Send> {
    plan: &'p Plan,
    /// `None` after the end.
    writer: Option<Writer<W>>,
    places: Vec<Vec<Option<usize>>>,
    with_positions: bool,
    group: Group,
    /// The entry of the last row, with its title and the key of its cell.
    entry: Option<(usize, ByteArray, ByteArray)>,
}

/// The rows of a row group.
#[cfg(feature = "parquet")]
#[derive(Default)]
struct Group {
    tables: Vec<ByteArray>,
    cells: Vec<ByteArray>,
    games: Vec<i64>,
    results: Vec<ByteArray>,
    moves: Vec<i64>,
    measures: Vec<Measure>,
    positions: Vec<ByteArray>,
    /// Of all positions.
    bytes: usize,
}

/// The values of a measure, and which rows have one.
#[cfg(feature = "parquet")]
#[derive(Default)]
struct Measure {
    values: Vec<i64>,
    defined: Vec<i16>,
}

#[cfg(feature = "parquet")]
impl<'p, W: Write + Send> Parquet<'p, W> {
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
        let fields: Vec<Field> = fixed.chain(added).chain(position).collect();
        Ok(Self {
            plan,
            writer: Some(Writer::new(
                output,
                "games",
                &fields,
                Compression::UNCOMPRESSED,
            )?),
            places: places(plan, &names),
            with_positions,
            group: Group::default(),
            entry: None,
        })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let group = std::mem::take(&mut self.group);
        if group.games.is_empty() {
            return Ok(());
        }
        let measure = |measure: Measure| Column {
            values: Values::Integers(measure.values),
            defined: Some(measure.defined),
        };
        let fixed = [
            Values::Texts(group.tables).into(),
            Values::Texts(group.cells).into(),
            Values::Integers(group.games).into(),
            Values::Texts(group.results).into(),
            Values::Integers(group.moves).into(),
        ];
        let positions = self
            .with_positions
            .then(|| Values::Texts(group.positions).into());
        let columns: Vec<Column> = fixed
            .into_iter()
            .chain(group.measures.into_iter().map(measure))
            .chain(positions)
            .collect();
        self.writer
            .as_mut()
            .expect("the file has not ended")
            .group(&columns)
    }
}

#[cfg(feature = "parquet")]
impl<W: Write + Send> Rows for Parquet<'_, W> {
    fn row(
        &mut self,
        entry: usize,
        game: u64,
        outcome: &Outcome,
        position: &str,
    ) -> io::Result<()> {
        if self.entry.as_ref().is_none_or(|(last, ..)| *last != entry) {
            let about = &self.plan.entries[entry];
            let title = ByteArray::from(self.plan.titles[about.table].as_str());
            let key = ByteArray::from(self.plan.cells[about.cell].key().into_bytes());
            self.entry = Some((entry, title, key));
        }
        let (_, title, key) = self.entry.as_ref().expect("it is set above");
        let group = &mut self.group;
        group.tables.push(title.clone());
        group.cells.push(key.clone());
        group.games.push(game.cast_signed());
        group.results.push(result_text(outcome.result).into());
        group.moves.push(outcome.moves.cast_signed());
        let places = &self.places[entry];
        group.measures.resize_with(places.len(), Measure::default);
        for (measure, place) in group.measures.iter_mut().zip(places) {
            measure
                .values
                .extend(place.map(|place| outcome.measures[place]));
            measure.defined.push(place.is_some().into());
        }
        if self.with_positions {
            group.bytes += position.len();
            group.positions.push(position.into());
        }
        if group.games.len() == games::GROUP_ROWS || group.bytes >= GROUP_BYTES {
            return self.write_group();
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        self.writer.take().expect("a file ends once").finish()
    }
}
