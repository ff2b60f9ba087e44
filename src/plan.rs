//! From an experiment file to cells: expansion of sweeps and validation against the catalog.
//!
//! A table is the product of the lists of its keys in the order of the file, the last key fastest; zipped keys move together in
//! the place of the first of them. Each combination that is not excluded is a [`Cell`].

use crate::catalog::{self, GAMES, GameEntry, LANES, PlayerSpec, Setup};
pub use crate::experiment::Stop;
use crate::experiment::{Experiment, Literal, Located, Problem, Setting, Table};
use crate::game::{Job, KernelChoice};
use crate::params::{ParamError, ParamSpec, Params, Value, suggestion};
use crate::rng::CellSeeds;
use std::collections::HashSet;
use std::path::Path;

mod published;

pub use published::Published;

/// The most cells of one table.
const CELLS_MAX: u128 = 1_000_000;

/// Games a cell plays when neither the file nor the command line says how many.
pub const GAMES_DEFAULT: u64 = 100_000;

/// A validated experiment.
#[derive(Debug)]
pub struct Plan {
    /// Names the folder of the results.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// Confidence level of all intervals.
    pub confidence: f64,
    /// Titles of the tables.
    pub titles: Vec<String>,
    /// The cells, table by table.
    pub cells: Vec<Cell>,
    /// The text of the experiment file.
    pub text: String,
    /// What the command line changed.
    pub overrides: Overrides,
}

/// One combination of parameters.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index of its table in [`Plan::titles`].
    pub table: usize,
    /// The game.
    pub game: &'static GameEntry,
    /// The game's parameters, completed.
    pub params: Params,
    /// The players, seat 0 first.
    pub players: Vec<PlayerSpec>,
    /// Games to play; with a stopping rule, the most. In trajectories, a whole number of them.
    pub games: u64,
    /// When to stop earlier.
    pub stop: Option<Stop>,
    /// The published figures to show beside.
    pub published: Option<Published>,
}

impl Cell {
    /// A cell outside any experiment: one game at a time, to play or to watch.
    #[must_use]
    pub fn of(game: &'static GameEntry, params: Params, players: Vec<PlayerSpec>) -> Self {
        Self { table: 0, game, params, players, games: 1, stop: None, published: None }
    }

    /// Game and rules: what the world streams are seeded from.
    #[must_use]
    pub fn world_key(&self) -> String {
        format!("{}/{}", self.game.name, self.params.key(self.game.params))
    }

    /// Game, rules and players: names the cell, and seeds the player streams.
    #[must_use]
    pub fn key(&self) -> String {
        let labels: Vec<String> = self.players.iter().map(PlayerSpec::label).collect();
        format!("{}/{}", self.world_key(), labels.join("/"))
    }

    /// The seeds of the cell's streams under a master seed.
    #[must_use]
    pub fn seeds(&self, master: u64) -> CellSeeds {
        CellSeeds::new(master, &self.world_key(), &self.key())
    }

    /// Games of each trajectory; 1 when each game has its own.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        let has_lanes = self.game.params.iter().any(|spec| spec.name == LANES);
        let lanes = has_lanes.then(|| self.params.int(LANES)).flatten();
        lanes.map_or(1, |lanes| u64::try_from(lanes).expect("a cell has at least one lane"))
    }

    /// Builds what plays the cell.
    ///
    /// # Errors
    /// When the parameters do not go together or the kernel does not fit them.
    pub fn job(&self, master: u64, kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
        let seeds = self.seeds(master);
        (self.game.build)(&Setup { params: &self.params, players: &self.players, seeds, kernel })
    }
}

/// What the command line changes about an experiment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Games per cell, instead of what the file says; caps stopping rules too.
    pub games: Option<u64>,
    /// Value lanes of every cell, instead of what the file says.
    pub lanes: Option<u64>,
    /// The master seed, instead of the file's.
    pub seed: Option<u64>,
    /// Leave the files of published figures alone: the experiment is a copy, away from the files it names.
    pub unpublished: bool,
}

