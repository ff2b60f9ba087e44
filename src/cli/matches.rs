//! `tilelab match`: two players play one game or a series; result rows, logs and a history.

use super::{input_error, require_writable, set};
use crate::catalog::PlayerSpec;
use crate::contest::series::{
    OFFSET_COLUMNS, ZERO_SUM_COLUMNS, offset_games, offset_row, zero_sum_games, zero_sum_row,
};
use crate::game::GameResult;
use crate::games::offset::{self, Offset};
use crate::games::two_player::NODES_AT;
use crate::games::zero_sum::{self, ZeroSum};
use crate::report::{atomic, history};
use crate::rng::CellSeeds;
use anyhow::Context as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Let two players play one game or a series
///
/// Prints one CSV row a game: for Offset player0,player1,d,p0,q0,p1,q1,winner,score0,score1; for
/// the multiplication game player0,player1,start,beginner,winner,score0,score1,moves,nodes0,nodes1.
/// The winner is 0, 1 or draw. A player is a name or name(key=value,…), as in
/// 'alpha-beta(budget_ms=50)'; seat 1 draws from a stream of its own, so replacing one player
/// leaves the other's draws as they were.
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
    let game = set::two_player_game(&args.game)?;
    let params = set::params(game, &args.settings)?;
    let players = [set::player(game, "--player0", &args.player0)?, set::player(game, "--player1", &args.player1)?];
    let seeds = CellSeeds::new(args.seed, "match", "match");
    if args.log.is_some() && (game.name != offset::NAME || args.games != 1) {
        return Err(input_error(
            "--log: only a single game of offset is logged; leave out --games and --log, or one of them",
        ));
    }
    if args.history.is_some() && game.name != zero_sum::NAME {
        return Err(input_error(format!("--history: kept for {} only, not for {}", zero_sum::NAME, game.name)));
    }
    for (option, file) in [("--log", &args.log), ("--history", &args.history)] {
        file.as_deref().map_or(Ok(()), |file| require_writable(option, file))?;
    }
    if game.name == offset::NAME {
        let all = params.text("pairs") == Some("all");
        play_offset(args, &Offset::from_params(&params), all, &players, seeds)
    } else {
        play_zero_sum(args, &ZeroSum::from_params(&params), &players, seeds)
    }
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
    let games = offset_games(*rules, assignments, players, seeds, args.log.is_some())
        .map_err(|error| input_error(error.to_string()))?;
    for (_, game) in (0..args.games).zip(games) {
        rows.write_record(offset_row(players, rules.d, game.pairs, &game.outcome))?;
        if let Some(file) = &args.log {
            atomic::write(file, game.log.as_bytes()).with_context(|| format!("{}", file.display()))?;
            let [first, second] = game.pairs;
            let side = if rules.side == offset::SIDE { String::new() } else { format!(" --side {}", rules.side) };
            eprintln!("replay: tilelab replay offset --log {} --pairs {first}:{second}{side}", file.display());
        }
    }
    rows.flush()?;
    Ok(ExitCode::SUCCESS)
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
    let games = zero_sum_games(*rules, players, seeds).map_err(|error| input_error(error.to_string()))?;
    for (_, game) in (0..args.games).zip(games) {
        rows.write_record(zero_sum_row(players, rules, &game.outcome))?;
        if let Some(kept) = &mut kept {
            kept.push(history::Played {
                result: result_text(game.outcome.result).to_owned(),
                start: rules.start,
                nodes: game.outcome.measures[NODES_AT[0]] as u64,
                move_ms: game.choice_time.as_secs_f64() * 1e3,
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

/// How a game ended for player 0, as the history writes it.
const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}
