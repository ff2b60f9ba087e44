//! `tilelab match`: players against each other, without a file.

use super::run::{self, How};
use super::{direct, set};
use crate::plan::Overrides;
use std::path::PathBuf;
use std::process::ExitCode;

/// Let players meet in pairs of games and print standings
///
/// Every two players play pairs of games. In games for one (67!, 2048, Calculator) both meet the
/// same spawns, and the pair is won by the better outcome, or by the larger value of --measure. In
/// games for two a pair is both seatings of one start. Where players and start decide a game, every
/// different game is played once.
///
/// Matches are cells like any other: with --out they are kept, continue when started again, and can
/// be reported and compared. An experiment file has them as `match = ["A", "B"]`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
        tilelab match greedy mobility random --game offset --set d=7 --games 200\n  \
        tilelab match greedy expectimax --game 2048 --measure score --games 100 --out results")]
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
    /// Pairs of games that every two players play
    #[arg(long, value_name = "N", default_value = "1000", value_parser = set::count)]
    games: u64,
    /// What decides a pair: outcome, or a measure of the game, such as score
    #[arg(long, value_name = "NAME", default_value = crate::matches::OUTCOME)]
    measure: String,
    #[command(flatten)]
    how: How,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let overrides = Overrides {
        games: Some(args.games),
        seed: args.how.seed,
        ..Overrides::default()
    };
    let plan = direct::matches(
        &args.game,
        &args.settings,
        &args.players,
        &args.measure,
        overrides,
    )?;
    run::play_all(vec![plan], &[PathBuf::from("--game")], &args.how, false)
}
