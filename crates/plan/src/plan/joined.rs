//! The cells of all tables, each once: a cell that several tables name is played once, and shown in
//! each of them.

use super::table::Planner;
use super::{Cell, Overrides, PlanEntry, Stop, cell};
use std::collections::HashMap;
use tilelab_games::text::separate;

/// The most cells of an experiment, counted once for each table that has them. A run takes about
/// 8 kB of memory for each.
pub(super) const CELLS_MAX: usize = 100_000;

/// The cells of the tables so far.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) cells: Vec<Cell>,
    pub(super) entries: Vec<PlanEntry>,
    /// Places of the cells, by key.
    places: HashMap<String, usize>,
}

impl Joined {
    /// Adds the cells of a table. One that an earlier table has gets the larger number of games.
    /// Returns whether there is room for further tables.
    pub(super) fn add(&mut self, planner: &mut Planner<'_>, cells: Vec<Cell>) -> bool {
        let count = self.entries.len() + cells.len();
        if count > CELLS_MAX {
            let title = &planner.table.title;
            let message = format!(
                "table {title:?}: with it the tables have {count} cells; at most {CELLS_MAX} are accepted"
            );
            planner.problem(planner.table.line, message);
            return false;
        }
        for (number, cell) in cells.into_iter().enumerate() {
            let next = self.cells.len();
            let place = *self.places.entry(cell.key()).or_insert(next);
            self.entries.push(PlanEntry {
                table: planner.number,
                cell: place,
                published: planner.published.remove(&number),
            });
            let Some(known) = self.cells.get_mut(place) else {
                self.cells.push(cell);
                continue;
            };
            let widths = |stop: Option<Stop>| {
                stop.map(|stop| (stop.half_width, stop.relative, stop.difference))
            };
            if widths(known.stop) != widths(cell.stop) {
                let title = &planner.table.title;
                let earlier = &planner.experiment.tables[known.table].title;
                let message = format!(
                    "table {title:?}: the cell {} has another stopping rule in the table {earlier:?}; a cell has one \
                     result, so give it one rule in both, or none",
                    cell.key()
                );
                planner.problem(planner.table.line, message);
                return true;
            }
            if cell.games > known.games {
                known.games = cell.games;
                known.stop = cell.stop;
            }
        }
        true
    }

    /// Applies a number of games that is for some cells only.
    ///
    /// # Errors
    /// Names a key that no game has, or says that no cell has these values.
    pub(super) fn grow_part(&mut self, overrides: &Overrides) -> Result<(), String> {
        let Some(games) = overrides.games.filter(|_| !overrides.part.is_empty()) else {
            return Ok(());
        };
        let mut found = false;
        for cell in &mut self.cells {
            if has_all(cell, &overrides.part)? {
                cell.ask_for(games);
                cell.play_once();
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        Err(format!(
            "--where {}: no cell of the experiment has these values; `tilelab check` lists the cells",
            overrides.part.join(" --where ")
        ))
    }
}

/// Whether a cell has one of the values of each of these settings.
fn has_all(cell: &Cell, part: &[String]) -> Result<bool, String> {
    for setting in part {
        let Some((key, values)) = setting.split_once('=') else {
            return Err(format!(
                "--where {setting}: write key=value or key=value,value,…"
            ));
        };
        let mut values = separate(values, ',').into_iter();
        if !values.any(|value| has(cell, key, value)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether setting a key of a cell to this value changes nothing.
fn has(cell: &Cell, key: &str, value: &str) -> bool {
    let seat = match key {
        "player" => 0,
        "opponent" => 1,
        _ => {
            let mut params = cell.params.clone();
            let changed = params.change(cell.game.params, &format!("{key}={value}"));
            return changed.is_ok() && params == cell.params;
        }
    };
    let Some(player) = cell.players.get(seat) else {
        return false;
    };
    player.entry.name == value
        || cell::player(cell.game, value).is_ok_and(|named| named.label() == player.label())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    /// Pairs of games that nothing is left to in are played once, whatever number is asked for.
    #[test]
    fn more_games_of_decided_pairs_are_not_played() {
        let text = "name = \"n\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"zero-sum\"\n\
                    start = [8, 9]\nseparate = true\nmatch = [\"minimax\", \"exact\", \"random\"]\n";
        let games = |part: &[&str]| {
            let overrides = Overrides {
                games: Some(50),
                part: part.iter().map(|part| (*part).to_owned()).collect(),
                ..Overrides::default()
            };
            let plan = Plan::of_text(text, overrides).unwrap();
            plan.cells.iter().map(|cell| cell.games).collect::<Vec<_>>()
        };
        assert_eq!(games(&[]), [1, 50, 50, 1, 50, 50]);
        assert_eq!(games(&["start=8"]), [1, 50, 50, 1, 20, 20]);
    }
}
