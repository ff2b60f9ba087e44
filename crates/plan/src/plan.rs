//! From an experiment file to cells: expansion of sweeps and validation against the catalog.
//!
//! A table is the product of the lists of its keys in the order of the file, the last key fastest;
//! zipped keys move together in the place of the first of them. Each combination that is not
//! excluded is a [`Cell`].

pub use crate::experiment::PerGame;
pub use crate::experiment::{Difference, Stop};
use crate::experiment::{Experiment, Problem, Problems, text_of};
use crate::external::{self, AskedJob, Function, Programs};
use crate::matches::{self, Match, MatchJob};
use crate::weights;
use joined::Joined;
use std::collections::HashMap;
use std::path::Path;
use tilelab_cells::labels;
use tilelab_games::catalog::{GameEntry, METHOD, PlayerSpec, SPLITTING, Setup, refuse_clocks};
use tilelab_games::game::registry::BUDGET;
use tilelab_games::game::{Job, KernelChoice, Measure, Sampling};
use tilelab_games::params::{ParamError, Params};
use tilelab_games::rng::CellSeeds;
use tilelab_games::tally::meetings;
use tilelab_games::text::join;
use tilelab_stats::RateInterval;

mod cell;
mod figures;
mod inline;
mod joined;
mod pins;
mod planner;
mod table;
mod template;
mod values;

pub use cell::{Invalid, game, params, player};
pub use figures::PublishedFigures;
use inline::value_text;
pub use inline::{Inline, Round};
use table::Planner;
pub use template::template;
use values::SEPARATE;

/// Games a cell plays when neither the file nor the command line says how many.
pub const GAMES_DEFAULT: u64 = 100_000;

/// A validated experiment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Names the folder of the results.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// Confidence level of all intervals.
    pub confidence: f64,
    /// Which interval win rates of independent games have.
    pub interval: RateInterval,
    /// Titles of the tables.
    pub titles: Vec<String>,
    /// The distinct cells, in the order in which the tables name them first.
    pub cells: Vec<Cell>,
    /// What the tables show, table by table: the rows of the results. A cell that several tables
    /// name is one cell, and has an entry in each.
    pub entries: Vec<PlanEntry>,
    /// The text of the experiment file, in which files of weights have their IDs.
    pub text: String,
    /// Whether a run writes a row for every game, and how.
    pub per_game: Option<PerGame>,
    /// What the command line changed.
    pub overrides: Overrides,
}

/// A cell in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEntry {
    /// Index of the table in [`Plan::titles`].
    pub table: usize,
    /// Index of the cell in [`Plan::cells`].
    pub cell: usize,
    /// The published figures to show beside.
    pub published: Option<PublishedFigures>,
}

impl PlanEntry {
    /// One for each of these cells, in its own table.
    pub fn of_each(cells: &[Cell]) -> Vec<Self> {
        let entries = cells.iter().enumerate().map(|(cell, about)| Self {
            table: about.table,
            cell,
            published: None,
        });
        entries.collect()
    }
}

/// One combination of parameters.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index in [`Plan::titles`] of the first table that has it.
    pub table: usize,
    /// The game.
    pub game: &'static GameEntry,
    /// The game's parameters, completed.
    pub params: Params,
    /// The players, seat 0 first; those of a match, two or more, in the order of its view.
    pub players: Vec<PlayerSpec>,
    /// How pairs are decided, where the cell is a match: then its unit is a block of games.
    pub matched: Option<Match>,
    /// Games to play; with a stopping rule, the most. In trajectories, a whole number of them. Of
    /// the numbers that several tables ask for, the largest.
    pub games: u64,
    /// When to stop earlier.
    pub stop: Option<Stop>,
    /// Parameters that the random streams do not depend on, in the order of the game's table: cells
    /// that differ in nothing else meet the same random numbers.
    pub common: Vec<&'static str>,
    /// Starts the programs among the players; `None` where they may not be started. A stranger's
    /// file names the programs that the stranger likes.
    pub programs: Option<Programs>,
}

