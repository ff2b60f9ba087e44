//! The product of a table's lists: every combination that is not excluded becomes a cell.

use super::cell::unknown;
use super::inline::list;
use super::table::{Assignment, Choice, Choices, Planner, no_lanes};
use super::values::{MATCH, SEPARATE};
use super::{Cell, GAMES_DEFAULT, figures};
use crate::experiment::{Located, Selection, Setting, Stop};
use crate::matches::{Match, OUTCOME, PairTest};
use std::collections::HashSet;
use tilelab_games::catalog::{self, GameEntry, LANES, PlayerSpec};
use tilelab_games::game::Sampling;
use tilelab_games::params::{Params, Value};
use tilelab_games::text::join;

/// The most cells of one table, which all tables may have together.
const CELLS_MAX: u128 = super::joined::CELLS_MAX as u128;
/// The most comparisons of cells with values of `exclude` and `grow`, which take a few seconds.
const COMPARISONS_MAX: u128 = 100_000_000;

/// An entry of `exclude` or `grow`, to be compared with the cells.
struct Selected<'a> {
    entry: &'a Selection,
    /// The choices of each key of the entry: a cell has to have one of each.
    wanted: Vec<Vec<Choice>>,
    /// Whether the entry matches a cell.
    is_used: bool,
}

impl Selected<'_> {
    /// Whether the entry matches a cell.
    fn matches(&self, cell: &Cell) -> bool {
        self.wanted.iter().all(|choices| {
            let mut choices = choices.iter();
            choices.any(|choice| choice.iter().all(|part| part.is_of(cell)))
        })
    }
}

/// The combination with this index of one choice of each list, of which the last moves fastest.
fn combination(lists: &[Vec<Choice>], mut index: usize) -> impl Iterator<Item = &Assignment> {
    let mut chosen: Vec<&Choice> = Vec::with_capacity(lists.len());
    for list in lists.iter().rev() {
        chosen.push(&list[index % list.len()]);
        index /= list.len();
    }
    chosen.into_iter().rev().flatten()
}

impl<'a> Planner<'a> {
    /// The cells of the table; none where there are problems.
    pub(super) fn cells(&mut self) -> Vec<Cell> {
        let Some(game) = self.game() else {
            return Vec::new();
        };
        let table = self.table;
        let settings = table.settings.iter();
        let settings = settings.filter(|setting| setting.key != "game");
        let offered: Vec<Choices<'_>> = settings
            .map(|setting| Choices {
                setting,
                all: self.choices(game, setting),
            })
            .collect();
        self.check_required(game);
        let common = self.common(game);
        let lists = self.lists(&offered);
        let mut selections = self.selections(game);
        if !self.problems.is_empty() || !table.refused.is_empty() {
            self.check_selections(&offered, &selections);
            self.find_published(None);
            return Vec::new();
        }
        let Some(count) = self.count(&lists, &selections) else {
            return Vec::new();
        };
        let base = self.base_cell(game, common);
        let mut cells = Vec::new();
        for index in 0..count {
            let mut cell = base.clone();
            combination(&lists, index).for_each(|part| part.assign(&mut cell));
            if !self.apply_selections(&mut cell, &mut selections) {
                continue;
            }
            match self.completed(cell) {
                Ok(cell) => cells.push(cell),
                Err((line, message)) => self.problem(line, message),
            }
        }
        self.check_cells(&cells, &selections);
        // Where cells are missing, published figures without a cell say nothing new.
        if self.problems.is_empty() {
            self.find_published(Some(&cells));
        }
        cells
    }