impl Plan {
    /// Expands and checks an experiment.
    ///
    /// # Errors
    /// All problems, in the order of the file's lines.
    pub fn new(experiment: &Experiment, overrides: Overrides) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut cells = Vec::new();
        for (number, table) in experiment.tables.iter().enumerate() {
            let mut planner = Planner { experiment, table, number, overrides, problems: Vec::new() };
            cells.extend(planner.cells());
            problems.append(&mut planner.problems);
        }
        if !problems.is_empty() {
            problems.sort();
            problems.dedup();
            return Err(problems);
        }
        Ok(Self {
            name: experiment.name.clone(),
            seed: overrides.seed.unwrap_or(experiment.seed),
            confidence: experiment.confidence,
            titles: experiment.tables.iter().map(|table| table.title.clone()).collect(),
            cells,
            text: experiment.text.clone(),
            overrides,
        })
    }

    /// Expands and checks the text of an experiment file.
    ///
    /// # Errors
    /// All problems, in the order of the lines.
    pub fn of_text(text: &str, overrides: Overrides) -> Result<Self, String> {
        let experiment = Experiment::parse(Path::new("experiment.toml"), text);
        let plan = experiment.and_then(|experiment| Self::new(&experiment, overrides));
        plan.map_err(|problems| problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))
    }

    /// The first cell with this key.
    ///
    /// # Errors
    /// Names the key and the nearest one there is.
    pub fn find(&self, key: &str) -> Result<&Cell, String> {
        if let Some(cell) = self.cells.iter().find(|cell| cell.key() == key) {
            return Ok(cell);
        }
        let keys: Vec<String> = self.cells.iter().map(Cell::key).collect();
        let near = keys.iter().min_by_key(|known| strsim::damerau_levenshtein(known, key));
        Err(format!(
            "--cell {key}: no such cell; the column `cell` of cells.csv and `tilelab check` list them, such as {}",
            near.expect("a plan has cells")
        ))
    }
}

/// What one value of one key says about a cell.
#[derive(Clone)]
enum Assignment {
    Params(Vec<(&'static str, Value)>),
    Player(usize, PlayerSpec),
}

/// The keys of one entry of `exclude`, each with its values, each with what they assign.
type Exclusion = Vec<Vec<Vec<Assignment>>>;

/// Keys that move together, with the assignments of each position.
struct Axis {
    positions: Vec<Vec<Assignment>>,
}

struct Planner<'a> {
    experiment: &'a Experiment,
    table: &'a Table,
    number: usize,
    overrides: Overrides,
    problems: Vec<Problem>,
}

impl Planner<'_> {
    fn problem(&mut self, line: usize, message: String) {
        self.problems.push(Problem { path: self.experiment.path.clone(), line, message });
    }

