//! `tilelab match`: players against each other, without a file.

use super::run::{self, How};
use super::{Ended, Result, direct, input_error, set, wrong};
use crate::catalog::PlayerSpec;
use crate::external::Programs;
use crate::matches::{Best, decided};
use crate::plan::{Cell, Difference, Inline, Overrides, Plan, Round};
use crate::record;
use crate::results::Finished;
use crate::stats::Sample;
use crate::text::counted;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Pairs of every two players when no number is given.
const PAIRS: u64 = 1000;

/// Let players meet on the same starts and print standings
///
/// Every two players have a pair of games on each start. In one-player games (67!, 2048,
/// Calculator), each player plays a start once, with the same spawns as the others, and the better
/// outcome, or the larger value of --measure, wins the pair. In two-player games, a pair is one
/// game in each seating. Where players and start decide a game, every different game is played
/// once.
///
/// Matches are cells like any other: with --out they are kept, continue when started again, and can
/// be reported and compared. In an experiment file, write `match = ["A", "B"]`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab match greedy mobility random --game offset --set d=7 --games 200\n  \
        tilelab match greedy expectimax --game 2048 --measure score --games 100 --out results\n  \
        tilelab match corner random --game 2048 --set size=3x3 --measure score --sprt 0 50\n  \
        tilelab match random greedy mobility alpha-beta --game offset --best 0.05")]
#[command(group = clap::ArgGroup::new("early").args(["sprt", "best"]))]
pub struct Args {
    /// The players, each a name or name(key=value,…); at least two
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// The game (`tilelab list games`)
    #[arg(long, value_name = "G")]
    game: String,
    /// A parameter and its values, such as size=4x4; may be repeated; the product of all is played
    #[arg(long = "set", value_name = "key=value,…")]
    settings: Vec<String>,
    /// A file of starts: CSV with a column for each parameter, such as start and beginner, and a
    /// row for each start
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Pairs of games of every two players, for each row of --starts
    ///
    /// With --sprt or --best, the largest number. [default: 1000; with --sprt or --best 1000000]
    #[arg(long, value_name = "N", value_parser = set::count)]
    games: Option<u64>,
    /// What decides a pair: outcome, or a measure of the game, such as score
    #[arg(long, value_name = "NAME", default_value = crate::matches::OUTCOME)]
    measure: String,
    /// Stop as soon as a sequential test decides how strong the first player of a pair is
    ///
    /// The test decides whether the mean is LOWER or less, or UPPER or more. The mean is the share
    /// of points (0.5 is as many as the opponent's), or with --measure the mean difference of a
    /// pair.
    #[arg(long, num_args = 2, value_names = ["LOWER", "UPPER"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// Find the best player: drop players as soon as another one is better
    ///
    /// Players that are better or worse by less than DELTA count as equal: a share of points
    /// (0.02 is 52 % of the points), or with --measure a mean difference of a pair. The pairs go to
    /// the players that may still be the best.
    #[arg(
        long,
        value_name = "DELTA",
        allow_negative_numbers = true,
        conflicts_with = "starts"
    )]
    best: Option<f64>,
    /// Probability of an error. With --sprt: deciding for UPPER if the mean is LOWER; with --best:
    /// not finding a player that is better than every other by DELTA
    #[arg(long, value_name = "P", default_value_t = Difference::ERROR, requires = "early")]
    alpha: f64,
    /// Probability of an error. With --sprt: deciding for LOWER if the mean is UPPER
    #[arg(long, value_name = "P", default_value_t = Difference::ERROR, requires = "sprt")]
    beta: f64,
    /// Write a record of every game to this file, in the form that `replay --json` writes and
    /// `replay` and `play` read
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    record: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let difference = args.sprt.as_deref().map(|means| Difference {
        lower: means[0],
        upper: means[1],
        alpha: args.alpha,
        beta: args.beta,
    });
    let games = args
        .games
        .unwrap_or(if args.best.is_some() || difference.is_some() {
            Difference::PAIRS_MAX
        } else {
            PAIRS
        });
    if args.best.is_some() && args.how.shard.is_some() {
        refuse!("--best: every round depends on all pairs before; leave --shard out");
    }
    let first = match args.best {
        Some(_) => Best::looks(games).next().unwrap_or(games),
        None => games,
    };
    let starts = match &args.starts {
        Some(file) => starts(args, file)?,
        None => Vec::new(),
    };
    let rounds = args.best.map(|_| &[][..]);
    let plan = plan(args, None, difference, &starts, first, rounds)?;
    let search = args
        .best
        .map(|within| Search::new(args, &plan, within, games))
        .transpose()?;
    if let Some(file) = &args.record {
        for cell in &plan.cells {
            record::check_repeatable(cell).map_err(input_error)?;
        }
        super::check_writable("--record", file)?;
    }
    let mut rounds = Vec::new();
    let mut recorded = Ok(());
    let mut next = |plan: &Plan, finished: &Finished| -> Result<Option<Plan>> {
        if let Some(search) = &search
            && let Some(next) = search.next(args, plan, finished, &mut rounds)?
        {
            return Ok(Some(next));
        }
        if let Some(file) = &args.record {
            // The tables are printed whatever happens to the records.
            recorded = write_records(plan, finished, file);
        }
        Ok(None)
    };
    let code = run::play_all(vec![plan], &[], &args.how, &mut next)?;
    recorded.map(|()| code)
}

