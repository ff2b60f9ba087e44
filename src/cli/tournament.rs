//! `tilelab tournament`: every player against every other, with a cross table and a heat map.
//!
//! # How a pairing is played
//! Two players meet on every board with both seatings. Offset: all pairs of pairs of d; a *unit* is which pair begins against which
//! other, and its two games differ only in who has which. The multiplication game: all start numbers; a unit is a start number, its two
//! games differ in who begins. The difference of a unit is its mean score difference over games and rounds, so what a good pair or
//! the first move is worth cancels. The interval is Student's t over the units' differences (paired differences).
//!
//! # Draws
//! The player stream of a game comes from the seed, the unit and the round, not from the players; each player draws from the stream of its
//! seat, whoever sits at the other.

use super::matches::{OFFSET_COLUMNS, offset_row};
use super::{input_error, machine, seats};
use crate::catalog::{PlayerSpec, any_player};
use crate::game::{GameResult, Outcome};
use crate::games::offset::{self, Offset};
use crate::games::two_player::{NODES_AT, SCORE_AT, TwoPlayer};
use crate::games::zero_sum::{self, ZeroSum};
use crate::players::exact::Exact;
use crate::players::seats::Seats;
use crate::report::atomic;
use crate::report::table::{Align, Table};
use crate::report::tournament::heat_map;
use crate::rng::{CellSeeds, SeedableRng, Stream};
use crate::stats::{Interval, Moments};
use anyhow::Context as _;
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Let every player meet every other on all boards with both seatings
///
/// Offset is played over all pairs of d, the multiplication game over all start numbers. Prints the cross table; with --out also writes
/// games.csv, cross.csv, cross.md, machine.txt and, for Offset, heat_map.svg. With --exact (multiplication game) prints the value of
/// every start number for both beginners under best play; --out writes them to exact.md.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  tilelab tournament --d 7 random greedy mobility 'alpha-beta(depth=16,budget_ms=50)' --out results/offset-d7\n  tilelab tournament --game zero-sum --exact"
)]
pub struct Args {
    /// The players, each a name or name(key=value,…); at least two
    #[arg(value_name = "PLAYER")]
    players: Vec<String>,
    /// The game: offset or zero-sum
    #[arg(long, value_name = "G", default_value = offset::NAME)]
    game: String,
    /// Offset: the sum of both pairs
    #[arg(long, value_name = "D", default_value_t = 7, value_parser = clap::value_parser!(i64).range(offset::D_MIN..=offset::D_MAX))]
    d: i64,
    /// Offset: cells along a side of the board
    #[arg(long, value_name = "N", default_value_t = offset::SIDE as u64,
          value_parser = clap::value_parser!(u64).range(offset::SIDE_MIN as u64..=offset::SIDE as u64))]
    side: u64,
    /// How often each game is played, with other draws
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// The master seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Confidence of the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95)]
    confidence: f64,
    /// How many games are played at once; players with a time budget need a core each
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: u64,
    /// Write tables and heat map into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Multiplication game: print its exact values instead
    #[arg(long, conflicts_with_all = ["players", "d", "side"])]
    exact: bool,
}

/// One board and seating: the rules, the unit it belongs to, and where the heat map shows it.
struct Board<G> {
    rules: G,
    unit: usize,
}

/// A finished game of the tournament.
struct Played {
    pairing: usize,
    board: usize,
    outcome: Outcome,
}

impl Played {
    fn difference(&self) -> i64 {
        self.outcome.measures[SCORE_AT[0]] - self.outcome.measures[SCORE_AT[1]]
    }
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = seats::game(&args.game)?;
    let is_offset = game.name == offset::NAME;
    if args.exact {
        if is_offset {
            return Err(input_error(format!("--exact: only {} is small enough; add --game {0}", zero_sum::NAME)));
        }
        return print_exact(args);
    }
    if !(args.confidence > 0.0 && args.confidence < 1.0) {
        return Err(input_error(format!("--confidence {}: not accepted; a number between 0 and 1", args.confidence)));
    }
    if args.players.len() < 2 {
        let known: Vec<&str> = game.players.iter().map(|player| player.name).collect();
        return Err(input_error(format!("PLAYER: name at least two players; accepted: {}", known.join(", "))));
    }
    let players: Vec<PlayerSpec> =
        args.players.iter().map(|text| seats::player(game, "PLAYER", text)).collect::<Result<_, _>>()?;
    let mut labels: Vec<String> = players.iter().map(PlayerSpec::label).collect();
    labels.sort_unstable();
    if let Some(twice) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(input_error(format!("PLAYER {}: named twice; name each player once", twice[0])));
    }
    let pairings: Vec<[PlayerSpec; 2]> = (0..players.len())
        .flat_map(|first| (first + 1..players.len()).map(move |second| (first, second)))
        .map(|(first, second)| [players[first].clone(), players[second].clone()])
        .collect();
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out).with_context(|| format!("{}", out.display()))?;
    }
    if is_offset { offset_tournament(args, &pairings) } else { zero_sum_tournament(args, &pairings) }
}

