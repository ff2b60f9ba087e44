//! `tilelab match`: two players play one game or a series; result rows, logs and a history.

use super::{input_error, seats, set};
use crate::catalog::PlayerSpec;
use crate::game::{GameResult, Outcome};
use crate::games::offset::{self, Offset, Position as _, log};
use crate::games::two_player::{NODES_AT, SCORE_AT};
use crate::games::zero_sum::{self, ZeroSum};
use crate::players::two_player::seats::Seats;
use crate::report::{atomic, history};
use crate::rng::CellSeeds;
use anyhow::Context as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Let two players play one game or a series
///
/// Prints one CSV row a game: for Offset player0,player1,d,p0,q0,p1,q1,winner,score0,score1; for the multiplication game
/// player0,player1,start,beginner,winner,score0,score1,moves,nodes0,nodes1. The winner is 0, 1 or draw. A player is a name or
/// name(key=value,…), as in 'alpha-beta(budget_ms=50)'; seat 1 draws from a stream of its own, so replacing one player leaves the
/// other's draws as they were.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  tilelab match --player0 greedy --player1 mobility --set pair0=1,6 --set pair1=3,4 --log match.log\n  tilelab match --game zero-sum --player0 alpha-beta --player1 random --set start=16 --history games.csv"
)]
pub struct Args {
    /// The game: offset or zero-sum
    #[arg(long, value_name = "G", default_value = offset::NAME)]
    game: String,
    /// The player of seat 0
    #[arg(long, value_name = "PLAYER", default_value = "random")]
    player0: String,
    /// The player of seat 1
    #[arg(long, value_name = "PLAYER", default_value = "random")]
    player1: String,
    /// A parameter of the game (`tilelab list games`), such as d=7; may be repeated
    #[arg(long = "set", value_name = "key=value")]
    settings: Vec<String>,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The master seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write the moves of the one game of Offset here, for `tilelab replay offset --log`
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Append the games of the multiplication game to this CSV file
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print statistics of the history file after the games
    #[arg(long, requires = "history")]
    statistics: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = seats::game(&args.game)?;
    let params = set::params(game, &args.settings)?;
    let players = [seats::player(game, "--player0", &args.player0)?, seats::player(game, "--player1", &args.player1)?];
    let seeds = CellSeeds::new(args.seed, "match", "match");
    if args.log.is_some() && (game.name != offset::NAME || args.games != 1) {
        return Err(input_error(
            "--log: only a single game of offset is logged; leave out --games and --log, or one of them",
        ));
    }
    if args.history.is_some() && game.name != zero_sum::NAME {
        return Err(input_error(format!("--history: kept for {} only, not for {}", zero_sum::NAME, game.name)));
    }
    if game.name == offset::NAME {
        let all = params.text("pairs") == Some("all");
        play_offset(args, &Offset::from_params(&params), all, &players, seeds)
    } else {
        play_zero_sum(args, &ZeroSum::from_params(&params), &players, seeds)
    }
}

/// The winner's column.
fn winner_text(outcome: &Outcome) -> String {
    let scores = SCORE_AT.map(|at| outcome.measures[at]);
    log::winner(scores).map_or("draw".to_owned(), |winner| winner.to_string())
}