impl Cell {
    /// A cell outside any experiment: one game at a time, to play or to watch.
    pub fn of(game: &'static GameEntry, params: Params, players: Vec<PlayerSpec>) -> Self {
        Self {
            table: 0,
            game,
            params,
            players,
            matched: None,
            games: 1,
            stop: None,
            common: Vec::new(),
            programs: Some(Programs::default()),
        }
    }

    /// Game and rules: what the world streams are seeded from. [`Cell::common`] parameters are left
    /// out.
    pub fn world_key(&self) -> String {
        format!("{}/{}", self.game.name, self.params_key(&self.common))
    }

    /// The parameters of the game as the key writes them, without these.
    fn params_key(&self, without: &[&str]) -> String {
        let mut specs = self.game.params.to_vec();
        specs.retain(|spec| !without.contains(&spec.name));
        self.params.key(&specs)
    }

    /// The players as the key writes them.
    pub fn players_key(&self) -> String {
        join(self.players.iter().map(PlayerSpec::key), "/")
    }

    /// The labels of the players.
    pub fn player_labels(&self) -> Vec<String> {
        self.players.iter().map(PlayerSpec::label).collect()
    }

    /// Game, rules and players: names the cell.
    ///
    /// [`Cell::common`] parameters follow the rules, as in
    /// `sixty-seven/rules=original,…,target=67,common=operator_rate+target/random`; then what
    /// decides the pairs of a match, as in `offset/d=7,…,match=outcome/greedy/mobility`.
    pub fn key(&self) -> String {
        self.key_of(&[], &self.players_key())
    }

    /// The key without these parameters of the game: what cells that differ in nothing else share.
    pub fn key_without(&self, params: &[&str]) -> String {
        self.key_of(params, &self.players_key())
    }

    /// The key without these parameters of the game and with these players, which are written as in
    /// keys.
    pub(crate) fn key_of(&self, without: &[&str], players: &str) -> String {
        let common = format!("common={}", self.common.join("+"));
        let matched = self
            .matched
            .map(|decided| format!("match={}", decided.decided_by()));
        let rules = [
            Some(self.params_key(without)).filter(|rules| !rules.is_empty()),
            (!self.common.is_empty()).then_some(common),
            matched,
        ];
        let rules = join(rules.into_iter().flatten(), ",");
        format!("{}/{rules}/{players}", self.game.name)
    }

    /// The seeds of the cell's streams under a master seed: the world's from [`Cell::world_key`],
    /// the player's from that and the players.
    pub fn seeds(&self, master: u64) -> CellSeeds {
        let world = self.world_key();
        let player = format!("{world}/{}", self.players_key());
        CellSeeds::new(master, &world, &player)
    }

    /// A number that tells the cell from others under a master seed, for names of files; cells with
    /// common parameters share their seeds.
    pub fn fingerprint(&self, master: u64) -> u64 {
        CellSeeds::new(master, "", &self.key()).player
    }

    /// How the games are sampled.
    pub fn sampling(&self) -> Sampling {
        (self.game.sampling)(&self.params)
    }

    /// A number of games rounded up to whole trajectories, or down where that does not fit.
    fn whole(&self, games: u64) -> u64 {
        let lanes = self.sampling().lanes();
        let whole = games.checked_next_multiple_of(lanes);
        whole.unwrap_or(games - games % lanes)
    }

    /// Sets the number of games, with a stopping rule the most, in whole trajectories.
    fn ask_for(&mut self, games: u64) {
        self.games = self.whole(games);
        if let Some(stop) = &mut self.stop {
            stop.max_games = self.games;
        }
    }

    /// Has a match play each of its games once where its players and the start decide them
    /// completely.
    fn play_once(&mut self) {
        if self.matched.is_none() || self.players_have_chance() {
            return;
        }
        let draws_start = (self.game.chance)(&self.params);
        match (self.game.all_starts)(&self.params) {
            Some((params, starts)) if !draws_start || self.games >= starts => {
                self.params = params;
                self.games = starts;
                self.stop = None;
            }
            None if !draws_start => {
                self.games = 1;
                self.stop = None;
            }
            _ => {}
        }
    }

