//! From an experiment file to cells: expansion of sweeps and validation against the catalog.
//!
//! A table is the product of the lists of its keys in the order of the file, the last key fastest;
//! zipped keys move together in the place of the first of them. Each combination that is not
//! excluded is a [`Cell`].

use crate::catalog::{GameEntry, LANES, METHOD, PlayerSpec, SPLITTING, Setup};
pub use crate::experiment::PerGame;
pub use crate::experiment::Stop;
use crate::experiment::{Experiment, FILE_BYTES_MAX, Problem, Problems};
use crate::game::{Job, KernelChoice};
use crate::params::{ParamError, ParamSpec, Params};
use crate::rng::CellSeeds;
use crate::text;
use std::path::Path;

mod cell;
mod direct;
mod pins;
mod planner;
mod published;
mod table;
mod template;
mod values;

pub use cell::{Invalid, game, params, player};
pub use direct::Direct;
use direct::value_text;
pub use published::Published;
use table::Planner;
pub use template::template;

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
    /// The text of the experiment file, in which files of weights have their IDs.
    pub text: String,
    /// Whether a run writes a row for every game, and how.
    pub per_game: Option<PerGame>,
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
    /// Parameters that the random streams do not depend on, in the order of the game's table: cells
    /// that differ in nothing else meet the same random numbers.
    pub common: Vec<&'static str>,
}

impl Cell {
    /// A cell outside any experiment: one game at a time, to play or to watch.
    #[must_use]
    pub fn of(game: &'static GameEntry, params: Params, players: Vec<PlayerSpec>) -> Self {
        Self { table: 0, game, params, players, games: 1, stop: None, published: None, common: Vec::new() }
    }

    /// Game and rules: what the world streams are seeded from. [`Cell::common`] parameters are left
    /// out.
    #[must_use]
    pub fn world_key(&self) -> String {
        let is_kept = |spec: &&ParamSpec| !self.common.contains(&spec.name);
        let specs: Vec<ParamSpec> = self.game.params.iter().filter(is_kept).copied().collect();
        format!("{}/{}", self.game.name, self.params.key(&specs))
    }

    /// The players as the key writes them.
    #[must_use]
    pub fn players_key(&self) -> String {
        let labels: Vec<String> = self.players.iter().map(PlayerSpec::label).collect();
        labels.join("/")
    }

    /// Game, rules and players: names the cell.
    ///
    /// [`Cell::common`] parameters follow the rules, as in
    /// `sixty-seven/rules=original,…,target=67,common=operator_rate+target/random`.
    #[must_use]
    pub fn key(&self) -> String {
        let mut rules = self.params.key(self.game.params);
        if !self.common.is_empty() {
            let comma = if rules.is_empty() { "" } else { "," };
            rules = format!("{rules}{comma}common={}", self.common.join("+"));
        }
        format!("{}/{rules}/{}", self.game.name, self.players_key())
    }

    /// The seeds of the cell's streams under a master seed: the world's from [`Cell::world_key`],
    /// the player's from that and the players.
    #[must_use]
    pub fn seeds(&self, master: u64) -> CellSeeds {
        let world = self.world_key();
        let player = format!("{world}/{}", self.players_key());
        CellSeeds::new(master, &world, &player)
    }

    /// A number that tells the cell from others under a master seed, for names of files; cells with
    /// common parameters share their seeds.
    #[must_use]
    pub fn fingerprint(&self, master: u64) -> u64 {
        CellSeeds::new(master, "", &self.key()).player
    }