/// Writes the records of all games.
fn write_records(plan: &Plan, finished: &Finished, file: &Path) -> Result<()> {
    let mut records = Vec::new();
    for (at, cell) in plan.cells.iter().enumerate() {
        let games = 0..finished.games_of(at);
        record::write(cell, plan.seed, games, &mut records).map_err(input_error)??;
    }
    super::write_output(file, &records)
}

/// The most starts of a file.
const STARTS_MAX: usize = 10_000;

/// The columns of a file of starts.
fn starts(args: &Args, file: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let place = format!("--starts {}", file.display());
    let text = files::read_named(file, TEXT_BYTES_MAX).map_err(wrong(&place))?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(wrong(&place))?;
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    for name in header {
        let is_set = |setting: &String| setting.split('=').next() == Some(name);
        if args.settings.iter().any(is_set) || columns.iter().any(|(known, _)| known == name) {
            refuse!("{place}: {name}: is given twice; give it once");
        }
        columns.push((name.to_owned(), Vec::new()));
    }
    for row in reader.records() {
        let row = row.map_err(wrong(&place))?;
        for ((_, values), value) in columns.iter_mut().zip(&row) {
            values.push(value.to_owned());
        }
    }
    match columns.first().map_or(0, |(_, values)| values.len()) {
        0 => refuse!("{place}: holds no start"),
        1..=STARTS_MAX => Ok(columns),
        starts => refuse!("{place}: holds {starts} starts; at most {STARTS_MAX} are accepted"),
    }
}

fn plan(
    args: &Args,
    programs: Option<Programs>,
    difference: Option<Difference>,
    starts: &[(String, Vec<String>)],
    games: u64,
    rounds: Option<&[Round]>,
) -> Result<Plan> {
    set::check_players(&args.settings, "before the options:")?;
    let direct = Inline {
        game: set::game(&args.game)?,
        settings: &args.settings,
        players: &args.players,
        opponents: &[],
        games,
        seed: direct::seed(args.how.seed),
        decided_by: Some(&args.measure),
        difference,
        starts,
        rounds,
    };
    let overrides = Overrides {
        seed: args.how.seed,
        programs,
        ..Overrides::default()
    };
    direct::planned(&args.game, &direct, overrides)
}

/// The search for the best player: a round of pairs after another, each with the players that may
/// still be the best.
struct Search {
    best: Best,
    looks: Vec<u64>,
}

