//! Rows of single games, and their writer as CSV.

use crate::external::program;
use crate::game::{Forfeit, Forfeits, GameResult, Outcome};
use crate::plan::{Cell, Plan};
use crate::report::figures::distinct;
use crate::report::schema::{Column, FORFEIT, GAME_ROWS, Kind, POSITION};
use serde::Serialize;
use std::io::{self, Write};

/// A field of a row.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Field<'a> {
    Text(&'a str),
    Count(u64),
    /// A measure, which only the cells of some games have.
    Measure(Option<i64>),
}

/// Writes rows.
pub trait RowWriter {
    /// Adds a row with a field for each of the [`Columns`].
    fn row(&mut self, fields: &[Field<'_>]) -> io::Result<()>;
    /// Ends the file.
    fn end(&mut self) -> io::Result<()>;
}

/// The columns of a file.
pub struct Columns {
    /// The name and the kind of each; whether fields may be missing.
    pub names: Vec<(&'static str, Kind, bool)>,
    /// For each measure of the file, its place among those of the game of each entry.
    places: Vec<Vec<Option<usize>>>,
    with_forfeits: bool,
    with_positions: bool,
}

impl Columns {
    /// The columns of the games of a plan.
    pub fn new(plan: &Plan, with_positions: bool) -> Self {
        let measures = plan.cells.iter().flat_map(Cell::measures);
        let measures = distinct(measures.map(|measure| measure.name));
        let mut players = plan.cells.iter().flat_map(|cell| &cell.players);
        let with_forfeits = players.any(|player| program(player).is_some());
        let fixed = |column: &Column| (column.name, column.kind, false);
        let added = measures.iter().map(|name| (*name, Kind::Integer, true));
        let forfeit = with_forfeits.then(|| fixed(&FORFEIT));
        let position = with_positions.then(|| fixed(&POSITION));
        let names = GAME_ROWS.iter().map(fixed).chain(added);
        let of_cell = |cell: &Cell| {
            let known = cell.measures();
            let names = measures.iter();
            names
                .map(|name| known.iter().position(|measure| measure.name == *name))
                .collect()
        };
        let cells = plan.entries.iter().map(|entry| &plan.cells[entry.cell]);
        Self {
            places: cells.map(of_cell).collect(),
            names: names.chain(forfeit).chain(position).collect(),
            with_forfeits,
            with_positions,
        }
    }

    /// Adds the row of a game of an entry of the plan, whose table and cell have these names.
    pub fn write(
        &self,
        rows: &mut dyn RowWriter,
        (entry, [table, cell]): (usize, [&str; 2]),
        game: u64,
        outcome: &Outcome,
        position: &str,
    ) -> io::Result<()> {
        let mut fields = vec![
            Field::Text(table),
            Field::Text(cell),
            Field::Count(game),
            Field::Text(result_text(outcome)),
            Field::Count(outcome.moves),
        ];
        for place in &self.places[entry] {
            fields.push(Field::Measure(place.map(|place| outcome.measures[place])));
        }
        let forfeit = self.with_forfeits.then(|| forfeit_text(outcome.forfeits));
        fields.extend(forfeit.as_deref().map(Field::Text));
        fields.extend(self.with_positions.then_some(Field::Text(position)));
        rows.row(&fields)
    }
}

fn result_text(outcome: &Outcome) -> &'static str {
    match outcome.result {
        _ if outcome.forfeits.is_void() => "void",
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// Who did not finish a game, and why.
fn forfeit_text(forfeits: Forfeits) -> String {
    let mut texts = Vec::new();
    for (player, name) in ["player", "opponent"].into_iter().enumerate() {
        for (cause, count) in Forfeit::ALL.iter().zip(forfeits.by_cause(player)) {
            let text = format!("{name} {}", cause.name());
            texts.extend(std::iter::repeat_n(text, count.into()));
        }
    }
    texts.join(", ")
}

/// Rows as CSV.
pub struct Csv<W: Write>(csv::Writer<W>);

impl<W: Write> Csv<W> {
    pub fn new(columns: &Columns, output: W) -> io::Result<Self> {
        let mut output = csv::Writer::from_writer(output);
        output.write_record(columns.names.iter().map(|(name, ..)| *name))?;
        Ok(Self(output))
    }
}

impl<W: Write> RowWriter for Csv<W> {
    fn row(&mut self, fields: &[Field<'_>]) -> io::Result<()> {
        self.0.serialize(fields).map_err(io::Error::from)
    }

    fn end(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