    fn cells(&mut self) -> Vec<Cell> {
        let Some(game) = self.game() else { return Vec::new() };
        let mut settings: Vec<(&Setting, Vec<Vec<Assignment>>)> = Vec::new();
        let table = self.table;
        for setting in table.settings.iter().filter(|setting| setting.key != "game") {
            let positions = self.assignments(game, setting);
            settings.push((setting, positions));
        }
        self.check_required(game);
        let axes = self.axes(&settings);
        let excluded = self.exclusions(game);
        if !self.problems.is_empty() {
            return Vec::new();
        }
        let (games, stop) = self.games();
        let product = axes.iter().map(|axis| axis.positions.len() as u128).try_fold(1u128, u128::checked_mul);
        if product.is_none_or(|cells| cells > CELLS_MAX) {
            let count = product.map_or("far too many".to_owned(), |cells| cells.to_string());
            let title = &self.table.title;
            let message = format!("table {title:?}: its lists give {count} cells; at most {CELLS_MAX} are accepted");
            self.problem(self.table.line, message);
            return Vec::new();
        }
        let mut cells = Vec::new();
        let mut excluding = vec![false; excluded.len()];
        let mut position = vec![0; axes.len()];
        'cells: loop {
            cells.extend(self.cell(game, &axes, &position, (&excluded, &mut excluding), games, stop));
            for axis in (0..axes.len()).rev() {
                position[axis] += 1;
                if position[axis] < axes[axis].positions.len() {
                    continue 'cells;
                }
                position[axis] = 0;
            }
            break;
        }
        for (entry, _) in self.table.exclude.iter().zip(excluding).filter(|(_, used)| !used) {
            let entry_text: Vec<String> = entry.value.iter().map(setting_text).collect();
            let message = format!("exclude = {{ {} }}: no cell of the table is like that", entry_text.join(", "));
            self.problem(entry.line, message);
        }
        let mut keys = HashSet::new();
        if let Some(twice) = cells.iter().map(Cell::key).find(|key| !keys.insert(key.clone())) {
            self.problem(
                self.table.line,
                format!("table {:?}: its lists give the cell {twice} twice", self.table.title),
            );
        }
        if cells.is_empty() && self.problems.is_empty() {
            self.problem(self.table.line, format!("table {:?}: exclude leaves no cells", self.table.title));
        }
        self.attach_published(&mut cells);
        cells
    }

    fn games(&self) -> (u64, Option<Stop>) {
        let wanted = self.table.games.or(self.experiment.games).map_or(GAMES_DEFAULT, |games| games.value);
        let mut stop = self.table.stop.or(self.experiment.stop).map(|stop| stop.value);
        if let (Some(stop), Some(cap)) = (&mut stop, self.overrides.games) {
            stop.max_games = stop.max_games.min(cap);
        }
        let games = self.overrides.games.unwrap_or(wanted);
        (stop.map_or(games, |stop| stop.max_games), stop)
    }

    fn game(&mut self) -> Option<&'static GameEntry> {
        let Some(setting) = self.table.settings.iter().find(|setting| setting.key == "game") else {
            let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
            self.problem(self.table.line, format!("game: missing; accepted: {}", names.join(", ")));
            return None;
        };
        match setting.values.as_slice() {
            [Located { value: Literal::Text(name), line }] => {
                let game = catalog::game(name);
                if game.is_none() {
                    let names = GAMES.iter().map(|game| game.name);
                    self.problem(*line, format!("game = {name:?}: {}", unknown(name, "game", names)));
                }
                game
            }
            [Located { value, line }] => {
                self.problem(*line, format!("game = {value}: not accepted; write the name of a game in quotes"));
                None
            }
            _ => {
                self.problem(setting.line, "game: a table has one game; write a [[table]] for each".to_owned());
                None
            }
        }
    }

    /// The assignments of each value of a key, one entry a position on its axis.
    fn assignments(&mut self, game: &'static GameEntry, setting: &Setting) -> Vec<Vec<Assignment>> {
        let seat = match setting.key.as_str() {
            "player" => Some(0),
            "opponent" if game.seats == 2 => Some(1),
            _ => None,
        };
        let mut positions = Vec::new();
        for value in &setting.values {
            if let Some(seat) = seat {
                let specs = self.players(game, &setting.key, value);
                positions.extend(specs.into_iter().map(|spec| vec![Assignment::Player(seat, spec)]));
            } else if let Some(values) = self.params(game, &setting.key, value) {
                positions.push(vec![Assignment::Params(values)]);
            }
        }
        positions
    }

    /// What a key's value says about the game's parameters.
    fn params(&mut self, game: &GameEntry, key: &str, value: &Located<Literal>) -> Option<Vec<(&'static str, Value)>> {
        let spec = |name: &str| game.params.iter().find(|spec| spec.name == name);
        if key == "size"
            && let (Some(rows), Some(cols)) = (spec("rows"), spec("cols"))
        {
            let sides = match &value.value {
                Literal::Text(text) => text.split_once('x').and_then(|(r, c)| Some((rows.parse(r)?, cols.parse(c)?))),
                _ => None,
            };
            if sides.is_none() {
                let accepted = format!("rows x cols such as \"6x7\", each {}", rows.accepts());
                self.problem(value.line, format!("size = {}: not accepted; accepted: {accepted}", value.value));
            }
            return sides.map(|(r, c)| vec![(rows.name, r), (cols.name, c)]);
        }
        if key == LANES && spec(key).is_none() {
            self.problem(value.line, no_lanes(game));
            return None;
        }
        let Some(spec) = spec(key) else {
            let mut known: Vec<&str> = vec!["title", "game", "player", "games", "stop", "published", "zip", "exclude"];
            if game.seats == 2 {
                known.push("opponent");
            }
            if game.params.iter().any(|spec| spec.name == "rows") {
                known.push("size");
            }
            known.extend(game.params.iter().map(|spec| spec.name));
            self.problem(value.line, format!("{key}: {}", unknown(key, "key", known.into_iter())));
            return None;
        };
        self.value(spec, key, &value.value, value.line).map(|value| vec![(spec.name, value)])
    }

    fn value(&mut self, spec: &ParamSpec, key: &str, literal: &Literal, line: usize) -> Option<Value> {
        let plain = match literal {
            Literal::Bool(value) => Some(Value::Bool(*value)),
            Literal::Int(value) => Some(Value::Int(*value)),
            Literal::Float(value) => Some(Value::Float(*value)),
            Literal::Text(value) => Some(Value::Text(value.clone())),
            Literal::Table(_) => None,
        };
        let value = plain.and_then(|plain| spec.accept(&plain));
        if value.is_none() {
            let meant = match (&spec.kind, literal) {
                (crate::params::Kind::Choice(words), Literal::Text(text)) => suggestion(text, words.iter().copied())
                    .map(|near| format!("; did you mean {near:?}?"))
                    .unwrap_or_default(),
                _ => String::new(),
            };
            self.problem(line, format!("{key} = {literal}: not accepted; accepted: {}{meant}", spec.accepts()));
        }
        value
    }

    /// The players that a value stands for: a name, or `{ name = …, parameter = … }` whose lists are swept.
    fn players(&mut self, game: &GameEntry, key: &str, value: &Located<Literal>) -> Vec<PlayerSpec> {
        let line = value.line;
        let (name, settings) = match &value.value {
            Literal::Text(name) => (name, &[][..]),
            Literal::Table(entries) => match entries.iter().find(|(key, _)| key == "name") {
                Some((_, values)) if matches!(values.as_slice(), [Literal::Text(_)]) => {
                    let [Literal::Text(name)] = values.as_slice() else { unreachable!() };
                    (name, entries.as_slice())
                }
                _ => {
                    self.problem(line, format!("{key}: a player table needs one name, as in {{ name = \"random\" }}"));
                    return Vec::new();
                }
            },
            other => {
                self.problem(line, format!("{key} = {other}: not accepted; write a player's name in quotes"));
                return Vec::new();
            }
        };
        let Some(entry) = game.player(name) else {
            let names = game.players.iter().map(|player| player.name);
            self.problem(line, format!("{key} = {name:?}: {}", unknown(name, "player", names)));
            return Vec::new();
        };
        let mut specs = vec![PlayerSpec::new(entry)];
        for (param, literals) in settings.iter().filter(|(param, _)| param != "name") {
            let Some(spec) = entry.params.iter().find(|spec| spec.name == param) else {
                let known = entry.params.iter().map(|spec| spec.name);
                self.problem(line, format!("{key}.{param}: {}", unknown(param, "parameter", known)));
                continue;
            };
            let place = format!("{key}.{param}");
            let values: Vec<Value> =
                literals.iter().filter_map(|literal| self.value(spec, &place, literal, line)).collect();
            specs = specs
                .into_iter()
                .flat_map(|player| {
                    values.iter().map(move |value| {
                        let mut player = player.clone();
                        player.params.set(spec.name, value.clone());
                        player
                    })
                })
                .collect();
        }
        for spec in entry.params.iter().filter(|spec| spec.default_value().is_none()) {
            if !settings.iter().any(|(param, _)| param == spec.name) {
                self.problem(line, format!("{key}.{}: missing; accepted: {}", spec.name, spec.accepts()));
            }
        }
        specs
    }

    fn check_required(&mut self, game: &GameEntry) {
        let given = |name: &str| {
            let is = |key: &str| key == name || (key == "size" && (name == "rows" || name == "cols"));
            self.table.settings.iter().any(|setting| is(&setting.key))
        };
        let missing: Vec<&ParamSpec> =
            game.params.iter().filter(|spec| spec.default_value().is_none() && !given(spec.name)).collect();
        for spec in missing {
            self.problem(self.table.line, format!("{}: missing; accepted: {}", spec.name, spec.accepts()));
        }
        let keys: Vec<(&str, usize)> =
            self.table.settings.iter().map(|setting| (setting.key.as_str(), setting.line)).collect();
        if let Some((_, line)) = keys.iter().find(|(key, _)| *key == "size") {
            for (key, _) in keys.iter().filter(|(key, _)| *key == "rows" || *key == "cols") {
                self.problem(*line, format!("size: {key} is given too; write one of them"));
            }
        }
    }

    /// The axes of the product: each key its own, zipped keys together in the place of the first.
    fn axes(&mut self, settings: &[(&Setting, Vec<Vec<Assignment>>)]) -> Vec<Axis> {
        let mut axes = Vec::new();
        let mut zipped: Vec<&str> = Vec::new();
        for (setting, positions) in settings {
            if zipped.contains(&setting.key.as_str()) {
                continue;
            }
            let mut axis = Axis { positions: positions.clone() };
            let group = self.table.zip.iter().find(|group| group.value.contains(&setting.key));
            for key in group.iter().flat_map(|group| &group.value).filter(|key| **key != setting.key) {
                let Some((other, positions)) = settings.iter().find(|(other, _)| other.key == *key) else { continue };
                zipped.push(&other.key);
                if positions.len() == axis.positions.len() {
                    axis.positions.iter_mut().zip(positions).for_each(|(mine, more)| mine.extend(more.iter().cloned()));
                } else {
                    let (a, b) = (axis.positions.len(), positions.len());
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
                if !table.settings.iter().any(|setting| setting.key == *key && key != "game") {
                    self.problem(group.line, format!("zip: {key} is no key of this table that can hold a list"));
                }
                if seen.contains(&key.as_str()) {
                    self.problem(group.line, format!("zip: {key} is named twice; a key moves with one group"));
                }
                seen.push(key);
            }
        }
    }

    /// The combinations to leave out; each is a list of keys, each with the assignments that match.
    fn exclusions(&mut self, game: &'static GameEntry) -> Vec<Exclusion> {
        let table = self.table;
        table
            .exclude
            .iter()
            .map(|entry| entry.value.iter().map(|setting| self.assignments(game, setting)).collect())
            .collect()
    }

    fn cell(
        &mut self,
        game: &'static GameEntry,
        axes: &[Axis],
        position: &[usize],
        (excluded, excluding): (&[Exclusion], &mut [bool]),
        games: u64,
        stop: Option<Stop>,
    ) -> Option<Cell> {
        let mut cell = Cell {
            table: self.number,
            game,
            params: Params::defaults(game.params),
            players: vec![PlayerSpec::new(game.players[0]); game.seats],
            games,
            stop,
            published: None,
        };
        for assignment in axes.iter().zip(position).flat_map(|(axis, &at)| &axis.positions[at]) {
            match assignment {
                Assignment::Params(values) => {
                    values.iter().for_each(|(name, value)| cell.params.set(name, value.clone()))
                }
                Assignment::Player(seat, spec) => cell.players[*seat] = spec.clone(),
            }
        }
        let is_of = |entry: &Vec<Vec<Vec<Assignment>>>| {
            entry.iter().all(|values| values.iter().any(|value| matches(&cell, value)))
        };
        let mut is_excluded = false;
        for (entry, used) in excluded.iter().zip(excluding) {
            if is_of(entry) {
                (*used, is_excluded) = (true, true);
            }
        }
        if is_excluded {
            return None;
        }
        if let Some(lanes) = self.overrides.lanes {
            if !game.params.iter().any(|spec| spec.name == LANES) {
                self.problem(self.table.line, format!("--lanes {lanes}: {}", no_lanes(game)));
                return None;
            }
            cell.params.set(LANES, Value::Int(i64::try_from(lanes).unwrap_or(i64::MAX)));
        }
        if let Err(error) = catalog::refuse_clocks(&cell.players) {
            let seat = error.key.split('.').next().unwrap_or_default();
            let line = self.table.settings.iter().find(|setting| setting.key == seat).map(|setting| setting.line);
            self.problem(line.unwrap_or(self.table.line), error.to_string());
            return None;
        }
        if let Err(error) = (game.complete)(&mut cell.params) {
            let line = self.table.settings.iter().find(|setting| setting.key == error.key).map(|setting| setting.line);
            self.problem(line.unwrap_or(self.table.line), error.to_string());
            return None;
        }
        let lanes = cell.lanes();
        let whole = |games: u64| games.checked_next_multiple_of(lanes).unwrap_or(games - games % lanes);
        cell.games = whole(cell.games);
        cell.stop = cell.stop.map(|stop| Stop { max_games: whole(stop.max_games), ..stop });
        Some(cell)
    }

    fn attach_published(&mut self, cells: &mut [Cell]) {
        let Some(file) = self.table.published.as_ref().filter(|_| !self.overrides.unpublished) else { return };
        let path = self.experiment.path.parent().unwrap_or(Path::new("")).join(&file.value);
        if let Err(message) = published::attach(&path, &self.table.title, cells) {
            self.problem(file.line, format!("published = {:?}: {message}", file.value));
        }
    }
}

