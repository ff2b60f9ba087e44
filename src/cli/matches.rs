//! `tilelab match`: two players play one game or a series; result rows, logs and a history.

use super::{input_error, require_writable, set};
use crate::contest::{CONTESTS, Contest};
use crate::report::other_files::PLAYERS;
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
    #[arg(long, value_name = "G", default_value = crate::games::offset::NAME)]
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
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::set::count)]
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
    let (game, contest) = set::contest(&args.game)?;
    let params = set::params(game, &args.settings)?;
    let players = [set::player(game, "--player0", &args.player0)?, set::player(game, "--player1", &args.player1)?];
    if args.log.is_some() && (!contest.is_logged || args.games != 1) {
        let logged = names(|contest| contest.is_logged);
        return Err(input_error(format!(
            "--log: only a single game of {logged} is logged; leave out --games and --log, or one of them"
        )));
    }
    if args.history.is_some() && !contest.has_history {
        let kept = names(|contest| contest.has_history);
        return Err(input_error(format!("--history: kept for {kept} only, not for {}", game.name)));
    }
    for (option, file) in [("--log", &args.log), ("--history", &args.history)] {
        file.as_deref().map_or(Ok(()), |file| require_writable(option, file))?;
    }
    let mut kept = match &args.history {
        None => Vec::new(),
        Some(file) => history::read(file).map_err(|error| input_error(format!("{}: {error}", file.display())))?,
    };
    let seeds = CellSeeds::new(args.seed, "match", "match");
    let games = (contest.series)(&params, &players, seeds, args.log.is_some())
        .map_err(|error| input_error(error.to_string()))?;
    let mut rows = csv::Writer::from_writer(std::io::stdout().lock());
    rows.write_record(PLAYERS.iter().chain(contest.series_columns).map(|column| column.name))?;
    for (_, game) in (0..args.games).zip(games) {
        rows.write_record(&game.row)?;
        kept.extend(game.history);
        if let Some(file) = &args.log {
            atomic::write(file, game.log.as_bytes()).with_context(|| format!("{}", file.display()))?;
            say!("replay: tilelab replay {} --log {} {}", contest.game, file.display(), game.log_options);
        }
    }
    rows.flush()?;
    drop(rows);
    if let Some(file) = &args.history {
        atomic::write(file, history::to_csv(&kept).as_bytes()).with_context(|| format!("{}", file.display()))?;
        if args.statistics {
            let mut output = std::io::stdout().lock();
            write!(output, "\n{}", history::statistics(&kept))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The names of the games whose contests have a feature.
fn names(has: impl Fn(&Contest) -> bool) -> String {
    let names: Vec<&str> = CONTESTS.iter().filter(|contest| has(contest)).map(|contest| contest.game).collect();
    names.join(", ")
}