fn offset_tournament(args: &Args, pairings: &[[PlayerSpec; 2]]) -> anyhow::Result<ExitCode> {
    let pairs = offset::all_pairs(args.d);
    let assignments = offset::all_assignments(args.d);
    let place = |pair| pairs.iter().position(|&known| known == pair).expect("a pair of d");
    let rules = Offset { side: args.side as usize, d: args.d, pairs: None, beginner: 0 };
    let boards: Vec<Board<Offset>> = assignments
        .iter()
        .map(|assignment| {
            let [first, second] = assignment.pairs.map(place);
            // Named by the beginning pair and the other one, the two seatings of a unit are the same board.
            let (begins, follows) = if assignment.beginner == 0 { (first, second) } else { (second, first) };
            Board { rules: rules.assigned(*assignment), unit: begins * pairs.len() + follows }
        })
        .collect();
    let games = play(args, pairings, &boards)?;
    let cross = cross_table(args, pairings, &boards, &games, "coins");
    if let Some(out) = &args.out {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record(OFFSET_COLUMNS)?;
        for game in &games {
            let pairs = assignments[game.board].pairs;
            rows.write_record(offset_row(&pairings[game.pairing], args.d, pairs, &game.outcome))?;
        }
        let rows = rows.into_inner()?;
        write_file(&out.join("games.csv"), &rows)?;
        let picture = heat_map(&rows).map_err(|error| anyhow::anyhow!("{}: {error}", out.display()))?;
        write_file(&out.join("heat_map.svg"), picture.as_bytes())?;
    }
    finish(args, &cross)
}

fn zero_sum_tournament(args: &Args, pairings: &[[PlayerSpec; 2]]) -> anyhow::Result<ExitCode> {
    let limit = ZERO_SUM_LIMIT;
    let boards: Vec<Board<ZeroSum>> = zero_sum::STARTS
        .flat_map(|start| [0, 1].map(|beginner| (start, beginner)))
        .map(|(start, beginner)| {
            let unit = (start - zero_sum::STARTS.start()) as usize;
            Board { rules: ZeroSum { start, beginner, limit }, unit }
        })
        .collect();
    let games = play(args, pairings, &boards)?;
    let cross = cross_table(args, pairings, &boards, &games, "points");
    if let Some(out) = &args.out {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record([
            "player0", "player1", "start", "beginner", "score0", "score1", "moves", "nodes0", "nodes1",
        ])?;
        for game in &games {
            let rules = boards[game.board].rules;
            let mut row: Vec<String> = pairings[game.pairing].iter().map(PlayerSpec::label).collect();
            row.extend([rules.start.to_string(), rules.beginner.to_string()]);
            row.extend(SCORE_AT.map(|at| game.outcome.measures[at].to_string()));
            row.push(game.outcome.moves.to_string());
            row.extend(NODES_AT.map(|at| game.outcome.measures[at].to_string()));
            rows.write_record(row)?;
        }
        write_file(&out.join("games.csv"), &rows.into_inner()?)?;
    }
    finish(args, &cross)
}

/// The limit of the rules.
const ZERO_SUM_LIMIT: i64 = 1200;

/// Plays all games: every pairing on every board in every round, in this order.
fn play<G>(args: &Args, pairings: &[[PlayerSpec; 2]], boards: &[Board<G>]) -> anyhow::Result<Vec<Played>>
where
    G: TwoPlayer,
{
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads as usize).build()?;
    let rounds = args.rounds as usize;
    let games = pairings.len() * boards.len() * rounds;
    let one = |index: usize| {
        let (pairing, board, round) = (index / rounds / boards.len(), index / rounds % boards.len(), index % rounds);
        let seeds = CellSeeds::new(args.seed, "tournament", &format!("tournament,unit={}", boards[board].unit));
        let mut seats = Seats::new(pairings[pairing].each_ref().map(any_player));
        let stream = seeds.player_stream(round as u64);
        let outcome = seats.play(&boards[board].rules, seeds.world_stream(round as u64), &stream, |_, _| ());
        Played { pairing, board, outcome }
    };
    Ok(pool.install(|| (0..games).into_par_iter().map(one).collect()))
}

/// What a pairing came to.
struct Cross {
    players: [String; 2],
    games: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    interval: Interval,
    mean: f64,
    units: usize,
}

/// The cross table as text, CSV and rows.
struct CrossTable {
    rows: Vec<Cross>,
    confidence: f64,
    unit: &'static str,
}