fn play_offset(
    args: &Args,
    rules: &Offset,
    all: bool,
    players: &[PlayerSpec; 2],
    seeds: CellSeeds,
) -> anyhow::Result<ExitCode> {
    let assignments = if all { offset::all_assignments(rules.d) } else { Vec::new() };
    let mut rows = csv::Writer::from_writer(std::io::stdout().lock());
    rows.write_record(OFFSET_COLUMNS)?;
    let mut seats = Seats::of(players).map_err(|error| input_error(error.to_string()))?;
    for index in 0..args.games {
        let rules = match assignments.len() as u64 {
            0 => *rules,
            count => rules.assigned(assignments[(index % count) as usize]),
        };
        let mut pairs = None;
        let mut lines = String::new();
        let outcome = seats.play(&rules, seeds.world_stream(index), &seeds.player_stream(index), |board, chosen| {
            pairs = Some(board.pairs());
            if args.log.is_some() {
                lines.push_str(&log::Entry::of(board, chosen).line());
                lines.push('\n');
            }
        });
        // A game without any move (d beyond the board) has shown no board; its pairs are those of its start.
        let pairs = pairs.unwrap_or_else(|| rules.pairs_of(&mut seeds.world_stream(index)));
        rows.write_record(offset_row(players, rules.d, pairs, &outcome))?;
        if let Some(file) = &args.log {
            atomic::write(file, lines.as_bytes()).with_context(|| format!("{}", file.display()))?;
            let [first, second] = pairs;
            let side = if rules.side == offset::SIDE { String::new() } else { format!(" --side {}", rules.side) };
            eprintln!("replay: tilelab replay offset --log {} --pairs {first}:{second}{side}", file.display());
        }
    }
    rows.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The columns of Offset's result rows.
pub const OFFSET_COLUMNS: [&str; 10] =
    ["player0", "player1", "d", "p0", "q0", "p1", "q1", "winner", "score0", "score1"];

/// A result row of Offset.
pub fn offset_row(players: &[PlayerSpec; 2], d: i64, pairs: [offset::Pair; 2], outcome: &Outcome) -> Vec<String> {
    let [(p0, q0), (p1, q1)] = pairs.map(offset::Pair::parts);
    let scores = SCORE_AT.map(|at| outcome.measures[at].to_string());
    let mut row: Vec<String> = players.iter().map(PlayerSpec::label).collect();
    row.push(d.to_string());
    row.extend([p0, q0, p1, q1].map(|part| part.to_string()));
    row.push(winner_text(outcome));
    row.extend(scores);
    row
}

fn play_zero_sum(
    args: &Args,
    rules: &ZeroSum,
    players: &[PlayerSpec; 2],
    seeds: CellSeeds,
) -> anyhow::Result<ExitCode> {
    let mut kept = match &args.history {
        None => None,
        Some(file) => Some(history::read(file).map_err(|error| input_error(format!("{}: {error}", file.display())))?),
    };
    let mut rows = csv::Writer::from_writer(std::io::stdout().lock());
    rows.write_record(ZERO_SUM_COLUMNS)?;
    let mut seats = Seats::of(players).map_err(|error| input_error(error.to_string()))?;
    for index in 0..args.games {
        let (mut thinking, mut choices) = (Duration::ZERO, 0_u32);
        let mut since = Instant::now();
        let outcome = seats.play(rules, seeds.world_stream(index), &seeds.player_stream(index), |state, _| {
            if state.seat == 0 {
                thinking += since.elapsed();
                choices += 1;
            }
            since = Instant::now();
        });
        let mut row: Vec<String> = players.iter().map(PlayerSpec::label).collect();
        row.extend([rules.start.to_string(), rules.beginner.to_string(), winner_text(&outcome)]);
        row.extend(SCORE_AT.map(|at| outcome.measures[at].to_string()));
        row.push(outcome.moves.to_string());
        row.extend(NODES_AT.map(|at| outcome.measures[at].to_string()));
        rows.write_record(row)?;
        if let Some(kept) = &mut kept {
            kept.push(history::Played {
                result: result_text(outcome.result).to_owned(),
                start: rules.start,
                nodes: outcome.measures[NODES_AT[0]] as u64,
                move_ms: thinking.as_secs_f64() * 1e3 / f64::from(choices.max(1)),
                algorithm: players[0].label(),
                opponent: players[1].label(),
                beginner: rules.beginner,
                time: history::utc_now(),
            });
        }
    }
    rows.flush()?;
    drop(rows);
    if let (Some(file), Some(kept)) = (&args.history, &kept) {
        atomic::write(file, history::to_csv(kept).as_bytes()).with_context(|| format!("{}", file.display()))?;
        if args.statistics {
            let mut output = std::io::stdout().lock();
            write!(output, "\n{}", history::statistics(kept))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How a game ended for seat 0, as the history writes it.
const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// The columns of the multiplication game's result rows.
const ZERO_SUM_COLUMNS: [&str; 10] =
    ["player0", "player1", "start", "beginner", "winner", "score0", "score1", "moves", "nodes0", "nodes1"];
