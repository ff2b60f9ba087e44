//! The product of a table's lists: every combination that is not excluded becomes a cell.

use super::joined::CELLS_MAX;
use super::table::{Assignment, Planner, no_lanes};
use super::values::{MATCH, unknown};
use super::{Cell, GAMES_DEFAULT, published};
use crate::experiment::{Located, Setting, Stop};
use crate::matches::{Match, OUTCOME, PairTest};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tilelab_core::catalog::{self, GameEntry, LANES, PlayerSpec};
use tilelab_core::game::Sampling;
use tilelab_core::params::{Params, Value};

/// The most comparisons of cells with values of `exclude` and `grow`: some seconds.
const COMPARISONS_MAX: u128 = 100_000_000;

/// The keys of one entry of `exclude` or `grow`, each with its values, each with what they assign.
type Selection = Vec<Vec<Vec<Assignment>>>;

/// Keys that move together, with the assignments of each position.
struct Axis {
    positions: Vec<Vec<Assignment>>,
}

impl Planner<'_> {
    /// The cells of the table; none where there are problems.
    pub(super) fn cells(&mut self) -> Vec<Cell> {
        let Some(game) = self.game() else {
            return Vec::new();
        };
        let mut settings: Vec<(&Setting, Vec<Vec<Assignment>>)> = Vec::new();
        let table = self.table;
        for setting in table
            .settings
            .iter()
            .filter(|setting| setting.key != "game")
        {
            let positions = self.assignments(game, setting);
            settings.push((setting, positions));
        }
        self.check_required(game);
        let common = self.common(game);
        let axes = self.axes(&settings);
        let selected = self.selections(game);
        if !self.problems.is_empty() || !self.table.refused.is_empty() {
            self.check_selections(&settings, &selected);
            self.check_published();
            return Vec::new();
        }
        let (games, stop) = self.games();
        let product = axes
            .iter()
            .map(|axis| axis.positions.len() as u128)
            .try_fold(1u128, u128::checked_mul);
        if product.is_none_or(|cells| cells > CELLS_MAX as u128) {
            let count = product.map_or("far too many".to_owned(), |cells| cells.to_string());
            let title = &self.table.title;
            let message = format!(
                "table {title:?}: its lists give {count} cells; at most {CELLS_MAX} are accepted"
            );
            self.problem(self.table.line, message);
            return Vec::new();
        }
        if product == Some(0) {
            self.problem(
                self.table.line,
                format!("{MATCH}: name at least two players"),
            );
            return Vec::new();
        }
        let values: usize = selected.iter().flatten().map(Vec::len).sum();
        if product.unwrap_or_default() * values as u128 > COMPARISONS_MAX {
            let count = product.unwrap_or_default();
            let message = format!(
                "exclude, grow: {values} values to compare with {count} cells; cells times values may be {COMPARISONS_MAX} at most"
            );
            self.problem(self.table.line, message);
            return Vec::new();
        }
        let mut cells: Vec<Cell> = Vec::new();
        let mut selecting = vec![false; selected.len()];
        let mut position = vec![0; axes.len()];
        'cells: loop {
            let cell = self.cell(
                game,
                &axes,
                &position,
                (&selected, &mut selecting),
                games,
                stop,
            );
            cells.extend(cell.map(|cell| Cell {
                common: common.clone(),
                ..cell
            }));
            for axis in (0..axes.len()).rev() {
                position[axis] += 1;
                if position[axis] < axes[axis].positions.len() {
                    continue 'cells;
                }
                position[axis] = 0;
            }
            break;
        }
        let table = self.table;
        for ((key, entry), _) in table.selections().zip(selecting).filter(|(_, used)| !used) {
            self.matches_nothing(key, entry);
        }
        let mut keys = HashSet::new();
        if let Some(twice) = cells
            .iter()
            .map(Cell::key)
            .find(|key| !keys.insert(key.clone()))
        {
            self.problem(
                self.table.line,
                format!(
                    "table {:?}: its lists give the cell {twice} twice",
                    self.table.title
                ),
            );
        }
        if cells.is_empty() && self.problems.is_empty() {
            self.problem(
                self.table.line,
                format!("table {:?}: exclude leaves no cells", self.table.title),
            );
        }
        // Where cells are missing, published figures without a cell say nothing new.
        if self.problems.is_empty() {
            self.find_published(&cells);
        }
        cells
    }

    /// Whether the table's cells are matches.
    fn is_match(&self) -> bool {
        self.table
            .settings
            .iter()
            .any(|setting| setting.key == MATCH)
    }

    /// The games that the command line asks for in all cells.
    fn games_of_all(&self) -> Option<u64> {
        self.overrides
            .games
            .filter(|_| self.overrides.part.is_empty())
    }

    fn games(&self) -> (u64, Option<Stop>) {
        let wanted = self
            .table
            .games
            .or(self.experiment.games)
            .map_or(GAMES_DEFAULT, |games| games.value);
        let mut stop = self
            .table
            .stop
            .or(self.experiment.stop)
            .map(|stop| stop.value);
        if let (Some(stop), Some(cap)) = (&mut stop, self.games_of_all()) {
            stop.max_games = stop.max_games.min(cap);
        }
        let games = self.games_of_all().unwrap_or(wanted);
        (stop.map_or(games, |stop| stop.max_games), stop)
    }

    /// The axes of the product: each key its own, zipped keys together in the place of the first.
    fn axes(&mut self, settings: &[(&Setting, Vec<Vec<Assignment>>)]) -> Vec<Axis> {
        let mut axes = Vec::new();
        let mut zipped: Vec<&str> = Vec::new();
        for (setting, positions) in settings {
            if zipped.contains(&setting.key.as_str()) {
                continue;
            }
            let mut axis = Axis {
                positions: positions.clone(),
            };
            let group = self
                .table
                .zip
                .iter()
                .find(|group| group.value.contains(&setting.key));
            for key in group
                .iter()
                .flat_map(|group| &group.value)
                .filter(|key| **key != setting.key)
            {
                let Some((other, positions)) = settings.iter().find(|(other, _)| other.key == *key)
                else {
                    continue;
                };
                zipped.push(&other.key);
                // Of a key with problems of its own it is not known how many values are meant.
                let is_whole = |setting: &Setting, positions: &[Vec<Assignment>]| {
                    positions.len() >= setting.values.len() && !self.table.is_refused(&setting.key)
                };
                if !is_whole(setting, &axis.positions) || !is_whole(other, positions) {
                    continue;
                }
                if positions.len() == axis.positions.len() {
                    axis.positions
                        .iter_mut()
                        .zip(positions)
                        .for_each(|(mine, more)| mine.extend(more.iter().cloned()));
                } else {
                    let a = axis.positions.len();
                    let b = positions.len();
                    let line = group.map_or(setting.line, |group| group.line);
                    let message = format!(
                        "zip: {} has {a} values and {key} has {b}; keys that move together need equally many",
                        setting.key
                    );
                    self.problem(line, message);
                }
            }
            axes.push(axis);
        }
        self.check_zip();
        axes
    }

    fn check_zip(&mut self) {
        let table = self.table;
        let mut seen: Vec<&str> = Vec::new();
        for group in &table.zip {
            for key in &group.value {
                if !table
                    .settings
                    .iter()
                    .any(|setting| setting.key == *key && key != "game")
                {
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
    fn check_selections(
        &mut self,
        settings: &[(&Setting, Vec<Vec<Assignment>>)],
        selected: &[Selection],
    ) {
        let table = self.table;
        if table.is_refused("exclude") || table.is_refused("grow") {
            return;
        }
        for ((key, entry), values) in table.selections().zip(selected) {
            let is_met = |(setting, wanted): (&Setting, &Vec<Vec<Assignment>>)| {
                let positions = settings.iter().find(|(other, _)| other.key == setting.key);
                let whole = |(other, positions): &&(&Setting, Vec<Vec<Assignment>>)| {
                    positions.len() >= other.values.len() && !table.is_refused(&other.key)
                };
                // A key with problems of its own may have any value.
                let Some((_, positions)) = positions.filter(whole) else {
                    return true;
                };
                wanted.len() < setting.values.len()
                    || positions.iter().any(|position| wanted.contains(position))
            };
            if !entry.value.iter().zip(values).all(is_met) {
                self.matches_nothing(key, entry);
            }
        }
    }

    fn matches_nothing(&mut self, key: &str, entry: &Located<Vec<Setting>>) {
        let entry_text: Vec<String> = entry.value.iter().map(setting_text).collect();
        let message = format!(
            "{key} = {{ {} }}: no cell of the table is like that",
            entry_text.join(", ")
        );
        self.problem(entry.line, message);
    }

    /// The combinations to leave out and to grow; each is a list of keys, each with the assignments
    /// that match.
    fn selections(&mut self, game: &'static GameEntry) -> Vec<Selection> {
        let table = self.table;
        table
            .selections()
            .map(|(_, entry)| {
                entry
                    .value
                    .iter()
                    .map(|setting| self.assignments(game, setting))
                    .collect()
            })
            .collect()
    }

    fn cell(
        &mut self,
        game: &'static GameEntry,
        axes: &[Axis],
        position: &[usize],
        (selected, selecting): (&[Selection], &mut [bool]),
        games: u64,
        stop: Option<Stop>,
    ) -> Option<Cell> {
        let is_match = self.is_match();
        let players = if is_match { 2 } else { game.seats };
        let mut cell = Cell {
            table: self.number,
            game,
            params: Params::defaults(game.params),
            players: vec![PlayerSpec::new(&game.players[0]); players],
            matched: is_match
                .then(|| Match::named(game, OUTCOME).expect("outcomes decide every game")),
            games,
            stop,
            common: Vec::new(),
            allows_programs: self.overrides.allow_programs,
        };
        for assignment in axes
            .iter()
            .zip(position)
            .flat_map(|(axis, &at)| &axis.positions[at])
        {
            match assignment {
                Assignment::Params(values) => values
                    .iter()
                    .for_each(|(name, value)| cell.params.set(name, value.clone())),
                Assignment::Player(seat, spec) => cell.players[*seat] = spec.clone(),
                Assignment::Match(decided) => cell.matched = Some(*decided),
            }
        }
        let is_of = |entry: &Vec<Vec<Vec<Assignment>>>| {
            entry
                .iter()
                .all(|values| values.iter().any(|value| matches(&cell, value)))
        };
        let excluded = self.table.exclude.len();
        let mut is_excluded = false;
        let mut grown = None;
        for (number, (entry, used)) in selected.iter().zip(selecting).enumerate() {
            if is_of(entry) {
                *used = true;
                match number.checked_sub(excluded) {
                    None => is_excluded = true,
                    Some(number) => grown = Some(self.table.grow[number].1),
                }
            }
        }
        if is_excluded {
            return None;
        }
        if let Some(games) = grown.filter(|_| self.games_of_all().is_none()) {
            cell.games = games;
            cell.stop = stop.map(|stop| Stop {
                max_games: games,
                ..stop
            });
        }
        if let Some(lanes) = self.overrides.lanes {
            if !game.params.iter().any(|spec| spec.name == LANES) {
                self.problem(
                    self.table.line,
                    format!("--lanes {lanes}: {}", no_lanes(game)),
                );
                return None;
            }
            cell.params
                .set(LANES, Value::Int(i64::try_from(lanes).unwrap_or(i64::MAX)));
        }
        if !is_match && let Err(error) = catalog::refuse_clocks(&cell.players) {
            let seat = error.key.split('.').next().unwrap_or_default();
            let line = self
                .table
                .settings
                .iter()
                .find(|setting| setting.key == seat)
                .map(|setting| setting.line);
            self.problem(line.unwrap_or(self.table.line), error.to_string());
            return None;
        }
        if let Err(error) = (game.complete)(&mut cell.params) {
            let line = self
                .table
                .settings
                .iter()
                .find(|setting| setting.key == error.key)
                .map(|setting| setting.line);
            self.problem(line.unwrap_or(self.table.line), error.to_string());
            return None;
        }
        if self.experiment.per_game.is_some()
            && let Err(message) = cell.check_single_games("per_game")
        {
            self.problem(self.table.line, message);
            return None;
        }
        if is_match && cell.sampling() != Sampling::Plain {
            let message = "match: pairs need games of their own; leave lanes and method out";
            self.problem(self.table.line, message.to_owned());
            return None;
        }
        if let Some(wanted) = stop.and_then(|stop| stop.difference) {
            let test = match cell.matched {
                Some(matched) => PairTest::new(game, matched, wanted, cell.games).map(drop),
                None => Err(format!("only a table with {MATCH} takes it")),
            };
            if let Err(message) = test {
                let stop = self.table.stop.or(self.experiment.stop);
                let line = stop.map_or(self.table.line, |stop| stop.line);
                self.problem(line, format!("stop.difference: {message}"));
                return None;
            }
        }
        if is_match {
            play_once(&mut cell);
        }
        let lanes = cell.sampling().lanes();
        if let (Some(common), 2..) = (&self.table.common, lanes) {
            let message = format!(
                "common: games of value lanes cannot be compared in pairs, those of a trajectory being correlated; \
                 play the table without lanes, not with {lanes}"
            );
            self.problem(common.line, message);
            return None;
        }
        cell.ask_for(cell.games, cell.stop);
        Some(cell)
    }

    /// The parameters that the streams do not depend on, in the order of the game's table.
    fn common(&mut self, game: &'static GameEntry) -> Vec<&'static str> {
        let Some(common) = &self.table.common else {
            return Vec::new();
        };
        let mut named = Vec::new();
        for name in &common.value {
            if !game.params.iter().any(|spec| spec.name == name) {
                let known = game.params.iter().map(|spec| spec.name);
                self.problem(
                    common.line,
                    format!("common: {name}: {}", unknown(name, "parameter", known)),
                );
            } else if named.contains(&name) {
                self.problem(
                    common.line,
                    format!("common: {name} is named twice; name each parameter once"),
                );
            }
            named.push(name);
        }
        game.params
            .iter()
            .map(|spec| spec.name)
            .filter(|name| named.iter().any(|known| known == name))
            .collect()
    }

    /// The file of published figures, and where it lies.
    fn published(&self) -> Option<(&'_ Located<String>, PathBuf)> {
        let file = self
            .table
            .published
            .as_ref()
            .filter(|_| !self.overrides.unpublished)?;
        Some((
            file,
            self.experiment
                .path
                .parent()
                .unwrap_or(Path::new(""))
                .join(&file.value),
        ))
    }

    fn find_published(&mut self, cells: &[Cell]) {
        let Some((file, path)) = self.published() else {
            return;
        };
        let Located { value, line } = file.clone();
        match published::figures(&path, &self.table.title, cells) {
            Ok(figures) => self.published = figures,
            Err(messages) => {
                for message in messages {
                    self.problem(line, format!("published = {value:?}: {message}"));
                }
            }
        }
    }

    /// Looks whether the file of published figures can be read, where the cells are not known.
    fn check_published(&mut self) {
        let Some((file, path)) = self.published() else {
            return;
        };
        let Located { value, line } = file.clone();
        if let Err(message) = published::check_readable(&path) {
            self.problem(line, format!("published = {value:?}: {message}"));
        }
    }
}

fn setting_text(setting: &Setting) -> String {
    let values: Vec<String> = setting
        .values
        .iter()
        .map(|value| value.value.to_string())
        .collect();
    match values.as_slice() {
        [value] => format!("{} = {value}", setting.key),
        _ => format!("{} = [{}]", setting.key, values.join(", ")),
    }
}

/// Plays the games of a match once that its players and the start decide completely.
fn play_once(cell: &mut Cell) {
    let players_decide = cell.players.iter().all(|player| !player.entry.chance)
        && catalog::refuse_clocks(&cell.players).is_ok();
    if !players_decide {
        return;
    }
    let draws_start = (cell.game.chance)(&cell.params);
    match (cell.game.all_starts)(&cell.params) {
        Some((params, starts)) if !draws_start || cell.games >= starts => {
            cell.params = params;
            cell.games = starts;
            cell.stop = None;
        }
        None if !draws_start => {
            cell.games = 1;
            cell.stop = None;
        }
        _ => {}
    }
}

fn matches(cell: &Cell, assignments: &[Assignment]) -> bool {
    assignments.iter().all(|assignment| match assignment {
        Assignment::Params(values) => values
            .iter()
            .all(|(name, value)| cell.params.get(name) == value),
        Assignment::Player(seat, spec) => {
            let player = &cell.players[*seat];
            std::ptr::eq(player.entry, spec.entry) && player.params == spec.params
        }
        Assignment::Match(decided) => cell.matched == Some(*decided),
    })
}