    /// Why the games of the cell cannot be told one by one, where they are replications of
    /// splitting, or blocks of a match.
    ///
    /// # Errors
    /// Names the method; `what` is what was asked for.
    pub fn check_single_games(&self, what: &str) -> Result<(), String> {
        if self.has_blocks() {
            return Err(format!(
                "{what}: the cell {} is a match of {} players, whose rows are starts and no games; give the table \
                 {SEPARATE} = true for rows of pairs, or play the players' own cells",
                self.key(),
                self.players.len()
            ));
        }
        if self.sampling() != Sampling::Splitting {
            return Ok(());
        }
        Err(format!(
            "{what}: the cell {} has {METHOD} = {SPLITTING}; a replication is many games with weights, not one; leave \
             the method out to play single games",
            self.key()
        ))
    }

    /// The cells whose games make the blocks of a match: in one-player games those of each player,
    /// in two-player games those of both seatings of every two. The start of a game depends on no
    /// player.
    pub fn games_of_match(&self) -> Vec<Self> {
        let count = self.players.len();
        let seatings: Vec<Vec<usize>> = if self.game.seats == 2 {
            let both = meetings(count).flat_map(|[a, b]| [vec![a, b], vec![b, a]]);
            both.collect()
        } else {
            (0..count).map(|player| vec![player]).collect()
        };
        let games = seatings.into_iter().map(|seats| Self {
            players: seats.iter().map(|&at| self.players[at].clone()).collect(),
            matched: None,
            ..self.clone()
        });
        games.collect()
    }

    /// Whether the cell is a match of three or more players, whose unit is a block of games and no
    /// pair.
    pub fn has_blocks(&self) -> bool {
        self.matched.is_some() && self.players.len() > 2
    }

    /// What is reported of each game besides result and moves: the game's measures, or those of a
    /// pair.
    pub fn measures(&self) -> &'static [Measure] {
        match self.matched {
            Some(_) => matches::block_measures(self.game, self.players.len()),
            None => self.game.measures,
        }
    }

    /// Whether the rules or a player leave anything to chance, or to the clock.
    pub fn has_chance(&self) -> bool {
        (self.game.chance)(&self.params) || self.players_have_chance()
    }

    /// Whether a player leaves anything to chance, or to the clock.
    fn players_have_chance(&self) -> bool {
        self.players.iter().any(|player| player.entry.chance)
            || refuse_clocks(&self.players).is_err()
    }

    /// The program among the players that may not be started, if there is one.
    pub fn refused_program(&self) -> Option<&str> {
        let mut programs = self.players.iter().filter_map(external::program);
        programs.next().filter(|_| self.programs.is_none())
    }

    /// Builds what plays the cell.
    ///
    /// # Errors
    /// When the parameters do not go together, the kernel does not fit them, or a player is a
    /// program that may not be started.
    pub fn job(&self, master: u64, kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
        if let Some(matched) = self.matched {
            let games = self.games_of_match();
            let jobs = games.iter().map(|games| games.job(master, kernel));
            let jobs = jobs.collect::<Result<_, _>>()?;
            let players = self.players.len();
            return Ok(Box::new(MatchJob::new(self.game, matched, players, jobs)));
        }
        if self.players.iter().any(external::is_asked) {
            return self.asked_job(master, kernel);
        }
        self.game.build(&self.setup(master, kernel)?)
    }

    /// Builds what plays the cell where players are commands or functions, or choose under a
    /// time limit.
    fn asked_job(&self, master: u64, kernel: KernelChoice) -> Result<Box<dyn Job>, ParamError> {
        let asked = kernel;
        let kernel = match kernel {
            // Every kernel can play two-player games move by move.
            KernelChoice::Auto | KernelChoice::Portable if self.game.seats == 2 => kernel,
            KernelChoice::Auto | KernelChoice::Reference => KernelChoice::Reference,
            other => {
                let message = format!(
                    "{}: commands, functions and players with {BUDGET} are played by the kernel reference",
                    other.name()
                );
                return Err(ParamError::new("kernel", message));
            }
        };
        if self.sampling() != Sampling::Plain {
            let message =
                format!("commands, functions and players with {BUDGET} play single games");
            return Err(ParamError::new("player", message));
        }
        let mut others = self.clone();
        for player in others
            .players
            .iter_mut()
            .filter(|player| external::is_outside(player))
        {
            *player = PlayerSpec::new(&self.game.players[0]);
        }
        let setup = Setup {
            seeds: self.seeds(master),
            ..others.setup(master, kernel)?
        };
        let games = self.game.build(&setup)?;
        if let [player] = &self.players[..]
            && let Some(Function::Games(make)) = external::function(player.entry)
        {
            let setup = Setup {
                kernel: asked,
                ..setup
            };
            return make(self.game, &setup, games);
        }
        Ok(Box::new(AskedJob::new(
            self.game,
            &setup,
            &self.players,
            self.programs.as_ref(),
            games,
        )?))
    }

    /// What the cell's job is built from; files of weights are read where they have not been.
    pub fn setup(&self, master: u64, kernel: KernelChoice) -> Result<Setup<'_>, ParamError> {
        weights::provide(&self.players)?;
        Ok(Setup {
            params: &self.params,
            players: &self.players,
            seeds: self.seeds(master),
            kernel,
        })
    }
}