    /// The number of combinations; `None` where there are none, or too many for a table or to be
    /// compared with the selections. Only the players of a match may give none: other lists that
    /// are empty are refused where they are read.
    fn count(&mut self, lists: &[Vec<Choice>], selections: &[Selected<'_>]) -> Option<usize> {
        let mut lengths = lists.iter().map(|list| list.len() as u128);
        let product = lengths.try_fold(1u128, u128::checked_mul);
        let keys = selections.iter().flat_map(|selection| &selection.wanted);
        let values: usize = keys.map(Vec::len).sum();
        let message = match product {
            Some(0) => format!("{MATCH}: name at least two players"),
            Some(cells @ ..=CELLS_MAX) if cells * values as u128 <= COMPARISONS_MAX => {
                return usize::try_from(cells).ok();
            }
            Some(cells @ ..=CELLS_MAX) => format!(
                "exclude, grow: {values} values to compare with {cells} cells; cells times values may be {COMPARISONS_MAX} at most"
            ),
            _ => {
                let count = product.map_or("far too many".to_owned(), |cells| cells.to_string());
                let title = &self.table.title;
                format!(
                    "table {title:?}: its lists give {count} cells; at most {CELLS_MAX} are accepted"
                )
            }
        };
        self.refuse(self.table.line, message)
    }

    /// A cell of the table before its keys have said anything.
    fn base_cell(&self, game: &'static GameEntry, common: Vec<&'static str>) -> Cell {
        let is_match = self.table.setting(MATCH).is_some();
        let (games, stop) = self.games();
        Cell {
            table: self.number,
            game,
            params: Params::defaults(game.params),
            players: vec![PlayerSpec::new(&game.players[0]); game.seats],
            matched: is_match
                .then(|| Match::named(game, OUTCOME).expect("outcomes decide every game")),
            games,
            stop,
            common,
            programs: self.overrides.programs.clone(),
        }
    }

    /// Marks the entries of `exclude` and `grow` that match a cell, and sets its games by the last
    /// `grow` of these; `false` where it is excluded.
    fn apply_selections(&self, cell: &mut Cell, selections: &mut [Selected<'_>]) -> bool {
        let mut is_excluded = false;
        let mut grown = None;
        for selection in selections {
            if selection.matches(cell) {
                selection.is_used = true;
                is_excluded |= selection.entry.games.is_none();
                grown = selection.entry.games.or(grown);
            }
        }
        if let Some(games) = grown.filter(|_| self.games_of_all().is_none()) {
            cell.games = games;
        }
        !is_excluded
    }

    /// Looks for entries of `exclude` and `grow` that match no cell, cells that occur twice, and
    /// tables without a cell.
    fn check_cells(&mut self, cells: &[Cell], selections: &[Selected<'_>]) {
        for selection in selections.iter().filter(|selection| !selection.is_used) {
            self.matches_nothing(selection);
        }
        let title = &self.table.title;
        let mut keys = HashSet::new();
        let mut twice = cells.iter().map(Cell::key);
        if let Some(twice) = twice.find(|key| !keys.insert(key.clone())) {
            let message = format!("table {title:?}: its lists give the cell {twice} twice");
            self.problem(self.table.line, message);
        }
        if cells.is_empty() && self.problems.is_empty() {
            let message = format!("table {title:?}: exclude leaves no cells");
            self.problem(self.table.line, message);
        }
    }

    /// The games that the command line asks for in all cells.
    fn games_of_all(&self) -> Option<u64> {
        self.overrides
            .games
            .filter(|_| self.overrides.part.is_empty())
    }

    /// The games of a cell, with a stopping rule the most, and the rule.
    fn games(&self) -> (u64, Option<Stop>) {
        let stop = self.stop().map(|stop| stop.value);
        let of_all = self.games_of_all();
        let games = match stop {
            Some(stop) => of_all.map_or(stop.max_games, |games| games.min(stop.max_games)),
            None => of_all
                .or(self.table.games)
                .or(self.experiment.games)
                .unwrap_or(GAMES_DEFAULT),
        };
        (games, stop)
    }

    /// The lists whose product the table is: one for each key, with zipped keys together in the
    /// place of the first.
    fn lists(&mut self, offered: &[Choices<'_>]) -> Vec<Vec<Choice>> {
        let table = self.table;
        let mut lists = Vec::new();
        let mut zipped: Vec<&str> = Vec::new();
        for first in offered {
            let key = first.setting.key.as_str();
            if zipped.contains(&key) {
                continue;
            }
            let mut list = first.all.clone();
            let mut groups = table.zip.iter();
            let group = groups.find(|group| group.value.contains(&first.setting.key));
            let others = group.into_iter();
            let others = others.flat_map(|group| group.value.iter().map(|name| (group.line, name)));
            for (line, name) in others.filter(|(_, name)| *name != key) {
                let Some(other) = offered.iter().find(|other| other.setting.key == *name) else {
                    continue;
                };
                zipped.push(&other.setting.key);
                if !first.are_whole(table) || !other.are_whole(table) {
                    continue;
                }
                if other.all.len() == list.len() {
                    for (choice, more) in list.iter_mut().zip(&other.all) {
                        choice.extend(more.iter().cloned());
                    }
                } else {
                    let message = format!(
                        "zip: {key} has {} values and {name} has {}; keys that move together need equally many",
                        list.len(),
                        other.all.len()
                    );
                    self.problem(line, message);
                }
            }
            lists.push(list);
        }
        self.check_zip();
        lists
    }

    fn check_zip(&mut self) {
        let table = self.table;
        let mut seen: Vec<&str> = Vec::new();
        for group in &table.zip {
            for key in &group.value {
                if table.setting(key).is_none() || key == "game" {
                    self.problem(
                        group.line,
                        format!("zip: {key} is not a key of this table that can hold a list"),
                    );
                }
                if seen.contains(&key.as_str()) {
                    self.problem(
                        group.line,
                        format!("zip: {key} is named twice; a key moves with one group"),
                    );
                }
                seen.push(key);
            }
        }
    }

    /// Looks for entries of `exclude` and `grow` with a value that its key never has, where the
    /// cells themselves are not known.
    fn check_selections(&mut self, offered: &[Choices<'_>], selections: &[Selected<'_>]) {
        let table = self.table;
        if table.is_refused("exclude") || table.is_refused("grow") {
            return;
        }
        for selection in selections {
            let is_met = |(setting, wanted): (&Setting, &Vec<Choice>)| {
                let mut offered = offered.iter();
                let found = offered.find(|other| other.setting.key == setting.key);
                // A key with problems of its own may have any value.
                let Some(offered) = found.filter(|choices| choices.are_whole(table)) else {
                    return true;
                };
                // So may an entry of which a value was refused.
                wanted.len() < setting.values.len()
                    || offered.all.iter().any(|choice| wanted.contains(choice))
            };
            let mut keys = selection.entry.settings.iter().zip(&selection.wanted);
            if !keys.all(is_met) {
                self.matches_nothing(selection);
            }
        }
    }

    fn matches_nothing(&mut self, selection: &Selected<'_>) {
        let settings = selection.entry.settings.iter();
        let message = format!(
            "{} = {{ {} }}: no cell of the table has these values",
            selection.entry.key(),
            join(settings.map(setting_text), ", ")
        );
        self.problem(selection.entry.line, message);
    }

    /// The entries of `exclude` and `grow`.
    fn selections(&mut self, game: &'static GameEntry) -> Vec<Selected<'a>> {
        let table = self.table;
        let selected = table.selections.iter().map(|entry| {
            let settings = entry.settings.iter();
            Selected {
                entry,
                wanted: settings
                    .map(|setting| self.choices(game, setting))
                    .collect(),
                is_used: false,
            }
        });
        selected.collect()
    }

    /// A cell as it is played: with the parameters that follow from others, whole trajectories, and
    /// the lanes of the command line.
    ///
    /// # Errors
    /// Says on which line what does not go together.
    fn completed(&self, mut cell: Cell) -> Result<Cell, (usize, String)> {
        let table = self.table;
        let at_table = |message: String| (table.line, message);
        let at_key = |key: &str, message: String| {
            let setting = table.setting(key);
            (setting.map_or(table.line, |setting| setting.line), message)
        };
        let is_match = cell.matched.is_some();
        if let Some(lanes) = self.overrides.lanes {
            if cell.game.param(LANES).is_none() {
                let why = no_lanes(cell.game);
                return Err(at_table(format!("--lanes {lanes}: {why}")));
            }
            // Numbers beyond the range are beyond every game's, too.
            cell.params
                .set(LANES, Value::Int(i64::try_from(lanes).unwrap_or(i64::MAX)));
        }
        if !is_match && let Err(error) = catalog::refuse_clocks(&cell.players) {
            let seat = error.key.split('.').next().unwrap_or_default();
            return Err(at_key(seat, error.to_string()));
        }
        (cell.game.complete)(&mut cell.params)
            .map_err(|error| at_key(&error.key, error.to_string()))?;
        let stop_line = || self.stop().map_or(table.line, |stop| stop.line);
        if cell.has_blocks() && cell.stop.is_some() {
            let message = format!(
                "stop: a match of {} players has no single win rate; leave the rule out, or give the table \
                 {SEPARATE} = true",
                cell.players.len()
            );
            return Err((stop_line(), message));
        }
        if self.experiment.per_game.is_some() {
            cell.check_single_games("per_game").map_err(at_table)?;
        }
        if is_match && cell.sampling() != Sampling::Plain {
            let message = "match: pairs need single games; leave lanes and method out";
            return Err(at_table(message.to_owned()));
        }
        if let Some(wanted) = cell.stop.and_then(|stop| stop.difference) {
            let test = match cell.matched {
                Some(matched) => PairTest::new(cell.game, matched, wanted, cell.games).map(drop),
                None => Err(format!("only a table with {MATCH} takes it")),
            };
            test.map_err(|message| (stop_line(), format!("stop.difference: {message}")))?;
        }
        cell.play_once();
        let lanes = cell.sampling().lanes();
        if lanes > 1
            && let Some(common) = &table.common
        {
            let message = "common: games that share one sequence of tiles cannot be compared in pairs; leave lanes out";
            return Err((common.line, message.to_owned()));
        }
        // In whole trajectories.
        cell.ask_for(cell.games);
        Ok(cell)
    }

    /// The parameters that the streams do not depend on, in the order of the game's table.
    fn common(&mut self, game: &'static GameEntry) -> Vec<&'static str> {
        let Some(common) = &self.table.common else {
            return Vec::new();
        };
        for (at, name) in common.value.iter().enumerate() {
            if game.param(name).is_none() {
                let why = unknown(name, "parameter", game.param_names());
                self.problem(common.line, format!("common: {name}: {why}"));
            } else if common.value[..at].contains(name) {
                self.problem(
                    common.line,
                    format!("common: {name} is named twice; name each parameter once"),
                );
            }
        }
        let names = game.param_names();
        names
            .filter(|name| common.value.iter().any(|wanted| wanted == name))
            .collect()
    }

    /// Finds the published figures of the cells; where the cells are not known, looks whether the
    /// file can be read.
    fn find_published(&mut self, cells: Option<&[Cell]>) {
        let file = self.table.published.as_ref();
        let Some(Located { value, line }) = file.filter(|_| !self.overrides.unpublished) else {
            return;
        };
        match figures::figures(&self.folder().join(value), &self.table.title, cells) {
            Ok(figures) => self.published = figures,
            Err(messages) => {
                for message in messages {
                    self.problem(*line, format!("published = {value:?}: {message}"));
                }
            }
        }
    }
}

fn setting_text(setting: &Setting) -> String {
    let values = setting.values.iter();
    let values: Vec<String> = values.map(|value| value.value.to_string()).collect();
    format!("{} = {}", setting.key, list(&values))
}