fn cross_table<G>(
    args: &Args,
    pairings: &[[PlayerSpec; 2]],
    boards: &[Board<G>],
    games: &[Played],
    unit: &'static str,
) -> CrossTable {
    let rows = pairings.iter().enumerate().map(|(pairing, players)| {
        let games: Vec<&Played> = games.iter().filter(|game| game.pairing == pairing).collect();
        let units = boards.iter().map(|board| board.unit).max().map_or(0, |last| last + 1);
        let mut sums = vec![(0_i64, 0_i64); units];
        for game in &games {
            let sum = &mut sums[boards[game.board].unit];
            *sum = (sum.0 + game.difference(), sum.1 + 1);
        }
        sums.retain(|&(_, games)| games > 0);
        // All units have equally many games, so the interval of their sums is that of their means times that number.
        let each = sums.first().map_or(1, |&(_, games)| games) as f64;
        let moments = Moments {
            n: sums.len() as u64,
            sum: sums.iter().map(|&(sum, _)| i128::from(sum)).sum(),
            sum_sq: sums.iter().map(|&(sum, _)| u128::from(sum.unsigned_abs()).pow(2)).sum(),
        };
        let estimate = moments.estimate().expect("every game has at least two units");
        let interval = estimate.interval(args.confidence);
        let count = |result| games.iter().filter(|game| game.outcome.result == result).count();
        Cross {
            players: players.each_ref().map(PlayerSpec::label),
            games: games.len(),
            wins: count(GameResult::Won),
            draws: count(GameResult::Drawn),
            losses: count(GameResult::Lost),
            interval: Interval { lo: interval.lo / each, hi: interval.hi / each },
            mean: estimate.mean / each,
            units: sums.len(),
        }
    });
    CrossTable { rows: rows.collect(), confidence: args.confidence, unit }
}

impl CrossTable {
    fn markdown(&self) -> String {
        use Align::{Left, Right};
        let difference = format!("mean difference ({})", self.unit);
        let interval = format!("{} % interval", self.confidence * 100.0);
        let mut table = Table::new([
            ("player", Left),
            ("opponent", Left),
            ("games", Right),
            ("won", Right),
            ("drawn", Right),
            ("lost", Right),
            (difference.as_str(), Right),
            (interval.as_str(), Right),
        ]);
        for row in &self.rows {
            let [player, opponent] = &row.players;
            table.row([
                player.clone(),
                opponent.clone(),
                row.games.to_string(),
                row.wins.to_string(),
                row.draws.to_string(),
                row.losses.to_string(),
                format!("{:+.1}", row.mean),
                format!("{:+.1} to {:+.1}", row.interval.lo, row.interval.hi),
            ]);
        }
        let mut text = table.to_string();
        let units = self.rows.first().map_or(0, |row| row.units);
        text.push_str(&format!(
            "\nAll boards, both seatings. Intervals: Student's t over the {units} units' paired differences (a unit is a board with its \
             two seatings).\n"
        ));
        text
    }

    fn csv(&self) -> anyhow::Result<Vec<u8>> {
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record([
            "player",
            "opponent",
            "games",
            "wins",
            "draws",
            "losses",
            "units",
            "difference_mean",
            "difference_lo",
            "difference_hi",
        ])?;
        for row in &self.rows {
            let mut record: Vec<String> = row.players.to_vec();
            record.extend([row.games, row.wins, row.draws, row.losses, row.units].map(|count| count.to_string()));
            record.extend([row.mean, row.interval.lo, row.interval.hi].map(|value| value.to_string()));
            rows.write_record(record)?;
        }
        Ok(rows.into_inner()?)
    }
}

fn finish(args: &Args, cross: &CrossTable) -> anyhow::Result<ExitCode> {
    if let Some(out) = &args.out {
        write_file(&out.join("cross.csv"), &cross.csv()?)?;
        write_file(&out.join("cross.md"), cross.markdown().as_bytes())?;
        write_file(&out.join("machine.txt"), machine::facts(args.threads as usize).as_bytes())?;
    }
    std::io::stdout().lock().write_all(cross.markdown().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn write_file(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    atomic::write(path, content).with_context(|| format!("{}", path.display()))
}

/// Prints the exact values of the multiplication game as a Markdown table; with --out also writes them to exact.md.
fn print_exact(args: &Args) -> anyhow::Result<ExitCode> {
    let mut table = Table::new([
        ("start", Align::Right),
        ("beginner", Align::Left),
        ("result for the player", Align::Left),
        ("final difference", Align::Right),
        ("first multiplier", Align::Right),
    ]);
    for start in zero_sum::STARTS {
        for beginner in [0, 1] {
            let game = ZeroSum { start, beginner, limit: ZERO_SUM_LIMIT };
            let state = crate::game::Game::start(&game, &mut Stream::seed_from_u64(0));
            let mut exact = Exact::default();
            let margin = exact.margin(&game, &mut state.clone());
            let first = exact.choose(&game, &state);
            let result = ["lost", "drawn", "won"][(margin.signum() + 1) as usize];
            let name = ["player", "opponent"][beginner];
            table.row([
                start.to_string(),
                name.to_owned(),
                result.to_owned(),
                format!("{margin:+}"),
                first.to_string(),
            ]);
        }
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out).with_context(|| format!("{}", out.display()))?;
        let text = format!("<!-- made by `tilelab tournament --game zero-sum --exact`; do not edit -->\n{table}");
        write_file(&out.join("exact.md"), text.as_bytes())?;
    }
    std::io::stdout().lock().write_all(table.to_string().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