/// What the command line changes about an experiment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Games per cell, instead of what the file says; caps stopping rules too.
    pub games: Option<u64>,
    /// `key=value` or `key=value,value,…`: `games` is for the cells that have one of the values of
    /// each of these keys, and the others stay as they are. Empty: for all cells.
    pub part: Vec<String>,
    /// Value lanes of every cell, instead of what the file says.
    pub lanes: Option<u64>,
    /// The master seed, instead of the file's.
    pub seed: Option<u64>,
    /// Leave the files of published figures and of weights alone: the experiment is a copy, away
    /// from the files it names.
    pub unpublished: bool,
    /// Starts the programs that the experiment names as players; `None` where they may not be
    /// started. It is not saved: no file can allow its own.
    pub programs: Option<Programs>,
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
        Self::parse_at(path, &text_of(path)?, overrides)
    }

    /// Reads, expands and checks the text of an experiment file; `path` is for messages and for
    /// files named in it.
    ///
    /// # Errors
    /// All problems of the text, in the order of its lines.
    pub fn parse_at(path: &Path, text: &str, overrides: Overrides) -> Result<Self, Problems> {
        match Experiment::parse_in_part(path, text) {
            (Some(experiment), problems) => Self::of_part(&experiment, overrides, problems),
            (None, problems) => Err(Problems(problems)),
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
    fn of_part(
        experiment: &Experiment,
        overrides: Overrides,
        mut problems: Vec<Problem>,
    ) -> Result<Self, Problems> {
        let mut joined = Joined::default();
        let mut pins = Vec::new();
        for (number, table) in experiment.tables.iter().enumerate() {
            let mut planner = Planner {
                experiment,
                table,
                number,
                overrides: &overrides,
                problems: Vec::new(),
                pins: Vec::new(),
                published: HashMap::new(),
            };
            let cells = planner.cells();
            let is_full = !joined.add(&mut planner, cells);
            problems.append(&mut planner.problems);
            pins.append(&mut planner.pins);
            if is_full {
                break;
            }
        }
        if problems.is_empty()
            && let Err(message) = joined.grow_part(&overrides)
        {
            problems.push(Problem {
                path: experiment.path.clone(),
                line: 0,
                message,
            });
        }
        Problems::check(problems)?;
        let titles = experiment.tables.iter();
        let mut plan = Self {
            name: experiment.name.clone(),
            seed: overrides.seed.unwrap_or(experiment.seed),
            confidence: experiment.confidence,
            interval: experiment.interval,
            titles: titles.map(|table| table.title.clone()).collect(),
            cells: joined.cells,
            entries: joined.entries,
            text: experiment.text.clone(),
            per_game: experiment.per_game,
            overrides,
        };
        pins::pin(&mut plan, experiment, &pins).map_err(|problem| Problems(vec![problem]))?;
        Ok(plan)
    }

    /// Expands and checks the text of an experiment file.
    ///
    /// # Errors
    /// All problems, in the order of the lines.
    pub fn of_text(text: &str, overrides: Overrides) -> Result<Self, String> {
        Self::parse(text, overrides)
            .map_err(|problems| join(problems.0.iter().map(Problem::to_string), "; "))
    }

    /// The key of the cell in a row of the plan's tables, from 1.
    ///
    /// # Errors
    /// Names the rows that there are.
    pub fn key_of_row(&self, row: usize) -> Result<String, String> {
        let entry = row.checked_sub(1).and_then(|at| self.entries.get(at));
        entry
            .map(|entry| self.cells[entry.cell].key())
            .ok_or_else(|| format!("--row {row}: accepted: 1 to {}", self.entries.len()))
    }

    /// What cells count, and several of them: where all are matches, starts or pairs.
    pub fn unit(&self) -> [&'static str; 2] {
        if self.cells.iter().any(|cell| cell.matched.is_none()) {
            ["game", "games"]
        } else if self.cells.iter().any(Cell::has_blocks) {
            ["start", "starts"]
        } else {
            ["pair", "pairs"]
        }
    }

    /// What the cells are called where people read: by what varies, each differently. Empty where
    /// there is one cell.
    pub fn labels(&self) -> Vec<String> {
        let parameters = |cell: &Cell| {
            let named = [
                ("game", cell.game.name.to_owned()),
                ("player", cell.player_labels().join(" / ")),
            ];
            let rules = cell.params.iter();
            let rules = rules.map(|(name, value)| (name, value.to_string()));
            let all = named.into_iter().chain(rules);
            all.map(|(name, value)| (name.to_owned(), value)).collect()
        };
        labels::distinct(&self.cells.iter().map(parameters).collect::<Vec<_>>())
    }

    /// The first cell with this key, or the only one whose key has all of these parts, as in
    /// `gapless,6x7`; a part with `x` between numbers stands for rows and columns.
    ///
    /// # Errors
    /// Names the cells that have the parts, or where there are none the nearest key.
    pub fn find(&self, key: &str) -> Result<&Cell, String> {
        if let Some(cell) = self.cells.iter().find(|cell| cell.key() == key) {
            return Ok(cell);
        }
        let keys: Vec<String> = self.cells.iter().map(Cell::key).collect();
        let mut meant: Vec<usize> = (0..keys.len())
            .filter(|&at| key.split(',').all(|part| has_part(&keys[at], part.trim())))
            .collect();
        meant.dedup_by_key(|at| &keys[*at]);
        match meant.as_slice() {
            [] => {}
            [one] => return Ok(&self.cells[*one]),
            [first, second, ..] => {
                return Err(format!(
                    "--cell {key}: {} cells have these parts, such as {} and {}; name one",
                    meant.len(),
                    keys[*first],
                    keys[*second]
                ));
            }
        }
        let near = keys
            .iter()
            .min_by_key(|known| strsim::damerau_levenshtein(known, key));
        Err(format!(
            "--cell {key}: no such cell; the column `cell` of cells.csv and `tilelab check` list them, such as {}",
            near.expect("a plan has cells")
        ))
    }
}

/// Whether a key has a value, a setting or a player of this text, or these rows and columns.
fn has_part(key: &str, part: &str) -> bool {
    let has = |part: &str| {
        let is_end = |other: Option<char>| other.is_none_or(|c| "/,=+()".contains(c));
        key.match_indices(part).any(|(at, _)| {
            is_end(key[..at].chars().next_back()) && is_end(key[at + part.len()..].chars().next())
        })
    };
    let size = part.split_once('x').and_then(|(rows, cols)| {
        let [rows, cols]: [u64; 2] = [rows.parse().ok()?, cols.parse().ok()?];
        Some(format!("rows={rows},cols={cols}"))
    });
    !part.is_empty() && (has(part) || size.is_some_and(|size| has(&size)))
}
