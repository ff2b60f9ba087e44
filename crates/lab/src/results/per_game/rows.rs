//! Rows of single games, and their writer as CSV.

use crate::game::{GameResult, Outcome};
use crate::plan::{Cell, Plan};
use crate::report::schema::{GAME_ROWS, POSITION};
use std::io::{self, Write};
use tilelab_output::text::guarded;

/// Writes rows.
pub(super) trait Rows {
    /// Adds a row for a game of an entry of the plan; the position counts where the file has
    /// positions.
    fn row(&mut self, entry: usize, game: u64, outcome: &Outcome, position: &str)
    -> io::Result<()>;
    /// Ends the file.
    fn end(&mut self) -> io::Result<()>;
}

/// The names of the measures of a plan's games, in order of appearance.
pub(super) fn measures(plan: &Plan) -> Vec<&'static str> {
    let mut names = Vec::new();
    for measure in plan.cells.iter().flat_map(Cell::measures) {
        if !names.contains(&measure.name) {
            names.push(measure.name);
        }
    }
    names
}

pub(super) const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// For each measure of the file, its place among those of the game of each entry.
pub(super) fn places(plan: &Plan, names: &[&str]) -> Vec<Vec<Option<usize>>> {
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
pub(super) struct Csv<'p, W: Write> {
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
    pub(super) fn new(plan: &'p Plan, with_positions: bool, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let mut output = csv::Writer::from_writer(output);
        let position = with_positions.then_some(POSITION.name);
        let fixed = GAME_ROWS.iter().map(|column| column.name);
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
