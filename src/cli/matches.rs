//! `tilelab match`: players against each other, without a file.

use super::run::{self, How};
use super::{direct, set};
use crate::plan::{Difference, Overrides};
use std::path::PathBuf;
use std::process::ExitCode;

/// Pairs of every two players when no number is given.
const PAIRS: u64 = 1000;

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
        tilelab match greedy expectimax --game 2048 --measure score --games 100 --out results\n  \
        tilelab match corner random --game 2048 --set size=3x3 --measure score --sprt 0 50")]
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
    ///
    /// With --sprt the most of them. [default: 1000; with --sprt 1000000]
    #[arg(long, value_name = "N", value_parser = set::count)]
    games: Option<u64>,
    /// What decides a pair: outcome, or a measure of the game, such as score
    #[arg(long, value_name = "NAME", default_value = crate::matches::OUTCOME)]
    measure: String,
    /// Stop as soon as it is decided whether the first player of a pair is this strong
    ///
    /// The sequential test decides whether the mean is LOWER or less, or UPPER or more: the share
    /// of points (0.5 is as many as the opponent's), or with --measure the mean difference of a
    /// pair.
    #[arg(long, num_args = 2, value_names = ["LOWER", "UPPER"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// With --sprt: how often to decide for UPPER if the mean is LOWER
    #[arg(long, value_name = "P", default_value_t = Difference::ERROR, requires = "sprt")]
    alpha: f64,
    /// With --sprt: how often to decide for LOWER if the mean is UPPER
    #[arg(long, value_name = "P", default_value_t = Difference::ERROR, requires = "sprt")]
    beta: f64,
    #[command(flatten)]
    how: How,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let difference = args.sprt.as_deref().map(|means| Difference {
        lower: means[0],
        upper: means[1],
        alpha: args.alpha,
        beta: args.beta,
    });
    let games = args.games.unwrap_or(match difference {
        Some(_) => Difference::PAIRS_MAX,
        None => PAIRS,
    });
    let overrides = Overrides {
        games: Some(games),
        seed: args.how.seed,
        ..Overrides::default()
    };
    let plan = direct::matches(
        &args.game,
        &args.settings,
        &args.players,
        &args.measure,
        difference,
        overrides,
    )?;
    run::play_all(vec![plan], &[PathBuf::from("--game")], &args.how, false)
}