impl Search {
    /// The search among the players of a plan. Several sets of rules are refused: each has a best
    /// player of its own.
    fn new(args: &Args, plan: &Plan, within: f64, pairs_max: u64) -> Result<Self> {
        let rules = plan.cells.iter().map(Cell::world_key);
        if rules.collect::<HashSet<_>>().len() > 1 {
            refuse!(
                "--best: finds the best player for one set of rules; give each --set one value"
            );
        }
        let players = names(&plan.cells).len();
        let best = Best::new(players, within, args.alpha).map_err(input_error)?;
        let looks = Best::looks(pairs_max).collect();
        Ok(Self { best, looks })
    }

    /// How many players were left after which pairs.
    fn course(&self, rounds: &[Round], stay: usize) -> String {
        let left = rounds.iter().map(|round| round.players.len()).chain([stay]);
        let mut course = Vec::new();
        let mut before = None;
        for (left, pairs) in left.zip(&self.looks) {
            if before.replace(left) != Some(left) {
                let players = counted(left, ["player", "players"]);
                course.push(format!("{players} after {pairs} pairs of every two"));
            }
        }
        format!("Left: {}.", course.join(", "))
    }

    /// Plans the next round; where there is none, prints who is left.
    fn next(
        &self,
        args: &Args,
        plan: &Plan,
        finished: &Finished,
        rounds: &mut Vec<Round>,
    ) -> Result<Option<Plan>> {
        let names = names(&plan.cells);
        let pairs = self.looks[rounds.len()];
        let mut left: Vec<usize> = (0..names.len()).collect();
        if let Some(round) = rounds.last() {
            left.retain(|&at| round.players.contains(&names[at]));
        }
        let stay = self.best.stay(&left, |first, second| {
            ahead(plan, finished, [&names[first], &names[second]], pairs)
        });
        let of = |players: &[usize]| -> Vec<String> {
            players.iter().map(|&at| names[at].clone()).collect()
        };
        let are_decided = plan.cells.iter().all(|cell| !cell.has_chance());
        let next = self.looks.get(rounds.len() + 1);
        if let (2.., Some(&next), false) = (stay.len(), next, are_decided) {
            rounds.push(Round {
                players: of(&stay),
                pairs: next,
            });
            let programs = plan.overrides.programs.clone();
            let first = self.looks[0];
            return self::plan(args, programs, None, &[], first, Some(rounds)).map(Some);
        }
        let played: u64 = plan.cells.iter().map(|cell| cell.games).sum();
        let shares = pairs * plan.cells.len() as u64;
        let found = match stay.as_slice() {
            [best] => format!("best: {}", names[*best]),
            [] => format!(
                "no player beats all others; the last ones left were {}",
                of(&left).join(", ")
            ),
            _ => format!("undecided: {}", of(&stay).join(", ")),
        };
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{found} (error {}, within {}); {played} pairs in all; equal shares would need {shares}",
            args.alpha,
            args.best.unwrap_or_default()
        )?;
        writeln!(out, "{}\n", self.course(rounds, stay.len()))?;
        Ok(None)
    }
}

/// The players of all cells as labels write them, in order of appearance.
fn names(cells: &[Cell]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for player in cells.iter().flat_map(|cell| &cell.players) {
        let name = player.label();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// By how much the first player is ahead of the second in their first pairs.
fn ahead(plan: &Plan, finished: &Finished, players: [&str; 2], pairs: u64) -> Option<Sample> {
    let [first, second] = players;
    let mut cells = plan.cells.iter().enumerate();
    let (at, sign) = cells.find_map(|(at, cell)| {
        let labels: Vec<String> = cell.players.iter().map(PlayerSpec::label).collect();
        match [labels[0].as_str(), labels[1].as_str()] {
            pair if pair == [first, second] => Some((at, 1.0)),
            pair if pair == [second, first] => Some((at, -1.0)),
            _ => None,
        }
    })?;
    let cell = &plan.cells[at];
    let matched = cell.matched?;
    let pairs = pairs.min(cell.games);
    let mut sample = decided(cell.game, matched, &finished.first_games(plan, at, pairs)?)?;
    if !matched.by_measure {
        sample.mean -= 0.5;
    }
    if !cell.has_chance() {
        // All pairs that there are.
        sample.variance = 0.0;
    }
    sample.mean *= sign;
    Some(sample)
}
