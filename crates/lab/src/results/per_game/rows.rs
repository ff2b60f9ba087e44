//! Rows of single games, and their writer as CSV.

use crate::external::program;
use crate::game::{Forfeit, Forfeits, GameResult, Outcome};
use crate::plan::{Cell, Plan};
use crate::report::schema::{FORFEIT, GAME_ROWS, POSITION};
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

pub(super) fn result_text(outcome: &Outcome) -> &'static str {
    match outcome.result {
        _ if outcome.forfeits.is_void() => "void",
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// Whether games of a plan may be forfeited.
pub(super) fn has_forfeits(plan: &Plan) -> bool {
    plan.cells
        .iter()
        .flat_map(|cell| &cell.players)
        .any(|player| program(player).is_some())
}

/// Who did not finish a game, and why.
pub(super) fn forfeit_text(forfeits: Forfeits) -> String {
    let mut texts = Vec::new();
    for (player, name) in ["player", "opponent"].into_iter().enumerate() {
        for (cause, count) in Forfeit::ALL.iter().zip(forfeits.by_cause(player)) {
            let text = format!("{name} {}", cause.name());
            texts.extend(std::iter::repeat_n(text, count.into()));
        }
    }
    texts.join(", ")
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
    with_forfeits: bool,
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
        let with_forfeits = has_forfeits(plan);
        let forfeit = with_forfeits.then_some(FORFEIT.name);
        let added = names.iter().copied().chain(forfeit).chain(position);
        output.write_record(fixed.chain(added))?;
        let places = places(plan, &names);
        Ok(Self {
            plan,
            output,
            places,
            with_forfeits,
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
        output.write_field(result_text(outcome))?;
        output.write_field(outcome.moves.to_string())?;
        for place in &self.places[entry] {
            output.write_field(
                place.map_or_else(String::new, |place| outcome.measures[place].to_string()),
            )?;
        }
        if self.with_forfeits {
            output.write_field(forfeit_text(outcome.forfeits))?;
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