/// Why a game has no value lanes.
fn no_lanes(game: &GameEntry) -> String {
    let with: Vec<&str> =
        GAMES.iter().filter(|game| game.params.iter().any(|spec| spec.name == LANES)).map(|game| game.name).collect();
    format!(
        "{LANES}: the moves of {} depend on its values, so games cannot share them; only {} has lanes",
        game.name,
        with.join(", ")
    )
}

fn setting_text(setting: &Setting) -> String {
    let values: Vec<String> = setting.values.iter().map(|value| value.value.to_string()).collect();
    match values.as_slice() {
        [value] => format!("{} = {value}", setting.key),
        _ => format!("{} = [{}]", setting.key, values.join(", ")),
    }
}

fn matches(cell: &Cell, assignments: &[Assignment]) -> bool {
    assignments.iter().all(|assignment| match assignment {
        Assignment::Params(values) => values.iter().all(|(name, value)| cell.params.get(name) == value),
        Assignment::Player(seat, spec) => cell.players[*seat].label() == spec.label(),
    })
}

/// "unknown …; accepted: …", with the name that was probably meant.
fn unknown<'a>(name: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let meant = suggestion(name, known.clone()).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    let known: Vec<&str> = known.collect();
    format!("unknown {what}; accepted: {}{meant}", if known.is_empty() { "none".to_owned() } else { known.join(", ") })
}