    /// Games of each trajectory; 1 when each game has its own.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        let has_lanes = self.game.params.iter().any(|spec| spec.name == LANES);
        let lanes = has_lanes.then(|| self.params.int(LANES)).flatten();
        lanes.map_or(1, |lanes| u64::try_from(lanes).expect("a cell has at least one lane"))
    }

    /// Whether the games are replications of splitting ([`crate::games::sixty_seven::splitting`]).
    #[must_use]
    pub fn splits(&self) -> bool {
        let has_methods = self.game.params.iter().any(|spec| spec.name == METHOD);
        has_methods && self.params.text(METHOD) == Some(SPLITTING)
    }

    /// Why the games of the cell cannot be told one by one, where they are replications of
    /// splitting.
    ///
    /// # Errors
    /// Names the method; `what` is what was asked for.
    pub fn check_single_games(&self, what: &str) -> Result<(), String> {
        if !self.splits() {
            return Ok(());
        }
        Err(format!(
            "{what}: the cell {} has {METHOD} = {SPLITTING}; a replication is many games with weights, not one; leave \
             the method out to play single games",
            self.key()
        ))
    }

    /// Builds what plays the cell.
    ///
    /// # Errors
    /// When the parameters do not go together or the kernel does not fit them.
    pub fn job(&self, master: u64, kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
        let seeds = self.seeds(master);
        self.game.build(&Setup { params: &self.params, players: &self.players, seeds, kernel })
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
    /// Leave the files of published figures and of weights alone: the experiment is a copy, away
    /// from the files it names.
    pub unpublished: bool,
}

impl Experiment {
    /// Expands and checks the experiment.
    ///
    /// # Errors
    /// All problems, in the order of the file's lines.
    pub fn plan(&self) -> Result<Plan, Problems> {
        Plan::new(self, Overrides::default())
    }
}

impl Plan {
    /// Expands and checks an experiment.
    ///
    /// # Errors
    /// All problems, in the order of the file's lines.
    pub fn new(experiment: &Experiment, overrides: Overrides) -> Result<Self, Problems> {
        Self::of_part(experiment, overrides, Vec::new())
    }

    /// Reads, expands and checks an experiment file.
    ///
    /// # Errors
    /// All problems of the file, in the order of its lines.
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, Problems> {
        let text = text::read(path, FILE_BYTES_MAX)
            .map_err(|message| Problems::from(vec![Problem { path: path.to_owned(), line: 0, message }]))?;
        Self::parse_at(path, &text, overrides)
    }

    /// Reads, expands and checks the text of an experiment file; `path` is for messages and for
    /// files named in it.
    ///
    /// # Errors
    /// All problems of the text, in the order of its lines.
    pub fn parse_at(path: &Path, text: &str, overrides: Overrides) -> Result<Self, Problems> {
        match Experiment::parse_in_part(path, text) {
            (Some(experiment), problems) => Self::of_part(&experiment, overrides, problems),
            (None, problems) => Err(Problems::from(problems)),
        }
    }

    /// Reads, expands and checks the text of an experiment file. Files that it names are sought in
    /// the current folder.
    ///
    /// # Errors
    /// All problems of the text, in the order of its lines.
    pub fn parse(text: &str, overrides: Overrides) -> Result<Self, Problems> {
        Self::parse_at(Path::new("experiment.toml"), text, overrides)
    }

    /// Expands and checks what could be read of an experiment, where reading found these problems.
    fn of_part(experiment: &Experiment, overrides: Overrides, mut problems: Vec<Problem>) -> Result<Self, Problems> {
        let mut cells = Vec::new();
        let mut pins = Vec::new();
        for (number, table) in experiment.tables.iter().enumerate() {
            let mut planner = Planner { experiment, table, number, overrides, problems: Vec::new(), pins: Vec::new() };
            cells.extend(planner.cells());
            problems.append(&mut planner.problems);
            pins.append(&mut planner.pins);
        }
        Problems::check(problems)?;
        let mut plan = Self {
            name: experiment.name.clone(),
            seed: overrides.seed.unwrap_or(experiment.seed),
            confidence: experiment.confidence,
            titles: experiment.tables.iter().map(|table| table.title.clone()).collect(),
            cells,
            text: experiment.text.clone(),
            per_game: experiment.per_game,
            overrides,
        };
        pins::pin(&mut plan, experiment, &pins).map_err(|problem| Problems::from(vec![problem]))?;
        Ok(plan)
    }

    /// Expands and checks the text of an experiment file.
    ///
    /// # Errors
    /// All problems, in the order of the lines.
    pub fn of_text(text: &str, overrides: Overrides) -> Result<Self, String> {
        Self::parse(text, overrides)
            .map_err(|problems| problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))
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
